// LAPACK as older programs call it: sizes and options are operands, results end in workspace.

func.func @potrf() {
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.custom_call @lapack_spotrf(%one, %one, %n, %a) {api_version = 2 : i32, operand_layouts = [dense<> : tensor<0xindex>, dense<> : tensor<0xindex>, dense<> : tensor<0xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 3, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  %1 = stablehlo.slice %0#0 [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %2:2 = stablehlo.custom_call @lapack_spotrf(%zero, %one, %n, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  %3 = stablehlo.slice %2#0 [0:2, 1:2] : (tensor<2x2xf32>) -> tensor<2x1xf32>
  check.expect_eq_const %1, dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  check.expect_eq_const %3, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  check.expect_eq_const %0#1, dense<0> : tensor<i32>
  return
}
// x L = b, whose diagonal counts as ones or not; L^T x = b.
func.func @trsm() {
  %a = stablehlo.constant dense<[[2.0, 7.0], [1.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0, 8.0], [4.0, 4.0]]> : tensor<2x2xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %alpha = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.custom_call @blas_strsm(%zero, %one, %zero, %zero, %n, %n, %one, %alpha, %a, %b) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.custom_call @blas_strsm(%zero, %one, %zero, %one, %n, %n, %one, %alpha, %a, %b) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.custom_call @blas_strsm(%one, %one, %one, %zero, %n, %n, %one, %alpha, %a, %b) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[0.0, 2.0], [1.5, 1.0]]> : tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[-6.0, 8.0], [0.0, 4.0]]> : tensor<2x2xf32>
  check.expect_eq_const %2, dense<[[0.5, 3.5], [1.0, 1.0]]> : tensor<2x2xf32>
  return
}
func.func @getrf() {
  %a = stablehlo.constant dense<[[[2.0, 3.0], [4.0, 8.0]]]> : tensor<1x2x2xf64>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %0:3 = stablehlo.custom_call @lapack_dgetrf(%one, %n, %n, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<1x2x2xf64>) -> (tensor<1x2x2xf64>, tensor<1x2xi32>, tensor<1xi32>)
  check.expect_eq_const %0#0, dense<[[[4.0, 8.0], [0.5, -1.0]]]> : tensor<1x2x2xf64>
  check.expect_eq_const %0#1, dense<[[2, 2]]> : tensor<1x2xi32>
  return
}
// Q R is the operand again.
func.func @geqrf() {
  %a = stablehlo.constant dense<[[3.0], [4.0]]> : tensor<2x1xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %m = stablehlo.constant dense<2> : tensor<i32>
  %work = stablehlo.constant dense<32> : tensor<i32>
  %0:4 = stablehlo.custom_call @lapack_sgeqrf(%one, %m, %one, %work, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<1xf32>, tensor<i32>, tensor<32xf32>)
  %r = stablehlo.slice %0#0 [0:1, 0:1] : (tensor<2x1xf32>) -> tensor<1x1xf32>
  %1:3 = stablehlo.custom_call @lapack_sorgqr(%one, %m, %one, %one, %work, %0#0, %0#1) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x1xf32>, tensor<1xf32>) -> (tensor<2x1xf32>, tensor<i32>, tensor<32xf32>)
  %2 = stablehlo.dot_general %1#0, %r, contracting_dims = [1] x [0] : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %3 = stablehlo.abs %r : tensor<1x1xf32>
  check.expect_almost_eq_const %2, dense<[[3.0], [4.0]]> : tensor<2x1xf32>
  check.expect_almost_eq_const %3, dense<[[5.0]]> : tensor<1x1xf32>
  return
}
func.func @gesdd() {
  %a = stablehlo.constant dense<[[0.0, 3.0], [4.0, 0.0], [0.0, 0.0]]> : tensor<3x2xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %m = stablehlo.constant dense<3> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %work = stablehlo.constant dense<50> : tensor<i32>
  %0:7 = stablehlo.custom_call @lapack_sgesdd(%zero, %one, %one, %m, %n, %work, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<16xi32>, tensor<50xf32>)
  %1:7 = stablehlo.custom_call @lapack_sgesdd(%one, %one, %one, %m, %n, %work, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<3x3xf32>, tensor<2x2xf32>, tensor<i32>, tensor<16xi32>, tensor<50xf32>)
  %2 = stablehlo.abs %0#2 : tensor<3x2xf32>
  check.expect_almost_eq_const %0#1, dense<[4.0, 3.0]> : tensor<2xf32>
  check.expect_almost_eq_const %1#1, dense<[4.0, 3.0]> : tensor<2xf32>
  check.expect_almost_eq_const %2, dense<[[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]> : tensor<3x2xf32>
  return
}
// Only the triangle that is named counts.
func.func @syevd() {
  %a = stablehlo.constant dense<[[2.0, 9.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %0:5 = stablehlo.custom_call @lapack_ssyevd(%one, %one, %n, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>, tensor<21xf32>, tensor<13xi32>)
  check.expect_almost_eq_const %0#1, dense<[1.0, 3.0]> : tensor<2xf32>
  return
}
func.func @geev() {
  %a = stablehlo.constant dense<[[5.0]]> : tensor<1x1xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %v = stablehlo.constant dense<86> : tensor<ui8>
  %0:8 = stablehlo.custom_call @lapack_sgeev(%one, %one, %v, %v, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<ui8>, tensor<ui8>, tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x1xcomplex<f32>>, tensor<1x1xcomplex<f32>>, tensor<i32>)
  check.expect_almost_eq_const %0#3, dense<[5.0]> : tensor<1xf32>
  check.expect_almost_eq_const %0#4, dense<[0.0]> : tensor<1xf32>
  return
}
func.func @gees() {
  %a = stablehlo.constant dense<[[5.0]]> : tensor<1x1xf32>
  %c = stablehlo.constant dense<[[(5.0, 2.0)]]> : tensor<1x1xcomplex<f32>>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %v = stablehlo.constant dense<86> : tensor<ui8>
  %n = stablehlo.constant dense<78> : tensor<ui8>
  %0:6 = stablehlo.custom_call @lapack_sgees(%one, %one, %v, %n, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<ui8>, tensor<ui8>, tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>)
  %1:6 = stablehlo.custom_call @lapack_cgees(%one, %one, %v, %n, %c) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<ui8>, tensor<ui8>, tensor<1x1xcomplex<f32>>) -> (tensor<1x1xcomplex<f32>>, tensor<1xf32>, tensor<1xcomplex<f32>>, tensor<1x1xcomplex<f32>>, tensor<i32>, tensor<i32>)
  check.expect_almost_eq_const %0#0, dense<[[5.0]]> : tensor<1x1xf32>
  check.expect_almost_eq_const %0#1, dense<[5.0]> : tensor<1xf32>
  check.expect_almost_eq_const %1#2, dense<[(5.0, 2.0)]> : tensor<1xcomplex<f32>>
  return
}
func.func @gehrd() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %work = stablehlo.constant dense<64> : tensor<i32>
  %0:4 = stablehlo.custom_call @lapack_sgehrd(%n, %one, %n, %n, %one, %work, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<1xf32>, tensor<i32>, tensor<64xf32>)
  %1 = stablehlo.slice %0#0 [0:2, 1:2] : (tensor<2x2xf32>) -> tensor<2x1xf32>
  %2 = stablehlo.abs %1 : tensor<2x1xf32>
  check.expect_almost_eq_const %2, dense<[[2.0], [4.0]]> : tensor<2x1xf32>
  return
}
func.func @sytrd() {
  %a = stablehlo.constant dense<[[1.0, 9.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %work = stablehlo.constant dense<64> : tensor<i32>
  %0:6 = stablehlo.custom_call @lapack_ssytrd(%n, %one, %n, %one, %work, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<i32>, tensor<64xf32>)
  check.expect_almost_eq_const %0#1, dense<[1.0, 4.0]> : tensor<2xf32>
  return
}

// -----

// Singular values by the other driver.
func.func @gesvd() {
  %a = stablehlo.constant dense<[[0.0, 3.0], [4.0, 0.0]]> : tensor<2x2xf32>
  %0:5 = stablehlo.custom_call @lapack_sgesvd_ffi(%a) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>)
  check.expect_almost_eq_const %0#1, dense<[4.0, 3.0]> : tensor<2xf32>
  return
}

// -----

// A sparse matrix by rows times a vector and a matrix: [[1, 0, 2], [0, 0, 0], [0, 3, 0]].  What is stored behind the last row is none of it.
func.func @csr() {
  %data = stablehlo.constant dense<[1.0, 2.0, 3.0, 9.0]> : tensor<4xf32>
  %start = stablehlo.constant dense<[0, 2, 2, 3]> : tensor<4xi32>
  %column = stablehlo.constant dense<[0, 2, 1, 7]> : tensor<4xi32>
  %v = stablehlo.constant dense<[1.0, 10.0, 100.0]> : tensor<3xf32>
  %m = stablehlo.constant dense<[[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]> : tensor<3x2xf32>
  %0 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%data, %start, %column, %v) {mhlo.backend_config = {}} : (tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%data, %start, %column, %m) {mhlo.backend_config = {}} : (tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %0, dense<[201.0, 0.0, 30.0]> : tensor<3xf32>
  check.expect_eq_const %1, dense<[[201.0, 402.0], [0.0, 0.0], [30.0, 60.0]]> : tensor<3x2xf32>
  return
}
