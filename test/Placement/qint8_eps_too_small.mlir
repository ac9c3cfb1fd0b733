// RUN: %python %S/placement.py %s
// Written by write.py.

#small_eps = #qbackend.qconfig<activation = <min_max, si8>, weight = <min_max, si8, per_tensor_symmetric, quant_min = -127, quant_max = 127, eps = 2.44140625E-4>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #small_eps
}

func.func @qint8_eps_too_small(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0x88B5103E8018463D"> : tensor<2xf32> loc("c")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c")
  %v4 = arith.constant dense<"0x3FBE333F2E0797BECB32DC3EBD90433F"> : tensor<2x2x1x1xf32> loc("c")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v6 = arith.constant 0.000000000e+00 : f32 loc("relu")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("relu")
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v5 : tensor<1x2x4x6xf32>) outs(%v7 : tensor<1x2x4x6xf32>) {
  ^bb0(%b8: f32, %b9: f32):
    %b10 = arith.cmpf ugt, %b8, %v6 : f32
    %b11 = arith.select %b10, %b8, %v6 : f32
    linalg.yield %b11 : f32
  } -> tensor<1x2x4x6xf32> loc("relu")
  return %v12 : tensor<1x2x4x6xf32>
}
