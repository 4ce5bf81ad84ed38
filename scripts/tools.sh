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

# Debian packages: installed where root runs CI, or was told to; named to anyone else.
debian() {
    if [[ $EUID -eq 0 && ("${CI:-}" == true || "${INSTALL:-}" == true) ]]; then
        say "installing $*"
        apt-get -qq update >&2
        DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "$@" >&2
    else
        echo "note: missing; root installs it with: apt-get install $*" >&2
    fi
}

# Where Java 17 is. Neither an older nor a newer one runs Cassandra 5.0.
java_17() {
    local java
    for java in "${JAVA_HOME:-}/bin/java" "$(command -v java)" /usr/lib/jvm/*/bin/java; do
        [[ -x "$java" && "$("$java" -version 2>&1)" == *'version "17'* ]] || continue
        echo "$java"
        return 0
    done
    return 1
}
