#!/bin/sh
# cot fmt leaves what the printer prints as it is, and what it writes itself, too; without the
# types of its nodes it is read as the same: of the functions of all text tests.
#
#   fmt.sh COT SOURCE_DIR
set -u
cot=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
count=0 bare=0
bad=0
# same FILE: fmt does not change it.
same() {
    "$cot" fmt - <"$1" >"$place/out" && cmp -s "$1" "$place/out" && return 0
    echo "cot fmt changes $file:"
    diff "$1" "$place/out" | head -4
    bad=1
}
for file in "$2"/tests/text/*/*.cot; do
    sed '/^; expect/,$d' "$file" >"$place/in.cot"
    grep -q '^module' "$place/in.cot" && continue
    "$cot" opt "$place/in.cot" --locs >"$place/printed.cot" 2>"$place/err" || continue
    same "$place/printed.cot"
    "$cot" fmt - <"$place/in.cot" >"$place/own.cot" || bad=1
    same "$place/own.cot"
    "$cot" opt "$place/in.cot" >"$place/typed.cot"
    sed '/ = constant /!s/^\( *%.* = .*\) : [^:{}]*$/\1/' "$place/typed.cot" >"$place/bare.cot"
    "$cot" opt "$place/bare.cot" >"$place/out" 2>&1
    cmp -s "$place/typed.cot" "$place/out" || {
        echo "without types another function: $file"
        diff "$place/typed.cot" "$place/out" | head -4
        bad=1
    }
    cmp -s "$place/typed.cot" "$place/bare.cot" || bare=$((bare + 1))
    count=$((count + 1))
done
echo "$count files, $bare with types to leave out"
[ "$count" -gt 200 ] && [ "$bare" -gt 200 ] || bad=1
exit $bad
