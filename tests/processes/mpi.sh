#!/bin/sh
# The bytes of one process on several of an MPI, and an end of all where one fails:
#   mpi.sh SOURCE_DIR LIBRARY_FOLDER MPICC MPIRUN
# Ends with 77, skipped, where there is no such MPI.
set -eu
source=$1 folder=$2 cc=$3 start=$4
. "$source/tests/processes/with_mpi.sh"
build() {
    "$cc" -std=c11 -O1 -Wall -Wextra -Werror -I"$source" -I"$source/include" "$@" \
        -L"$folder" -lcotrace -Wl,-rpath,"$folder"
}
build "$source/tests/processes/mpi.c" -o "$tmp/mpi"
build -DHEAT_MPI "$source/examples/heat.c" -o "$tmp/heat"

want=$("$start" -n 1 "$tmp/mpi")
set -- $want
[ $# -eq 2 ] && [ "$1" = "$2" ] || { echo "one process: '$want'"; exit 1; }
for n in 2 3 4; do
    got=$(timeout 100 "$start" -n $n "$tmp/mpi")
    [ "$got" = "$want" ] || { echo "$n processes: '$got', one: '$want'"; exit 1; }
done

# Halos, a gradient, and a checkpoint that another number of processes reads.
want=$("$start" -n 1 "$tmp/mpi" heat "$tmp/state")
read=$("$start" -n 1 "$tmp/mpi" reads "$tmp/state")
for n in 2 3 4; do
    got=$(timeout 100 "$start" -n $n "$tmp/mpi" heat "$tmp/state")
    [ "$got" = "$want" ] || { echo "heat, $n processes: '$got', one: '$want'"; exit 1; }
    got=$(timeout 100 "$start" -n $((5 - n)) "$tmp/mpi" reads "$tmp/state")
    [ "$got" = "$read" ] || { echo "$n processes write, others read '$got': '$read'"; exit 1; }
done
timeout 100 "$start" -n 3 "$tmp/heat" >"$tmp/out"
grep -qxF "$(cat "$tmp/out")" "$source/examples/expected/heat.txt" ||
    { echo "the example prints:"; cat "$tmp/out"; exit 1; }

# What goes wrong ends all processes, soon.
fails() {
    if timeout 100 "$start" -n 3 "$tmp/mpi" "$1" >"$tmp/out" 2>&1; then
        echo "$1: ends with 0"
        cat "$tmp/out"
        exit 1
    elif [ $? -eq 124 ]; then
        echo "$1: hangs"
        exit 1
    fi
    grep -q -- "$2" "$tmp/out" || { echo "$1: no '$2' in:"; cat "$tmp/out"; exit 1; }
}
fails other "runs another program"
fails leaves "process 1 did not answer within 5 s"
fails ends ""
echo "1, 2, 3, 4 processes: $want"
