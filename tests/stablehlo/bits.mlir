// Bits of elements as elements of another type, low ones first.
func.func @floats_of_eight_bits() {
  %a = stablehlo.constant dense<[0x38, 0xC0, 0x7E, 0x01, 0x7F, 0x80]> : tensor<6xui8>
  %0 = stablehlo.bitcast_convert %a : (tensor<6xui8>) -> tensor<6xf8E4M3FN>
  check.expect_eq_const %0, dense<[1.0, -2.0, 448.0, 0.001953125, 0x7F, -0.0]> : tensor<6xf8E4M3FN>
  %1 = stablehlo.bitcast_convert %0 : (tensor<6xf8E4M3FN>) -> tensor<6xi8>
  check.expect_eq_const %1, dense<[56, -64, 126, 1, 127, -128]> : tensor<6xi8>
  %b = stablehlo.constant dense<[0x7C, 0xFC, 0x7B, 0x01]> : tensor<4xui8>
  %2 = stablehlo.bitcast_convert %b : (tensor<4xui8>) -> tensor<4xf8E5M2>
  check.expect_eq_const %2, dense<[0x7C, 0xFC, 57344.0, 0.0000152587890625]> : tensor<4xf8E5M2>
  %3 = stablehlo.bitcast_convert %2 : (tensor<4xf8E5M2>) -> tensor<4xui8>
  check.expect_eq_const %3, dense<[124, 252, 123, 1]> : tensor<4xui8>
  %4 = stablehlo.bitcast_convert %b : (tensor<4xui8>) -> tensor<4xf8E5M2FNUZ>
  %5 = stablehlo.bitcast_convert %4 : (tensor<4xf8E5M2FNUZ>) -> tensor<4xui8>
  check.expect_eq_const %5, dense<[124, 252, 123, 1]> : tensor<4xui8>
  return
}
func.func @parts_of_a_byte() {
  %a = stablehlo.constant dense<[0x1F, 0x80]> : tensor<2xui8>
  %0 = stablehlo.bitcast_convert %a : (tensor<2xui8>) -> tensor<2x2xi4>
  check.expect_eq_const %0, dense<[[-1, 1], [0, -8]]> : tensor<2x2xi4>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x2xi4>) -> tensor<2xui8>
  check.expect_eq_const %1, dense<[31, 128]> : tensor<2xui8>
  %2 = stablehlo.bitcast_convert %a : (tensor<2xui8>) -> tensor<2x2xf4E2M1FN>
  check.expect_eq_const %2, dense<[[-6.0, 0.5], [0.0, -0.0]]> : tensor<2x2xf4E2M1FN>
  %3 = stablehlo.bitcast_convert %2 : (tensor<2x2xf4E2M1FN>) -> tensor<2xui8>
  check.expect_eq_const %3, dense<[31, 128]> : tensor<2xui8>
  %4 = stablehlo.bitcast_convert %a : (tensor<2xui8>) -> tensor<2x8xi1>
  check.expect_eq_const %4, dense<[[true, true, true, true, true, false, false, false], [false, false, false, false, false, false, false, true]]> : tensor<2x8xi1>
  %5 = stablehlo.bitcast_convert %4 : (tensor<2x8xi1>) -> tensor<2xi8>
  check.expect_eq_const %5, dense<[31, -128]> : tensor<2xi8>
  return
}
func.func @floats_to_small_integers() {
  %a = stablehlo.constant dense<[100.0, -100.0, 2.5, -1.0, 0x7FC00000]> : tensor<5xf32>
  %0 = stablehlo.convert %a : (tensor<5xf32>) -> tensor<5xi4>
  check.expect_eq_const %0, dense<[7, -8, 2, -1, 0]> : tensor<5xi4>
  %1 = stablehlo.convert %a : (tensor<5xf32>) -> tensor<5xui2>
  check.expect_eq_const %1, dense<[3, 0, 2, 0, 0]> : tensor<5xui2>
  return
}

// -----

// Complex numbers of one width as those of another; how far apart floats are.
func.func @complex() {
  %a = stablehlo.constant dense<(1.0, -2.0)> : tensor<complex<f64>>
  %0 = stablehlo.bitcast_convert %a : (tensor<complex<f64>>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %0, dense<[(0x00000000, 0x3FF00000), (0x00000000, 0xC0000000)]> : tensor<2xcomplex<f32>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2xcomplex<f32>>) -> tensor<complex<f64>>
  check.expect_eq %1, %a : tensor<complex<f64>>
  return
}
func.func @apart() {
  %a = stablehlo.constant dense<[0x00000001, 0x3F800000]> : tensor<2xf32>
  %b = stablehlo.constant dense<[0x80000001, 0x3F800002]> : tensor<2xf32>
  check.expect_close %a, %b, max_ulp_difference = 2, min_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>
  %i = stablehlo.constant dense<[0x7F800000, 0x7F800000]> : tensor<2xf32>
  %n = stablehlo.constant dense<[0xFF800000, 0x7FC00000]> : tensor<2xf32>
  check.expect_close %i, %n, max_ulp_difference = 18446744073709551615, min_ulp_difference = 18446744073709551615 : tensor<2xf32>, tensor<2xf32>
  check.expect_close %i, %i, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}
