// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @cat_same(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x4x4x6xf32>) {
  %v1 = arith.constant dense<"0xDFC15C3E171842BE"> : tensor<2xf32> loc("a")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("a")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("a")
  %v4 = arith.constant dense<"0x0777373FB7F385BFD4D611BF137E51BF"> : tensor<2x2x1x1xf32> loc("a")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("a")
  %v6 = tensor.concat dim(1) %v5, %v5 : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x4x4x6xf32> loc("cat")
  return %v6 : tensor<1x4x4x6xf32>
}
