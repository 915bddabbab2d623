#!/bin/sh
# Writes docs/back-ends.md from its programs.
#     docs/back-ends.sh [-j N] [BUILD_DIR [missing | ROW ...]]
#
# Rows are made one by one and merged into the page: all of them, those that it lacks, or those
# named.  All take half an hour of one core, with -j 2 a quarter of two; what a run that was
# stopped had made stays, and `missing` goes on.
#
# The programs of examples are what they compile, as COT_DUMP writes it.
set -eu
jobs=1
if [ "${1:-}" = -j ]; then
    jobs=$2
    shift 2
fi
cd "$(dirname "$0")/.."
build=${1:-build}
[ $# = 0 ] || shift
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for example in "$build"/examples/* "$build"/examples/torch_func/*; do
    [ -f "$example" ] && [ -x "$example" ] || continue
    folder=$place/examples/$(basename "$example")
    mkdir -p "$folder"
    COT_DUMP=trace,simplify COT_DUMP_DIR=$folder timeout 60 "$example" >/dev/null 2>&1 \
        </dev/null || true
done
for name in "$@"; do
    shift
    [ "$name" = missing ] && set -- "$@" --missing || set -- "$@" --row "$name"
done
part=0
while [ $part -lt "$jobs" ]; do
    "$build"/tests/laws/law_backends_page --page docs/back-ends.md --part $part/"$jobs" "$@" \
        tests/goldens/*.cot \
        tests/text/*/*.cot "$place"/examples/*/*.cot || echo "$part" >>"$place"/failed &
    part=$((part + 1))
done
wait
[ ! -e "$place"/failed ]
