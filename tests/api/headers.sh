#!/bin/sh
# The public headers, alone and together, are clean as C11 and as C++17 under every compiler
# that is installed; what must not compile does not.
#     headers.sh SOURCE_DIR
set -eu
src=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
flags="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$src/include"

for h in "$src"/include/cotrace/*.h; do
    echo "#include \"cotrace/$(basename "$h")\"" > "$tmp/one.c"
    echo "int main(void) { return 0; }" >> "$tmp/one.c"
    cp "$tmp/one.c" "$tmp/one.cpp"
    for cc in gcc clang-19; do
        command -v $cc > /dev/null && $cc -std=c11 $flags "$tmp/one.c"
    done
    for cxx in g++ clang++-19; do
        command -v $cxx > /dev/null && $cxx -std=c++17 $flags "$tmp/one.cpp"
    done
done
echo '#include "cotrace/cotrace.hpp"' > "$tmp/one.cpp"
for cxx in g++ clang++-19; do
    command -v $cxx > /dev/null && $cxx -std=c++17 $flags "$tmp/one.cpp"
done
for cc in gcc clang-19; do
    command -v $cc > /dev/null || continue
    for f in "$src"/tests/api/*.c; do
        $cc -std=c11 $flags "$f"
    done
done
for cxx in g++ clang++-19; do
    command -v $cxx > /dev/null || continue
    for f in "$src"/tests/api/*.cpp; do
        $cxx -std=c++17 $flags "$f"
    done
done

# A79, A80: a traced value is no condition, an array is no destination.  Each line alone must
# fail.
while IFS= read -r line; do
    printf '%s\n' '#include "cotrace/cotrace.h"' 'void f(cot_value v, cot_array *a);' \
        'void f(cot_value v, cot_array *a)' '{' '(void)v, (void)a;' "$line" '}' > "$tmp/no.c"
    if gcc -std=c11 -I"$src/include" -fsyntax-only "$tmp/no.c" 2> /dev/null; then
        echo "compiles, and must not: $line"
        exit 1
    fi
done <<'END'
if (v) v = v;
while (v) v = v;
int i = v > 0;
v = cot_add(v, a);
v = cot_sin(2.0);
v = cot_add(v, "1");
cot_assign(v, a);
cot_assign(a, v);
END
