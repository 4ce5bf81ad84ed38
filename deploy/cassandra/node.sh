# shellcheck shell=bash
# One node: its address, its process, its folder. Sourced, never run.
# Ends a process only when it is the java that runs on the node's own folder.

# Three equal parts of the ring. A cluster of one node owns it all from any of them.
readonly TOKENS=(-9223372036854775808 -3074457345618258603 3074457345618258602)

address() { echo "$SUBNET.$1"; }
folder() { echo "$DIR/node$1"; }

# The pid of the node, if it runs: a process that was given this node's folder.
pid_of() {
    local file pid line
    file="$(folder "$1")/pid"
    [[ -f "$file" ]] && pid="$(<"$file")" && [[ "$pid" =~ ^[0-9]+$ ]] || return 1
    line="$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline")" 2>/dev/null || return 1
    [[ "$line" == *$'\n'"$(storage "$1")"$'\n'* ]] || return 1
    echo "$pid"
}

storage() { echo "-Dcassandra.storagedir=$(folder "$1")/data"; }

# Whether the node's process runs, and is not paused (SIGSTOP).
is_awake() {
    local pid
    pid="$(pid_of "$1")" && ! grep --quiet '^State:.*stopped' "/proc/$pid/status" 2>/dev/null
}

start_node() {
    local node=$1 home
    home="$(folder "$node")"
    mkdir -p "$home/data"
    configure "$node" >"$home/cassandra.yaml"
    # The lock (9) is the launcher's, and ends with it.
    setsid "$JAVA" -javaagent:"$(echo "$JARS"/jamm-*.jar)" "@$HERE/jvm.options" \
        -Dcassandra.config="file://$home/cassandra.yaml" \
        -Dlogback.configurationFile="$HERE/logback.xml" \
        -Dcassandra.system_distributed.default_rf="$NODES" \
        "$(storage "$node")" -Dcassandra.logdir="$home" \
        -cp "$JARS/*" org.apache.cassandra.service.CassandraDaemon \
        </dev/null >>"$home/log" 2>&1 9>&- &
    echo $! >"$home/pid"
    disown
    # Until it has become java, it is not known as the node.
    until pid_of "$node" >/dev/null || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
}

configure() {
    sed --expression "s|@TOKEN@|${TOKENS[$1 - 1]}|" \
        --expression "s|@ADDRESS@|$(address "$1")|" \
        --expression "s|@SEEDS@|$(addresses '')|" \
        --expression "s|@DATA@|$(folder "$1")/data|" "$HERE/cassandra.yaml"
}

# The addresses of all nodes, each followed by the given port, with commas.
addresses() {
    local node list=
    for ((node = 1; node <= NODES; node++)); do list+="${list:+,}$(address "$node")$1"; done
    echo "$list"
}

# Ends the node and waits until it is gone. The signal is TERM, or KILL where nothing is kept.
stop_node() {
    local node=$1 signal=$2 pid
    pid="$(pid_of "$node")" || return 0
    kill -s "$signal" "$pid" 2>/dev/null || true
    # A paused process takes no TERM.
    kill -s CONT "$pid" 2>/dev/null || true
    if ! gone_within 60 "$node"; then
        echo "note: node $node did not end within a minute, so it is killed" >&2
        kill -s KILL "$pid" 2>/dev/null || true
        gone_within 10 "$node"
    fi
    free_within 10 "$node" || true
    rm -f "$(folder "$node")/pid"
}

gone_within() {
    local deadline=$((SECONDS + $1))
    while pid_of "$2" >/dev/null; do
        ((SECONDS < deadline)) || return 1
        sleep 0.1
    done
}

free_within() {
    local deadline=$((SECONDS + $1))
    while taken_port "$2" >/dev/null; do
        ((SECONDS < deadline)) || return 1
        sleep 0.1
    done
}

# The first of the node's ports on which something listens, if any.
taken_port() {
    local port
    for port in 7000 9042; do
        if listens "$(address "$1")" "$port"; then
            echo "$port"
            return 0
        fi
    done
    return 1
}
