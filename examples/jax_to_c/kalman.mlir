module @jit_kalman attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf64>, %arg1: tensor<2xf64>, %arg2: tensor<50x2xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %1 = stablehlo.iota dim = 1 : tensor<4x4xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x4xi64>
    %3 = stablehlo.add %0, %2 : tensor<4x4xi64>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %5 = stablehlo.convert %4 : (tensor<4x4xi1>) -> tensor<4x4xf64>
    %6 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %7 = stablehlo.iota dim = 1 : tensor<4x4xi64>
    %c_0 = stablehlo.constant dense<2> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<4x4xi64>
    %9 = stablehlo.add %6, %8 : tensor<4x4xi64>
    %10 = stablehlo.compare EQ, %9, %7, SIGNED : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %11 = stablehlo.convert %10 : (tensor<4x4xi1>) -> tensor<4x4xf64>
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x4xf64>
    %13 = stablehlo.multiply %12, %11 : tensor<4x4xf64>
    %14 = stablehlo.add %5, %13 : tensor<4x4xf64>
    %15 = stablehlo.iota dim = 0 : tensor<2x4xi64>
    %16 = stablehlo.iota dim = 1 : tensor<2x4xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %17 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<2x4xi64>
    %18 = stablehlo.add %15, %17 : tensor<2x4xi64>
    %19 = stablehlo.compare EQ, %18, %16, SIGNED : (tensor<2x4xi64>, tensor<2x4xi64>) -> tensor<2x4xi1>
    %20 = stablehlo.convert %19 : (tensor<2x4xi1>) -> tensor<2x4xf64>
    %21 = stablehlo.exponential %arg0 : tensor<4xf64>
    %22 = call @_diag(%21) : (tensor<4xf64>) -> tensor<4x4xf64>
    %23 = stablehlo.exponential %arg1 : tensor<2xf64>
    %24 = call @_diag_0(%23) : (tensor<2xf64>) -> tensor<2x2xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %25 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %26 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %27 = stablehlo.iota dim = 1 : tensor<4x4xi64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %28 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<4x4xi64>
    %29 = stablehlo.add %26, %28 : tensor<4x4xi64>
    %30 = stablehlo.compare EQ, %29, %27, SIGNED : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %31 = stablehlo.convert %30 : (tensor<4x4xi1>) -> tensor<4x4xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %c_5 = stablehlo.constant dense<0> : tensor<i64>
    %32:9 = stablehlo.while(%iterArg = %arg2, %iterArg_6 = %14, %iterArg_7 = %22, %iterArg_8 = %20, %iterArg_9 = %24, %iterArg_10 = %c_5, %iterArg_11 = %25, %iterArg_12 = %31, %iterArg_13 = %cst_4) : tensor<50x2xf64>, tensor<4x4xf64>, tensor<4x4xf64>, tensor<2x4xf64>, tensor<2x2xf64>, tensor<i64>, tensor<4xf64>, tensor<4x4xf64>, tensor<f64>
    cond {
      %c_14 = stablehlo.constant dense<50> : tensor<i64>
      %33 = stablehlo.compare LT, %iterArg_10, %c_14, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %33 : tensor<i1>
    } do {
      %33 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_10) : (tensor<50x2xf64>, tensor<i64>) -> tensor<2xf64>
      %34:3 = func.call @closed_call(%iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_11, %iterArg_12, %iterArg_13, %33) : (tensor<4x4xf64>, tensor<4x4xf64>, tensor<2x4xf64>, tensor<2x2xf64>, tensor<4xf64>, tensor<4x4xf64>, tensor<f64>, tensor<2xf64>) -> (tensor<4xf64>, tensor<4x4xf64>, tensor<f64>)
      %c_14 = stablehlo.constant dense<1> : tensor<i64>
      %35 = stablehlo.add %iterArg_10, %c_14 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %35, %34#0, %34#1, %34#2 : tensor<50x2xf64>, tensor<4x4xf64>, tensor<4x4xf64>, tensor<2x4xf64>, tensor<2x2xf64>, tensor<i64>, tensor<4xf64>, tensor<4x4xf64>, tensor<f64>
    }
    return %32#8 : tensor<f64>
  }
  func.func private @_diag(%arg0: tensor<4xf64>) -> tensor<4x4xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.pad %arg0, %cst, low = [0], high = [0], interior = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %1 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %2 = stablehlo.iota dim = 1 : tensor<4x4xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x4xi64>
    %4 = stablehlo.add %1, %3 : tensor<4x4xi64>
    %5 = stablehlo.compare EQ, %4, %2, SIGNED : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %6 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf64>) -> tensor<4x1xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = call @_where(%5, %6, %cst_0) : (tensor<4x4xi1>, tensor<4x1xf64>, tensor<f64>) -> tensor<4x4xf64>
    return %7 : tensor<4x4xf64>
  }
  func.func private @_where(%arg0: tensor<4x4xi1>, %arg1: tensor<4x1xf64>, %arg2: tensor<f64>) -> tensor<4x4xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x4xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<4x4xf64>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<4x4xi1>, tensor<4x4xf64>
    return %2 : tensor<4x4xf64>
  }
  func.func private @_diag_0(%arg0: tensor<2xf64>) -> tensor<2x2xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.pad %arg0, %cst, low = [0], high = [0], interior = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
    %1 = stablehlo.iota dim = 0 : tensor<2x2xi64>
    %2 = stablehlo.iota dim = 1 : tensor<2x2xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<2x2xi64>
    %4 = stablehlo.add %1, %3 : tensor<2x2xi64>
    %5 = stablehlo.compare EQ, %4, %2, SIGNED : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi1>
    %6 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<2xf64>) -> tensor<2x1xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = call @_where_1(%5, %6, %cst_0) : (tensor<2x2xi1>, tensor<2x1xf64>, tensor<f64>) -> tensor<2x2xf64>
    return %7 : tensor<2x2xf64>
  }
  func.func private @_where_1(%arg0: tensor<2x2xi1>, %arg1: tensor<2x1xf64>, %arg2: tensor<f64>) -> tensor<2x2xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x2xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<2x2xf64>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<2x2xi1>, tensor<2x2xf64>
    return %2 : tensor<2x2xf64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<50x2xf64>, %arg1: tensor<i64>) -> tensor<2xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<50x2xf64>, tensor<i64>, tensor<i64>) -> tensor<1x2xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf64>) -> tensor<2xf64>
    return %1 : tensor<2xf64>
  }
  func.func private @closed_call(%arg0: tensor<4x4xf64>, %arg1: tensor<4x4xf64>, %arg2: tensor<2x4xf64>, %arg3: tensor<2x2xf64>, %arg4: tensor<4xf64>, %arg5: tensor<4x4xf64>, %arg6: tensor<f64>, %arg7: tensor<2xf64>) -> (tensor<4xf64>, tensor<4x4xf64>, tensor<f64>) {
    %0 = stablehlo.dot_general %arg0, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %1 = stablehlo.dot_general %arg0, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    %2 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x4xf64>) -> tensor<4x4xf64>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    %4 = stablehlo.add %3, %arg1 : tensor<4x4xf64>
    %5 = stablehlo.dot_general %arg2, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf64>, tensor<4x4xf64>) -> tensor<2x4xf64>
    %6 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<2x4xf64>) -> tensor<4x2xf64>
    %7 = stablehlo.dot_general %5, %6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf64>, tensor<4x2xf64>) -> tensor<2x2xf64>
    %8 = stablehlo.add %7, %arg3 : tensor<2x2xf64>
    %9 = call @cholesky(%8) : (tensor<2x2xf64>) -> tensor<2x2xf64>
    %10 = stablehlo.dot_general %arg2, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf64>, tensor<4xf64>) -> tensor<2xf64>
    %11 = stablehlo.subtract %arg7, %10 : tensor<2xf64>
    %12 = call @_solve_triangular(%9, %11) : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %13 = stablehlo.dot_general %arg2, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf64>, tensor<4x4xf64>) -> tensor<2x4xf64>
    %14 = call @_cho_solve(%9, %13) : (tensor<2x2xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %15 = stablehlo.transpose %14, dims = [1, 0] : (tensor<2x4xf64>) -> tensor<4x2xf64>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %17 = stablehlo.multiply %16, %12 : tensor<2xf64>
    %18 = stablehlo.dot_general %17, %12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
    %19 = call @_diag_2(%9) : (tensor<2x2xf64>) -> tensor<2xf64>
    %20 = stablehlo.log %19 : tensor<2xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %21 = stablehlo.reduce(%20 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %22 = stablehlo.add %18, %21 : tensor<f64>
    %cst_1 = stablehlo.constant dense<6.2831853071795862> : tensor<f64>
    %23 = stablehlo.log %cst_1 : tensor<f64>
    %24 = stablehlo.convert %23 : tensor<f64>
    %25 = stablehlo.add %22, %24 : tensor<f64>
    %26 = stablehlo.convert %arg6 : tensor<f64>
    %27 = stablehlo.subtract %26, %25 : tensor<f64>
    %28 = stablehlo.dot_general %arg2, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf64>, tensor<4xf64>) -> tensor<2xf64>
    %29 = stablehlo.subtract %arg7, %28 : tensor<2xf64>
    %30 = stablehlo.dot_general %15, %29, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x2xf64>, tensor<2xf64>) -> tensor<4xf64>
    %31 = stablehlo.add %0, %30 : tensor<4xf64>
    %32 = stablehlo.dot_general %15, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x2xf64>, tensor<2x4xf64>) -> tensor<4x4xf64>
    %33 = stablehlo.dot_general %32, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    %34 = stablehlo.subtract %4, %33 : tensor<4x4xf64>
    return %31, %34, %27 : tensor<4xf64>, tensor<4x4xf64>, tensor<f64>
  }
  func.func private @cholesky(%arg0: tensor<2x2xf64>) -> tensor<2x2xf64> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x2xf64>) -> tensor<2x2xf64>
    %1 = stablehlo.add %arg0, %0 : tensor<2x2xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x2xf64>
    %3 = stablehlo.divide %1, %2 : tensor<2x2xf64>
    %4:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=2, j=2, k=2, l=2}, custom>} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<2x2xf64>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<2x2xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<2x2xi1>, tensor<2x2xf64>
    %11 = stablehlo.iota dim = 0 : tensor<2x2xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<2x2xi64>
    %13 = stablehlo.add %11, %12 : tensor<2x2xi64>
    %14 = stablehlo.iota dim = 1 : tensor<2x2xi64>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<2x2xf64>
    %17 = stablehlo.select %15, %10, %16 : tensor<2x2xi1>, tensor<2x2xf64>
    return %17 : tensor<2x2xf64>
  }
  func.func private @_solve_triangular(%arg0: tensor<2x2xf64>, %arg1: tensor<2xf64>) -> tensor<2xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<2xf64>) -> tensor<2x1xf64>
    %1 = stablehlo.custom_call @lapack_dtrsm_ffi(%arg0, %0) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=2, j=2, k=2, l=1, m=2, n=1}, custom>} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
    %2 = stablehlo.reshape %1 : (tensor<2x1xf64>) -> tensor<2xf64>
    return %2 : tensor<2xf64>
  }
  func.func private @_cho_solve(%arg0: tensor<2x2xf64>, %arg1: tensor<2x4xf64>) -> tensor<2x4xf64> {
    %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%arg0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=2, j=2, k=2, l=4, m=2, n=4}, custom>} : (tensor<2x2xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %1 = stablehlo.custom_call @lapack_dtrsm_ffi(%arg0, %0) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=2, j=2, k=2, l=4, m=2, n=4}, custom>} : (tensor<2x2xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    return %1 : tensor<2x4xf64>
  }
  func.func private @_diag_2(%arg0: tensor<2x2xf64>) -> tensor<2xf64> {
    %0 = call @diagonal(%arg0) : (tensor<2x2xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func private @diagonal(%arg0: tensor<2x2xf64>) -> tensor<2xf64> {
    %0 = stablehlo.iota dim = 0 : tensor<2x2xi64>
    %1 = stablehlo.iota dim = 1 : tensor<2x2xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<2x2xi64>
    %3 = stablehlo.add %0, %2 : tensor<2x2xi64>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi1>
    %5 = stablehlo.convert %4 : (tensor<2x2xi1>) -> tensor<2x2xf64>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %6 = "stablehlo.case"(%c_0) ({
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %8 = stablehlo.iota dim = 0 : tensor<2xi64>
      %9 = stablehlo.iota dim = 0 : tensor<2xi64>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<2xi64>
      %11 = stablehlo.compare LT, %8, %10, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
      %c_2 = stablehlo.constant dense<2> : tensor<i64>
      %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<2xi64>
      %13 = stablehlo.add %8, %12 : tensor<2xi64>
      %14 = stablehlo.select %11, %13, %8 : tensor<2xi1>, tensor<2xi64>
      %c_3 = stablehlo.constant dense<0> : tensor<i64>
      %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<2xi64>
      %16 = stablehlo.compare LT, %9, %15, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
      %c_4 = stablehlo.constant dense<2> : tensor<i64>
      %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<2xi64>
      %18 = stablehlo.add %9, %17 : tensor<2xi64>
      %19 = stablehlo.select %16, %18, %9 : tensor<2xi1>, tensor<2xi64>
      %20 = stablehlo.convert %14 : (tensor<2xi64>) -> tensor<2xi32>
      %21 = stablehlo.convert %19 : (tensor<2xi64>) -> tensor<2xi32>
      %22 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %23 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %24 = stablehlo.concatenate %22, %23, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
      %25 = "stablehlo.gather"(%arg0, %24) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<2x2xf64>, tensor<2x2xi32>) -> tensor<2xf64>
      stablehlo.return %25 : tensor<2xf64>
    }) : (tensor<i32>) -> tensor<2xf64>
    return %7 : tensor<2xf64>
  }
}
