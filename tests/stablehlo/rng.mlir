// Numbers without a state: which they are is the implementation's choice, where they lie is not.
func.func @whole() {
  %a = stablehlo.constant dense<-7> : tensor<i32>
  %b = stablehlo.constant dense<-6> : tensor<i32>
  %n = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<-7> : tensor<2x3xi32>
  return
}
func.func @uniform() {
  %a = stablehlo.constant dense<-1.0> : tensor<f32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %n = stablehlo.constant dense<1000> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<1000xf32>
  %1 = stablehlo.reduce(%0 init: %b) applies stablehlo.minimum across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%0 init: %a) applies stablehlo.maximum across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.round_nearest_even %1 : tensor<f32>
  %4 = stablehlo.round_nearest_even %2 : tensor<f32>
  check.expect_eq_const %3, dense<-1.0> : tensor<f32>
  check.expect_eq_const %4, dense<3.0> : tensor<f32>
  return
}
func.func @normal() {
  %a = stablehlo.constant dense<100.0> : tensor<f64>
  %b = stablehlo.constant dense<2.0> : tensor<f64>
  %n = stablehlo.constant dense<10000> : tensor<1xi64>
  %0 = "stablehlo.rng"(%a, %b, %n) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<10000xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<10000xf64>, tensor<f64>) -> tensor<f64>
  %m = stablehlo.constant dense<1.0e5> : tensor<f64>
  %2 = stablehlo.divide %1, %m : tensor<f64>
  %3 = stablehlo.round_nearest_even %2 : tensor<f64>
  check.expect_eq_const %3, dense<10.0> : tensor<f64>
  %4 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f64>) -> tensor<10000xf64>
  %5 = stablehlo.subtract %0, %4 : tensor<10000xf64>
  %6 = stablehlo.multiply %5, %5 : tensor<10000xf64>
  %7 = stablehlo.reduce(%6 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<10000xf64>, tensor<f64>) -> tensor<f64>
  %c = stablehlo.constant dense<1.0e4> : tensor<f64>
  %8 = stablehlo.divide %7, %c : tensor<f64>
  %9 = stablehlo.round_nearest_even %8 : tensor<f64>
  check.expect_eq_const %9, dense<4.0> : tensor<f64>
  return
}
