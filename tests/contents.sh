#!/bin/sh
# No transform looks at what an array holds: passes neither evaluate a graph nor touch memory of
# arrays.
#
#   contents.sh SOURCE_DIR
set -u
cd "$1" || exit 1
lines=$(grep -nE '\b(ir_eval|ir_array_[a-z_]*|cot_array[a-z_]*|cot_run|rt_[a-z_]+) *\(' \
    passes/*.c passes/rules/*.c \
        passes/*.h passes/rules/*.h)
[ -z "$lines" ] && exit 0
printf 'passes read contents:\n%s\n' "$lines"
exit 1
