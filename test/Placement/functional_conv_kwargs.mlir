// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @functional_conv_kwargs(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0xEE17433E7D44D83E"> : tensor<2xf32> loc("conv2d")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("conv2d")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("conv2d")
  %v4 = arith.constant dense<"0x4AB2F93E3212D23E1FFD6F3F6D226FBF"> : tensor<2x2x1x1xf32> loc("conv2d")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("conv2d")
  return %v5 : tensor<1x2x4x6xf32>
}
