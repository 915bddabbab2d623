#!/bin/sh
# `cot check` on each module of StableHLO text in a folder and in the folders of it.
#
#   stablehlo_check.sh COT FOLDER
#
# What it says of each that fails, then the numbers.  Where there is no such folder the test is
# skipped (77).
cot=$1 folder=$2
[ -d "$folder" ] || { echo "no folder $folder"; exit 77; }
passed=0 failed=0
for file in "$folder"/*.mlir "$folder"/*/*.mlir; do
    [ -f "$file" ] || continue
    if said=$("$cot" check "$file" 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s:\n%s\n' "$file" "$said"
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
