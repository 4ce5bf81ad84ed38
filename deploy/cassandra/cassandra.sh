#!/usr/bin/env bash
# Starts and ends a Cassandra of one or three nodes on loopback addresses.
# For trying the cluster engine and for the tests, never for production.
set -euo pipefail
source "$(dirname "$0")/../../scripts/tools.sh"
HERE="$ROOT/deploy/cassandra"
source "$HERE/ask.sh"
source "$HERE/node.sh"

JARS="$TOOLS/cassandra"
readonly START_SECONDS=180

usage() {
    cat >&2 <<USAGE
usage: cassandra.sh up     [--dir DIR] [--nodes 1|3] [--subnet 127.0.7] [--only N] [--install]
       cassandra.sh down   [--dir DIR] [--wipe]
       cassandra.sh status [--dir DIR]

up      starts the nodes that do not run, waits until each serves and sees the others, and
        prints where they are as its last line: cql://ADDRESS:9042,...
        --only N starts only node N of a cluster that was started before.
        --install lets root install Java and Maven with apt-get, as happens where CI=true.
down    ends the nodes that were started in DIR. --wipe removes what they stored.
status  says which nodes run; ends with 1 unless all do.

DIR is target/cassandra unless given.
USAGE
    exit 64
}

fail() {
    echo "error: $*" >&2
    exit 1
}

main() {
    local verb=${1:-}
    [[ $# -gt 0 ]] && shift
    options "$@"
    case $verb in
        up) up ;;
        down) down ;;
        status) status ;;
        *) usage ;;
    esac
}

options() {
    DIR="$ROOT/target/cassandra" NODES='' SUBNET='' ONLY='' WIPE=''
    while [[ $# -gt 0 ]]; do
        case $1 in
            --wipe) WIPE=true ;;
            --install) export INSTALL=true ;;
            --dir | --nodes | --subnet | --only)
                [[ $# -gt 1 ]] || usage
                printf -v "$(tr '[:lower:]' '[:upper:]' <<<"${1#--}")" '%s' "$2"
                shift ;;
            *) usage ;;
        esac
        shift
    done
    DIR="$(realpath --canonicalize-missing "$DIR")"
    [[ "$NODES" =~ ^[13]?$ && "$ONLY" =~ ^[123]?$ ]] || usage
    [[ -z "$SUBNET" || "$SUBNET" =~ ^127\.[0-9]{1,3}\.[0-9]{1,3}$ ]] || usage
}

up() {
    mkdir -p "$DIR"
    exec 9>"$DIR/lock"
    flock 9
    settle_settings
    local node missing=()
    for node in $(chosen); do pid_of "$node" >/dev/null || missing+=("$node"); done
    if [[ ${#missing[@]} -eq 0 ]]; then
        echo "already running in $DIR" >&2
    else
        start "${missing[@]}"
    fi
    await_all
    echo "cql://$(addresses :9042)"
}

# What the cluster was first started with holds for as long as its folder does.
settle_settings() {
    local nodes=$NODES subnet=$SUBNET
    if [[ -f "$DIR/settings" ]]; then
        known_settings
        [[ "${nodes:-$NODES} ${subnet:-$SUBNET}" == "$NODES $SUBNET" ]] ||
            fail "$DIR holds a cluster of $NODES on $SUBNET; down --wipe removes it"
    elif [[ -n "$ONLY" ]]; then
        fail "no cluster was started in $DIR, so node $ONLY of it cannot be started again"
    else
        NODES=${NODES:-1} SUBNET=${SUBNET:-127.0.7}
    fi
    [[ -z "$ONLY" || "$ONLY" -le "$NODES" ]] || fail "the cluster in $DIR has no node $ONLY"
}

known_settings() { read -r NODES SUBNET <"$DIR/settings"; }

chosen() { if [[ -n "$ONLY" ]]; then echo "$ONLY"; else seq 1 "$NODES"; fi; }

# Starts the nodes; if that fails, or is interrupted, ends those that it started.
start() {
    prepare
    local node
    for node in "$@"; do refuse_taken "$node"; done
    echo "$NODES $SUBNET" >"$DIR/settings"
    STARTED=()
    trap end_started EXIT
    for node in "$@"; do
        echo "starting node $node on $(address "$node")" >&2
        STARTED+=("$node")
        start_node "$node"
    done
}

end_started() {
    local node
    for node in "${STARTED[@]}"; do stop_node "$node" KILL; done
}

prepare() {
    mkdir -p "$TOOLS"
    flock "$TOOLS/cassandra.lock" "$ROOT/scripts/install-tools.sh" cassandra
    JAVA="$(java_17)" || fail "Java 17 is missing; Debian has it in openjdk-17-jre-headless"
    [[ -f "$TOOLS/cassandra.stamp" ]] || fail "Cassandra could not be fetched; see above"
}

# A node that was just killed holds its ports a moment longer than its name.
refuse_taken() {
    local patience=0
    [[ ! -f "$(folder "$1")/pid" ]] || patience=10
    free_within "$patience" "$1" || fail "$(address "$1"):$(taken_port "$1")" \
        "is taken by another process; choose another --subnet"
}

# Waits until the chosen nodes serve, and every node that runs reads from all that run.
await_all() {
    local deadline=$((SECONDS + START_SECONDS)) node
    for node in $(chosen) $(awake_nodes); do
        until serves "$(address "$node")" "$(awake_nodes | wc -w)"; do
            pid_of "$node" >/dev/null || start_failed "$node" "has ended"
            ((SECONDS < deadline)) || start_failed "$node" "does not serve after $START_SECONDS s"
            sleep 0.2
        done
    done
    trap - EXIT
}

awake_nodes() {
    local node
    for ((node = 1; node <= NODES; node++)); do
        if is_awake "$node"; then echo "$node"; fi
    done
}

start_failed() {
    tail --lines=30 "$(folder "$1")/log" >&2
    fail "node $1 $2; the lines above are the last of $(folder "$1")/log"
}

down() {
    [[ -f "$DIR/settings" ]] || { echo "nothing was started in $DIR" >&2; return 0; }
    exec 9>"$DIR/lock"
    flock 9
    known_settings
    end_all "$([[ -n "$WIPE" ]] && echo KILL || echo TERM)"
    [[ -z "$WIPE" ]] || rm -rf "$DIR"/node[123] "$DIR/settings"
}

# All at the same time: a node takes seconds to end.
end_all() {
    local node pid ends=()
    for node in $(seq 1 "$NODES"); do
        pid="$(pid_of "$node")" || continue
        echo "ending node $node on $(address "$node")" >&2
        stop_node "$node" "$1" &
        ends+=("$!")
    done
    [[ ${#ends[@]} -gt 0 ]] || echo "no node runs in $DIR" >&2
    for pid in "${ends[@]}"; do wait "$pid"; done
}

status() {
    [[ -f "$DIR/settings" ]] || fail "nothing was started in $DIR"
    known_settings
    local node pid code=0
    for node in $(seq 1 "$NODES"); do
        if pid="$(pid_of "$node")"; then
            echo "node $node on $(address "$node"): pid $pid"
        else
            echo "node $node on $(address "$node"): does not run"
            code=1
        fi
    done
    return "$code"
}

main "$@"
