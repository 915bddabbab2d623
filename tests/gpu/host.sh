#!/bin/sh
# PTX and manifests as strangers use them, with the driver's double, whose kernels the simulator
# runs: examples/ptx_host.c gives the evaluator's bits and says what fails; a bundle is packed,
# unpacked and run.
#
#   host.sh SOURCE BUILD
set -u
source=$1 build=$2
cot=$build/tools/cot host=$build/examples/ptx_host programs=$source/tests/gpu/programs
double=$build/tests/gpu/libcuda_double_program.so
bad=0
for file in "$cot" "$host" "$double" "$build/tests/gpu/gpu_pack" "$build/tests/gpu/gpu_runner" \
    "$build/tests/gpu/gpu_runtime"; do
    [ -x "$file" ] || [ -r "$file" ] || { echo "$file is not built"; exit 77; }
done
place=$(mktemp -d)
trap 'rm -r "$place"' EXIT
cd "$place" || exit 1
failed() { echo "$*"; bad=1; }

# One array for each argument: numbers that a program makes.
cat >gen.cot <<'END'
fn @layers() -> (f32[6,40], f32[40,40]) {
  %0 = iota {shape=[240], axis=0, dtype=f32} : f32[240]
  %1 = sin %0 : f32[240]
  %2 = reshape %1 {shape=[6,40]} : f32[6,40]
  %3 = iota {shape=[1600], axis=0, dtype=f32} : f32[1600]
  %4 = cos %3 : f32[1600]
  %5 = reshape %4 {shape=[40,40]} : f32[40,40]
  ret %2, %5
}
fn @halve() -> (f32[3000], bool[], f32[4,3000]) {
  %0 = iota {shape=[3000], axis=0, dtype=f32} : f32[3000]
  %1 = constant {data=true} : bool[]
  %2 = iota {shape=[12000], axis=0, dtype=f32} : f32[12000]
  %3 = sin %2 : f32[12000]
  %4 = reshape %3 {shape=[4,3000]} : f32[4,3000]
  ret %0, %1, %4
}
fn @updated() -> (f32[40], f32[40]) {
  %0 = iota {shape=[40], axis=0, dtype=f32} : f32[40]
  %1 = exp %0 : f32[40]
  ret %0, %1
}
fn @steps() -> (f32[300], f32[11,300]) {
  %0 = iota {shape=[300], axis=0, dtype=f32} : f32[300]
  %1 = cos %0 : f32[300]
  %2 = iota {shape=[3300], axis=0, dtype=f32} : f32[3300]
  %3 = sin %2 : f32[3300]
  %4 = reshape %3 {shape=[11,300]} : f32[11,300]
  ret %1, %4
}
END
for name in layers halve updated steps; do
    "$cot" run gen.cot --entry $name --backend eval --out in. || failed "no inputs for $name"
    mv in.0.npy x0.npy; mv in.1.npy x1.npy; inputs="x0.npy x1.npy"
    [ -e in.2.npy ] && { mv in.2.npy x2.npy; inputs="$inputs x2.npy"; }
    "$cot" run "$programs/$name.cot" --entry $name --backend eval --in $inputs --out want. ||
        failed "$name: the reference evaluator fails"
    "$cot" build "$programs/$name.cot" --entry $name -o $name.ptx || failed "$name: no PTX"
    COT_CUDA_DRIVER=$double COT_DOUBLE_PROGRAM=$programs/$name.cot "$host" $name.json \
        --in $inputs --out got. ||
        failed "$name: the host fails"
    for want in want.*; do
        cmp "$want" "got${want#want}" || failed "$name: ${want#want} differs"
    done
    rm -f want.* got.* in.*
done

# Open sizes: a layer by tiles, and a sum that is divided by a size.
cat >loss.cot <<'END'
format 2

fn @loss(%w: f32[24,70], %x: f32[n,24]) -> (f32[], f32[n,70]) where n >= 1, n <= 1000 {
  %0 = dot_general %x, %w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]}
  %1 = tanh %0
  %2 = reduce_sum %1 {axes=[0,1]}
  %3 = constant {data=n} : f32[]
  %4 = div %2, %3
  ret %4, %1
}
END
"$cot" build loss.cot -o loss.ptx || failed "loss: no PTX"
for n in 1 65 300; do
    cat >gen$n.cot <<END
fn @gen() -> (f32[24,70], f32[$n,24]) {
  %0 = iota {shape=[1680], axis=0, dtype=f32} : f32[1680]
  %1 = sin %0 : f32[1680]
  %2 = reshape %1 {shape=[24,70]} : f32[24,70]
  %3 = iota {shape=[$((24 * n))], axis=0, dtype=f32} : f32[$((24 * n))]
  %4 = cos %3 : f32[$((24 * n))]
  %5 = reshape %4 {shape=[$n,24]} : f32[$n,24]
  ret %2, %5
}
END
    "$cot" run gen$n.cot --backend eval --out x || failed "no inputs for $n"
    "$cot" run loss.cot --backend eval --in x0.npy x1.npy --out want. || failed "no loss of $n"
    COT_CUDA_DRIVER=$double COT_DOUBLE_PROGRAM=loss.cot "$host" loss.json --size n=$n \
        --in x0.npy x1.npy --out got. || failed "loss: the host fails at $n"
    cmp want.0.npy got.0.npy && cmp want.1.npy got.1.npy || failed "loss differs at $n"
    cp x1.npy of$n.npy
done
# Two sizes, whose blocks are a product, and a cumulative sum, whose work is placed.
cat >pair.cot <<'END'
format 2

fn @pair(%x: f32[n,24], %y: f32[m,24]) -> (f32[n,m], f32[n,24], f32[m]) {
  %0 = dot_general %x, %y {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]}
  %1 = cumsum %x {axis=0}
  %2 = reduce_sum %0 {axes=[0]}
  ret %0, %1, %2
}
END
"$cot" build pair.cot -o pair.ptx || failed "pair: no PTX"
for pair in "65 300" "300 1"; do
    n=${pair% *} m=${pair#* }
    "$cot" run pair.cot --backend eval --in of$n.npy of$m.npy --out want. ||
        failed "no pair of $pair"
    COT_CUDA_DRIVER=$double COT_DOUBLE_PROGRAM=pair.cot "$host" pair.json --size m=$m \
        --size n=$n --in of$n.npy of$m.npy --out got. || failed "pair: the host fails at $pair"
    for i in 0 1 2; do
        cmp want.$i.npy got.$i.npy || failed "pair: $i differs at $pair"
    done
done

# A call that has nothing to do.
cat >still.cot <<'END'
format 2

fn @still(%x: f32[n,3]) -> f32[n,3] {
  %0 = sin %x
  ret %0
}
END
cat >rows.cot <<'END'
fn @gen() -> f32[0,3] {
  %0 = iota {shape=[0,3], axis=0, dtype=f32}
  ret %0
}
END
"$cot" build still.cot -o still.ptx && "$cot" run rows.cot --out rows || failed "still: no PTX"
COT_CUDA_DRIVER=$double COT_DOUBLE_PROGRAM=still.cot "$host" still.json --size n=0 \
    --in rows0.npy --out got. || failed "still: the host fails"
cmp rows0.npy got.0.npy || failed "still: no array without rows"

# What fails.
message() {
    text=$1
    shift
    if "$@" >said 2>&1; then failed "does not fail: $*"; fi
    grep -qF -- "$text" said || failed "$(cat said); wants: $text"
}
with() { env COT_CUDA_DRIVER="$double" COT_DOUBLE_PROGRAM="$programs/halve.cot" "$@"; }
sed 's/max=50/max=3/' "$programs/halve.cot" >short.cot
"$cot" build short.cot --entry halve -o short.ptx
"$cot" run gen.cot --entry halve --backend eval --out halve
message "halve: a loop passed its bound" env COT_CUDA_DRIVER="$double" \
    COT_DOUBLE_PROGRAM=short.cot \
    "$host" short.json --in halve0.npy halve1.npy halve2.npy
message "there is no CUDA driver" env COT_CUDA_DRIVER=/none/libcuda.so.1 "$host" halve.json
message "the manifest cannot be read" with "$host" none.json
message "the manifest has no such function" with "$host" halve.json --fn other
message "s: no file is named for it" with "$host" halve.json --in halve0.npy halve1.npy
message "it holds another number of bytes" with "$host" halve.json --in halve1.npy halve0.npy \
    halve2.npy
message "no CUDA-capable device" with env COT_DOUBLE=devices=0 "$host" halve.json
message "out of memory" with env COT_DOUBLE=memory=9000 "$host" halve.json --in halve0.npy \
    halve1.npy halve2.npy
message "unspecified launch failure" with env COT_DOUBLE=launch=2 "$host" halve.json \
    --in halve0.npy halve1.npy halve2.npy
message "usage: ptx_host" "$host"
open() { env COT_CUDA_DRIVER="$double" COT_DOUBLE_PROGRAM=loss.cot "$host" loss.json "$@"; }
message "loss: a size is not given" open --in x0.npy x1.npy
message "loss: more sizes are given" open --size n=300 --size m=2 --in x0.npy x1.npy
message "it holds another number of bytes" open --size n=299 --in x0.npy x1.npy
cat >more.cot <<'END'
fn @gen() -> f32[1001,24] {
  %0 = iota {shape=[1001,24], axis=0, dtype=f32}
  ret %0
}
END
"$cot" run more.cot --out more || failed "no rows"
message "loss: it takes no such size" open --size n=1001 --in x0.npy more0.npy
message "have no bodies for some sizes alone" "$cot" build loss.cot --at n=64 -o at.ptx

# A bundle, small, with one workload of its own.
cat >tiny.cot <<'END'
fn @tiny(%x: f32[50,30]) -> f32[50] {
  %0 = exp %x : f32[50,30]
  %1 = reduce_sum %0 {axes=[1]} : f32[50]
  ret %1
}
END
"$source/tests/gpu/bundle.sh" "$source" "$build" bundle.tar.gz 400 12 "$place/tiny.cot" \
    >said 2>&1 ||
    failed "$(cat said)"
tar xzf bundle.tar.gz
list=$place/tiny.cot
for text in cotrace-gpu/*.cot; do list=$list:$place/$text; done
there() { env COT_CUDA_DRIVER="$double" COT_DOUBLE_PROGRAM="$list" "$@"; }
there sh cotrace-gpu/run.sh >said 2>&1 || failed "$(cat said)"
grep -q '^programs: [1-9][0-9]* pass, 0 differ, 0 fail$' said ||
    failed "the bundle says: $(cat said)"
grep -q '^runtime: [1-9][0-9]* pass, 0 differ or fail$' said ||
    failed "the runtime says: $(cat said)"
grep -q '^sweep: 12 pass, 0 differ or fail$' said || failed "the sweep says: $(cat said)"
grep -q '^tiny .* same bits$' said || failed "the workload says: $(cat said)"
# A bit that differs is found.
for data in cotrace-gpu/p*.data; do break; done
size=$(wc -c <"$data")
dd if=/dev/zero of="$data" bs=1 seek=$((size - 1)) count=1 conv=notrunc 2>/dev/null
dd if=/dev/zero bs=1 count=1 2>/dev/null | tr '\0' '\125' |
    dd of="$data" bs=1 seek=$((size - 1)) count=1 conv=notrunc 2>/dev/null
for run in runner runtime; do
    there cotrace-gpu/$run cotrace-gpu >said 2>&1 && failed "a wrong bit passes the $run"
    grep -q 'bits differ' said || failed "a wrong bit: $(cat said)"
done
[ $bad = 0 ] && echo "host: in order"
exit $bad
