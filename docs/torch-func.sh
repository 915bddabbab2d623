#!/bin/sh
# docs/torch-func.md: rows of docs/torch-func.rows with the tests that prove them, whose names
# begin with the row.  They are read where CMake reads them: lines { "B112", ... } of the suites
# that tests/unit/CMakeLists.txt registers with rows(), lines torch_func(name ROWS) of the
# examples, and tests named ROW.something elsewhere under tests/.
#
#   docs/torch-func.sh            print the page
#   docs/torch-func.sh --write    write it
#   docs/torch-func.sh --check    compare: 1 if the page is not current, or names what no header
#                                 has
set -eu
cd "$(dirname "$0")/.."

tests() {
    for suite in $(sed -n 's/^ *rows(\([a-z0-9_]*\)).*/\1/p' tests/unit/CMakeLists.txt); do
        grep -E '^ *\{ "[AB][0-9]+",' "tests/unit/check_$suite.c" |
            grep -oE '\{ "[AB][0-9]+",' |
            sed -E "s/[^AB]*([AB][0-9]+).*/\1 $suite/"
    done
    sed -nE 's/^torch_func\(([a-z0-9_]+) (.*)\).*/\1 \2/p' examples/torch_func/CMakeLists.txt |
        awk '{ for (i = 2; i <= NF; i++) print $i, "torch_func." $1 }'
    find tests -name CMakeLists.txt | sort |
        xargs sed -nE 's/.*NAME ([AB][0-9]+)\.([a-z0-9_.]+).*/\1 \2/p'
}

page() {
    tests | awk '
        NR == FNR {
            if (!(($1, $2) in seen)) {
                seen[$1, $2] = 1
                test[$1] = test[$1] (test[$1] ? ", " : "") $2
            }
            next
        }
        /^#[^#]/ || /^$/ { next }
        /^## / { part[++n] = substr($0, 4); next }
        {
            if (split($0, cell, / *\| */) < 4) {
                print "docs/torch-func.rows: " FNR ": wants four cells" > "/dev/stderr"
                bad = 1
            }
            r = cell[1]
            rows[n] = rows[n] "| " r " | " cell[2] " | " (cell[3] ~ /^cot_|^COT_|^\./ \
                ? "`" cell[3] "`" : cell[3]) " | " (r in test ? test[r] : "**none**") " | " \
                cell[4] " |\n"
            count++
            proved += r in test
        }
        END {
            print "# torch.func, row by row\n"
            print "What users of torch.func expect, how it is spelled here, and which tests prove it:"
            print "`ctest -R B112` runs those of row B112. Part A is what its documentation promises, part B what"
            print "its tests check beyond that. The last column says where we differ on purpose. The page is"
            print "written by `docs/torch-func.sh --write` from `docs/torch-func.rows` and the tests; a row without"
            printf "a test says **none**. %d of %d rows have one.\n", proved, count
            for (i = 1; i <= n; i++)
                printf "\n## %s\n\n| row | behaviour | in C | tests | difference |\n" \
                    "|---|---|---|---|---|\n%s", part[i], rows[i]
            exit bad
        }' - docs/torch-func.rows
}

# Names in the column of C spellings that no public header has.
unknown() {
    awk -F ' *[|] *' '!/^##/ && NF >= 4 { print $1, $3 }' docs/torch-func.rows |
        tr -c 'A-Za-z0-9_.\n' ' ' |
        while read -r row words; do
            for word in $words; do
                case $word in
                cot_* | COT_* | .[a-z]*)
                    grep -qw "${word#.}" include/cotrace/*.h || echo "$row: no header has $word"
                    ;;
                esac
            done
        done
}

case ${1-} in
--write) page >docs/torch-func.md.new && mv docs/torch-func.md.new docs/torch-func.md ;;
--check)
    page | diff -u docs/torch-func.md -
    missing=$(unknown)
    [ -z "$missing" ] || { echo "$missing"; exit 1; }
    ;;
*) page ;;
esac
