func.func @main(%x: tensor<1x1x8x8xf32> loc("x")) -> tensor<1x4xf32> {
  %w = "tosa.const"() <{values = dense<[[[[0.1],[0.2],[0.3]],[[-0.1],[0.5],[0.2]],[[0.1],[0.2],[0.3]]],[[[0.3],[-0.2],[0.3]],[[-0.1],[0.1],[0.2]],[[0.7],[-0.2],[0.3]]]]> : tensor<2x3x3x1xf32>}> : () -> tensor<2x3x3x1xf32>
  %b = "tosa.const"() <{values = dense<[0.1, -0.1]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = tosa.const_shape {values = dense<[1, 8, 8, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.reshape %x, %s : (tensor<1x1x8x8xf32>, !tosa.shape<4>) -> tensor<1x8x8x1xf32>
  %1 = tosa.conv2d %0, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x1xf32>, tensor<2x3x3x1xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x2xf32>
  %2 = tosa.clamp %1 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x8x8x2xf32>) -> tensor<1x8x8x2xf32>
  %3 = tosa.sigmoid %2 : (tensor<1x8x8x2xf32>) -> tensor<1x8x8x2xf32>
  %s2 = tosa.const_shape {values = dense<[1, 1, 128]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %4 = tosa.reshape %3, %s2 : (tensor<1x8x8x2xf32>, !tosa.shape<3>) -> tensor<1x1x128xf32>
  %w2 = "tosa.const"() <{values = dense<0.01> : tensor<1x128x4xf32>}> : () -> tensor<1x128x4xf32>
  %5 = tosa.matmul %4, %w2, %z, %z : (tensor<1x1x128xf32>, tensor<1x128x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x4xf32>
  %s3 = tosa.const_shape {values = dense<[1, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %6 = tosa.reshape %5, %s3 : (tensor<1x1x4xf32>, !tosa.shape<2>) -> tensor<1x4xf32>
  return %6 : tensor<1x4xf32>
}
