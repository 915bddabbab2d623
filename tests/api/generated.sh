#!/bin/sh
# What cot-gen writes is what is checked in.   generated.sh COT_GEN SOURCE_DIR
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$1" trace "$2/include/cotrace/pointwise.h" > "$tmp/pointwise.h"
"$1" hpp "$2/include/cotrace/pointwise.hpp" > "$tmp/pointwise.hpp"
"$1" ops > "$tmp/ops.md"
"$1" tuning > "$tmp/tuning.md"
diff -u "$2/include/cotrace/pointwise.h" "$tmp/pointwise.h"
diff -u "$2/include/cotrace/pointwise.hpp" "$tmp/pointwise.hpp"
diff -u "$2/docs/ops.md" "$tmp/ops.md"
diff -u "$2/docs/tuning.md" "$tmp/tuning.md"
