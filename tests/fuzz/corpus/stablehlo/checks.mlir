module @m attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main() -> tensor<2xi1> {
    %0 = call @inputs() : () -> tensor<2xi1>
    %c = stablehlo.constant dense<"0x0001"> : tensor<2xi1>
    %cst = stablehlo.constant dense<[[1.5, -0.0], [0x7FC00000, 2.5e-3]]> : tensor<2x2xf32>
    %cst_0 = stablehlo.constant dense<"0x0000803F000000400000404000008040"> : tensor<2x2xf32>
    stablehlo.custom_call @check.expect_close(%cst, %cst_0) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%0, %c) {has_side_effect = true} : (tensor<2xi1>, tensor<2xi1>) -> ()
    return %0 : tensor<2xi1>
  }
  func.func private @inputs() -> (tensor<2xi1> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    return %c : tensor<2xi1>
  }
}
