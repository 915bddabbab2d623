// Order: what is the largest, and where.

// NaN, inf, ..., 0, -0, ..., -inf, -NaN; equal ones in their own order.
func.func @top_k_total_order() {
  %x = stablehlo.constant dense<[0xFFC00000, 0x80000000, 0x7FC00000, 0.0, 0xFF800000, 2.0, 2.0, 0x7F800000]> : tensor<8xf32>
  %v, %i = chlo.top_k(%x, k = 8) : tensor<8xf32> -> (tensor<8xf32>, tensor<8xi32>)
  check.expect_eq_const %i, dense<[2, 7, 5, 6, 3, 1, 4, 0]> : tensor<8xi32>
  check.expect_eq_const %v, dense<[0x7FC00000, 0x7F800000, 2.0, 2.0, 0.0, 0x80000000, 0xFF800000, 0xFFC00000]> : tensor<8xf32>
  return
}
func.func @top_k_rows_of_halves() {
  %x = stablehlo.constant dense<[[1.0, -3.0, 2.0], [0xFC00, 0x7E00, 5.0]]> : tensor<2x3xf16>
  %v, %i = chlo.top_k(%x, k = 2) : tensor<2x3xf16> -> (tensor<2x2xf16>, tensor<2x2xi32>)
  check.expect_eq_const %i, dense<[[2, 0], [1, 2]]> : tensor<2x2xi32>
  check.expect_eq_const %v, dense<[[2.0, 1.0], [0x7E00, 5.0]]> : tensor<2x2xf16>
  return
}
func.func @top_k_integers() {
  %x = stablehlo.constant dense<[7, 255, 0, 128]> : tensor<4xui8>
  %v, %i = chlo.top_k(%x, k = 3) : tensor<4xui8> -> (tensor<3xui8>, tensor<3xi32>)
  check.expect_eq_const %i, dense<[1, 3, 0]> : tensor<3xi32>
  check.expect_eq_const %v, dense<[255, 128, 7]> : tensor<3xui8>
  return
}

// -----

// Windows of two; the place of the greater bool, the first of equal ones, takes the source.
func.func @select_and_scatter_or() {
  %x = stablehlo.constant dense<[false, true, true, false, false, false]> : tensor<6xi1>
  %s = stablehlo.constant dense<[true, true, true]> : tensor<3xi1>
  %z = stablehlo.constant dense<false> : tensor<i1>
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %0 = stablehlo.compare GE, %a, %b, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %0 = stablehlo.or %a, %b : tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) : (tensor<6xi1>, tensor<3xi1>, tensor<i1>) -> tensor<6xi1>
  check.expect_eq_const %r, dense<[false, true, true, false, true, false]> : tensor<6xi1>
  return
}
func.func @select_and_scatter_and() {
  %x = stablehlo.constant dense<[1, 2, 3, 0]> : tensor<4xi32>
  %s = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %0 = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %0 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %0 : tensor<i32>
  }) : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[0, 5, 6, 0]> : tensor<4xi32>
  return
}
