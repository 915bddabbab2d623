#!/usr/bin/env bash
# What the pages name is there.   pages.sh SOURCE_DIR
#
#   links            to files
#   paths            that begin with a folder of the tree; braces and stars are the shell's
#   cot_x, COT_X     of headers, examples, options and variables; cot_x_ is how several begin
#   cg_x, ir_x       of the library's own sources, as are pass_x, fe_x and rt_x; `x.c`, in any
#                    folder
#   --option         of a command here, or of another's: the list below
#
# A source in C that names a page, NAME.md, means one of the tree.
#
# adding-an-op.md adds an op `squash`, which is not.
set -eu
cd "$1"
pages=$(find README.md CONTRIBUTING.md docs examples tests -name '*.md' | sort)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
others='--output-on-failure --preset --build --recurse-submodules --prefix --test-dir'
others="$others --version --dwarf"

missing() {
    echo "$1: names $2, which is not there" | tee -a "$temp/missing"
}

# words PATTERN FILE...: each once
words() {
    pattern=$1
    shift
    cat "$@" | grep -oE -e "$pattern" | sort -u
}

name='\b(cot|COT)_[A-Za-z0-9_]+'
find include runtime codegen ir examples tests bench tools -name '*.[ch]' -o -name '*.hpp' -o \
    -name '*.sh' |
    xargs cat CMakeLists.txt | grep -oE "$name" | sort -u >"$temp/names"
find ir passes frontend codegen runtime tests -name '*.[ch]' -o -name '*.def' |
    xargs cat | grep -oE '\b(cg|ir|pass|fe|rt)_[A-Za-z0-9_]+' | sort -u >"$temp/own"
# f.c, prog.c, unit.c, name.c, rod.c: programs of the reader; cuda.h is the toolkit's.
{ find ir passes frontend codegen runtime tests tools bench examples include -name '*.[ch]' \
    -exec basename {} \;
  printf '%s\n' f.c prog.c unit.c name.c rod.c cuda.h; } | sort -u >"$temp/files"
find tools bench tests docs examples -type f ! -name '*.md' ! -name '*.cot' ! -name '*.mlir' |
    xargs cat dev |
    grep -oaE -e '--[a-z][a-z-]+' | sort -u >"$temp/options"
echo "$others" | tr ' ' '\n' >>"$temp/options"

for page in $pages; do
    for link in $(words '\]\([^)#: ]+' "$page" | cut -c3-); do
        [ -e "$(dirname "$page")/$link" ] || missing "$page" "$link"
    done
    # Not what is built, nor the programs that back-ends.md lists.
    not='s,build/[^ `]*,,g; s,^| examples/[^|]*|,,; /^No program by itself/d; s,ninja -C.*,,'
    folders='include|ir|passes|frontend|codegen|runtime|tools|tests|examples|bench'
    for path in $(sed "$not" "$page" |
        words "\\b($folders)/[A-Za-z0-9_./{},*-]+[A-Za-z0-9_}]" -); do
        for one in $(eval echo "$path"); do
            case $one in
            *squash* | *\*\**) ;;
            *) [ -e "$one" ] || missing "$page" "$one" ;;
            esac
        done
    done
    for one in $(words "$name" "$page"); do
        case $one in
        *squash* | *_) ;;
        *) grep -qxF "$one" "$temp/names" || missing "$page" "$one" ;;
        esac
    done
    for one in $(words '`(cg|ir|pass|fe|rt)_[A-Za-z0-9_]+' "$page" | tr -d '`'); do
        grep -qxF "$one" "$temp/own" || missing "$page" "$one"
    done
    for one in $(words '`[A-Za-z0-9_]+\.[ch]`' "$page" | tr -d '`'); do
        grep -qxF "$one" "$temp/files" || missing "$page" "$one"
    done
    for option in $(grep -v -e '-->' "$page" | words '(^|[ `])--[a-z][a-z-]+' - |
        tr -d ' `'); do
        grep -qxF -e "$option" "$temp/options" || missing "$page" "$option"
    done
done
for one in $(find include ir passes frontend codegen runtime tools tests examples bench \
    -name '*.[ch]' -o -name '*.def' |
    xargs cat | grep -v https: | words '\b[A-Za-z0-9_/-]+\.md\b' -); do
    [ -n "$(find README.md CONTRIBUTING.md docs examples tests -path "*$one" -print -quit)" ] ||
        missing "a source" "$one"
done
[ ! -e "$temp/missing" ]
