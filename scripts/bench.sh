#!/usr/bin/env bash
# The side-by-side benchmarks, optimised.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

exec cargo run --package onced-bench --release --locked -- "$@"
