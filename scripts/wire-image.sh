#!/usr/bin/env bash
# Makes anew the image that breaking changes are judged against.
# Its commit says why the wire may break.
set -euo pipefail
source "$(dirname "$0")/tools.sh"
cd "$ROOT"

"$ROOT/scripts/install-tools.sh" buf
buf build proto --exclude-source-info --output proto/onced.binpb
