#!/bin/sh
# docs/carriers.md from its programs.   docs/carriers.sh [BUILD_DIR [STEP]]
#
# The programs of examples are what they compile, as COT_DUMP writes it.  STEP takes one program in so many; all of
# them take a quarter of an hour on two idle cores.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
step=${2:-1}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for example in "$build"/examples/* "$build"/examples/torch_func/*; do
    [ -f "$example" ] && [ -x "$example" ] || continue
    folder=$place/examples/$(basename "$example")
    mkdir -p "$folder"
    COT_DUMP=trace,simplify COT_DUMP_DIR=$folder timeout 60 "$example" >/dev/null 2>&1 </dev/null || true
done
"$build"/tests/laws/law_carriers --page 0 "$step" tests/goldens/*.cot tests/text/*/*.cot "$place"/examples/*/*.cot >"$place/page.md"
mv "$place/page.md" docs/carriers.md
