#!/bin/sh
# `cot run` of processes that something else started, without an MPI:
#   cli_processes.sh COT
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

[ $bad = 0 ] && echo "$count commands"
exit $bad
