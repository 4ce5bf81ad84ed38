#!/usr/bin/env bash
# Runs a command beside a fresh Cassandra that it starts and ends.
# with-cassandra.sh [--nodes 1|3] COMMAND…
# ONCED_TEST_CQL tells the command where it is.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

DIR="$ROOT/target/cassandra-tests"
NODES=1
if [[ "${1:-}" == --nodes ]]; then
    NODES=$2
    shift 2
fi

cassandra() { "$ROOT/deploy/cassandra/cassandra.sh" "$@" --dir "$DIR"; }

cassandra down --wipe
trap 'cassandra down --wipe' EXIT
store="$(cassandra up --subnet 127.0.17 --nodes "$NODES" | tail -n 1)"
export ONCED_TEST_CQL="${store#cql://}"
"$@"
