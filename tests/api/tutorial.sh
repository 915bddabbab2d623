#!/bin/sh
# The blocks of docs/tutorial.md as one program: what it prints is what the page says.
#   tutorial.sh SOURCE_DIR CC LIBRARY_FOLDER
set -eu
src=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
awk -v tmp="$tmp" '
    /^```/ { if (inside) { inside = ""; next } inside = substr($0, 4); first = 1; next }
    inside == "c" { if (first) indented = /^    /; first = 0; print > (tmp "/" (indented ? "body" : "top")) }
    inside == "text" { print > (tmp "/expected") }
' "$src/docs/tutorial.md"
{
    echo '#include <string.h>'
    cat "$tmp/top"
    echo 'static cot_status run(cot_context *ctx) {'
    cat "$tmp/body"
    echo 'return COT_OK; }'
    echo 'int main(void) { cot_context *ctx = cot_context_new(NULL); cot_status s = run(ctx);'
    echo 'fputs(cot_error(ctx), stderr);'
    echo 'cot_context_free(ctx); return (int)s; }'
} > "$tmp/tutorial.c"
cd "$tmp"
"$2" -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$src/include" tutorial.c -o tutorial -L"$3" -lcotrace -Wl,-rpath,"$3"
./tutorial > printed
diff -u expected printed
