// RUN: %python %S/placement.py %s
// Written by write.py.

#symmetric = #qbackend.qconfig<activation = <histogram, si8, eps = 2.44140625E-4>, weight = <min_max, si8, per_tensor_symmetric, quant_min = -127, quant_max = 127, eps = 2.44140625E-4>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #symmetric
}

func.func @symmetric_qint8_conv_relu_add(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0x331B463F2BF3403F5CE7283F688C01BF"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0x5079D8BE2A97E43E"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v7 = tosa.clamp %v6 {min_val = 0.000000000e+00 : f32, max_val = 3.402823466e+38 : f32} : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("relu")
  %v8 = tosa.add %v7, %arg0 : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("add")
  return %v8 : tensor<1x2x4x6xf32>
}
