// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @conv_sigmoid_conv(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0x3BB549BF89C9C8BA5D7A5C3EFFF27FBF"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0x0843B4BE7A3EDB3E"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v7 = tosa.sigmoid %v6 : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("s")
  %v8 = tosa.transpose %v7 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c2")
  %v9 = "tosa.const"() <{values = dense<"0x5B4969BFE10D49BFE677733F3561843E"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c2")
  %v10 = "tosa.const"() <{values = dense<"0xAB2606BE379D3A3C"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c2")
  %v11 = tosa.conv2d %v8, %v9, %v10, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c2")
  %v12 = tosa.transpose %v11 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  return %v12 : tensor<1x2x4x6xf32>
}
