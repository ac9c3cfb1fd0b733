// RUN: %python %S/placement.py %s
// Written by write.py.

#wide_weight = #qbackend.qconfig<activation = <min_max, si8, eps = 2.44140625E-4>, weight = <min_max, si8, per_tensor_symmetric, eps = 2.44140625E-4>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #wide_weight
}

func.func @qint8_module_weight_range_too_wide(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = arith.constant dense<"0xCEA3B0BEF837443E0ED2EA3E"> : tensor<3xf32> loc("l")
  %v2 = tensor.empty() : tensor<1x3xf32> loc("l")
  %v3 = linalg.broadcast ins(%v1 : tensor<3xf32>) outs(%v2 : tensor<1x3xf32>) dimensions = [0] loc("l")
  %v4 = arith.constant dense<"0x8B91CD3D05C1D4BD2BE01BBF8D5969BE4CA33A3E3AAF37BFDCDB0F3F7CF4073FB8FC2EBF6142E83ECB13F2BE3A3D963E"> : tensor<3x4xf32> loc("l")
  %v5 = tensor.empty() : tensor<4x3xf32> loc("l")
  %v6 = linalg.transpose ins(%v4 : tensor<3x4xf32>) outs(%v5 : tensor<4x3xf32>) permutation = [1, 0] loc("l")
  %v7 = linalg.matmul ins(%arg0, %v6 : tensor<1x4xf32>, tensor<4x3xf32>) outs(%v3 : tensor<1x3xf32>) -> tensor<1x3xf32> loc("l")
  return %v7 : tensor<1x3xf32>
}
