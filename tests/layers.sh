#!/bin/sh
# The law of layers: who includes whom, what a folder may define, what the library shows.
#
#   layers.sh SOURCE_DIR            includes, languages, folders at the top
#   layers.sh SOURCE_DIR BUILD_DIR  that, and the symbols of the objects and the libraries
set -u
cd "$1" || exit 1
build=${2:-}
bad=0
broken() { printf '%s\n' "$*"; bad=1; }

# May FOLDER include FOLDERS only (and the public headers).
may_include() {
    folder=$1
    shift
    allowed=$(echo "$folder $* cotrace" | tr ' ' '|')
    lines=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$folder" \
        --include='*.[ch]' --include='*.def' |
        grep -vE "\"($allowed)/" || true)
    [ -z "$lines" ] || broken "$folder may include only its own headers, cotrace/ and: $*
$lines"
}
may_include ir
may_include passes ir
may_include frontend ir passes
may_include codegen ir
may_include runtime ir passes frontend codegen
# Rooms of a folder: ROOM includes nothing of the OTHERS.
keeps_apart() {
    room=$1
    shift
    for other in "$@"; do
        lines=$(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*\"$other/" "$room" \
            --include='*.[ch]' --include='*.def')
        [ -z "$lines" ] || broken "$room knows nothing of $other:
$lines"
    done
}
keeps_apart frontend/stablehlo/read frontend/stablehlo/import frontend/stablehlo/export
keeps_apart frontend/stablehlo/import frontend/stablehlo/export
keeps_apart frontend/stablehlo/export frontend/stablehlo/read frontend/stablehlo/import
keeps_apart frontend/sugar frontend/stablehlo frontend/nn
# Codegen's rooms stand one above the other: each may include those to its left.
below=""
for floor in kernel elemental fuse plan schedule lower; do
    for next in kernel elemental fuse plan schedule lower verify host sim llvm c open; do
        case " $below $floor " in
        *" $next "*) ;;
        *) keeps_apart "codegen/$floor" "codegen/$next" ;;
        esac
    done
    below="$below $floor"
done
for back in verify host sim llvm c open; do
    keeps_apart "codegen/$back" codegen/elemental codegen/fuse codegen/plan codegen/schedule \
        codegen/lower
done
lines=$(grep -rnE '#[[:space:]]*include[[:space:]]*"' runtime/support --include='*.[ch]' |
    grep -vE '"(runtime/support|cotrace)/')
[ -z "$lines" ] || broken "runtime/support knows nothing above it but the public headers:
$lines"
lines=$(grep -rn 'include.*llvm-c/' --include='*.[ch]' --exclude-dir=build . |
    grep -v '^./codegen/llvm/')
[ -z "$lines" ] || broken "LLVM's headers stay in codegen/llvm:
$lines"
lines=$(grep -rn 'include.*<ffi' --include='*.[ch]' --exclude-dir=build . |
    grep -vE '^./(runtime|tests)/')
[ -z "$lines" ] || broken "libffi stays in runtime:
$lines"
lines=$(grep -rnE 'include.*<(zip|jansson)\.h' --include='*.[ch]' --exclude-dir=build . |
    grep -vE '^./(runtime|tests)/')
[ -z "$lines" ] || broken "libzip and jansson stay in runtime:
$lines"

# No C++ in the library; getenv only in config.c.
lines=$(find ir passes frontend codegen runtime -name '*.cpp' -o -name '*.cc' -o -name '*.cxx' \
    -o -name '*.hpp')
[ -z "$lines" ] || broken "C++ in the library: $lines"
lines=$(grep -rnw 'getenv' ir passes frontend codegen runtime --include='*.[ch]' |
    grep -v '^ir/config.c:')
[ -z "$lines" ] || broken "only ir/config.c reads the environment:
$lines"

# Folders at the top, and files of one idea.
for name in $(git ls-files 2>/dev/null | grep / | cut -d/ -f1 | sort -u); do
    case $name in
    include | frontend | ir | passes | codegen | runtime | tools | tests | examples | bench \
        | docs | cmake | .ci) ;;
    *) broken "folder at the top that STYLE does not know: $name" ;;
    esac
done
for name in CMakeLists.txt frontend ir passes codegen runtime tests README.md include tools \
    examples bench docs; do
    [ -e "$name" ] || broken "missing at the top: $name"
done
# Width and size.  Exempt are texts of other languages: IR and StableHLO in a script, the pages
# that page.py, functions.sh and torch-func.sh print, the table of formulas in rules.py.
all=$(find ir passes frontend codegen runtime tools include tests examples bench docs cmake \
    .ci dev CMakeLists.txt -type f |
    grep -E '\.(c|h|hpp|cpp|py|sh|awk|cmake|in)$|^dev$|^\.ci/|CMakeLists' |
    grep -vE '^(codegen|runtime)/CMakeLists')
tables="$(ls */*.def */CMakeLists.txt) $(ls tests/*/*.def frontend/stablehlo/*/*.def)"
lines=$(awk 'length($0) > 96 { print FILENAME ":" FNR ": " $0 }' $all $tables |
    grep -vE '^(tests/peers/(page|rules)\.py|docs/(functions|torch-func)\.sh):' |
    grep -vE '^[^:]*\.sh:[0-9]+: *(%|fn @|func\.func)' | cut -c1-60)
[ -z "$lines" ] || broken "lines of more than 96 columns:
$lines"
# Prose of the pages, but for those that a program prints; tables and code are exempt.
pages=$(ls README.md CONTRIBUTING.md docs/*.md |
    grep -vE '/(functions|torch-func|coverage|back-ends|accuracy)\.md')
lines=$(awk 'FNR == 1 { code = indented = 0; blank = 1 }
    /^ *```/ { code = !code }
    /^    / && blank { indented = 1 }
    !/^    / { indented = 0 }
    length($0) > 96 && !code && !indented && !/^\|/ && !/^ *```/ {
        print FILENAME ":" FNR ": " $0
    }
    { blank = /^ *$/ || indented }' $pages | cut -c1-60)
[ -z "$lines" ] || broken "lines of prose of more than 96 columns:
$lines"
lines=$(wc -l $all | awk '$1 > 600 && $2 != "total" { print $2, $1 }')
[ -z "$lines" ] || broken "files of more than 600 lines:
$lines"

# Thresholds are rows of codegen/tuning.def: what is left in an enum is the size of an array, a
# part of a layout, or a number that follows from these.
limits=$(grep -ohE '\b(CG_)?(MAX|MIN)_[A-Z0-9_]+ = [^,}=]*' codegen/fuse/*.[ch] \
    codegen/elemental/*.[ch] \
    codegen/plan/*.[ch] codegen/schedule/*.[ch] codegen/lower/*.[ch] | wc -l)
most=0
[ "$limits" -le $most ] ||
    broken "$limits limits in enums of codegen's rooms; at most $most:" \
        "a new one is a row of codegen/tuning.def"

# A file whose sections need titles is long; a short one needs none.
short=$(git ls-files 'include/*' 'ir/*' 'passes/*' 'frontend/*' 'codegen/*' 'runtime/*' \
    'tools/*' 'examples/*' 'bench/*' 'tests/*' |
    grep -E '\.(c|h|hpp|cpp|def|py)$')
lines=$(for file in $short; do
    [ "$(wc -l <"$file")" -gt 300 ] || grep -HnE '^ *(/\*|#) ?-{3,}' "$file"
done)
[ -z "$lines" ] || broken "titles of sections in files of at most 300 lines:
$lines"

# A type of one file: no other file of the library has another one of that name.
names=$(find ir passes frontend codegen runtime -name '*.c' -exec awk \
    '/^} [a-z_0-9]+;$/ && !seen[FILENAME $2]++ { print $2 }' {} + | sort | uniq -d)
[ -z "$names" ] || broken "types of two files have one name: $(echo $names)"

# What a folder's objects define, by prefix.  Rules are named by column: jvp_mul, lower_dot.
symbols_of() {
    folder=$1 pattern=$2
    names=$(find "$build/$folder" -path "*$folder.dir*" -name '*.o' -exec nm -A -g \
        --defined-only {} + 2>/dev/null |
        sed 's|^.*/||; s|:| |' | awk '{ print $1, $NF }' | grep -vE " ($pattern|__|_GLOBAL_)" ||
            true)
    [ -z "$names" ] || broken "$folder defines, by object:
$names"
}
if [ -n "$build" ]; then
    symbols_of ir 'ir_|cot_|eval_|infer_|fold_'
    symbols_of passes 'pass_|pair_|pr_|jvp_|split_|transpose_|vmap_|tan_|cot_'
    symbols_of frontend 'fe_|cot_'
    symbols_of codegen 'cg_|lower_|cot_'
    symbols_of runtime 'rt_|cot_'
    for object in $(find "$build/runtime" -path '*support.dir*' -name '*.o' 2>/dev/null); do
        names=$(nm -g --defined-only "$object" | awk '{ print $3 }' | grep -v '^cot_rt_' |
            grep -vE '^(__|_GLOBAL_)')
        [ -z "$names" ] || broken \
            "runtime/support: $(basename "$object") defines $(echo $names)"
    done
    for library in "$build/libcotrace.so" "$build/libcotrace.a"; do
        [ -e "$library" ] || continue
        case $library in
        *.so) names=$(nm -D --defined-only "$library" | awk '{ print $3 }') ;;
        *) names=$(nm -g --defined-only "$library" 2>/dev/null | awk 'NF == 3 { print $3 }') ;;
        esac
        echo "$names" | grep -q '^cot_context_new$' ||
            broken "$library does not show cot_context_new"
        names=$(echo "$names" | grep -vE '^(cot_|__asan|__odr_asan|__ubsan|_init$|_fini$)')
        [ -z "$names" ] || broken "$library shows more than cot_: $(echo $names | head -c 400)"
    done
fi
[ $bad = 0 ] && echo "layers: in order"
exit $bad
