// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @conv_tanh_softmax(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0x18F25A3F9AC66ABF0F9BBB3E9D8E6EBD"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0xA1AF353EF0B1EBBE"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v7 = tosa.tanh %v6 : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("tanh")
  %v8 = tosa.reduce_max %v7 {axis = 1 : i32} : (tensor<1x2x4x6xf32>) -> tensor<1x1x4x6xf32> loc("s")
  %v9 = tosa.sub %v7, %v8 : (tensor<1x2x4x6xf32>, tensor<1x1x4x6xf32>) -> tensor<1x2x4x6xf32> loc("s")
  %v10 = tosa.exp %v9 : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("s")
  %v11 = tosa.reduce_sum %v10 {axis = 1 : i32} : (tensor<1x2x4x6xf32>) -> tensor<1x1x4x6xf32> loc("s")
  %v12 = tosa.reciprocal %v11 : (tensor<1x1x4x6xf32>) -> tensor<1x1x4x6xf32> loc("s")
  %v13 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8> loc("s")
  %v14 = tosa.mul %v10, %v12, %v13 : (tensor<1x2x4x6xf32>, tensor<1x1x4x6xf32>, tensor<1xi8>) -> tensor<1x2x4x6xf32> loc("s")
  return %v14 : tensor<1x2x4x6xf32>
}
