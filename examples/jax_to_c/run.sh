#!/bin/sh
# The commands of docs/jax-to-c.md, in a copy of this folder: they print what the page says.
#
#   run.sh SOURCE_DIR COT CC
set -eu
src=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"
ln -s "$2" "$tmp/bin/cot"
cp "$src"/examples/jax_to_c/* "$tmp"
cd "$tmp"
awk '
    /^```/ { if (inside) { inside = ""; next } inside = substr($0, 4); next }
    inside == "sh" { print > "commands" }
    inside == "text" { print > "expected" }
' "$src/docs/jax-to-c.md"
{ PATH="$tmp/bin:$PATH" CC="$3" sh -eu commands; echo; } >printed
sed -i '$ { /^$/d }' printed
diff -u expected printed
