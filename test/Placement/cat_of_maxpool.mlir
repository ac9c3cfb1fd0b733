// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @cat_of_maxpool(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x4x2x3xf32>) {
  %v1 = arith.constant dense<"0x74CA513CBF68BABE"> : tensor<2xf32> loc("a")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("a")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("a")
  %v4 = arith.constant dense<"0xA8A2773FE8BE1EBF585D323FCC753EBF"> : tensor<2x2x1x1xf32> loc("a")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("a")
  %v6 = tensor.empty() : tensor<1x2x2x3xf32> loc("p")
  %v7 = arith.constant 0xFF800000 : f32 loc("p")
  %v8 = linalg.fill ins(%v7 : f32) outs(%v6 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("p")
  %v9 = tensor.empty() : tensor<2x2xf32> loc("p")
  %v10 = linalg.pooling_nchw_max {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[2, 2]> : vector<2xi64>} ins(%v5, %v9 : tensor<1x2x4x6xf32>, tensor<2x2xf32>) outs(%v8 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("p")
  %v11 = arith.constant dense<"0x0992A63EE3AA25BE"> : tensor<2xf32> loc("b")
  %v12 = tensor.empty() : tensor<1x2x4x6xf32> loc("b")
  %v13 = linalg.broadcast ins(%v11 : tensor<2xf32>) outs(%v12 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("b")
  %v14 = arith.constant dense<"0xC850CD3EBE96393FCECF21BE2823783F"> : tensor<2x2x1x1xf32> loc("b")
  %v15 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v14 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v13 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("b")
  %v16 = tensor.empty() : tensor<1x2x2x3xf32> loc("p_1")
  %v17 = linalg.fill ins(%v7 : f32) outs(%v16 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("p_1")
  %v18 = tensor.empty() : tensor<2x2xf32> loc("p_1")
  %v19 = linalg.pooling_nchw_max {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[2, 2]> : vector<2xi64>} ins(%v15, %v18 : tensor<1x2x4x6xf32>, tensor<2x2xf32>) outs(%v17 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("p_1")
  %v20 = tensor.concat dim(1) %v10, %v19 : (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>) -> tensor<1x4x2x3xf32> loc("cat")
  return %v20 : tensor<1x4x2x3xf32>
}
