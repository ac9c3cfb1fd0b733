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

func.func @two_consumers_two_obs(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0xE38A8BBE0DB6703E"> : tensor<2xf32> loc("c1")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c1")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c1")
  %v4 = arith.constant dense<"0xEB15FC3E7455593FDC60073FD07F503F"> : tensor<2x2x1x1xf32> loc("c1")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v6 = arith.constant dense<"0xA16B91BE96ADEEBD"> : tensor<2xf32> loc("c2")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("c2")
  %v8 = linalg.broadcast ins(%v6 : tensor<2xf32>) outs(%v7 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c2")
  %v9 = arith.constant dense<"0xFE9BA13E00D9EBBE5CD1EBBE0084383F"> : tensor<2x2x1x1xf32> loc("c2")
  %v10 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v9 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v8 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  return %v5, %v10 : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>
}
