// Complex numbers in order: by the real part, then by the imaginary one.
func.func @order() {
  %a = stablehlo.constant dense<[(1.0, 5.0), (2.0, 1.0), (-0.0, 3.0)]> : tensor<3xcomplex<f64>>
  %b = stablehlo.constant dense<[(1.0, 4.0), (3.0, 0.0), (0.0, 4.0)]> : tensor<3xcomplex<f64>>
  %0 = stablehlo.maximum %a, %b : tensor<3xcomplex<f64>>
  check.expect_eq_const %0, dense<[(1.0, 5.0), (3.0, 0.0), (0.0, 4.0)]> : tensor<3xcomplex<f64>>
  %1 = stablehlo.minimum %a, %b : tensor<3xcomplex<f64>>
  check.expect_eq_const %1, dense<[(1.0, 4.0), (2.0, 1.0), (-0.0, 3.0)]> : tensor<3xcomplex<f64>>
  return
}
func.func @functions() {
  %z = stablehlo.constant dense<(-2.0, 2.0)> : tensor<complex<f64>>
  %0 = stablehlo.cbrt %z : tensor<complex<f64>>
  check.expect_almost_eq_const %0, dense<(1.0, 1.0)> : tensor<complex<f64>>
  %y = stablehlo.constant dense<(0.0, 0.5)> : tensor<complex<f64>>
  %x = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
  %1 = stablehlo.atan2 %y, %x : tensor<complex<f64>>
  check.expect_almost_eq_const %1, dense<(0.0, 0.5493061443340548)> : tensor<complex<f64>>
  %2 = stablehlo.convert %y : (tensor<complex<f64>>) -> tensor<i1>
  check.expect_eq_const %2, dense<false> : tensor<i1>
  return
}
func.func @parts_of_a_real() {
  %x = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %0 = stablehlo.real %x : tensor<2xf32>
  %1 = stablehlo.imag %x : tensor<2xf32>
  check.expect_eq_const %0, dense<[1.0, -2.0]> : tensor<2xf32>
  check.expect_eq_const %1, dense<0.0> : tensor<2xf32>
  return
}
func.func @upper_halves() {
  %a = stablehlo.constant dense<[-9223372036854775808, -1, 6148914691236517205, -3]> : tensor<4xi64>
  %b = stablehlo.constant dense<[-9223372036854775808, 1, 4, -5]> : tensor<4xi64>
  %0 = "chlo.mulhi"(%a, %b) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  check.expect_eq_const %0, dense<[4611686018427387904, -1, 1, 0]> : tensor<4xi64>
  %c = stablehlo.constant dense<[18446744073709551615, 4294967296]> : tensor<2xui64>
  %1 = "chlo.mulhi"(%c, %c) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  check.expect_eq_const %1, dense<[18446744073709551614, 1]> : tensor<2xui64>
  %d = stablehlo.constant dense<[-2147483648, 65536]> : tensor<2xi32>
  %2 = "chlo.mulhi"(%d, %d) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %2, dense<[1073741824, 1]> : tensor<2xi32>
  return
}

// -----

// One device: collectives are what goes in.
module @alone {
  func.func public @main() {
    %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    check.expect_eq_const %0, dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    check.expect_eq_const %1, dense<[1.0, 2.0]> : tensor<2xf32>
    %2 = "stablehlo.collective_permute"(%1) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    check.expect_eq_const %2, dense<0.0> : tensor<2xf32>
    return
  }
}

// -----

// Resources: elements at the end of the text, behind four bytes of alignment.
module {
  func.func public @main() {
    %0 = stablehlo.constant dense_resource<w.1> : tensor<3xf32>
    %1 = stablehlo.constant dense_resource<"two"> : tensor<2x2xi16>
    check.expect_eq_const %0, dense<[1.0, -2.0, 0.5]> : tensor<3xf32>
    check.expect_eq_const %1, dense<[[1, 2], [3, -1]]> : tensor<2x2xi16>
    return
  }
}
{-#
  dialect_resources: {
    builtin: {
      w.1: "0x040000000000803F000000C00000003F",
      "two": "0x02000000010002000300FFFF"
    }
  },
  external_resources: {
    mlir_reproducer: { verify_each: true }
  }
#-}
