#!/bin/sh
# StableHLO with open sizes becomes one object for all of them: at each size it has the bits of
# `cot run`, which compiles the text for that size.
#
#   attention.sh COT CC
set -eu
cot=$1
cc=$2
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
refused() {
    want=$1
    shift
    ! "$cot" build "$here/attention.mlir" --name attention -o x.o "$@" >said 2>&1 ||
        { echo "not refused: $*"; exit 1; }
    grep -qF -e "$want" said || { echo "$* says:"; cat said; exit 1; }
}
"$cot" build "$here/attention.mlir" --open '0: [n, 8], 1: [n, 8] where n >= 1' \
    --name attention -o attention.o --header attention.h
"$cc" -std=c11 -Wall -Wextra -Werror -I. "$here/attention.c" attention.o -lm -o attention
for n in 1 2 16 17 64 65 300 513; do
    sed "s/N/$n/g" "$here/numbers.cot" >numbers.cot
    "$cot" run numbers.cot --out in
    "$cot" run "$here/attention.mlir" --in in0.npy in1.npy --out want
    ./attention $n got in0.npy in1.npy
    tail -c $((n * 32)) want0.npy | cmp - got
done
refused "--open wants all of its lengths" --open '0: [n, _], 1: [n, 8]'
refused "column 9: wants ','" --open '0: [n, 8'
refused "no size is named" --open '0: [8, 8], 1: [8, 8]'
echo "attention: 8 sizes, one object"
