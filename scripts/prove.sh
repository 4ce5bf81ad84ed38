#!/usr/bin/env bash
# The long form of the tests: optimised, with the slow ones, and with many more random cases.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

export PROPTEST_CASES="${PROPTEST_CASES:-20000}"
say "tests, slow ones too, $PROPTEST_CASES cases for each property"
exec cargo test --workspace --locked --release -- --include-ignored
