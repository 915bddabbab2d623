#!/bin/sh
# `mpirun cot run`: the bytes of one process, and messages of what goes wrong.
#   run_mpi.sh SOURCE_DIR COT MPICC MPIRUN
# Ends with 77, skipped, where there is no such MPI.
set -eu
source=$1 cot=$2 cc=$3 start=$4
. "$source/tests/processes/with_mpi.sh"
cd "$tmp"
"$cc" -std=c11 -O1 -Wall -Wextra -Werror -shared -fPIC -I"$source/include" \
    "$source/tools/comm_mpi.c" -o comm_mpi.so
cat >loss.cot <<'END'
format 1
fn @loss(%w: f32[3], %key: u64[2], %x: f32[8,3], %y: f32[8]) -> f32[] {
  %0 = dot_general %x, %w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[8]
  %1 = sub %0, %y : f32[8]
  %2 = mul %1, %1 : f32[8]
  %3 = reduce_sum %2 {axes=[0]} : f32[]
  %4 = convert %key {dtype=f32} : f32[2]
  %5 = reduce_sum %4 {axes=[0]} : f32[]
  %6 = mul %3, %5 : f32[]
  %7 = psum %6 {over="i"} : f32[]
  ret %7
}
END
echo 'fn @f(%x: f32[3]) -> f32[3] { ret %z }' >broken.cot
sed 's/sub %0, %y/add %0, %y/' loss.cot >other.cot
p='vmap(axis=i, size=40, in=[none,none,0,0], out=none, over=world) | grad'
bad=0
wrong() {
    echo "$*"
    bad=1
}

want=$("$cot" run loss.cot -p "$p")
for n in 1 2 3 4; do
    got=$(timeout 100 "$start" -n $n "$cot" run loss.cot -p "$p" --comm ./comm_mpi.so)
    [ "$got" = "$want" ] || wrong "$n processes: '$got', one: '$want'"
done
timeout 100 "$start" -n 3 "$cot" run loss.cot -p "$p" --comm ./comm_mpi.so --out y
"$cot" run loss.cot -p "$p" --out z
cmp y0.npy z0.npy || bad=1

# The file beside the program, if it is of this MPI.
mpi_of() {
    ldd "$1" | sed -n 's/^[[:space:]]*\(libmpi[^ ]*\).*/\1/p' | head -1
}
beside=$(dirname "$cot")/comm_mpi.so
if [ -e "$beside" ] && [ "$(mpi_of "$beside")" = "$(mpi_of comm_mpi.so)" ]; then
    got=$(timeout 100 "$start" -n 2 "$cot" run loss.cot -p "$p")
    [ "$got" = "$want" ] || wrong "without --comm: '$got', one: '$want'"
fi

# fails TEXT COMMAND...: all processes end with this message, once.
fails() {
    says=$1
    shift
    timeout 100 "$@" >out 2>&1 && wrong "$*: ends with 0"
    [ "$(grep -cF -- "$says" out)" = 1 ] || { wrong "$*: wants '$says' once:"; cat out; }
}
# each_runs ARGUMENT...: cot run of three processes; in what it is given RANK is their number.
cat >each <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}
for word; do
    shift
    set -- "$@" "$(echo "$word" | sed "s/RANK/$rank/")"
done
exec "$COT" run "$@" --timeout 30 --comm ./comm_mpi.so
END
chmod +x each
export COT="$cot"
cp loss.cot loss0.cot && cp loss.cot loss2.cot && cp other.cot loss1.cot
fails "process 1 runs another program than process 0" "$start" -n 2 ./each lossRANK.cot -p "$p"
rm loss2.cot
fails "process 2: loss2.cot" "$start" -n 3 ./each lossRANK.cot -p "$p"
fails "found '%z'" "$start" -n 3 ./each broken.cot
# A launcher of another MPI: it has set the other one's variables.
fails "sees 1 of the 2 processes that were started" \
    env PMI_SIZE=2 OMPI_COMM_WORLD_SIZE=2 "$cot" run loss.cot -p "$p" --comm ./comm_mpi.so
exit $bad
