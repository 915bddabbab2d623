module @jit_branches attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7xf32>) -> (tensor<7xf32> {jax.result_info = "result[0]"}, tensor<7xf32> {jax.result_info = "result[1]"}) {
    %0 = call @expi(%arg0) : (tensor<7xf32>) -> tensor<7xf32>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.divide %arg0, %1 : tensor<7xf32>
    %cst_0 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %3 = call @hyp1f1(%cst_0, %cst_1, %2) : (tensor<f32>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
    return %0, %3 : tensor<7xf32>, tensor<7xf32>
  }
  func.func private @expi(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.compare LT, %arg0, %0, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<7xi1>) -> tensor<1x7xi1>
    %3 = call @_piecewise(%arg0, %2) : (tensor<7xf32>, tensor<1x7xi1>) -> tensor<7xf32>
    return %3 : tensor<7xf32>
  }
  func.func private @_piecewise(%arg0: tensor<7xf32>, %arg1: tensor<1x7xi1>) -> tensor<7xf32> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1x7xi1>
    %1 = stablehlo.concatenate %0, %arg1, dim = 0 : (tensor<1x7xi1>, tensor<1x7xi1>) -> tensor<2x7xi1>
    %2 = call @cumsum(%1) : (tensor<2x7xi1>) -> tensor<2x7xi32>
    %3 = call @argmax(%2) : (tensor<2x7xi32>) -> tensor<7xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %6 = stablehlo.clamp %4, %3, %5 : tensor<7xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %8 = stablehlo.compare EQ, %6, %7, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %9 = stablehlo.select %8, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %11 = stablehlo.compare GT, %9, %10, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %13 = stablehlo.compare LE, %9, %12, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %14 = stablehlo.and %11, %13 : tensor<7xi1>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %16 = stablehlo.compare GT, %9, %15, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_5 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %18 = stablehlo.compare LE, %9, %17, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %19 = stablehlo.and %16, %18 : tensor<7xi1>
    %cst_6 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %21 = stablehlo.compare GT, %9, %20, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_7 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %23 = stablehlo.compare LE, %9, %22, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %24 = stablehlo.and %21, %23 : tensor<7xi1>
    %cst_8 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %26 = stablehlo.compare GT, %9, %25, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_9 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %28 = stablehlo.compare LE, %9, %27, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %29 = stablehlo.and %26, %28 : tensor<7xi1>
    %cst_10 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %31 = stablehlo.compare GT, %9, %30, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_11 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %33 = stablehlo.compare LE, %9, %32, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %34 = stablehlo.and %31, %33 : tensor<7xi1>
    %cst_12 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %36 = stablehlo.compare GT, %9, %35, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_13 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %38 = stablehlo.compare LE, %9, %37, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %39 = stablehlo.and %36, %38 : tensor<7xi1>
    %40 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %41 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %42 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %43 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %44 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %45 = stablehlo.broadcast_in_dim %39, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %46 = stablehlo.concatenate %40, %41, %42, %43, %44, %45, dim = 1 : (tensor<7x1xi1>, tensor<7x1xi1>, tensor<7x1xi1>, tensor<7x1xi1>, tensor<7x1xi1>, tensor<7x1xi1>) -> tensor<7x6xi1>
    %47 = call @_piecewise_1(%9, %46) : (tensor<7xf32>, tensor<7x6xi1>) -> tensor<7xf32>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %49 = stablehlo.compare EQ, %6, %48, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %50 = stablehlo.select %49, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %51 = stablehlo.negate %50 : tensor<7xf32>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %52 = call @expn(%c_15, %51) : (tensor<i32>, tensor<7xf32>) -> tensor<7xf32>
    %53 = stablehlo.negate %52 : tensor<7xf32>
    %c_16 = stablehlo.constant dense<1> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %55 = stablehlo.compare LT, %6, %54, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %56 = stablehlo.select %55, %47, %53 : tensor<7xi1>, tensor<7xf32>
    return %56 : tensor<7xf32>
  }
  func.func private @cumsum(%arg0: tensor<2x7xi1>) -> tensor<2x7xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<2x7xi1>) -> tensor<2x7xi32>
    %1 = call @cumsum_0(%0) : (tensor<2x7xi32>) -> tensor<2x7xi32>
    return %1 : tensor<2x7xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<2x7xi32>) -> tensor<2x7xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<2x7xi32>, tensor<i32>) -> tensor<2x7xi32>
    return %1 : tensor<2x7xi32>
  }
  func.func private @argmax(%arg0: tensor<2x7xi32>) -> tensor<7xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<2x7xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<2x7xi32>, tensor<2x7xi32>, tensor<i32>, tensor<i32>) -> (tensor<7xi32>, tensor<7xi32>)
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
  func.func private @_piecewise_1(%arg0: tensor<7xf32>, %arg1: tensor<7x6xi1>) -> tensor<7xf32> {
    %cst = stablehlo.constant dense<[-0.76578468, 0.688619256, -0.213259816, 0.0334610753, -0.00307654147, 1.74711939E-4, -6.10371171E-6, 1.21803282E-7, -1.08607612E-9]> : tensor<9xf32>
    %cst_0 = stablehlo.constant dense<[1.000000e+00, -1.88880289, 1.06669164, -0.275191605, 0.0393085256, -0.00341468467, 1.8668444E-4, -6.34514618E-6, 1.23975425E-7, -1.08607612E-9]> : tensor<10xf32>
    %cst_1 = stablehlo.constant dense<[-5.35044718, 218.504913, -4176.57227, 55411.7656, -331338.125, 1592627.13]> : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<[1.000000e+00, -52.5054779, 1259.61621, -17565.4961, 149306.219, -729494.938, 1592627.13]> : tensor<7xf32>
    %cst_3 = stablehlo.constant dense<[0.0198180843, -1.27164567, -2.08816028, 2.75554442, -0.440950692, 0.0466562398, -0.00154504273, 7.059980e-05]> : tensor<8xf32>
    %cst_4 = stablehlo.constant dense<[1.000000e+00, 1.47649872, 0.562917709, 0.169901788, 0.0229164716, 0.0044501503, 1.72743967E-4, 3.95316711E-5]> : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<[-1.37321532, -0.70845592, 1.58080685, -0.260150045, 0.0299467463, -0.00103808602, 4.37106428E-5, 2.14178363E-6]> : tensor<8xf32>
    %cst_6 = stablehlo.constant dense<[1.000000e+00, 0.85852313, 0.448328584, 0.0768793225, 0.0244986825, 8.8321662E-4, 4.5909523E-4, -4.72984857E-6, 2.66519555E-6]> : tensor<9xf32>
    %cst_7 = stablehlo.constant dense<[-2.10693455, 1.73273385, -0.242361918, 0.0232272409, 2.37288041E-4, -8.34321981E-5, 1.36340877E-5, -3.6554124E-7, 1.46494177E-8, 6.17640772E-10]> : tensor<10xf32>
    %cst_8 = stablehlo.constant dense<[1.000000e+00, -0.229806229, 0.110507704, -0.0156654306, 0.00276110694, -2.08914804E-4, 1.70852891E-5, -4.45931192E-7, 1.3946349E-8, 6.15086593E-10]> : tensor<10xf32>
    %cst_9 = stablehlo.constant dense<[-0.245811939, -0.148338228, 0.0724829212, -0.0134831565, 0.00134277507, -7.94246589E-5, 2.64417963E-6, -4.23947348E-8]> : tensor<8xf32>
    %cst_10 = stablehlo.constant dense<[1.000000e+00, -0.104422592, -0.267645299, 9.695000e-02, -0.0160174575, 0.00149641489, -8.46245238E-5, 2.7289384E-6, -4.23946247E-8]> : tensor<9xf32>
    %cst_11 = stablehlo.constant dense<[0.121256113, -0.582313299, 0.234888732, -0.0304003432, 0.00151008216, -2.52313712E-5]> : tensor<6xf32>
    %cst_12 = stablehlo.constant dense<[1.000000e+00, -1.0022521, 0.292870969, -0.0333700441, 0.00156054483, -2.52313712E-5]> : tensor<6xf32>
    %0 = stablehlo.slice %arg1 [0:7, 0:1] : (tensor<7x6xi1>) -> tensor<7x1xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<1xi1>) -> tensor<7x1xi1>
    %3 = stablehlo.concatenate %2, %arg1, dim = 1 : (tensor<7x1xi1>, tensor<7x6xi1>) -> tensor<7x7xi1>
    %4 = call @cumsum_2(%3) : (tensor<7x7xi1>) -> tensor<7x7xi32>
    %5 = call @argmax_4(%4) : (tensor<7x7xi32>) -> tensor<7xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %c_14 = stablehlo.constant dense<6> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %7 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %8 = stablehlo.clamp %6, %5, %7 : tensor<7xi32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<9xf32>) -> tensor<7x9xf32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [1] : (tensor<10xf32>) -> tensor<7x10xf32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [1] : (tensor<6xf32>) -> tensor<7x6xf32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [1] : (tensor<7xf32>) -> tensor<7x7xf32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [1] : (tensor<8xf32>) -> tensor<7x8xf32>
    %14 = stablehlo.broadcast_in_dim %cst_4, dims = [1] : (tensor<8xf32>) -> tensor<7x8xf32>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [1] : (tensor<8xf32>) -> tensor<7x8xf32>
    %16 = stablehlo.broadcast_in_dim %cst_6, dims = [1] : (tensor<9xf32>) -> tensor<7x9xf32>
    %17 = stablehlo.broadcast_in_dim %cst_7, dims = [1] : (tensor<10xf32>) -> tensor<7x10xf32>
    %18 = stablehlo.broadcast_in_dim %cst_8, dims = [1] : (tensor<10xf32>) -> tensor<7x10xf32>
    %19 = stablehlo.broadcast_in_dim %cst_9, dims = [1] : (tensor<8xf32>) -> tensor<7x8xf32>
    %20 = stablehlo.broadcast_in_dim %cst_10, dims = [1] : (tensor<9xf32>) -> tensor<7x9xf32>
    %21 = stablehlo.broadcast_in_dim %cst_11, dims = [1] : (tensor<6xf32>) -> tensor<7x6xf32>
    %22 = stablehlo.broadcast_in_dim %cst_12, dims = [1] : (tensor<6xf32>) -> tensor<7x6xf32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %24 = stablehlo.compare EQ, %8, %23, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %26 = stablehlo.select %25, %9, %9 : tensor<7x9xi1>, tensor<7x9xf32>
    %27 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %28 = stablehlo.select %27, %10, %10 : tensor<7x10xi1>, tensor<7x10xf32>
    %29 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %30 = stablehlo.select %29, %11, %11 : tensor<7x6xi1>, tensor<7x6xf32>
    %31 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x7xi1>
    %32 = stablehlo.select %31, %12, %12 : tensor<7x7xi1>, tensor<7x7xf32>
    %33 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %34 = stablehlo.select %33, %13, %13 : tensor<7x8xi1>, tensor<7x8xf32>
    %35 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %36 = stablehlo.select %35, %14, %14 : tensor<7x8xi1>, tensor<7x8xf32>
    %37 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %38 = stablehlo.select %37, %15, %15 : tensor<7x8xi1>, tensor<7x8xf32>
    %39 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %40 = stablehlo.select %39, %16, %16 : tensor<7x9xi1>, tensor<7x9xf32>
    %41 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %42 = stablehlo.select %41, %17, %17 : tensor<7x10xi1>, tensor<7x10xf32>
    %43 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %44 = stablehlo.select %43, %18, %18 : tensor<7x10xi1>, tensor<7x10xf32>
    %45 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %46 = stablehlo.select %45, %19, %19 : tensor<7x8xi1>, tensor<7x8xf32>
    %47 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %48 = stablehlo.select %47, %20, %20 : tensor<7x9xi1>, tensor<7x9xf32>
    %49 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %50 = stablehlo.select %49, %21, %21 : tensor<7x6xi1>, tensor<7x6xf32>
    %51 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %52 = stablehlo.select %51, %22, %22 : tensor<7x6xi1>, tensor<7x6xf32>
    %53 = stablehlo.select %24, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %55 = stablehlo.divide %54, %53 : tensor<7xf32>
    %56 = call @polyval(%26, %55) : (tensor<7x9xf32>, tensor<7xf32>) -> tensor<7xf32>
    %57 = call @polyval_5(%28, %55) : (tensor<7x10xf32>, tensor<7xf32>) -> tensor<7xf32>
    %58 = stablehlo.divide %56, %57 : tensor<7xf32>
    %59 = stablehlo.multiply %55, %58 : tensor<7xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %61 = stablehlo.add %59, %60 : tensor<7xf32>
    %62 = stablehlo.exponential %53 : tensor<7xf32>
    %63 = stablehlo.multiply %62, %55 : tensor<7xf32>
    %64 = stablehlo.multiply %63, %61 : tensor<7xf32>
    %c_18 = stablehlo.constant dense<1> : tensor<i32>
    %65 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %66 = stablehlo.compare EQ, %8, %65, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %68 = stablehlo.select %67, %9, %9 : tensor<7x9xi1>, tensor<7x9xf32>
    %69 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %70 = stablehlo.select %69, %10, %10 : tensor<7x10xi1>, tensor<7x10xf32>
    %71 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %72 = stablehlo.select %71, %11, %11 : tensor<7x6xi1>, tensor<7x6xf32>
    %73 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x7xi1>
    %74 = stablehlo.select %73, %12, %12 : tensor<7x7xi1>, tensor<7x7xf32>
    %75 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %76 = stablehlo.select %75, %13, %13 : tensor<7x8xi1>, tensor<7x8xf32>
    %77 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %78 = stablehlo.select %77, %14, %14 : tensor<7x8xi1>, tensor<7x8xf32>
    %79 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %80 = stablehlo.select %79, %15, %15 : tensor<7x8xi1>, tensor<7x8xf32>
    %81 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %82 = stablehlo.select %81, %16, %16 : tensor<7x9xi1>, tensor<7x9xf32>
    %83 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %84 = stablehlo.select %83, %17, %17 : tensor<7x10xi1>, tensor<7x10xf32>
    %85 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %86 = stablehlo.select %85, %18, %18 : tensor<7x10xi1>, tensor<7x10xf32>
    %87 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %88 = stablehlo.select %87, %19, %19 : tensor<7x8xi1>, tensor<7x8xf32>
    %89 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %90 = stablehlo.select %89, %20, %20 : tensor<7x9xi1>, tensor<7x9xf32>
    %91 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %92 = stablehlo.select %91, %21, %21 : tensor<7x6xi1>, tensor<7x6xf32>
    %93 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %94 = stablehlo.select %93, %22, %22 : tensor<7x6xi1>, tensor<7x6xf32>
    %95 = stablehlo.select %66, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %96 = call @polyval_7(%72, %95) : (tensor<7x6xf32>, tensor<7xf32>) -> tensor<7xf32>
    %97 = call @polyval_9(%74, %95) : (tensor<7x7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %98 = stablehlo.divide %96, %97 : tensor<7xf32>
    %99 = stablehlo.multiply %95, %98 : tensor<7xf32>
    %cst_19 = stablehlo.constant dense<0.577215672> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %101 = stablehlo.add %99, %100 : tensor<7xf32>
    %102 = stablehlo.log %95 : tensor<7xf32>
    %103 = stablehlo.add %101, %102 : tensor<7xf32>
    %c_20 = stablehlo.constant dense<2> : tensor<i32>
    %104 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %105 = stablehlo.compare EQ, %8, %104, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %107 = stablehlo.select %106, %9, %9 : tensor<7x9xi1>, tensor<7x9xf32>
    %108 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %109 = stablehlo.select %108, %10, %10 : tensor<7x10xi1>, tensor<7x10xf32>
    %110 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %111 = stablehlo.select %110, %11, %11 : tensor<7x6xi1>, tensor<7x6xf32>
    %112 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x7xi1>
    %113 = stablehlo.select %112, %12, %12 : tensor<7x7xi1>, tensor<7x7xf32>
    %114 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %115 = stablehlo.select %114, %13, %13 : tensor<7x8xi1>, tensor<7x8xf32>
    %116 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %117 = stablehlo.select %116, %14, %14 : tensor<7x8xi1>, tensor<7x8xf32>
    %118 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %119 = stablehlo.select %118, %15, %15 : tensor<7x8xi1>, tensor<7x8xf32>
    %120 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %121 = stablehlo.select %120, %16, %16 : tensor<7x9xi1>, tensor<7x9xf32>
    %122 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %123 = stablehlo.select %122, %17, %17 : tensor<7x10xi1>, tensor<7x10xf32>
    %124 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %125 = stablehlo.select %124, %18, %18 : tensor<7x10xi1>, tensor<7x10xf32>
    %126 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %127 = stablehlo.select %126, %19, %19 : tensor<7x8xi1>, tensor<7x8xf32>
    %128 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %129 = stablehlo.select %128, %20, %20 : tensor<7x9xi1>, tensor<7x9xf32>
    %130 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %131 = stablehlo.select %130, %21, %21 : tensor<7x6xi1>, tensor<7x6xf32>
    %132 = stablehlo.broadcast_in_dim %105, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %133 = stablehlo.select %132, %22, %22 : tensor<7x6xi1>, tensor<7x6xf32>
    %134 = stablehlo.select %105, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %136 = stablehlo.divide %135, %134 : tensor<7xf32>
    %137 = call @polyval_11(%115, %136) : (tensor<7x8xf32>, tensor<7xf32>) -> tensor<7xf32>
    %138 = call @polyval_11(%117, %136) : (tensor<7x8xf32>, tensor<7xf32>) -> tensor<7xf32>
    %139 = stablehlo.divide %137, %138 : tensor<7xf32>
    %140 = stablehlo.multiply %136, %139 : tensor<7xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %142 = stablehlo.add %140, %141 : tensor<7xf32>
    %143 = stablehlo.exponential %134 : tensor<7xf32>
    %144 = stablehlo.multiply %143, %136 : tensor<7xf32>
    %145 = stablehlo.multiply %144, %142 : tensor<7xf32>
    %c_23 = stablehlo.constant dense<3> : tensor<i32>
    %146 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %147 = stablehlo.compare EQ, %8, %146, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %148 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %149 = stablehlo.select %148, %9, %9 : tensor<7x9xi1>, tensor<7x9xf32>
    %150 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %151 = stablehlo.select %150, %10, %10 : tensor<7x10xi1>, tensor<7x10xf32>
    %152 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %153 = stablehlo.select %152, %11, %11 : tensor<7x6xi1>, tensor<7x6xf32>
    %154 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x7xi1>
    %155 = stablehlo.select %154, %12, %12 : tensor<7x7xi1>, tensor<7x7xf32>
    %156 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %157 = stablehlo.select %156, %13, %13 : tensor<7x8xi1>, tensor<7x8xf32>
    %158 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %159 = stablehlo.select %158, %14, %14 : tensor<7x8xi1>, tensor<7x8xf32>
    %160 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %161 = stablehlo.select %160, %15, %15 : tensor<7x8xi1>, tensor<7x8xf32>
    %162 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %163 = stablehlo.select %162, %16, %16 : tensor<7x9xi1>, tensor<7x9xf32>
    %164 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %165 = stablehlo.select %164, %17, %17 : tensor<7x10xi1>, tensor<7x10xf32>
    %166 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %167 = stablehlo.select %166, %18, %18 : tensor<7x10xi1>, tensor<7x10xf32>
    %168 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %169 = stablehlo.select %168, %19, %19 : tensor<7x8xi1>, tensor<7x8xf32>
    %170 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %171 = stablehlo.select %170, %20, %20 : tensor<7x9xi1>, tensor<7x9xf32>
    %172 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %173 = stablehlo.select %172, %21, %21 : tensor<7x6xi1>, tensor<7x6xf32>
    %174 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %175 = stablehlo.select %174, %22, %22 : tensor<7x6xi1>, tensor<7x6xf32>
    %176 = stablehlo.select %147, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %178 = stablehlo.divide %177, %176 : tensor<7xf32>
    %179 = call @polyval_11(%161, %178) : (tensor<7x8xf32>, tensor<7xf32>) -> tensor<7xf32>
    %180 = call @polyval(%163, %178) : (tensor<7x9xf32>, tensor<7xf32>) -> tensor<7xf32>
    %181 = stablehlo.divide %179, %180 : tensor<7xf32>
    %182 = stablehlo.multiply %178, %181 : tensor<7xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %184 = stablehlo.add %182, %183 : tensor<7xf32>
    %185 = stablehlo.exponential %176 : tensor<7xf32>
    %186 = stablehlo.multiply %185, %178 : tensor<7xf32>
    %187 = stablehlo.multiply %186, %184 : tensor<7xf32>
    %c_26 = stablehlo.constant dense<4> : tensor<i32>
    %188 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %189 = stablehlo.compare EQ, %8, %188, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %191 = stablehlo.select %190, %9, %9 : tensor<7x9xi1>, tensor<7x9xf32>
    %192 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %193 = stablehlo.select %192, %10, %10 : tensor<7x10xi1>, tensor<7x10xf32>
    %194 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %195 = stablehlo.select %194, %11, %11 : tensor<7x6xi1>, tensor<7x6xf32>
    %196 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x7xi1>
    %197 = stablehlo.select %196, %12, %12 : tensor<7x7xi1>, tensor<7x7xf32>
    %198 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %199 = stablehlo.select %198, %13, %13 : tensor<7x8xi1>, tensor<7x8xf32>
    %200 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %201 = stablehlo.select %200, %14, %14 : tensor<7x8xi1>, tensor<7x8xf32>
    %202 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %203 = stablehlo.select %202, %15, %15 : tensor<7x8xi1>, tensor<7x8xf32>
    %204 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %205 = stablehlo.select %204, %16, %16 : tensor<7x9xi1>, tensor<7x9xf32>
    %206 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %207 = stablehlo.select %206, %17, %17 : tensor<7x10xi1>, tensor<7x10xf32>
    %208 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %209 = stablehlo.select %208, %18, %18 : tensor<7x10xi1>, tensor<7x10xf32>
    %210 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %211 = stablehlo.select %210, %19, %19 : tensor<7x8xi1>, tensor<7x8xf32>
    %212 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %213 = stablehlo.select %212, %20, %20 : tensor<7x9xi1>, tensor<7x9xf32>
    %214 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %215 = stablehlo.select %214, %21, %21 : tensor<7x6xi1>, tensor<7x6xf32>
    %216 = stablehlo.broadcast_in_dim %189, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %217 = stablehlo.select %216, %22, %22 : tensor<7x6xi1>, tensor<7x6xf32>
    %218 = stablehlo.select %189, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %219 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %220 = stablehlo.divide %219, %218 : tensor<7xf32>
    %221 = call @polyval_5(%207, %220) : (tensor<7x10xf32>, tensor<7xf32>) -> tensor<7xf32>
    %222 = call @polyval_5(%209, %220) : (tensor<7x10xf32>, tensor<7xf32>) -> tensor<7xf32>
    %223 = stablehlo.divide %221, %222 : tensor<7xf32>
    %224 = stablehlo.multiply %220, %223 : tensor<7xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %226 = stablehlo.add %224, %225 : tensor<7xf32>
    %227 = stablehlo.exponential %218 : tensor<7xf32>
    %228 = stablehlo.multiply %227, %220 : tensor<7xf32>
    %229 = stablehlo.multiply %228, %226 : tensor<7xf32>
    %c_29 = stablehlo.constant dense<5> : tensor<i32>
    %230 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %231 = stablehlo.compare EQ, %8, %230, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %232 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %233 = stablehlo.select %232, %9, %9 : tensor<7x9xi1>, tensor<7x9xf32>
    %234 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %235 = stablehlo.select %234, %10, %10 : tensor<7x10xi1>, tensor<7x10xf32>
    %236 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %237 = stablehlo.select %236, %11, %11 : tensor<7x6xi1>, tensor<7x6xf32>
    %238 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x7xi1>
    %239 = stablehlo.select %238, %12, %12 : tensor<7x7xi1>, tensor<7x7xf32>
    %240 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %241 = stablehlo.select %240, %13, %13 : tensor<7x8xi1>, tensor<7x8xf32>
    %242 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %243 = stablehlo.select %242, %14, %14 : tensor<7x8xi1>, tensor<7x8xf32>
    %244 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %245 = stablehlo.select %244, %15, %15 : tensor<7x8xi1>, tensor<7x8xf32>
    %246 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %247 = stablehlo.select %246, %16, %16 : tensor<7x9xi1>, tensor<7x9xf32>
    %248 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %249 = stablehlo.select %248, %17, %17 : tensor<7x10xi1>, tensor<7x10xf32>
    %250 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %251 = stablehlo.select %250, %18, %18 : tensor<7x10xi1>, tensor<7x10xf32>
    %252 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %253 = stablehlo.select %252, %19, %19 : tensor<7x8xi1>, tensor<7x8xf32>
    %254 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %255 = stablehlo.select %254, %20, %20 : tensor<7x9xi1>, tensor<7x9xf32>
    %256 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %257 = stablehlo.select %256, %21, %21 : tensor<7x6xi1>, tensor<7x6xf32>
    %258 = stablehlo.broadcast_in_dim %231, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %259 = stablehlo.select %258, %22, %22 : tensor<7x6xi1>, tensor<7x6xf32>
    %260 = stablehlo.select %231, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %262 = stablehlo.divide %261, %260 : tensor<7xf32>
    %263 = call @polyval_11(%253, %262) : (tensor<7x8xf32>, tensor<7xf32>) -> tensor<7xf32>
    %264 = call @polyval(%255, %262) : (tensor<7x9xf32>, tensor<7xf32>) -> tensor<7xf32>
    %265 = stablehlo.divide %263, %264 : tensor<7xf32>
    %266 = stablehlo.multiply %262, %265 : tensor<7xf32>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %267 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %268 = stablehlo.add %266, %267 : tensor<7xf32>
    %269 = stablehlo.exponential %260 : tensor<7xf32>
    %270 = stablehlo.multiply %269, %262 : tensor<7xf32>
    %271 = stablehlo.multiply %270, %268 : tensor<7xf32>
    %c_32 = stablehlo.constant dense<6> : tensor<i32>
    %272 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %273 = stablehlo.compare EQ, %8, %272, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %274 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %275 = stablehlo.select %274, %9, %9 : tensor<7x9xi1>, tensor<7x9xf32>
    %276 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %277 = stablehlo.select %276, %10, %10 : tensor<7x10xi1>, tensor<7x10xf32>
    %278 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %279 = stablehlo.select %278, %11, %11 : tensor<7x6xi1>, tensor<7x6xf32>
    %280 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x7xi1>
    %281 = stablehlo.select %280, %12, %12 : tensor<7x7xi1>, tensor<7x7xf32>
    %282 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %283 = stablehlo.select %282, %13, %13 : tensor<7x8xi1>, tensor<7x8xf32>
    %284 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %285 = stablehlo.select %284, %14, %14 : tensor<7x8xi1>, tensor<7x8xf32>
    %286 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %287 = stablehlo.select %286, %15, %15 : tensor<7x8xi1>, tensor<7x8xf32>
    %288 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %289 = stablehlo.select %288, %16, %16 : tensor<7x9xi1>, tensor<7x9xf32>
    %290 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %291 = stablehlo.select %290, %17, %17 : tensor<7x10xi1>, tensor<7x10xf32>
    %292 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x10xi1>
    %293 = stablehlo.select %292, %18, %18 : tensor<7x10xi1>, tensor<7x10xf32>
    %294 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x8xi1>
    %295 = stablehlo.select %294, %19, %19 : tensor<7x8xi1>, tensor<7x8xf32>
    %296 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x9xi1>
    %297 = stablehlo.select %296, %20, %20 : tensor<7x9xi1>, tensor<7x9xf32>
    %298 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %299 = stablehlo.select %298, %21, %21 : tensor<7x6xi1>, tensor<7x6xf32>
    %300 = stablehlo.broadcast_in_dim %273, dims = [0] : (tensor<7xi1>) -> tensor<7x6xi1>
    %301 = stablehlo.select %300, %22, %22 : tensor<7x6xi1>, tensor<7x6xf32>
    %302 = stablehlo.select %273, %arg0, %arg0 : tensor<7xi1>, tensor<7xf32>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %303 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %304 = stablehlo.divide %303, %302 : tensor<7xf32>
    %305 = call @polyval_7(%299, %304) : (tensor<7x6xf32>, tensor<7xf32>) -> tensor<7xf32>
    %306 = call @polyval_7(%301, %304) : (tensor<7x6xf32>, tensor<7xf32>) -> tensor<7xf32>
    %307 = stablehlo.divide %305, %306 : tensor<7xf32>
    %308 = stablehlo.multiply %304, %307 : tensor<7xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %310 = stablehlo.add %308, %309 : tensor<7xf32>
    %311 = stablehlo.exponential %302 : tensor<7xf32>
    %312 = stablehlo.multiply %311, %304 : tensor<7xf32>
    %313 = stablehlo.multiply %312, %310 : tensor<7xf32>
    %c_35 = stablehlo.constant dense<3> : tensor<i32>
    %314 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %315 = stablehlo.compare LT, %8, %314, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_36 = stablehlo.constant dense<1> : tensor<i32>
    %316 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %317 = stablehlo.compare LT, %8, %316, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_37 = stablehlo.constant dense<2> : tensor<i32>
    %318 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %319 = stablehlo.compare LT, %8, %318, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %320 = stablehlo.select %319, %103, %145 : tensor<7xi1>, tensor<7xf32>
    %321 = stablehlo.select %317, %64, %320 : tensor<7xi1>, tensor<7xf32>
    %c_38 = stablehlo.constant dense<5> : tensor<i32>
    %322 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %323 = stablehlo.compare LT, %8, %322, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_39 = stablehlo.constant dense<4> : tensor<i32>
    %324 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %325 = stablehlo.compare LT, %8, %324, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %326 = stablehlo.select %325, %187, %229 : tensor<7xi1>, tensor<7xf32>
    %c_40 = stablehlo.constant dense<6> : tensor<i32>
    %327 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %328 = stablehlo.compare LT, %8, %327, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %329 = stablehlo.select %328, %271, %313 : tensor<7xi1>, tensor<7xf32>
    %330 = stablehlo.select %323, %326, %329 : tensor<7xi1>, tensor<7xf32>
    %331 = stablehlo.select %315, %321, %330 : tensor<7xi1>, tensor<7xf32>
    return %331 : tensor<7xf32>
  }
  func.func private @cumsum_2(%arg0: tensor<7x7xi1>) -> tensor<7x7xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<7x7xi1>) -> tensor<7x7xi32>
    %1 = call @cumsum_3(%0) : (tensor<7x7xi32>) -> tensor<7x7xi32>
    return %1 : tensor<7x7xi32>
  }
  func.func private @cumsum_3(%arg0: tensor<7x7xi32>) -> tensor<7x7xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [6, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 7>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<7x7xi32>, tensor<i32>) -> tensor<7x7xi32>
    return %1 : tensor<7x7xi32>
  }
  func.func private @argmax_4(%arg0: tensor<7x7xi32>) -> tensor<7xi32> {
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
  func.func private @polyval(%arg0: tensor<7x9xf32>, %arg1: tensor<7xf32>) -> tensor<7xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<7x9xf32>) -> tensor<9x7xf32>
    %2 = stablehlo.slice %1 [0:0, 0:7] : (tensor<9x7xf32>) -> tensor<0x7xf32>
    %3 = stablehlo.slice %1 [0:9, 0:7] : (tensor<9x7xf32>) -> tensor<9x7xf32>
    %4 = stablehlo.slice %3 [0:1, 0:7] : (tensor<9x7xf32>) -> tensor<1x7xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x7xf32>) -> tensor<7xf32>
    %6 = call @closed_call(%arg1, %0, %5) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %7 = stablehlo.slice %3 [1:2, 0:7] : (tensor<9x7xf32>) -> tensor<1x7xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x7xf32>) -> tensor<7xf32>
    %9 = call @closed_call(%arg1, %6, %8) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %10 = stablehlo.slice %3 [2:3, 0:7] : (tensor<9x7xf32>) -> tensor<1x7xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x7xf32>) -> tensor<7xf32>
    %12 = call @closed_call(%arg1, %9, %11) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %13 = stablehlo.slice %3 [3:4, 0:7] : (tensor<9x7xf32>) -> tensor<1x7xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x7xf32>) -> tensor<7xf32>
    %15 = call @closed_call(%arg1, %12, %14) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %16 = stablehlo.slice %3 [4:5, 0:7] : (tensor<9x7xf32>) -> tensor<1x7xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x7xf32>) -> tensor<7xf32>
    %18 = call @closed_call(%arg1, %15, %17) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %19 = stablehlo.slice %3 [5:6, 0:7] : (tensor<9x7xf32>) -> tensor<1x7xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x7xf32>) -> tensor<7xf32>
    %21 = call @closed_call(%arg1, %18, %20) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %22 = stablehlo.slice %3 [6:7, 0:7] : (tensor<9x7xf32>) -> tensor<1x7xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x7xf32>) -> tensor<7xf32>
    %24 = call @closed_call(%arg1, %21, %23) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %25 = stablehlo.slice %3 [7:8, 0:7] : (tensor<9x7xf32>) -> tensor<1x7xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x7xf32>) -> tensor<7xf32>
    %27 = call @closed_call(%arg1, %24, %26) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %28 = stablehlo.slice %3 [8:9, 0:7] : (tensor<9x7xf32>) -> tensor<1x7xf32>
    %29 = stablehlo.reshape %28 : (tensor<1x7xf32>) -> tensor<7xf32>
    %30 = call @closed_call(%arg1, %27, %29) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    return %30 : tensor<7xf32>
  }
  func.func private @closed_call(%arg0: tensor<7xf32>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<7xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<7xf32>
    return %1 : tensor<7xf32>
  }
  func.func private @polyval_5(%arg0: tensor<7x10xf32>, %arg1: tensor<7xf32>) -> tensor<7xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<7x10xf32>) -> tensor<10x7xf32>
    %2 = stablehlo.slice %1 [0:0, 0:7] : (tensor<10x7xf32>) -> tensor<0x7xf32>
    %3 = stablehlo.slice %1 [0:10, 0:7] : (tensor<10x7xf32>) -> tensor<10x7xf32>
    %4 = stablehlo.slice %3 [0:1, 0:7] : (tensor<10x7xf32>) -> tensor<1x7xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x7xf32>) -> tensor<7xf32>
    %6 = call @closed_call_6(%arg1, %0, %5) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %7 = stablehlo.slice %3 [1:2, 0:7] : (tensor<10x7xf32>) -> tensor<1x7xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x7xf32>) -> tensor<7xf32>
    %9 = call @closed_call_6(%arg1, %6, %8) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %10 = stablehlo.slice %3 [2:3, 0:7] : (tensor<10x7xf32>) -> tensor<1x7xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x7xf32>) -> tensor<7xf32>
    %12 = call @closed_call_6(%arg1, %9, %11) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %13 = stablehlo.slice %3 [3:4, 0:7] : (tensor<10x7xf32>) -> tensor<1x7xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x7xf32>) -> tensor<7xf32>
    %15 = call @closed_call_6(%arg1, %12, %14) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %16 = stablehlo.slice %3 [4:5, 0:7] : (tensor<10x7xf32>) -> tensor<1x7xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x7xf32>) -> tensor<7xf32>
    %18 = call @closed_call_6(%arg1, %15, %17) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %19 = stablehlo.slice %3 [5:6, 0:7] : (tensor<10x7xf32>) -> tensor<1x7xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x7xf32>) -> tensor<7xf32>
    %21 = call @closed_call_6(%arg1, %18, %20) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %22 = stablehlo.slice %3 [6:7, 0:7] : (tensor<10x7xf32>) -> tensor<1x7xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x7xf32>) -> tensor<7xf32>
    %24 = call @closed_call_6(%arg1, %21, %23) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %25 = stablehlo.slice %3 [7:8, 0:7] : (tensor<10x7xf32>) -> tensor<1x7xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x7xf32>) -> tensor<7xf32>
    %27 = call @closed_call_6(%arg1, %24, %26) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %28 = stablehlo.slice %3 [8:9, 0:7] : (tensor<10x7xf32>) -> tensor<1x7xf32>
    %29 = stablehlo.reshape %28 : (tensor<1x7xf32>) -> tensor<7xf32>
    %30 = call @closed_call_6(%arg1, %27, %29) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %31 = stablehlo.slice %3 [9:10, 0:7] : (tensor<10x7xf32>) -> tensor<1x7xf32>
    %32 = stablehlo.reshape %31 : (tensor<1x7xf32>) -> tensor<7xf32>
    %33 = call @closed_call_6(%arg1, %30, %32) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    return %33 : tensor<7xf32>
  }
  func.func private @closed_call_6(%arg0: tensor<7xf32>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<7xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<7xf32>
    return %1 : tensor<7xf32>
  }
  func.func private @polyval_7(%arg0: tensor<7x6xf32>, %arg1: tensor<7xf32>) -> tensor<7xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<7x6xf32>) -> tensor<6x7xf32>
    %2 = stablehlo.slice %1 [0:0, 0:7] : (tensor<6x7xf32>) -> tensor<0x7xf32>
    %3 = stablehlo.slice %1 [0:6, 0:7] : (tensor<6x7xf32>) -> tensor<6x7xf32>
    %4 = stablehlo.slice %3 [0:1, 0:7] : (tensor<6x7xf32>) -> tensor<1x7xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x7xf32>) -> tensor<7xf32>
    %6 = call @closed_call_8(%arg1, %0, %5) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %7 = stablehlo.slice %3 [1:2, 0:7] : (tensor<6x7xf32>) -> tensor<1x7xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x7xf32>) -> tensor<7xf32>
    %9 = call @closed_call_8(%arg1, %6, %8) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %10 = stablehlo.slice %3 [2:3, 0:7] : (tensor<6x7xf32>) -> tensor<1x7xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x7xf32>) -> tensor<7xf32>
    %12 = call @closed_call_8(%arg1, %9, %11) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %13 = stablehlo.slice %3 [3:4, 0:7] : (tensor<6x7xf32>) -> tensor<1x7xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x7xf32>) -> tensor<7xf32>
    %15 = call @closed_call_8(%arg1, %12, %14) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %16 = stablehlo.slice %3 [4:5, 0:7] : (tensor<6x7xf32>) -> tensor<1x7xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x7xf32>) -> tensor<7xf32>
    %18 = call @closed_call_8(%arg1, %15, %17) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %19 = stablehlo.slice %3 [5:6, 0:7] : (tensor<6x7xf32>) -> tensor<1x7xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x7xf32>) -> tensor<7xf32>
    %21 = call @closed_call_8(%arg1, %18, %20) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    return %21 : tensor<7xf32>
  }
  func.func private @closed_call_8(%arg0: tensor<7xf32>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<7xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<7xf32>
    return %1 : tensor<7xf32>
  }
  func.func private @polyval_9(%arg0: tensor<7x7xf32>, %arg1: tensor<7xf32>) -> tensor<7xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<7x7xf32>) -> tensor<7x7xf32>
    %2 = stablehlo.slice %1 [0:0, 0:7] : (tensor<7x7xf32>) -> tensor<0x7xf32>
    %3 = stablehlo.slice %1 [0:7, 0:7] : (tensor<7x7xf32>) -> tensor<7x7xf32>
    %4 = stablehlo.slice %3 [0:1, 0:7] : (tensor<7x7xf32>) -> tensor<1x7xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x7xf32>) -> tensor<7xf32>
    %6 = call @closed_call_10(%arg1, %0, %5) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %7 = stablehlo.slice %3 [1:2, 0:7] : (tensor<7x7xf32>) -> tensor<1x7xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x7xf32>) -> tensor<7xf32>
    %9 = call @closed_call_10(%arg1, %6, %8) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %10 = stablehlo.slice %3 [2:3, 0:7] : (tensor<7x7xf32>) -> tensor<1x7xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x7xf32>) -> tensor<7xf32>
    %12 = call @closed_call_10(%arg1, %9, %11) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %13 = stablehlo.slice %3 [3:4, 0:7] : (tensor<7x7xf32>) -> tensor<1x7xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x7xf32>) -> tensor<7xf32>
    %15 = call @closed_call_10(%arg1, %12, %14) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %16 = stablehlo.slice %3 [4:5, 0:7] : (tensor<7x7xf32>) -> tensor<1x7xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x7xf32>) -> tensor<7xf32>
    %18 = call @closed_call_10(%arg1, %15, %17) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %19 = stablehlo.slice %3 [5:6, 0:7] : (tensor<7x7xf32>) -> tensor<1x7xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x7xf32>) -> tensor<7xf32>
    %21 = call @closed_call_10(%arg1, %18, %20) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %22 = stablehlo.slice %3 [6:7, 0:7] : (tensor<7x7xf32>) -> tensor<1x7xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x7xf32>) -> tensor<7xf32>
    %24 = call @closed_call_10(%arg1, %21, %23) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    return %24 : tensor<7xf32>
  }
  func.func private @closed_call_10(%arg0: tensor<7xf32>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<7xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<7xf32>
    return %1 : tensor<7xf32>
  }
  func.func private @polyval_11(%arg0: tensor<7x8xf32>, %arg1: tensor<7xf32>) -> tensor<7xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<7x8xf32>) -> tensor<8x7xf32>
    %2 = stablehlo.slice %1 [0:0, 0:7] : (tensor<8x7xf32>) -> tensor<0x7xf32>
    %3 = stablehlo.slice %1 [0:8, 0:7] : (tensor<8x7xf32>) -> tensor<8x7xf32>
    %4 = stablehlo.slice %3 [0:1, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x7xf32>) -> tensor<7xf32>
    %6 = call @closed_call_12(%arg1, %0, %5) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %7 = stablehlo.slice %3 [1:2, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x7xf32>) -> tensor<7xf32>
    %9 = call @closed_call_12(%arg1, %6, %8) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %10 = stablehlo.slice %3 [2:3, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x7xf32>) -> tensor<7xf32>
    %12 = call @closed_call_12(%arg1, %9, %11) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %13 = stablehlo.slice %3 [3:4, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x7xf32>) -> tensor<7xf32>
    %15 = call @closed_call_12(%arg1, %12, %14) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %16 = stablehlo.slice %3 [4:5, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x7xf32>) -> tensor<7xf32>
    %18 = call @closed_call_12(%arg1, %15, %17) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %19 = stablehlo.slice %3 [5:6, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x7xf32>) -> tensor<7xf32>
    %21 = call @closed_call_12(%arg1, %18, %20) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %22 = stablehlo.slice %3 [6:7, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x7xf32>) -> tensor<7xf32>
    %24 = call @closed_call_12(%arg1, %21, %23) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %25 = stablehlo.slice %3 [7:8, 0:7] : (tensor<8x7xf32>) -> tensor<1x7xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x7xf32>) -> tensor<7xf32>
    %27 = call @closed_call_12(%arg1, %24, %26) : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    return %27 : tensor<7xf32>
  }
  func.func private @closed_call_12(%arg0: tensor<7xf32>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<7xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<7xf32>
    return %1 : tensor<7xf32>
  }
  func.func private @expn(%arg0: tensor<i32>, %arg1: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
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
    %39 = call @_piecewise_13(%arg1, %38, %cst_11, %cst_12, %27, %30, %0) : (tensor<7xf32>, tensor<7x6xi1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
    return %39 : tensor<7xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @_piecewise_13(%arg0: tensor<7xf32>, %arg1: tensor<7x6xi1>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<7xf32>, %arg6: tensor<f32>) -> tensor<7xf32> {
    %0 = stablehlo.slice %arg1 [0:7, 0:1] : (tensor<7x6xi1>) -> tensor<7x1xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<1xi1>) -> tensor<7x1xi1>
    %3 = stablehlo.concatenate %2, %arg1, dim = 1 : (tensor<7x1xi1>, tensor<7x6xi1>) -> tensor<7x7xi1>
    %4 = call @cumsum_2(%3) : (tensor<7x7xi1>) -> tensor<7x7xi32>
    %5 = call @argmax_4(%4) : (tensor<7x7xi32>) -> tensor<7xi32>
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
    %28 = call @_where_14(%27, %cst_5, %15) : (tensor<7xi1>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
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
    %38 = call @_where_14(%33, %cst_10, %37) : (tensor<7xi1>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
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
      %170 = func.call @_where_15(%168, %169, %cst_47) : (tensor<7xi1>, tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
      %171 = stablehlo.add %iterArg_38, %170 : tensor<7xf32>
      %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %172 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %173 = stablehlo.compare NE, %171, %172, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %174 = stablehlo.divide %164, %171 : tensor<7xf32>
      %175 = stablehlo.abs %174 : tensor<7xf32>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %176 = func.call @_where_15(%173, %175, %cst_49) : (tensor<7xi1>, tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
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
      %166 = func.call @_where_14(%165, %cst_50, %iterArg_46) : (tensor<7xi1>, tensor<f32>, tensor<7xf32>) -> tensor<7xf32>
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
      %174 = func.call @_where_16(%165, %171, %173) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
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
      %184 = func.call @_where_16(%182, %183, %iterArg_44) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %185 = stablehlo.subtract %iterArg_38, %184 : tensor<7xf32>
      %186 = stablehlo.divide %185, %184 : tensor<7xf32>
      %187 = stablehlo.abs %186 : tensor<7xf32>
      %cst_55 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %188 = func.call @_where_15(%182, %187, %cst_55) : (tensor<7xi1>, tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
      %189 = func.call @_where_16(%182, %184, %iterArg_38) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %190 = stablehlo.abs %177 : tensor<7xf32>
      %cst_56 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %191 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %192 = stablehlo.compare GT, %190, %191, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %cst_57 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %193 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %194 = stablehlo.divide %177, %193 : tensor<7xf32>
      %195 = func.call @_where_16(%192, %194, %177) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %cst_58 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %196 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %197 = stablehlo.divide %iterArg_40, %196 : tensor<7xf32>
      %198 = func.call @_where_16(%192, %197, %iterArg_40) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %cst_59 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %199 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %200 = stablehlo.divide %180, %199 : tensor<7xf32>
      %201 = func.call @_where_16(%192, %200, %180) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %cst_60 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %202 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %203 = stablehlo.divide %iterArg_42, %202 : tensor<7xf32>
      %204 = func.call @_where_16(%192, %203, %iterArg_42) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
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
  func.func private @_where_14(%arg0: tensor<7xi1>, %arg1: tensor<f32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<7xi1>, tensor<7xf32>
    return %1 : tensor<7xf32>
  }
  func.func private @_where_15(%arg0: tensor<7xi1>, %arg1: tensor<7xf32>, %arg2: tensor<f32>) -> tensor<7xf32> {
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
  func.func private @_where_16(%arg0: tensor<7xi1>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<7xi1>, tensor<7xf32>
    return %0 : tensor<7xf32>
  }
  func.func private @hyp1f1(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %1 = stablehlo.convert %arg1 : tensor<f32>
    %2 = stablehlo.abs %arg2 : tensor<7xf32>
    %cst = stablehlo.constant dense<1.000000e+02> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %4 = stablehlo.compare LT, %2, %3, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %5 = stablehlo.convert %4 : (tensor<7xi1>) -> tensor<7xi32>
    %6 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %7 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %9 = stablehlo.compare EQ, %5, %8, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %10 = stablehlo.select %9, %6, %6 : tensor<7xi1>, tensor<7xf32>
    %11 = stablehlo.select %9, %7, %7 : tensor<7xi1>, tensor<7xf32>
    %12 = stablehlo.select %9, %arg2, %arg2 : tensor<7xi1>, tensor<7xf32>
    %13 = stablehlo.subtract %11, %10 : tensor<7xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %15 = stablehlo.subtract %14, %10 : tensor<7xf32>
    %16 = stablehlo.multiply %13, %15 : tensor<7xf32>
    %17 = stablehlo.divide %16, %12 : tensor<7xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %20:6 = stablehlo.while(%iterArg = %11, %iterArg_19 = %10, %iterArg_20 = %12, %iterArg_21 = %18, %iterArg_22 = %19, %iterArg_23 = %17) : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xi32>, tensor<7xf32>
    cond {
      %c_24 = stablehlo.constant dense<250> : tensor<i32>
      %76 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<7xi32>
      %77 = stablehlo.compare LT, %iterArg_22, %76, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
      %78 = stablehlo.abs %iterArg_23 : tensor<7xf32>
      %79 = stablehlo.abs %iterArg_21 : tensor<7xf32>
      %80 = stablehlo.divide %78, %79 : tensor<7xf32>
      %cst_25 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %81 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %82 = stablehlo.compare GT, %80, %81, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %c_26 = stablehlo.constant dense<false> : tensor<i1>
      %83 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i1>) -> tensor<7xi1>
      %84 = stablehlo.compare NE, %77, %83, UNSIGNED : (tensor<7xi1>, tensor<7xi1>) -> tensor<7xi1>
      %85 = stablehlo.convert %84 : tensor<7xi1>
      %86 = stablehlo.and %85, %82 : tensor<7xi1>
      %c_27 = stablehlo.constant dense<false> : tensor<i1>
      %87 = stablehlo.reduce(%86 init: %c_27) applies stablehlo.or across dimensions = [0] : (tensor<7xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %87 : tensor<i1>
    } do {
      %76 = stablehlo.add %iterArg_21, %iterArg_23 : tensor<7xf32>
      %77 = stablehlo.subtract %iterArg, %iterArg_19 : tensor<7xf32>
      %78 = stablehlo.convert %iterArg_22 : (tensor<7xi32>) -> tensor<7xf32>
      %79 = stablehlo.add %77, %78 : tensor<7xf32>
      %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %80 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %81 = stablehlo.subtract %80, %iterArg_19 : tensor<7xf32>
      %82 = stablehlo.convert %iterArg_22 : (tensor<7xi32>) -> tensor<7xf32>
      %83 = stablehlo.add %81, %82 : tensor<7xf32>
      %84 = stablehlo.multiply %79, %83 : tensor<7xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %85 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<7xi32>
      %86 = stablehlo.add %iterArg_22, %85 : tensor<7xi32>
      %87 = stablehlo.convert %86 : (tensor<7xi32>) -> tensor<7xf32>
      %88 = stablehlo.divide %84, %87 : tensor<7xf32>
      %89 = stablehlo.divide %88, %iterArg_20 : tensor<7xf32>
      %90 = stablehlo.multiply %iterArg_23, %89 : tensor<7xf32>
      %c_26 = stablehlo.constant dense<1> : tensor<i32>
      %91 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<7xi32>
      %92 = stablehlo.add %iterArg_22, %91 : tensor<7xi32>
      %c_27 = stablehlo.constant dense<250> : tensor<i32>
      %93 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<7xi32>
      %94 = stablehlo.compare LT, %iterArg_22, %93, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
      %95 = stablehlo.abs %iterArg_23 : tensor<7xf32>
      %96 = stablehlo.abs %iterArg_21 : tensor<7xf32>
      %97 = stablehlo.divide %95, %96 : tensor<7xf32>
      %cst_28 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %98 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %99 = stablehlo.compare GT, %97, %98, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %c_29 = stablehlo.constant dense<false> : tensor<i1>
      %100 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i1>) -> tensor<7xi1>
      %101 = stablehlo.compare NE, %94, %100, UNSIGNED : (tensor<7xi1>, tensor<7xi1>) -> tensor<7xi1>
      %102 = stablehlo.convert %101 : tensor<7xi1>
      %103 = stablehlo.and %102, %99 : tensor<7xi1>
      %104 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %105 = stablehlo.select %104, %76, %iterArg_21 : tensor<7xi1>, tensor<7xf32>
      %106 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %107 = stablehlo.select %106, %92, %iterArg_22 : tensor<7xi1>, tensor<7xi32>
      %108 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %109 = stablehlo.select %108, %90, %iterArg_23 : tensor<7xi1>, tensor<7xf32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %105, %107, %109 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xi32>, tensor<7xf32>
    }
    %21 = call @gammasgn(%11) : (tensor<7xf32>) -> tensor<7xf32>
    %22 = chlo.lgamma %11 : tensor<7xf32> -> tensor<7xf32>
    %23 = stablehlo.exponential %22 : tensor<7xf32>
    %24 = stablehlo.multiply %21, %23 : tensor<7xf32>
    %25 = call @gammasgn(%10) : (tensor<7xf32>) -> tensor<7xf32>
    %26 = chlo.lgamma %10 : tensor<7xf32> -> tensor<7xf32>
    %27 = stablehlo.exponential %26 : tensor<7xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<7xf32>
    %29 = stablehlo.divide %24, %28 : tensor<7xf32>
    %30 = stablehlo.exponential %12 : tensor<7xf32>
    %31 = stablehlo.multiply %29, %30 : tensor<7xf32>
    %32 = stablehlo.subtract %10, %11 : tensor<7xf32>
    %33 = stablehlo.power %12, %32 : tensor<7xf32>
    %34 = stablehlo.multiply %31, %33 : tensor<7xf32>
    %35 = stablehlo.multiply %34, %20#3 : tensor<7xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %37 = stablehlo.compare EQ, %5, %36, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %38 = stablehlo.select %37, %6, %6 : tensor<7xi1>, tensor<7xf32>
    %39 = stablehlo.select %37, %7, %7 : tensor<7xi1>, tensor<7xf32>
    %40 = stablehlo.select %37, %arg2, %arg2 : tensor<7xi1>, tensor<7xf32>
    %41 = stablehlo.divide %38, %39 : tensor<7xf32>
    %42 = stablehlo.multiply %41, %40 : tensor<7xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %44 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %45:6 = stablehlo.while(%iterArg = %38, %iterArg_19 = %39, %iterArg_20 = %40, %iterArg_21 = %43, %iterArg_22 = %44, %iterArg_23 = %42) : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xi32>, tensor<7xf32>
    cond {
      %c_24 = stablehlo.constant dense<250> : tensor<i32>
      %76 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<7xi32>
      %77 = stablehlo.compare LT, %iterArg_22, %76, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
      %78 = stablehlo.abs %iterArg_23 : tensor<7xf32>
      %79 = stablehlo.abs %iterArg_21 : tensor<7xf32>
      %80 = stablehlo.divide %78, %79 : tensor<7xf32>
      %cst_25 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %81 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %82 = stablehlo.compare GT, %80, %81, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %c_26 = stablehlo.constant dense<false> : tensor<i1>
      %83 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i1>) -> tensor<7xi1>
      %84 = stablehlo.compare NE, %77, %83, UNSIGNED : (tensor<7xi1>, tensor<7xi1>) -> tensor<7xi1>
      %85 = stablehlo.convert %84 : tensor<7xi1>
      %86 = stablehlo.and %85, %82 : tensor<7xi1>
      %c_27 = stablehlo.constant dense<false> : tensor<i1>
      %87 = stablehlo.reduce(%86 init: %c_27) applies stablehlo.or across dimensions = [0] : (tensor<7xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %87 : tensor<i1>
    } do {
      %76 = stablehlo.add %iterArg_21, %iterArg_23 : tensor<7xf32>
      %77 = stablehlo.convert %iterArg_22 : (tensor<7xi32>) -> tensor<7xf32>
      %78 = stablehlo.add %iterArg, %77 : tensor<7xf32>
      %79 = stablehlo.convert %iterArg_22 : (tensor<7xi32>) -> tensor<7xf32>
      %80 = stablehlo.add %iterArg_19, %79 : tensor<7xf32>
      %81 = stablehlo.divide %78, %80 : tensor<7xf32>
      %82 = stablehlo.multiply %81, %iterArg_20 : tensor<7xf32>
      %c_24 = stablehlo.constant dense<1> : tensor<i32>
      %83 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<7xi32>
      %84 = stablehlo.add %iterArg_22, %83 : tensor<7xi32>
      %85 = stablehlo.convert %84 : (tensor<7xi32>) -> tensor<7xf32>
      %86 = stablehlo.divide %82, %85 : tensor<7xf32>
      %87 = stablehlo.multiply %iterArg_23, %86 : tensor<7xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %88 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<7xi32>
      %89 = stablehlo.add %iterArg_22, %88 : tensor<7xi32>
      %c_26 = stablehlo.constant dense<250> : tensor<i32>
      %90 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<7xi32>
      %91 = stablehlo.compare LT, %iterArg_22, %90, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
      %92 = stablehlo.abs %iterArg_23 : tensor<7xf32>
      %93 = stablehlo.abs %iterArg_21 : tensor<7xf32>
      %94 = stablehlo.divide %92, %93 : tensor<7xf32>
      %cst_27 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %95 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<7xf32>
      %96 = stablehlo.compare GT, %94, %95, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      %c_28 = stablehlo.constant dense<false> : tensor<i1>
      %97 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i1>) -> tensor<7xi1>
      %98 = stablehlo.compare NE, %91, %97, UNSIGNED : (tensor<7xi1>, tensor<7xi1>) -> tensor<7xi1>
      %99 = stablehlo.convert %98 : tensor<7xi1>
      %100 = stablehlo.and %99, %96 : tensor<7xi1>
      %101 = stablehlo.broadcast_in_dim %100, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %102 = stablehlo.select %101, %76, %iterArg_21 : tensor<7xi1>, tensor<7xf32>
      %103 = stablehlo.broadcast_in_dim %100, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %104 = stablehlo.select %103, %89, %iterArg_22 : tensor<7xi1>, tensor<7xi32>
      %105 = stablehlo.broadcast_in_dim %100, dims = [0] : (tensor<7xi1>) -> tensor<7xi1>
      %106 = stablehlo.select %105, %87, %iterArg_23 : tensor<7xi1>, tensor<7xf32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %102, %104, %106 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xi32>, tensor<7xf32>
    }
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %47 = stablehlo.compare LT, %5, %46, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %48 = stablehlo.select %47, %35, %45#3 : tensor<7xi1>, tensor<7xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.compare EQ, %0, %cst_7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %50 = stablehlo.convert %49 : (tensor<i1>) -> tensor<i32>
    %c_8 = stablehlo.constant dense<1> : tensor<i32>
    %51 = stablehlo.multiply %50, %c_8 : tensor<i32>
    %52 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.compare NE, %0, %cst_9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %54 = stablehlo.and %52, %53 : tensor<i1>
    %55 = stablehlo.convert %54 : (tensor<i1>) -> tensor<i32>
    %c_10 = stablehlo.constant dense<2> : tensor<i32>
    %56 = stablehlo.multiply %55, %c_10 : tensor<i32>
    %57 = stablehlo.add %51, %56 : tensor<i32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.compare EQ, %1, %cst_11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.compare NE, %0, %cst_12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %60 = stablehlo.and %58, %59 : tensor<i1>
    %61 = stablehlo.convert %60 : (tensor<i1>) -> tensor<i32>
    %c_13 = stablehlo.constant dense<3> : tensor<i32>
    %62 = stablehlo.multiply %61, %c_13 : tensor<i32>
    %63 = stablehlo.add %57, %62 : tensor<i32>
    %64 = stablehlo.exponential %arg2 : tensor<7xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_15 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %c_16 = stablehlo.constant dense<2> : tensor<i32>
    %67 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<i32>
    %68 = stablehlo.compare LT, %63, %67, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_17 = stablehlo.constant dense<1> : tensor<i32>
    %69 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<i32>
    %70 = stablehlo.compare LT, %63, %69, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %71 = stablehlo.select %70, %48, %65 : tensor<i1>, tensor<7xf32>
    %c_18 = stablehlo.constant dense<3> : tensor<i32>
    %72 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<i32>
    %73 = stablehlo.compare LT, %63, %72, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %74 = stablehlo.select %73, %64, %66 : tensor<i1>, tensor<7xf32>
    %75 = stablehlo.select %68, %71, %74 : tensor<i1>, tensor<7xf32>
    return %75 : tensor<7xf32>
  }
  func.func private @gammasgn(%arg0: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.floor %arg0 : tensor<7xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.compare LT, %arg0, %1, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %3 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %4 = stablehlo.and %2, %3 : tensor<7xi1>
    %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %6 = stablehlo.or %4, %5 : tensor<7xi1>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %7 = call @remainder_17(%0, %c) : (tensor<7xf32>, tensor<i32>) -> tensor<7xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %9 = stablehlo.compare NE, %7, %8, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %10 = stablehlo.and %2, %9 : tensor<7xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %12 = stablehlo.compare EQ, %arg0, %11, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %13 = call @signbit(%arg0) : (tensor<7xf32>) -> tensor<7xi1>
    %14 = stablehlo.and %12, %13 : tensor<7xi1>
    %15 = stablehlo.or %10, %14 : tensor<7xi1>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i1>) -> tensor<7xi1>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %18 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %19 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<7xi1>) -> tensor<7x1xi1>
    %20 = stablehlo.concatenate %17, %18, %19, dim = 1 : (tensor<7x1xi1>, tensor<7x1xi1>, tensor<7x1xi1>) -> tensor<7x3xi1>
    %21 = call @argmax_18(%20) : (tensor<7x3xi1>) -> tensor<7xi32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_5 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %26 = stablehlo.compare LT, %21, %25, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %28 = stablehlo.compare LT, %21, %27, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %29 = stablehlo.select %28, %23, %24 : tensor<7xi1>, tensor<7xf32>
    %30 = stablehlo.select %26, %22, %29 : tensor<7xi1>, tensor<7xf32>
    return %30 : tensor<7xf32>
  }
  func.func private @remainder_17(%arg0: tensor<7xf32>, %arg1: tensor<i32>) -> tensor<7xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<7xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<7xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<7xi1>, tensor<7xi1>) -> tensor<7xi1>
    %10 = stablehlo.and %9, %4 : tensor<7xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %12 = stablehlo.add %2, %11 : tensor<7xf32>
    %13 = stablehlo.select %10, %12, %2 : tensor<7xi1>, tensor<7xf32>
    return %13 : tensor<7xf32>
  }
  func.func private @signbit(%arg0: tensor<7xf32>) -> tensor<7xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<7xf32>) -> tensor<7xi32>
    %c = stablehlo.constant dense<31> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<7xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %5 = stablehlo.convert %4 : tensor<7xi1>
    return %5 : tensor<7xi1>
  }
  func.func private @argmax_18(%arg0: tensor<7x3xi1>) -> tensor<7xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<7x3xi32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<7x3xi1>, tensor<7x3xi32>, tensor<i1>, tensor<i32>) -> (tensor<7xi1>, tensor<7xi32>)
     reducer(%arg1: tensor<i1>, %arg3: tensor<i1>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i1>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i1>, tensor<i32>
    }
    return %1#1 : tensor<7xi32>
  }
}
