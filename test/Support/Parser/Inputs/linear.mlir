func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %w = arith.constant dense<[[1.0, 0.5, -0.5, 0.25], [0.0, 1.0, 0.5, -1.0],
    [0.5, 0.25, 1.0, 0.0], [-1.0, 0.5, 0.0, 1.0]]> : tensor<4x4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x4xf32>)
    outs(%f : tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32}
    : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
