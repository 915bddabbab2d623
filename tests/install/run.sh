#!/bin/sh
# Install into a folder, and build a project outside against that copy: shared and static, by
# CMake and by pkg-config.
#
#   run.sh SOURCE_DIR BUILD_DIR
set -eu
source=$1 build=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cmake --install "$build" --prefix "$place/prefix" >"$place/log" 2>&1 ||
    { cat "$place/log"; exit 1; }
prefix=$place/prefix
flags=$(sed -n 's/^CMAKE_C_FLAGS:STRING=//p' "$build/CMakeCache.txt")

for file in include/cotrace/cotrace.h include/cotrace/pool.h bin/cot share/man/man1/cot.1 \
    share/bash-completion/completions/cot share/zsh/site-functions/_cot \
    share/fish/vendor_completions.d/cot.fish \
    share/doc/cotrace/README.md \
    share/doc/cotrace/docs/tutorial.md share/doc/cotrace/examples/lorenz.c; do
    [ -e "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
library=$(find "$prefix" -name 'libcotrace.so')
[ -n "$library" ] || { echo "not installed: libcotrace.so"; exit 1; }
folder=$(dirname "$library")
readelf -d "$library" | grep -q 'SONAME.*libcotrace\.so\.0' ||
    { echo "libcotrace.so has no SONAME"; exit 1; }
for file in libcotrace.a libcotrace_rt.a pkgconfig/cotrace.pc \
    cmake/cotrace/cotraceConfig.cmake; do
    [ -e "$folder/$file" ] || { echo "not installed: $file"; exit 1; }
done

cmake -S "$source/tests/install" -B "$place/outside" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_FLAGS="$flags" >"$place/log" 2>&1 &&
        cmake --build "$place/outside" >>"$place/log" 2>&1 ||
    { cat "$place/log"; exit 1; }
"$place/outside/with_shared"
"$place/outside/with_static"

PKG_CONFIG_PATH=$folder/pkgconfig
export PKG_CONFIG_PATH
cc $flags -std=c11 "$source/tests/install/main.c" $(pkg-config --cflags --libs cotrace) \
    -Wl,-rpath,"$folder" -o "$place/shared"
"$place/shared"
cc $flags -std=c11 "$source/tests/install/main.c" $(pkg-config --cflags cotrace) \
    "$folder/libcotrace.a" \
    $(pkg-config --static --libs-only-other --libs-only-L --libs-only-l cotrace |
        sed 's/-lcotrace//') -o "$place/static"
"$place/static"
"$prefix/bin/cot" --version

cd "$place"
awk '/^```/ { inside = inside ? "" : substr($0, 4); next }
    inside { print > (inside == "c" ? "prog.c" : "readme." inside) }' "$source/README.md"
sed "1d; s,DIR/lib,$folder,g; s,DIR,$prefix,g; s,^cc ,cc $flags ," readme.sh >commands.sh
sh -e commands.sh >printed
diff -u readme.text printed
