// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @matmul(%arg0: tensor<1x3x4xf32> loc("x"), %arg1: tensor<1x4x2xf32> loc("y")) -> (tensor<1x3x2xf32>) {
  %v1 = tensor.empty() : tensor<1x3x2xf32> loc("matmul")
  %v2 = arith.constant 0.000000000e+00 : f32 loc("matmul")
  %v3 = linalg.fill ins(%v2 : f32) outs(%v1 : tensor<1x3x2xf32>) -> tensor<1x3x2xf32> loc("matmul")
  %v4 = linalg.batch_matmul ins(%arg0, %arg1 : tensor<1x3x4xf32>, tensor<1x4x2xf32>) outs(%v3 : tensor<1x3x2xf32>) -> tensor<1x3x2xf32> loc("matmul")
  return %v4 : tensor<1x3x2xf32>
}
