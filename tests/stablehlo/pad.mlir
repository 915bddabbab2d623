// A row wider than a register, whose end is all padding.
func.func @pad_rows() {
  %0 = stablehlo.constant dense<[
    [1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0], [11.0, 12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0, 20.0]]> : tensor<4x5xf32>
  %2 = stablehlo.optimization_barrier %0 : tensor<4x5xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.pad %2, %zero, low = [2, 2], high = [2, 2], interior = [0, 0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<8x9xf32>
  check.expect_eq_const %3, dense<[
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 0.0],
    [0.0, 0.0, 6.0, 7.0, 8.0, 9.0, 10.0, 0.0, 0.0],
    [0.0, 0.0, 11.0, 12.0, 13.0, 14.0, 15.0, 0.0, 0.0],
    [0.0, 0.0, 16.0, 17.0, 18.0, 19.0, 20.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<8x9xf32>
  return
}
