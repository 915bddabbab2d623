#!/bin/sh
# A script for a Python with JAX: $COT_JAX_PYTHON, or the first argument; skipped (77) where
# there is none.
python=${COT_JAX_PYTHON:-$1}
shift
command -v "$python" >/dev/null 2>&1 || { echo "no $python"; exit 77; }
JAX_PLATFORMS=cpu exec "$python" "$@"
