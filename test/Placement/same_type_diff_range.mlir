// RUN: %python %S/placement.py %s
// Written by write.py.

#min_max_7bit = #qbackend.qconfig<activation = <min_max, ui8, quant_min = 0, quant_max = 127>, weight = <min_max, si8, per_tensor_symmetric>>
#min_max = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig module_name "c1" #min_max
  qbackend.qconfig module_name "c2" #min_max_7bit
}

func.func @same_type_diff_range(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0x4756263E6E67C1BE"> : tensor<2xf32> loc("c1")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c1")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c1")
  %v4 = arith.constant dense<"0x9D861FBF6DAFDC3E41BECC3E3C22CD3E"> : tensor<2x2x1x1xf32> loc("c1")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v6 = arith.constant dense<"0xAB5F08BEEBF8343E"> : tensor<2xf32> loc("c2")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("c2")
  %v8 = linalg.broadcast ins(%v6 : tensor<2xf32>) outs(%v7 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c2")
  %v9 = arith.constant dense<"0x34AC31BF7996C9BEE9941FBF91A06EBF"> : tensor<2x2x1x1xf32> loc("c2")
  %v10 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v9 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v8 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  return %v5, %v10 : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>
}
