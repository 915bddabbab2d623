func.func @main(%x: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0 = stablehlo.constant dense<0> : tensor<4xi32>
  %1 = stablehlo.constant dense<1> : tensor<4xi32>
  %p = stablehlo.compare EQ, %i, %0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %y = stablehlo.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  %z = stablehlo.log %y : tensor<4xf32>
  %q = stablehlo.compare LT, %i, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %w = stablehlo.select %q, %z, %zero : tensor<4xi1>, tensor<4xf32>
  return %w : tensor<4xf32>
}
