# shellcheck shell=bash
# Where the tools are and what to do when one is missing. Sourced, never run.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
TOOLS="$ROOT/.tools"
PATH="$TOOLS/bin:$TOOLS/node_modules/.bin:$TOOLS/python/bin:$PATH"
export PATH ROOT TOOLS

say() { printf '\n== %s\n' "$*" >&2; }

# A tool that is missing is a failure in CI, and a note anywhere else.
have() {
    command -v "$1" >/dev/null && return 0
    if [[ "${CI:-}" == true ]]; then
        echo "error: $1 is missing, so $2 cannot be done" >&2
        exit 1
    fi
    echo "note: $1 is missing, so $2 is skipped" >&2
    return 1
}
