#!/usr/bin/env bash
# The cluster engine beside the bare driver, optimised, over nodes that are started for it.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

DIR="$ROOT/target/bench-cassandra"
NODES=1
if [[ "${1:-}" == --nodes ]]; then
    NODES=${2:?--nodes 1 or 3}
    shift 2
fi

cassandra() { deploy/cassandra/cassandra.sh "$@" --dir "$DIR"; }

cargo build --package onced-bench --release --locked
trap 'cassandra down --wipe' EXIT
at="$(cassandra up --nodes "$NODES" --subnet 127.0.23 | tail --lines=1)"
target/release/onced-bench cluster --at "${at#cql://}" \
    --pids "$(cat "$DIR"/node*/pid | paste --serial --delimiters=,)" "$@"
