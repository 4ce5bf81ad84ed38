#!/usr/bin/env bash
# The suites again, on a Cassandra that this script starts and ends. With --nodes 3, on three.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

DIR="$ROOT/target/cassandra-tests"
SKIPS="$ROOT/tests/cluster-skips.txt"
# Modules that stand on an engine. All others are the same on every engine.
SUITES=(conformance calls resend race latency histories migrate cluster)
# Most tests wait for the cluster's clock: they wait side by side.
AT_ONCE=40

up() {
    "$ROOT/deploy/cassandra/cassandra.sh" down --dir "$DIR" --wipe
    "$ROOT/deploy/cassandra/cassandra.sh" up --dir "$DIR" "$@" | tail -n 1
}

down() { "$ROOT/deploy/cassandra/cassandra.sh" down --dir "$DIR" --wipe; }

skips() { grep -v '^#' "$SKIPS" | grep -v '^$'; }

# Every name on the list is a test's.
check_skips() {
    local unknown
    unknown="$(comm -23 <(skips | sort) <(it --list | sed -n 's/: test$//p' | sort))"
    [[ -z "$unknown" ]] && return 0
    echo "error: $SKIPS names no test by: $unknown" >&2
    return 1
}

it() { cargo test --package onced-tests --test it --locked "${PROFILE[@]}" -- "$@"; }

PROFILE=()
NODES=(--nodes 1)
while [[ $# -gt 0 ]]; do
    case $1 in
        --nodes) NODES=(--nodes "$2"); shift 2 ;;
        --release) PROFILE=(--release); shift ;;
        *) echo "usage: $0 [--nodes 1|3] [--release]" >&2; exit 64 ;;
    esac
done

trap down EXIT
store="$(up --subnet 127.0.17 "${NODES[@]}")"
export ONCED_TEST_CQL="${store#cql://}" ONCED_TEST_ENGINE=cluster

say "the parts of the cluster engine, on $store"
cargo test --package onced --lib --locked "${PROFILE[@]}" -- --include-ignored store::cql::

say "the suites, on $store"
check_skips
mapfile -t left_out < <(skips | sed 's/^/--skip\n/')
it --test-threads "$AT_ONCE" "${left_out[@]}" "${SUITES[@]/%/::}"
