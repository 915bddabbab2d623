#!/bin/sh
# The program `cot` on StableHLO text: several modules, open sizes, arguments that are sizes.
#
#   cli_stablehlo.sh COT
. "$(dirname "$0")/cli_lib.sh"

# StableHLO text of several modules and functions: each is run, and the worst of them is the
# exit status.
cat >several.mlir <<'END'
func.func @good() {
  %x = stablehlo.constant dense<2> : tensor<i32>
  check.expect_eq_const %x, dense<2> : tensor<i32>
  return
}
func.func @bad() {
  %x = stablehlo.constant dense<2> : tensor<i32>
  check.expect_eq_const %x, dense<3> : tensor<i32>
  return
}
// -----
func.func @main() {
  %x = stablehlo.frobnicate : tensor<i32>
  return
}
// -----
func.func @last() -> tensor<i32> {
  %x = stablehlo.constant dense<41> : tensor<i32>
  return %x : tensor<i32>
}
END
status 2 "$cot" run several.mlir --backend eval;             says \
    "several.mlir:8: check.expect_eq: element [] is 2; wants 3"
prints "i32[] 41"
grep -qF "several.mlir:13:8: stablehlo.frobnicate: the op is not supported" err ||
    { bad=1; cat err; }
# Results of several would take each other's files.
status 2 "$cot" run several.mlir --backend eval --out y;     says \
    "--out has place for the results of one function"
status 0 "$cot" run several.mlir --backend eval --entry good
status 1 "$cot" run several.mlir --backend eval --entry bad
# Open sizes are those of the arrays; an integer that comes first is a size that shapes may
# depend on.
cat >open.mlir <<'END'
func.func @main(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?x2xf32> {
  %0 = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %1 = stablehlo.constant dense<2> : tensor<1xi64>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %3 = stablehlo.dynamic_broadcast_in_dim %x, %2, dims = [0] : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  return %3 : tensor<?x2xf32>
}
END
{ printf '\223NUMPY\001\000'; printf '\067\000'; printf \
    "{'descr': '<i8', 'fortran_order': False, 'shape': (), }"; printf \
    '\004\000\000\000\000\000\000\000'; } >n.npy
status 2 "$cot" run open.mlir --backend eval;                says \
    "argument 1 has open sizes; wants its type given"
status 0 "$cot" run open.mlir --backend eval --in n.npy four.npy; prints \
    "f32[4,2] [[1, 1], [2, 2], [3, 3], [4, 4]]"
# Sizes that functions compute, of windows and of results; jvp takes tangents behind arguments.
cat >windows.mlir <<'END'
func.func private @window(%n: tensor<i32>) -> tensor<1xi32> {
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @total(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<f32> {
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<?xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>, tensor<?x?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %w = call @window(%n) : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %low = stablehlo.subtract %w, %one : tensor<1xi32>
  %both = stablehlo.concatenate %low, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %pad = stablehlo.reshape %both : (tensor<2xi32>) -> tensor<1x2xi32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %z, %w, %one, %one, %one, %pad) {called_computations = [@sum]} : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>
  %t = call @total(%n, %x) : (tensor<i32>, tensor<?xf32>) -> tensor<f32>
  %m = stablehlo.constant dense<[[4.0]]> : tensor<1x1xf32>
  %s = stablehlo.concatenate %one, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %e = stablehlo.constant dense<[]> : tensor<0xi32>
  %c:2 = stablehlo.custom_call @lapack_spotrf_ffi(%m, %s, %e) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<1x1xf32>, tensor<2xi32>, tensor<0xi32>) -> (tensor<?x?xf32>, tensor<i32>)
  return %y, %t, %c#0 : tensor<?xf32>, tensor<f32>, tensor<?x?xf32>
}
END
status 0 "$cot" run windows.mlir --backend eval --in four.npy; prints "f32[4] [1, 3, 6, 1e+01]"
grep -qF "f32[1,1] [[2]]" out || { bad=1; cat out; }
status 0 "$cot" run windows.mlir --backend eval -p jvp --in four.npy four.npy; prints \
    "f32[] 2e+01"
# Open sizes of batches: of bits, transforms, and what LAPACK gives besides.
cat >batches.mlir <<'END'
func.func @main(%x: tensor<?xf32>) -> (tensor<?xi32>, tensor<?x2xf32>, tensor<?x1x1xf32>, tensor<?xi32>) {
  %b = stablehlo.bitcast_convert %x : (tensor<?xf32>) -> tensor<?xi32>
  %w = stablehlo.bitcast_convert %b : (tensor<?xi32>) -> tensor<?x2xi16>
  %i = stablehlo.bitcast_convert %w : (tensor<?x2xi16>) -> tensor<?xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %1 = stablehlo.concatenate %0, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = stablehlo.dynamic_broadcast_in_dim %x, %1, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  %f = stablehlo.fft %2, type = RFFT, length = [2] : (tensor<?x2xf32>) -> tensor<?x2xcomplex<f32>>
  %r = stablehlo.real %f : (tensor<?x2xcomplex<f32>>) -> tensor<?x2xf32>
  %3 = stablehlo.concatenate %0, %one, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %m = stablehlo.dynamic_reshape %x, %3 : (tensor<?xf32>, tensor<3xi32>) -> tensor<?x1x1xf32>
  %c:2 = stablehlo.custom_call @lapack_spotrf_ffi(%m, %3, %0) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<?x1x1xf32>, tensor<3xi32>, tensor<1xi32>) -> (tensor<?x1x1xf32>, tensor<?xi32>)
  %key = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %d:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%key, %1) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x2xui64>)
  %s, %drawn = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x2xui64>)
  check.expect_eq %d#1, %drawn : tensor<4x2xui64>
  return %i, %r, %c#0, %c#1 : tensor<?xi32>, tensor<?x2xf32>, tensor<?x1x1xf32>, tensor<?xi32>
}
END
status 0 "$cot" run batches.mlir --backend eval --in four.npy; prints \
    "i32[4] [1065353216, 1073741824, 1077936128, 1082130432]"
for want in "f32[4,2] [[2, 0], [4, 0], [6, 0], [8, 0]]" "f32[4,1,1] [[[1]], [[1" \
    "i32[4] [0, 0, 0, 0]"; do
    grep -qF "$want" out || { bad=1; echo "no $want"; cat out; }
done
echo "$count commands"
exit $bad
