// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @add_scalar_input(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = "tosa.const"() <{values = dense<3.000000000e+00> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32> loc("add")
  %v2 = tosa.add %arg0, %v1 : (tensor<1x2x4x6xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x4x6xf32> loc("add")
  %v3 = tosa.transpose %v2 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<"0xB4C3D63E2438CABE42B64DBF9E99BFBE"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c")
  %v5 = "tosa.const"() <{values = dense<"0xCDC7DC3E464F943E"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v6 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v7 = tosa.conv2d %v3, %v4, %v5, %v6, %v6 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v8 = tosa.transpose %v7 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c")
  return %v8 : tensor<1x2x4x6xf32>
}
