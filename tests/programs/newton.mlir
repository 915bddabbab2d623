module @jit_newton attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg0, %iterArg_1 = %arg0, %iterArg_2 = %c) : tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
    cond {
      %1 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<f32>
      %2 = stablehlo.multiply %1, %iterArg_1 : tensor<f32>
      %3 = stablehlo.subtract %2, %iterArg : tensor<f32>
      %4 = stablehlo.abs %3 : tensor<f32>
      %cst = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
      %5 = stablehlo.compare GT, %4, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<50> : tensor<i32>
      %6 = stablehlo.compare LT, %iterArg_2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_4 = stablehlo.constant dense<false> : tensor<i1>
      %7 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i1>) -> tensor<i1>
      %8 = stablehlo.compare NE, %6, %7, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %9 = stablehlo.convert %8 : tensor<i1>
      %10 = stablehlo.and %5, %9 : tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %1 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<f32>
      %2 = stablehlo.multiply %1, %iterArg_1 : tensor<f32>
      %3 = stablehlo.subtract %2, %iterArg_0 : tensor<f32>
      %4 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<f32>
      %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %5 = stablehlo.multiply %cst, %4 : tensor<f32>
      %6 = stablehlo.divide %3, %5 : tensor<f32>
      %7 = stablehlo.subtract %iterArg_1, %6 : tensor<f32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg_2, %c_3 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %7, %8 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
    }
    return %0#2, %0#3 : tensor<f32>, tensor<i32>
  }
}
