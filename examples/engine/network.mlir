// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two linear layers of one input, and their sum.

func.func @main(%x: tensor<1x4xf32> loc("x")) -> tensor<1x3xf32> {
  %w0 = arith.constant dense<[[1.0, -0.5, 0.25], [0.5, 0.75, -1.0], [0.0, 0.125, 0.5], [-0.75, 0.25, 1.0]]> : tensor<4x3xf32>
  %w1 = arith.constant dense<[[-0.25, 1.0, 0.5], [0.5, -1.0, 0.75], [1.0, 0.5, -0.5], [0.25, 0.0, -0.125]]> : tensor<4x3xf32>
  %b0 = arith.constant dense<[[0.5, -0.25, 0.125]]> : tensor<1x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3xf32>) -> tensor<1x3xf32>
  %m0 = linalg.matmul ins(%x, %w0 : tensor<1x4xf32>, tensor<4x3xf32>) outs(%i : tensor<1x3xf32>) -> tensor<1x3xf32> loc("left")
  %l0 = linalg.add ins(%m0, %b0 : tensor<1x3xf32>, tensor<1x3xf32>) outs(%e : tensor<1x3xf32>) -> tensor<1x3xf32> loc("left")
  %l1 = linalg.matmul ins(%x, %w1 : tensor<1x4xf32>, tensor<4x3xf32>) outs(%i : tensor<1x3xf32>) -> tensor<1x3xf32> loc("right")
  %y = linalg.add ins(%l0, %l1 : tensor<1x3xf32>, tensor<1x3xf32>) outs(%e : tensor<1x3xf32>) -> tensor<1x3xf32> loc("sum")
  return %y : tensor<1x3xf32>
}
