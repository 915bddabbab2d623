#!/bin/sh
# Bytes and messages of sums over an MPI, counted by its profiling interface:
#   volume.sh SOURCE_DIR LIBRARY_FOLDER RT_LIBRARY MPICC MPIRUN [PROCESSES...]
# Ends with 77, skipped, where there is no such MPI.
set -eu
source=$1 folder=$2 rt=$3 cc=$4 start=$5
shift 5
. "$source/tests/processes/with_mpi.sh"
build() {
    "$cc" -std=c11 -O1 -Wall -Wextra -Werror -I"$source" -I"$source/include" "$@"
}
build -c "$source/tests/processes/volume.c" -o "$tmp/volume.o"
build -c "$source/tests/processes/counted_mpi.c" -o "$tmp/counted.o"
build "$tmp/volume.o" "$tmp/counted.o" "$rt" -o "$tmp/volume" -L"$folder" -lcotrace \
    -Wl,-rpath,"$folder"

# Whatever moves data is counted: what is called is counted_mpi.c's, or moves none.
still='Init|Finalize|Abort|Cancel|Comm_[a-z_]*|I?probe|Request_free|(Wait|Test)[a-z]*|Wtime'
still="$still|Ibarrier"
others=$(nm -u "$tmp/volume.o" | sed -n 's/^ *U \(MPI_.*\)/\1/p' | grep -vxE "MPI_($still)" |
    while read -r name; do
        nm --defined-only "$tmp/counted.o" | grep -q " T $name\$" || echo "$name"
    done)
[ -z "$others" ] || { echo "not counted:" $others; exit 1; }

[ $# -gt 0 ] || set -- 2 3 4 5 7 8 16
for n in "$@"; do
    timeout 200 "$start" -n "$n" "$tmp/volume" || { echo "$n processes fail"; exit 1; }
done
