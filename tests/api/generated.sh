#!/bin/sh
# What cot-gen writes is what is checked in.   generated.sh COT_GEN SOURCE_DIR
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$1" trace "$2/include/cotrace/trace.h" > "$tmp/trace.h"
"$1" hpp "$2/include/cotrace/cotrace.hpp" > "$tmp/cotrace.hpp"
"$1" ops > "$tmp/ops.md"
diff -u "$2/include/cotrace/trace.h" "$tmp/trace.h"
diff -u "$2/include/cotrace/cotrace.hpp" "$tmp/cotrace.hpp"
diff -u "$2/docs/ops.md" "$tmp/ops.md"
