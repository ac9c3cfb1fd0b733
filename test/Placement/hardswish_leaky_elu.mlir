// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @hardswish_leaky_elu(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0x54DB1E3EB98E773D682D0F3F6B44293F"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0xEE96273C9C058F3E"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v7 = "tosa.const"() <{values = dense<1.666666716e-01> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32> loc("hardswish")
  %v8 = "tosa.const"() <{values = dense<3.000000000e+00> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32> loc("hardswish")
  %v9 = tosa.add %v6, %v8 : (tensor<1x2x4x6xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x4x6xf32> loc("hardswish")
  %v10 = tosa.clamp %v9 {min_val = 0.000000000e+00 : f32, max_val = 6.000000000e+00 : f32} : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("hardswish")
  %v11 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8> loc("hardswish")
  %v12 = tosa.mul %v10, %v7, %v11 : (tensor<1x2x4x6xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4x6xf32> loc("hardswish")
  %v13 = tosa.mul %v12, %v6, %v11 : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>, tensor<1xi8>) -> tensor<1x2x4x6xf32> loc("hardswish")
  %v14 = tosa.clamp %v13 {min_val = 0.000000000e+00 : f32, max_val = 3.402823466e+38 : f32} : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("l")
  %v15 = tosa.clamp %v13 {min_val = -3.402823466e+38 : f32, max_val = 0.000000000e+00 : f32} : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("l")
  %v16 = "tosa.const"() <{values = dense<9.999999776e-03> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32> loc("l")
  %v17 = tosa.mul %v15, %v16, %v11 : (tensor<1x2x4x6xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4x6xf32> loc("l")
  %v18 = tosa.add %v14, %v17 : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("l")
  %v19 = tosa.clamp %v18 {min_val = 0.000000000e+00 : f32, max_val = 3.402823466e+38 : f32} : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("elu")
  %v20 = tosa.clamp %v18 {min_val = -3.402823466e+38 : f32, max_val = 0.000000000e+00 : f32} : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("elu")
  %v21 = tosa.exp %v20 : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("elu")
  %v22 = "tosa.const"() <{values = dense<1.000000000e+00> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32> loc("elu")
  %v23 = tosa.sub %v21, %v22 : (tensor<1x2x4x6xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x4x6xf32> loc("elu")
  %v24 = tosa.mul %v23, %v22, %v11 : (tensor<1x2x4x6xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4x6xf32> loc("elu")
  %v25 = tosa.add %v19, %v24 : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("elu")
  return %v25 : tensor<1x2x4x6xf32>
}
