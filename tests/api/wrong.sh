#!/bin/sh
# The calls with wrong arguments, of every function that the public headers declare.
#     wrong.sh SOURCE_DIR OUT COMPILER...
set -eu
source=$1 out=$2
shift 2
for header in "$source"/include/cotrace/*.h; do
    echo "#include \"cotrace/$(basename "$header")\""
done | "$@" -E -P -I"$source/include" -x c - | tr '\n' ' ' | sed 's/;/;\n/g' |
    awk -f "$source/tests/api/wrong.awk" >"$out.new"
mv "$out.new" "$out"
