// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @bilinear
// CHECK: qbackend.operator [#qbackend.interpolate<mode = bilinear>] inputs(%arg0) : (tensor<1x5x7x3xf32>) -> tensor<1x10x14x3xf32>
func.func @bilinear(%x: tensor<1x5x7x3xf32>) -> tensor<1x10x14x3xf32> {
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %x, %scale, %offset, %border {mode = BILINEAR} : (tensor<1x5x7x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x10x14x3xf32>
  return %0 : tensor<1x10x14x3xf32>
}

// CHECK-LABEL: func.func @align_corners
// CHECK: qbackend.operator [#qbackend.interpolate<mode = bilinear, align_corners = true>] inputs(%arg0) : (tensor<1x5x7x3xf32>) -> tensor<1x9x19x3xf32>
func.func @align_corners(%x: tensor<1x5x7x3xf32>) -> tensor<1x9x19x3xf32> {
  %scale = tosa.const_shape {values = dense<[2, 1, 3, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %zero = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %x, %scale, %zero, %zero {mode = BILINEAR} : (tensor<1x5x7x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x9x19x3xf32>
  return %0 : tensor<1x9x19x3xf32>
}

// CHECK-LABEL: func.func @nearest
// CHECK: qbackend.operator [#qbackend.interpolate<mode = nearest>] inputs(%arg0) : (tensor<1x5x7x3xf32>) -> tensor<1x10x21x3xf32>
func.func @nearest(%x: tensor<1x5x7x3xf32>) -> tensor<1x10x21x3xf32> {
  %scale = tosa.const_shape {values = dense<[4, 2, 6, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<[-1, -2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %x, %scale, %offset, %border {mode = NEAREST_NEIGHBOR} : (tensor<1x5x7x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x10x21x3xf32>
  return %0 : tensor<1x10x21x3xf32>
}

// Neither pixel centres nor corners: TFLite's legacy positions.
// CHECK-LABEL: func.func @legacy
// CHECK-NOT: #qbackend.interpolate
// CHECK: return
func.func @legacy(%x: tensor<1x5x7x3xf32>) -> tensor<1x10x14x3xf32> {
  %scale = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %zero = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %one = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %x, %scale, %zero, %one {mode = BILINEAR} : (tensor<1x5x7x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x10x14x3xf32>
  return %0 : tensor<1x10x14x3xf32>
}

// Pixels by number, channels first around it.
// CHECK-LABEL: func.func @gather
// CHECK: %[[X:.*]] = qbackend.transpose %arg0 [0, 2, 3, 1]
// CHECK: qbackend.operator [#qbackend.interpolate<mode = nearest>] inputs(%[[X]]) : (tensor<1x2x2x3xf32>) -> tensor<1x3x4x3xf32>
func.func @gather(%x: tensor<1x3x2x2xf32>) -> tensor<1x3x3x4xf32> {
  %s = tosa.const_shape {values = dense<[1, 3, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %t = tosa.const_shape {values = dense<[1, 3, 3, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %i = "tosa.const"() <{values = dense<[[0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3]]> : tensor<1x12xi32>}> : () -> tensor<1x12xi32>
  %0 = tosa.reshape %x, %s : (tensor<1x3x2x2xf32>, !tosa.shape<3>) -> tensor<1x3x4xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 0, 2, 1>} : (tensor<1x3x4xf32>) -> tensor<1x4x3xf32>
  %2 = tosa.gather %1, %i : (tensor<1x4x3xf32>, tensor<1x12xi32>) -> tensor<1x12x3xf32>
  %3 = tosa.transpose %2 {perms = array<i32: 0, 2, 1>} : (tensor<1x12x3xf32>) -> tensor<1x3x12xf32>
  %4 = tosa.reshape %3, %t : (tensor<1x3x12xf32>, !tosa.shape<4>) -> tensor<1x3x3x4xf32>
  return %4 : tensor<1x3x3x4xf32>
}
