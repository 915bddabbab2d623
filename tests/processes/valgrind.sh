#!/bin/sh
# The C source of examples/processes under valgrind on 3 processes of each MPI there is: no
# error, and no leak, of ours.
#   valgrind.sh SOURCE_DIR BUILD LIBRARY
# Ends with 77, skipped, where valgrind or every MPI is missing.
set -eu
source=$1 build=$2 library=$3
command -v valgrind >/dev/null || { echo "no valgrind: skipped"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
"$build" processes.c processes.h
supp=
[ ! -e /usr/share/openmpi/openmpi-valgrind.supp ] ||
    supp=--suppressions=/usr/share/openmpi/openmpi-valgrind.supp
ran=0
for mpi in openmpi mpich; do
    command -v mpicc.$mpi mpirun.$mpi >/dev/null || continue
    mpicc.$mpi -std=c11 -g -O1 -ffp-contract=off -I. -I"$source/include" -DUSE_MPI \
        "$source/examples/processes/main.c" processes.c "$library" -o main
    # hwloc says that it asks the processor less under valgrind.
    HWLOC_HIDE_ERRORS=2 timeout 280 mpirun.$mpi -n 3 valgrind -q --num-callers=50 \
        --leak-check=full --errors-for-leak-kinds=definite $supp --log-file=errors.%p ./main \
        >out 2>said || { cat said errors.*; exit 1; }
    grep "^ 3:" "$source/examples/processes/expected.txt" | diff -u - out
    # Ours are the reports with a line of ours on the stack, but for that of main, which
    # starts and ends MPI.
    awk '{ sub(/^==[0-9]+== ?/, "") }
         $0 == "" { if (ours) { print report; bad = 1 } report = ""; ours = 0; next }
         { report = report "\n" $0 }
         /\((main|processes|owner|world[a-z_]*)\.c:|\(mpi\.h:/ && !/ main \(/ { ours = 1 }
         END { if (ours) { print report; bad = 1 } exit bad }' errors.* ||
        { echo "$mpi: errors under valgrind"; exit 1; }
    rm -f errors.*
    ran=1
done
[ $ran = 1 ] || { echo "no MPI: skipped"; exit 77; }
