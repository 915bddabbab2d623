#!/bin/sh
# What must not compile does not, and says so at its line.   run.sh SOURCE_DIR ROW FILE
# COMPILER...
set -eu
include=$1/include row=$2 file=$1/tests/api/refused/$3
shift 3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fails() { echo "$file: $*"; sed 's/^/    /' "$tmp/err"; exit 1; }

"$@" -fsyntax-only -I"$include" "$file" 2>"$tmp/err" || fails "does not compile as it is"
n=0
for case in $(sed -n "s/^#e*l*if defined \(${row}_[a-z_]*\)\$/\1/p" "$file"); do
    line=$(($(grep -n "defined $case\$" "$file" | cut -d: -f1) + 1))
    ! "$@" -fsyntax-only -D"$case" -I"$include" "$file" 2>"$tmp/err" || fails "$case compiles"
    { grep -q ":$line:" "$tmp/err" && grep -q "error:" "$tmp/err"; } ||
        fails "$case fails, but not at line $line"
    n=$((n + 1))
done
[ $n -gt 0 ] || fails "no case of $row"
echo "$n cases of $row are refused"
