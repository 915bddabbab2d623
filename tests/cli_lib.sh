# What the scripts about the program `cot` share: a folder of their own, and checks of a
# command's exit status, message and output.  Sourced with the program as $1.
set -u
cot=$1
data=$(cd "$(dirname "$0")/unit/data" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
bad=0
count=0

# status WANT COMMAND...: run it; its output is in `out`, its messages in `err`.
status() {
    want=$1
    shift
    "$@" >out 2>err </dev/null
    got=$?
    count=$((count + 1))
    [ $got = "$want" ] && return 0
    bad=1
    echo "exit status $got, wants $want: $*"
    cat err
}
# says TEXT: a message has it, on the first line.
says() {
    head -1 err | grep -qF -- "$1" && return 0
    bad=1
    echo "the message is: $(head -1 err); wants: $1"
}
prints() {
    grep -qF -- "$1" out && return 0
    bad=1
    echo "the output lacks: $1"
    cat out
}

# An npy file of f32[4]: 1, 2, 3, 4.
header="{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"
{ printf '\223NUMPY\001\000'; printf '\071\000'; printf '%s' "$header"; printf \
    '\000\000\200\077\000\000\000\100\000\000\100\100\000\000\200\100'; } >four.npy
