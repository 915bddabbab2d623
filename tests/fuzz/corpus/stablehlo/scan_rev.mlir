module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<7x3xf32>) -> (tensor<3xf32> {jax.result_info = "result[0]"}, tensor<7x3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %c, %iterArg_1 = %arg0, %iterArg_2 = %0) : tensor<7x3xf32>, tensor<i64>, tensor<3xf32>, tensor<7x3xf32>
    cond {
      %c_3 = stablehlo.constant dense<7> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<7> : tensor<i64>
      %2 = stablehlo.subtract %c_3, %iterArg_0 : tensor<i64>
      %c_4 = stablehlo.constant dense<1> : tensor<i64>
      %3 = stablehlo.subtract %2, %c_4 : tensor<i64>
      %4 = func.call @dynamic_index_in_dim(%iterArg, %3) : (tensor<7x3xf32>, tensor<i64>) -> tensor<3xf32>
      %5:2 = func.call @closed_call(%iterArg_1, %4) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_2, %5#1, %3) : (tensor<7x3xf32>, tensor<3xf32>, tensor<i64>) -> tensor<7x3xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i64>
      %7 = stablehlo.add %iterArg_0, %c_5 : tensor<i64>
      stablehlo.return %iterArg, %7, %5#0, %6 : tensor<7x3xf32>, tensor<i64>, tensor<3xf32>, tensor<7x3xf32>
    }
    return %1#2, %1#3 : tensor<3xf32>, tensor<7x3xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<7x3xf32>, %arg1: tensor<i64>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<7x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @closed_call(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<3xf32>
    %2 = stablehlo.add %1, %arg1 : tensor<3xf32>
    %3 = stablehlo.multiply %arg0, %arg1 : tensor<3xf32>
    return %2, %3 : tensor<3xf32>, tensor<3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<7x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<i64>) -> tensor<7x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<7x3xf32>, tensor<1x3xf32>, tensor<i64>, tensor<i64>) -> tensor<7x3xf32>
    return %1 : tensor<7x3xf32>
  }
}
