#!/bin/sh
# Runs the bundle that this script lies in: `sh run.sh [RUNS]`.  It needs the CUDA driver; where
# Python has torch, the workloads are timed there too.  If the runner does not start here
# (another C library), cc makes it from runner.c.  After it the library's own runtime runs the
# programs, if that starts here.
set -u
cd "$(dirname "$0")" || exit 2
rm -f torch.txt
if python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
    python3 bench_torch.py >torch.txt
fi
./runner --help >/dev/null 2>&1 || cc -std=c11 -O2 -I. runner.c -o runner -ldl -lm || exit 2
./runner . torch.txt "${1:-20}"
bad=$?
[ $bad = 2 ] && exit 2
if ./runtime --help >/dev/null 2>&1; then
    ./runtime . || bad=1
else
    echo "runtime: does not start here: left out"
fi
exit $bad
