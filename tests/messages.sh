#!/bin/sh
# Every row of errors.def is quoted by a test.   messages.sh PROGRAM SOURCE_DIR
set -eu
cd "$2"
exec "$1" $(find tests examples -name '*.c' -o -name '*.h' -o -name '*.cot' -o -name '*.sh' -o \
    -name '*.cpp' |
                grep -v '^tests/messages.c$' | sort) -- \
          $(find ir passes frontend codegen runtime tools -name '*.c' | sort)
