// RUN: %python %S/placement.py %s
// Written by write.py.

#symmetric = #qbackend.qconfig<activation = <histogram, si8, eps = 2.44140625E-4>, weight = <min_max, si8, per_tensor_symmetric, quant_min = -127, quant_max = 127, eps = 2.44140625E-4>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #symmetric
}

func.func @sym_maxpool_linear(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2xf32>) {
  %v1 = arith.constant dense<"0x254DF6BD5D1434BE9B9FA53D"> : tensor<3xf32> loc("c")
  %v2 = tensor.empty() : tensor<1x3x4x6xf32> loc("c")
  %v3 = linalg.broadcast ins(%v1 : tensor<3xf32>) outs(%v2 : tensor<1x3x4x6xf32>) dimensions = [0, 2, 3] loc("c")
  %v4 = arith.constant dense<"0x8A3F30BE4B71613FC4691D3D8614373FC3A88ABE242C173E"> : tensor<3x2x1x1xf32> loc("c")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<3x2x1x1xf32>) outs(%v3 : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32> loc("c")
  %v6 = tensor.empty() : tensor<1x3x1x1xf32> loc("p")
  %v7 = arith.constant 0.000000000e+00 : f32 loc("p")
  %v8 = linalg.fill ins(%v7 : f32) outs(%v6 : tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32> loc("p")
  %v9 = tensor.empty() : tensor<4x6xf32> loc("p")
  %v10 = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v5, %v9 : tensor<1x3x4x6xf32>, tensor<4x6xf32>) outs(%v8 : tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32> loc("p")
  %v11 = arith.constant 2.400000000e+01 : f32 loc("p")
  %v12 = tensor.empty() : tensor<1x3x1x1xf32> loc("p")
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v10 : tensor<1x3x1x1xf32>) outs(%v12 : tensor<1x3x1x1xf32>) {
  ^bb0(%b13: f32, %b14: f32):
    %b15 = arith.divf %b13, %v11 : f32
    linalg.yield %b15 : f32
  } -> tensor<1x3x1x1xf32> loc("p")
  %v17 = tensor.collapse_shape %v16 [[0], [1, 2, 3]] : tensor<1x3x1x1xf32> into tensor<1x3xf32> loc("flatten")
  %v18 = arith.constant dense<"0xB74B88BEE422DA3E"> : tensor<2xf32> loc("l")
  %v19 = tensor.empty() : tensor<1x2xf32> loc("l")
  %v20 = linalg.broadcast ins(%v18 : tensor<2xf32>) outs(%v19 : tensor<1x2xf32>) dimensions = [0] loc("l")
  %v21 = arith.constant dense<"0xE897993E304C1B3FDB3EDFBEEBBEBD3EA74BBA3EA17D233F"> : tensor<2x3xf32> loc("l")
  %v22 = tensor.empty() : tensor<3x2xf32> loc("l")
  %v23 = linalg.transpose ins(%v21 : tensor<2x3xf32>) outs(%v22 : tensor<3x2xf32>) permutation = [1, 0] loc("l")
  %v24 = linalg.matmul ins(%v17, %v23 : tensor<1x3xf32>, tensor<3x2xf32>) outs(%v20 : tensor<1x2xf32>) -> tensor<1x2xf32> loc("l")
  return %v24 : tensor<1x2xf32>
}
