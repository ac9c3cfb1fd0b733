// RUN: %python %S/placement.py %s
// Written by write.py.

#default = #qbackend.qconfig<activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
#min_max_7bit = #qbackend.qconfig<activation = <min_max, ui8, quant_min = 0, quant_max = 127>, weight = <min_max, si8, per_tensor_symmetric>>
#fixed_0_1 = #qbackend.qconfig<activation = <fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>, weight = <min_max, si8, per_tensor_symmetric>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #default
  qbackend.qconfig object_type "sigmoid" #fixed_0_1
  qbackend.qconfig object_type "hardsigmoid" #fixed_0_1
  qbackend.qconfig module_name "c2" #min_max_7bit
}

func.func @two_obs_types(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c1")
  %v2 = "tosa.const"() <{values = dense<"0x3565C7BE554E77BFD1358C3E1219D1BE"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c1")
  %v3 = "tosa.const"() <{values = dense<"0x440621BE2A4281BE"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c1")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c1")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c1")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v7 = tosa.transpose %v6 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c2")
  %v8 = "tosa.const"() <{values = dense<"0x03B3523FD51B4ABED74E8BBEFF22503E"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c2")
  %v9 = "tosa.const"() <{values = dense<"0xB7DF21BC347E843D"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c2")
  %v10 = tosa.conv2d %v7, %v8, %v9, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c2")
  %v11 = tosa.transpose %v10 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  return %v11 : tensor<1x2x4x6xf32>
}
