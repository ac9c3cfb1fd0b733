// RUN: %python %S/placement.py %s
// Written by write.py.

#default = #qbackend.qconfig<activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
#fixed_0_1 = #qbackend.qconfig<activation = <fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>, weight = <min_max, si8, per_tensor_symmetric>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #default
  qbackend.qconfig object_type "sigmoid" #fixed_0_1
  qbackend.qconfig object_type "hardsigmoid" #fixed_0_1
  qbackend.qconfig module_name "h" none
}

func.func @hardswish_none_between(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v1 = arith.constant dense<"0x2401BA3EB9F84E3D"> : tensor<2xf32> loc("c1")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c1")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c1")
  %v4 = arith.constant dense<"0x21D9BEBEBA6480BFF9CF71BFC42E853F"> : tensor<2x2x1x1xf32> loc("c1")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c1")
  %v6 = arith.constant 3.000000000e+00 : f32 loc("h")
  %v7 = tensor.empty() : tensor<1x2x4x6xf32> loc("h")
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v5 : tensor<1x2x4x6xf32>) outs(%v7 : tensor<1x2x4x6xf32>) {
  ^bb0(%b8: f32, %b9: f32):
    %b10 = arith.addf %b8, %v6 : f32
    linalg.yield %b10 : f32
  } -> tensor<1x2x4x6xf32> loc("h")
  %v12 = arith.constant 0.000000000e+00 : f32 loc("h")
  %v13 = tensor.empty() : tensor<1x2x4x6xf32> loc("h")
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v11 : tensor<1x2x4x6xf32>) outs(%v13 : tensor<1x2x4x6xf32>) {
  ^bb0(%b14: f32, %b15: f32):
    %b16 = arith.cmpf ugt, %b14, %v12 : f32
    %b17 = arith.select %b16, %b14, %v12 : f32
    linalg.yield %b17 : f32
  } -> tensor<1x2x4x6xf32> loc("h")
  %v19 = arith.constant 6.000000000e+00 : f32 loc("h")
  %v20 = tensor.empty() : tensor<1x2x4x6xf32> loc("h")
  %v25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v18 : tensor<1x2x4x6xf32>) outs(%v20 : tensor<1x2x4x6xf32>) {
  ^bb0(%b21: f32, %b22: f32):
    %b23 = arith.cmpf ult, %b21, %v19 : f32
    %b24 = arith.select %b23, %b21, %v19 : f32
    linalg.yield %b24 : f32
  } -> tensor<1x2x4x6xf32> loc("h")
  %v26 = tensor.empty() : tensor<1x2x4x6xf32> loc("h")
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v25 : tensor<1x2x4x6xf32>) outs(%v26 : tensor<1x2x4x6xf32>) {
  ^bb0(%b27: f32, %b28: f32):
    %b29 = arith.divf %b27, %v19 : f32
    linalg.yield %b29 : f32
  } -> tensor<1x2x4x6xf32> loc("h")
  %v31 = tensor.empty() : tensor<1x2x4x6xf32> loc("h")
  %v36 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v30, %v5 : tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) outs(%v31 : tensor<1x2x4x6xf32>) {
  ^bb0(%b32: f32, %b33: f32, %b34: f32):
    %b35 = arith.mulf %b32, %b33 : f32
    linalg.yield %b35 : f32
  } -> tensor<1x2x4x6xf32> loc("h")
  %v37 = arith.constant dense<"0x0657373E9270F5BE"> : tensor<2xf32> loc("c2")
  %v38 = tensor.empty() : tensor<1x2x4x6xf32> loc("c2")
  %v39 = linalg.broadcast ins(%v37 : tensor<2xf32>) outs(%v38 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c2")
  %v40 = arith.constant dense<"0x5B407E3F5D77853F41E067BE24F5C3BE"> : tensor<2x2x1x1xf32> loc("c2")
  %v41 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v36, %v40 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v39 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c2")
  return %v41 : tensor<1x2x4x6xf32>
}
