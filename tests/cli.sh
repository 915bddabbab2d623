#!/bin/sh
# The program `cot`: its verbs on good files, its exit status and one message on bad ones.
#
#   cli.sh COT
. "$(dirname "$0")/cli_lib.sh"

cat >f.cot <<'END'
fn @f(%x: f32[4], %w: f32[4]) -> f32[] {
  %0 = sin %x                   : f32[4]
  %1 = mul %0, %w               : f32[4]
  %2 = reduce_sum %1 {axes=[0]} : f32[]
  ret %2
}
END
printf '%s\n' 'fn @bad(%x: f32[2,3], %y: f32[4,5]) -> f32[2,5] {' \
    '  %0 = add %x, %y : f32[2,3]' '  ret %0' '}' >bad.cot
printf '%s\n' 'fn @a() -> f32[] {' '  %0 = constant {data=1} : f32[]' '  ret %0' '}' \
    'fn @b() -> f32[] {' '  %0 = constant {data=2} : f32[]' '  ret %0' '}' >two.cot
printf '%s\n' 'fn @n(%x: f32[2]) -> f32[2] {' '  %0 = neg %x : f32[2]' \
    '  %1 = abs %0 : f32[2]' '  %2 = neg %1 : f32[2]' \
    '  %3 = sqrt %2 : f32[2]' '  ret %3' '}' >nan.cot
printf 'fn @b(%%dx: f32[4]) -> (dx: f32[4]) {\n  %%0 = neg %%dx : f32[4]\n  ret %%0\n}\n' >b.cot
# An npy file whose header says more than it has; f32[3,4] of zeros.
{ printf '\223NUMPY\001\000'; printf '\071\000'; printf '%s' "$header"; printf \
    '\000\000\200\077'; } >liar.npy
{ printf '\223NUMPY\001\000'; printf '\073\000'; printf \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"; head -c 48 /dev/zero; } \
    >mapped.npy

status 0 "$cot" --version;                                   prints "cot 0"
status 0 "$cot" --help;                                      prints "exit status"
status 0 "$cot" run --help;                                  prints "exit status"
status 2 "$cot" run f.cot four.npy;                          says "the second is 'four.npy'"
status 2 "$cot"
status 2 "$cot" melt f.cot;                                  says "no verb 'melt'"
status 2 "$cot" biuld f.cot;                                 says "did you mean 'build'?"
status 2 env COT_THREADS=two "$cot" run f.cot;               says \
    "COT_THREADS is 'two'; wants a number"
status 2 "$cot" opt;                                         says "wants one"
status 2 "$cot" opt missing.cot;                             says "missing.cot: No such file"
status 2 "$cot" opt .;                                       says "Is a directory"
status 2 "$cot" opt g.cot;                                   says "(did you mean f.cot?)"
status 2 "$cot" opt "$PWD/bda.cot";                          says "mean $PWD/bad.cot?)"
status 2 "$cot" opt f.cot --wrong;                           says "no option '--wrong'"
status 2 "$cot" opt f.cot --afer-each;                       says "mean '--after-each'?"
status 2 "$cot" opt f.cot -p;                                says "-p wants a value"
status 2 "$cot" opt bad.cot;                                 says "bad.cot:2: add: "
status 2 "$cot" opt bad.cot --color always;                  says "$(printf \
    '\033[1mbad.cot:2\033[0m: \033[1;31madd\033[0m: ')"
status 2 "$cot" opt bad.cot --color never;                   says "bad.cot:2: add: "
status 2 "$cot" opt bad.cot --color blue;                    says "wants auto, always or never"
status 0 "$cot" check f.cot --color always;                  prints "$(printf \
    'text         \033[32magrees\033[0m')"
status 2 "$cot" opt f.cot -p 'grind';                        says "grind"
status 2 "$cot" opt f.cot -p 'grad(wrt=[7])'
status 2 "$cot" opt f.cot --emit html;                       says "cot explore"
status 2 "$cot" opt model.mlir;                              says \
    "model.mlir: No such file or directory"
status 0 "$cot" opt f.cot -p 'grad | vmap(in=[0,none], size=3)'; prints "f32[3,4]"
status 0 "$cot" opt f.cot -p 'grad | dce' --after-each;      prints "; dce: unchanged"
status 0 "$cot" opt f.cot --emit dot;                        prints "digraph"
status 0 "$cot" opt two.cot;                                 prints "@b"
status 0 "$cot" opt two.cot --entry a;                       prints "@a"
status 2 "$cot" run two.cot;                                 says \
    "two.cot has 2 functions; pick one with --entry"
status 0 "$cot" run two.cot --entry b;                       prints "f32[] 2"
status 2 "$cot" run two.cot --entry c;                       says \
    "the file has no function @c; it has @a, @b"
status 0 "$cot" run f.cot;                                   prints "seed 1"
status 0 "$cot" run f.cot --backend eval --in four.npy four.npy --out y
status 2 "$cot" run f.cot --backend ptx;                     says \
    "wants jit, c, eval, cuda or sim"
# C source: written, and run by way of the system's compiler where there is one.
status 0 "$cot" build f.cot -o f.c --header f.h
if cc --version >/dev/null 2>&1; then
    status 0 "$cot" run f.cot --backend c
    "$cot" run f.cot --backend eval >want; "$cot" run f.cot --backend c >got; cmp want got ||
        exit 1
    # Parallel loops go through a pool, which cannot show.
    printf '%s\n' 'fn @wide(%x: f32[300,500]) -> (y: f32[300,500], s: f32[]) {' \
        '  %0 = sin %x : f32[300,500]' '  %1 = reduce_sum %0 {axes=[0,1]} : f32[]' \
        '  ret %0, %1' '}' >wide.cot
    "$cot" run wide.cot --backend eval >want; "$cot" run wide.cot --backend c --threads 3 \
        >got; cmp want got || exit 1
    status 0 "$cot" build wide.cot --threads 3 -o wide.c --header wide.h
    grep -q 'float \*s, const struct cot_parallel \*pool, void \*work);' wide.h ||
        { bad=1; cat wide.h; }
    { cat wide.h wide.c; echo 'int main(void) { return 0; }'; } >both.c
    status 0 cc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror both.c -o both
    status 2 env COT_CC=no-such-compiler "$cot" run f.cot --backend c; says "could not be run"
    # A compiler that refuses the file: the first line of what it says.
    printf '#!/bin/sh\necho refusing: no >&2\necho more >&2\nexit 1\n' >refusing
    chmod +x refusing
    status 2 env COT_CC=./refusing "$cot" run f.cot --backend c; says \
        "the C compiler './refusing' failed: refusing: no"
fi
status 2 "$cot" run f.cot --in four.npy;                     says \
    "names 1 arrays; it has 2 arguments"
status 2 "$cot" run f.cot --in four.npy mapped.npy;          says \
    "argument 1 in mapped.npy is f32[3,4]; wants f32[4]"
status 2 "$cot" run f.cot --in four.npy liar.npy;            says \
    "fewer elements than its shape says"
status 0 "$cot" run f.cot --in mapped.npy four.npy -p 'vmap(in=[0,none])'; prints \
    "f32[3] [0, 0, 0]"
status 0 "$cot" run f.cot --in mapped.npy four.npy -p 'grad | vmap(in=[0,none])'; prints \
    "f32[3,4]"
status 2 "$cot" opt f.cot -p 'vmap(in=[0,none,1], size=3)';      says \
    "in is [0,none,1] for the arguments"
status 2 "$cot" run f.cot -p 'vmap'
# Named arrays: of a build with libzip and jansson.
"$cot" run f.cot --backend eval --out y.npz >/dev/null 2>err
if ! grep -q "want a build with libzip" err; then
    npz=$data/positions.npz    # arr_0, arr_1
    status 0 "$cot" run f.cot --in "$npz";                   prints "f32[] 5.61"
    sed 's/%x/%arr_1/g; s/%w/%arr_0/g' f.cot >named.cot
    status 0 "$cot" run named.cot -p grad --in "$npz";       prints "[-0.65"
    status 2 "$cot" run named.cot --in "$npz" four.npy;      says \
        "names 3 arrays; it has 2 arguments"
    status 2 "$cot" run b.cot --in "$npz";                   says \
        'it has no argument called "arr_1"'
    status 2 "$cot" run f.cot --in "$npz" "$npz";            says '"arr_0" is in'
    status 0 "$cot" run b.cot --in four.npy --out dx.npz
    status 0 "$cot" run b.cot --in dx.npz;                   prints "f32[4] [1, 2, 3, 4]"
    status 2 "$cot" run f.cot --in "$data/nothing.npz";      says \
        "names 0 arrays; it has 2 arguments"
fi
"$cot" run f.cot --backend eval --out y.safetensors >/dev/null 2>err
if ! grep -q "want a build with jansson" err; then
    status 0 "$cot" run b.cot --in four.npy --out dx.safetensors
    status 0 "$cot" run b.cot --in dx.safetensors;           prints "f32[4] [1, 2, 3, 4]"
    status 2 "$cot" run f.cot --in "$data/bf16.safetensors"; says "no argument called"
fi
status 1 "$cot" run nan.cot --trap nan;                      says "nan.cot:5: sqrt: sqrt(-"
status 0 "$cot" run f.cot --trap nan
status 0 "$cot" run f.cot --trapping-math
status 0 "$cot" build f.cot --trapping-math -o traps.c;      grep -q FENV_ACCESS traps.c ||
    status 0 false
status 0 "$cot" build f.cot -o plain.c;                      grep -q FENV_ACCESS plain.c &&
    status 0 false
status 2 "$cot" opt f.cot --trapping-math;                   says \
    "--trapping-math is not one of its options, but of run build bench"
status 2 "$cot" run f.cot --threads none;                    says "--threads"
status 0 "$cot" check f.cot;                                 prints "derivatives  agrees"
prints "of its jvp   "
prints "of its vjp   "
status 0 "$cot" check f.cot -p 'grad | vmap(in=[0,none], size=3)'
# A derivative that is wrong in one element is found: the transposed half of a root that the
# user gave divides by 3 x.
cat >wrong.cot <<'END'
fn @solve(%c: f64[3], %x: f64[3]) -> f64[3] {
  %0 = sqrt %c : f64[3]
  ret %0
}
fn @miss(%c: f64[3], %x: f64[3]) -> f64[3] {
  %0 = mul %x, %x : f64[3]
  %1 = sub %0, %c : f64[3]
  ret %1
}
fn @back(%c: f64[3], %x: f64[3], %b: f64[3]) -> f64[3] {
  %0 = constant {data=[2,2,3]} : f64[3]
  %1 = mul %x, %0 : f64[3]
  %2 = div %b, %1 : f64[3]
  ret %2
}
fn @line(%c: f64[3], %x: f64[3], %v: f64[3]) -> f64[3] {
  %0 = add %x, %x : f64[3]
  %1 = mul %0, %v : f64[3]
  ret %1
}
fn @f(%y: f64[3]) -> f64[3] {
  %0 = exp %y : f64[3]
  %1 = root %0, %0 {consts=1, parts=[@solve,@miss,@back,@line,@back,@line]} : f64[3]
  ret %1
}
END
status 1 "$cot" check wrong.cot;                             prints \
    "derivatives  FAILED: jvp: result 0, element 2"
sed 's/2,2,3/2,2,2/' wrong.cot >right.cot
status 0 "$cot" check right.cot;                             prints "derivatives  agrees"
# Without LLVM the C back end is judged: a compiler that multiplies where it should add is found
# out, and none at all is said so.
if ! "$cot" run f.cot --backend jit >/dev/null 2>err; then
    cat >wrongcc <<'END'
#!/bin/sh
for last; do :; done
sed -i 's/ \* / + /' "$last"
exec cc "$@"
END
    chmod +x wrongcc
    cat >product.cot <<'END'
fn @f(%x: f32[37], %y: f32[37]) -> f32[37] {
  %0 = mul %x, %y : f32[37]
  ret %0
}
END
    status 0 "$cot" check product.cot;                                  prints \
        "back ends    agrees"
    status 1 env COT_CC=./wrongcc "$cot" check product.cot;             prints \
        "back ends    FAILED: C, 32 bits"
    status 0 env COT_CC=/nowhere/cc "$cot" check product.cot;           prints \
        "back ends    skipped: there is only the reference evaluator"
fi
# The bits of a float are its own also where differences are taken in f64; a loop that negative
# numbers never leave is asked about others, and one that never ends is left alone.
cat >bits.cot <<'END'
fn @f(%x: f32[8]) -> f32[8] {
  %0 = bitcast %x {dtype=i32} : i32[8]
  %1 = argsort %0 {axis=0} : i32[8]
  %2 = reshape %1 {shape=[8,1]} : i32[8,1]
  %3 = gather %x, %2 {offset_dims=[], collapsed=[0], operand_batch=[], indices_batch=[], index_map=[0], sizes=[1]} : f32[8]
  ret %3
}
END
status 0 "$cot" check bits.cot;                              prints "derivatives  agrees"
# The derivative of eigenvalues that is judged is the rule's: the loops that find them stop
# short of the derivative's limit.
cat >eig.cot <<'END'
fn @f(%x: f32[4,4]) -> (c64[4], f32[4,4]) {
  %w, %v, %l = eig %x : (c64[4], c64[4,4], c64[4,4])
  %0 = abs %v         : f32[4,4]
  ret %w, %0
}
END
status 0 "$cot" check eig.cot;                               prints "derivatives  agrees"
loop() {
    cat >loop.mlir <<END
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.while(%y = %x) : tensor<f64>
  cond {
    %c = stablehlo.constant dense<1.0e2> : tensor<f64>
    %p = stablehlo.compare LT, %y, %c : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %z = stablehlo.$1 %y, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }
  return %0 : tensor<f64>
}
END
}
loop add
status 0 "$cot" check loop.mlir;                             prints "derivatives  agrees"
loop subtract
status 0 "$cot" check loop.mlir;              prints "a loop does not end for the arguments"
# A text test may end without a new line.
printf '; run: dce\n; contains: ret\nfn @f(%%x: f32[3]) -> f32[3] {\n  ret %%x\n}' >bare.cot
status 0 "$cot" opt --expect bare.cot
status 2 "$cot" build f.cot;                                 says "wants -o"
printf 'module k {\nkernel k {\n  out y: f32[2]\n  store y[%%1] = 0\n}\n}\n' >kernel.cot
"$cot" opt kernel.cot 2>err
[ $? = 2 ] && grep -q "kernel.cot:4: found '%1\]' in column 11; wants a value" err ||
    { bad=1; echo "a mistake in kernel text: $(cat err)"; }
sed 's/%1/1/' kernel.cot >good.cot
"$cot" opt good.cot >again && cmp -s good.cot again ||
    { bad=1; echo "cot opt changes kernel text"; }
"$cot" opt f.cot -p grad | "$cot" opt - >again ||
    { bad=1; echo "cot opt - refuses what cot opt prints"; }
cmp -s again - <<END || { bad=1; echo "a dump does not read back as itself"; }
$("$cot" opt f.cot -p grad)
END
COT_DUMP=all COT_DUMP_DIR=$place "$cot" run f.cot --backend eval -p grad >/dev/null ||
    { bad=1; echo "COT_DUMP=all fails"; }
for dump in "$place"/f*.cot; do
    [ "$dump" = "$place/f.cot" ] || grep -q unchanged "$dump" || status 0 "$cot" opt "$dump"
done
status 0 "$cot" build f.cot -p grad -o f.mlir
"$cot" opt f.mlir | sed 's/@main/@f.grad/; s/arg0/x/g; s/arg1/w/g' >again
"$cot" opt f.cot -p grad | cmp -s - again ||
    { bad=1; echo "import of export is another graph"; cat again; }
status 0 "$cot" opt f.cot -p 'grad | vmap(in=[0,none], size=3)' -o f.mlir
status 0 "$cot" run f.mlir
status 2 "$cot" build f.cot -o f.mlir --header f.h;          says \
    "wants one function, and neither header"
# Bytes that a C string cannot hold as they are, in what a header says of a failure.
printf 'fn @below(%%i: i32[], %%x: f32[3,2]) -> bool[] {
  %%0 = constant {data=5} : i32[]
  %%1 = lt %%i, %%0 : bool[]
  ret %%1
}
fn @step(%%i: i32[], %%x: f32[3,2]) -> (i32[], f32[3,2]) {
  %%0 = constant {data=1} : i32[]
  %%1 = add %%i, %%0 : i32[]
  %%2 = neg %%x : f32[3,2]
  ret %%1, %%2
}
fn @f(%%i: i32[], %%x: f32[3,2]) -> (f32[3,2], i32[]) {
  %%0, %%1 = while %%i, %%x {consts=0, max=9, cond=@below, body=@step} : (i32[], f32[3,2]) loc("a\177\037?\200.c":2)
  ret %%1, %%0
}
' >while.cot
status 0 "$cot" build while.cot -o while.c --header while.h
printf '(status) == 8 ? "a\\177\\037\\?\200.c:2: while: still goes on after 9 steps"' >text
LC_ALL=C grep -qFf text while.h ||
    { bad=1; echo "the header's text of a failure is wrong"; grep 'status. ==' while.h; }
# Of many that can fail the first eight are named.
{
    sed '/^fn @f/,$d' while.cot
    echo 'fn @f(%i: i32[], %x: f32[3,2]) -> f32[3,2] {'
    for i in 1 2 3 4 5 6 7 8 9 10 11; do
        [ $i = 1 ] && before=%x || before=%y$((i - 1))
        loop="while %i, $before {consts=0, max=$i, cond=@below, body=@step}"
        echo "  %n$i, %y$i = $loop : (i32[], f32[3,2]) loc(\"m.c\":$i)"
    done
    echo '  ret %y11'
    echo '}'
} >many.cot
status 0 "$cot" build many.cot -o many.c --header many.h
[ "$(grep -o 'still goes on' many.h | wc -l)" = 8 ] ||
    { bad=1; echo "a header does not name eight places"; }
# A bound of one step is a bound.
sed 's/max=9/max=1/; s/data=5/data=100/' while.cot >bound.cot
for backend in eval sim c; do
    status 2 "$cot" run bound.cot --backend $backend;        says \
        "while: still goes on after 1 steps, its max"
done
# Kernels for GPUs: by the simulator; where there is no driver, one sentence.
"$cot" run f.cot --backend eval >want; "$cot" run f.cot --backend sim >got
cmp want got || { bad=1; echo "the simulator differs from the reference evaluator"; }
if "$cot" run f.cot --backend jit >/dev/null 2>&1; then
    status 2 env COT_CUDA_DRIVER=/none/libcuda.so.1 "$cot" run f.cot --backend cuda; says \
        "there is no CUDA driver: /none"
    status 2 env COT_CUDA_DRIVER=/none/libcuda.so.1 COT_TARGET=cuda:sm_90 "$cot" run \
        f.cot; says "there is no CUDA driver"
    status 0 env COT_TARGET=cuda "$cot" build f.cot -o g.o
    status 0 "$cot" build f.cot -o g.ptx --cpu sm_90
    grep -q '"target": "sm_90", "module": "g.ptx"' g.json ||
        { bad=1; echo "the manifest of g.ptx is wrong"; }
    grep -q '^.target sm_90' g.ptx || { bad=1; echo "g.ptx is not for sm_90"; }
    status 0 "$cot" build while.cot -o "$place/while.ptx"
    head -6 while.json | sed 's/.*"module"/"module"/' | cmp -s - /dev/fd/3 3<<'END' ||
        { bad=1; echo "the manifest of while.ptx is wrong"; head -7 while.json; }
"module": "while.ptx", "functions": [{
  "name": "f",
  "arguments": [
    {"name": "i", "use": "in", "type": "i32", "dims": [], "bytes": 4},
    {"name": "x", "use": "in", "type": "f32", "dims": [3, 2], "bytes": 24},
    {"name": "out0", "use": "out", "type": "f32", "dims": [3, 2], "bytes": 24},
END
    for arch in sm_80 sm_90; do
        status 0 env COT_TARGET=cuda:$arch "$cot" build f.cot -o g.ptx
        grep -q "^.target $arch" g.ptx ||
            { bad=1; echo "COT_TARGET=cuda:$arch is not followed"; }
    done
    status 2 "$cot" build f.cot -o g.ptx --header g.h; says "PTX has no C header"
    status 2 env COT_TARGET=cuda:sm_61 "$cot" run f.cot; says \
        "the GPU is 'sm_61'; wants sm_80 or sm_90"
    # A row by eight warps, then its parts by five: lanes meet those of their own warp, each
    # warp has a place.
    cat >rows.cot <<'END'
fn @f(%x: f32[2,300000]) -> (f32[2], f32[2]) {
  %0 = reduce_sum %x {axes=[1]} : f32[2]
  %1 = reduce_max %x {axes=[1]} : f32[2]
  ret %0, %1
}
END
    status 0 "$cot" build rows.cot -o rows.ptx
    [ "$(grep -c 'shfl.sync.bfly.b32.*, 31, -1;' rows.ptx)" = "$(grep -c shfl rows.ptx)" ] ||
        { bad=1; echo "shuffles leave their warps"; }
    for threads in 256 160; do
        grep -q "setp.lt.u32.*, $threads;" rows.ptx ||
            { bad=1; echo "no result of $threads threads"; }
    done
    # A tree of a few levels within a thread is in registers.
    cat >columns.cot <<'END'
fn @f(%x: f32[1100,9]) -> f32[9] {
  %0 = reduce_sum %x {axes=[0]} : f32[9]
  ret %0
}
END
    status 0 "$cot" build columns.cot -o columns.ptx
    grep -q '\.local' columns.ptx && { bad=1; echo "a tree of three values is in memory"; }
    # Tensor cores where they are asked for, and nowhere else.
    cat >product.cot <<'END'
fn @p(%x: bf16[64,64], %y: bf16[64,64]) -> bf16[64,64] {
  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : bf16[64,64]
  ret %0
}
END
    for way in "env COT_TARGET=cuda:sm_90,fast $cot build" \
        "env COT_TARGET=cuda,fast $cot build" "$cot build --fast"; do
        status 0 $way product.cot -o p.ptx
        grep -q 'mma\.sync' p.ptx || { bad=1; echo "no tensor core: $way"; }
    done
    status 0 "$cot" build product.cot -o p.ptx
    grep -q 'mma\.sync' p.ptx && { bad=1; echo "a tensor core that nobody asked for"; }
    status 2 env COT_TARGET=cuda:sm_90,slow "$cot" run f.cot; says \
        "the target is 'cuda:sm_90,slow'"
fi
if "$cot" run f.cot --backend jit >/dev/null 2>&1; then
    status 0 "$cot" build f.cot -p grad -o f.o --header f.h --name my_gradient
    grep -q 'int my_gradient(const float \*x, const float \*w, float \*out0, void \*work);' \
        f.h || { bad=1; cat f.h; }
    status 0 "$cot" build f.cot -p grad -o f.o --header f.h --name my_gradient --donated 0
    grep -q 'int my_gradient(float \*x, const float \*w, float \*out0, void \*work);' f.h ||
        { bad=1; cat f.h; }
    status 2 "$cot" build f.cot -o f.o --donated x;          says "--donated is 'x'"
    status 2 "$cot" build f.cot -o f.o --donated 7;          says "donated names argument 7"
    status 0 "$cot" build f.cot -o f.a
    status 0 "$cot" build f.cot -o f.s --cpu x86-64-v3 --target x86_64-unknown-linux-gnu
    # What a long kernel spills lies by whole vectors, in C as well, where clang keeps the
    # text's order.
    printf '%s\n' 'fn @gammas(%x: f32[1000]) -> f32[1000] {' '  %0 = lgamma %x : f32[1000]' \
        '  ret %0' '}' >long.cot
    status 0 "$cot" build long.cot -o long.s --cpu x86-64-v4 --target x86_64-unknown-linux-gnu
    grep -q 'andq.*-64, %rsp' long.s ||
        { bad=1; echo "the stack of a long kernel is not aligned"; }
    status 0 "$cot" build long.cot -o long.c
    grep -q '^COT_ALIGNED_STACK' long.c && grep -q ' COT_SETTLED(v' long.c ||
        { bad=1; echo "no long kernel's C"; }
    status 0 "$cot" build f.cot -o f.ll
    grep -q DICompileUnit f.ll && { bad=1; echo "lines that nobody asked for"; }
    status 0 "$cot" build f.cot -g -o f.ll
    grep -q 'producer: "Cotrace [0-9.]*",' f.ll || { bad=1; grep DICompileUnit f.ll; }
    # A sum of products of i8 or i16 takes one instruction where the processor has one.
    for pair in i8/vpdpbusd i16/vpdpwssd; do
        printf '%s\n' "fn @f(%x: ${pair%/*}[96,96], %y: ${pair%/*}[96,96]) -> i32[96,96] {" \
            '  %0 = convert %x {dtype=i32}' '  %1 = convert %y {dtype=i32}' \
            '  %2 = dot_general %0, %1 {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]}' \
            '  ret %2' '}' >narrow.cot
        status 0 "$cot" build narrow.cot -o narrow.s --cpu cascadelake \
            --target x86_64-unknown-linux-gnu
        grep -q "${pair#*/}" narrow.s && ! grep -q vpmaddwd narrow.s ||
            { echo "products of ${pair%/*} and their sums are two instructions"; bad=1; }
    done
    status 2 "$cot" build f.cot -o f.o --cpu abacus;         says "no processor 'abacus'"
    status 2 "$cot" build f.cot -o f.o --target soup;        says "target soup"
    status 2 "$cot" build f.cot -o f.o --features +avx9;     says "no feature '+avx9'"
    status 2 "$cot" build f.cot -o f.o --cpu haswell,x86-64-v3; says \
        "an object for several processors wants"
    # Several functions in one file.
    status 0 "$cot" build two.cot -o two.o --header two.h
    grep -q 'int a(float \*out0, void \*work);' two.h && grep -q 'int b(float' two.h ||
        { bad=1; cat two.h; }
    status 0 "$cot" build f.cot --export f --export 'df = f | grad(wrt=[0,1])' -o fs.o \
        --header fs.h --manifest fs.json
    header='int df(const float *x, const float *w, float *out0, float *out1, void *work);'
    grep -qF "$header" fs.h || { bad=1; cat fs.h; }
    grep -q '#define DF_OUT1_SHAPE { 4 }' fs.h || { bad=1; cat fs.h; }
    grep -q '"name": "df"' fs.json || { bad=1; cat fs.json; }
    status 2 "$cot" build f.cot --export f --export f -o fs.o;    says \
        "two functions are named f"
    status 2 "$cot" build f.cot --export g -o fs.o;               says \
        "the file has no function @g"
    status 2 "$cot" build two.cot -o two.o --name x;              says \
        "--name names the only function"
    status 2 "$cot" build f.cot --export f -o f.o --name x;       says \
        "--name names the only function"
    status 0 "$cot" bench f.cot;                             prints "share of the limit"
    status 0 "$cot" bench f.cot --profile -o roof.svg;       prints "limits of 1 thread:"
    grep -q "<title>.* of the time" roof.svg || { bad=1; cat roof.svg; }
    status 2 "$cot" bench f.cot -o roof.svg;                      says \
        "-o names no file without --profile or --schedule"
    status 2 "$cot" bench f.cot --profile -o nowhere/roof.svg;    says \
        "nowhere/roof.svg: No such file or directory"
    status 0 "$cot" explore f.cot --profile -o f.json
    grep -q '"measured":true' f.json || { bad=1; cat f.json; }
    status 0 "$cot" explore f.cot --backend cuda --cpu sm_90 -o f.json
    grep -q '"target":"sm_90"' f.json || { bad=1; cat f.json; }
    status 2 "$cot" explore f.cot --backend eval -o f.json;       says \
        "the evaluator has no kernels; wants jit, c, cuda or sim"
    status 2 "$cot" explore f.cot --backend cuda --cpu sm_70 -o f.json;  says \
        "the GPU is 'sm_70'; wants sm_80 or sm_90"
    status 2 "$cot" explore f.cot --profile --target wasm32 -o f.json;   says \
        "--profile calls the function here; --target is another machine"
    printf '%s\n' 'fn @f(%x: f32[8,16], %y: f32[16,4]) -> f32[8,4] {' \
        '  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[8,4]' \
        '  ret %0' '}' >d.cot
    status 0 "$cot" bench d.cot;                             prints "flops              1024"
    status 0 "$cot" bench d.cot --tiered;                    prints "flops              1024"
    status 0 "$cot" run d.cot --out code
    status 0 "$cot" run d.cot --tiered --out tiers
    status 0 cmp code0.npy tiers0.npy
    status 2 "$cot" build d.cot --tiered -o d.o;                  says \
        "--tiered is not one of its options, but of run bench"
    # Schedules of products: what is chosen is one, and one that does not fit is refused.
    mkdir schedules
    echo 'dot: schedule lanes=columns width=1 rows=2 vectors=2 unroll=1' >schedules/a
    status 0 "$cot" bench d.cot --schedule schedules -o best;  prints "schedules/a "
    prints "dot: schedule lanes=columns"
    status 0 "$cot" bench d.cot --schedule best;               prints "fastest: "
    echo 'dot: schedule lanes=columns width=1 rows=0 vectors=2 unroll=1' >schedules/b
    status 2 "$cot" bench d.cot --schedule schedules;          says \
        "dot: rows is 0; wants 1 to 64"
    prints "schedules/a "
    echo 'other: schedule lanes=columns width=1 rows=1 vectors=1 unroll=1' >c
    status 2 "$cot" bench d.cot --schedule c;                  says \
        "line 1: no contraction is lowered as a kernel 'other'"
    status 2 "$cot" bench d.cot --schedule nowhere;            says "nowhere"
    status 2 "$cot" run d.cot --schedule c;                    says \
        "--schedule is not one of its options, but of bench"
fi
# A full disk is named as such, by each writer.
if [ -c /dev/full ]; then
    for ending in c h json npy safetensors o s ll; do ln -s /dev/full full.$ending; done
    ("$cot" opt f.cot >/dev/full 2>err)
    [ $? = 2 ] && says "the standard output: No space left on device" || bad=1
    for ending in c o s ll; do
        if [ $ending = c ] || "$cot" run f.cot --backend jit >/dev/null 2>&1; then
            status 2 "$cot" build f.cot -o full.$ending;     says \
                "full.$ending: No space left on device"
        fi
    done
    status 2 "$cot" build f.cot -o f.c --header full.h;      says \
        "full.h: No space left on device"
    status 2 "$cot" build f.cot -o f.c --manifest full.json; says \
        "full.json: No space left on device"
fi
# Limits, each with its message; numbers that are none.
cat >forever.cot <<'END'
fn @more(%i: i64[]) -> bool[] {
  %0 = constant {data=-1} : i64[]
  %1 = gt %i, %0          : bool[]
  ret %1
}
fn @next(%i: i64[]) -> i64[] {
  %0 = constant {data=3} : i64[]
  %1 = xor %i, %0        : i64[]
  ret %1
}
fn @f() -> i64[] {
  %i = constant {data=1}                      : i64[]
  %0 = while %i {cond=@more, body=@next} : i64[]
  ret %0
}
END
for option in --limit-bytes --limit-nodes --limit-seconds; do
    for number in 0 -3 x nan 1e9999 ""; do
        status 2 "$cot" run forever.cot --backend eval $option "$number"; says \
            "$option is '$number'; wants a number above 0"
    done
    status 2 "$cot" run forever.cot --backend eval $option;  says "$option wants a value"
done
status 2 "$cot" run forever.cot --backend eval --limit-nodes 2; says \
    "forever.cot:7: constant: made 3 nodes; the limit of a call is 2"
status 2 "$cot" run forever.cot --backend eval --limit-bytes 1000; says \
    "the context may hold 1000 bytes"
status 2 "$cot" run forever.cot --backend eval --limit-seconds 0.2; says \
    "the limit of a call is 0.2"
status 0 "$cot" opt f.cot --limit-bytes 1e9 --limit-nodes 1e6 --limit-seconds 600
# Ctrl-C, once there is a handler for it (bit 1 of the mask of signals that are caught), ends
# what runs for ever, and waiting for a file.
ready() {
    grep -q "^Name:.*${cot##*/}" /proc/$1/status &&
        grep -q '^SigCgt:.*[2367abef]$' /proc/$1/status &&
        grep -q "^State:.*$state" /proc/$1/status
}
# interrupt STATE COMMAND...: once it is in the state (R running, S waiting).
interrupt() {
    state=$1
    shift
    env --default-signal=INT "$@" >out 2>err 9<&- & # a background process would ignore it
    pid=$!
    tries=0
    until [ $tries -ge 1200 ] || ready $pid; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -INT $pid
    wait $pid
}
# A second one ends it as if there were no handler: while it waits to say that it is cancelled,
# to a pipe that is full and that nobody reads.
interrupt_twice() {
    mkfifo full && exec 8<>full
    dd if=/dev/zero of=full bs=4096 oflag=nonblock 2>/dev/null
    state=R
    env --default-signal=INT "$@" >out 2>full 8<&- &
    pid=$!
    for is_so in ready is_cancelled; do
        tries=0
        until $is_so $pid; do
            [ $tries -lt 1200 ] || { kill -KILL $pid; return 99; }
            sleep 0.05
            tries=$((tries + 1))
        done
        kill -INT $pid
    done
    wait $pid
}
# No handler is left, and it waits.
is_cancelled() {
    grep -q '^SigCgt:.*[014589cd]$' /proc/$1/status && grep -q "^State:.*S" /proc/$1/status
}
if grep -q '^SigCgt:' /proc/self/status 2>/dev/null &&
    env --default-signal=INT true 2>/dev/null; then
    status 130 interrupt R "$cot" run forever.cot --backend eval; says "cancelled"
    if "$cot" run f.cot --backend jit >/dev/null 2>&1; then
        status 130 interrupt R "$cot" run forever.cot --backend jit; says "cancelled"
    fi
    mkfifo silent && exec 9<>silent
    status 130 interrupt S "$cot" opt silent;                  says "cancelled"
    exec 9<&-
    status 130 interrupt_twice "$cot" run forever.cot --backend eval
    exec 8<&-
fi
echo "$count commands"
exit $bad
