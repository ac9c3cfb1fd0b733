func.func @main(%x: tensor<1x4xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<1x4xf32> {
  %y = "acme.rectify"(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
