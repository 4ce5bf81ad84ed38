#!/usr/bin/env bash
# The checks, then every test, then the suites again on a Cassandra. The last lines are cargo's own.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

"$ROOT/scripts/check.sh"
say "tests"
cargo test --workspace --locked

if [[ "${CI:-}" == true ]] || { java_17 >/dev/null && have mvn "the run on a cluster"; }; then
    exec "$ROOT/scripts/with-cassandra.sh" "$ROOT/scripts/test-cluster.sh"
fi
echo "note: Java 17 or Maven is missing, so the run on a cluster is skipped" >&2
