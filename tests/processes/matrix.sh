#!/bin/sh
# The programs of examples/processes, the transformer of examples/ with AdamW (learn.c),
# data_parallel.c and heat.c: the bytes of one process on 1, 2, 3, 4, 5, 7, 8 and 16, with 1
# thread and 2, as an object, as C source and by the JIT, over OpenMPI, MPICH and shared memory.
# The first have larger arrays than as examples, so that each has loops in parallel: 200 steps
# of the heat equation, a million paths.
#   matrix.sh SOURCE_DIR BUILD_DIR CC [FIRST STEP]
# Every STEP-th cell of the matrix from FIRST on; without them all, in a quarter of an hour.
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
    "$source/tests/processes/matrix_jit.c" "$source/tests/processes/learn.c" \
    "$source/tests/processes/learn_run.c" processes/
sed 's/BATCH = 32/BATCH = 4/' "$source/examples/transformer.c" >processes/transformer.c
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

# A call of a function with a pool is one without, as main.c has it: calls HEADER.
calls() {
    echo '#include <cotrace/pool.h>'
    echo "#include \"$1\""
    echo 'static const cot_parallel *pool(void)'
    echo '{ static cot_parallel *p; return p ? p : (p = cot_rt_pool_new(2)); }'
    awk '/^int [a-z]+\(.*\*pool, void \*work\);/ {
             name = $2
             sub(/\(.*/, "", name)
             n = gsub(/,/, ",") - 1
             list = "a0"
             for (i = 1; i < n; i++) list = list ", a" i
             print "#define " name "(" list ", work) (" name ")(" list ", pool(), work)"
         }' "$1"
}

# Both builders, and what they write: NAME.THREADS.o, NAME.THREADS.c and NAME.THREADS.h.
$cc $flags processes/build.c $library -o build.processes
$cc $flags -Wno-unused-function processes/learn.c $library -o build.learn
for name in processes learn; do
    for threads in 1 2; do
        for form in c o; do
            ./build.$name $name.$threads.$form $name.$threads.h $threads
        done
    done
    calls $name.2.h >$name.calls.h
done
[ "$(cat ./*.calls.h | grep -c '^#define')" -eq 5 ] ||
    { echo "not all functions have loops in parallel"; exit 1; }

# ship NAME MAIN FORM THREADS COMPILER...: what a file has, called by MAIN
ship() {
    name=$1 main=$2 form=$3 threads=$4
    shift 4
    cp $name.$threads.h $name.h
    "$@" $([ $threads = 1 ] || echo "-include $name.calls.h") -c processes/$main.c -o main.o
    "$@" main.o $name.$threads.$form "$rt" -pthread -o "$out"
}

# make FORM THREADS COMMUNICATOR: the program, once; a shell of its own keeps the caller's names
make() (
    out=$1.$2.$3
    [ ! -e "$out" ] || return 0
    with="$(cc_of "$3" USE_MPI) $flags"
    case $1 in
    o | c) ship processes main $1 $2 $with ;;
    learn.o | learn.c) ship learn learn_run ${1#learn.} $2 $with ;;
    jit)
        cp processes.1.h processes.h
        $with processes/main.c processes/matrix_jit.c $library -o "$out"
        ;;
    learn.jit)
        cp learn.1.h learn.h
        $with -Wno-unused-function -DJIT processes/learn_run.c processes/learn.c $library \
            -o "$out"
        ;;
    data_parallel) $(cc_of "$3" DATA_MPI) $flags "$source/examples/$1.c" $library -o "$out" ;;
    heat)
        $(cc_of "$3" HEAT_MPI) $flags -I"$source/examples" "$source/examples/$1.c" $library \
            -o "$out"
        ;;
    esac
)

# What one process prints, behind its number.
want() {
    case $1 in
    o | c | jit) key=o ;;
    learn.*) key=learn.o ;;
    *) key=$1 ;;
    esac
    if [ ! -e "$key.want" ]; then
        make $key 1 shm
        run shm 1 ./$key.1.shm | sed 's/^ *1//' >$key.want
    fi
    cat "$key.want"
}
cell=0 ran=0 differ=0
for form in o c jit data_parallel heat learn.o learn.c learn.jit; do
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
