#!/bin/sh
# The programs of examples/processes, data_parallel.c and heat.c: the bytes of one process on 1,
# 2, 3, 4, 5, 7, 8 and 16, with 1 thread and 2, as an object, as C source and by the JIT, over
# OpenMPI, MPICH and shared memory.  Their arrays are larger than those of the examples, so that
# each has loops in parallel: 200 steps of the heat equation, a million paths.
#   matrix.sh SOURCE_DIR BUILD_DIR CC [FIRST STEP]
# Every STEP-th cell of the matrix from FIRST on; without them all, which takes ten minutes.
set -eu
source=$(cd "$1" && pwd) folder=$(cd "$2" && pwd) cc=$3 first=${4:-0} step=${5:-1}
rt=$folder/libcotrace_rt.a
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
# More processes than cores, and a user of any name.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
counts="1 2 3 4 5 7 8 16"
comms=shm
for mpi in openmpi mpich; do
    if command -v mpicc.$mpi mpirun.$mpi >/dev/null; then
        comms="$comms $mpi"
    else
        echo "no $mpi"
    fi
done

mkdir processes cotrace
sed 's/ROWS = 8/ROWS = 64/; s/\bD = 4/D = 64/; s/H = 16/H = 512/; s/PATHS = 256/PATHS = 15625/
     s/HEAT_STEPS = 20/HEAT_STEPS = 200/' "$source/examples/processes/programs.h" \
    >processes/programs.h
sed 's/LINES = 4/LINES = 32/; s/COLUMNS = 96/COLUMNS = 512/' "$source/examples/heat_step.h" \
    >heat_step.h
cp "$source/examples/processes/build.c" "$source/examples/processes/main.c" \
    "$source/tests/processes/matrix_jit.c" processes/
cp "$source/runtime/support/pool.h" cotrace/
flags="-std=c11 -Wall -Wextra -Werror -O1 -ffp-contract=off -I. -Iprocesses -I$source/include"
library="-L$folder -lcotrace -Wl,-rpath,$folder"

# The compiler of a communicator, and the macro by which a program takes it.
cc_of() {
    [ "$1" = shm ] && echo "$cc" || echo "mpicc.$1 -D$2"
}
# run COMMUNICATOR PROCESSES PROGRAM
run() {
    if [ "$1" = shm ]; then
        timeout 300 "$3" "$2"
    else
        timeout 300 mpirun."$1" -n "$2" "$3"
    fi
}

# A call of a function with a pool is one without, as main.c has it: calls.h.
write_calls() {
    echo '#include <cotrace/pool.h>'
    echo '#include "processes.h"'
    echo 'static const cot_parallel *pool(void)'
    echo '{ static cot_parallel *p; return p ? p : (p = cot_rt_pool_new(2)); }'
    awk '/^int [a-z]+\(.*\*pool, void \*work\);/ {
             name = $2
             sub(/\(.*/, "", name)
             n = gsub(/,/, ",") - 1
             list = "a0"
             for (i = 1; i < n; i++) list = list ", a" i
             print "#define " name "(" list ", work) (" name ")(" list ", pool(), work)"
         }' two.h
}

$cc $flags processes/build.c $library -o build
./build object.1.c one.h 1
./build object.1.o one.h 1
./build object.2.c two.h 2
./build object.2.o two.h 2
write_calls >calls.h
[ "$(grep -c '^#define' calls.h)" -eq 3 ] || { echo "not all have loops in parallel"; exit 1; }
# make FORM THREADS COMMUNICATOR: the program, once
make() {
    out=$1.$2.$3
    [ ! -e "$out" ] || return 0
    with="$(cc_of "$3" USE_MPI) $flags"
    case $1 in
    o | c)
        [ "$2" = 1 ] && cp one.h processes.h || cp two.h processes.h
        $with $([ "$2" = 1 ] || echo "-include calls.h") -c processes/main.c -o main.o
        $with main.o object.$2.$1 "$rt" -pthread -o "$out"
        ;;
    jit)
        cp one.h processes.h
        $with processes/main.c processes/matrix_jit.c $library -o "$out"
        ;;
    data_parallel) $(cc_of "$3" DATA_MPI) $flags "$source/examples/$1.c" $library -o "$out" ;;
    heat) $(cc_of "$3" HEAT_MPI) $flags -I"$source/examples" "$source/examples/$1.c" $library \
        -o "$out" ;;
    esac
}

# What one process prints, behind its number.
want() {
    case $1 in
    o | c | jit) key=programs ;;
    *) key=$1 ;;
    esac
    if [ ! -e "$key.want" ]; then
        make "$1" 1 shm
        run shm 1 "./$1.1.shm" | sed 's/^ *1//' >$key.want
    fi
    cat "$key.want"
}
cell=0 ran=0 differ=0
for form in o c jit data_parallel heat; do
    for threads in 1 2; do
        for comm in $comms; do
            for n in $counts; do
                cell=$((cell + 1))
                [ $(((cell - 1) % step)) -eq "$first" ] || continue
                make $form $threads $comm
                ran=$((ran + 1))
                wanted=$(want $form)
                got=$(COT_THREADS=$threads run $comm $n ./$form.$threads.$comm 2>&1 |
                    sed "s/^ *$n\\b//") || :
                [ -n "$wanted" ] && [ "$got" = "$wanted" ] && continue
                differ=$((differ + 1))
                echo "$form, $threads threads, $comm, $n processes: '$got', one: '$wanted'"
            done
        done
    done
done
tail -n +1 *.want
echo "$ran of $cell cells, $differ differ"
[ $differ -eq 0 ]
