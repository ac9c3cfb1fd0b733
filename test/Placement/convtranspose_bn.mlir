// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @convtranspose_bn(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x8x12xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0x6396AE3D447805BFBF50E93CD9D7413E0332C63E217C9B3E20FA7E3E51A95F3EE073CBBCC2F3FA3E03FCAB3EF4C5703E08EA413D13A904BF8EF287BDC528E83E"> : tensor<2x2x2x2xf32>}> : () -> tensor<2x2x2x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0x8B22A53E6E133A3E"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.transpose_conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x6x2xf32>, tensor<2x2x2x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x12x2xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x8x12x2xf32>) -> tensor<1x2x8x12xf32> loc("c")
  %v7 = "tosa.const"() <{values = dense<"0xD6BFCD3E2774623E"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("bn")
  %v8 = tosa.sub %v6, %v7 : (tensor<1x2x8x12xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x8x12xf32> loc("bn")
  %v9 = "tosa.const"() <{values = dense<"0x3A94B23FAA1F4B3F"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("bn")
  %v10 = "tosa.const"() <{values = dense<9.999999747e-06> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32> loc("bn")
  %v11 = tosa.add %v9, %v10 : (tensor<1x2x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x1x1xf32> loc("bn")
  %v12 = tosa.rsqrt %v11 : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("bn")
  %v13 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8> loc("bn")
  %v14 = tosa.mul %v8, %v12, %v13 : (tensor<1x2x8x12xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<1x2x8x12xf32> loc("bn")
  %v15 = "tosa.const"() <{values = dense<"0x0BEE9D3F6A75113F"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("bn")
  %v16 = tosa.mul %v14, %v15, %v13 : (tensor<1x2x8x12xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<1x2x8x12xf32> loc("bn")
  %v17 = "tosa.const"() <{values = dense<"0xB0ACF6BEEF5C1A3D"> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32> loc("bn")
  %v18 = tosa.add %v16, %v17 : (tensor<1x2x8x12xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x8x12xf32> loc("bn")
  return %v18 : tensor<1x2x8x12xf32>
}
