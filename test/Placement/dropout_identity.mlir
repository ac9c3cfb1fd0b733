// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @dropout_identity(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0xC306C83EE2AA89BD474F393F646EADBE"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0x1174D9BDD6E6AFBE"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v7 = tosa.transpose %v6 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c2")
  %v8 = "tosa.const"() <{values = dense<"0x2FC119BEB5D4F53EB522E3BEE7F3B0BE"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c2")
  %v9 = "tosa.const"() <{values = dense<"0xA2F79FBE87268FBC"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c2")
  %v10 = tosa.conv2d %v7, %v8, %v9, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c2")
  %v11 = tosa.transpose %v10 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  return %v11 : tensor<1x2x4x6xf32>
}
