// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @chunk_getitem(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0x42BE84BF2AC3ED3E5C6AB7BE38316B3F639A56BFFEC4B43E975F2D3F5B10D03E"> : tensor<4x1x1x2xf32>}> : () -> tensor<4x1x1x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0x8E20FF3EFF9E893E322B55BEC1734BBE"> : tensor<4xf32>}> : () -> tensor<4xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<4x1x1x2xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x4xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x4xf32>) -> tensor<1x4x4x6xf32> loc("c")
  %v7 = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4> loc("getitem")
  %v8 = tosa.const_shape {values = dense<[1, 2, 4, 6]> : tensor<4xindex>} : () -> !tosa.shape<4> loc("getitem")
  %v9 = tosa.slice %v6, %v7, %v8 : (tensor<1x4x4x6xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x2x4x6xf32> loc("getitem")
  %v10 = tosa.const_shape {values = dense<[0, 2, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4> loc("getitem_1")
  %v11 = tosa.slice %v6, %v10, %v8 : (tensor<1x4x4x6xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x2x4x6xf32> loc("getitem_1")
  %v12 = tosa.add %v9, %v11 : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("add")
  return %v12 : tensor<1x2x4x6xf32>
}
