func.func @main(%x: tensor<2xf32>, %y: tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> {
  %e = tensor.empty() : tensor<1x2x4x6xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y : tensor<1x2x4x6xf32>) outs(%e : tensor<1x2x4x6xf32>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  } -> tensor<1x2x4x6xf32>
  %1 = linalg.broadcast ins(%x : tensor<2xf32>) outs(%e : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3.4e38]
  %2 = arith.addf %0, %1 : tensor<1x2x4x6xf32>
  return %2 : tensor<1x2x4x6xf32>
}
