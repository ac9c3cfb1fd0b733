// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @fp16_static_linear(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("l")
  %v2 = tosa.reshape %arg0, %v1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32> loc("l")
  %v3 = "tosa.const"() <{values = dense<"0xD4E878BE9ED51ABFDD81EE3ED8007FBD50A83FBF18471B3FEA0A273FDD7F8FBD6757F03EC1942B3F13CC1C3F868001BF"> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32> loc("l")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("l")
  %v5 = tosa.matmul %v2, %v3, %v4, %v4 : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("l")
  %v6 = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("l")
  %v7 = tosa.reshape %v5, %v6 : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("l")
  %v8 = "tosa.const"() <{values = dense<"0x363DF53EFB7F11BE8879FFBE"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("l")
  %v9 = tosa.add %v7, %v8 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("l")
  return %v9 : tensor<1x3xf32>
}
