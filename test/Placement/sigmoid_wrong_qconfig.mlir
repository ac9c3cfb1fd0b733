// RUN: %python %S/placement.py %s
// Written by write.py.

#min_max_7bit = #qbackend.qconfig<activation = <min_max, ui8, quant_min = 0, quant_max = 127>, weight = <min_max, si8, per_tensor_symmetric>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #min_max_7bit
}

func.func @sigmoid_wrong_qconfig(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0xA3B619BE7FF689BE"> : tensor<2xf32> loc("c")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c")
  %v4 = arith.constant dense<"0x185107BFDE9C723F91B728BFD2292EBF"> : tensor<2x2x1x1xf32> loc("c")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v6 = arith.constant 1.000000000e+00 : f32 loc("s")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("s")
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v5 : tensor<1x2x4x6xf32>) outs(%v7 : tensor<1x2x4x6xf32>) {
  ^bb0(%b8: f32, %b9: f32):
    %b10 = arith.negf %b8 : f32
    %b11 = math.exp %b10 : f32
    %b12 = arith.addf %b11, %v6 : f32
    %b13 = arith.divf %v6, %b12 : f32
    linalg.yield %b13 : f32
  } -> tensor<1x2x4x6xf32> loc("s")
  return %v14 : tensor<1x2x4x6xf32>
}
