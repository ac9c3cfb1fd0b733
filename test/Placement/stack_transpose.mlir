// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @stack_transpose(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<2x2x1x4x6xf32>) {
  %v1 = arith.constant dense<"0x650EB13ED206B8BE"> : tensor<2xf32> loc("a")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("a")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("a")
  %v4 = arith.constant dense<"0x736FCFBE8D454E3F29840BBF38581EBF"> : tensor<2x2x1x1xf32> loc("a")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("a")
  %v6 = tensor.expand_shape %v5 [[0, 1], [2], [3], [4]] output_shape [1, 1, 2, 4, 6] : tensor<1x2x4x6xf32> into tensor<1x1x2x4x6xf32> loc("stack")
  %v7 = arith.constant dense<"0xF4790C3D24786BBE"> : tensor<2xf32> loc("b")
  %v8 = tensor.empty() : tensor<1x2x4x6xf32> loc("b")
  %v9 = linalg.broadcast ins(%v7 : tensor<2xf32>) outs(%v8 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("b")
  %v10 = arith.constant dense<"0x736ED3BE605344BF2DE2663D11CF663F"> : tensor<2x2x1x1xf32> loc("b")
  %v11 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v10 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v9 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("b")
  %v12 = tensor.expand_shape %v11 [[0, 1], [2], [3], [4]] output_shape [1, 1, 2, 4, 6] : tensor<1x2x4x6xf32> into tensor<1x1x2x4x6xf32> loc("stack")
  %v13 = tensor.concat dim(0) %v6, %v12 : (tensor<1x1x2x4x6xf32>, tensor<1x1x2x4x6xf32>) -> tensor<2x1x2x4x6xf32> loc("stack")
  %v14 = tensor.empty() : tensor<2x2x1x4x6xf32> loc("transpose")
  %v15 = linalg.transpose ins(%v13 : tensor<2x1x2x4x6xf32>) outs(%v14 : tensor<2x2x1x4x6xf32>) permutation = [0, 2, 1, 3, 4] loc("transpose")
  return %v15 : tensor<2x2x1x4x6xf32>
}
