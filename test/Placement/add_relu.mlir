// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @add_relu(%arg0: tensor<1x2x4x6xf32> loc("x"), %arg1: tensor<1x2x4x6xf32> loc("y")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tensor.empty() : tensor<1x2x4x6xf32> loc("add")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %arg1 : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) outs(%v1 : tensor<1x2x4x6xf32>) {
  ^bb0(%b2: f32, %b3: f32, %b4: f32):
    %b5 = arith.addf %b2, %b3 : f32
    linalg.yield %b5 : f32
  } -> tensor<1x2x4x6xf32> loc("add")
  %v7 = arith.constant 0.000000000e+00 : f32 loc("relu")
  %v8 = tensor.empty() : tensor<1x2x4x6xf32> loc("relu")
  %v13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v6 : tensor<1x2x4x6xf32>) outs(%v8 : tensor<1x2x4x6xf32>) {
  ^bb0(%b9: f32, %b10: f32):
    %b11 = arith.cmpf ugt, %b9, %v7 : f32
    %b12 = arith.select %b11, %b9, %v7 : f32
    linalg.yield %b12 : f32
  } -> tensor<1x2x4x6xf32> loc("relu")
  return %v13 : tensor<1x2x4x6xf32>
}
