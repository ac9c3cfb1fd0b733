// RUN: %python %S/placement.py %s
// Written by write.py.

#default = #qbackend.qconfig<activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
#fixed_0_1 = #qbackend.qconfig<activation = <fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>, weight = <min_max, si8, per_tensor_symmetric>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #default
  qbackend.qconfig object_type "sigmoid" #fixed_0_1
  qbackend.qconfig object_type "hardsigmoid" #fixed_0_1
  qbackend.qconfig module_name "h" none
}

func.func @maxpool_none_between(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x2x3xf32>) {
  %v1 = arith.constant dense<"0xC4DF453E3526DA3E"> : tensor<2xf32> loc("c1")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c1")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c1")
  %v4 = arith.constant dense<"0x01786D3E278E063F5A6F183FEA69E6BE"> : tensor<2x2x1x1xf32> loc("c1")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v6 = tensor.empty() : tensor<1x2x2x3xf32> loc("h")
  %v7 = arith.constant 0xFF800000 : f32 loc("h")
  %v8 = linalg.fill ins(%v7 : f32) outs(%v6 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("h")
  %v9 = tensor.empty() : tensor<2x2xf32> loc("h")
  %v10 = linalg.pooling_nchw_max {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[2, 2]> : vector<2xi64>} ins(%v5, %v9 : tensor<1x2x4x6xf32>, tensor<2x2xf32>) outs(%v8 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("h")
  %v11 = arith.constant dense<"0x976DA73E852AF5BE"> : tensor<2xf32> loc("c2")
  %v12 = tensor.empty() : tensor<1x2x2x3xf32> loc("c2")
  %v13 = linalg.broadcast ins(%v11 : tensor<2xf32>) outs(%v12 : tensor<1x2x2x3xf32>) dimensions = [0, 2, 3] loc("c2")
  %v14 = arith.constant dense<"0x66F2EC3C94134B3F9D6D313F45810FBF"> : tensor<2x2x1x1xf32> loc("c2")
  %v15 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v10, %v14 : tensor<1x2x2x3xf32>, tensor<2x2x1x1xf32>) outs(%v13 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("c2")
  return %v15 : tensor<1x2x2x3xf32>
}
