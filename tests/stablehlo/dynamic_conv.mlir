// The padding of a convolution as an operand: one axis, two axes, sizes that are open.
func.func @one_axis() {
  %x = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %w = stablehlo.constant dense<[[[1.0]], [[10.0]], [[100.0]]]> : tensor<3x1x1xf32>
  %pad = stablehlo.constant dense<[[2, 1]]> : tensor<1x2xi32>
  %y = stablehlo.dynamic_conv(%x, %w, %pad) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi32>) -> tensor<1x5x1xf32>
  check.expect_eq_const %y, dense<[[[100.0], [210.0], [321.0], [432.0], [43.0]]]> : tensor<1x5x1xf32>
  return
}
// -----
// Strides, holes and a turned kernel; negative padding; a result whose size is open.
func.func @one_axis_open() {
  %x = stablehlo.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>
  %w = stablehlo.constant dense<[[[1.0, 10.0]]]> : tensor<1x1x2xf32>
  %n = stablehlo.get_dimension_size %x, dim = 2 : (tensor<1x1x5xf32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %d = stablehlo.subtract %four, %n : tensor<i32>
  %low = stablehlo.reshape %d : (tensor<i32>) -> tensor<1x1xi32>
  %high = stablehlo.constant dense<2> : tensor<1x1xi32>
  %pad = stablehlo.concatenate %low, %high, dim = 1 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x2xi32>
  %y = "stablehlo.dynamic_conv"(%x, %w, %pad) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 2>, window_reversal = array<i1: true>, window_strides = array<i64: 2>}> : (tensor<1x1x5xf32>, tensor<1x1x2xf32>, tensor<1x2xi32>) -> tensor<1x1x?xf32>
  %z = stablehlo.reshape %y : (tensor<1x1x?xf32>) -> tensor<2xf32>
  check.expect_eq_const %z, dense<[24.0, 40.0]> : tensor<2xf32>
  return
}
// -----
func.func @two_axes() {
  %x = stablehlo.constant dense<[[[[1], [2]], [[3], [4]]]]> : tensor<1x2x2x1xi32>
  %w = stablehlo.constant dense<[[[[1]], [[10]]]]> : tensor<1x2x1x1xi32>
  %pad = stablehlo.constant dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>
  %y = stablehlo.dynamic_conv(%x, %w, %pad) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2x1xi32>, tensor<1x2x1x1xi32>, tensor<2x2xi64>) -> tensor<1x3x2x1xi32>
  check.expect_eq_const %y, dense<[[[[0], [0]], [[21], [2]], [[43], [4]]]]> : tensor<1x3x2x1xi32>
  return
}
