#!/bin/sh
# docs/errors.md is what cot-gen writes, and every message has its line.   errors.sh COT_GEN
# SOURCE_DIR
set -eu
"$1" errors | diff -u "$2/docs/errors.md" -
