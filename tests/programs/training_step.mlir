module @jit_training_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x6xi32>, %arg1: tensor<11x8xf32>, %arg2: tensor<6x8xf32>, %arg3: tensor<8x24xf32>, %arg4: tensor<8x8xf32>, %arg5: tensor<8x32xf32>, %arg6: tensor<32x8xf32>, %arg7: tensor<8x24xf32>, %arg8: tensor<8x24xf32>, %arg9: tensor<f32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11x8xf32> {jax.result_info = "result[1][0]"}, tensor<8x24xf32> {jax.result_info = "result[1][1]"}, tensor<8x8xf32> {jax.result_info = "result[1][2]"}, tensor<8x32xf32> {jax.result_info = "result[1][3]"}, tensor<32x8xf32> {jax.result_info = "result[1][4]"}, tensor<8x24xf32> {jax.result_info = "result[2]"}, tensor<8x24xf32> {jax.result_info = "result[3]"}, tensor<8x24xf32> {jax.result_info = "result[4]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1x6xi32>
    %1 = stablehlo.compare LT, %arg0, %0, SIGNED : (tensor<1x6xi32>, tensor<1x6xi32>) -> tensor<1x6xi1>
    %c_0 = stablehlo.constant dense<11> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1x6xi32>
    %3 = stablehlo.add %arg0, %2 : tensor<1x6xi32>
    %4 = stablehlo.select %1, %3, %arg0 : tensor<1x6xi1>, tensor<1x6xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x6xi32>) -> tensor<1x6x1xi32>
    %6 = "stablehlo.gather"(%arg1, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<11x8xf32>, tensor<1x6x1xi32>) -> tensor<1x6x8xf32>
    %7 = stablehlo.broadcast_in_dim %arg2, dims = [1, 2] : (tensor<6x8xf32>) -> tensor<1x6x8xf32>
    %8 = stablehlo.add %6, %7 : tensor<1x6x8xf32>
    %9 = stablehlo.convert %8 : (tensor<1x6x8xf32>) -> tensor<1x6x8xbf16>
    %10 = stablehlo.convert %9 : (tensor<1x6x8xbf16>) -> tensor<1x6x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<1x6x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %16 = stablehlo.subtract %10, %15 : tensor<1x6x8xf32>
    %17 = stablehlo.multiply %16, %16 : tensor<1x6x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %21 = stablehlo.divide %19, %20 : tensor<1x6x1xf32>
    %cst_4 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %23 = stablehlo.add %21, %22 : tensor<1x6x1xf32>
    %24 = stablehlo.rsqrt %23 : tensor<1x6x1xf32>
    %25 = stablehlo.divide %24, %23 : tensor<1x6x1xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %27 = stablehlo.multiply %26, %25 : tensor<1x6x1xf32>
    %28 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %29 = stablehlo.multiply %16, %28 : tensor<1x6x8xf32>
    %30 = stablehlo.convert %29 : (tensor<1x6x8xf32>) -> tensor<1x6x8xbf16>
    %31 = stablehlo.convert %arg3 : (tensor<8x24xf32>) -> tensor<8x24xbf16>
    %32 = stablehlo.dot_general %30, %31, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xbf16>, tensor<8x24xbf16>) -> tensor<1x6x24xbf16>
    %33 = stablehlo.slice %32 [0:1, 0:6, 0:8] : (tensor<1x6x24xbf16>) -> tensor<1x6x8xbf16>
    %34 = stablehlo.slice %32 [0:1, 0:6, 8:16] : (tensor<1x6x24xbf16>) -> tensor<1x6x8xbf16>
    %35 = stablehlo.slice %32 [0:1, 0:6, 16:24] : (tensor<1x6x24xbf16>) -> tensor<1x6x8xbf16>
    %36 = stablehlo.transpose %34, dims = [0, 2, 1] : (tensor<1x6x8xbf16>) -> tensor<1x8x6xbf16>
    %37 = stablehlo.reshape %33 : (tensor<1x6x8xbf16>) -> tensor<6x8xbf16>
    %38 = stablehlo.reshape %36 : (tensor<1x8x6xbf16>) -> tensor<8x6xbf16>
    %39 = stablehlo.dot_general %37, %38, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xbf16>, tensor<8x6xbf16>) -> tensor<6x6xbf16>
    %40 = stablehlo.broadcast_in_dim %39, dims = [1, 2] : (tensor<6x6xbf16>) -> tensor<1x6x6xbf16>
    %41 = stablehlo.convert %40 : (tensor<1x6x6xbf16>) -> tensor<1x6x6xf32>
    %cst_6 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<1x6x6xf32>
    %43 = stablehlo.multiply %41, %42 : tensor<1x6x6xf32>
    %c_7 = stablehlo.constant dense<true> : tensor<i1>
    %44 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %45 = call @tril(%44) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %46:3 = call @_where(%45, %43, %cst_8) : (tensor<6x6xi1>, tensor<1x6x6xf32>, tensor<f32>) -> (tensor<1x6x6xf32>, tensor<1x6x6xi1>, tensor<1x6x6xf32>)
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %47 = stablehlo.reduce(%46#0 init: %cst_9) applies stablehlo.maximum across dimensions = [2] : (tensor<1x6x6xf32>, tensor<f32>) -> tensor<1x6xf32>
    %48 = stablehlo.reshape %47 : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x6xf32>
    %50 = stablehlo.compare EQ, %46#0, %49, FLOAT : (tensor<1x6x6xf32>, tensor<1x6x6xf32>) -> tensor<1x6x6xi1>
    %51 = stablehlo.convert %50 : (tensor<1x6x6xi1>) -> tensor<1x6x6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%51 init: %cst_10) applies stablehlo.add across dimensions = [2] : (tensor<1x6x6xf32>, tensor<f32>) -> tensor<1x6xf32>
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<1x6xf32>
    %54 = stablehlo.maximum %53, %47 : tensor<1x6xf32>
    %55 = stablehlo.compare EQ, %47, %54, FLOAT : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<1x6xi1>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<1x6xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<1x6xf32>
    %58 = stablehlo.select %55, %56, %57 : tensor<1x6xi1>, tensor<1x6xf32>
    %cst_14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<1x6xf32>
    %60 = stablehlo.compare EQ, %59, %54, FLOAT : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<1x6xi1>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<1x6xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<1x6xf32>
    %63 = stablehlo.select %60, %61, %62 : tensor<1x6xi1>, tensor<1x6xf32>
    %64 = stablehlo.divide %58, %63 : tensor<1x6xf32>
    %65 = stablehlo.broadcast_in_dim %54, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x6xf32>
    %67 = stablehlo.subtract %46#0, %66 : tensor<1x6x6xf32>
    %68 = stablehlo.exponential %67 : tensor<1x6x6xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.reduce(%68 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<1x6x6xf32>, tensor<f32>) -> tensor<1x6xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x6xf32>
    %72 = stablehlo.divide %68, %71 : tensor<1x6x6xf32>
    %73 = stablehlo.multiply %70, %70 : tensor<1x6x1xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %75 = stablehlo.divide %74, %73 : tensor<1x6x1xf32>
    %76 = stablehlo.convert %72 : (tensor<1x6x6xf32>) -> tensor<1x6x6xbf16>
    %77 = stablehlo.reshape %76 : (tensor<1x6x6xbf16>) -> tensor<6x6xbf16>
    %78 = stablehlo.reshape %35 : (tensor<1x6x8xbf16>) -> tensor<6x8xbf16>
    %79 = stablehlo.dot_general %77, %78, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xbf16>, tensor<6x8xbf16>) -> tensor<6x8xbf16>
    %80 = stablehlo.broadcast_in_dim %79, dims = [1, 2] : (tensor<6x8xbf16>) -> tensor<1x6x8xbf16>
    %81 = stablehlo.convert %arg4 : (tensor<8x8xf32>) -> tensor<8x8xbf16>
    %82 = stablehlo.dot_general %80, %81, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xbf16>, tensor<8x8xbf16>) -> tensor<1x6x8xbf16>
    %83 = stablehlo.add %9, %82 : tensor<1x6x8xbf16>
    %84 = stablehlo.convert %83 : (tensor<1x6x8xbf16>) -> tensor<1x6x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.reduce(%84 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_20 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %88 = stablehlo.divide %86, %87 : tensor<1x6x1xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %90 = stablehlo.subtract %84, %89 : tensor<1x6x8xf32>
    %91 = stablehlo.multiply %90, %90 : tensor<1x6x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%91 init: %cst_21) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_22 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %95 = stablehlo.divide %93, %94 : tensor<1x6x1xf32>
    %cst_23 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %97 = stablehlo.add %95, %96 : tensor<1x6x1xf32>
    %98 = stablehlo.rsqrt %97 : tensor<1x6x1xf32>
    %99 = stablehlo.divide %98, %97 : tensor<1x6x1xf32>
    %cst_24 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %101 = stablehlo.multiply %100, %99 : tensor<1x6x1xf32>
    %102 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %103 = stablehlo.multiply %90, %102 : tensor<1x6x8xf32>
    %104 = stablehlo.convert %103 : (tensor<1x6x8xf32>) -> tensor<1x6x8xbf16>
    %105 = stablehlo.convert %arg5 : (tensor<8x32xf32>) -> tensor<8x32xbf16>
    %106 = stablehlo.dot_general %104, %105, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xbf16>, tensor<8x32xbf16>) -> tensor<1x6x32xbf16>
    %107 = stablehlo.multiply %106, %106 : tensor<1x6x32xbf16>
    %108 = stablehlo.multiply %107, %106 : tensor<1x6x32xbf16>
    %109 = stablehlo.multiply %106, %106 : tensor<1x6x32xbf16>
    %cst_25 = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %110 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<bf16>) -> tensor<1x6x32xbf16>
    %111 = stablehlo.multiply %110, %109 : tensor<1x6x32xbf16>
    %cst_26 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %112 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<bf16>) -> tensor<1x6x32xbf16>
    %113 = stablehlo.multiply %112, %108 : tensor<1x6x32xbf16>
    %114 = stablehlo.add %106, %113 : tensor<1x6x32xbf16>
    %cst_27 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %115 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<bf16>) -> tensor<1x6x32xbf16>
    %116 = stablehlo.multiply %115, %114 : tensor<1x6x32xbf16>
    %117 = stablehlo.tanh %116 : tensor<1x6x32xbf16>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %118 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<bf16>) -> tensor<1x6x32xbf16>
    %119 = stablehlo.subtract %118, %117 : tensor<1x6x32xbf16>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %120 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<bf16>) -> tensor<1x6x32xbf16>
    %121 = stablehlo.add %120, %117 : tensor<1x6x32xbf16>
    %cst_30 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %122 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<bf16>) -> tensor<1x6x32xbf16>
    %123 = stablehlo.multiply %122, %121 : tensor<1x6x32xbf16>
    %124 = stablehlo.multiply %106, %123 : tensor<1x6x32xbf16>
    %125 = stablehlo.convert %arg6 : (tensor<32x8xf32>) -> tensor<32x8xbf16>
    %126 = stablehlo.dot_general %124, %125, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x32xbf16>, tensor<32x8xbf16>) -> tensor<1x6x8xbf16>
    %127 = stablehlo.add %83, %126 : tensor<1x6x8xbf16>
    %128 = stablehlo.convert %127 : (tensor<1x6x8xbf16>) -> tensor<1x6x8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.reduce(%128 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %130 = stablehlo.broadcast_in_dim %129, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_32 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %132 = stablehlo.divide %130, %131 : tensor<1x6x1xf32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %134 = stablehlo.subtract %128, %133 : tensor<1x6x8xf32>
    %135 = stablehlo.multiply %134, %134 : tensor<1x6x8xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.reduce(%135 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_34 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %139 = stablehlo.divide %137, %138 : tensor<1x6x1xf32>
    %cst_35 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %141 = stablehlo.add %139, %140 : tensor<1x6x1xf32>
    %142 = stablehlo.rsqrt %141 : tensor<1x6x1xf32>
    %143 = stablehlo.divide %142, %141 : tensor<1x6x1xf32>
    %cst_36 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %145 = stablehlo.multiply %144, %143 : tensor<1x6x1xf32>
    %146 = stablehlo.broadcast_in_dim %142, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %147 = stablehlo.multiply %134, %146 : tensor<1x6x8xf32>
    %148 = stablehlo.convert %147 : (tensor<1x6x8xf32>) -> tensor<1x6x8xbf16>
    %149 = stablehlo.convert %arg1 : (tensor<11x8xf32>) -> tensor<11x8xbf16>
    %150 = stablehlo.transpose %149, dims = [1, 0] : (tensor<11x8xbf16>) -> tensor<8x11xbf16>
    %151 = stablehlo.dot_general %148, %150, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xbf16>, tensor<8x11xbf16>) -> tensor<1x6x11xbf16>
    %152 = stablehlo.convert %151 : (tensor<1x6x11xbf16>) -> tensor<1x6x11xf32>
    %153:3 = call @log_softmax(%152) : (tensor<1x6x11xf32>) -> (tensor<1x6x11xf32>, tensor<1x6x11xf32>, tensor<1x6x1xf32>)
    %154 = call @_roll_static(%arg0) : (tensor<1x6xi32>) -> tensor<1x6xi32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [0, 1] : (tensor<1x6xi32>) -> tensor<1x6x1xi32>
    %156:2 = call @take_along_axis(%153#0, %155) : (tensor<1x6x11xf32>, tensor<1x6x1xi32>) -> (tensor<1x6x1xf32>, tensor<6x1x1xi32>)
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.reduce(%156#0 init: %cst_37) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x6x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_38 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %158 = stablehlo.divide %157, %cst_38 : tensor<f32>
    %159 = stablehlo.negate %158 : tensor<f32>
    %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %160 = stablehlo.negate %cst_39 : tensor<f32>
    %cst_40 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %161 = stablehlo.divide %160, %cst_40 : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %161, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %163 = call @take_along_axis_0(%156#1, %162) : (tensor<6x1x1xi32>, tensor<1x6x1xf32>) -> tensor<1x6x11xf32>
    %164 = call @log_softmax_1(%153#1, %153#2, %163) : (tensor<1x6x11xf32>, tensor<1x6x1xf32>, tensor<1x6x11xf32>) -> tensor<1x6x11xf32>
    %165 = stablehlo.convert %164 : (tensor<1x6x11xf32>) -> tensor<1x6x11xbf16>
    %166 = stablehlo.dot_general %165, %148, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<1x6x11xbf16>, tensor<1x6x8xbf16>) -> tensor<11x8xbf16>
    %167 = stablehlo.transpose %166, dims = [1, 0] : (tensor<11x8xbf16>) -> tensor<8x11xbf16>
    %168 = stablehlo.dot_general %165, %150, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<1x6x11xbf16>, tensor<8x11xbf16>) -> tensor<1x6x8xbf16>
    %169 = stablehlo.transpose %167, dims = [1, 0] : (tensor<8x11xbf16>) -> tensor<11x8xbf16>
    %170 = stablehlo.convert %169 : (tensor<11x8xbf16>) -> tensor<11x8xf32>
    %171 = stablehlo.convert %168 : (tensor<1x6x8xbf16>) -> tensor<1x6x8xf32>
    %172 = stablehlo.multiply %134, %171 : tensor<1x6x8xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %173 = stablehlo.reduce(%172 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %174 = stablehlo.reshape %173 : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %175 = stablehlo.broadcast_in_dim %142, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %176 = stablehlo.multiply %171, %175 : tensor<1x6x8xf32>
    %177 = stablehlo.multiply %174, %145 : tensor<1x6x1xf32>
    %cst_42 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %179 = stablehlo.divide %177, %178 : tensor<1x6x1xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.reduce(%179 init: %cst_43) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %181 = stablehlo.broadcast_in_dim %180, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %182 = stablehlo.broadcast_in_dim %181, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x8xf32>
    %183 = stablehlo.multiply %134, %182 : tensor<1x6x8xf32>
    %184 = stablehlo.add %176, %183 : tensor<1x6x8xf32>
    %185 = stablehlo.multiply %182, %134 : tensor<1x6x8xf32>
    %186 = stablehlo.add %184, %185 : tensor<1x6x8xf32>
    %187 = stablehlo.negate %186 : tensor<1x6x8xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.reduce(%187 init: %cst_44) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %189 = stablehlo.reshape %188 : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_45 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %191 = stablehlo.divide %189, %190 : tensor<1x6x1xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %192 = stablehlo.reduce(%191 init: %cst_46) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %193 = stablehlo.broadcast_in_dim %192, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %194 = stablehlo.broadcast_in_dim %193, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x8xf32>
    %195 = stablehlo.add %186, %194 : tensor<1x6x8xf32>
    %196 = stablehlo.convert %195 : (tensor<1x6x8xf32>) -> tensor<1x6x8xbf16>
    %197 = stablehlo.dot_general %196, %124, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xbf16>, tensor<1x6x32xbf16>) -> tensor<8x32xbf16>
    %198 = stablehlo.transpose %197, dims = [1, 0] : (tensor<8x32xbf16>) -> tensor<32x8xbf16>
    %199 = stablehlo.dot_general %196, %125, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xbf16>, tensor<32x8xbf16>) -> tensor<1x6x32xbf16>
    %200 = stablehlo.convert %198 : (tensor<32x8xbf16>) -> tensor<32x8xf32>
    %201 = stablehlo.multiply %106, %199 : tensor<1x6x32xbf16>
    %202 = stablehlo.multiply %199, %123 : tensor<1x6x32xbf16>
    %cst_47 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %203 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<bf16>) -> tensor<1x6x32xbf16>
    %204 = stablehlo.multiply %203, %201 : tensor<1x6x32xbf16>
    %205 = stablehlo.multiply %204, %119 : tensor<1x6x32xbf16>
    %206 = stablehlo.multiply %205, %117 : tensor<1x6x32xbf16>
    %207 = stablehlo.add %205, %206 : tensor<1x6x32xbf16>
    %cst_48 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %208 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<bf16>) -> tensor<1x6x32xbf16>
    %209 = stablehlo.multiply %208, %207 : tensor<1x6x32xbf16>
    %210 = stablehlo.add %202, %209 : tensor<1x6x32xbf16>
    %cst_49 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %211 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<bf16>) -> tensor<1x6x32xbf16>
    %212 = stablehlo.multiply %211, %209 : tensor<1x6x32xbf16>
    %213 = stablehlo.multiply %212, %111 : tensor<1x6x32xbf16>
    %214 = stablehlo.add %210, %213 : tensor<1x6x32xbf16>
    %215 = stablehlo.dot_general %214, %104, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<1x6x32xbf16>, tensor<1x6x8xbf16>) -> tensor<32x8xbf16>
    %216 = stablehlo.transpose %215, dims = [1, 0] : (tensor<32x8xbf16>) -> tensor<8x32xbf16>
    %217 = stablehlo.dot_general %214, %105, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<1x6x32xbf16>, tensor<8x32xbf16>) -> tensor<1x6x8xbf16>
    %218 = stablehlo.convert %216 : (tensor<8x32xbf16>) -> tensor<8x32xf32>
    %219 = stablehlo.convert %217 : (tensor<1x6x8xbf16>) -> tensor<1x6x8xf32>
    %220 = stablehlo.multiply %90, %219 : tensor<1x6x8xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %221 = stablehlo.reduce(%220 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %222 = stablehlo.reshape %221 : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %223 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %224 = stablehlo.multiply %219, %223 : tensor<1x6x8xf32>
    %225 = stablehlo.multiply %222, %101 : tensor<1x6x1xf32>
    %cst_51 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %227 = stablehlo.divide %225, %226 : tensor<1x6x1xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %228 = stablehlo.reduce(%227 init: %cst_52) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %229 = stablehlo.broadcast_in_dim %228, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %230 = stablehlo.broadcast_in_dim %229, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x8xf32>
    %231 = stablehlo.multiply %90, %230 : tensor<1x6x8xf32>
    %232 = stablehlo.add %224, %231 : tensor<1x6x8xf32>
    %233 = stablehlo.multiply %230, %90 : tensor<1x6x8xf32>
    %234 = stablehlo.add %232, %233 : tensor<1x6x8xf32>
    %235 = stablehlo.negate %234 : tensor<1x6x8xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %236 = stablehlo.reduce(%235 init: %cst_53) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %237 = stablehlo.reshape %236 : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_54 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %238 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %239 = stablehlo.divide %237, %238 : tensor<1x6x1xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %240 = stablehlo.reduce(%239 init: %cst_55) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %241 = stablehlo.broadcast_in_dim %240, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %242 = stablehlo.broadcast_in_dim %241, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x8xf32>
    %243 = stablehlo.add %234, %242 : tensor<1x6x8xf32>
    %244 = stablehlo.convert %243 : (tensor<1x6x8xf32>) -> tensor<1x6x8xbf16>
    %245 = stablehlo.add %196, %244 : tensor<1x6x8xbf16>
    %246 = stablehlo.dot_general %245, %80, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xbf16>, tensor<1x6x8xbf16>) -> tensor<8x8xbf16>
    %247 = stablehlo.transpose %246, dims = [1, 0] : (tensor<8x8xbf16>) -> tensor<8x8xbf16>
    %248 = stablehlo.dot_general %245, %81, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<1x6x8xbf16>, tensor<8x8xbf16>) -> tensor<1x6x8xbf16>
    %249 = stablehlo.convert %247 : (tensor<8x8xbf16>) -> tensor<8x8xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %250 = stablehlo.reduce(%248 init: %cst_56) applies stablehlo.add across dimensions = [0] : (tensor<1x6x8xbf16>, tensor<bf16>) -> tensor<6x8xbf16>
    %251 = stablehlo.dot_general %250, %77, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xbf16>, tensor<6x6xbf16>) -> tensor<8x6xbf16>
    %252 = stablehlo.transpose %251, dims = [1, 0] : (tensor<8x6xbf16>) -> tensor<6x8xbf16>
    %253 = stablehlo.dot_general %250, %78, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x8xbf16>, tensor<6x8xbf16>) -> tensor<6x6xbf16>
    %254 = stablehlo.broadcast_in_dim %252, dims = [1, 2] : (tensor<6x8xbf16>) -> tensor<1x6x8xbf16>
    %255 = stablehlo.broadcast_in_dim %253, dims = [1, 2] : (tensor<6x6xbf16>) -> tensor<1x6x6xbf16>
    %256 = stablehlo.convert %255 : (tensor<1x6x6xbf16>) -> tensor<1x6x6xf32>
    %257 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x6xf32>
    %258 = stablehlo.multiply %256, %257 : tensor<1x6x6xf32>
    %259 = stablehlo.multiply %258, %68 : tensor<1x6x6xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %260 = stablehlo.reduce(%259 init: %cst_57) applies stablehlo.add across dimensions = [2] : (tensor<1x6x6xf32>, tensor<f32>) -> tensor<1x6xf32>
    %261 = stablehlo.reshape %260 : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %262 = stablehlo.negate %261 : tensor<1x6x1xf32>
    %263 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x6xf32>
    %264 = stablehlo.divide %256, %263 : tensor<1x6x6xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %265 = stablehlo.reduce(%262 init: %cst_58) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %266 = stablehlo.broadcast_in_dim %265, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %267 = stablehlo.broadcast_in_dim %266, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x6xf32>
    %268 = stablehlo.add %264, %267 : tensor<1x6x6xf32>
    %269 = stablehlo.multiply %268, %68 : tensor<1x6x6xf32>
    %270 = call @_where_2(%46#1, %46#2, %269) : (tensor<1x6x6xi1>, tensor<1x6x6xf32>, tensor<1x6x6xf32>) -> tensor<1x6x6xf32>
    %cst_59 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %271 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<1x6x6xf32>
    %272 = stablehlo.multiply %270, %271 : tensor<1x6x6xf32>
    %273 = stablehlo.convert %272 : (tensor<1x6x6xf32>) -> tensor<1x6x6xbf16>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %274 = stablehlo.reduce(%273 init: %cst_60) applies stablehlo.add across dimensions = [0] : (tensor<1x6x6xbf16>, tensor<bf16>) -> tensor<6x6xbf16>
    %275 = stablehlo.dot_general %274, %37, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xbf16>, tensor<6x8xbf16>) -> tensor<6x8xbf16>
    %276 = stablehlo.transpose %275, dims = [1, 0] : (tensor<6x8xbf16>) -> tensor<8x6xbf16>
    %277 = stablehlo.dot_general %274, %38, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6xbf16>, tensor<8x6xbf16>) -> tensor<6x8xbf16>
    %278 = stablehlo.broadcast_in_dim %276, dims = [1, 2] : (tensor<8x6xbf16>) -> tensor<1x8x6xbf16>
    %279 = stablehlo.broadcast_in_dim %277, dims = [1, 2] : (tensor<6x8xbf16>) -> tensor<1x6x8xbf16>
    %280 = stablehlo.transpose %278, dims = [0, 2, 1] : (tensor<1x8x6xbf16>) -> tensor<1x6x8xbf16>
    %281 = stablehlo.concatenate %279, %280, %254, dim = 2 : (tensor<1x6x8xbf16>, tensor<1x6x8xbf16>, tensor<1x6x8xbf16>) -> tensor<1x6x24xbf16>
    %282 = stablehlo.dot_general %281, %30, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<1x6x24xbf16>, tensor<1x6x8xbf16>) -> tensor<24x8xbf16>
    %283 = stablehlo.transpose %282, dims = [1, 0] : (tensor<24x8xbf16>) -> tensor<8x24xbf16>
    %284 = stablehlo.dot_general %281, %31, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<1x6x24xbf16>, tensor<8x24xbf16>) -> tensor<1x6x8xbf16>
    %285 = stablehlo.convert %283 : (tensor<8x24xbf16>) -> tensor<8x24xf32>
    %286 = stablehlo.convert %284 : (tensor<1x6x8xbf16>) -> tensor<1x6x8xf32>
    %287 = stablehlo.multiply %16, %286 : tensor<1x6x8xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %288 = stablehlo.reduce(%287 init: %cst_61) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %289 = stablehlo.reshape %288 : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %290 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
    %291 = stablehlo.multiply %286, %290 : tensor<1x6x8xf32>
    %292 = stablehlo.multiply %289, %27 : tensor<1x6x1xf32>
    %cst_62 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %293 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %294 = stablehlo.divide %292, %293 : tensor<1x6x1xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %295 = stablehlo.reduce(%294 init: %cst_63) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %296 = stablehlo.broadcast_in_dim %295, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %297 = stablehlo.broadcast_in_dim %296, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x8xf32>
    %298 = stablehlo.multiply %16, %297 : tensor<1x6x8xf32>
    %299 = stablehlo.add %291, %298 : tensor<1x6x8xf32>
    %300 = stablehlo.multiply %297, %16 : tensor<1x6x8xf32>
    %301 = stablehlo.add %299, %300 : tensor<1x6x8xf32>
    %302 = stablehlo.negate %301 : tensor<1x6x8xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %303 = stablehlo.reduce(%302 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<1x6xf32>
    %304 = stablehlo.reshape %303 : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %cst_65 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %305 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %306 = stablehlo.divide %304, %305 : tensor<1x6x1xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %307 = stablehlo.reduce(%306 init: %cst_66) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %308 = stablehlo.broadcast_in_dim %307, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %309 = stablehlo.broadcast_in_dim %308, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x8xf32>
    %310 = stablehlo.add %301, %309 : tensor<1x6x8xf32>
    %311 = stablehlo.convert %310 : (tensor<1x6x8xf32>) -> tensor<1x6x8xbf16>
    %312 = stablehlo.add %245, %311 : tensor<1x6x8xbf16>
    %313 = stablehlo.convert %312 : (tensor<1x6x8xbf16>) -> tensor<1x6x8xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %314 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %315 = "stablehlo.scatter"(%314, %5, %313) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %346 = stablehlo.add %arg10, %arg11 : tensor<f32>
      stablehlo.return %346 : tensor<f32>
    }) : (tensor<11x8xf32>, tensor<1x6x1xi32>, tensor<1x6x8xf32>) -> tensor<11x8xf32>
    %316 = stablehlo.add %170, %315 : tensor<11x8xf32>
    %cst_68 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %317 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %318 = stablehlo.multiply %317, %arg7 : tensor<8x24xf32>
    %cst_69 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %319 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %320 = stablehlo.multiply %319, %285 : tensor<8x24xf32>
    %321 = stablehlo.add %318, %320 : tensor<8x24xf32>
    %cst_70 = stablehlo.constant dense<0.949999988> : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %323 = stablehlo.multiply %322, %arg8 : tensor<8x24xf32>
    %324 = stablehlo.multiply %285, %285 : tensor<8x24xf32>
    %cst_71 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %325 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %326 = stablehlo.multiply %325, %324 : tensor<8x24xf32>
    %327 = stablehlo.add %323, %326 : tensor<8x24xf32>
    %cst_72 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %328 = stablehlo.power %cst_72, %arg9 : tensor<f32>
    %cst_73 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %329 = stablehlo.subtract %cst_73, %328 : tensor<f32>
    %330 = stablehlo.broadcast_in_dim %329, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %331 = stablehlo.divide %321, %330 : tensor<8x24xf32>
    %cst_74 = stablehlo.constant dense<0.949999988> : tensor<f32>
    %332 = stablehlo.power %cst_74, %arg9 : tensor<f32>
    %cst_75 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %333 = stablehlo.subtract %cst_75, %332 : tensor<f32>
    %334 = stablehlo.broadcast_in_dim %333, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %335 = stablehlo.divide %327, %334 : tensor<8x24xf32>
    %336 = stablehlo.sqrt %335 : tensor<8x24xf32>
    %cst_76 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %337 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %338 = stablehlo.add %336, %337 : tensor<8x24xf32>
    %339 = stablehlo.divide %331, %338 : tensor<8x24xf32>
    %cst_77 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %340 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %341 = stablehlo.multiply %340, %arg3 : tensor<8x24xf32>
    %342 = stablehlo.add %339, %341 : tensor<8x24xf32>
    %cst_78 = stablehlo.constant dense<3.000000e-04> : tensor<f32>
    %343 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %344 = stablehlo.multiply %343, %342 : tensor<8x24xf32>
    %345 = stablehlo.subtract %arg3, %344 : tensor<8x24xf32>
    return %159, %316, %285, %249, %218, %200, %345, %321, %327 : tensor<f32>, tensor<11x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>, tensor<8x32xf32>, tensor<32x8xf32>, tensor<8x24xf32>, tensor<8x24xf32>, tensor<8x24xf32>
  }
  func.func private @tril(%arg0: tensor<6x6xi1>) -> tensor<6x6xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %2 = stablehlo.add %0, %1 : tensor<6x6xi32>
    %3 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<6x6xi1>, tensor<6x6xi1>
    return %6 : tensor<6x6xi1>
  }
  func.func private @_where(%arg0: tensor<6x6xi1>, %arg1: tensor<1x6x6xf32>, %arg2: tensor<f32>) -> (tensor<1x6x6xf32>, tensor<1x6x6xi1>, tensor<1x6x6xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<6x6xi1>) -> tensor<1x6x6xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x6x6xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x6x6xi1>, tensor<1x6x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x6x6xf32>
    return %3, %1, %4 : tensor<1x6x6xf32>, tensor<1x6x6xi1>, tensor<1x6x6xf32>
  }
  func.func private @log_softmax(%arg0: tensor<1x6x11xf32>) -> (tensor<1x6x11xf32>, tensor<1x6x11xf32>, tensor<1x6x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<1x6x11xf32>, tensor<f32>) -> tensor<1x6xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x6xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<1x6xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x11xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<1x6x11xf32>
    %6 = stablehlo.exponential %5 : tensor<1x6x11xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<1x6x11xf32>, tensor<f32>) -> tensor<1x6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %9 = stablehlo.log %8 : tensor<1x6x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x6x1xf32>) -> tensor<1x6x11xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<1x6x11xf32>
    return %11, %6, %8 : tensor<1x6x11xf32>, tensor<1x6x11xf32>, tensor<1x6x1xf32>
  }
  func.func private @_roll_static(%arg0: tensor<1x6xi32>) -> tensor<1x6xi32> {
    %0 = stablehlo.slice %arg0 [0:1, 1:6] : (tensor<1x6xi32>) -> tensor<1x5xi32>
    %1 = stablehlo.slice %arg0 [0:1, 0:1] : (tensor<1x6xi32>) -> tensor<1x1xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<1x5xi32>, tensor<1x1xi32>) -> tensor<1x6xi32>
    return %2 : tensor<1x6xi32>
  }
  func.func private @take_along_axis(%arg0: tensor<1x6x11xf32>, %arg1: tensor<1x6x1xi32>) -> (tensor<1x6x1xf32>, tensor<6x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1x6x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<1x6x1xi32>, tensor<1x6x1xi32>) -> tensor<1x6x1xi1>
    %c_0 = stablehlo.constant dense<11> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1x6x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<1x6x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<1x6x1xi1>, tensor<1x6x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<1x6x1xi32>) -> tensor<6x1x1xi32>
    %c_1 = stablehlo.constant dense<10> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<6x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<6x1x1xi1>, tensor<i1>) -> tensor<6x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [2], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<1x6x11xf32>, tensor<6x1x1xi32>) -> tensor<1x6x1xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [1, 2] : (tensor<6x1xi1>) -> tensor<1x6x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x6x1xf32>
    %16 = stablehlo.select %14, %13, %15 : tensor<1x6x1xi1>, tensor<1x6x1xf32>
    return %16, %5 : tensor<1x6x1xf32>, tensor<6x1x1xi32>
  }
  func.func private @take_along_axis_0(%arg0: tensor<6x1x1xi32>, %arg1: tensor<1x6x1xf32>) -> tensor<1x6x11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x6x11xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [2], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<1x6x11xf32>, tensor<6x1x1xi32>, tensor<1x6x1xf32>) -> tensor<1x6x11xf32>
    return %1 : tensor<1x6x11xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<1x6x11xf32>, %arg1: tensor<1x6x1xf32>, %arg2: tensor<1x6x11xf32>) -> tensor<1x6x11xf32> {
    %0 = stablehlo.negate %arg2 : tensor<1x6x11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<1x6x11xf32>, tensor<f32>) -> tensor<1x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<1x6x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x11xf32>
    %7 = stablehlo.multiply %6, %arg0 : tensor<1x6x11xf32>
    %8 = stablehlo.add %arg2, %7 : tensor<1x6x11xf32>
    return %8 : tensor<1x6x11xf32>
  }
  func.func private @_where_2(%arg0: tensor<1x6x6xi1>, %arg1: tensor<1x6x6xf32>, %arg2: tensor<1x6x6xf32>) -> tensor<1x6x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x6x6xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<1x6x6xi1>, tensor<1x6x6xf32>
    return %1 : tensor<1x6x6xf32>
  }
}
