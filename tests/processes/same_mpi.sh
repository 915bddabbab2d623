#!/bin/sh
# The programs of `processes same` and those of the laws over an MPI:
#   same_mpi.sh SOURCE_DIR PROCESSES LAW_PROCESSES MPICC MPIRUN "NUMBERS" STEP LAW_STEP
# on each of these numbers of processes every STEP-th program, and every LAW_STEP-th one.  With
# "1 2 3 4 5 7 8 16" 1 1 it is the whole.  Ends with 77, skipped, where there is no such MPI.
set -eu
source=$1 processes=$2 laws=$3 cc=$4 start=$5 numbers=$6 step=$7 law_step=$8
. "$source/tests/processes/with_mpi.sh"
"$cc" -std=c11 -O1 -shared -fPIC -I"$source/include" "$source/tools/comm_mpi.c" \
    -o "$tmp/comm_mpi.so"
bad=0
for n in $numbers; do
    for what in "$processes joined $tmp/comm_mpi.so $((n % step)) $step" \
        "$laws jit $((n % law_step)) $law_step $tmp/comm_mpi.so"; do
        # shellcheck disable=SC2086
        "$start" -n "$n" $what >"$tmp/out" 2>&1 || { cat "$tmp/out"; bad=1; }
        echo "$n processes: $(grep failures "$tmp/out" | sort | uniq -c | head -2)"
    done
done
exit $bad
