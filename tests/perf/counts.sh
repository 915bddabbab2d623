#!/bin/sh
# Instructions of compilations, counted by callgrind, differ by no more than 3 % from those in
# COUNTS; --write keeps new ones.   counts.sh PERF_LOWER COUNTS [--write]
set -eu
command -v valgrind >/dev/null 2>&1 || { echo "skipped: no valgrind"; exit 77; }
plain=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI1,-BMI2,-LZCNT,-MOVBE,-RTM,-ERMS,-FSRM
plain=$plain,-SSE4_2,-SSE4_1,-SSSE3,-AVX_Fast_Unaligned_Load
program=$1 counts=$2 out=$(mktemp -d) failed=0
trap 'rm -rf "$out"' EXIT
while read -r want name parts pipeline; do
    # Neither the environment nor the processor may matter, by which the C library chooses how
    # it copies: this leaves what every x86-64 has.
    env -i PATH="$PATH" LC_ALL=C GLIBC_TUNABLES="glibc.cpu.hwcaps=$plain" \
        valgrind --tool=callgrind --toggle-collect=compiled \
        --callgrind-out-file=/dev/null "$program" "$name" "$parts" ${pipeline:+"$pipeline"} \
        </dev/null >"$out/said" 2>&1 || { cat "$out/said"; exit 1; }
    got=$(sed -n 's/.*Collected : *//p' "$out/said")
    echo "$got $name $parts${pipeline:+ $pipeline}" >>"$out/counts"
    [ $((got * 100)) -le $((want * 103)) ] && [ $((got * 103)) -ge $((want * 100)) ] ||
        { echo "$name $parts $pipeline: $got instructions, $want are kept"; failed=1; }
done <"$counts"
[ "${3:-}" != --write ] || { cp "$out/counts" "$counts"; failed=0; }
exit $failed
