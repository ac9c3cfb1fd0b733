// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @residual_block(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v5 = arith.constant 0.000000000e+00 : f32 loc("c1")
  %v6 = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%b1: index, %b2: index, %b3: index, %b4: index):
    tensor.yield %v5 : f32
  } : tensor<1x2x4x6xf32> to tensor<1x2x6x8xf32> loc("c1")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("c1")
  %v8 = linalg.fill ins(%v5 : f32) outs(%v7 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v9 = arith.constant dense<"0x07CCF5BD635189BDBF76583D2049943BB3FA393D05D6493DD571873E69BA95BE23922F3E7EF8673ECC9E193E107182BDCC5DA03E86D0A9BE1B5A5B3E3EC8933D4B21A6BE2AB6F2BDB147B0BD78916ABE1282CE3D28FA2FBD67421C3ED22DBABD6267A1BEF42E1C3E2ABE283E9D4797BE2110C8BCB7BC01BD7F33963E278B8D3D3A6D0BBEC4CD893E1260FFBD12E9233E"> : tensor<2x2x3x3xf32> loc("c1")
  %v10 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v6, %v9 : tensor<1x2x6x8xf32>, tensor<2x2x3x3xf32>) outs(%v8 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v11 = arith.constant dense<"0x65D89DBE86C170BE"> : tensor<2xf32> loc("bn1")
  %v12 = arith.constant dense<"0xEADD333F26C4A63F"> : tensor<2xf32> loc("bn1")
  %v13 = arith.constant 9.999999747e-06 : f32 loc("bn1")
  %v14 = arith.constant dense<"0xB849303F0012373F"> : tensor<2xf32> loc("bn1")
  %v15 = arith.constant dense<"0x5862B5BE9E43A43E"> : tensor<2xf32> loc("bn1")
  %v16 = tensor.empty() : tensor<1x2x4x6xf32> loc("bn1")
  %v29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v10, %v11, %v12, %v14, %v15 : tensor<1x2x4x6xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%v16 : tensor<1x2x4x6xf32>) {
  ^bb0(%b17: f32, %b18: f32, %b19: f32, %b20: f32, %b21: f32, %b22: f32):
    %b23 = arith.subf %b17, %b18 : f32
    %b24 = arith.addf %b19, %v13 : f32
    %b25 = math.rsqrt %b24 : f32
    %b26 = arith.mulf %b23, %b25 : f32
    %b27 = arith.mulf %b26, %b20 : f32
    %b28 = arith.addf %b27, %b21 : f32
    linalg.yield %b28 : f32
  } -> tensor<1x2x4x6xf32> loc("bn1")
  %v30 = tensor.empty() : tensor<1x2x4x6xf32> loc("relu1")
  %v35 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v29 : tensor<1x2x4x6xf32>) outs(%v30 : tensor<1x2x4x6xf32>) {
  ^bb0(%b31: f32, %b32: f32):
    %b33 = arith.cmpf ugt, %b31, %v5 : f32
    %b34 = arith.select %b33, %b31, %v5 : f32
    linalg.yield %b34 : f32
  } -> tensor<1x2x4x6xf32> loc("relu1")
  %v40 = tensor.pad %v35 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%b36: index, %b37: index, %b38: index, %b39: index):
    tensor.yield %v5 : f32
  } : tensor<1x2x4x6xf32> to tensor<1x2x6x8xf32> loc("c2")
  %v41 = tensor.empty() : tensor<1x2x4x6xf32> loc("c2")
  %v42 = linalg.fill ins(%v5 : f32) outs(%v41 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  %v43 = arith.constant dense<"0x0D64B73A832E53BE69DA923E123C643EE42009BE5F45F2BD43F58FBE2D3B92BEFC041E3E19006D3E52B2073EFE0D34BE92297D3E4DE839BED3B530BECBB7EA3DB8A737BE02A0513E5B4FFDBD3D777D3E59C97F3EEB5E823DF047883E41F7CF3D26F3E3BDB46D1DBEEA424B3EECB681BEF2F1263E75E80A3D49C8A7BEBE3B50BE532C0FBBD68342BE1B19063EBD192A3E"> : tensor<2x2x3x3xf32> loc("c2")
  %v44 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v40, %v43 : tensor<1x2x6x8xf32>, tensor<2x2x3x3xf32>) outs(%v42 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  %v45 = arith.constant dense<"0x52E4563ED9E0C5BE"> : tensor<2xf32> loc("bn2")
  %v46 = arith.constant dense<"0xAB82153F5598B13F"> : tensor<2xf32> loc("bn2")
  %v47 = arith.constant dense<"0x3A77BC3F956CB23F"> : tensor<2xf32> loc("bn2")
  %v48 = arith.constant dense<"0x30C4FB3D504F273E"> : tensor<2xf32> loc("bn2")
  %v49 = tensor.empty() : tensor<1x2x4x6xf32> loc("bn2")
  %v62 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v44, %v45, %v46, %v47, %v48 : tensor<1x2x4x6xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%v49 : tensor<1x2x4x6xf32>) {
  ^bb0(%b50: f32, %b51: f32, %b52: f32, %b53: f32, %b54: f32, %b55: f32):
    %b56 = arith.subf %b50, %b51 : f32
    %b57 = arith.addf %b52, %v13 : f32
    %b58 = math.rsqrt %b57 : f32
    %b59 = arith.mulf %b56, %b58 : f32
    %b60 = arith.mulf %b59, %b53 : f32
    %b61 = arith.addf %b60, %b54 : f32
    linalg.yield %b61 : f32
  } -> tensor<1x2x4x6xf32> loc("bn2")
  %v63 = tensor.empty() : tensor<1x2x4x6xf32> loc("add")
  %v68 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v62, %arg0 : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) outs(%v63 : tensor<1x2x4x6xf32>) {
  ^bb0(%b64: f32, %b65: f32, %b66: f32):
    %b67 = arith.addf %b64, %b65 : f32
    linalg.yield %b67 : f32
  } -> tensor<1x2x4x6xf32> loc("add")
  %v69 = tensor.empty() : tensor<1x2x4x6xf32> loc("r")
  %v74 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v68 : tensor<1x2x4x6xf32>) outs(%v69 : tensor<1x2x4x6xf32>) {
  ^bb0(%b70: f32, %b71: f32):
    %b72 = arith.cmpf ugt, %b70, %v5 : f32
    %b73 = arith.select %b72, %b70, %v5 : f32
    linalg.yield %b73 : f32
  } -> tensor<1x2x4x6xf32> loc("r")
  return %v74 : tensor<1x2x4x6xf32>
}
