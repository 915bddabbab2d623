module @jit_sides attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7xf32>, %arg1: tensor<f32>) -> (tensor<7xf32> {jax.result_info = "result[0]"}, tensor<7xf32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %0 = call @expn(%cst, %arg0) : (tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.compare LT, %arg0, %1, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %4 = stablehlo.compare EQ, %arg0, %3, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %6 = stablehlo.compare EQ, %arg0, %5, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %7 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<7xi1>) -> tensor<1x7xi1>
    %8 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<7xi1>) -> tensor<1x7xi1>
    %9 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<7xi1>) -> tensor<1x7xi1>
    %10 = stablehlo.concatenate %7, %8, %9, dim = 0 : (tensor<1x7xi1>, tensor<1x7xi1>, tensor<1x7xi1>) -> tensor<3x7xi1>
    %cst_3 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_4 = stablehlo.constant dense<1.64493406> : tensor<f32>
    %11 = call @_piecewise_4(%arg0, %10, %cst_3, %c, %cst_4) : (tensor<7xf32>, tensor<3x7xi1>, tensor<f32>, tensor<i32>, tensor<f32>) -> tensor<7xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = call @expn_16(%cst_5, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %0, %11, %12 : tensor<7xf32>, tensor<7xf32>, tensor<f32>
  }
  func.func private @expn(%arg0: tensor<f32>, %arg1: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare LT, %0, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %3 = stablehlo.compare LT, %arg1, %2, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %4 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i1>) -> tensor<7xi1>
    %5 = stablehlo.or %4, %3 : tensor<7xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %7 = stablehlo.compare EQ, %arg1, %6, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.compare LT, %0, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i1>) -> tensor<7xi1>
    %10 = stablehlo.and %7, %9 : tensor<7xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %12 = stablehlo.compare EQ, %arg1, %11, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GE, %0, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i1>) -> tensor<7xi1>
    %15 = stablehlo.and %12, %14 : tensor<7xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.compare EQ, %0, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %18 = stablehlo.compare GE, %arg1, %17, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %19 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i1>) -> tensor<7xi1>
    %20 = stablehlo.and %19, %18 : tensor<7xi1>
    %cst_7 = stablehlo.constant dense<5.000000e+03> : tensor<f32>
    %21 = stablehlo.compare GE, %0, %cst_7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %23 = stablehlo.compare GT, %arg1, %22, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.compare EQ, %0, %cst_9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %25 = stablehlo.add %0, %0 : tensor<f32>
    %26 = call @_where(%24, %25, %0) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.divide %cst_10, %26 : tensor<f32>
    %28 = stablehlo.negate %arg1 : tensor<7xf32>
    %29 = stablehlo.exponential %28 : tensor<7xf32>
    %30 = stablehlo.divide %29, %arg1 : tensor<7xf32>
    %31 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %32 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %33 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %34 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %35 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %36 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %37 = stablehlo.broadcast_in_dim %35, dims = [1] : (tensor<1xi1>) -> tensor<7x1xi1>
    %38 = stablehlo.concatenate %31, %32, %33, %34, %37, %36, dim = 1 : (tensor<7x1xi1>, tensor<7x1xi1>, tensor<7x1xi1>, tensor<7x1xi1>, tensor<7x1xi1>, tensor<7x1xi1>) -> tensor<7x6xi1>
    %cst_11 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %cst_12 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %39 = call @_piecewise(%arg1, %38, %cst_11, %cst_12, %27, %30, %0) : (tensor<7xf32>, tensor<7x6xi1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
    return %39 : tensor<7xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @_piecewise(%arg0: tensor<7xf32>, %arg1: tensor<7x6xi1>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<7xf32>, %arg6: tensor<f32>) -> tensor<7xf32> {
    %0 = stablehlo.slice %arg1 [0:7, 0:1] : (tensor<7x6xi1>) -> tensor<7x1xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<1xi1>) -> tensor<7x1xi1>
    %3 = stablehlo.concatenate %2, %arg1, dim = 1 : (tensor<7x1xi1>, tensor<7x6xi1>) -> tensor<7x7xi1>
    %4 = call @cumsum(%3) : (tensor<7x7xi1>) -> tensor<7x7xi32>
    %5 = call @argmax(%4) : (tensor<7x7xi32>) -> tensor<7xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<6> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %8 = stablehlo.clamp %6, %5, %7 : tensor<7xi32>
    %9 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %10 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %11 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %12 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %14 = stablehlo.compare EQ, %8, %13, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %15 = stablehlo.select %14, %9, %9 : tensor<7xi1>, tensor<7xf32>
    %16 = stablehlo.select %14, %10, %10 : tensor<7xi1>, tensor<7xf32>
    %17 = stablehlo.select %14, %11, %11 : tensor<7xi1>, tensor<7xf32>
    %18 = stablehlo.select %14, %12, %12 : tensor<7xi1>, tensor<7xf32>
    %19 = stablehlo.select %14, %arg5, %arg5 : tensor<7xi1>, tensor<7xf32>
    %20 = stablehlo.select %14, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %21 = stablehlo.log %20 : tensor<7xf32>
    %cst = stablehlo.constant dense<-0.577215672> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %23 = stablehlo.subtract %22, %21 : tensor<7xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %25:3 = stablehlo.while(%iterArg = %24, %iterArg_38 = %15, %iterArg_39 = %23) : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
    cond {
      %161 = stablehlo.compare LT, %iterArg, %iterArg_38, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %c_40 = stablehlo.constant dense<false> : tensor<i1>
      %162 = stablehlo.reduce(%161 init: %c_40) applies stablehlo.or across dimensions = [0] : (tensor<7xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %162 : tensor<i1>
    } do {
      %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %161 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %162 = stablehlo.add %iterArg, %161 : tensor<7xf32>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %163 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %164 = stablehlo.divide %163, %iterArg : tensor<7xf32>
      %165 = stablehlo.add %iterArg_39, %164 : tensor<7xf32>
      %166 = stablehlo.compare LT, %iterArg, %iterArg_38, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %167 = stablehlo.broadcast_in_dim %166, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %168 = stablehlo.select %167, %162, %iterArg : tensor<7xi1>, tensor<7xf32>
      %169 = stablehlo.broadcast_in_dim %166, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %170 = stablehlo.select %169, %iterArg_38, %iterArg_38 : tensor<7xi1>, tensor<7xf32>
      %171 = stablehlo.broadcast_in_dim %166, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %172 = stablehlo.select %171, %165, %iterArg_39 : tensor<7xi1>, tensor<7xf32>
      stablehlo.return %168, %170, %172 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
    }
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %27 = stablehlo.compare EQ, %15, %26, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %28 = call @_where_1(%27, %cst_5, %15) : (tensor<7xi1>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
    %29 = stablehlo.negate %20 : tensor<7xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %31 = stablehlo.subtract %30, %15 : tensor<7xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %33 = stablehlo.compare EQ, %15, %32, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %35 = stablehlo.subtract %34, %28 : tensor<7xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %37 = stablehlo.divide %36, %35 : tensor<7xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = call @_where_1(%33, %cst_10, %37) : (tensor<7xi1>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
    %cst_11 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %42:7 = stablehlo.while(%iterArg = %29, %iterArg_38 = %38, %iterArg_39 = %31, %iterArg_40 = %39, %iterArg_41 = %20, %iterArg_42 = %40, %iterArg_43 = %41) : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
    cond {
      %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %161 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %162 = stablehlo.compare GT, %iterArg_41, %161, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %163 = stablehlo.convert %iterArg_40 : tensor<7xf32>
      %cst_45 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %164 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %165 = stablehlo.compare GT, %163, %164, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %166 = stablehlo.and %162, %165 : tensor<7xi1>
      %c_46 = stablehlo.constant dense<false> : tensor<i1>
      %167 = stablehlo.reduce(%166 init: %c_46) applies stablehlo.or across dimensions = [0] : (tensor<7xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %167 : tensor<i1>
    } do {
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %161 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %162 = stablehlo.add %iterArg_42, %161 : tensor<7xf32>
      %163 = stablehlo.divide %iterArg, %162 : tensor<7xf32>
      %164 = stablehlo.multiply %iterArg_43, %163 : tensor<7xf32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %165 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %166 = stablehlo.add %iterArg_39, %165 : tensor<7xf32>
      %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %167 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %168 = stablehlo.compare NE, %166, %167, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %169 = stablehlo.divide %164, %166 : tensor<7xf32>
      %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %170 = func.call @_where_2(%168, %169, %cst_47) : (tensor<7xi1>, tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
      %171 = stablehlo.add %iterArg_38, %170 : tensor<7xf32>
      %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %172 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %173 = stablehlo.compare NE, %171, %172, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %174 = stablehlo.divide %164, %171 : tensor<7xf32>
      %175 = stablehlo.abs %174 : tensor<7xf32>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %176 = func.call @_where_2(%173, %175, %cst_49) : (tensor<7xi1>, tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
      %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %177 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %178 = stablehlo.compare GT, %iterArg_41, %177, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %179 = stablehlo.convert %iterArg_40 : tensor<7xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %180 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %181 = stablehlo.compare GT, %179, %180, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %182 = stablehlo.and %178, %181 : tensor<7xi1>
      %183 = stablehlo.broadcast_in_dim %182, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %184 = stablehlo.select %183, %171, %iterArg_38 : tensor<7xi1>, tensor<7xf32>
      %185 = stablehlo.broadcast_in_dim %182, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %186 = stablehlo.select %185, %166, %iterArg_39 : tensor<7xi1>, tensor<7xf32>
      %187 = stablehlo.broadcast_in_dim %182, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %188 = stablehlo.select %187, %176, %iterArg_40 : tensor<7xi1>, tensor<7xf32>
      %189 = stablehlo.broadcast_in_dim %182, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %190 = stablehlo.select %189, %iterArg_41, %iterArg_41 : tensor<7xi1>, tensor<7xf32>
      %191 = stablehlo.broadcast_in_dim %182, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %192 = stablehlo.select %191, %162, %iterArg_42 : tensor<7xi1>, tensor<7xf32>
      %193 = stablehlo.broadcast_in_dim %182, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %194 = stablehlo.select %193, %164, %iterArg_43 : tensor<7xi1>, tensor<7xf32>
      stablehlo.return %iterArg, %184, %186, %188, %190, %192, %194 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
    }
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %44 = stablehlo.subtract %15, %43 : tensor<7xf32>
    %45 = stablehlo.power %29, %44 : tensor<7xf32>
    %46 = stablehlo.multiply %45, %25#2 : tensor<7xf32>
    %47 = chlo.lgamma %15 : tensor<7xf32> -> tensor<7xf32>
    %48 = stablehlo.exponential %47 : tensor<7xf32>
    %49 = stablehlo.divide %46, %48 : tensor<7xf32>
    %50 = stablehlo.subtract %49, %42#1 : tensor<7xf32>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %51 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %52 = stablehlo.compare EQ, %8, %51, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %53 = stablehlo.select %52, %9, %9 : tensor<7xi1>, tensor<7xf32>
    %54 = stablehlo.select %52, %10, %10 : tensor<7xi1>, tensor<7xf32>
    %55 = stablehlo.select %52, %11, %11 : tensor<7xi1>, tensor<7xf32>
    %56 = stablehlo.select %52, %12, %12 : tensor<7xi1>, tensor<7xf32>
    %57 = stablehlo.select %52, %arg5, %arg5 : tensor<7xi1>, tensor<7xf32>
    %58 = stablehlo.select %52, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %59 = stablehlo.convert %54 : tensor<7xf32>
    %c_16 = stablehlo.constant dense<2> : tensor<i32>
    %60 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %61 = stablehlo.compare EQ, %8, %60, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %62 = stablehlo.select %61, %9, %9 : tensor<7xi1>, tensor<7xf32>
    %63 = stablehlo.select %61, %10, %10 : tensor<7xi1>, tensor<7xf32>
    %64 = stablehlo.select %61, %11, %11 : tensor<7xi1>, tensor<7xf32>
    %65 = stablehlo.select %61, %12, %12 : tensor<7xi1>, tensor<7xf32>
    %66 = stablehlo.select %61, %arg5, %arg5 : tensor<7xi1>, tensor<7xf32>
    %67 = stablehlo.select %61, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %68 = stablehlo.convert %64 : tensor<7xf32>
    %c_17 = stablehlo.constant dense<3> : tensor<i32>
    %69 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %70 = stablehlo.compare EQ, %8, %69, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %71 = stablehlo.select %70, %9, %9 : tensor<7xi1>, tensor<7xf32>
    %72 = stablehlo.select %70, %10, %10 : tensor<7xi1>, tensor<7xf32>
    %73 = stablehlo.select %70, %11, %11 : tensor<7xi1>, tensor<7xf32>
    %74 = stablehlo.select %70, %12, %12 : tensor<7xi1>, tensor<7xf32>
    %75 = stablehlo.select %70, %arg5, %arg5 : tensor<7xi1>, tensor<7xf32>
    %76 = stablehlo.select %70, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %c_18 = stablehlo.constant dense<4> : tensor<i32>
    %77 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %78 = stablehlo.compare EQ, %8, %77, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %79 = stablehlo.select %78, %9, %9 : tensor<7xi1>, tensor<7xf32>
    %80 = stablehlo.select %78, %10, %10 : tensor<7xi1>, tensor<7xf32>
    %81 = stablehlo.select %78, %11, %11 : tensor<7xi1>, tensor<7xf32>
    %82 = stablehlo.select %78, %12, %12 : tensor<7xi1>, tensor<7xf32>
    %83 = stablehlo.select %78, %arg5, %arg5 : tensor<7xi1>, tensor<7xf32>
    %84 = stablehlo.select %78, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %c_19 = stablehlo.constant dense<5> : tensor<i32>
    %85 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %86 = stablehlo.compare EQ, %8, %85, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %87 = stablehlo.select %86, %9, %9 : tensor<7xi1>, tensor<7xf32>
    %88 = stablehlo.select %86, %10, %10 : tensor<7xi1>, tensor<7xf32>
    %89 = stablehlo.select %86, %11, %11 : tensor<7xi1>, tensor<7xf32>
    %90 = stablehlo.select %86, %12, %12 : tensor<7xi1>, tensor<7xf32>
    %91 = stablehlo.select %86, %arg5, %arg5 : tensor<7xi1>, tensor<7xf32>
    %92 = stablehlo.select %86, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %93 = stablehlo.add %92, %87 : tensor<7xf32>
    %94 = stablehlo.multiply %93, %93 : tensor<7xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %96 = stablehlo.divide %95, %94 : tensor<7xf32>
    %97 = stablehlo.multiply %96, %87 : tensor<7xf32>
    %cst_21 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %99 = stablehlo.multiply %98, %92 : tensor<7xf32>
    %100 = stablehlo.multiply %99, %92 : tensor<7xf32>
    %cst_22 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %102 = stablehlo.multiply %101, %87 : tensor<7xf32>
    %103 = stablehlo.multiply %102, %92 : tensor<7xf32>
    %104 = stablehlo.subtract %100, %103 : tensor<7xf32>
    %105 = stablehlo.multiply %87, %87 : tensor<7xf32>
    %106 = stablehlo.add %104, %105 : tensor<7xf32>
    %107 = stablehlo.multiply %97, %106 : tensor<7xf32>
    %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %109 = stablehlo.multiply %108, %92 : tensor<7xf32>
    %110 = stablehlo.subtract %87, %109 : tensor<7xf32>
    %111 = stablehlo.multiply %87, %110 : tensor<7xf32>
    %112 = stablehlo.add %107, %111 : tensor<7xf32>
    %113 = stablehlo.multiply %96, %112 : tensor<7xf32>
    %114 = stablehlo.add %113, %87 : tensor<7xf32>
    %115 = stablehlo.multiply %96, %114 : tensor<7xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %117 = stablehlo.add %115, %116 : tensor<7xf32>
    %118 = stablehlo.negate %92 : tensor<7xf32>
    %119 = stablehlo.exponential %118 : tensor<7xf32>
    %120 = stablehlo.multiply %117, %119 : tensor<7xf32>
    %121 = stablehlo.divide %120, %93 : tensor<7xf32>
    %c_25 = stablehlo.constant dense<6> : tensor<i32>
    %122 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %123 = stablehlo.compare EQ, %8, %122, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %124 = stablehlo.select %123, %9, %9 : tensor<7xi1>, tensor<7xf32>
    %125 = stablehlo.select %123, %10, %10 : tensor<7xi1>, tensor<7xf32>
    %126 = stablehlo.select %123, %11, %11 : tensor<7xi1>, tensor<7xf32>
    %127 = stablehlo.select %123, %12, %12 : tensor<7xi1>, tensor<7xf32>
    %128 = stablehlo.select %123, %arg5, %arg5 : tensor<7xi1>, tensor<7xf32>
    %129 = stablehlo.select %123, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %130 = stablehlo.add %129, %124 : tensor<7xf32>
    %131 = stablehlo.add %129, %124 : tensor<7xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %133 = stablehlo.divide %132, %131 : tensor<7xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_31 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %139:10 = stablehlo.while(%iterArg = %124, %iterArg_38 = %133, %iterArg_39 = %134, %iterArg_40 = %135, %iterArg_41 = %136, %iterArg_42 = %130, %iterArg_43 = %129, %iterArg_44 = %137, %iterArg_45 = %138, %iterArg_46 = %129) : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
    cond {
      %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %161 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %162 = stablehlo.compare GT, %iterArg_46, %161, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %cst_48 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %163 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %164 = stablehlo.compare GT, %iterArg_45, %163, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %165 = stablehlo.and %162, %164 : tensor<7xi1>
      %c_49 = stablehlo.constant dense<false> : tensor<i1>
      %166 = stablehlo.reduce(%165 init: %c_49) applies stablehlo.or across dimensions = [0] : (tensor<7xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %166 : tensor<i1>
    } do {
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %161 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %162 = stablehlo.add %iterArg_39, %161 : tensor<7xf32>
      %cst_48 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %163 = func.call @remainder(%162, %cst_48) : (tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %164 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %165 = stablehlo.compare EQ, %163, %164, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %166 = func.call @_where_1(%165, %cst_50, %iterArg_46) : (tensor<7xi1>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
      %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %167 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %168 = stablehlo.subtract %162, %167 : tensor<7xf32>
      %cst_52 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %169 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %170 = stablehlo.divide %168, %169 : tensor<7xf32>
      %171 = stablehlo.add %iterArg, %170 : tensor<7xf32>
      %cst_53 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %172 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %173 = stablehlo.divide %162, %172 : tensor<7xf32>
      %174 = func.call @_where_3(%165, %171, %173) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %175 = stablehlo.multiply %iterArg_40, %166 : tensor<7xf32>
      %176 = stablehlo.multiply %iterArg_41, %174 : tensor<7xf32>
      %177 = stablehlo.add %175, %176 : tensor<7xf32>
      %178 = stablehlo.multiply %iterArg_42, %166 : tensor<7xf32>
      %179 = stablehlo.multiply %iterArg_43, %174 : tensor<7xf32>
      %180 = stablehlo.add %178, %179 : tensor<7xf32>
      %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %181 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %182 = stablehlo.compare NE, %180, %181, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %183 = stablehlo.divide %177, %180 : tensor<7xf32>
      %184 = func.call @_where_3(%182, %183, %iterArg_44) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %185 = stablehlo.subtract %iterArg_38, %184 : tensor<7xf32>
      %186 = stablehlo.divide %185, %184 : tensor<7xf32>
      %187 = stablehlo.abs %186 : tensor<7xf32>
      %cst_55 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %188 = func.call @_where_2(%182, %187, %cst_55) : (tensor<7xi1>, tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
      %189 = func.call @_where_3(%182, %184, %iterArg_38) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %190 = stablehlo.abs %177 : tensor<7xf32>
      %cst_56 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %191 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %192 = stablehlo.compare GT, %190, %191, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %cst_57 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %193 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %194 = stablehlo.divide %177, %193 : tensor<7xf32>
      %195 = func.call @_where_3(%192, %194, %177) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %cst_58 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %196 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %197 = stablehlo.divide %iterArg_40, %196 : tensor<7xf32>
      %198 = func.call @_where_3(%192, %197, %iterArg_40) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %cst_59 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %199 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %200 = stablehlo.divide %180, %199 : tensor<7xf32>
      %201 = func.call @_where_3(%192, %200, %180) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %cst_60 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %202 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %203 = stablehlo.divide %iterArg_42, %202 : tensor<7xf32>
      %204 = func.call @_where_3(%192, %203, %iterArg_42) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %205 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %206 = stablehlo.compare GT, %iterArg_46, %205, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %cst_62 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %207 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %208 = stablehlo.compare GT, %iterArg_45, %207, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %209 = stablehlo.and %206, %208 : tensor<7xi1>
      %210 = stablehlo.broadcast_in_dim %209, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %211 = stablehlo.select %210, %189, %iterArg_38 : tensor<7xi1>, tensor<7xf32>
      %212 = stablehlo.broadcast_in_dim %209, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %213 = stablehlo.select %212, %162, %iterArg_39 : tensor<7xi1>, tensor<7xf32>
      %214 = stablehlo.broadcast_in_dim %209, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %215 = stablehlo.select %214, %195, %iterArg_40 : tensor<7xi1>, tensor<7xf32>
      %216 = stablehlo.broadcast_in_dim %209, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %217 = stablehlo.select %216, %198, %iterArg_41 : tensor<7xi1>, tensor<7xf32>
      %218 = stablehlo.broadcast_in_dim %209, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %219 = stablehlo.select %218, %201, %iterArg_42 : tensor<7xi1>, tensor<7xf32>
      %220 = stablehlo.broadcast_in_dim %209, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %221 = stablehlo.select %220, %204, %iterArg_43 : tensor<7xi1>, tensor<7xf32>
      %222 = stablehlo.broadcast_in_dim %209, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %223 = stablehlo.select %222, %184, %iterArg_44 : tensor<7xi1>, tensor<7xf32>
      %224 = stablehlo.broadcast_in_dim %209, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %225 = stablehlo.select %224, %188, %iterArg_45 : tensor<7xi1>, tensor<7xf32>
      %226 = stablehlo.broadcast_in_dim %209, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %227 = stablehlo.select %226, %iterArg_46, %iterArg_46 : tensor<7xi1>, tensor<7xf32>
      stablehlo.return %iterArg, %211, %213, %215, %217, %219, %221, %223, %225, %227 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
    }
    %140 = stablehlo.negate %129 : tensor<7xf32>
    %141 = stablehlo.exponential %140 : tensor<7xf32>
    %142 = stablehlo.multiply %139#1, %141 : tensor<7xf32>
    %c_32 = stablehlo.constant dense<3> : tensor<i32>
    %143 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %144 = stablehlo.compare LT, %8, %143, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_33 = stablehlo.constant dense<1> : tensor<i32>
    %145 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %146 = stablehlo.compare LT, %8, %145, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_34 = stablehlo.constant dense<2> : tensor<i32>
    %147 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %148 = stablehlo.compare LT, %8, %147, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %149 = stablehlo.select %148, %59, %68 : tensor<7xi1>, tensor<7xf32>
    %150 = stablehlo.select %146, %50, %149 : tensor<7xi1>, tensor<7xf32>
    %c_35 = stablehlo.constant dense<5> : tensor<i32>
    %151 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %152 = stablehlo.compare LT, %8, %151, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_36 = stablehlo.constant dense<4> : tensor<i32>
    %153 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %154 = stablehlo.compare LT, %8, %153, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %155 = stablehlo.select %154, %74, %83 : tensor<7xi1>, tensor<7xf32>
    %c_37 = stablehlo.constant dense<6> : tensor<i32>
    %156 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %157 = stablehlo.compare LT, %8, %156, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %158 = stablehlo.select %157, %121, %142 : tensor<7xi1>, tensor<7xf32>
    %159 = stablehlo.select %152, %155, %158 : tensor<7xi1>, tensor<7xf32>
    %160 = stablehlo.select %144, %150, %159 : tensor<7xi1>, tensor<7xf32>
    return %160 : tensor<7xf32>
  }
  func.func private @cumsum(%arg0: tensor<7x7xi1>) -> tensor<7x7xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<7x7xi1>) -> tensor<7x7xi32>
    %1 = call @cumsum_0(%0) : (tensor<7x7xi32>) -> tensor<7x7xi32>
    return %1 : tensor<7x7xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<7x7xi32>) -> tensor<7x7xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [6, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 7>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<7x7xi32>, tensor<i32>) -> tensor<7x7xi32>
    return %1 : tensor<7x7xi32>
  }
  func.func private @argmax(%arg0: tensor<7x7xi32>) -> tensor<7xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<7x7xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<7x7xi32>, tensor<7x7xi32>, tensor<i32>, tensor<i32>) -> (tensor<7xi32>, tensor<7xi32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<7xi32>
  }
  func.func private @_where_1(%arg0: tensor<7xi1>, %arg1: tensor<f32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<7xi1>, tensor<7xf32>
    return %1 : tensor<7xf32>
  }
  func.func private @_where_2(%arg0: tensor<7xi1>, %arg1: tensor<7xf32>, %arg2: tensor<f32>) -> tensor<7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<7xi1>, tensor<7xf32>
    return %1 : tensor<7xf32>
  }
  func.func private @remainder(%arg0: tensor<7xf32>, %arg1: tensor<f32>) -> tensor<7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.remainder %arg0, %0 : tensor<7xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %3 = stablehlo.compare NE, %1, %2, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %5 = stablehlo.compare LT, %1, %4, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.compare LT, %arg1, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<7xi1>
    %8 = stablehlo.compare NE, %5, %7, UNSIGNED : (tensor<7xi1>, tensor<7xi1>) -> tensor<7xi1>
    %9 = stablehlo.and %8, %3 : tensor<7xi1>
    %10 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %11 = stablehlo.add %1, %10 : tensor<7xf32>
    %12 = stablehlo.select %9, %11, %1 : tensor<7xi1>, tensor<7xf32>
    return %12 : tensor<7xf32>
  }
  func.func private @_where_3(%arg0: tensor<7xi1>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<7xi1>, tensor<7xf32>
    return %0 : tensor<7xf32>
  }
  func.func private @_piecewise_4(%arg0: tensor<7xf32>, %arg1: tensor<3x7xi1>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<f32>) -> tensor<7xf32> {
    %cst = stablehlo.constant dense<[4.65128578E-5, 0.0073158904, 0.133847639, 0.879691302, 2.7114985, 4.25697136, 3.29771352, 1.000000e+00]> : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<[6.90990476E-4, 0.0254043769, 0.282974869, 1.411726, 3.63800526, 5.03278875, 3.54771352, 1.000000e+00]> : tensor<8xf32>
    %0 = stablehlo.slice %arg1 [0:1, 0:7] : (tensor<3x7xi1>) -> tensor<1x7xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1x7xi1>
    %2 = stablehlo.concatenate %1, %arg1, dim = 0 : (tensor<1x7xi1>, tensor<3x7xi1>) -> tensor<4x7xi1>
    %3 = call @cumsum_5(%2) : (tensor<4x7xi1>) -> tensor<4x7xi32>
    %4 = call @argmax_7(%3) : (tensor<4x7xi32>) -> tensor<7xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %7 = stablehlo.clamp %5, %4, %6 : tensor<7xi32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<8xf32>) -> tensor<7x8xf32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [1] : (tensor<8xf32>) -> tensor<7x8xf32>
    %10 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %11 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %12 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %14 = stablehlo.compare EQ, %7, %13, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %16 = stablehlo.select %15, %8, %8 : tensor<7x8xi1>, tensor<7x8xf32>
    %17 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %18 = stablehlo.select %17, %9, %9 : tensor<7x8xi1>, tensor<7x8xf32>
    %19 = stablehlo.select %14, %10, %10 : tensor<7xi1>, tensor<7xf32>
    %20 = stablehlo.select %14, %11, %11 : tensor<7xi1>, tensor<7xi32>
    %21 = stablehlo.select %14, %12, %12 : tensor<7xi1>, tensor<7xf32>
    %22 = stablehlo.select %14, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %24 = stablehlo.compare GT, %22, %23, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %26 = call @_piecewise_8(%22, %25) : (tensor<7xf32>, tensor<7x1xi1>) -> tensor<7xf32>
    %cst_5 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %28 = stablehlo.compare GT, %26, %27, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_6 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %30 = stablehlo.compare LT, %26, %29, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %31 = stablehlo.or %24, %28 : tensor<7xi1>
    %32 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %33 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %34 = stablehlo.concatenate %32, %33, dim = 1 : (tensor<7x1xi1>, tensor<7x1xi1>) -> tensor<7x2xi1>
    %35 = call @_piecewise_12(%26, %34) : (tensor<7xf32>, tensor<7x2xi1>) -> tensor<7xf32>
    %36 = stablehlo.negate %35 : tensor<7xf32>
    %37 = call @polyval(%16, %35) : (tensor<7x8xf32>, tensor<7xf32>) -> tensor<7xf32>
    %38 = stablehlo.multiply %36, %37 : tensor<7xf32>
    %39 = call @polyval(%18, %35) : (tensor<7x8xf32>, tensor<7xf32>) -> tensor<7xf32>
    %40 = stablehlo.divide %38, %39 : tensor<7xf32>
    %41 = stablehlo.log %26 : tensor<7xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %43 = stablehlo.subtract %42, %26 : tensor<7xf32>
    %44 = stablehlo.log %43 : tensor<7xf32>
    %45 = stablehlo.multiply %41, %44 : tensor<7xf32>
    %cst_8 = stablehlo.constant dense<1.64493406> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %47 = stablehlo.subtract %46, %45 : tensor<7xf32>
    %48 = stablehlo.subtract %47, %40 : tensor<7xf32>
    %49 = call @_where_3(%30, %48, %40) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %50 = stablehlo.log %26 : tensor<7xf32>
    %51 = stablehlo.multiply %50, %50 : tensor<7xf32>
    %cst_9 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %53 = stablehlo.multiply %52, %51 : tensor<7xf32>
    %54 = stablehlo.subtract %53, %49 : tensor<7xf32>
    %55 = call @_where_3(%31, %54, %49) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %56 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %57 = stablehlo.compare EQ, %7, %56, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %59 = stablehlo.select %58, %8, %8 : tensor<7x8xi1>, tensor<7x8xf32>
    %60 = stablehlo.broadcast_in_dim %57, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %61 = stablehlo.select %60, %9, %9 : tensor<7x8xi1>, tensor<7x8xf32>
    %62 = stablehlo.select %57, %10, %10 : tensor<7xi1>, tensor<7xf32>
    %63 = stablehlo.select %57, %11, %11 : tensor<7xi1>, tensor<7xi32>
    %64 = stablehlo.select %57, %12, %12 : tensor<7xi1>, tensor<7xf32>
    %65 = stablehlo.select %57, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %66 = stablehlo.convert %62 : tensor<7xf32>
    %c_11 = stablehlo.constant dense<2> : tensor<i32>
    %67 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %68 = stablehlo.compare EQ, %7, %67, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %70 = stablehlo.select %69, %8, %8 : tensor<7x8xi1>, tensor<7x8xf32>
    %71 = stablehlo.broadcast_in_dim %68, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %72 = stablehlo.select %71, %9, %9 : tensor<7x8xi1>, tensor<7x8xf32>
    %73 = stablehlo.select %68, %10, %10 : tensor<7xi1>, tensor<7xf32>
    %74 = stablehlo.select %68, %11, %11 : tensor<7xi1>, tensor<7xi32>
    %75 = stablehlo.select %68, %12, %12 : tensor<7xi1>, tensor<7xf32>
    %76 = stablehlo.select %68, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %77 = stablehlo.convert %74 : (tensor<7xi32>) -> tensor<7xf32>
    %c_12 = stablehlo.constant dense<3> : tensor<i32>
    %78 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %79 = stablehlo.compare EQ, %7, %78, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %81 = stablehlo.select %80, %8, %8 : tensor<7x8xi1>, tensor<7x8xf32>
    %82 = stablehlo.broadcast_in_dim %79, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %83 = stablehlo.select %82, %9, %9 : tensor<7x8xi1>, tensor<7x8xf32>
    %84 = stablehlo.select %79, %10, %10 : tensor<7xi1>, tensor<7xf32>
    %85 = stablehlo.select %79, %11, %11 : tensor<7xi1>, tensor<7xi32>
    %86 = stablehlo.select %79, %12, %12 : tensor<7xi1>, tensor<7xf32>
    %87 = stablehlo.select %79, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %88 = stablehlo.convert %86 : tensor<7xf32>
    %c_13 = stablehlo.constant dense<2> : tensor<i32>
    %89 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %90 = stablehlo.compare LT, %7, %89, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %91 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %92 = stablehlo.compare LT, %7, %91, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %93 = stablehlo.select %92, %55, %66 : tensor<7xi1>, tensor<7xf32>
    %c_15 = stablehlo.constant dense<3> : tensor<i32>
    %94 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %95 = stablehlo.compare LT, %7, %94, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %96 = stablehlo.select %95, %77, %88 : tensor<7xi1>, tensor<7xf32>
    %97 = stablehlo.select %90, %93, %96 : tensor<7xi1>, tensor<7xf32>
    return %97 : tensor<7xf32>
  }
  func.func private @cumsum_5(%arg0: tensor<4x7xi1>) -> tensor<4x7xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<4x7xi1>) -> tensor<4x7xi32>
    %1 = call @cumsum_6(%0) : (tensor<4x7xi32>) -> tensor<4x7xi32>
    return %1 : tensor<4x7xi32>
  }
  func.func private @cumsum_6(%arg0: tensor<4x7xi32>) -> tensor<4x7xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4x7xi32>, tensor<i32>) -> tensor<4x7xi32>
    return %1 : tensor<4x7xi32>
  }
  func.func private @argmax_7(%arg0: tensor<4x7xi32>) -> tensor<7xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x7xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<4x7xi32>, tensor<4x7xi32>, tensor<i32>, tensor<i32>) -> (tensor<7xi32>, tensor<7xi32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<7xi32>
  }
  func.func private @_piecewise_8(%arg0: tensor<7xf32>, %arg1: tensor<7x1xi1>) -> tensor<7xf32> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<1xi1>) -> tensor<7x1xi1>
    %2 = stablehlo.concatenate %1, %arg1, dim = 1 : (tensor<7x1xi1>, tensor<7x1xi1>) -> tensor<7x2xi1>
    %3 = call @cumsum_9(%2) : (tensor<7x2xi1>) -> tensor<7x2xi32>
    %4 = call @argmax_11(%3) : (tensor<7x2xi32>) -> tensor<7xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %7 = stablehlo.clamp %5, %4, %6 : tensor<7xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %9 = stablehlo.compare EQ, %7, %8, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %10 = stablehlo.select %9, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %12 = stablehlo.compare EQ, %7, %11, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %13 = stablehlo.select %12, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %15 = stablehlo.divide %14, %13 : tensor<7xf32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %17 = stablehlo.compare LT, %7, %16, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %18 = stablehlo.select %17, %10, %15 : tensor<7xi1>, tensor<7xf32>
    return %18 : tensor<7xf32>
  }
  func.func private @cumsum_9(%arg0: tensor<7x2xi1>) -> tensor<7x2xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<7x2xi1>) -> tensor<7x2xi32>
    %1 = call @cumsum_10(%0) : (tensor<7x2xi32>) -> tensor<7x2xi32>
    return %1 : tensor<7x2xi32>
  }
  func.func private @cumsum_10(%arg0: tensor<7x2xi32>) -> tensor<7x2xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<7x2xi32>, tensor<i32>) -> tensor<7x2xi32>
    return %1 : tensor<7x2xi32>
  }
  func.func private @argmax_11(%arg0: tensor<7x2xi32>) -> tensor<7xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<7x2xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<7x2xi32>, tensor<7x2xi32>, tensor<i32>, tensor<i32>) -> (tensor<7xi32>, tensor<7xi32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<7xi32>
  }
  func.func private @_piecewise_12(%arg0: tensor<7xf32>, %arg1: tensor<7x2xi1>) -> tensor<7xf32> {
    %0 = stablehlo.slice %arg1 [0:7, 0:1] : (tensor<7x2xi1>) -> tensor<7x1xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<1xi1>) -> tensor<7x1xi1>
    %3 = stablehlo.concatenate %2, %arg1, dim = 1 : (tensor<7x1xi1>, tensor<7x2xi1>) -> tensor<7x3xi1>
    %4 = call @cumsum_13(%3) : (tensor<7x3xi1>) -> tensor<7x3xi32>
    %5 = call @argmax_15(%4) : (tensor<7x3xi32>) -> tensor<7xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %8 = stablehlo.clamp %6, %5, %7 : tensor<7xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %10 = stablehlo.compare EQ, %8, %9, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %11 = stablehlo.select %10, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %13 = stablehlo.subtract %11, %12 : tensor<7xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %15 = stablehlo.compare EQ, %8, %14, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %16 = stablehlo.select %15, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %18 = stablehlo.divide %17, %16 : tensor<7xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %20 = stablehlo.subtract %18, %19 : tensor<7xf32>
    %c_6 = stablehlo.constant dense<2> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %22 = stablehlo.compare EQ, %8, %21, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %23 = stablehlo.select %22, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %24 = stablehlo.negate %23 : tensor<7xf32>
    %c_7 = stablehlo.constant dense<1> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %26 = stablehlo.compare LT, %8, %25, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_8 = stablehlo.constant dense<2> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %28 = stablehlo.compare LT, %8, %27, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %29 = stablehlo.select %28, %20, %24 : tensor<7xi1>, tensor<7xf32>
    %30 = stablehlo.select %26, %13, %29 : tensor<7xi1>, tensor<7xf32>
    return %30 : tensor<7xf32>
  }
  func.func private @cumsum_13(%arg0: tensor<7x3xi1>) -> tensor<7x3xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<7x3xi1>) -> tensor<7x3xi32>
    %1 = call @cumsum_14(%0) : (tensor<7x3xi32>) -> tensor<7x3xi32>
    return %1 : tensor<7x3xi32>
  }
  func.func private @cumsum_14(%arg0: tensor<7x3xi32>) -> tensor<7x3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<7x3xi32>, tensor<i32>) -> tensor<7x3xi32>
    return %1 : tensor<7x3xi32>
  }
  func.func private @argmax_15(%arg0: tensor<7x3xi32>) -> tensor<7xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<7x3xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<7x3xi32>, tensor<7x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<7xi32>, tensor<7xi32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<7xi32>
  }
  func.func private @polyval(%arg0: tensor<7x8xf32>, %arg1: tensor<7xf32>) -> tensor<7xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<7x8xf32>) -> tensor<8x7xf32>
    %2 = stablehlo.slice %1 [0:0, 0:7] : (tensor<8x7xf32>) -> tensor<0x7xf32>
    %3 = stablehlo.slice %1 [0:8, 0:7] : (tensor<8x7xf32>) -> tensor<8x7xf32>
    %4 = stablehlo.slice %3 [0:1, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x7xf32>) -> tensor<7xf32>
    %6 = call @closed_call(%arg1, %0, %5) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %7 = stablehlo.slice %3 [1:2, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x7xf32>) -> tensor<7xf32>
    %9 = call @closed_call(%arg1, %6, %8) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %10 = stablehlo.slice %3 [2:3, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x7xf32>) -> tensor<7xf32>
    %12 = call @closed_call(%arg1, %9, %11) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %13 = stablehlo.slice %3 [3:4, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x7xf32>) -> tensor<7xf32>
    %15 = call @closed_call(%arg1, %12, %14) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %16 = stablehlo.slice %3 [4:5, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x7xf32>) -> tensor<7xf32>
    %18 = call @closed_call(%arg1, %15, %17) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %19 = stablehlo.slice %3 [5:6, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x7xf32>) -> tensor<7xf32>
    %21 = call @closed_call(%arg1, %18, %20) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %22 = stablehlo.slice %3 [6:7, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x7xf32>) -> tensor<7xf32>
    %24 = call @closed_call(%arg1, %21, %23) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %25 = stablehlo.slice %3 [7:8, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x7xf32>) -> tensor<7xf32>
    %27 = call @closed_call(%arg1, %24, %26) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    return %27 : tensor<7xf32>
  }
  func.func private @closed_call(%arg0: tensor<7xf32>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<7xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<7xf32>
    return %1 : tensor<7xf32>
  }
  func.func private @expn_16(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare LT, %0, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.compare LT, %arg1, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.compare EQ, %arg1, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.compare LT, %0, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare EQ, %arg1, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.compare GE, %0, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %9 = stablehlo.and %7, %8 : tensor<i1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.compare EQ, %0, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.compare GE, %arg1, %cst_6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %12 = stablehlo.and %10, %11 : tensor<i1>
    %cst_7 = stablehlo.constant dense<5.000000e+03> : tensor<f32>
    %13 = stablehlo.compare GE, %0, %cst_7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.compare GT, %arg1, %cst_8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.compare EQ, %0, %cst_9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %16 = stablehlo.add %0, %0 : tensor<f32>
    %17 = call @_where_17(%15, %16, %0) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.divide %cst_10, %17 : tensor<f32>
    %19 = stablehlo.negate %arg1 : tensor<f32>
    %20 = stablehlo.exponential %19 : tensor<f32>
    %21 = stablehlo.divide %20, %arg1 : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %23 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %24 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %25 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %26 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %27 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %28 = stablehlo.concatenate %22, %23, %24, %25, %26, %27, dim = 0 : (tensor<1xi1>, tensor<1xi1>, tensor<1xi1>, tensor<1xi1>, tensor<1xi1>, tensor<1xi1>) -> tensor<6xi1>
    %cst_11 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %cst_12 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %29 = call @_piecewise_18(%arg1, %28, %cst_11, %cst_12, %18, %21, %0) : (tensor<f32>, tensor<6xi1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    return %29 : tensor<f32>
  }
  func.func private @_where_17(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @_piecewise_18(%arg0: tensor<f32>, %arg1: tensor<6xi1>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.slice %arg1 [0:1] : (tensor<6xi1>) -> tensor<1xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %2 = stablehlo.concatenate %1, %arg1, dim = 0 : (tensor<1xi1>, tensor<6xi1>) -> tensor<7xi1>
    %3 = call @cumsum_19(%2) : (tensor<7xi1>) -> tensor<7xi32>
    %4 = call @argmax_21(%3) : (tensor<7xi32>) -> tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<6> : tensor<i32>
    %5 = stablehlo.clamp %c_0, %4, %c_1 : tensor<i32>
    %6 = "stablehlo.case"(%5) ({
      %7 = stablehlo.log %arg0 : tensor<f32>
      %cst = stablehlo.constant dense<-0.577215672> : tensor<f32>
      %8 = stablehlo.subtract %cst, %7 : tensor<f32>
      %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %9:3 = stablehlo.while(%iterArg = %cst_2, %iterArg_14 = %arg6, %iterArg_15 = %8) : tensor<f32>, tensor<f32>, tensor<f32>
      cond {
        %26 = stablehlo.compare LT, %iterArg, %iterArg_14, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %26 : tensor<i1>
      } do {
        %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %26 = stablehlo.add %iterArg, %cst_16 : tensor<f32>
        %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %27 = stablehlo.divide %cst_17, %iterArg : tensor<f32>
        %28 = stablehlo.add %iterArg_15, %27 : tensor<f32>
        stablehlo.return %26, %iterArg_14, %28 : tensor<f32>, tensor<f32>, tensor<f32>
      }
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %10 = stablehlo.compare EQ, %arg6, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %11 = func.call @_where_17(%10, %cst_4, %arg6) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %12 = stablehlo.negate %arg0 : tensor<f32>
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %13 = stablehlo.subtract %cst_5, %arg6 : tensor<f32>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %14 = stablehlo.compare EQ, %arg6, %cst_6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %15 = stablehlo.subtract %cst_7, %11 : tensor<f32>
      %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %16 = stablehlo.divide %cst_8, %15 : tensor<f32>
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %17 = func.call @_where_17(%14, %cst_9, %16) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %cst_10 = stablehlo.constant dense<0x7F800000> : tensor<f32>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %18:7 = stablehlo.while(%iterArg = %12, %iterArg_14 = %17, %iterArg_15 = %13, %iterArg_16 = %cst_10, %iterArg_17 = %arg0, %iterArg_18 = %cst_11, %iterArg_19 = %cst_12) : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
      cond {
        %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %26 = stablehlo.compare GT, %iterArg_17, %cst_20, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %27 = stablehlo.convert %iterArg_16 : tensor<f32>
        %cst_21 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
        %28 = stablehlo.compare GT, %27, %cst_21, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %29 = stablehlo.and %26, %28 : tensor<i1>
        stablehlo.return %29 : tensor<i1>
      } do {
        %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %26 = stablehlo.add %iterArg_18, %cst_20 : tensor<f32>
        %27 = stablehlo.divide %iterArg, %26 : tensor<f32>
        %28 = stablehlo.multiply %iterArg_19, %27 : tensor<f32>
        %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %29 = stablehlo.add %iterArg_15, %cst_21 : tensor<f32>
        %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %30 = stablehlo.compare NE, %29, %cst_22, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %31 = stablehlo.divide %28, %29 : tensor<f32>
        %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %32 = func.call @_where_17(%30, %31, %cst_23) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
        %33 = stablehlo.add %iterArg_14, %32 : tensor<f32>
        %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %34 = stablehlo.compare NE, %33, %cst_24, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %35 = stablehlo.divide %28, %33 : tensor<f32>
        %36 = stablehlo.abs %35 : tensor<f32>
        %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %37 = func.call @_where_17(%34, %36, %cst_25) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
        stablehlo.return %iterArg, %33, %29, %37, %iterArg_17, %26, %28 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
      }
      %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %19 = stablehlo.subtract %arg6, %cst_13 : tensor<f32>
      %20 = stablehlo.power %12, %19 : tensor<f32>
      %21 = stablehlo.multiply %20, %9#2 : tensor<f32>
      %22 = chlo.lgamma %arg6 : tensor<f32> -> tensor<f32>
      %23 = stablehlo.exponential %22 : tensor<f32>
      %24 = stablehlo.divide %21, %23 : tensor<f32>
      %25 = stablehlo.subtract %24, %18#1 : tensor<f32>
      stablehlo.return %25 : tensor<f32>
    }, {
      %7 = stablehlo.convert %arg2 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }, {
      %7 = stablehlo.convert %arg3 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }, {
      stablehlo.return %arg4 : tensor<f32>
    }, {
      stablehlo.return %arg5 : tensor<f32>
    }, {
      %7 = stablehlo.add %arg0, %arg6 : tensor<f32>
      %8 = stablehlo.multiply %7, %7 : tensor<f32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %9 = stablehlo.divide %cst, %8 : tensor<f32>
      %10 = stablehlo.multiply %9, %arg6 : tensor<f32>
      %cst_2 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
      %11 = stablehlo.multiply %cst_2, %arg0 : tensor<f32>
      %12 = stablehlo.multiply %11, %arg0 : tensor<f32>
      %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %13 = stablehlo.multiply %cst_3, %arg6 : tensor<f32>
      %14 = stablehlo.multiply %13, %arg0 : tensor<f32>
      %15 = stablehlo.subtract %12, %14 : tensor<f32>
      %16 = stablehlo.multiply %arg6, %arg6 : tensor<f32>
      %17 = stablehlo.add %15, %16 : tensor<f32>
      %18 = stablehlo.multiply %10, %17 : tensor<f32>
      %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %19 = stablehlo.multiply %cst_4, %arg0 : tensor<f32>
      %20 = stablehlo.subtract %arg6, %19 : tensor<f32>
      %21 = stablehlo.multiply %arg6, %20 : tensor<f32>
      %22 = stablehlo.add %18, %21 : tensor<f32>
      %23 = stablehlo.multiply %9, %22 : tensor<f32>
      %24 = stablehlo.add %23, %arg6 : tensor<f32>
      %25 = stablehlo.multiply %9, %24 : tensor<f32>
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %26 = stablehlo.add %25, %cst_5 : tensor<f32>
      %27 = stablehlo.negate %arg0 : tensor<f32>
      %28 = stablehlo.exponential %27 : tensor<f32>
      %29 = stablehlo.multiply %26, %28 : tensor<f32>
      %30 = stablehlo.divide %29, %7 : tensor<f32>
      stablehlo.return %30 : tensor<f32>
    }, {
      %7 = stablehlo.add %arg0, %arg6 : tensor<f32>
      %8 = stablehlo.add %arg0, %arg6 : tensor<f32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %9 = stablehlo.divide %cst, %8 : tensor<f32>
      %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_6 = stablehlo.constant dense<0x7F800000> : tensor<f32>
      %10:10 = stablehlo.while(%iterArg = %arg6, %iterArg_7 = %9, %iterArg_8 = %cst_2, %iterArg_9 = %cst_3, %iterArg_10 = %cst_4, %iterArg_11 = %7, %iterArg_12 = %arg0, %iterArg_13 = %cst_5, %iterArg_14 = %cst_6, %iterArg_15 = %arg0) : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
      cond {
        %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %14 = stablehlo.compare GT, %iterArg_15, %cst_16, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %cst_17 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
        %15 = stablehlo.compare GT, %iterArg_14, %cst_17, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %16 = stablehlo.and %14, %15 : tensor<i1>
        stablehlo.return %16 : tensor<i1>
      } do {
        %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %14 = stablehlo.add %iterArg_8, %cst_16 : tensor<f32>
        %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %15 = func.call @remainder_22(%14, %cst_17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %16 = stablehlo.compare EQ, %15, %cst_18, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %17 = func.call @_where_17(%16, %cst_19, %iterArg_15) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
        %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %18 = stablehlo.subtract %14, %cst_20 : tensor<f32>
        %cst_21 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %19 = stablehlo.divide %18, %cst_21 : tensor<f32>
        %20 = stablehlo.add %iterArg, %19 : tensor<f32>
        %cst_22 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %21 = stablehlo.divide %14, %cst_22 : tensor<f32>
        %22 = func.call @_where_17(%16, %20, %21) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
        %23 = stablehlo.multiply %iterArg_9, %17 : tensor<f32>
        %24 = stablehlo.multiply %iterArg_10, %22 : tensor<f32>
        %25 = stablehlo.add %23, %24 : tensor<f32>
        %26 = stablehlo.multiply %iterArg_11, %17 : tensor<f32>
        %27 = stablehlo.multiply %iterArg_12, %22 : tensor<f32>
        %28 = stablehlo.add %26, %27 : tensor<f32>
        %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %29 = stablehlo.compare NE, %28, %cst_23, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %30 = stablehlo.divide %25, %28 : tensor<f32>
        %31 = func.call @_where_17(%29, %30, %iterArg_13) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
        %32 = stablehlo.subtract %iterArg_7, %31 : tensor<f32>
        %33 = stablehlo.divide %32, %31 : tensor<f32>
        %34 = stablehlo.abs %33 : tensor<f32>
        %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %35 = func.call @_where_17(%29, %34, %cst_24) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
        %36 = func.call @_where_17(%29, %31, %iterArg_7) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
        %37 = stablehlo.abs %25 : tensor<f32>
        %cst_25 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
        %38 = stablehlo.compare GT, %37, %cst_25, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %cst_26 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
        %39 = stablehlo.divide %25, %cst_26 : tensor<f32>
        %40 = func.call @_where_17(%38, %39, %25) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
        %cst_27 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
        %41 = stablehlo.divide %iterArg_9, %cst_27 : tensor<f32>
        %42 = func.call @_where_17(%38, %41, %iterArg_9) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
        %cst_28 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
        %43 = stablehlo.divide %28, %cst_28 : tensor<f32>
        %44 = func.call @_where_17(%38, %43, %28) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
        %cst_29 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
        %45 = stablehlo.divide %iterArg_11, %cst_29 : tensor<f32>
        %46 = func.call @_where_17(%38, %45, %iterArg_11) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
        stablehlo.return %iterArg, %36, %14, %40, %42, %44, %46, %31, %35, %iterArg_15 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
      }
      %11 = stablehlo.negate %arg0 : tensor<f32>
      %12 = stablehlo.exponential %11 : tensor<f32>
      %13 = stablehlo.multiply %10#1, %12 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    return %6 : tensor<f32>
  }
  func.func private @cumsum_19(%arg0: tensor<7xi1>) -> tensor<7xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<7xi1>) -> tensor<7xi32>
    %1 = call @cumsum_20(%0) : (tensor<7xi32>) -> tensor<7xi32>
    return %1 : tensor<7xi32>
  }
  func.func private @cumsum_20(%arg0: tensor<7xi32>) -> tensor<7xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[6, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 7>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<7xi32>, tensor<i32>) -> tensor<7xi32>
    return %1 : tensor<7xi32>
  }
  func.func private @argmax_21(%arg0: tensor<7xi32>) -> tensor<i32> {
    %0 = stablehlo.iota dim = 0 : tensor<7xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<7xi32>, tensor<7xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<i32>
  }
  func.func private @remainder_22(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.remainder %arg0, %arg1 : tensor<f32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare NE, %0, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.compare LT, %0, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.compare LT, %arg1, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.compare NE, %2, %3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %5 = stablehlo.and %4, %1 : tensor<i1>
    %6 = stablehlo.add %0, %arg1 : tensor<f32>
    %7 = stablehlo.select %5, %6, %0 : tensor<i1>, tensor<f32>
    return %7 : tensor<f32>
  }
}
