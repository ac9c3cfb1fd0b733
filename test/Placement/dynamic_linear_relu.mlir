// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @dynamic_linear_relu(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x2xf32>) {
  %v1 = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("l")
  %v2 = tosa.reshape %arg0, %v1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32> loc("l")
  %v3 = "tosa.const"() <{values = dense<"0x3C82043FB1ECDABE5A8BB53EB42F02BFD15F2FBEF7203ABF2964B13DBDADDCBD86E5BCBE14A14ABEE4052B3ED1F71F3E"> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32> loc("l")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("l")
  %v5 = tosa.matmul %v2, %v3, %v4, %v4 : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("l")
  %v6 = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("l")
  %v7 = tosa.reshape %v5, %v6 : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("l")
  %v8 = "tosa.const"() <{values = dense<"0x7720D5BEE2DAFE3E4529AA3E"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("l")
  %v9 = tosa.add %v7, %v8 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("l")
  %v10 = tosa.clamp %v9 {min_val = 0.000000000e+00 : f32, max_val = 3.402823466e+38 : f32} : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("relu")
  %v11 = tosa.const_shape {values = dense<[1, 1, 3]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("l2")
  %v12 = tosa.reshape %v10, %v11 : (tensor<1x3xf32>, !tosa.shape<3>) -> tensor<1x1x3xf32> loc("l2")
  %v13 = "tosa.const"() <{values = dense<"0x2E654DBF98A15ABF7694EF3DBB4B0EBF88ED413E3E9314BF"> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32> loc("l2")
  %v14 = tosa.matmul %v12, %v13, %v4, %v4 : (tensor<1x1x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2xf32> loc("l2")
  %v15 = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("l2")
  %v16 = tosa.reshape %v14, %v15 : (tensor<1x1x2xf32>, !tosa.shape<2>) -> tensor<1x2xf32> loc("l2")
  %v17 = "tosa.const"() <{values = dense<"0x06D21BBD3139893D"> : tensor<1x2xf32>}> : () -> tensor<1x2xf32> loc("l2")
  %v18 = tosa.add %v16, %v17 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> loc("l2")
  return %v18 : tensor<1x2xf32>
}
