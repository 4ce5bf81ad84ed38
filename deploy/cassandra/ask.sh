# shellcheck shell=bash
# Asks a node, in the fewest bytes of CQL's binary protocol (version 4), whether it serves.
# Sourced, never run. Never changes anything.

readonly STARTUP='\x04\x00\x00\x00\x01\x00\x00\x00\x16\x00\x01\x00\x0bCQL_VERSION\x00\x053.0.0'
readonly READY=02 RESULT=08
# Of a table that every node of the cluster holds: so many replicas answer, or the read fails.
readonly QUESTION="SELECT host_id FROM system_distributed.view_build_status
 WHERE keyspace_name='none' AND view_name='none'"

# Whether something listens there.
listens() { (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; }

# Whether the node at the address reads from so many nodes, itself or others.
serves() {
    local address=$1 nodes=$2
    (
        exec 3<>"/dev/tcp/$address/9042"
        printf '%b' "$STARTUP" >&3
        [[ "$(opcode)" == "$READY" ]] || exit 1
        query "$nodes" >&3
        [[ "$(opcode)" == "$RESULT" ]]
    ) 2>/dev/null
}

# The consistencies ONE, TWO and THREE are 1, 2 and 3 on the wire.
query() {
    local body
    body="$(word "${#QUESTION}")$QUESTION\x00\x0$1\x00"
    printf '%b' "\x04\x00\x00\x00\x07$(word $((${#QUESTION} + 7)))$body"
}

# A number as four bytes, escaped.
word() {
    local hex
    printf -v hex '%08x' "$1"
    printf '\\x%s' "${hex:0:2}" "${hex:2:2}" "${hex:4:2}" "${hex:6:2}"
}

# The kind of the frame that comes next; of a paused node none comes.
opcode() { timeout 5 head --bytes=9 <&3 | od -An -v -tx1 | cut -d' ' -f6; }
