// RUN: %python %S/placement.py %s
// Written by write.py.

#default = #qbackend.qconfig<activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig object_type "relu" #default
}

func.func @pat_linear_none(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = arith.constant dense<"0x5E5921BE9A4AF0BD95EDEA3E"> : tensor<3xf32> loc("linear")
  %v2 = tensor.empty() : tensor<1x3xf32> loc("linear")
  %v3 = linalg.broadcast ins(%v1 : tensor<3xf32>) outs(%v2 : tensor<1x3xf32>) dimensions = [0] loc("linear")
  %v4 = arith.constant dense<"0xA259313EF453F9BEC189313EB3C543BE45374ABEF984E13ED76F303FAD740DBFC36013BEAF5772BE90A307BF5E42ADBE"> : tensor<3x4xf32> loc("linear")
  %v5 = tensor.empty() : tensor<4x3xf32> loc("linear")
  %v6 = linalg.transpose ins(%v4 : tensor<3x4xf32>) outs(%v5 : tensor<4x3xf32>) permutation = [1, 0] loc("linear")
  %v7 = linalg.matmul ins(%arg0, %v6 : tensor<1x4xf32>, tensor<4x3xf32>) outs(%v3 : tensor<1x3xf32>) -> tensor<1x3xf32> loc("linear")
  %v8 = arith.constant 0.000000000e+00 : f32 loc("relu")
  %v9 = tensor.empty() : tensor<1x3xf32> loc("relu")
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v7 : tensor<1x3xf32>) outs(%v9 : tensor<1x3xf32>) {
  ^bb0(%b10: f32, %b11: f32):
    %b12 = arith.cmpf ugt, %b10, %v8 : f32
    %b13 = arith.select %b12, %b10, %v8 : f32
    linalg.yield %b13 : f32
  } -> tensor<1x3xf32> loc("relu")
  return %v14 : tensor<1x3xf32>
}
