// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @dyn_lstm(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = arith.constant dense<"0xEBAEB93E0B94D7BE3E7BCABE"> : tensor<3xf32> loc("l/i_linear")
  %v2 = tensor.empty() : tensor<1x3xf32> loc("l/i_linear")
  %v3 = linalg.broadcast ins(%v1 : tensor<3xf32>) outs(%v2 : tensor<1x3xf32>) dimensions = [0] loc("l/i_linear")
  %v4 = arith.constant dense<"0xE1173F3F133D083F1DD1D8BE3760383F47680CBE879A283FFEFDD3BE158095BE4CA22D3F146508BFCA0DDF3CD5BC57BE"> : tensor<3x4xf32> loc("l/i_linear")
  %v5 = tensor.empty() : tensor<4x3xf32> loc("l/i_linear")
  %v6 = linalg.transpose ins(%v4 : tensor<3x4xf32>) outs(%v5 : tensor<4x3xf32>) permutation = [1, 0] loc("l/i_linear")
  %v7 = linalg.matmul ins(%arg0, %v6 : tensor<1x4xf32>, tensor<4x3xf32>) outs(%v3 : tensor<1x3xf32>) -> tensor<1x3xf32> loc("l/i_linear")
  %v8 = arith.constant 1.000000000e+00 : f32 loc("l/i")
  %v9 = tensor.empty() : tensor<1x3xf32> loc("l/i")
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v7 : tensor<1x3xf32>) outs(%v9 : tensor<1x3xf32>) {
  ^bb0(%b10: f32, %b11: f32):
    %b12 = arith.negf %b10 : f32
    %b13 = math.exp %b12 : f32
    %b14 = arith.addf %b13, %v8 : f32
    %b15 = arith.divf %v8, %b14 : f32
    linalg.yield %b15 : f32
  } -> tensor<1x3xf32> loc("l/i")
  %v17 = arith.constant dense<"0xD20F313E3FEFB3BDD30AE63D"> : tensor<3xf32> loc("l/o_linear")
  %v18 = tensor.empty() : tensor<1x3xf32> loc("l/o_linear")
  %v19 = linalg.broadcast ins(%v17 : tensor<3xf32>) outs(%v18 : tensor<1x3xf32>) dimensions = [0] loc("l/o_linear")
  %v20 = arith.constant dense<"0x8B88C6BB607EC73E4D0C0BBFDB981F3E3E3B0DBE5F01B53ECBA681BD1675B6BEE688423CD39CE43E355987BE6BF3A73E"> : tensor<3x4xf32> loc("l/o_linear")
  %v21 = tensor.empty() : tensor<4x3xf32> loc("l/o_linear")
  %v22 = linalg.transpose ins(%v20 : tensor<3x4xf32>) outs(%v21 : tensor<4x3xf32>) permutation = [1, 0] loc("l/o_linear")
  %v23 = linalg.matmul ins(%arg0, %v22 : tensor<1x4xf32>, tensor<4x3xf32>) outs(%v19 : tensor<1x3xf32>) -> tensor<1x3xf32> loc("l/o_linear")
  %v24 = tensor.empty() : tensor<1x3xf32> loc("l/o")
  %v31 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v23 : tensor<1x3xf32>) outs(%v24 : tensor<1x3xf32>) {
  ^bb0(%b25: f32, %b26: f32):
    %b27 = arith.negf %b25 : f32
    %b28 = math.exp %b27 : f32
    %b29 = arith.addf %b28, %v8 : f32
    %b30 = arith.divf %v8, %b29 : f32
    linalg.yield %b30 : f32
  } -> tensor<1x3xf32> loc("l/o")
  %v32 = arith.constant dense<"0x04C597BE27FAAD3E9EF5F4BE"> : tensor<3xf32> loc("l/g_linear")
  %v33 = tensor.empty() : tensor<1x3xf32> loc("l/g_linear")
  %v34 = linalg.broadcast ins(%v32 : tensor<3xf32>) outs(%v33 : tensor<1x3xf32>) dimensions = [0] loc("l/g_linear")
  %v35 = arith.constant dense<"0x388007BF5A96E53EF9DF30BF55CBB4BEE4DFD73D36D504BFE26F01BFA618C93E9F8E3FBB453817BF4249733DE83BAC3E"> : tensor<3x4xf32> loc("l/g_linear")
  %v36 = tensor.empty() : tensor<4x3xf32> loc("l/g_linear")
  %v37 = linalg.transpose ins(%v35 : tensor<3x4xf32>) outs(%v36 : tensor<4x3xf32>) permutation = [1, 0] loc("l/g_linear")
  %v38 = linalg.matmul ins(%arg0, %v37 : tensor<1x4xf32>, tensor<4x3xf32>) outs(%v34 : tensor<1x3xf32>) -> tensor<1x3xf32> loc("l/g_linear")
  %v39 = tensor.empty() : tensor<1x3xf32> loc("l/g")
  %v43 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v38 : tensor<1x3xf32>) outs(%v39 : tensor<1x3xf32>) {
  ^bb0(%b40: f32, %b41: f32):
    %b42 = math.tanh %b40 : f32
    linalg.yield %b42 : f32
  } -> tensor<1x3xf32> loc("l/g")
  %v44 = tensor.empty() : tensor<1x3xf32> loc("l/ig")
  %v49 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v16, %v43 : tensor<1x3xf32>, tensor<1x3xf32>) outs(%v44 : tensor<1x3xf32>) {
  ^bb0(%b45: f32, %b46: f32, %b47: f32):
    %b48 = arith.mulf %b45, %b46 : f32
    linalg.yield %b48 : f32
  } -> tensor<1x3xf32> loc("l/ig")
  %v50 = tensor.empty() : tensor<1x3xf32> loc("l/c")
  %v54 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v49 : tensor<1x3xf32>) outs(%v50 : tensor<1x3xf32>) {
  ^bb0(%b51: f32, %b52: f32):
    %b53 = math.tanh %b51 : f32
    linalg.yield %b53 : f32
  } -> tensor<1x3xf32> loc("l/c")
  %v55 = tensor.empty() : tensor<1x3xf32> loc("getitem")
  %v60 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v31, %v54 : tensor<1x3xf32>, tensor<1x3xf32>) outs(%v55 : tensor<1x3xf32>) {
  ^bb0(%b56: f32, %b57: f32, %b58: f32):
    %b59 = arith.mulf %b56, %b57 : f32
    linalg.yield %b59 : f32
  } -> tensor<1x3xf32> loc("getitem")
  return %v60 : tensor<1x3xf32>
}
