#!/bin/sh
# A page whose blocks are files and commands: what the commands print is what the text blocks
# say.
#   shell_page.sh SOURCE_DIR PAGE COT RT_LIBRARY_FOLDER
#
# A block that begins with a line `FILE:` in backquotes above it is that file; sh blocks are
# run, one after the other; console blocks only show.
set -eu
page=$1/$2
cot_folder=$(cd "$(dirname "$3")" && pwd)
rt=$4
include=$1/include
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
awk -v tmp="$tmp" '
    /^```/ {
        if (inside) { inside = ""; name = ""; next }
        inside = substr($0, 4)
        if (inside == "") inside = "plain"
        next
    }
    !inside && /^`[^ `]*`:$/ { name = substr($0, 2, length($0) - 3); next }
    inside && name != "" { print > (tmp "/" name); next }
    inside == "sh" { print > (tmp "/commands.sh") }
    inside == "text" { print > (tmp "/expected") }
' "$page"
cd "$tmp"
mkdir -p include/cotrace
cp "$include"/cotrace/*.h include/cotrace/
cp "$1/runtime/support/pool.h" include/cotrace/
PATH=$cot_folder:$PATH RT=$rt INCLUDE=$tmp/include sh -eu commands.sh >printed
diff -u expected printed
