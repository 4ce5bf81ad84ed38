#!/usr/bin/env bash
# Everything that can be said about the code without running it, and the tidy tests.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

"$ROOT/scripts/install-tools.sh" buf python

say "formatting"
cargo fmt --all --check

say "the wire: lint, format, breaking changes"
if have buf "the check of the wire"; then
    buf lint proto
    buf format proto --diff --exit-code
    buf breaking proto --against proto/onced.binpb
fi

say "scripts and spelling"
if have shellcheck "the check of the scripts"; then
    shellcheck scripts/*.sh deploy/cassandra/*.sh .ci/run
fi
if have typos "the check of the spelling"; then typos; fi

say "clippy; with a fresh lock file, or not at all"
cargo clippy --workspace --all-targets --locked --quiet -- --deny warnings

say "tidy"
cargo test --package onced-tests --test it --locked --quiet -- tidy:: wire::
