// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @cat_two_convs_conv(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x3x4x6xf32>) {
  %v1 = arith.constant dense<"0xF981323E0F1E2EBE563C383E"> : tensor<3xf32> loc("a")
  %v2 = tensor.empty() : tensor<1x3x4x6xf32> loc("a")
  %v3 = linalg.broadcast ins(%v1 : tensor<3xf32>) outs(%v2 : tensor<1x3x4x6xf32>) dimensions = [0, 2, 3] loc("a")
  %v4 = arith.constant dense<"0xBCCDA53DDC39AABE4A358EBEA24F88BEFF5A843F5030903E"> : tensor<3x2x1x1xf32> loc("a")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<3x2x1x1xf32>) outs(%v3 : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32> loc("a")
  %v6 = arith.constant dense<"0x2C07923E9A61E7BE85CA95BE"> : tensor<3xf32> loc("b")
  %v7 = tensor.empty() : tensor<1x3x4x6xf32> loc("b")
  %v8 = linalg.broadcast ins(%v6 : tensor<3xf32>) outs(%v7 : tensor<1x3x4x6xf32>) dimensions = [0, 2, 3] loc("b")
  %v9 = arith.constant dense<"0x74BF4CBFE16F73BF992C3E3F5A5985BFD1FF813FE594313F"> : tensor<3x2x1x1xf32> loc("b")
  %v10 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v9 : tensor<1x2x4x6xf32>, tensor<3x2x1x1xf32>) outs(%v8 : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32> loc("b")
  %v11 = tensor.concat dim(1) %v5, %v10 : (tensor<1x3x4x6xf32>, tensor<1x3x4x6xf32>) -> tensor<1x6x4x6xf32> loc("cat")
  %v12 = arith.constant dense<"0xF4E3F03EAD6465BEF121CA3E"> : tensor<3xf32> loc("c")
  %v13 = tensor.empty() : tensor<1x3x4x6xf32> loc("c")
  %v14 = linalg.broadcast ins(%v12 : tensor<3xf32>) outs(%v13 : tensor<1x3x4x6xf32>) dimensions = [0, 2, 3] loc("c")
  %v15 = arith.constant dense<"0xD963DB3E5E52A9BDCBDC1F3EEADAECBE5BB0C4BE684A5BBB1BB4A23E24F2473D7283F6BEC39FE53E78F5E1BEE75A97BDB3D7D93DC6CF62BEFB8ACDBD51A7F23EAE1466BDA3E2443D"> : tensor<3x6x1x1xf32> loc("c")
  %v16 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v11, %v15 : tensor<1x6x4x6xf32>, tensor<3x6x1x1xf32>) outs(%v14 : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32> loc("c")
  return %v16 : tensor<1x3x4x6xf32>
}
