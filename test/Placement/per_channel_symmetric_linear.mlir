// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @per_channel_symmetric_linear(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = arith.constant dense<"0x344ECF3D4D78D33EB57ABBBD"> : tensor<3xf32> loc("l")
  %v2 = tensor.empty() : tensor<1x3xf32> loc("l")
  %v3 = linalg.broadcast ins(%v1 : tensor<3xf32>) outs(%v2 : tensor<1x3xf32>) dimensions = [0] loc("l")
  %v4 = arith.constant dense<"0x7D7702BF96E3DD3D44B83CBE5CFC87BEC9518F3E4C56353F4843333FA48E833E9C84FD3ECC8777BD047C8CBE94BB823D"> : tensor<3x4xf32> loc("l")
  %v5 = tensor.empty() : tensor<4x3xf32> loc("l")
  %v6 = linalg.transpose ins(%v4 : tensor<3x4xf32>) outs(%v5 : tensor<4x3xf32>) permutation = [1, 0] loc("l")
  %v7 = linalg.matmul ins(%arg0, %v6 : tensor<1x4xf32>, tensor<4x3xf32>) outs(%v3 : tensor<1x3xf32>) -> tensor<1x3xf32> loc("l")
  %v8 = arith.constant 0.000000000e+00 : f32 loc("relu")
  %v9 = tensor.empty() : tensor<1x3xf32> loc("relu")
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v7 : tensor<1x3xf32>) outs(%v9 : tensor<1x3xf32>) {
  ^bb0(%b10: f32, %b11: f32):
    %b12 = arith.cmpf ugt, %b10, %v8 : f32
    %b13 = arith.select %b12, %b10, %v8 : f32
    linalg.yield %b13 : f32
  } -> tensor<1x3xf32> loc("relu")
  return %v14 : tensor<1x3xf32>
}
