#!/usr/bin/env bash
# The suites again, on the cluster that ONCED_TEST_CQL names; see with-cassandra.sh.
# Takes cargo's own flags, such as --release.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

SKIPS=tests/cluster-skips.txt
# Modules that stand on an engine. All others are the same on every engine.
SUITES=(calls resend histories migrate cluster)
# These keep the processors busy by themselves, within deadlines.
BUSY=(race latency)
# Most other tests wait for the cluster's clock: they wait side by side.
AT_ONCE=24

FLAGS=("$@")
it() { cargo test --package onced-tests --test it --locked "${FLAGS[@]}" -- "$@"; }

skips() { grep -v -e '^#' -e '^$' "$SKIPS"; }

# Every name on the list is a test's.
check_skips() {
    local unknown
    unknown="$(comm -23 <(skips | sort) <(it --list | sed -n 's/: test$//p' | sort))"
    [[ -z "$unknown" ]] && return 0
    echo "error: $SKIPS names no test by: $unknown" >&2
    return 1
}

say "the parts of the cluster engine, on $ONCED_TEST_CQL"
cargo test --package onced --lib --locked "${FLAGS[@]}" -- --include-ignored store::cql::

say "the suites, on $ONCED_TEST_CQL"
export ONCED_TEST_ENGINE=cluster
check_skips
mapfile -t left_out < <(skips | sed 's/^/--skip\n/')
for suite in "${BUSY[@]}"; do
    it "${left_out[@]}" "$suite::"
done
# By themselves: they measure how long leases live.
it --test-threads "$AT_ONCE" conformance::
it --test-threads "$AT_ONCE" "${left_out[@]}" "${SUITES[@]/%/::}"
