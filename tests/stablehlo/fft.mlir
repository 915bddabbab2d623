// Of real numbers the transform is real at 0, and at the middle of an even length: exactly.
func.func @odd() {
  %x = stablehlo.constant dense<[0.1, -0.7, 1.3, 0.9, -2.1, 0.3, 1.7]> : tensor<7xf32>
  %y = stablehlo.fft %x, type = RFFT, length = [7] : (tensor<7xf32>) -> tensor<4xcomplex<f32>>
  %i = stablehlo.imag %y : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %s = stablehlo.slice %i [0:1] : (tensor<4xf32>) -> tensor<1xf32>
  check.expect_eq_const %s, dense<0.0> : tensor<1xf32>
  return
}
func.func @even() {
  %x = stablehlo.constant dense<[[0.1, -0.7, 1.3, 0.9, -2.1, 0.3], [1.7, 0.2, 0.4, -0.9, 0.8, 0.6]]> : tensor<2x6xf64>
  %y = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<2x6xf64>) -> tensor<2x4xcomplex<f64>>
  %i = stablehlo.imag %y : (tensor<2x4xcomplex<f64>>) -> tensor<2x4xf64>
  %s = stablehlo.slice %i [0:2, 0:4:3] : (tensor<2x4xf64>) -> tensor<2x2xf64>
  check.expect_eq_const %s, dense<0.0> : tensor<2x2xf64>
  return
}
func.func @shortest() {
  %x = stablehlo.constant dense<[3.0, -5.0]> : tensor<2xf64>
  %y = stablehlo.fft %x, type = RFFT, length = [2] : (tensor<2xf64>) -> tensor<2xcomplex<f64>>
  check.expect_eq_const %y, dense<[(-2.0, 0.0), (8.0, 0.0)]> : tensor<2xcomplex<f64>>
  %u = stablehlo.constant dense<[3.0]> : tensor<1xf64>
  %v = stablehlo.fft %u, type = RFFT, length = [1] : (tensor<1xf64>) -> tensor<1xcomplex<f64>>
  check.expect_eq_const %v, dense<[(3.0, 0.0)]> : tensor<1xcomplex<f64>>
  return
}
