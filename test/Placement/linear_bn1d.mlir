// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @linear_bn1d(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = arith.constant dense<"0x2713CABC135AFCBD3305A4BE"> : tensor<3xf32> loc("l")
  %v2 = tensor.empty() : tensor<1x3xf32> loc("l")
  %v3 = linalg.broadcast ins(%v1 : tensor<3xf32>) outs(%v2 : tensor<1x3xf32>) dimensions = [0] loc("l")
  %v4 = arith.constant dense<"0x357E2CBEAB1B133EC394A93CAA5E953E293C6A3ED66F0B3FB4FF093E3DDE2B3D5DAED03EDD4DDEBE99A617BF8F291FBF"> : tensor<3x4xf32> loc("l")
  %v5 = tensor.empty() : tensor<4x3xf32> loc("l")
  %v6 = linalg.transpose ins(%v4 : tensor<3x4xf32>) outs(%v5 : tensor<4x3xf32>) permutation = [1, 0] loc("l")
  %v7 = linalg.matmul ins(%arg0, %v6 : tensor<1x4xf32>, tensor<4x3xf32>) outs(%v3 : tensor<1x3xf32>) -> tensor<1x3xf32> loc("l")
  %v8 = arith.constant dense<"0x5D28863ED4FF153E83A412BD"> : tensor<3xf32> loc("bn")
  %v9 = arith.constant dense<"0xC684613F6F519A3F0E52B13F"> : tensor<3xf32> loc("bn")
  %v10 = arith.constant 9.999999747e-06 : f32 loc("bn")
  %v11 = arith.constant dense<"0x6B4F593F24A4953FC1E09A3F"> : tensor<3xf32> loc("bn")
  %v12 = arith.constant dense<"0x1BBC753E84C347BE8357F5BE"> : tensor<3xf32> loc("bn")
  %v13 = tensor.empty() : tensor<1x3xf32> loc("bn")
  %v26 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v7, %v8, %v9, %v11, %v12 : tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) outs(%v13 : tensor<1x3xf32>) {
  ^bb0(%b14: f32, %b15: f32, %b16: f32, %b17: f32, %b18: f32, %b19: f32):
    %b20 = arith.subf %b14, %b15 : f32
    %b21 = arith.addf %b16, %v10 : f32
    %b22 = math.rsqrt %b21 : f32
    %b23 = arith.mulf %b20, %b22 : f32
    %b24 = arith.mulf %b23, %b17 : f32
    %b25 = arith.addf %b24, %b18 : f32
    linalg.yield %b25 : f32
  } -> tensor<1x3xf32> loc("bn")
  return %v26 : tensor<1x3xf32>
}
