func.func @main(%x: tensor<1x4xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<1x4xf32> {
  %y = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
