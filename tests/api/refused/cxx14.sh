#!/bin/sh
# Before C++17 the header of C++ is one error that says what it wants; from C++17 on it
# compiles.
#     cxx14.sh SOURCE_DIR CXX
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
echo '#include "cotrace/cotrace.hpp"' >"$tmp/one.cpp"
for std in c++11 c++14; do
    ! "$2" -std=$std -fsyntax-only -I"$1/include" "$tmp/one.cpp" 2>"$tmp/said" ||
        { echo "$std compiles"; exit 1; }
    grep -q 'error: .*cotrace.hpp wants C++17' "$tmp/said" || { cat "$tmp/said"; exit 1; }
    [ "$(grep -c 'error:' "$tmp/said")" -eq 1 ] ||
        { echo "$std: more than one error"; cat "$tmp/said"; exit 1; }
done
for std in c++17 c++20; do
    "$2" -std=$std -fsyntax-only -I"$1/include" "$tmp/one.cpp"
done
