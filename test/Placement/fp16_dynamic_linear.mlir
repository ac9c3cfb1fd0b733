// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @fp16_dynamic_linear(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = arith.constant dense<"0xCB96853E4980A4BE36AABC3E"> : tensor<3xf32> loc("l")
  %v2 = tensor.empty() : tensor<1x3xf32> loc("l")
  %v3 = linalg.broadcast ins(%v1 : tensor<3xf32>) outs(%v2 : tensor<1x3xf32>) dimensions = [0] loc("l")
  %v4 = arith.constant dense<"0x02743EBF7BEA0E3FE892C5BEB807683E0979C3BCFE97DD3E8D32123F457E193FF7FA003D563D323F78F51D3F2D86883E"> : tensor<3x4xf32> loc("l")
  %v5 = tensor.empty() : tensor<4x3xf32> loc("l")
  %v6 = linalg.transpose ins(%v4 : tensor<3x4xf32>) outs(%v5 : tensor<4x3xf32>) permutation = [1, 0] loc("l")
  %v7 = linalg.matmul ins(%arg0, %v6 : tensor<1x4xf32>, tensor<4x3xf32>) outs(%v3 : tensor<1x3xf32>) -> tensor<1x3xf32> loc("l")
  return %v7 : tensor<1x3xf32>
}
