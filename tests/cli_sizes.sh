#!/bin/sh
# The program `cot` on text with sizes: the sizes of arrays, of --size, of none; objects for all
# sizes; errors.
#
#   cli_sizes.sh COT
. "$(dirname "$0")/cli_lib.sh"

cat >f.cot <<'END'
format 2
fn @f(%x: f32[n], %y: f32[2*n]) -> f32[n] where n >= 2, n <= 4096 {
  %0 = slice %y {start=[n], limit=[2*n], stride=[1]} : f32[n]
  %1 = constant {data=1/n} : f32[n]
  %2 = mul %x, %1
  %3 = add %2, %0
  ret %3
}
END
# npy NAME NUMBER...: an array of f32, of the numbers 1, 2, 3, 4 only.
npy() {
    name=$1
    shift
    header="{'descr': '<f4', 'fortran_order': False, 'shape': ($#,), }"
    { printf '\223NUMPY\001\000'; printf "\\$(printf %03o ${#header})\\000"
      printf '%s' "$header"
      for x; do
          case $x in 1) printf '\000\000\200\077' ;; 2) printf '\000\000\000\100' ;;
          3) printf '\000\000\100\100' ;; *) printf '\000\000\200\100' ;; esac
      done; } >"$name"
}
npy x.npy 4 2
npy y.npy 1 2 3 4
npy one.npy 1
npy two.npy 1 2
npy three.npy 1 2 3
# has FILE TEXT: a line of the file has it.
has() {
    grep -qF -- "$2" "$1" && return 0
    bad=1
    echo "$1 lacks: $2"
    cat "$1"
}
# same FILE FILE
same() {
    cmp -s "$1" "$2" && return 0
    bad=1
    diff "$1" "$2"
}
# The sizes are those of the arrays; what disagrees is named.
status 0 "$cot" run f.cot --in x.npy y.npy --backend eval;   prints "f32[2] [5, 5]"
status 2 "$cot" run f.cot --in x.npy three.npy;              says \
    "f.cot:2: f: argument 1 is f32[3]; wants f32[2*n] for y, which is f32[4] at n = 2"
status 2 "$cot" run f.cot --in one.npy two.npy
says "f.cot:2: f: n is 1; wants 2 or more"
status 2 "$cot" run f.cot --in x.npy
says "--in names 1 arrays; it has 2 arguments"
# Arguments of a transformed function.
status 0 "$cot" run f.cot -p vjp --in x.npy y.npy x.npy --backend eval; prints "f32[2] [5, 5]"
prints "f32[2] [2, 1]"
status 2 "$cot" run f.cot -p vjp --in x.npy y.npy three.npy
says "argument 2 in three.npy is f32[3]; wants f32[2]"
# Without arrays the sizes are those of --size, or 8.
status 0 "$cot" run f.cot --backend eval
prints "; arguments made from seed 1 at n = 8"
status 0 "$cot" run f.cot --backend eval --size n=3
prints "; arguments made from seed 1 at n = 3"
status 2 "$cot" run f.cot --size m=3
says "--size is 'm=3'; the file has no size 'm'"
status 2 "$cot" run f.cot --size n;                          says "wants NAME=NUMBER"
status 2 "$cot" run f.cot --size n=-1
says "n wants a number from 0 to 2^30"
status 2 "$cot" run f.cot --size n=5000
says "f.cot:2: f: n is 5000; wants 4096 or less"
# Other verbs at one size.
status 0 "$cot" check f.cot --size n=5;                      prints "derivatives  agrees"
status 0 "$cot" check f.cot;                                 prints "all sizes    agrees"
status 0 "$cot" lint f.cot --size n=5
# Text: for all sizes, or for one; what is printed is read again.
status 0 "$cot" opt f.cot -p vjp -o g.cot
has g.cot "fn @f.vjp(%x: f32[n], %y: f32[2*n], %ct: f32[n]) -> (f32[n], f32[n], f32[2*n]) where"
has g.cot " where n >= 2, n <= 4096 {"
status 0 "$cot" opt g.cot
same out g.cot
status 0 "$cot" fmt --check g.cot
status 0 "$cot" opt f.cot --size n=3
prints "fn @f(%x: f32[3], %y: f32[6]) -> f32[3] {"
prints "format 1"
status 2 "$cot" opt f.cot --after-each;                      says "wants --size"
status 2 "$cot" opt f.cot --emit dot;                        says "wants --size"
status 2 "$cot" opt f.cot -o f.mlir;                         says "wants --size"
status 0 "$cot" opt f.cot -o f.mlir --size n=3
# Comments and spaces of a text with sizes.
printf 'format 2\nfn @f(%%x: f32[ n,2 * n ]) -> f32[n, 2*n] where n>=2 , ' >wild.cot
printf 'n %% 4 == 0 { ; why\n' >>wild.cot
printf ' ret %%x\n}\n' >>wild.cot
status 0 "$cot" fmt wild.cot
printf 'format 2\nfn @f(%%x: f32[n,2*n]) -> f32[n,2*n] where n >= 2, ' >tame.cot
printf 'n %% 4 == 0 {  ; why\n' >>tame.cot
printf '  ret %%x\n}\n' >>tame.cot
same wild.cot tame.cot
# StableHLO whose sizes are open, as such a text.
cat >open.mlir <<'END'
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
END
status 0 "$cot" opt open.mlir --open '0: [n, 3] where n >= 1' -o open.cot
has open.cot 'f32[n,3]) -> f32[n,3] where n >= 1 {'
status 0 "$cot" opt open.cot
same out open.cot
# Objects and C source, for all sizes and for one; several functions of a file.
cat >more.cot <<'END'
format 2
fn @f(%x: f32[n]) -> f32[] where n >= 1 {
  %0 = reduce_sum %x {axes=[0]}
  ret %0
}
fn @g(%y: f32[m], %x: f32[n,m]) -> f32[n] {
  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]}
  ret %0
}
END
status 0 "$cot" build more.cot -o more.c --header more.h
has more.h 'int f(int64_t n, const float *x, float *out0, void *work);'
has more.h 'int g(int64_t m, int64_t n, const float *y, const float *x, float *out0,'
status 0 "$cot" build more.cot --export 'df=f|grad' --export g -o more.c --header more.h
has more.h 'int df(int64_t n, const float *x, float *out0, void *work);'
status 0 "$cot" build more.cot --entry f --size n=7 -o one.c --header one.h
has one.h 'int f(const float *x, float *out0, void *work);'
status 2 "$cot" build more.cot -o more.mlir
says "wants a file of objects, of C source or of PTX"
status 0 "$cot" build more.cot --entry g -o g.ptx
has g.json '"sizes": [{"name": "m", "least": 0, '
has g.json '"dims": ["n", "m"], "bytes": "4*(n)*(m)"'
# Bodies for some sizes, and what they are worth.
status 0 "$cot" build f.cot --at n=64,256 -o at.c --header at.h --manifest at.json
has at.h '    if (n == 256)'
has at.json '"at": [{"sizes": {"n": 64}, "work_bytes": 0}, {"sizes": {"n": 256}, '

status 0 "$cot" build open.mlir --open '0: [n, 3] where n >= 1' --at n=2 --name f -o at.o
status 2 "$cot" build f.cot --at n=1 -o at.c
says 'sizes "n=1", column 3: a fact excludes n = 1'
status 2 "$cot" build f.cot --size n=4 --at n=4 -o at.c;     says "has no open size"
status 2 "$cot" build f.cot --size n=4 --at n=4 -o at.ptx;   says "has no open size"
status 0 "$cot" bench f.cot --at n=2,64;                     prints "n=64 "
prints "open/fixed"
status 0 "$cot" bench open.mlir --open '0: [n, 3] where n >= 1' --at n=2; prints "n=2 "
status 2 "$cot" bench f.cot --at n=5000;                     says "a fact excludes n = 5000"
status 2 "$cot" bench open.mlir --open '0: [n, 3]'
says "--open wants sizes to compare, by --at"

[ $bad = 0 ] && echo "$count commands, as documented"
exit $bad
