// RUN: %python %S/placement.py %s
// Written by write.py.

#default = #qbackend.qconfig<activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
#fixed_0_1 = #qbackend.qconfig<activation = <fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>, weight = <min_max, si8, per_tensor_symmetric>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #default
  qbackend.qconfig object_type "sigmoid" #fixed_0_1
  qbackend.qconfig object_type "hardsigmoid" #fixed_0_1
  qbackend.qconfig module_name "c1" none
}

func.func @add_scalar_then_none(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c1")
  %v2 = "tosa.const"() <{values = dense<"0x9F81023E9EA9853F63B724BF55C6373C"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c1")
  %v3 = "tosa.const"() <{values = dense<"0xE96799BE9CC4A7BE"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c1")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c1")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c1")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v7 = "tosa.const"() <{values = dense<1.000000000e+00> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32> loc("add")
  %v8 = tosa.add %v6, %v7 : (tensor<1x2x4x6xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x4x6xf32> loc("add")
  %v9 = tosa.transpose %v8 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c2")
  %v10 = "tosa.const"() <{values = dense<"0xBFC78FBEBB75E6BEA0623BBEEAE8843F"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c2")
  %v11 = "tosa.const"() <{values = dense<"0x1F08AEBB945345BC"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c2")
  %v12 = tosa.conv2d %v9, %v10, %v11, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c2")
  %v13 = tosa.transpose %v12 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  return %v13 : tensor<1x2x4x6xf32>
}
