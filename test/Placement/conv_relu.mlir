// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @conv_relu(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x4x6xf32>) {
  %v5 = arith.constant 0.000000000e+00 : f32 loc("conv")
  %v6 = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%b1: index, %b2: index, %b3: index, %b4: index):
    tensor.yield %v5 : f32
  } : tensor<1x2x4x6xf32> to tensor<1x2x6x8xf32> loc("conv")
  %v7 = arith.constant dense<"0xD01268BCF36AC73E"> : tensor<2xf32> loc("conv")
  %v8 = tensor.empty() : tensor<1x2x4x6xf32> loc("conv")
  %v9 = linalg.broadcast ins(%v7 : tensor<2xf32>) outs(%v8 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("conv")
  %v10 = arith.constant dense<"0x7A57C63D36B126BE722FA6BE2309AFBEF6D4623EF96E953ED36C9A3D5B2C263EF4B3FC3C57839D3ED1B3643E2407B4BEE864813E2DDCA8BECE49263EB5D96ABE1D7C833E462BF03C2A0611BEF6EB5FBD3BC4AABE240688BE2E17F73D3727D53D7218A73DF173A8BD5D02B43EBC14AE3EC458063E68E3D93D3473083EE5DBA0BDF31B84BEEC5F203E30DE923C496609BE"> : tensor<2x2x3x3xf32> loc("conv")
  %v11 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%v6, %v10 : tensor<1x2x6x8xf32>, tensor<2x2x3x3xf32>) outs(%v9 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("conv")
  %v12 = tensor.empty() : tensor<1x2x4x6xf32> loc("relu")
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v11 : tensor<1x2x4x6xf32>) outs(%v12 : tensor<1x2x4x6xf32>) {
  ^bb0(%b13: f32, %b14: f32):
    %b15 = arith.cmpf ugt, %b13, %v5 : f32
    %b16 = arith.select %b15, %b13, %v5 : f32
    linalg.yield %b16 : f32
  } -> tensor<1x2x4x6xf32> loc("relu")
  return %v17 : tensor<1x2x4x6xf32>
}
