#!/bin/sh
# Circles of files: files of the library that take symbols from each other, directly or through
# others.
#
#   circles.sh SOURCE_DIR BUILD_DIR          fails where there are more than the limits below
#                                            say
#   circles.sh SOURCE_DIR BUILD_DIR arrows   lists, too, which names tie each circle
#
# A table that names one rule for each op takes symbols from all rules, which may use what
# stands beside the table; these arrows are left out, else each table would be one circle with
# its rules.
set -u
cd "$1" || exit 1
build=$2
arrows=${3:-}
tables="ir/op ir/fold ir/expand ir/infer/infer ir/scalar ir/eval/eval passes/rules passes/jvp
passes/vmap frontend/stablehlo/import/table codegen/lower/rules"

# Files in circles altogether; files of the largest circle, of codegen/llvm, of codegen/c, and
# elsewhere.
all=20 llvm=6 c=5 elsewhere=4

for folder in ir passes frontend codegen runtime; do
    find "$build/$folder" -path '*.dir/*' -name '*.c.o' | grep -v '_static\.dir' |
        while read -r object; do
            file=$(echo "$object" |
                sed "s|^$build/||; s|CMakeFiles/[^/]*\.dir/||; s|\.c\.o\$||")
            nm -g "$object" | awk -v file="$file" \
                'NF == 2 && $1 == "U" { print "takes", file, $2 }
                NF == 3 { print "gives", file, $3 }'
        done
done | awk -v tables="$tables" -v arrows="$arrows" -v max_all="$all" -v max_llvm="$llvm" \
    -v max_c="$c" -v max_other="$elsewhere" '
function visit(v,    k, w, size, list) {    # Tarjan, SIAM J. Comput. 1(2), 1972
    index_of[v] = low[v] = ++count
    stack[++top] = v
    on[v] = 1
    for (k = 1; k <= degree[v]; k++) {
        w = to[v, k]
        if (!(w in index_of)) {
            visit(w)
            if (low[w] < low[v]) low[v] = low[w]
        } else if (on[w] && index_of[w] < low[v])
            low[v] = index_of[w]
    }
    if (low[v] != index_of[v]) return
    circles++
    do {
        w = stack[top--]
        on[w] = 0
        circle[w] = circles
        list = list " " w
        size++
    } while (w != v)
    if (size > 1) report(size, list)
}
function report(size, list,    folder, limit) {
    total += size
    found++
    folder = list ~ /codegen\/llvm\// ? "codegen/llvm" : ""
    if (list ~ /codegen\/c\//) folder = "codegen/c"
    limit = folder == "codegen/llvm" ? max_llvm : folder == "codegen/c" ? max_c : max_other
    print size " files:" list
    if (size > limit) { print "a circle of " size " files; at most " limit; bad = 1 }
}
{ name[++rows] = $2; kind[rows] = $1; symbol[rows] = $3; file[$2] = 1 }
$1 == "gives" { owner[$3] = $2 }
END {
    n = split(tables, t, /[ \n]+/)
    for (i = 1; i <= n; i++) {
        if (!(t[i] in file)) { print "no such table: " t[i]; bad = 1 }
        table[t[i]] = 1
    }
    for (i = 1; i <= rows; i++) {
        v = name[i]
        w = owner[symbol[i]]
        if (kind[i] != "takes" || w == "" || w == v || table[v]) continue
        if (!((v, w) in seen)) to[v, ++degree[v]] = w
        seen[v, w] = seen[v, w] " " symbol[i]
    }
    for (v in file) if (!(v in index_of)) visit(v)
    if (arrows != "")
        for (pair in seen) {
            split(pair, ends, SUBSEP)
            if (circle[ends[1]] == circle[ends[2]]) print ends[1] " -> " ends[2] ":" seen[pair]
        }
    print total + 0 " files in " found + 0 " circles; at most " max_all
    exit bad || total > max_all || rows == 0
}'
