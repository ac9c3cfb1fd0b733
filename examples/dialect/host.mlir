func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = "acme.rectify"(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = "acme.square"(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %2 = "acme.rectify"(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %2 : tensor<1x4xf32>
}
