// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @view_size_linear(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2xf32>) {
  %v1 = arith.constant dense<"0xFDC7CFBEC684F33E"> : tensor<2xf32> loc("c")
  %v2 = tensor.empty() : tensor<1x2x4x6xf32> loc("c")
  %v3 = linalg.broadcast ins(%v1 : tensor<2xf32>) outs(%v2 : tensor<1x2x4x6xf32>) dimensions = [0, 2, 3] loc("c")
  %v4 = arith.constant dense<"0x27C6143F2DC504BE4EBD423F555DD63E"> : tensor<2x2x1x1xf32> loc("c")
  %v5 = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>} ins(%arg0, %v4 : tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) outs(%v3 : tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v6 = tensor.collapse_shape %v5 [[0], [1, 2, 3]] : tensor<1x2x4x6xf32> into tensor<1x48xf32> loc("view")
  %v7 = arith.constant dense<"0xC9BF6FBEE337F03E"> : tensor<2xf32> loc("l")
  %v8 = tensor.empty() : tensor<1x2xf32> loc("l")
  %v9 = linalg.broadcast ins(%v7 : tensor<2xf32>) outs(%v8 : tensor<1x2xf32>) dimensions = [0] loc("l")
  %v10 = arith.constant dense<"0xD094E73D48AFFD3D72E524BE34FEAFBCBC2765BDD03A3D3E7D297F3D371D0F3E32B9C8BC2FE3F1BD16A0C13CD66741BEF745113ECA85693DF2DFE43D010281BDB9B5503ED74F2E3E8FDFF63D136607BEE1186CBC9A474ABE2E4A19BE6454A23DBA0ED93DD14B4F3EB7759ABD59C165BD56FC57BCA1B009BE3B1824BE655C2CBCF52DF2BDBF97963DEEEFDEBCDD82133EDB98B13D2865A6BD5E53133E5122073E139247BD77B6BBBDBED6A13D4DBC1FBEED0F05BE23705ABE8A72FE3DFF30923D56F1B53D0DF4F83D51BC91BC6ED7F33C40B71FBE57EB2ABE6857953DB10E4DBC7B68E73CEF00EB3D6AF06E3D1A0FBE3CA305D23CE8DBADBDA80950BE867AE0BCF31BFDBD453C22BD61B31C3EF4F1EBBDCCD943BEF7DEC1BD0A0BB7BDD5968F3D864ECA3C87C3FB3D03B7913DBD0826BDFB3C0B3E77AA13BEC1A153BE5BC635BEC530C53D0A3B87BC9C3116BE3830ED39A32A1ABE5019AE3D22FFBEBCEC0553BD6505B0BD6312673D881775BD8DD636BECB6029BEC8CE4C3EAE2A353E2F1AB13D"> : tensor<2x48xf32> loc("l")
  %v11 = tensor.empty() : tensor<48x2xf32> loc("l")
  %v12 = linalg.transpose ins(%v10 : tensor<2x48xf32>) outs(%v11 : tensor<48x2xf32>) permutation = [1, 0] loc("l")
  %v13 = linalg.matmul ins(%v6, %v12 : tensor<1x48xf32>, tensor<48x2xf32>) outs(%v9 : tensor<1x2xf32>) -> tensor<1x2xf32> loc("l")
  return %v13 : tensor<1x2xf32>
}
