#!/bin/sh
# Tests of single ops outside the table: places of the library that ask which op a node is,
# rather than what its row of ir/ops.def says.
#
#   ops_outside.sh SOURCE_DIR           prints their number by folder; fails above the limit
#                                       below
#   ops_outside.sh SOURCE_DIR lines     lists the places, too
#
# What counts: a comparison of an op with a name, a case, a table that has an entry for a name,
# a name as argument of a function that compares, and a call of a function that is no more than
# such a comparison.  The import and export of StableHLO translate ops by name, and are left
# out.
set -u
cd "$1" || exit 1
lines=${2:-}

limit=305               # goes down only

find ir passes frontend codegen runtime tools -name '*.[ch]' ! -path 'frontend/stablehlo/*' |
    sort | xargs awk -v lines="$lines" -v limit="$limit" '
function tests_of(s,    n) {            # comparisons, cases and entries of tables in a line
    n = gsub(/([=!<>]=|[^-<>][<>]|case)[ \t]*OP_[a-z][a-z0-9_]*/, "&", s)
    n -= gsub(/([=!<>]=|[^-<>][<>]|case)[ \t]*OP_none/, "&", s)
    return n + gsub(/\[OP_[a-z][a-z0-9_]*\][ \t]*=/, "&", s)
}
function name_of(s) { sub(/\(.*/, "", s); sub(/.*[ \t*]/, "", s); return s }
function wrapper(file, name, internal) {
    if (internal) asks[file, name] = 1
    else asks_all[name] = 1
}
{ text[++n] = $0; where[n] = FILENAME; row[n] = FNR; count[n] = tests_of($0) }
# A function whose body is one return, which tests an op or compares with an argument of type
# ir_op.
/^(static )?(inline )?(static inline )?(bool|const ir_node \*)/ {
    head = $0; kind = n; internal = /^static/ && FILENAME !~ /\.h$/
}
/^[a-z_0-9]+\(/ || /^static inline bool [a-z_0-9]+\(.*[{]/ {
    function_name = name_of($0 ~ /^static/ ? substr($0, 1, index($0, "(")) : $0)
    by_argument = /ir_op [a-z]+\)/
    start = n
    if (n - kind > 1) function_name = ""
    if ($0 ~ /[{].*[}]$/ && tests_of($0) && function_name != "") {
        wrapper(FILENAME, function_name, internal)
        function_name = ""
    }
}
/^}/ {
    if (function_name != "" && n - start <= 7) {
        found = returns = 0
        for (i = start; i < n; i++) {
            found += count[i] + (by_argument && text[i] ~ /op == op/)
            returns += text[i] ~ /return/
        }
        if (found && returns == 1) wrapper(FILENAME, function_name, internal)
    }
    function_name = ""
}
END {
    for (i = 1; i <= n; i++) {
        s = text[i]
        file = where[i]
        calls = 0
        while (match(s, /[a-z_][a-z_0-9]*\(/)) {
            name = substr(s, RSTART, RLENGTH - 1)
            if (((file, name) in asks || name in asks_all) &&
                RSTART + length(text[i]) - length(s) > 1 &&
                text[i] !~ /^(static inline )?bool [a-z_]+\(/)
                calls++
            s = substr(s, RSTART + RLENGTH)
        }
        count[i] += calls
        total += count[i]
        folder = file
        sub(/\/[^\/]*$/, "", folder)
        by[folder] += count[i]
        if (count[i] && lines != "") print file ":" row[i] ": " text[i]
    }
    for (folder in by) if (by[folder]) printf "%5d %s\n", by[folder], folder | "sort -k2"
    close("sort -k2")
    if (lines != "") for (name in asks_all) print "asks: " name
    if (lines != "") for (name in asks) { sub(SUBSEP, " ", name); print "asks: " name }
    printf "%5d tests of single ops outside the table; at most %d\n", total, limit
    exit total > limit || n == 0
}'
