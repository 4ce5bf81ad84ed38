#!/usr/bin/env bash
# onced beside the floors of wire and disk and beside what people use today, all optimised.
# bench.sh [FLAGS OF onced-bench…]; INSTALL=true lets root install the Debian packages, too.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

scripts/install-tools.sh bench
for folder in "$TOOLS"/bench/node_modules/@restatedev/restate-server-*/bin \
    /usr/lib/postgresql/*/bin "$TOOLS/bench/python/bin"; do
    PATH="$PATH:$folder"
done
export PATH
export ONCED_BENCH_RESTATE_HANDLER="$TOOLS/bench/restate-handler.mjs"

cargo build --package onced --package onced-bench --release --locked
exec target/release/onced-bench "$@"
