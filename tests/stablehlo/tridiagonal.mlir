// Systems of three diagonals: LAPACK reads neither the first element of the left diagonal nor
// the last of the right one.

func.func @turned() {
  %l = stablehlo.constant dense<[0x7FF8000000000000, 4.0, 1.0, -2.0]> : tensor<4xf64>
  %d = stablehlo.constant dense<[0.0, 1.0, 0.5, 3.0]> : tensor<4xf64>
  %u = stablehlo.constant dense<[2.0, -1.0, 8.0, 0x7FF0000000000000]> : tensor<4xf64>
  %b = stablehlo.constant dense<[[4.0, 0.0], [3.0, 4.0], [35.5, 0.0], [6.0, 0.0]]> : tensor<4x2xf64>
  %0:5 = stablehlo.custom_call @lapack_dgtsv_ffi(%l, %d, %u, %b) {backend_config = ""} : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x2xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x2xf64>, tensor<i32>)
  check.expect_almost_eq_const %0#3, dense<[[1.0, 1.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0]]> : tensor<4x2xf64>
  check.expect_eq_const %0#4, dense<0> : tensor<i32>
  return
}
func.func @batch() {
  %l = stablehlo.constant dense<[[0.0, 1.0, 2.0], [0.0, 5.0, -1.0]]> : tensor<2x3xf32>
  %d = stablehlo.constant dense<[[4.0, 4.0, 4.0], [1.0, 1.0, 2.0]]> : tensor<2x3xf32>
  %u = stablehlo.constant dense<[[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[[[6.0], [6.0], [6.0]], [[3.0], [7.0], [1.0]]]> : tensor<2x3x1xf32>
  %0:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%l, %d, %u, %b) {backend_config = ""} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3x1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3x1xf32>, tensor<2xi32>)
  check.expect_almost_eq_const %0#3, dense<1.0> : tensor<2x3x1xf32>
  return
}
func.func @one_row() {
  %d = stablehlo.constant dense<4.0> : tensor<1xf32>
  %b = stablehlo.constant dense<2.0> : tensor<1x1xf32>
  %0:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%d, %d, %d, %b) {backend_config = ""} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x1xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x1xf32>, tensor<i32>)
  check.expect_eq_const %0#3, dense<0.5> : tensor<1x1xf32>
  return
}
func.func @complex() {
  %l = stablehlo.constant dense<[(0.0, 0.0), (0.0, 2.0)]> : tensor<2xcomplex<f32>>
  %d = stablehlo.constant dense<[(1.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f32>>
  %u = stablehlo.constant dense<[(0.0, 1.0), (0.0, 0.0)]> : tensor<2xcomplex<f32>>
  %b = stablehlo.constant dense<[[(1.0, 1.0)], [(1.0, 2.0)]]> : tensor<2x1xcomplex<f32>>
  %0:5 = stablehlo.custom_call @lapack_cgtsv_ffi(%l, %d, %u, %b) {backend_config = ""} : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2x1xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2x1xcomplex<f32>>, tensor<i32>)
  check.expect_almost_eq_const %0#3, dense<(1.0, 0.0)> : tensor<2x1xcomplex<f32>>
  return
}
// As a matrix it would have 10,000,000,000 elements.
func.func @long() {
  %side = stablehlo.constant dense<-1.0> : tensor<100000xf32>
  %d = stablehlo.constant dense<4.0> : tensor<100000xf32>
  %one = stablehlo.constant dense<1.0> : tensor<100000x1xf32>
  %row = stablehlo.iota dim = 0 : tensor<100000x1xi32>
  %first = stablehlo.constant dense<0> : tensor<100000x1xi32>
  %last = stablehlo.constant dense<99999> : tensor<100000x1xi32>
  %0 = stablehlo.compare EQ, %row, %first : (tensor<100000x1xi32>, tensor<100000x1xi32>) -> tensor<100000x1xi1>
  %1 = stablehlo.compare EQ, %row, %last : (tensor<100000x1xi32>, tensor<100000x1xi32>) -> tensor<100000x1xi1>
  %2 = stablehlo.or %0, %1 : tensor<100000x1xi1>
  %end = stablehlo.constant dense<3.0> : tensor<100000x1xf32>
  %inner = stablehlo.constant dense<2.0> : tensor<100000x1xf32>
  %b = stablehlo.select %2, %end, %inner : tensor<100000x1xi1>, tensor<100000x1xf32>
  %3:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%side, %d, %side, %b) {backend_config = ""} : (tensor<100000xf32>, tensor<100000xf32>, tensor<100000xf32>, tensor<100000x1xf32>) -> (tensor<100000xf32>, tensor<100000xf32>, tensor<100000xf32>, tensor<100000x1xf32>, tensor<i32>)
  check.expect_almost_eq %3#3, %one : tensor<100000x1xf32>
  return
}
