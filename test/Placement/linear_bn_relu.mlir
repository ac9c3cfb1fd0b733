// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @linear_bn_relu(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("l")
  %v2 = tosa.reshape %arg0, %v1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32> loc("l")
  %v3 = "tosa.const"() <{values = dense<"0x3A9603BEB395163E78021EBF75410FBF0A23D3BD9D4B1E3F1ED9AB3CE13A93BE5C6CD4BEB9B79BBE12425EBE02633BBF"> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32> loc("l")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("l")
  %v5 = tosa.matmul %v2, %v3, %v4, %v4 : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("l")
  %v6 = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("l")
  %v7 = tosa.reshape %v5, %v6 : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("l")
  %v8 = "tosa.const"() <{values = dense<"0x976EA23EDBF2B43EABD7EF3E"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("l")
  %v9 = tosa.add %v7, %v8 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("l")
  %v10 = "tosa.const"() <{values = dense<"0x4A305ABE57D447BED1260B3E"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("bn")
  %v11 = tosa.sub %v9, %v10 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("bn")
  %v12 = "tosa.const"() <{values = dense<"0x0C042C3F33ED863FA9AEA63F"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("bn")
  %v13 = "tosa.const"() <{values = dense<9.999999747e-06> : tensor<1x1xf32>}> : () -> tensor<1x1xf32> loc("bn")
  %v14 = tosa.add %v12, %v13 : (tensor<1x3xf32>, tensor<1x1xf32>) -> tensor<1x3xf32> loc("bn")
  %v15 = tosa.rsqrt %v14 : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("bn")
  %v16 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8> loc("bn")
  %v17 = tosa.mul %v11, %v15, %v16 : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1xi8>) -> tensor<1x3xf32> loc("bn")
  %v18 = "tosa.const"() <{values = dense<"0x58FF9B3F27A3563F2693603F"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("bn")
  %v19 = tosa.mul %v17, %v18, %v16 : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1xi8>) -> tensor<1x3xf32> loc("bn")
  %v20 = "tosa.const"() <{values = dense<"0xA2568BBEABCE27BEF9BC553E"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("bn")
  %v21 = tosa.add %v19, %v20 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("bn")
  %v22 = tosa.clamp %v21 {min_val = 0.000000000e+00 : f32, max_val = 3.402823466e+38 : f32} : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("r")
  return %v22 : tensor<1x3xf32>
}
