// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @conv_relu6_clamp_mean(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2xf32>) {
  %v1 = arith.constant dense<"0xF938DE3EDB81D4BE"> : tensor<2xf32> loc("c")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c")
  %v4 = arith.constant dense<"0x43445C3F239765BF0004F7BE0158843E"> : tensor<2x2x1x1xf32> loc("c")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v6 = arith.constant 0.000000000e+00 : f32 loc("r")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("r")
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v5 : tensor<1x2x4x6xf32>) outs(%v7 : tensor<1x2x4x6xf32>) {
  ^bb0(%b8: f32, %b9: f32):
    %b10 = arith.cmpf ugt, %b8, %v6 : f32
    %b11 = arith.select %b10, %b8, %v6 : f32
    linalg.yield %b11 : f32
  } -> tensor<1x2x4x6xf32> loc("r")
  %v13 = arith.constant 6.000000000e+00 : f32 loc("r")
  %v14 = tensor.empty() : tensor<1x2x4x6xf32> loc("r")
  %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v12 : tensor<1x2x4x6xf32>) outs(%v14 : tensor<1x2x4x6xf32>) {
  ^bb0(%b15: f32, %b16: f32):
    %b17 = arith.cmpf ult, %b15, %v13 : f32
    %b18 = arith.select %b17, %b15, %v13 : f32
    linalg.yield %b18 : f32
  } -> tensor<1x2x4x6xf32> loc("r")
  %v20 = arith.constant 4.000000000e+00 : f32 loc("clamp")
  %v21 = tensor.empty() : tensor<1x2x4x6xf32> loc("clamp")
  %v28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v19 : tensor<1x2x4x6xf32>) outs(%v21 : tensor<1x2x4x6xf32>) {
  ^bb0(%b22: f32, %b23: f32):
    %b24 = arith.cmpf ugt, %b22, %v6 : f32
    %b25 = arith.select %b24, %b22, %v6 : f32
    %b26 = arith.cmpf ult, %b25, %v20 : f32
    %b27 = arith.select %b26, %b25, %v20 : f32
    linalg.yield %b27 : f32
  } -> tensor<1x2x4x6xf32> loc("clamp")
  %v29 = tensor.empty() : tensor<1x2x1x1xf32> loc("mean")
  %v30 = linalg.fill ins(%v6 : f32) outs(%v29 : tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("mean")
  %v34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%v28 : tensor<1x2x4x6xf32>) outs(%v30 : tensor<1x2x1x1xf32>) {
  ^bb0(%b31: f32, %b32: f32):
    %b33 = arith.addf %b31, %b32 : f32
    linalg.yield %b33 : f32
  } -> tensor<1x2x1x1xf32> loc("mean")
  %v35 = arith.constant 2.400000000e+01 : f32 loc("mean")
  %v36 = tensor.empty() : tensor<1x2x1x1xf32> loc("mean")
  %v40 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v34 : tensor<1x2x1x1xf32>) outs(%v36 : tensor<1x2x1x1xf32>) {
  ^bb0(%b37: f32, %b38: f32):
    %b39 = arith.divf %b37, %v35 : f32
    linalg.yield %b39 : f32
  } -> tensor<1x2x1x1xf32> loc("mean")
  %v41 = tensor.collapse_shape %v40 [[0], [1, 2, 3]] : tensor<1x2x1x1xf32> into tensor<1x2xf32> loc("mean")
  return %v41 : tensor<1x2xf32>
}
