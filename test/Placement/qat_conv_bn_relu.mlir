// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @qat_conv_bn_relu(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v5 = arith.constant 0.000000000e+00 : f32 loc("c")
  %v6 = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%b1: index, %b2: index, %b3: index, %b4: index):
    tensor.yield %v5 : f32
  } : tensor<1x2x4x6xf32> to tensor<1x2x6x8xf32> loc("c")
  %v7 = arith.constant dense<"0x47DDD1BEA214383D"> : tensor<2xf32> loc("c")
  %v8 = tensor.empty() : tensor<1x2x4x6xf32> loc("c")
  %v9 = linalg.broadcast ins(%v7 : tensor<2xf32>) outs(%v8 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c")
  %v10 = arith.constant dense<"0x70F748BEDD40573C782E98BE134A603D26D795BED97E01BD10D6F23DAC7886BED45C9A3EE5419C3E8C5293BC194B193E591381BE4F7B6CBEC9D3423E1399A5BDAB3E6A3E4CD1A03E9FED51BE9F4EEC3D599F033EF3506C3E83CB8CBE4EFDABBEEC4118BEBF70AD3DFE71A33ECF34A43EB65424BEB74EA6BEDCC9A9BE8A5929BDB40CBD3DDD2870BEFADAA0BEEE928EBE"> : tensor<2x2x3x3xf32> loc("c")
  %v11 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v6, %v10 : tensor<1x2x6x8xf32>, tensor<2x2x3x3xf32>) outs(%v9 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v12 = arith.constant dense<"0xEF3A403E485025BE"> : tensor<2xf32> loc("bn")
  %v13 = arith.constant dense<"0x63FB9E3F8A0BA03F"> : tensor<2xf32> loc("bn")
  %v14 = arith.constant 9.999999747e-06 : f32 loc("bn")
  %v15 = arith.constant dense<"0xFE51BE3F069E393F"> : tensor<2xf32> loc("bn")
  %v16 = arith.constant dense<"0x11EC2DBE6E18AB3E"> : tensor<2xf32> loc("bn")
  %v17 = tensor.empty() : tensor<1x2x4x6xf32> loc("bn")
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v11, %v12, %v13, %v15, %v16 : tensor<1x2x4x6xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%v17 : tensor<1x2x4x6xf32>) {
  ^bb0(%b18: f32, %b19: f32, %b20: f32, %b21: f32, %b22: f32, %b23: f32):
    %b24 = arith.subf %b18, %b19 : f32
    %b25 = arith.addf %b20, %v14 : f32
    %b26 = math.rsqrt %b25 : f32
    %b27 = arith.mulf %b24, %b26 : f32
    %b28 = arith.mulf %b27, %b21 : f32
    %b29 = arith.addf %b28, %b22 : f32
    linalg.yield %b29 : f32
  } -> tensor<1x2x4x6xf32> loc("bn")
  %v31 = tensor.empty() : tensor<1x2x4x6xf32> loc("relu")
  %v36 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v30 : tensor<1x2x4x6xf32>) outs(%v31 : tensor<1x2x4x6xf32>) {
  ^bb0(%b32: f32, %b33: f32):
    %b34 = arith.cmpf ugt, %b32, %v5 : f32
    %b35 = arith.select %b34, %b32, %v5 : f32
    linalg.yield %b35 : f32
  } -> tensor<1x2x4x6xf32> loc("relu")
  return %v36 : tensor<1x2x4x6xf32>
}
