#!/bin/sh
# An example prints what is committed.   compare.sh PROGRAM EXPECTED
set -eu
"$1" | diff -u "$2" -
