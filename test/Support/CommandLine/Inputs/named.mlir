func.func @main(%x: tensor<1x4xf32> loc("x")) -> tensor<1x2xf32> {
  %w1 = "tosa.const"() <{values = dense<[[[0.5, -0.25, 0.125], [1.0, -1.0, 0.75], [0.25, 0.5, -0.5], [0.375, 0.625, -0.125]]]> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32>
  %w2 = "tosa.const"() <{values = dense<[[[0.5, -0.25], [1.0, 0.75], [-0.5, 0.25]]]> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s1 = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s2 = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %x, %s1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32>
  %1 = tosa.matmul %0, %w1, %z, %z : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("features.fc")
  %2 = tosa.clamp %1 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32> loc("features.relu")
  %3 = tosa.floor %2 : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32> loc("features.floor")
  %4 = tosa.matmul %3, %w2, %z, %z : (tensor<1x1x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2xf32> loc("head.fc")
  %5 = tosa.reshape %4, %s2 : (tensor<1x1x2xf32>, !tosa.shape<2>) -> tensor<1x2xf32>
  return %5 : tensor<1x2xf32>
}
