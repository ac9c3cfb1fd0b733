// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @se_block(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0xC5E4ACBE32EFB63E"> : tensor<2xf32> loc("c1")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c1")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c1")
  %v4 = arith.constant dense<"0x05F84CBFCF5B03BF17B04CBE4ACB7E3F"> : tensor<2x2x1x1xf32> loc("c1")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v6 = tensor.empty() : tensor<1x2x1x1xf32> loc("p")
  %v7 = arith.constant 0.000000000e+00 : f32 loc("p")
  %v8 = linalg.fill ins(%v7 : f32) outs(%v6 : tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("p")
  %v9 = tensor.empty() : tensor<4x6xf32> loc("p")
  %v10 = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v5, %v9 : tensor<1x2x4x6xf32>, tensor<4x6xf32>) outs(%v8 : tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("p")
  %v11 = arith.constant 2.400000000e+01 : f32 loc("p")
  %v12 = tensor.empty() : tensor<1x2x1x1xf32> loc("p")
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v10 : tensor<1x2x1x1xf32>) outs(%v12 : tensor<1x2x1x1xf32>) {
  ^bb0(%b13: f32, %b14: f32):
    %b15 = arith.divf %b13, %v11 : f32
    linalg.yield %b15 : f32
  } -> tensor<1x2x1x1xf32> loc("p")
  %v17 = arith.constant dense<"0x65EDE83E8273B5BD"> : tensor<2xf32> loc("c2")
  %v18 = tensor.empty() : tensor<1x2x1x1xf32> loc("c2")
  %v19 = linalg.broadcast ins(%v17 : tensor<2xf32>) outs(%v18 : tensor<1x2x1x1xf32>) dimensions = [0, 2, 3] loc("c2")
  %v20 = arith.constant dense<"0x68FC36BFFCFDAFBE1107C13EA7237D3E"> : tensor<2x2x1x1xf32> loc("c2")
  %v21 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v16, %v20 : tensor<1x2x1x1xf32>, tensor<2x2x1x1xf32>) outs(%v19 : tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> loc("c2")
  %v22 = arith.constant 3.000000000e+00 : f32 loc("hardsigmoid")
  %v23 = tensor.empty() : tensor<1x2x1x1xf32> loc("hardsigmoid")
  %v27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v21 : tensor<1x2x1x1xf32>) outs(%v23 : tensor<1x2x1x1xf32>) {
  ^bb0(%b24: f32, %b25: f32):
    %b26 = arith.addf %b24, %v22 : f32
    linalg.yield %b26 : f32
  } -> tensor<1x2x1x1xf32> loc("hardsigmoid")
  %v28 = arith.constant 6.000000000e+00 : f32 loc("hardsigmoid")
  %v29 = tensor.empty() : tensor<1x2x1x1xf32> loc("hardsigmoid")
  %v33 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v27 : tensor<1x2x1x1xf32>) outs(%v29 : tensor<1x2x1x1xf32>) {
  ^bb0(%b30: f32, %b31: f32):
    %b32 = arith.divf %b30, %v28 : f32
    linalg.yield %b32 : f32
  } -> tensor<1x2x1x1xf32> loc("hardsigmoid")
  %v34 = arith.constant 1.000000000e+00 : f32 loc("hardsigmoid")
  %v35 = tensor.empty() : tensor<1x2x1x1xf32> loc("hardsigmoid")
  %v40 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v33 : tensor<1x2x1x1xf32>) outs(%v35 : tensor<1x2x1x1xf32>) {
  ^bb0(%b36: f32, %b37: f32):
    %b38 = arith.cmpf ult, %b36, %v34 : f32
    %b39 = arith.select %b38, %b36, %v34 : f32
    linalg.yield %b39 : f32
  } -> tensor<1x2x1x1xf32> loc("hardsigmoid")
  %v41 = tensor.empty() : tensor<1x2x1x1xf32> loc("hardsigmoid")
  %v46 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v40 : tensor<1x2x1x1xf32>) outs(%v41 : tensor<1x2x1x1xf32>) {
  ^bb0(%b42: f32, %b43: f32):
    %b44 = arith.cmpf ugt, %b42, %v7 : f32
    %b45 = arith.select %b44, %b42, %v7 : f32
    linalg.yield %b45 : f32
  } -> tensor<1x2x1x1xf32> loc("hardsigmoid")
  %v47 = tensor.empty() : tensor<1x2x4x6xf32> loc("mul")
  %v52 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v5, %v46 : tensor<1x2x4x6xf32>, tensor<1x2x1x1xf32>) outs(%v47 : tensor<1x2x4x6xf32>) {
  ^bb0(%b48: f32, %b49: f32, %b50: f32):
    %b51 = arith.mulf %b48, %b49 : f32
    linalg.yield %b51 : f32
  } -> tensor<1x2x4x6xf32> loc("mul")
  return %v52 : tensor<1x2x4x6xf32>
}
