module @jit_runge_kutta attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<f32>) -> (tensor<2xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %c_0, %iterArg_2 = %c, %iterArg_3 = %arg0) : tensor<f32>, tensor<i32>, tensor<i32>, tensor<2xf32>
    cond {
      %c_4 = stablehlo.constant dense<20> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_3) : (tensor<f32>, tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_1, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %2, %1#0, %1#1 : tensor<f32>, tensor<i32>, tensor<i32>, tensor<2xf32>
    }
    return %0#3 : tensor<2xf32>
  }
  func.func private @closed_call(%arg0: tensor<f32>, %arg1: tensor<i32>, %arg2: tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.slice %arg2 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    %3 = stablehlo.negate %arg0 : tensor<f32>
    %4 = stablehlo.slice %arg2 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
    %6 = stablehlo.sine %5 : tensor<f32>
    %7 = stablehlo.multiply %3, %6 : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %10 = stablehlo.concatenate %8, %9, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %cst = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %12 = stablehlo.multiply %11, %10 : tensor<2xf32>
    %13 = stablehlo.add %arg2, %12 : tensor<2xf32>
    %14 = stablehlo.slice %13 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %15 = stablehlo.reshape %14 : (tensor<1xf32>) -> tensor<f32>
    %16 = stablehlo.negate %arg0 : tensor<f32>
    %17 = stablehlo.slice %13 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %18 = stablehlo.reshape %17 : (tensor<1xf32>) -> tensor<f32>
    %19 = stablehlo.sine %18 : tensor<f32>
    %20 = stablehlo.multiply %16, %19 : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %23 = stablehlo.concatenate %21, %22, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<2xf32>
    %26 = stablehlo.add %arg2, %25 : tensor<2xf32>
    %27 = stablehlo.slice %26 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %28 = stablehlo.reshape %27 : (tensor<1xf32>) -> tensor<f32>
    %29 = stablehlo.negate %arg0 : tensor<f32>
    %30 = stablehlo.slice %26 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %31 = stablehlo.reshape %30 : (tensor<1xf32>) -> tensor<f32>
    %32 = stablehlo.sine %31 : tensor<f32>
    %33 = stablehlo.multiply %29, %32 : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %35 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %36 = stablehlo.concatenate %34, %35, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<2xf32>
    %39 = stablehlo.add %arg2, %38 : tensor<2xf32>
    %40 = stablehlo.slice %39 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %41 = stablehlo.reshape %40 : (tensor<1xf32>) -> tensor<f32>
    %42 = stablehlo.negate %arg0 : tensor<f32>
    %43 = stablehlo.slice %39 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %44 = stablehlo.reshape %43 : (tensor<1xf32>) -> tensor<f32>
    %45 = stablehlo.sine %44 : tensor<f32>
    %46 = stablehlo.multiply %42, %45 : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %41, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %48 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %49 = stablehlo.concatenate %47, %48, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %51 = stablehlo.multiply %50, %23 : tensor<2xf32>
    %52 = stablehlo.add %10, %51 : tensor<2xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %54 = stablehlo.multiply %53, %36 : tensor<2xf32>
    %55 = stablehlo.add %52, %54 : tensor<2xf32>
    %56 = stablehlo.add %55, %49 : tensor<2xf32>
    %cst_4 = stablehlo.constant dense<0.0166666675> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %58 = stablehlo.multiply %57, %56 : tensor<2xf32>
    %59 = stablehlo.add %arg2, %58 : tensor<2xf32>
    return %0, %59 : tensor<i32>, tensor<2xf32>
  }
}
