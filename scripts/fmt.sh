#!/usr/bin/env bash
# Formats the Rust and the proto files.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

"$ROOT/scripts/install-tools.sh" buf
cargo fmt --all
if have buf "formatting the proto files"; then buf format proto --write; fi
