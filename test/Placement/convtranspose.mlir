// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @convtranspose(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x8x12xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0xCDF414BE0C67213C517DCA3D90E3D2BE8FB5EABD4A3AD53E0E5A063E24EF083E9A3B293E98C00ABE571304BF467D6D3EF710963E9D69EB3E9A9C063F427A943D"> : tensor<2x2x2x2xf32>}> : () -> tensor<2x2x2x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0x9C65F6BEB6B8B7BE"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.transpose_conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x6x2xf32>, tensor<2x2x2x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x12x2xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x8x12x2xf32>) -> tensor<1x2x8x12xf32> loc("c")
  %v7 = tosa.clamp %v6 {min_val = 0.000000000e+00 : f32, max_val = 3.402823466e+38 : f32} : (tensor<1x2x8x12xf32>) -> tensor<1x2x8x12xf32> loc("r")
  return %v7 : tensor<1x2x8x12xf32>
}
