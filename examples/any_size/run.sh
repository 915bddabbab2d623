#!/bin/sh
# The object of build.c, and its C source, called by main.c with several sizes, print what is
# committed.
#
#   run.sh BUILD CC EXPECTED
set -eu
build=$1
cc=$2
expected=$3
main=$(cd "$(dirname "$0")" && pwd)/main.c
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
for code in any_size.o any_size.c; do
    "$build" $code any_size.h
    "$cc" -std=c11 -Wall -Wextra -Werror -O1 -ffp-contract=off -I. "$main" $code -lm -o main
    ./main | diff -u "$expected" -
done
