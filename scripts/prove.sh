#!/usr/bin/env bash
# The long form of the tests: optimised, with the slow ones, with many more random cases, and on
# three nodes of Cassandra.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

long() {
    export PROPTEST_CASES="${PROPTEST_CASES:-20000}"
    say "tests, slow ones too, $PROPTEST_CASES cases for each property"
    cargo test --workspace --locked --release -- --include-ignored
    "$ROOT/scripts/test-cluster.sh" --release
}

if [[ "${1:-}" == --beside-cassandra ]]; then
    long
else
    exec "$ROOT/scripts/with-cassandra.sh" --nodes 3 "$0" --beside-cassandra
fi
