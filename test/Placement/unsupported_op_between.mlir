// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @unsupported_op_between(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0x90653B3EBA8C353C"> : tensor<2xf32> loc("c1")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c1")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c1")
  %v4 = arith.constant dense<"0x4C6F2DBFAA0D5DBEB4DF553F36DE51BE"> : tensor<2x2x1x1xf32> loc("c1")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v6 = arith.constant 1.000000000e+00 : f32 loc("sub")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("sub")
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v5 : tensor<1x2x4x6xf32>) outs(%v7 : tensor<1x2x4x6xf32>) {
  ^bb0(%b8: f32, %b9: f32):
    %b10 = arith.subf %b8, %v6 : f32
    linalg.yield %b10 : f32
  } -> tensor<1x2x4x6xf32> loc("sub")
  %v12 = arith.constant dense<"0xFE7D2FBE0867BBBD"> : tensor<2xf32> loc("c2")
  %v13 = tensor.empty() : tensor<1x2x4x6xf32> loc("c2")
  %v14 = linalg.broadcast ins(%v12 : tensor<2xf32>) outs(%v13 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c2")
  %v15 = arith.constant dense<"0xCEE8993DD9D64B3F95E809BFB55542BF"> : tensor<2x2x1x1xf32> loc("c2")
  %v16 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v11, %v15 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v14 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  return %v16 : tensor<1x2x4x6xf32>
}
