// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @bn_relu_standalone(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = "tosa.const"() <{values = dense<"0x3507EF3E3A8D37BE"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("b")
  %v2 = tosa.sub %arg0, %v1 : (tensor<1x2x4x6xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x6xf32> loc("b")
  %v3 = "tosa.const"() <{values = dense<"0xEE48333F0ECBAD3F"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("b")
  %v4 = "tosa.const"() <{values = dense<9.999999747e-06> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32> loc("b")
  %v5 = tosa.add %v3, %v4 : (tensor<1x2x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x1x1xf32> loc("b")
  %v6 = tosa.rsqrt %v5 : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("b")
  %v7 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8> loc("b")
  %v8 = tosa.mul %v2, %v6, %v7 : (tensor<1x2x4x6xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4x6xf32> loc("b")
  %v9 = "tosa.const"() <{values = dense<"0x5EF39E3F3878A03F"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("b")
  %v10 = tosa.mul %v8, %v9, %v7 : (tensor<1x2x4x6xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4x6xf32> loc("b")
  %v11 = "tosa.const"() <{values = dense<"0xDA9E0EBD8EE4CABE"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("b")
  %v12 = tosa.add %v10, %v11 : (tensor<1x2x4x6xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x6xf32> loc("b")
  %v13 = tosa.clamp %v12 {min_val = 0.000000000e+00 : f32, max_val = 3.402823466e+38 : f32} : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("relu")
  return %v13 : tensor<1x2x4x6xf32>
}
