func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<3xf32>) -> tensor<i32>
  %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.dynamic_broadcast_in_dim %arg0, %1, dims = [0] : (tensor<3xf32>, tensor<1xi32>) -> tensor<?xf32>
  %3 = "stablehlo.dynamic_iota"(%1) {iota_dimension = 0 : i64} : (tensor<1xi32>) -> tensor<?xf32>
  %4 = stablehlo.add %2, %3 : tensor<?xf32>
  return %4 : tensor<?xf32>
}
