#!/bin/sh
# The object of build.c, and its C source, run by main.c on several processes of this machine
# print what is committed, and so do those of each MPI there is: the object on 1 to 4, the C
# source on 3.
#
#   run.sh BUILD CC EXPECTED LIBRARY INCLUDE
set -eu
build=$1
cc=$2
expected=$3
library=$4
include=$5
main=$(cd "$(dirname "$0")" && pwd)/main.c
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
flags="-std=c11 -Wall -Wextra -Werror -O1 -ffp-contract=off -I. -I$include"
for code in processes.o processes.c; do
    "$build" $code processes.h
    "$cc" $flags "$main" $code "$library" -o main
    ./main | diff -u "$expected" -
    for mpi in openmpi mpich; do
        command -v mpicc.$mpi mpirun.$mpi >/dev/null || continue
        mpicc.$mpi $flags -DUSE_MPI "$main" $code "$library" -o main.$mpi
        counts="1 2 3 4"
        [ $code = processes.o ] || counts=3
        for n in $counts; do
            timeout 100 mpirun.$mpi -n $n ./main.$mpi >out
            grep "^ $n:" "$expected" | diff -u - out
        done
    done
done
