module @jit_histogram attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40xf32>, %arg1: tensor<40xf32>) -> (tensor<10xf32> {jax.result_info = "result[0]"}, tensor<10xf32> {jax.result_info = "result[1]"}, tensor<10xi32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<40xf32>
    %cst_0 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<40xf32>
    %4 = stablehlo.convert %3 : (tensor<40xf32>) -> tensor<40xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<9> : tensor<i32>
    %5 = call @clip(%4, %c, %c_1) : (tensor<40xi32>, tensor<i32>, tensor<i32>) -> tensor<40xi32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %8 = stablehlo.compare LT, %5, %7, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %c_4 = stablehlo.constant dense<10> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %10 = stablehlo.add %5, %9 : tensor<40xi32>
    %11 = stablehlo.select %8, %10, %5 : tensor<40xi1>, tensor<40xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<40xi32>) -> tensor<40x1xi32>
    %13 = "stablehlo.scatter"(%6, %12, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %27 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %27 : tensor<f32>
    }) : (tensor<10xf32>, tensor<40x1xi32>, tensor<40xf32>) -> tensor<10xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %15 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<40xi32>) -> tensor<40x1xi32>
    %16 = "stablehlo.scatter"(%14, %15, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %27 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %27 : tensor<f32>
    }) : (tensor<10xf32>, tensor<40x1xi32>, tensor<40xf32>) -> tensor<10xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %18 = call @clip_0(%5, %c_7) : (tensor<40xi32>, tensor<i32>) -> tensor<40xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %20 = stablehlo.compare LT, %18, %19, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %c_9 = stablehlo.constant dense<10> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %22 = stablehlo.add %18, %21 : tensor<40xi32>
    %23 = stablehlo.select %20, %22, %18 : tensor<40xi1>, tensor<40xi32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<40xi32>) -> tensor<40x1xi32>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %26 = "stablehlo.scatter"(%17, %24, %25) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %27 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %27 : tensor<i32>
    }) : (tensor<10xi32>, tensor<40x1xi32>, tensor<40xi32>) -> tensor<10xi32>
    return %13, %16, %26 : tensor<10xf32>, tensor<10xf32>, tensor<10xi32>
  }
  func.func private @clip(%arg0: tensor<40xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<40xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<40xi32>
    %3 = stablehlo.convert %arg2 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %5 = stablehlo.minimum %4, %2 : tensor<40xi32>
    return %5 : tensor<40xi32>
  }
  func.func private @clip_0(%arg0: tensor<40xi32>, %arg1: tensor<i32>) -> tensor<40xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<40xi32>
    return %2 : tensor<40xi32>
  }
}
