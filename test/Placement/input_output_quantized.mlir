// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @input_output_quantized(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0xEA05BABD1052DBBE"> : tensor<2xf32> loc("c")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c")
  %v4 = arith.constant dense<"0xEFDCEEBEF6CBA8BD9B6D4DBF3D71443D"> : tensor<2x2x1x1xf32> loc("c")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c")
  return %v5 : tensor<1x2x4x6xf32>
}
