// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @bigger_cat(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x6x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("a")
  %v2 = "tosa.const"() <{values = dense<"0x1911493F8F8AE7BECD0F603E94B7163F"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("a")
  %v3 = "tosa.const"() <{values = dense<"0xAB425D3EB4ACD43E"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("a")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("a")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("a")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("a")
  %v7 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("b")
  %v8 = "tosa.const"() <{values = dense<"0xF4B6433F9620633F908B80BFD94F08BE"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("b")
  %v9 = "tosa.const"() <{values = dense<"0x12AC76BC1CA4DEBE"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("b")
  %v10 = tosa.conv2d %v7, %v8, %v9, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("b")
  %v11 = tosa.transpose %v10 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("b")
  %v12 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v13 = "tosa.const"() <{values = dense<"0xA33C86BFEF8B333F073B833F468F1A3F"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c")
  %v14 = "tosa.const"() <{values = dense<"0x70D23CBE0043523E"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v15 = tosa.conv2d %v12, %v13, %v14, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v16 = tosa.transpose %v15 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v17 = tosa.concat %v11, %v16 {axis = 1 : i32} : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x4x4x6xf32> loc("cat")
  %v18 = tosa.concat %v6, %v17 {axis = 1 : i32} : (tensor<1x2x4x6xf32>, tensor<1x4x4x6xf32>) -> tensor<1x6x4x6xf32> loc("cat_1")
  return %v18 : tensor<1x6x4x6xf32>
}
