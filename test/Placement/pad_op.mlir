// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @pad_op(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0x3BEF7FBCD090D5BEBC5CFBBEF7BB833F"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0x6A6A8FBE9A9CEFBE"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v7 = tosa.const_shape {values = dense<[0, 0, 0, 0, 1, 1, 1, 1]> : tensor<8xindex>} : () -> !tosa.shape<8> loc("pad")
  %v8 = tosa.pad %v6, %v7, %v4 : (tensor<1x2x4x6xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<1x2x6x8xf32> loc("pad")
  %v9 = tosa.transpose %v8 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x6x8xf32>) -> tensor<1x6x8x2xf32> loc("c2")
  %v10 = "tosa.const"() <{values = dense<"0x016A803EC2B768BE34596EBEB71F453E0E9F783E6201FEBD4EA4213E1C975D3EFF5798BE576F8BBEDD7E8FBE5B17A03E2C6408BDD068AFBEB1E52F3E81ED7CBE87058BBEDB2A9ABE9DAEFF3DCF7D9A3E79B58D3E1BF56A3E888497BE55A4B13E272596BD0C88A3BEAB98863EDF2333BD1F389FBE3B8C1E3E69C0E0BDAE6D083EB6D494BD13C79D3E42B492BD8622F53C"> : tensor<2x3x3x2xf32>}> : () -> tensor<2x3x3x2xf32> loc("c2")
  %v11 = "tosa.const"() <{values = dense<"0x7480ADBE8AB30CBE"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c2")
  %v12 = tosa.conv2d %v9, %v10, %v11, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x8x2xf32>, tensor<2x3x3x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c2")
  %v13 = tosa.transpose %v12 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  return %v13 : tensor<1x2x4x6xf32>
}
