// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @add_three(%arg0: tensor<1x2x4x6xf32> loc("x"), %arg1: tensor<1x2x4x6xf32> loc("y")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tensor.empty() : tensor<1x2x4x6xf32> loc("add")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %arg1 : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) outs(%v1 : tensor<1x2x4x6xf32>) {
  ^bb0(%b2: f32, %b3: f32, %b4: f32):
    %b5 = arith.addf %b2, %b3 : f32
    linalg.yield %b5 : f32
  } -> tensor<1x2x4x6xf32> loc("add")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("add_1")
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v6, %arg1 : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) outs(%v7 : tensor<1x2x4x6xf32>) {
  ^bb0(%b8: f32, %b9: f32, %b10: f32):
    %b11 = arith.addf %b8, %b9 : f32
    linalg.yield %b11 : f32
  } -> tensor<1x2x4x6xf32> loc("add_1")
  %v13 = arith.constant 0.000000000e+00 : f32 loc("relu")
  %v14 = tensor.empty() : tensor<1x2x4x6xf32> loc("relu")
  %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v12 : tensor<1x2x4x6xf32>) outs(%v14 : tensor<1x2x4x6xf32>) {
  ^bb0(%b15: f32, %b16: f32):
    %b17 = arith.cmpf ugt, %b15, %v13 : f32
    %b18 = arith.select %b17, %b15, %v13 : f32
    linalg.yield %b18 : f32
  } -> tensor<1x2x4x6xf32> loc("relu")
  return %v19 : tensor<1x2x4x6xf32>
}
