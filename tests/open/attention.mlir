module @attention {
  func.func public @main(%arg0: tensor<?x8xf32>, %arg1: tensor<?x8xf32>) -> (tensor<?x8xf32>) {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
    %1 = call @_wrapped(%0, %arg0, %arg1) : (tensor<i32>, tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    return %1 : tensor<?x8xf32>
  }
  func.func private @_wrapped(%arg0: tensor<i32>, %arg1: tensor<?x8xf32>, %arg2: tensor<?x8xf32>) -> (tensor<?x8xf32>) {
    %s = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x?xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%s init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
    %c1 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %sh = stablehlo.concatenate %c1, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %mb = stablehlo.dynamic_broadcast_in_dim %m, %sh, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    %d = stablehlo.subtract %s, %mb : tensor<?x?xf32>
    %e = stablehlo.exponential %d : tensor<?x?xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %t = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
    %tb = stablehlo.dynamic_broadcast_in_dim %t, %sh, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    %p = stablehlo.divide %e, %tb : tensor<?x?xf32>
    %o = stablehlo.dot_general %p, %arg2, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    return %o : tensor<?x8xf32>
  }
}
