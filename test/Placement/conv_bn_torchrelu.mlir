// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @conv_bn_torchrelu(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0xA21FE1BC96B2B23E"> : tensor<2xf32> loc("c")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c")
  %v4 = arith.constant dense<"0xB11C663F416CD13ED3EB67BF3CF4863E"> : tensor<2x2x1x1xf32> loc("c")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v6 = arith.constant dense<"0xD263953E737DF33C"> : tensor<2xf32> loc("bn")
  %v7 = arith.constant dense<"0x8756233F1FA79D3F"> : tensor<2xf32> loc("bn")
  %v8 = arith.constant 9.999999747e-06 : f32 loc("bn")
  %v9 = arith.constant dense<"0xF4521A3FA101703F"> : tensor<2xf32> loc("bn")
  %v10 = arith.constant dense<"0x31A823BDD54CD13E"> : tensor<2xf32> loc("bn")
  %v11 = tensor.empty() : tensor<1x2x4x6xf32> loc("bn")
  %v24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v5, %v6, %v7, %v9, %v10 : tensor<1x2x4x6xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%v11 : tensor<1x2x4x6xf32>) {
  ^bb0(%b12: f32, %b13: f32, %b14: f32, %b15: f32, %b16: f32, %b17: f32):
    %b18 = arith.subf %b12, %b13 : f32
    %b19 = arith.addf %b14, %v8 : f32
    %b20 = math.rsqrt %b19 : f32
    %b21 = arith.mulf %b18, %b20 : f32
    %b22 = arith.mulf %b21, %b15 : f32
    %b23 = arith.addf %b22, %b16 : f32
    linalg.yield %b23 : f32
  } -> tensor<1x2x4x6xf32> loc("bn")
  %v25 = arith.constant 0.000000000e+00 : f32 loc("relu")
  %v26 = tensor.empty() : tensor<1x2x4x6xf32> loc("relu")
  %v31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v24 : tensor<1x2x4x6xf32>) outs(%v26 : tensor<1x2x4x6xf32>) {
  ^bb0(%b27: f32, %b28: f32):
    %b29 = arith.cmpf ugt, %b27, %v25 : f32
    %b30 = arith.select %b29, %b27, %v25 : f32
    linalg.yield %b30 : f32
  } -> tensor<1x2x4x6xf32> loc("relu")
  return %v31 : tensor<1x2x4x6xf32>
}
