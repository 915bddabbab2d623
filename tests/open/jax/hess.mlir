// 1: [n, 3] where n >= 4, n <= 100000
// 0: [3]
module @jit__lambda attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<?x3xf32>) -> (tensor<3x3xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<-4> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.get_dimension_size %arg1, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %1 = stablehlo.compare GE, %0, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%1, %0) {api_version = 2 : i32, error_message = "shapes", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %2 = stablehlo.convert %0 : tensor<i32>
    %3 = stablehlo.add %2, %c_0 : tensor<i32>
    %4 = stablehlo.compare GE, %3, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.convert %0 : tensor<i32>
    %6 = stablehlo.add %5, %c_0 : tensor<i32>
    stablehlo.custom_call @shape_assertion(%4, %6, %0) {api_version = 2 : i32, error_message = "shapes", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
    %7 = call @_wrapped_jax_export_main(%0, %arg0, %arg1) : (tensor<i32>, tensor<3xf32>, tensor<?x3xf32>) -> tensor<3x3xf32>
    return %7 : tensor<3x3xf32>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i32> {jax.global_constant = "n"}, %arg1: tensor<3xf32>, %arg2: tensor<?x3xf32>) -> (tensor<3x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<3> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<1> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %1 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %2 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %3 = stablehlo.add %0, %2 : tensor<3x3xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %5 = stablehlo.convert %4 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %6 = stablehlo.slice %5 [0:3, 0:3] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %7 = stablehlo.convert %6 : tensor<3x3xf32>
    %8 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?xf32>
    %9 = stablehlo.dot_general %arg2, %7, contracting_dims = [1] x [1] : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>
    %10 = stablehlo.tanh %8 : tensor<?xf32>
    %11 = stablehlo.transpose %9, dims = [1, 0] : (tensor<?x3xf32>) -> tensor<3x?xf32>
    %12 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %13 = stablehlo.concatenate %c_0, %12, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %14 = stablehlo.dynamic_broadcast_in_dim %10, %13, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<1x?xf32>
    %15 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %16 = stablehlo.concatenate %c, %15, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %17 = stablehlo.dynamic_broadcast_in_dim %14, %16, dims = [0, 1] : (tensor<1x?xf32>, tensor<2xi32>) -> tensor<3x?xf32>
    %18 = stablehlo.multiply %11, %17 : tensor<3x?xf32>
    %19 = stablehlo.transpose %9, dims = [1, 0] : (tensor<?x3xf32>) -> tensor<3x?xf32>
    %20 = stablehlo.add %19, %18 : tensor<3x?xf32>
    %21 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %22 = stablehlo.dynamic_broadcast_in_dim %cst, %21, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %23 = stablehlo.subtract %22, %10 : tensor<?xf32>
    %24 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %25 = stablehlo.concatenate %c_0, %24, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %26 = stablehlo.dynamic_broadcast_in_dim %23, %25, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<1x?xf32>
    %27 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %28 = stablehlo.concatenate %c, %27, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %29 = stablehlo.dynamic_broadcast_in_dim %26, %28, dims = [0, 1] : (tensor<1x?xf32>, tensor<2xi32>) -> tensor<3x?xf32>
    %30 = stablehlo.multiply %20, %29 : tensor<3x?xf32>
    %31 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %32 = stablehlo.dynamic_broadcast_in_dim %cst, %31, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %33 = stablehlo.subtract %32, %10 : tensor<?xf32>
    %34 = stablehlo.negate %30 : tensor<3x?xf32>
    %35 = stablehlo.iota dim = 0 : tensor<1x1xi32>
    %36 = stablehlo.iota dim = 1 : tensor<1x1xi32>
    %37 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<1x1xi32>
    %38 = stablehlo.add %35, %37 : tensor<1x1xi32>
    %39 = stablehlo.compare EQ, %38, %36, SIGNED : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi1>
    %40 = stablehlo.convert %39 : (tensor<1x1xi1>) -> tensor<1x1xf32>
    %41 = stablehlo.slice %40 [0:1, 0:1] : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %42 = stablehlo.reshape %41 : (tensor<1x1xf32>) -> tensor<1xf32>
    %43 = stablehlo.convert %42 : tensor<1xf32>
    %44 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %45 = stablehlo.concatenate %c_0, %44, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %46 = stablehlo.dynamic_broadcast_in_dim %43, %45, dims = [0] : (tensor<1xf32>, tensor<2xi32>) -> tensor<1x?xf32>
    %47 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %48 = stablehlo.concatenate %c_0, %47, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %49 = stablehlo.dynamic_broadcast_in_dim %33, %48, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<1x?xf32>
    %50 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %51 = stablehlo.concatenate %c, %c_0, %50, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %52 = stablehlo.dynamic_broadcast_in_dim %34, %51, dims = [0, 2] : (tensor<3x?xf32>, tensor<3xi32>) -> tensor<3x1x?xf32>
    %53 = stablehlo.multiply %46, %49 : tensor<1x?xf32>
    %54 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %55 = stablehlo.concatenate %c_0, %c_0, %54, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %56 = stablehlo.dynamic_broadcast_in_dim %46, %55, dims = [1, 2] : (tensor<1x?xf32>, tensor<3xi32>) -> tensor<1x1x?xf32>
    %57 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %58 = stablehlo.concatenate %c, %c_0, %57, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %59 = stablehlo.dynamic_broadcast_in_dim %56, %58, dims = [0, 1, 2] : (tensor<1x1x?xf32>, tensor<3xi32>) -> tensor<3x1x?xf32>
    %60 = stablehlo.multiply %59, %52 : tensor<3x1x?xf32>
    %61 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %62 = stablehlo.concatenate %c_0, %61, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %63 = stablehlo.dynamic_broadcast_in_dim %10, %62, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<1x?xf32>
    %64 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %65 = stablehlo.concatenate %c, %c_0, %64, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %66 = stablehlo.dynamic_broadcast_in_dim %30, %65, dims = [0, 2] : (tensor<3x?xf32>, tensor<3xi32>) -> tensor<3x1x?xf32>
    %67 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %68 = stablehlo.concatenate %c_0, %c_0, %67, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %69 = stablehlo.dynamic_broadcast_in_dim %63, %68, dims = [1, 2] : (tensor<1x?xf32>, tensor<3xi32>) -> tensor<1x1x?xf32>
    %70 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %71 = stablehlo.concatenate %c, %c_0, %70, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %72 = stablehlo.dynamic_broadcast_in_dim %69, %71, dims = [0, 1, 2] : (tensor<1x1x?xf32>, tensor<3xi32>) -> tensor<3x1x?xf32>
    %73 = stablehlo.multiply %60, %72 : tensor<3x1x?xf32>
    %74 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %75 = stablehlo.concatenate %c_0, %c_0, %74, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %76 = stablehlo.dynamic_broadcast_in_dim %53, %75, dims = [1, 2] : (tensor<1x?xf32>, tensor<3xi32>) -> tensor<1x1x?xf32>
    %77 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %78 = stablehlo.concatenate %c, %c_0, %77, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %79 = stablehlo.dynamic_broadcast_in_dim %76, %78, dims = [0, 1, 2] : (tensor<1x1x?xf32>, tensor<3xi32>) -> tensor<3x1x?xf32>
    %80 = stablehlo.multiply %79, %66 : tensor<3x1x?xf32>
    %81 = stablehlo.add %73, %80 : tensor<3x1x?xf32>
    %82 = stablehlo.add %60, %81 : tensor<3x1x?xf32>
    %83 = stablehlo.dot_general %82, %arg2, contracting_dims = [2] x [0] : (tensor<3x1x?xf32>, tensor<?x3xf32>) -> tensor<3x1x3xf32>
    %84 = stablehlo.slice %83 [0:3, 0:1, 0:3] : (tensor<3x1x3xf32>) -> tensor<3x1x3xf32>
    %85 = stablehlo.reshape %84 : (tensor<3x1x3xf32>) -> tensor<3x3xf32>
    %86 = stablehlo.transpose %85, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %87 = stablehlo.slice %86 [0:3, 0:3] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    return %87 : tensor<3x3xf32>
  }
}
