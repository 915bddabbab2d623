// Integers of 2 and 4 bits: all is modulo 4 and 16.
func.func @wrap() {
  %a = stablehlo.constant dense<[7, -8, 5, -3]> : tensor<4xi4>
  %b = stablehlo.constant dense<[1, -1, 5, 3]> : tensor<4xi4>
  %0 = stablehlo.add %a, %b : tensor<4xi4>
  check.expect_eq_const %0, dense<[-8, 7, -6, 0]> : tensor<4xi4>
  %1 = stablehlo.multiply %a, %b : tensor<4xi4>
  check.expect_eq_const %1, dense<[7, -8, -7, 7]> : tensor<4xi4>
  %2 = stablehlo.negate %a : tensor<4xi4>
  check.expect_eq_const %2, dense<[-7, -8, -5, 3]> : tensor<4xi4>
  %3 = stablehlo.convert %a : (tensor<4xi4>) -> tensor<4xi32>
  check.expect_eq_const %3, dense<[7, -8, 5, -3]> : tensor<4xi32>
  %4 = stablehlo.constant dense<[17, 8, -9, 3]> : tensor<4xi32>
  %5 = stablehlo.convert %4 : (tensor<4xi32>) -> tensor<4xi4>
  check.expect_eq_const %5, dense<[1, -8, 7, 3]> : tensor<4xi4>
  return
}
func.func @bits() {
  %a = stablehlo.constant dense<[15, 8, 1, 0]> : tensor<4xui4>
  %n = stablehlo.constant dense<2> : tensor<4xui4>
  %0 = stablehlo.not %a : tensor<4xui4>
  check.expect_eq_const %0, dense<[0, 7, 14, 15]> : tensor<4xui4>
  %1 = stablehlo.count_leading_zeros %a : tensor<4xui4>
  check.expect_eq_const %1, dense<[0, 0, 3, 4]> : tensor<4xui4>
  %2 = stablehlo.shift_left %a, %n : tensor<4xui4>
  check.expect_eq_const %2, dense<[12, 0, 4, 0]> : tensor<4xui4>
  %b = stablehlo.constant dense<[-1, -8, 7, 0]> : tensor<4xi4>
  %m = stablehlo.constant dense<2> : tensor<4xi4>
  %3 = stablehlo.popcnt %b : tensor<4xi4>
  check.expect_eq_const %3, dense<[4, 1, 3, 0]> : tensor<4xi4>
  %4 = stablehlo.shift_right_logical %b, %m : tensor<4xi4>
  check.expect_eq_const %4, dense<[3, 2, 1, 0]> : tensor<4xi4>
  %5 = stablehlo.shift_right_arithmetic %b, %m : tensor<4xi4>
  check.expect_eq_const %5, dense<[-1, -2, 1, 0]> : tensor<4xi4>
  return
}
func.func @sum_of_two_bits() {
  %a = stablehlo.constant dense<[1, 1, -2, 1, -1]> : tensor<5xi2>
  %z = stablehlo.constant dense<0> : tensor<i2>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<5xi2>, tensor<i2>) -> tensor<i2>
  check.expect_eq_const %0, dense<0> : tensor<i2>
  %i = stablehlo.iota dim = 0 : tensor<6xui2>
  check.expect_eq_const %i, dense<[0, 1, 2, 3, 0, 1]> : tensor<6xui2>
  return
}

// -----

// Floats of 8 bits and fewer: ties to even, small ones, and what is above the greatest.
func.func @e4m3fn() {
  %x = stablehlo.constant dense<[1.0625, 1.1875, 0.0009765625, 0.0029296875, 464.0, 465.0, -0.0, 0x7F800000]> : tensor<8xf32>
  %y = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xf8E4M3FN>
  check.expect_eq_const %y, dense<[0x38, 0x3A, 0x00, 0x02, 0x7E, 0x7F, 0x80, 0x7F]> : tensor<8xf8E4M3FN>
  %z = stablehlo.convert %y : (tensor<8xf8E4M3FN>) -> tensor<8xf32>
  check.expect_eq_const %z, dense<[1.0, 1.25, 0.0, 0.00390625, 448.0, 0x7FC00000, -0.0, 0x7FC00000]> : tensor<8xf32>
  return
}
func.func @e5m2() {
  %a = stablehlo.constant dense<[1.0, 1.25, 57344.0, 57344.0]> : tensor<4xf8E5M2>
  %b = stablehlo.constant dense<[0.125, 0.125, 4096.0, 2048.0]> : tensor<4xf8E5M2>
  %0 = stablehlo.add %a, %b : tensor<4xf8E5M2>
  check.expect_eq_const %0, dense<[1.0, 1.5, 0x7C, 57344.0]> : tensor<4xf8E5M2>
  return
}
func.func @without_minus_zero() {
  %a = stablehlo.constant dense<[-0.0, 1.0, 240.0, 0x80]> : tensor<4xf8E4M3FNUZ>
  %0 = stablehlo.negate %a : tensor<4xf8E4M3FNUZ>
  %1 = stablehlo.convert %0 : (tensor<4xf8E4M3FNUZ>) -> tensor<4xf32>
  %2 = stablehlo.constant dense<1.0> : tensor<4xf32>
  %3 = stablehlo.divide %2, %1 : tensor<4xf32>
  check.expect_eq_const %3, dense<[0x7F800000, -1.0, 0xBB888889, 0x7FC00000]> : tensor<4xf32>
  return
}
func.func @bytes_of_elements() {
  %a = stablehlo.constant dense<"0x38C07E01"> : tensor<4xf8E4M3FN>
  check.expect_eq_const %a, dense<[1.0, -2.0, 448.0, 0.001953125]> : tensor<4xf8E4M3FN>
  %b = stablehlo.constant dense<"0x0F0708"> : tensor<3xi4>
  check.expect_eq_const %b, dense<[-1, 7, -8]> : tensor<3xi4>
  %c = stablehlo.constant dense<[6.0, 0.5, 100.0, 0.2]> : tensor<4xf4E2M1FN>
  %d = stablehlo.convert %c : (tensor<4xf4E2M1FN>) -> tensor<4xf32>
  check.expect_eq_const %d, dense<[6.0, 0.5, 6.0, 0.0]> : tensor<4xf32>
  return
}
func.func @no_nan_in_formats_without_one() {
  %x = stablehlo.constant dense<[0x7FC00000, 0xFFC00000, 0x7F800000, -1.0]> : tensor<4xf32>
  %y = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf4E2M1FN>
  %z = stablehlo.convert %y : (tensor<4xf4E2M1FN>) -> tensor<4xf32>
  check.expect_eq_const %z, dense<[0.0, 0.0, 6.0, -1.0]> : tensor<4xf32>
  %zero = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf6E3M2FN>
  %q = stablehlo.divide %zero, %zero : tensor<2xf6E3M2FN>
  %r = stablehlo.convert %q : (tensor<2xf6E3M2FN>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[0.0, 1.0]> : tensor<2xf32>
  return
}
func.func @product_of_small_floats() {
  %a = stablehlo.constant dense<[[1.5, 2.0], [0.5, -1.0]]> : tensor<2x2xf8E4M3FN>
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2xf8E4M3FN>, tensor<2x2xf8E4M3FN>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[3.25, 1.0], [0.25, 2.0]]> : tensor<2x2xf32>
  return
}

// -----

// Powers of 2: the nearest, of two the greater; none for what is not above 0.
func.func @e8m0() {
  %x = stablehlo.constant dense<[3.0, 0.1, 5.0, 0.0, -1.0, 0x7F800000, 0x00000001, 0x00600000, 0x7F3FFFFF, 0x7F400000]> : tensor<10xf32>
  %y = stablehlo.convert %x : (tensor<10xf32>) -> tensor<10xf8E8M0FNU>
  check.expect_eq_const %y, dense<[4.0, 0.1, 4.0, 0.0, -1.0, 0xFF, 0x00, 0x01, 0xFE, 0xFF]> : tensor<10xf8E8M0FNU>
  %i = stablehlo.bitcast_convert %y : (tensor<10xf8E8M0FNU>) -> tensor<10xui8>
  check.expect_eq_const %i, dense<[129, 124, 129, 255, 255, 255, 0, 1, 254, 255]> : tensor<10xui8>
  %z = stablehlo.bitcast_convert %i : (tensor<10xui8>) -> tensor<10xf8E8M0FNU>
  check.expect_eq %z, %y : tensor<10xf8E8M0FNU>
  %two = stablehlo.constant dense<2.0> : tensor<10xf8E8M0FNU>
  %p = stablehlo.multiply %y, %two : tensor<10xf8E8M0FNU>
  check.expect_eq_const %p, dense<[8.0, 0.25, 8.0, 0xFF, 0xFF, 0xFF, 0x01, 0x02, 0xFF, 0xFF]> : tensor<10xf8E8M0FNU>
  return
}
