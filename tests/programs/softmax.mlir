module @jit_softmax attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x7xf32>, %arg1: tensor<4x7xi1>) -> (tensor<4x7xf32> {jax.result_info = "result[0]"}, tensor<4x7xf32> {jax.result_info = "result[1]"}, tensor<4xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = call @_where(%arg1, %arg0, %cst) : (tensor<4x7xi1>, tensor<4x7xf32>, tensor<f32>) -> tensor<4x7xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<4x7xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = call @_where_0(%arg1, %arg0, %cst_2) : (tensor<4x7xi1>, tensor<4x7xf32>, tensor<f32>) -> tensor<4x7xf32>
    %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x7xf32>
    %7 = stablehlo.subtract %5, %6 : tensor<4x7xf32>
    %8 = stablehlo.exponential %7 : tensor<4x7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = call @_where(%arg1, %8, %cst_3) : (tensor<4x7xi1>, tensor<4x7xf32>, tensor<f32>) -> tensor<4x7xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<4x7xf32>, tensor<f32>) -> tensor<4xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x7xf32>
    %13 = stablehlo.divide %8, %12 : tensor<4x7xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %14 = call @_where_1(%arg1, %13, %c) : (tensor<4x7xi1>, tensor<4x7xf32>, tensor<i32>) -> tensor<4x7xf32>
    %cst_5 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x7xf32>
    %16 = stablehlo.multiply %15, %arg0 : tensor<4x7xf32>
    %17 = call @log_softmax(%16) : (tensor<4x7xf32>) -> tensor<4x7xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.reduce(%arg0 init: %cst_6) applies stablehlo.maximum across dimensions = [1] : (tensor<4x7xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %20 = stablehlo.maximum %19, %18 : tensor<4xf32>
    %21 = stablehlo.is_finite %20 : (tensor<4xf32>) -> tensor<4xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %23 = stablehlo.select %21, %20, %22 : tensor<4xi1>, tensor<4xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x7xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<4x7xf32>
    %27 = stablehlo.exponential %26 : tensor<4x7xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<4x7xf32>, tensor<f32>) -> tensor<4xf32>
    %29 = stablehlo.sign %28 : tensor<4xf32>
    %30 = stablehlo.abs %28 : tensor<4xf32>
    %31 = stablehlo.log %30 : tensor<4xf32>
    %32 = stablehlo.add %31, %23 : tensor<4xf32>
    return %14, %17, %32 : tensor<4x7xf32>, tensor<4x7xf32>, tensor<4xf32>
  }
  func.func private @_where(%arg0: tensor<4x7xi1>, %arg1: tensor<4x7xf32>, %arg2: tensor<f32>) -> tensor<4x7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<4x7xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<4x7xi1>, tensor<4x7xf32>
    return %1 : tensor<4x7xf32>
  }
  func.func private @_where_0(%arg0: tensor<4x7xi1>, %arg1: tensor<4x7xf32>, %arg2: tensor<f32>) -> tensor<4x7xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x7xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<4x7xi1>, tensor<4x7xf32>
    return %2 : tensor<4x7xf32>
  }
  func.func private @_where_1(%arg0: tensor<4x7xi1>, %arg1: tensor<4x7xf32>, %arg2: tensor<i32>) -> tensor<4x7xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x7xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<4x7xi1>, tensor<4x7xf32>
    return %2 : tensor<4x7xf32>
  }
  func.func private @log_softmax(%arg0: tensor<4x7xf32>) -> tensor<4x7xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<4x7xf32>, tensor<f32>) -> tensor<7xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<7xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<7xf32>) -> tensor<1x7xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x7xf32>) -> tensor<4x7xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x7xf32>
    %6 = stablehlo.exponential %5 : tensor<4x7xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<4x7xf32>, tensor<f32>) -> tensor<7xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<7xf32>) -> tensor<1x7xf32>
    %9 = stablehlo.log %8 : tensor<1x7xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x7xf32>) -> tensor<4x7xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<4x7xf32>
    return %11 : tensor<4x7xf32>
  }
}
