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

// -----

// Tuples and tokens as arguments, as carries of a loop, out of a branch.
func.func private @swap(%t: !stablehlo.token, %p: tuple<tensor<i32>, tuple<tensor<f32>>>) -> (tuple<tensor<f32>, tensor<i32>>, !stablehlo.token) {
  %0 = stablehlo.get_tuple_element %p[0] : (tuple<tensor<i32>, tuple<tensor<f32>>>) -> tensor<i32>
  %1 = stablehlo.get_tuple_element %p[1] : (tuple<tensor<i32>, tuple<tensor<f32>>>) -> tuple<tensor<f32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<f32>>) -> tensor<f32>
  %3 = stablehlo.tuple %2, %0 : tuple<tensor<f32>, tensor<i32>>
  return %3, %t : tuple<tensor<f32>, tensor<i32>>, !stablehlo.token
}
func.func @arguments() {
  %t = stablehlo.create_token : !stablehlo.token
  %a = stablehlo.constant dense<7> : tensor<i32>
  %b = stablehlo.constant dense<2.5> : tensor<f32>
  %in = stablehlo.tuple %b : tuple<tensor<f32>>
  %p = stablehlo.tuple %a, %in : tuple<tensor<i32>, tuple<tensor<f32>>>
  %r:2 = func.call @swap(%t, %p) : (!stablehlo.token, tuple<tensor<i32>, tuple<tensor<f32>>>) -> (tuple<tensor<f32>, tensor<i32>>, !stablehlo.token)
  %0 = stablehlo.get_tuple_element %r#0[0] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<f32>
  %1 = stablehlo.get_tuple_element %r#0[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
  check.expect_eq_const %0, dense<2.5> : tensor<f32>
  check.expect_eq_const %1, dense<7> : tensor<i32>
  return
}
func.func @carries() {
  %t = stablehlo.create_token : !stablehlo.token
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %r:3 = stablehlo.while(%s = %t, %i = %zero, %x = %one) : !stablehlo.token, tensor<i32>, tensor<i32>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.add %x, %x : tensor<i32>
    stablehlo.return %s, %j, %y : !stablehlo.token, tensor<i32>, tensor<i32>
  }
  %p = stablehlo.compare EQ, %r#2, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %b:2 = "stablehlo.if"(%p) ({
    stablehlo.return %r#0, %zero : !stablehlo.token, tensor<i32>
  }, {
    stablehlo.return %t, %r#2 : !stablehlo.token, tensor<i32>
  }) : (tensor<i1>) -> (!stablehlo.token, tensor<i32>)
  check.expect_eq_const %b#1, dense<8> : tensor<i32>
  return
}
func.func @future() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %1 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    "stablehlo.return"(%1) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  check.expect_eq_const %2, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}
