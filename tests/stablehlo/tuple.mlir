// Tuples: in each other, as results of functions, with tokens among them.
module @m {
  func.func private @both(%x: tensor<2xf32>) -> tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>> {
    %t = stablehlo.create_token : !stablehlo.token
    %c = stablehlo.constant dense<7> : tensor<i32>
    %y = stablehlo.negate %x : tensor<2xf32>
    %in = stablehlo.tuple %c, %t : tuple<tensor<i32>, !stablehlo.token>
    %r = "stablehlo.tuple"(%y, %in) : (tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>) -> tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>
    return %r : tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>
  }
  func.func public @main() -> (tensor<i32>, tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>) {
    %x = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
    %p = func.call @both(%x) : (tensor<2xf32>) -> tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>
    %0 = stablehlo.get_tuple_element %p[0] : (tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>) -> tensor<2xf32>
    %1 = stablehlo.get_tuple_element %p[1] : (tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>) -> tuple<tensor<i32>, !stablehlo.token>
    %2 = "stablehlo.get_tuple_element"(%1) <{index = 0 : i32}> : (tuple<tensor<i32>, !stablehlo.token>) -> tensor<i32>
    check.expect_eq_const %0, dense<[-1.0, 2.0]> : tensor<2xf32>
    check.expect_eq_const %2, dense<7> : tensor<i32>
    return %2, %p : tensor<i32>, tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>
  }
}

// -----

// A second module of the text, with two functions to run; expectations with an attribute behind their type.
func.func @near() {
  %x = stablehlo.constant dense<5.0> : tensor<f64>
  check.expect_almost_eq_const %x, dense<5.1> : tensor<f64> {tolerance = 0.2 : f64}
  check.expect_almost_eq %x, %x, tolerance = 0.1 : tensor<f64>
  func.return
}
func.func @close() {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %y = stablehlo.constant dense<0x3F800005> : tensor<f32>
  check.expect_close %x, %y, max_ulp_difference = 5 : tensor<f32>, tensor<f32>
  func.return
}
func.func @not_called(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
