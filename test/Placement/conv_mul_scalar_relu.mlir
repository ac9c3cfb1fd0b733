// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @conv_mul_scalar_relu(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0xA350A03EB0FC453D"> : tensor<2xf32> loc("c")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c")
  %v4 = arith.constant dense<"0x28FE91BC893C10BF67D06ABF4F30E73E"> : tensor<2x2x1x1xf32> loc("c")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v6 = arith.constant 2.000000000e+00 : f32 loc("mul")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("mul")
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v5 : tensor<1x2x4x6xf32>) outs(%v7 : tensor<1x2x4x6xf32>) {
  ^bb0(%b8: f32, %b9: f32):
    %b10 = arith.mulf %b8, %v6 : f32
    linalg.yield %b10 : f32
  } -> tensor<1x2x4x6xf32> loc("mul")
  %v12 = arith.constant 0.000000000e+00 : f32 loc("relu")
  %v13 = tensor.empty() : tensor<1x2x4x6xf32> loc("relu")
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v11 : tensor<1x2x4x6xf32>) outs(%v13 : tensor<1x2x4x6xf32>) {
  ^bb0(%b14: f32, %b15: f32):
    %b16 = arith.cmpf ugt, %b14, %v12 : f32
    %b17 = arith.select %b16, %b14, %v12 : f32
    linalg.yield %b17 : f32
  } -> tensor<1x2x4x6xf32> loc("relu")
  return %v18 : tensor<1x2x4x6xf32>
}
