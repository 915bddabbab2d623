#!/bin/sh
# Modules of StableHLO text that hold their own expectations: `cot run` on each file of a
# folder.
#
#   stablehlo.sh COT FOLDER [BACKEND [LEAST]]
#
# A line for each that fails, then the numbers; done if all pass, or LEAST of them.  Where there
# is no such folder the test is skipped (77).
cot=$1 folder=$2 backend=${3:-eval} least=${4:-}
[ -d "$folder" ] || { echo "no folder $folder"; exit 77; }
passed=0 failed=0
for file in "$folder"/*.mlir; do
    if why=$("$cot" run "$file" --backend "$backend" 2>&1 >/dev/null); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$(basename "$file"): $(echo "$why" | head -n 1)"
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] || { [ -n "$least" ] && [ $passed -ge "$least" ]; }
