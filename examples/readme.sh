#!/bin/sh
# README.md states what the examples print: the block after the line that names NAME.c is
# expected/NAME.txt.   readme.sh
set -eu
cd "$(dirname "$0")"
missed=0

for name in $(sed -n 's/^`\([a-z_]*\)\.c`: .*/\1/p' README.md); do
    awk -v start="\`$name.c\`: " '
        index($0, start) == 1 { here = 1 }
        here && /^```$/ { exit }
        block { print }
        here && /^```text$/ { block = 1 }' README.md | diff -u "expected/$name.txt" - ||
            missed=1
done
for file in expected/*.txt; do
    name=$(basename "$file" .txt)
    [ "$name" = inspect ] || grep -q "^\`$name\.c\`: " README.md ||
        { echo "README.md does not name $name.c"; missed=1; }
done
exit $missed
