// Ops that older programs hold: einsum, index_select, batch norms.

func.func @einsum() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
  %0 = stablehlo.einsum %x, %y, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = "stablehlo.unary_einsum"(%x) {einsum_config = "ab->b"} : (tensor<2x3xf32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[[4.0, 5.0], [10.0, 11.0]]> : tensor<2x2xf32>
  check.expect_eq_const %1, dense<[5.0, 7.0, 9.0]> : tensor<3xf32>
  return
}
func.func @einsum_of_bytes_gives_more() {
  %x = stablehlo.constant dense<[[100, 100]]> : tensor<1x2xi8>
  %y = stablehlo.constant dense<[[100], [1]]> : tensor<2x1xi8>
  %0 = "stablehlo.einsum"(%x, %y) {einsum_config = "ab,bc->ac"} : (tensor<1x2xi8>, tensor<2x1xi8>) -> tensor<1x1xi16>
  check.expect_eq_const %0, dense<[[10100]]> : tensor<1x1xi16>
  return
}
func.func @index_select() {
  %x = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]> : tensor<2x3x2xi32>
  %i = stablehlo.constant dense<[[2, 0], [1, 9]]> : tensor<2x2xi32>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x3x2xi32>, tensor<2x2xi32>) -> tensor<2x2x2xi32>
  %1 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 0 : i64}> : (tensor<2x3x2xi32>, tensor<2x2xi32>) -> tensor<2x2x2x2xi32>
  check.expect_eq_const %0, dense<[[[5, 6], [1, 2]], [[9, 10], [11, 12]]]> : tensor<2x2x2xi32>
  check.expect_eq_const %1, dense<[[[[5, 6], [1, 2]], [[3, 4], [5, 6]]], [[[11, 12], [7, 8]], [[9, 10], [11, 12]]]]> : tensor<2x2x2x2xi32>
  return
}

// -----

// Mean 2 and 4, variance 1 and 4.
func.func @batch_norm() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 6.0]]> : tensor<2x2xf64>
  %s = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf64>
  %o = stablehlo.constant dense<[0.5, 1.0]> : tensor<2xf64>
  %m = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf64>
  %v = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf64>
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  %1 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  check.expect_eq_const %0#0, dense<[[-0.5, -2.0], [1.5, 4.0]]> : tensor<2x2xf64>
  check.expect_eq_const %0#1, dense<[2.0, 4.0]> : tensor<2xf64>
  check.expect_eq_const %0#2, dense<[1.0, 4.0]> : tensor<2xf64>
  check.expect_eq_const %1, dense<[[-0.5, -2.0], [1.5, 4.0]]> : tensor<2x2xf64>
  return
}
// As JAX differentiates the formula.
func.func @batch_norm_gradient() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 6.0], [5.0, -1.0]]> : tensor<3x2xf64>
  %s = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf64>
  %o = stablehlo.constant dense<[0.0, 0.0]> : tensor<2xf64>
  %ct = stablehlo.constant dense<[[1.0, 0.0], [0.0, 2.0], [0.5, -1.0]]> : tensor<3x2xf64>
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<3x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2xf64>)
  %1:3 = "stablehlo.batch_norm_grad"(%x, %s, %0#1, %0#2, %ct) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<3x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<2xf64>)
  check.expect_almost_eq_const %1#0, dense<[[0.1531217896760334, -0.19794147130917314], [-0.3061288240708202, 0.08502591944965998], [0.1530070343947868, 0.11291555185951319]]> : tensor<3x2xf64> {tolerance = 1.0e-12 : f64}
  check.expect_almost_eq_const %1#1, dense<[-0.6122576481416404, 3.719698248802213]> : tensor<2xf64> {tolerance = 1.0e-12 : f64}
  check.expect_eq_const %1#2, dense<[1.5, 1.0]> : tensor<2xf64>
  return
}

// -----

// Rows 0 and 1 meet the first matrix, row 2 the second, row 3 none.
func.func @ragged_rows() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %y = stablehlo.constant dense<[[[1.0], [1.0]], [[10.0], [100.0]]]> : tensor<2x2x1xf32>
  %n = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%x, %y, %n) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<4x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<4x1xf32>
  check.expect_eq_const %0, dense<[[3.0], [7.0], [650.0], [0.0]]> : tensor<4x1xf32>
  return
}
// Columns 0 and 1 are the first sum, column 2 the second; each example has its own sizes.
func.func @ragged_sums() {
  %x = stablehlo.constant dense<[[[1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0]]]> : tensor<2x1x3xf32>
  %y = stablehlo.constant dense<[[[1.0], [10.0], [100.0]], [[1.0], [10.0], [100.0]]]> : tensor<2x3x1xf32>
  %n = stablehlo.constant dense<[[2, 1], [1, 1]]> : tensor<2x2xi32>
  %0 = "chlo.ragged_dot"(%x, %y, %n) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = []>} : (tensor<2x1x3xf32>, tensor<2x3x1xf32>, tensor<2x2xi32>) -> tensor<2x2x1x1xf32>
  check.expect_eq_const %0, dense<[[[[21.0]], [[1.0]]], [[[300.0]], [[20.0]]]]> : tensor<2x2x1x1xf32>
  return
}

// -----

// A body over slices, with a value from outside; backwards along the second axis.
func.func @scan() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<[0, 10]> : tensor<2xi32>
  %k = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0:2 = chlo.scan(%x) inits(%z) dimension = 1 attributes {is_reverse = true} {
  ^bb0(%a: tensor<2xi32>, %c: tensor<2xi32>):
    %s = stablehlo.add %a, %c : tensor<2xi32>
    %p = stablehlo.multiply %s, %k : tensor<2xi32>
    stablehlo.return %p, %s : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[[12, 10, 6], [75, 63, 48]]> : tensor<2x3xi32>
  check.expect_eq_const %0#1, dense<[6, 25]> : tensor<2xi32>
  return
}
func.func @scan_of_sums() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %z = stablehlo.constant dense<10.0> : tensor<f32>
  %0:2 = "chlo.scan"(%x, %z) <{dimension = 0 : i64, is_associative = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>):
    %s = stablehlo.add %a, %c : tensor<f32>
    stablehlo.return %s, %s : tensor<f32>, tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)
  check.expect_eq_const %0#0, dense<[11.0, 13.0, 16.0]> : tensor<3xf32>
  check.expect_eq_const %0#1, dense<16.0> : tensor<f32>
  return
}
func.func @select_of_other_ranks() {
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<0> : tensor<i32>
  %0 = chlo.broadcast_select %p, %x, %y : (tensor<2xi1>, tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[1, 0], [3, 0]]> : tensor<2x2xi32>
  return
}
