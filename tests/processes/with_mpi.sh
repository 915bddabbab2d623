# What a test over an MPI begins with, to be read by it: cc and start are mpicc and mpirun.  It
# ends with 77, skipped, where there is none; tmp is a folder then, which goes with the test.
for tool in "$cc" "$start"; do
    command -v "$tool" >/dev/null || { echo "no $tool: skipped"; exit 77; }
done
echo '#include <mpi.h>' | "$cc" -E -x c - >/dev/null 2>&1 ||
    { echo "$cc finds no mpi.h: skipped"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# More processes than cores, and a user of any name.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
