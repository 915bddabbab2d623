#!/bin/sh
# What cot-gen writes is what is checked in.   generated.sh COT_GEN SOURCE_DIR
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$1" trace "$2/include/cotrace/pointwise.h" > "$tmp/pointwise.h"
"$1" hpp "$2/include/cotrace/pointwise.hpp" > "$tmp/pointwise.hpp"
"$1" ops > "$tmp/ops.md"
"$1" tuning > "$tmp/tuning.md"
"$1" man > "$tmp/cot.1"
diff -u "$2/include/cotrace/pointwise.h" "$tmp/pointwise.h"
diff -u "$2/include/cotrace/pointwise.hpp" "$tmp/pointwise.hpp"
diff -u "$2/docs/ops.md" "$tmp/ops.md"
diff -u "$2/docs/tuning.md" "$tmp/tuning.md"
diff -u "$2/docs/cot.1" "$tmp/cot.1"
for shell in bash zsh fish; do
    "$1" $shell > "$tmp/cot.$shell"
    ! command -v $shell > /dev/null || $shell -n "$tmp/cot.$shell"
done
command -v bash > /dev/null || exit 0
# completes WORDS... LAST WANT: after these words, of which LAST is begun, bash offers WANT.
completes() {
    bash -c '. "$1"; shift; want=${@: -1}; COMP_WORDS=(cot "${@:1:$#-1}")
             COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cot
             [ "${COMPREPLY[*]}" = "$want" ] ||
                 { echo "$*: offers ${COMPREPLY[*]}"; exit 1; }' \
        - "$tmp/cot.bash" "$@"
}
completes b "build bench"
completes li lint
completes run f.cot --tr "--trap --trapping-math"
completes opt --backend ""
completes bench f.cot --backend "c" "c cuda"
completes run f.cot --trap "" nan
completes lint --r --range
