// Forms of matrices, by the calls of LAPACK that JAX makes: what they are factors of comes back.
func.func @schur() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 0.5, -1.0], [-3.0, 0.25, 1.0, 2.0], [0.0, 4.0, -1.0, 1.5], [2.0, -0.5, 1.0, 3.0]]> : tensor<4x4xf64>
  %0:6 = stablehlo.custom_call @lapack_dgees_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<i32>, tensor<i32>)
  %1 = stablehlo.dot_general %0#1, %0#0, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %2 = stablehlo.dot_general %1, %0#1, contracting_dims = [1] x [1] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  check.expect_almost_eq %2, %a : tensor<4x4xf64>
  %3 = stablehlo.dot_general %0#1, %0#1, contracting_dims = [0] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  check.expect_almost_eq_const %3, dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf64>
  %4 = stablehlo.slice %0#0 [2:4, 0:1] : (tensor<4x4xf64>) -> tensor<2x1xf64>
  check.expect_eq_const %4, dense<0.0> : tensor<2x1xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %5 = stablehlo.reduce(%0#2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %5, dense<3.25> : tensor<f64>
  return
}
func.func @hessenberg() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 0.5, -1.0], [-3.0, 0.25, 1.0, 2.0], [0.0, 4.0, -1.0, 1.5], [2.0, -0.5, 1.0, 3.0]]> : tensor<4x4xf64>
  %0:3 = stablehlo.custom_call @lapack_dgehrd_ffi(%a) {mhlo.backend_config = {high = 4 : i32, low = 1 : i32}} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<3xf64>, tensor<i32>)
  %v = stablehlo.slice %0#0 [1:4, 0:3] : (tensor<4x4xf64>) -> tensor<3x3xf64>
  %q = stablehlo.custom_call @lapack_dorgqr_ffi(%v, %0#1) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %p = stablehlo.pad %q, %zero, low = [1, 1], high = [0, 0], interior = [0, 0] : (tensor<3x3xf64>, tensor<f64>) -> tensor<4x4xf64>
  %one = stablehlo.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf64>
  %whole = stablehlo.add %p, %one : tensor<4x4xf64>
  %row = stablehlo.iota dim = 0 : tensor<4x4xi32>
  %column = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %below = stablehlo.constant dense<1> : tensor<4x4xi32>
  %next = stablehlo.add %column, %below : tensor<4x4xi32>
  %upper = stablehlo.compare LE, %row, %next : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
  %zeros = stablehlo.constant dense<0.0> : tensor<4x4xf64>
  %h = stablehlo.select %upper, %0#0, %zeros : tensor<4x4xi1>, tensor<4x4xf64>
  %2 = stablehlo.dot_general %whole, %h, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %3 = stablehlo.dot_general %2, %whole, contracting_dims = [1] x [1] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  check.expect_almost_eq %3, %a : tensor<4x4xf64>
  return
}
func.func @tridiagonal() {
  %a = stablehlo.constant dense<[[4.0, 1.0, -2.0, 2.0], [1.0, 2.0, 0.0, 1.0], [-2.0, 0.0, 3.0, -2.0], [2.0, 1.0, -2.0, -1.0]]> : tensor<4x4xf64>
  %0:5 = stablehlo.custom_call @lapack_dsytrd_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i32>)
  check.expect_almost_eq_const %0#1, dense<[4.0, 3.3333333333333335, -1.32, 1.9866666666666666]> : tensor<4xf64>
  %1 = stablehlo.abs %0#2 : tensor<3xf64>
  check.expect_almost_eq_const %1, dense<[3.0, 1.6666666666666667, 0.9066666666666666]> : tensor<3xf64>
  %kept = stablehlo.slice %0#0 [0:1, 1:4] : (tensor<4x4xf64>) -> tensor<1x3xf64>
  check.expect_eq_const %kept, dense<[[1.0, -2.0, 2.0]]> : tensor<1x3xf64>
  return
}
func.func @pivoted() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 0.5, -1.0], [-3.0, 0.25, 1.0, 2.0], [0.0, 4.0, -1.0, 1.5], [2.0, -0.5, 1.0, 3.0]]> : tensor<4x4xf64>
  %free = stablehlo.constant dense<0> : tensor<4xi32>
  %0:3 = stablehlo.custom_call @lapack_dgeqp3_ffi(%a, %free) : (tensor<4x4xf64>, tensor<4xi32>) -> (tensor<4x4xf64>, tensor<4xi32>, tensor<4xf64>)
  check.expect_eq_const %0#1, dense<[2, 4, 1, 3]> : tensor<4xi32>
  %q = stablehlo.custom_call @lapack_dorgqr_ffi(%0#0, %0#2) : (tensor<4x4xf64>, tensor<4xf64>) -> tensor<4x4xf64>
  %row = stablehlo.iota dim = 0 : tensor<4x4xi32>
  %column = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %below = stablehlo.constant dense<0> : tensor<4x4xi32>
  %next = stablehlo.add %column, %below : tensor<4x4xi32>
  %upper = stablehlo.compare LE, %row, %next : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
  %zeros = stablehlo.constant dense<0.0> : tensor<4x4xf64>
  %r = stablehlo.select %upper, %0#0, %zeros : tensor<4x4xi1>, tensor<4x4xf64>
  %1 = stablehlo.dot_general %q, %r, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  check.expect_almost_eq_const %1, dense<[[2.0, -1.0, 1.0, 0.5], [0.25, 2.0, -3.0, 1.0], [4.0, 1.5, 0.0, -1.0], [-0.5, 3.0, 2.0, 1.0]]> : tensor<4x4xf64>
  return
}
func.func private @more(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @approximate_top_k() {
  %x = stablehlo.constant dense<[[1.0, 5.0, 3.0], [2.0, -1.0, 7.0]]> : tensor<2x3xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %low, %none) {called_computations = [@more], mhlo.backend_config = {reduction_dim = 1 : i64, top_k = 2 : i64}} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %0#0, dense<[[5.0, 3.0], [7.0, 2.0]]> : tensor<2x2xf32>
  check.expect_eq_const %0#1, dense<[[1, 2], [2, 0]]> : tensor<2x2xi32>
  return
}
