#!/usr/bin/env bash
# Fuzzes the decoders, each for FUZZ_SECONDS (default 60).
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

if [[ ! -d fuzz ]]; then
    echo "error: there are no fuzz targets yet" >&2
    exit 1
fi
have cargo-fuzz "fuzzing" || exit 1
cargo +nightly fuzz list | while read -r target; do
    say "fuzzing $target"
    cargo +nightly fuzz run "$target" -- -max_total_time="${FUZZ_SECONDS:-60}"
done
