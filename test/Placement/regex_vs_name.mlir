// RUN: %python %S/placement.py %s
// Written by write.py.

#default = #qbackend.qconfig<activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
#fixed_0_1 = #qbackend.qconfig<activation = <fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>, weight = <min_max, si8, per_tensor_symmetric>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #default
  qbackend.qconfig object_type "sigmoid" #fixed_0_1
  qbackend.qconfig object_type "hardsigmoid" #fixed_0_1
  qbackend.qconfig module_name_regex "c.*" none
  qbackend.qconfig module_name "c2" #default
}

func.func @regex_vs_name(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0xA28AAF3D08548DBE"> : tensor<2xf32> loc("c1")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c1")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c1")
  %v4 = arith.constant dense<"0xB36D003F65C382BF81A27BBFE0B94D3E"> : tensor<2x2x1x1xf32> loc("c1")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v6 = arith.constant dense<"0x059DAF3E63A84ABE"> : tensor<2xf32> loc("c2")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("c2")
  %v8 = linalg.broadcast ins(%v6 : tensor<2xf32>) outs(%v7 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c2")
  %v9 = arith.constant dense<"0x8807963E3FA0153FA431053FBE883BBF"> : tensor<2x2x1x1xf32> loc("c2")
  %v10 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v5, %v9 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v8 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  return %v10 : tensor<1x2x4x6xf32>
}
