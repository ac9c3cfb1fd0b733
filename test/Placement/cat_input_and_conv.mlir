// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @cat_input_and_conv(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x4x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("a")
  %v2 = "tosa.const"() <{values = dense<"0x42DE873ECBB5573F9CB6153F7B3A15BF"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("a")
  %v3 = "tosa.const"() <{values = dense<"0x36A14CBE6642BF3E"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("a")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("a")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("a")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("a")
  %v7 = tosa.concat %arg0, %v6 {axis = 1 : i32} : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x4x4x6xf32> loc("cat")
  return %v7 : tensor<1x4x4x6xf32>
}
