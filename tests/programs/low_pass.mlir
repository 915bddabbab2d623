module @jit_low_pass attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<30xf32>) -> (tensor<30xf32> {jax.result_info = "result"}) {
    %0 = call @fft(%arg0) : (tensor<30xf32>) -> tensor<16xcomplex<f32>>
    %1 = stablehlo.iota dim = 0 : tensor<16xi32>
    %c = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %3 = stablehlo.compare LT, %1, %2, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @_where(%3, %0, %c_0) : (tensor<16xi1>, tensor<16xcomplex<f32>>, tensor<i32>) -> tensor<16xcomplex<f32>>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = call @_pad(%4, %c_1) : (tensor<16xcomplex<f32>>, tensor<i32>) -> tensor<16xcomplex<f32>>
    %6 = call @fft_0(%5) : (tensor<16xcomplex<f32>>) -> tensor<30xf32>
    return %6 : tensor<30xf32>
  }
  func.func private @fft(%arg0: tensor<30xf32>) -> tensor<16xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [30] : (tensor<30xf32>) -> tensor<16xcomplex<f32>>
    return %0 : tensor<16xcomplex<f32>>
  }
  func.func private @_where(%arg0: tensor<16xi1>, %arg1: tensor<16xcomplex<f32>>, %arg2: tensor<i32>) -> tensor<16xcomplex<f32>> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<complex<f32>>) -> tensor<16xcomplex<f32>>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<16xi1>, tensor<16xcomplex<f32>>
    return %2 : tensor<16xcomplex<f32>>
  }
  func.func private @_pad(%arg0: tensor<16xcomplex<f32>>, %arg1: tensor<i32>) -> tensor<16xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0], high = [0], interior = [0] : (tensor<16xcomplex<f32>>, tensor<complex<f32>>) -> tensor<16xcomplex<f32>>
    return %1 : tensor<16xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<16xcomplex<f32>>) -> tensor<30xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [30] : (tensor<16xcomplex<f32>>) -> tensor<30xf32>
    return %0 : tensor<30xf32>
  }
}
