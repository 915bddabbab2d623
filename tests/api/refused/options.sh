#!/bin/sh
# Options are set by name alone: a value without a name does not compile, at its line, for each
# macro of the public headers that takes options; the same call without it has no such error.
#     options.sh SOURCE_DIR COMPILER...
# The operands are legalised forms of any type, so only the errors about values without names
# count.
set -eu
include=$1/include
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
said='designated_init|aggregate with no elements'

# Each macro with the number of its arguments before the options: those that the macro inside
# names, less those that the outer one gives, with those that the outer one names.
cat "$include"/cotrace/*.h | sed -e ':a' -e '/\\$/N; s/\\\n//; ta' >"$tmp/all.h"
awk '
    /^#define COT_[A-Z0-9_]*_\([^)]*\.\.\.\)/ {
        name = $2; sub(/\(.*/, "", name)
        list = $0; sub(/^[^(]*\(/, "", list); sub(/\).*/, "", list)
        named[name] = split(list, part, ",") - 1
    }
    /^#define cot_[a-z0-9_]*\(.*\.end_ = 0\)/ {
        name = $2; sub(/\(.*/, "", name)
        list = $0; sub(/^[^(]*\(/, "", list); sub(/\).*/, "", list)
        rest = $0; sub(/^#define [^)]*\) */, "", rest)
        inner = rest; sub(/\(.*/, "", inner)
        before = rest; sub(/^[^(]*\(/, "", before); sub(/__VA_ARGS__.*/, "", before)
        outer[name] = inner; given[name] = gsub(/,/, ",", before) - (split(list, part, ",") - 1)
    }
    END { for (m in outer) print m, named[outer[m]] - given[m] }' "$tmp/all.h" |
        sort >"$tmp/macros"
expected=$(grep -c '\.end_ = 0)' "$tmp/all.h")
found=$(wc -l <"$tmp/macros")
[ "$found" -eq "$expected" ] || { echo "$found macros of $expected were understood"; exit 1; }

# $1: what follows the operands.  One call a line.
calls() {
    echo '#include "cotrace/cotrace.h"'
    cat "$tmp/extra"
    echo 'void calls(cot_value x, void *p, cot_list l);';
    echo 'void calls(cot_value x, void *p, cot_list l) { (void)x, (void)p, (void)l;'
    while read -r macro n; do
        printf '(void)%s(' "$macro"
        separator=
        for _ in $(seq "$n"); do printf '%sx' "$separator"; separator=', '; done
        printf '%s);\n' "$1"
    done <"$tmp/macros"
    echo '}'
}
ls "$include"/cotrace | grep '\.h$' | sed 's/.*/#include "cotrace\/&"/' >"$tmp/extra"

calls '' >"$tmp/right.c"
"$@" -fsyntax-only -I"$include" "$tmp/right.c" >"$tmp/err" 2>&1 || true
! grep -E "$said" "$tmp/err" || { echo "a call without options is refused"; exit 1; }
first=$(grep -n '^void calls.*{' "$tmp/right.c" | cut -d: -f1)
seq $((first + 1)) $((first + found)) >"$tmp/want"
for value in 0 1 -1 1.5 x p l '"text"'; do
    calls ", $value" >"$tmp/wrong.c"
    ! "$@" -fsyntax-only -I"$include" "$tmp/wrong.c" >"$tmp/err" 2>&1 ||
        { echo "$value compiles"; exit 1; }
    sed -nE "s/^.*wrong\.c:([0-9]+):.*error: .*($said).*/\1/p" "$tmp/err" |
        sort -un >"$tmp/lines"
    for line in $(cat "$tmp/want" "$tmp/lines" | sort -n | uniq -u); do
        echo "$value without a name is not refused: $(sed -n "${line}p" "$tmp/wrong.c")"
        exit 1
    done
done
echo "$found macros refuse values without names"
