// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @dyn_conv(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0x081F0FBE419A1CBF9AC25F3F36F46F3E"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0x6B2463BDD747493B"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c")
  return %v6 : tensor<1x2x4x6xf32>
}
