// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @relu_then_conv(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = arith.constant 0.000000000e+00 : f32 loc("r")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("r")
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x2x4x6xf32>) outs(%v2 : tensor<1x2x4x6xf32>) {
  ^bb0(%b3: f32, %b4: f32):
    %b5 = arith.cmpf ugt, %b3, %v1 : f32
    %b6 = arith.select %b5, %b3, %v1 : f32
    linalg.yield %b6 : f32
  } -> tensor<1x2x4x6xf32> loc("r")
  %v8 = arith.constant dense<"0xE2BD903E2F33BC3E"> : tensor<2xf32> loc("c")
  %v9 = tensor.empty() : tensor<1x2x4x6xf32> loc("c")
  %v10 = linalg.broadcast ins(%v8 : tensor<2xf32>) outs(%v9 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c")
  %v11 = arith.constant dense<"0x017A0FBFFDFE19BE5E6B5DBF9927493E"> : tensor<2x2x1x1xf32> loc("c")
  %v12 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v7, %v11 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v10 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c")
  return %v12 : tensor<1x2x4x6xf32>
}
