// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @input_quantized_maxpool_conv(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x2x3xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("p")
  %v2 = tosa.max_pool2d %v1 {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x3x2xf32> loc("p")
  %v3 = tosa.transpose %v2 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> loc("p")
  %v4 = tosa.transpose %v3 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x2x3xf32>) -> tensor<1x2x3x2xf32> loc("c")
  %v5 = "tosa.const"() <{values = dense<"0x4C006E3B2AE4AA3DCEBD45BF6249D2BE"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c")
  %v6 = "tosa.const"() <{values = dense<"0x942BA23D8623953E"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v7 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v8 = tosa.conv2d %v4, %v5, %v6, %v7, %v7 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x2x3x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x3x2xf32> loc("c")
  %v9 = tosa.transpose %v8 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> loc("c")
  return %v9 : tensor<1x2x2x3xf32>
}
