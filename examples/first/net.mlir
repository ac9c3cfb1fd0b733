func.func @main(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<[[0.5, -0.25], [1.0, 0.125], [-0.75, 0.5], [0.25, 1.0]]> : tensor<4x2xf32>
  %zero = arith.constant dense<0.0> : tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<1x2xf32>) -> tensor<1x2xf32>
  %r = linalg.max ins(%y, %zero : tensor<1x2xf32>, tensor<1x2xf32>) outs(%zero : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}
