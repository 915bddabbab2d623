#!/bin/sh
# Packs a bundle for a machine with a GPU:
#
#   bundle.sh SOURCE BUILD OUT.tar.gz [STEP [SWEPT [WORKLOAD.cot...]]]
#
# Of the laws' programs every STEP-th (7); SWEPT programs of the sweeps (1000); all workloads of
# tests/gpu/bench, if none is named.  There: tar xzf, sh run.sh.
set -eu
source=$1 build=$2 out=$3 step=${4:-7} swept=${5:-1000}
[ $# -gt 5 ] && shift 5 || set -- "$source"/tests/gpu/bench/*.cot
place=$(mktemp -d)
trap 'rm -r "$place"' EXIT
folder=$place/cotrace-gpu
mkdir -p "$folder/examples"
"$build/tests/gpu/gpu_pack" "$folder" 0 "$step" "$swept" "$@"
cp "$build/tests/gpu/gpu_runner" "$folder/runner"
cp "$build/tests/gpu/gpu_runtime" "$folder/runtime"
cp "$source/tests/gpu/runner.c" "$source/tests/gpu/bench_torch.py" "$source/tests/gpu/run.sh" \
    "$folder"
cp "$source"/examples/ptx_*.h "$folder/examples"
tar czf "$out" -C "$place" cotrace-gpu
bytes=$(wc -c <"$out")
echo "$out: $((bytes / 1024)) KB"
[ "$bytes" -lt $((50 * 1024 * 1024)) ] || {
    echo "larger than 50 MB: take a larger STEP"
    exit 1
}
