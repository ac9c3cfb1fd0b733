// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @cat_shared_leaks_to_sibling_user(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x4x4x6xf32>, tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0x1363BD3EEE0EDFBD"> : tensor<2xf32> loc("a")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("a")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("a")
  %v4 = arith.constant dense<"0x9DEDBBBE4F4F843FACE6C4BEE5B21C3F"> : tensor<2x2x1x1xf32> loc("a")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("a")
  %v6 = arith.constant dense<"0x7E6D84BEEAAE78BE"> : tensor<2xf32> loc("b")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("b")
  %v8 = linalg.broadcast ins(%v6 : tensor<2xf32>) outs(%v7 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("b")
  %v9 = arith.constant dense<"0x5BEF06BE9F358ABE6E7255BF85C436BD"> : tensor<2x2x1x1xf32> loc("b")
  %v10 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v9 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v8 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("b")
  %v11 = tensor.concat dim(1) %v5, %v10 : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x4x4x6xf32> loc("cat")
  %v12 = tensor.empty() : tensor<1x2x4x6xf32> loc("add")
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v5, %v10 : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) outs(%v12 : tensor<1x2x4x6xf32>) {
  ^bb0(%b13: f32, %b14: f32, %b15: f32):
    %b16 = arith.addf %b13, %b14 : f32
    linalg.yield %b16 : f32
  } -> tensor<1x2x4x6xf32> loc("add")
  return %v11, %v17 : tensor<1x4x4x6xf32>, tensor<1x2x4x6xf32>
}
