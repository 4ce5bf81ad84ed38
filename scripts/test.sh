#!/usr/bin/env bash
# The checks, then every test. The last lines are cargo's own.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

"$ROOT/scripts/check.sh"
say "tests"
exec cargo test --workspace --locked
