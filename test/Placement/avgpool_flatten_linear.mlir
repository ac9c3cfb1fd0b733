// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @avgpool_flatten_linear(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0x61A1763FAF80113F9D1E4BBFD192313FFF903D3F3D27A3BE"> : tensor<3x1x1x2xf32>}> : () -> tensor<3x1x1x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0xCCED3A3C79EBD13D330825BE"> : tensor<3xf32>}> : () -> tensor<3xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<3x1x1x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x3xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x3xf32>) -> tensor<1x3x4x6xf32> loc("c")
  %v7 = tosa.transpose %v6 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x3x4x6xf32>) -> tensor<1x4x6x3xf32> loc("p")
  %v8 = tosa.avg_pool2d %v7, %v4, %v4 {kernel = array<i64: 4, 6>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, acc_type = f32} : (tensor<1x4x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x3xf32> loc("p")
  %v9 = tosa.transpose %v8 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x1x1x3xf32>) -> tensor<1x3x1x1xf32> loc("p")
  %v10 = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("flatten")
  %v11 = tosa.reshape %v9, %v10 : (tensor<1x3x1x1xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("flatten")
  %v12 = tosa.const_shape {values = dense<[1, 1, 3]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("l")
  %v13 = tosa.reshape %v11, %v12 : (tensor<1x3xf32>, !tosa.shape<3>) -> tensor<1x1x3xf32> loc("l")
  %v14 = "tosa.const"() <{values = dense<"0xCC09583EA7D18FBE742BCE3EF9D3FABDBD1B203FBB0A273E"> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32> loc("l")
  %v15 = tosa.matmul %v13, %v14, %v4, %v4 : (tensor<1x1x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2xf32> loc("l")
  %v16 = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("l")
  %v17 = tosa.reshape %v15, %v16 : (tensor<1x1x2xf32>, !tosa.shape<2>) -> tensor<1x2xf32> loc("l")
  %v18 = "tosa.const"() <{values = dense<"0x0F8CF33EAB11DB3E"> : tensor<1x2xf32>}> : () -> tensor<1x2xf32> loc("l")
  %v19 = tosa.add %v17, %v18 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> loc("l")
  return %v19 : tensor<1x2xf32>
}
