#!/bin/sh
# What `cot build` writes, in the hands of a C programmer: awkward names, several functions in a
# file, 500 arguments, a loop's bound passed, two threads in one function, and options under
# which the C must not compile.
#   ship.sh COT [JSON]
#
# All of it as C by gcc and by clang, where they are, and as an object, in builds with LLVM.
# JSON reads a manifest.
set -eu
cot=$1
json=${2:-}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
fail() { echo "ship: $*" >&2; exit 1; }

# Parameters named as C's words, the library's macros and the file's own text; functions that
# differ by little, or are called as the text's own functions are, or as a kernel of another
# would be.
cat >names.cot <<'END'
fn @f(%int: f32[3], %work: f32[3], %errno: f32[3], %NULL: f32[3], %I: f32[3], %v1: f32[3], %f32x8: f32[3], %class: f32[3], %uint32_t: f32[3], %_Bool: u32[3], %COT_GNU: u32[3], %INT32_MAX: u32[3], %FLT_RADIX: u32[3]) -> f32[3] {
  %0 = fma %int, %work, %errno : f32[3]
  %1 = fma %NULL, %I, %0       : f32[3]
  %2 = fma %v1, %f32x8, %1     : f32[3]
  %3 = fma %class, %uint32_t, %2 : f32[3]
  %4 = exp %3                  : f32[3]
  %5 = add %_Bool, %COT_GNU    : u32[3]
  %6 = add %INT32_MAX, %FLT_RADIX : u32[3]
  %7 = add %5, %6              : u32[3]
  %8 = convert %7 {dtype=f32}  : f32[3]
  %9 = add %4, %8              : f32[3]
  ret %9
}
fn @g(%x: f32[3]) -> f32[3] {
  %0 = fma %x, %x, %x : f32[3]
  %1 = sqrt %0        : f32[3]
  ret %1
}
END
names="--export f --export f_exp=g --export fma_f32=g --export bits_f32=g --export F=g"
names="$names --export mul_f32x8=g --export g"
cat >names_main.c <<'END'
#include <complex.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include "names.h"
int
main(void)
{
    static const float x[F_INT__SIZE] = { 0.5f, -0.5f, 0.25f };
    static const uint32_t n[3] = { 1, 2, 3 };
    float y[3], z[6][3];
    int (*const all[])(const float *, float *, void *) = { g, f_exp, fma_f32, bits_f32, F,
                                                           mul_f32x8 };
    if (f(x, x, x, x, x, x, x, x, x, n, n, n, n, y, NULL))
        return 1;
    for (int i = 0; i < 6; i++)
        if (all[i](x, z[i], NULL))
            return 1;
    for (int i = 0; i < 3; i++)
        printf("%a %a\n", (double)y[i], (double)z[0][i]);
    for (int i = 1; i < 6; i++)
        for (int k = 0; k < 3; k++)
            if (z[i][k] != z[0][k] && z[0][k] == z[0][k])
                return 1;
    return 0;
}
END

# 500 arguments.
awk 'BEGIN {
    printf "fn @sum("
    for (i = 0; i < 500; i++) printf "%s%%a%d: f64[]", i ? ", " : "", i
    print ") -> f64[] {\n  %0 = add %a0, %a1 : f64[]"
    for (i = 2; i < 500; i++) printf "  %%%d = add %%%d, %%a%d : f64[]\n", i - 1, i - 2, i
    print "  ret %498\n}"
    c = "many_main.c"
    print "#include <stdio.h>\n#include \"many.h\"" >c
    print "int\nmain(void)\n{\n    double x[500], y;" >c
    print "    for (int i = 0; i < 500; i++)\n        x[i] = i;\n    if (sum(" >c
    for (i = 0; i < 500; i++) printf "x + %d, ", i >c
    print "&y, NULL))\n        return 1;\n    printf(\"%g\\n\", y);\n    return 0;\n}" >c
}' >many.cot

# A loop that passes its bound; two threads.
cat >loop.cot <<'END'
fn @below(%l: f32[], %x: f32[]) -> bool[] {
  %0 = lt %x, %l : bool[]
  ret %0
}
fn @twice(%l: f32[], %x: f32[]) -> f32[] {
  %0 = add %x, %x : f32[]
  ret %0
}
fn @grow(%l: f32[], %x: f32[]) -> f32[] {
  %0 = while %l, %x {consts=1, max=5, cond=@below, body=@twice} : f32[]
  ret %0
}
fn @soft(%x: f32[64,200]) -> f32[64,200] {
  %0 = exp %x                    : f32[64,200]
  %1 = reduce_sum %0 {axes=[0]}  : f32[200]
  %2 = broadcast_in_dim %1 {shape=[64,200], dims=[1]} : f32[64,200]
  %3 = div %0, %2                : f32[64,200]
  %4 = cumsum %3 {axis=1}        : f32[64,200]
  %5 = cummax %4 {axis=0}       : f32[64,200]
  ret %5
}
END
# 70 numbers, which a file of two functions and four widths has once.
awk 'BEGIN {
    printf "fn @offset(%%x: f32[70]) -> f32[70] {\n  %%0 = constant {data=["
    for (i = 0; i < 70; i++) printf "%s%d", i ? "," : "", i * i
    print "]} : f32[70]\n  %1 = add %x, %0 : f32[70]\n  ret %1\n}"
}' >>loop.cot
cat >loop_main.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "loop.h"
static float x[SOFT_X_SIZE], y[3][SOFT_OUT0_SIZE];
static void *
many(void *out)
{
    void *work = aligned_alloc(64, SOFT_WORK_BYTES / 64 * 64 + 64);
    long bad = 0;
    for (int i = 0; i < 200; i++)
        bad |= soft(x, out, work);
    free(work);
    return (void *)bad;
}
int
main(void)
{
    static _Alignas(64) char work[GROW_WORK_BYTES + 64];
    const float limit[2] = { 50, 97 }, start = 3;
    float end, sums[2][OFFSET_X_SIZE];
    pthread_t thread[2];
    void *bad[2];
    if (grow(&limit[0], &start, &end, work) != 0 || end != 96 ||
        grow(&limit[1], &start, &end, work) != 8)
        return 1;
    if (offset(x, sums[0], work) || again(sums[0], sums[1], work) || sums[0][69] != 4761 ||
        sums[1][8] != 128)
        return 1;
    for (int i = 0; i < SOFT_X_SIZE; i++)
        x[i] = (float)(i % 53) / 16;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, many, y[i]) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], &bad[i]);
    if (bad[0] || bad[1] || many(y[2]) || memcmp(y[0], y[1], sizeof y[0]) ||
        memcmp(y[0], y[2], sizeof y[0]))
        return 1;
    puts("the same");
    return 0;
}
END

# build SUFFIX COMMAND: the three, compiled or linked by COMMAND, and what they print.
build() {
    "$cot" build names.cot $names -o "names.$1" --header names.h --manifest names.json
    "$cot" build many.cot -o "many.$1" --header many.h
    "$cot" build loop.cot --export grow --export soft --export offset --export again=offset \
        -o "loop.$1" --header loop.h
    [ "$1" != c ] || [ "$(grep -c '4356.0f, 4489.0f' loop.c)" = 1 ] ||
        fail "loop.c: a constant of two functions is there twice"
    for p in names many loop; do
        $2 "${p}_main.c" "$p.$1" -pthread -lm -o "$p" || fail "$p.$1: $2"
        ./$p >"$p.out" || fail "$p.$1, $2: exit status $?"
    done
    [ "$(cat many.out)" = 124750 ] || fail "$1, $2: the sum is $(cat many.out)"
    cat names.out many.out loop.out >out
    [ -f expected ] || cp out expected
    cmp out expected || fail "$1, $2: prints another"
}

# Roundings, whose vectors are instructions: of the least and of the largest x86, each with and
# without optimisation, since some compilers' headers have two texts of an instruction.
for t in f32 f64; do
    echo "fn @round_$t(%x: $t[67]) -> $t[67] {"
    echo "  %0 = floor %x : $t[67]"
    echo "  %1 = sin %0 : $t[67]"
    echo "  %2 = ceil %1 : $t[67]"
    echo "  %3 = exp %2 : $t[67]"
    echo "  %4 = trunc %3 : $t[67]"
    echo "  %5 = max %4, %x : $t[67]"
    echo "  %6 = round %5 : $t[67]"
    echo "  %7 = abs %6 : $t[67]"
    echo "  %8 = sqrt %7 : $t[67]"
    printf '  ret %%8\n}\n'
done >round.cot
# Large sines have integers of 64 bits; of a small constant, lanes that are masked are outside
# of it.
cat >large.cot <<'END'
fn @large(%x: f64[21]) -> f64[21] {
    %0 = sin %x : f64[21]
    ret %0
}
fn @vectors(%x: c128[3,3]) -> f64[3,3] {
    %0 = constant {data=[9, 0, 0, 0, 4, 0, 0, 0, 1]} : c128[3,3]
    %1 = add %x, %0 : c128[3,3]
    %2, %3 = eigh %1 : (f64[3], c128[3,3])
    %4 = abs %3 : f64[3,3]
    ret %4
}
END

found=no
for cc in gcc clang; do
    command -v $cc >/dev/null || { echo "skipped: $cc is not here"; continue; }
    found=yes
    build c "$cc -O0 -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
    for p in names many loop; do
        # headers are C99 and C++
        $cc -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c $p.h ||
            fail "$p.h: C99"
        ! command -v g++ >/dev/null || g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror \
            -fsyntax-only -x c++ $p.h ||
            fail "$p.h: C++"
    done
    "$cot" build round.cot -o round.c
    "$cot" build large.cot -o large.c
    for o in $(case $(uname -m) in x86_64) echo -march=x86-64 -march=skylake-avx512 ;; esac); do
        for lanes in 1 4 8 16; do
            for level in 0 2; do
                for f in round large; do
                    $cc $o -O$level -DCOT_LANES=$lanes -ffreestanding -std=c11 -Wall -Wextra \
                        -Wpedantic -Wconversion \
                        -Wshadow -Werror -fsyntax-only $f.c ||
                            fail "$f.c: $cc $o -O$level, $lanes lanes"
                done
            done
        done
    done
    # A machine of 32 bits, without the headers of a library.
    case $(uname -m) in
    x86_64)
        $cc -m32 -msse2 -mfpmath=sse -ffreestanding -O1 -std=c11 -Wall -Wextra -Wpedantic \
            -Wconversion -Wshadow -Werror \
            -fsyntax-only loop.c || fail "loop.c: $cc -m32"
        # ... whose MMX registers are those of x87.
        $cc -m32 -march=pentium4 -mfpmath=sse -ffreestanding -O2 -std=c11 -DCOT_LANES=4 -w \
            -S large.c -o large.s ||
            fail "large.c: $cc -m32"
        ! grep -q '%mm[0-7]' large.s || fail "large.c: $cc -m32 has vectors in MMX registers"
        ;;
    esac
    # What would change bits is refused.  (Of -funsafe-math-optimizations clang tells nothing,
    # and pragmas undo it.)
    for o in -ffast-math -Ofast -ffinite-math-only -funsafe-math-optimizations -DCOT_LANES=3; do
        if $cc -O2 $o -std=c11 -fsyntax-only names.c 2>refused; then
            [ "$cc $o" = "clang -funsafe-math-optimizations" ] || fail "$cc takes $o"
        else
            grep -q 'IEEE arithmetic\|COT_LANES: the file' refused ||
                fail "$cc $o: $(head -1 refused)"
        fi
    done
done
[ $found = yes ] || exit 77
# Without gcc's vectors there is one width, whatever a project asks for.
if command -v tcc >/dev/null; then
    tcc -DCOT_LANES=8 -c loop.c -o loop_tcc.o || fail "loop.c: tcc"
fi
[ -z "$json" ] || "$json" names.json f f_exp fma_f32 bits_f32 F mul_f32x8 g
for bad in int memcpy main sqrtf printf 'a b' 1x _Bool __x _X int32_t UINT8_MAX FLT_MAX \
    COT_LANES not_eq; do
    if "$cot" build names.cot --export "$bad=g" -o bad.c \
        2>says; then fail "a function called '$bad'"; fi
    grep -q 'no name for a C function' says || fail "'$bad': $(cat says)"
done

# wrong OUTPUT SAYS OPTION...: a build that fails says why, ends with 2, and leaves no OUTPUT.
wrong() {
    left=$1
    why=$2
    shift 2
    result=0
    "$cot" build "$@" 2>says || result=$?
    [ $result = 2 ] || fail "cot build $*: exit status $result"
    grep -q -e "$why" says || fail "cot build $*: $(cat says)"
    [ ! -e "$left" ] || fail "cot build $*: leaves $left"
}
cp loop.cot kept.cot
wrong bad.c 'no-such-folder/bad.h: No such file' loop.cot --export soft -o bad.c \
    --header no-such-folder/bad.h
wrong bad.c 'no-such-folder/bad.json: No such file' loop.cot --export soft -o bad.c \
    --manifest no-such-folder/bad.json
wrong bad.c 'no-such-folder/bad.c: No such file' loop.cot --export soft -o no-such-folder/bad.c
wrong bad.c 'bad.c: is named for two outputs' loop.cot --export soft -o bad.c --header bad.c
wrong bad.c 'bad.h: is named for two outputs' loop.cot --export soft -o bad.c --header bad.h \
    --manifest bad.h
wrong bad.c 'bad.c: is named for two outputs' loop.cot --export soft -o ./bad.c --header bad.c
wrong bad.c 'bad.json: is named for two outputs' loop.cot --export soft -o bad.c \
    --header "$place/bad.json" --manifest bad.json
wrong bad.c 'to be read, and to be written' loop.cot --export soft -o bad.c --header loop.cot
wrong bad.c 'to be read, and to be written' loop.cot --export soft -o bad.c \
    --manifest ./loop.cot
cmp loop.cot kept.cot || fail "cot build writes over its input"
wrong bad.c 'has no function @hard' loop.cot --export hard -o bad.c
wrong bad.c 'no pass is called .zorp' loop.cot --export 'soft|zorp' -o bad.c
wrong bad.c 'wrt names argument 9 of soft' loop.cot --export 'soft|vjp(wrt=[9])' -o bad.c
wrong bad.c 'two functions are named soft' loop.cot --export soft --export soft=grow -o bad.c
wrong bad.c 'donated names argument 0 twice' loop.cot --export soft --donated 0,0 -o bad.c
wrong bad.c 'donated names argument 3' loop.cot --export soft --donated 3 -o bad.c
wrong bad.c 'C source for named processors wants' loop.cot --export soft --cpu x86-64,haswell \
    -o bad.c
wrong bad.c 'is named twice' loop.cot --export soft --cpu x86-64,x86-64 -o bad.c
wrong bad.c 'has a function fma_f64 of its own' loop.cot --export fma_f64=soft --cpu x86-64-v3 \
    -o bad.c
wrong bad.c 'C source has none' loop.cot --export soft --cpu x86-64-v3 --features +avx2 -o bad.c
wrong bad.c 'C source has none' loop.cot --export soft --features +avx2 -o bad.c
wrong bad.zip 'wants a name that ends in' loop.cot --export soft -o bad.zip
wrong bad.mlir 'neither header nor manifest' loop.cot --export soft -o bad.mlir \
    --manifest bad.json
for empty in -o --header --manifest --target --cpu --name --entry; do
    wrong bad.c "$empty is ''" names.cot -o bad.c $empty ''
done
wrong bad.c "an output is '-'" names.cot --export g -o bad.c --header -
wrong bad.c "an output is '-'" names.cot --export g -o bad.c --manifest -
wrong bad.c "an output is '-'" names.cot --export g -o -
[ ! -e - ] || fail "a file called '-' was written"
for idle in '--backend eval' '--trap nan' '--emit dot' --after-each --bless --expect --locs; do
    wrong bad.c "${idle%% *} is not one of its options" names.cot --export g -o bad.c $idle
done
wrong bad.c "export is ''; wants" names.cot --export '' -o bad.c
wrong bad.c "export is 'x=|grad'; wants" names.cot --export 'x=|grad' -o bad.c
# where a name is missing, the message tells what gives one
sed 's/@g/@main/' names.cot >main.cot
wrong bad.c "'main' is no name.*libraries have it.*--name" main.cot -o bad.c
wrong bad.c "'1x' is no name.*wants letters.*--name" main.cot --name 1x -o bad.c
"$cot" build main.cot --name chief -o named.c
# a header may begin with a digit, a macro may not
"$cot" build names.cot --export g -o 2g.c --header 2g.h
echo '#include "2g.h"' >2g_user.c
cc -std=c11 -Wall -Wextra -Werror -fsyntax-only 2g_user.c || fail "2g.h: is no C"
# a disk without room: no half a file
if [ -w /dev/full ]; then
    wrong bad.c '/dev/full: No space left' names.cot --export g -o bad.c --header /dev/full
    [ -e /dev/full ] || fail "/dev/full is gone"
fi
wrong bad.c 'no output is named' loop.cot --export soft

if "$cot" build many.cot -o many.o 2>/dev/null; then
    build o "cc -std=c11 -Wall -Wextra -Werror"
    wrong bad.o 'target potato.*wants x86_64' loop.cot --export soft --target potato -o bad.o
    for list in , x86-64-v2, ,x86-64-v2 x86-64-v2,,x86-64-v3; do
        wrong bad.o "the processors are '$list'" loop.cot --export soft \
            --target x86_64-linux-gnu --cpu $list -o bad.o
    done
    wrong bad.o "no processor 'abacus'" loop.cot --export soft --target x86_64-linux-gnu \
        --cpu abacus -o bad.o
    wrong bad.o "no feature '+zork'" loop.cot --export soft --target x86_64-linux-gnu \
        --features +zork -o bad.o
    # what a processor lacks is spelled out, or the compiler's own runtime: never a mathematical
    # library's
    for to in 'armv7m-none-eabi' 'armv8m.main-none-eabi' \
        'armv8m.main-none-eabi --cpu cortex-m55' armv8.1m.main-none-eabi \
        'riscv64-linux-gnu --features -v,-d' 'riscv64-linux-gnu --features -v,-f,-d' \
            'riscv64-linux-gnu --cpu sifive-s51' \
        'riscv64-linux-gnu --features -v,+zve32f' 'riscv64-linux-gnu --features +zve32x,-v'; do
        "$cot" build round.cot --target $to -o round.s 2>says ||
            fail "cot build --target $to: $(cat says)"
        [ ! -s says ] || fail "cot build --target $to: says $(cat says)"
        calls='^[[:space:]]+(call|tail|bl|b)[[:space:]]+'
        math='(sqrt|fma|floor|ceil|trunc|roundeven|rint|fmaximum|fminimum)f?(@plt)?$'
        if grep -E "$calls$math" round.s; then
            fail "cot build --target $to: wants a library"
        fi
    done
    # a shared library takes the code as it is, and what it wants of others is all that a
    # program has
    for pic in gcc clang; do
        command -v $pic >/dev/null || continue
        $pic -shared -Wl,-z,text -Wl,-z,defs loop.o many.o names.o -o libship.so ||
            fail "$pic: no shared library"
    done
fi

# A loop with a bound and its gradient on a Cortex-M4F: linked with libgcc alone; where qemu-arm
# is, it gives the bits and the answers that this machine gives, with work of the size that the
# header states.
cat >tape.cot <<'END'
fn @below(%l: f32[], %x: f32[]) -> bool[] {
  %0 = lt %x, %l : bool[]
  ret %0
}
fn @square(%l: f32[], %x: f32[]) -> f32[] {
  %0 = fma %x, %x, %x : f32[]
  ret %0
}
fn @grow(%l: f32[], %x: f32[]) -> f32[] {
  %0 = while %l, %x {consts=1, max=5, cond=@below, body=@square} : f32[]
  ret %0
}
END
cat >tape_main.c <<'END'
#include <stddef.h>
#include "tape.h"
#if defined(__arm__)
static int
call(int n, int a, const void *b, int c)
{
    register int r7 __asm__("r7") = n, r0 __asm__("r0") = a, r1 __asm__("r1") = (int)b,
                 r2 __asm__("r2") = c;
    __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
    return r0;
}
#define write(f, b, n) call(4, f, b, n)
void *
memmove(void *to, const void *from, size_t n) /* the C file wants it, the object does not */
{
    volatile unsigned char *t = to;
    const unsigned char *f = from;
    for (size_t i = 0; i < n; i++)
        t[t <= f ? i : n - 1 - i] = f[t <= f ? i : n - 1 - i];
    return to;
}
__asm__(".globl _start\n.thumb_func\n_start: bl main\n movs r7, #1\n svc 0\n");
#else
#include <unistd.h>
#endif
static _Alignas(64) char work[GROW_WORK_BYTES + SLOPE_WORK_BYTES + 1];
int
main(void)
{
    static const float limit[] = { 0, 3, 40, 1e30f }, start[] = { 0.1f, 0.7f, 1.1f };
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            struct { int status[2]; float y, slope; } out = { { 0, 0 }, 0, 0 };
            out.status[0] = grow(&limit[i], &start[k], &out.y, work);
            out.status[1] = slope(&limit[i], &start[k], &out.slope, work);
            if (out.status[0] || out.status[1])     /* no result is defined */
                out.y = out.slope = 0;
            if (write(1, &out, sizeof out) != sizeof out)
                return 1;
        }
    return 0;
}
END
tape="--export grow --export slope=grow|grad(wrt=[1])"
"$cot" build tape.cot $tape -o tape.c --header tape.h
cc -std=c11 -O1 -D_GNU_SOURCE tape_main.c tape.c -o tape && ./tape >tape.want ||
    fail "tape.c: exit status $?"
[ "$(od -v -An -tu4 -w16 tape.want | awk '$1 == 8 && $2 == 8' | wc -l)" = 5 ] ||
    fail "tape.c: the bound comes back other than 5 times"
files=tape.c
if "$cot" build tape.cot $tape -o tape_m4.o --target armv7em-none-eabi 2>/dev/null; then
    files="tape.c tape_m4.o"
    "$cot" build tape.cot $tape -o tape_host.o
    cc -std=c11 -D_GNU_SOURCE tape_main.c tape_host.o -o tape && ./tape >tape.got ||
        fail "tape.o: exit status $?"
    cmp tape.want tape.got || fail "tape.o: other bits"
fi
if command -v arm-none-eabi-gcc >/dev/null; then
    cpu="-mcpu=cortex-m4 -mfloat-abi=softfp -mfpu=fpv4-sp-d16 -std=c11 -O2"
    cpu="$cpu -ffreestanding -fno-builtin"
    for f in $files; do
        arm-none-eabi-gcc $cpu -nostdlib -static -Wl,-Ttext=0x100000 tape_main.c $f -lgcc \
            -o tape_m4 2>said || fail "$f: does not link"
        command -v qemu-arm >/dev/null || continue
        timeout 60 qemu-arm ./tape_m4 >tape.got || fail "$f on a Cortex-M4F: exit status $?"
        cmp tape.want tape.got || fail "$f on a Cortex-M4F: other bits"
    done
fi

# The profile of a file: kernels run as often as loops say, results keep their bits, the two
# functions may be the caller's own, and the header is C++, too.
cat >counted.cot <<'EOF'
fn @step(%w: f32[40,40], %x: f32[40,40]) -> f32[40,40] {
  %0 = dot_general %w, %x {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[40,40]
  %1 = tanh %0 : f32[40,40]
  ret %1
}
fn @walk(%w: f32[40,40], %x: f32[40,40]) -> f32[40,40] {
  %0 = scan %w, %x {consts=1, carries=1, length=7, body=@step} : f32[40,40]
  %1 = reverse %0 {axes=[1]} : f32[40,40]
  ret %1
}
fn @back(%w: f32[40,40], %x: f32[40,40]) -> f32[40,40] {
  %0 = call %x, %w {body=@step} : f32[40,40]
  %1 = cumsum %0 {axis=0} : f32[40,40]
  ret %1
}
EOF
cat >counted_main.c <<'EOF'
#include <stdio.h>
#include <string.h>
#if COUNTED
#define WALK_PROFILE
#define BACK_PROFILE
#endif
#include "counted.h"
#if OWN
static int inside[64], most;
int64_t walk_enter(int64_t row) { inside[row]++; return 1000 + row; }
void
walk_leave(int64_t row, int64_t entered)
{
    most += entered == 1000 + row && row < WALK_PROFILE_ROWS;
}
int64_t back_enter(int64_t row) { return row; }
void back_leave(int64_t row, int64_t entered) { most -= row != entered; }
#endif
static float w[1600], x[1600], y[1600], g[1600];
static _Alignas(64) char work[WALK_WORK_BYTES + BACK_WORK_BYTES + 1];
int
main(void)
{
    for (int i = 0; i < 1600; i++) {
        w[i] = (float)(i % 7) * 0.1f - 0.3f;
        x[i] = (float)(i % 11) * 0.2f - 1;
    }
#if COUNTED
    static const char *const name[] = WALK_PROFILE_NAMES;
    static const int64_t bytes[] = WALK_PROFILE_BYTES, flops[] = WALK_PROFILE_FLOPS;
    static struct walk_profile_row row[WALK_PROFILE_ROWS];
    if (walk(w, x, y, work))        /* there is no buffer yet */
        return 1;
    walk_profile = row;
#endif
    for (int call = 0; call < 3; call++)
        if (walk(w, x, y, work) || back(w, x, g, work))
            return 1;
#if COUNTED
    int found = 0;
    for (int i = 0; i < WALK_PROFILE_ROWS; i++) {
        if (strncmp(name[i], "dot", 3) == 0)
            found += row[i].runs == 21 && bytes[i] >= 3 * 6400 && flops[i] >= 2 * 64000;
        else if (strncmp(name[i], "reverse", 7) == 0)
            found += row[i].runs == 3;
        if (row[i].runs < 0 || row[i].ticks < 0 || (row[i].runs && row[i].ticks == 0))
            return 2;
    }
    if (found != 2 || back_profile)
        return 3;
#endif
#if OWN
    int all = 0;
    for (int i = 0; i < 64; i++)
        all += inside[i];
    if (all != most || all < 24)
        return 4;
#endif
    return fwrite(y, sizeof y, 1, stdout) != 1 || fwrite(g, sizeof g, 1, stdout) != 1;
}
EOF
counted="--export walk --export back"
"$cot" build counted.cot $counted -o plain.c --header counted.h
cc -std=c11 -O1 counted_main.c plain.c -o counted && ./counted >counted.want ||
    fail "plain.c: exit status $?"
"$cot" build counted.cot $counted --profile -o counted.c --header counted.h \
    --manifest counted.json
grep -q '"profile": \[{"name": "dot' counted.json || fail "counted.json has no profile"
[ -z "$json" ] || "$json" counted.json >/dev/null || fail "counted.json is no JSON"
files=counted.c
if "$cot" build counted.cot $counted --profile -o counted.o 2>/dev/null; then
    files="counted.c counted.o"
    case $(uname -m) in
    x86_64)
        "$cot" build counted.cot $counted --profile --cpu x86-64-v2,x86-64-v3 -o counted_2.o
        files="$files counted_2.o" ;;
    esac
fi
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    for f in $files; do
        for how in COUNTED OWN; do
            $cc -std=c11 -O1 -Wall -Wextra -Werror -D$how=1 counted_main.c $f -o counted ||
                fail "$f: does not link by $cc with $how"
            ./counted >counted.got || fail "$f by $cc with $how: exit status $?"
            cmp counted.want counted.got || fail "$f by $cc with $how: other bits"
        done
    done
done
printf '%s\n' '#define WALK_PROFILE' '#include "counted.h"' \
    'int main() { return walk_profile != 0; }' >counted.cpp
if command -v g++ >/dev/null; then
    g++ -Wall -Wextra -Werror counted.cpp -o counted && ./counted || fail "counted.h as C++"
fi
"$cot" build counted.cot --export walk --profile -o counted.ptx 2>said &&
    fail "PTX has a profile"
grep -q "only objects and C source have a profile" said || fail "PTX: $(cat said)"
