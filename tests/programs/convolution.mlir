module @jit_convolution attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x8x8x2xf32>, %arg1: tensor<3x3x2x3xf32>) -> (tensor<2x2x2x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x2xf32>, tensor<3x3x2x3xf32>) -> tensor<2x4x4x3xf32>
    %1 = call @relu(%0) : (tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.reduce_window"(%1, %2) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %23 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %23 : tensor<f32>
    }) : (tensor<2x4x4x3xf32>, tensor<f32>) -> tensor<2x2x2x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x3xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.divide %4, %5 : tensor<3xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [3] : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x1x1x3xf32>) -> tensor<2x2x2x3xf32>
    %9 = stablehlo.subtract %3, %8 : tensor<2x2x2x3xf32>
    %10 = stablehlo.broadcast_in_dim %6, dims = [3] : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x1x1x3xf32>) -> tensor<2x2x2x3xf32>
    %12 = stablehlo.subtract %3, %11 : tensor<2x2x2x3xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<2x2x2x3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x3xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %16 = stablehlo.divide %14, %15 : tensor<3xf32>
    %cst_4 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %18 = stablehlo.add %16, %17 : tensor<3xf32>
    %19 = stablehlo.rsqrt %18 : tensor<3xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [3] : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<1x1x1x3xf32>) -> tensor<2x2x2x3xf32>
    %22 = stablehlo.multiply %9, %21 : tensor<2x2x2x3xf32>
    return %22 : tensor<2x2x2x3xf32>
  }
  func.func private @relu(%arg0: tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x4x3xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x4x4x3xf32>
    return %1 : tensor<2x4x4x3xf32>
  }
}
