module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x5x4xf32>) -> (tensor<3x5x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg1, %arg0, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x5x4xf32>, tensor<2x3x4xf32>) -> tensor<2x5x3xf32>
    %1 = stablehlo.transpose %0, dims = [2, 1, 0] : (tensor<2x5x3xf32>) -> tensor<3x5x2xf32>
    return %1 : tensor<3x5x2xf32>
  }
}
