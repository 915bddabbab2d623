#!/bin/sh
# `cot run` of processes that something else started, without an MPI:
#   cli_processes.sh COT SOURCE_DIR CC
source=$2
cc=$3
. "$(dirname "$0")/cli_lib.sh"

echo 'fn @f(%x: f32[4]) -> f32[4] { ret %x }' >f.cot
status 2 "$cot" run f.cot --comm ./none.so;                      says "none.so"
status 2 "$cot" run f.cot --comm ./none.so --processes 2;        says "wants one of both"
status 2 "$cot" run - --comm ./none.so;                          says "standard input"
cp "$cot" ./cot-alone
status 2 env PMI_SIZE=2 ./cot-alone run f.cot;                   says "there is no comm_mpi.so"
status 2 env PMI_SIZE=2 PMI_RANK=1 ./cot-alone run f.cot
[ -s err ] && { bad=1; echo "the second process says something, too"; }
status 0 env PMI_SIZE=2 ./cot-alone run f.cot --processes 1
rm cot-alone

# A grid.
cat >grid.cot <<'END'
format 1
fn @f(%x: f32[]) -> f32[] {
  %0 = psum %x {over="j"} : f32[]
  %1 = psum %0 {over="i"} : f32[]
  ret %1
}
END
p='vmap(axis=j, size=3, out=none, over=world) | vmap(axis=i, size=4, out=none, over=world)'
"$cot" run grid.cot -p "$p" >one
status 0 "$cot" run grid.cot -p "$p" --processes 4 --columns 2
"$cot" run grid.cot -p "$p" --processes 4 --columns 2 | cmp - one || bad=1
status 2 "$cot" run grid.cot -p "$p" --processes 4 --columns 3
says "columns is 3; wants a number that divides the 4 processes"
status 2 "$cot" run grid.cot -p "$p" --processes 4 --columns 0
says "--columns is '0'; wants 1 to 256"

# Shared objects that are none, that make nothing, and whose messages fail.
module() {
    "$cc" -shared -fPIC -I"$source/include" "$@" -o "$name" -x c - <<'END'
#include "cotrace/comm.h"
static int fail(void *u, int p, const void *s, size_t n, void *r, size_t m) { return 1; }
static const char *why(void *user) { return WHY; }
static const cot_comm comm = { .size = 2, .exchange = fail, .error = why };
#ifdef OPENS
const cot_comm *cot_comm_open(double t, size_t *bytes) { *bytes = sizeof comm; return OPENS; }
void cot_comm_close(void) { }
#endif
END
}
if command -v "$cc" >/dev/null; then
    name=none.so
    module -DWHY=NULL
    name=empty.so
    module -DWHY=NULL -DOPENS=NULL
    name=broken.so
    module -DWHY=NULL -DOPENS='&comm'
    name=lost.so
    module '-DWHY="process 1 was lost"' -DOPENS='&comm'
    status 2 "$cot" run f.cot --comm ./none.so;      says "has no cot_comm_open"
    status 2 "$cot" run f.cot --comm ./empty.so;     says "communicator cannot be made"
    status 2 "$cot" run f.cot --comm ./broken.so;    says "the communicator failed"
    status 2 "$cot" run f.cot --comm ./lost.so;      says "process 1 was lost"
    status 2 "$cot" run none.cot --comm ./lost.so;   says "none.cot"
    status 2 env PMI_SIZE=3 "$cot" run f.cot --comm ./lost.so
    says "sees 2 of the 3 processes"
fi

[ $bad = 0 ] && echo "$count commands"
exit $bad
