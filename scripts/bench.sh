#!/usr/bin/env bash
# onced beside the floors of wire and disk and beside what people use today, all optimised.
# bench.sh [FLAGS OF onced-bench…]; INSTALL=true lets root install the Debian packages, too.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

scripts/install-tools.sh bench
for folder in "$TOOLS"/bench/node_modules/@restatedev/restate-server-*/bin; do PATH="$PATH:$folder"; done
for folder in /usr/lib/postgresql/*/bin; do PATH="$PATH:$folder"; done
export PATH="$PATH:$TOOLS/bench/python/bin"
export ONCED_BENCH_RESTATE_HANDLER="$TOOLS/bench/restate-handler.mjs"

cargo build --package onced --package onced-bench --release --locked
exec target/release/onced-bench "$@"
