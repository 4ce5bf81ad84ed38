#!/usr/bin/env bash
# A walk through every ruling, against a real server, over gRPC.
# Ends with 1 at the first answer that is wrong.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

if command -v go >/dev/null; then
    "$ROOT/scripts/install-tools.sh" grpcurl
else
    echo "note: go is missing, so the calls are made with onced's own command line" >&2
fi
say "building the server; the first time, that takes some minutes"
cargo build --package onced --locked
PYTHONDONTWRITEBYTECODE=1 exec python3 "$ROOT/scripts/demo/walk.py" \
    "${CARGO_TARGET_DIR:-$ROOT/target}/debug/onced" "$ROOT/deploy/demo/policy.toml"
