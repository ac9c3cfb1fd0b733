// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @fanout_q_and_float(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c1")
  %v2 = "tosa.const"() <{values = dense<"0xC5A9183F9FEC653E52DEE33EC9245FBF"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c1")
  %v3 = "tosa.const"() <{values = dense<"0x00DA053ED22CF63E"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c1")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c1")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c1")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v7 = tosa.transpose %v6 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c2")
  %v8 = "tosa.const"() <{values = dense<"0xBA6126BED47C52BF82DD783F1723BF3E"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c2")
  %v9 = "tosa.const"() <{values = dense<"0x8E099BBE4D30303E"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c2")
  %v10 = tosa.conv2d %v7, %v8, %v9, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c2")
  %v11 = tosa.transpose %v10 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  %v12 = "tosa.const"() <{values = dense<1.000000000e+00> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32> loc("sub")
  %v13 = tosa.sub %v6, %v12 : (tensor<1x2x4x6xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x4x6xf32> loc("sub")
  return %v11, %v13, %v6 : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>
}
