#!/bin/sh
# The C blocks of a page as one program: what it prints is what the text blocks say.  Files,
# commands, and what those print are left to shell_page.sh.
#   page.sh SOURCE_DIR PAGE CC LIBRARY_FOLDER
set -eu
src=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
awk -v tmp="$tmp" '
    !inside && /^`[^ `]*`:$/ { named = 1; next }
    /^```/ {
        if (inside) { inside = ""; named = 0; next }
        inside = substr($0, 4)
        first = 1
        if (inside != "text") other = named || inside ~ /^sh/
        next
    }
    other { next }
    inside == "c" {
        if (first) indented = /^    /
        first = 0
        print > (tmp "/" (indented ? "body" : "top"))
    }
    inside == "text" { print > (tmp "/expected") }
' "$src/$2"
{
    echo '#include <string.h>'
    cat "$tmp/top"
    echo 'static cot_status run(cot_context *ctx) {'
    cat "$tmp/body"
    echo 'return COT_OK; }'
    echo 'int main(void) { cot_context *ctx = cot_context_new(NULL); cot_status s = run(ctx);'
    echo 'fputs(cot_error(ctx), stderr);'
    echo 'cot_context_free(ctx); return (int)s; }'
} > "$tmp/page.c"
cd "$tmp"
"$3" -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$src/include" page.c -o page -L"$4" \
    -lcotrace -Wl,-rpath,"$4"
./page > printed
diff -u expected printed
