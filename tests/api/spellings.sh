#!/bin/sh
# The compiler warns at each old spelling, and at no other line, and says what to write.
#     spellings.sh SOURCE_DIR FILE COMPILER...
set -eu
include=$1/include file=$1/tests/api/$2
shift 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$@" -Wall -Wextra -DSPELLINGS_WARN -fsyntax-only -I"$include" "$file" 2>"$tmp/said"
grep -n ' old: use ' "$file" >"$tmp/old"
while IFS= read -r line; do
    new=$(printf '%s\n' "$line" | sed -e 's/.* old: //' -e 's, *\*/,,')
    grep -F ":${line%%:*}:" "$tmp/said" | grep 'warning: ' | grep -qF "$new" ||
        { echo "no warning with '$new': $line"; cat "$tmp/said"; exit 1; }
done <"$tmp/old"
# Each of them may be named twice: for the macro and what it expands to.
sed -n "s,^[^ ]*/${file##*/}:\([0-9]*\):.* warning: .*,\1,p" "$tmp/said" | sort -u >"$tmp/lines"
sed 's/:.*//' "$tmp/old" | sort -u | diff "$tmp/lines" - || { cat "$tmp/said"; exit 1; }
echo "$(wc -l <"$tmp/old") old spellings warn"
