// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @conv_bn_relu(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("conv")
  %v2 = "tosa.const"() <{values = dense<"0xD2F4083CB80AABBED515A33E2790373EF7D380BE1EF3DC3CAF6DA23E2793F6BDA33F08BE3ED8503E01125EBD8E800EBE33486D3E3BAF06BD637E83BDB67D84BE7FA30F3DB14E8CBDAAB856BE4B8C21BE811A2CBED5B675BE8C48353E9521AA3E44001FBE8C283A3CEB902BBC4E128BBEA30BAE3E10D5B23D4423A73E0957483EEBC3223E71A5A33DBCCFEE3CF213973E"> : tensor<2x3x3x2xf32>}> : () -> tensor<2x3x3x2xf32> loc("conv")
  %v3 = "tosa.const"() <{values = dense<"0x7CBAEBBE0834EA3C"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("conv")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("conv")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x3x3x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("conv")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("conv")
  %v7 = "tosa.const"() <{values = dense<"0xDC57BE3D04A975BE"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("bn")
  %v8 = tosa.sub %v6, %v7 : (tensor<1x2x4x6xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x6xf32> loc("bn")
  %v9 = "tosa.const"() <{values = dense<"0x3D81AB3F2937813F"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("bn")
  %v10 = "tosa.const"() <{values = dense<9.999999747e-06> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32> loc("bn")
  %v11 = tosa.add %v9, %v10 : (tensor<1x2x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x1x1xf32> loc("bn")
  %v12 = tosa.rsqrt %v11 : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("bn")
  %v13 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8> loc("bn")
  %v14 = tosa.mul %v8, %v12, %v13 : (tensor<1x2x4x6xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4x6xf32> loc("bn")
  %v15 = "tosa.const"() <{values = dense<"0x0997753F24F60F3F"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("bn")
  %v16 = tosa.mul %v14, %v15, %v13 : (tensor<1x2x4x6xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4x6xf32> loc("bn")
  %v17 = "tosa.const"() <{values = dense<"0x55B8103E4B8CB43E"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("bn")
  %v18 = tosa.add %v16, %v17 : (tensor<1x2x4x6xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x6xf32> loc("bn")
  %v19 = tosa.clamp %v18 {min_val = 0.000000000e+00 : f32, max_val = 3.402823466e+38 : f32} : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("relu")
  return %v19 : tensor<1x2x4x6xf32>
}
