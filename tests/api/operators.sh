#!/bin/sh
# The C++ programs of this folder compile, link and run.   operators.sh SOURCE_DIR CXX
# LIBRARY_FOLDER
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for f in "$1"/tests/api/*.cpp; do
    "$2" -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$1/include" "$f" -o "$tmp/a" -L"$3" \
        -lcotrace -Wl,-rpath,"$3"
    "$tmp/a"
done
