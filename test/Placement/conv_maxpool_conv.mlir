// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @conv_maxpool_conv(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x2x3xf32>) {
  %v1 = arith.constant dense<"0x8101CD3DC50B6A3E"> : tensor<2xf32> loc("c1")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c1")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c1")
  %v4 = arith.constant dense<"0x5C7501BFACDCDABE8FA42A3F029D5DBF"> : tensor<2x2x1x1xf32> loc("c1")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v6 = tensor.empty() : tensor<1x2x2x3xf32> loc("p")
  %v7 = arith.constant 0xFF800000 : f32 loc("p")
  %v8 = linalg.fill ins(%v7 : f32) outs(%v6 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("p")
  %v9 = tensor.empty() : tensor<2x2xf32> loc("p")
  %v10 = linalg.pooling_nchw_max {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[2, 2]> : vector<2xi64>} ins(%v5, %v9 : tensor<1x2x4x6xf32>, tensor<2x2xf32>) outs(%v8 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("p")
  %v11 = arith.constant dense<"0x480A7F3D0A2BB3BE"> : tensor<2xf32> loc("c2")
  %v12 = tensor.empty() : tensor<1x2x2x3xf32> loc("c2")
  %v13 = linalg.broadcast ins(%v11 : tensor<2xf32>) outs(%v12 : tensor<1x2x2x3xf32>) dimensions = [0, 2, 3] loc("c2")
  %v14 = arith.constant dense<"0xE27C29BFC99471BFCD68F4BE93FDAA3E"> : tensor<2x2x1x1xf32> loc("c2")
  %v15 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v10, %v14 : tensor<1x2x2x3xf32>, tensor<2x2x1x1xf32>) outs(%v13 : tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> loc("c2")
  return %v15 : tensor<1x2x2x3xf32>
}
