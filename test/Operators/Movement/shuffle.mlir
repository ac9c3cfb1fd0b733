// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @pixel_shuffle
// CHECK: %[[X:.*]] = qbackend.transpose %arg0 [0, 2, 3, 1]
// CHECK: qbackend.operator [#qbackend.pixel_shuffle<upscale_factor = 3>] inputs(%[[X]]) : (tensor<?x4x5x18xf32>) -> tensor<?x12x15x2xf32>
func.func @pixel_shuffle(%x: tensor<?x18x4x5xf32>) -> tensor<?x2x12x15xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x18x4x5xf32>
  %0 = tensor.expand_shape %x [[0], [1, 2, 3], [4], [5]] output_shape [%d, 2, 3, 3, 4, 5] : tensor<?x18x4x5xf32> into tensor<?x2x3x3x4x5xf32>
  %e = tensor.empty(%d) : tensor<?x2x4x3x5x3xf32>
  %1 = linalg.transpose ins(%0 : tensor<?x2x3x3x4x5xf32>) outs(%e : tensor<?x2x4x3x5x3xf32>) permutation = [0, 1, 4, 2, 5, 3]
  %2 = tensor.collapse_shape %1 [[0], [1], [2, 3], [4, 5]] : tensor<?x2x4x3x5x3xf32> into tensor<?x2x12x15xf32>
  return %2 : tensor<?x2x12x15xf32>
}

// Channels last, but the channels in PyTorch's order.
// CHECK-LABEL: func.func @pixel_shuffle_nhwc
// CHECK: qbackend.operator [#qbackend.pixel_shuffle<upscale_factor = 3>] inputs(%arg0) : (tensor<1x4x5x18xf32>) -> tensor<1x12x15x2xf32>
func.func @pixel_shuffle_nhwc(%x: tensor<1x4x5x18xf32>) -> tensor<1x12x15x2xf32> {
  %s = tosa.const_shape {values = dense<[1, 4, 5, 2, 3, 3]> : tensor<6xindex>} : () -> !tosa.shape<6>
  %t = tosa.const_shape {values = dense<[1, 12, 15, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.reshape %x, %s : (tensor<1x4x5x18xf32>, !tosa.shape<6>) -> tensor<1x4x5x2x3x3xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 0, 1, 4, 2, 5, 3>} : (tensor<1x4x5x2x3x3xf32>) -> tensor<1x4x3x5x3x2xf32>
  %2 = tosa.reshape %1, %t : (tensor<1x4x3x5x3x2xf32>, !tosa.shape<4>) -> tensor<1x12x15x2xf32>
  return %2 : tensor<1x12x15x2xf32>
}

// TensorFlow's depth_to_space has the pixels before the channels.
// CHECK-LABEL: func.func @depth_to_space
// CHECK-NOT: #qbackend.pixel_shuffle
// CHECK: #qbackend.reshape
// CHECK: qbackend.transpose
// CHECK: #qbackend.reshape
// CHECK: return
func.func @depth_to_space(%x: tensor<1x4x5x18xf32>) -> tensor<1x12x15x2xf32> {
  %s = tosa.const_shape {values = dense<[1, 4, 5, 3, 3, 2]> : tensor<6xindex>} : () -> !tosa.shape<6>
  %t = tosa.const_shape {values = dense<[1, 12, 15, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.reshape %x, %s : (tensor<1x4x5x18xf32>, !tosa.shape<6>) -> tensor<1x4x5x3x3x2xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 0, 1, 3, 2, 4, 5>} : (tensor<1x4x5x3x3x2xf32>) -> tensor<1x4x3x5x3x2xf32>
  %2 = tosa.reshape %1, %t : (tensor<1x4x3x5x3x2xf32>, !tosa.shape<4>) -> tensor<1x12x15x2xf32>
  return %2 : tensor<1x12x15x2xf32>
}

// Rows and columns of the block swapped: no shuffle of PyTorch's.
// CHECK-LABEL: func.func @swapped
// CHECK-NOT: #qbackend.pixel_shuffle
// CHECK: return
func.func @swapped(%x: tensor<1x18x4x5xf32>) -> tensor<1x2x12x15xf32> {
  %0 = tensor.expand_shape %x [[0], [1, 2, 3], [4], [5]] output_shape [1, 2, 3, 3, 4, 5] : tensor<1x18x4x5xf32> into tensor<1x2x3x3x4x5xf32>
  %e = tensor.empty() : tensor<1x2x4x3x5x3xf32>
  %1 = linalg.transpose ins(%0 : tensor<1x2x3x3x4x5xf32>) outs(%e : tensor<1x2x4x3x5x3xf32>) permutation = [0, 1, 4, 3, 5, 2]
  %2 = tensor.collapse_shape %1 [[0], [1], [2, 3], [4, 5]] : tensor<1x2x4x3x5x3xf32> into tensor<1x2x12x15xf32>
  return %2 : tensor<1x2x12x15xf32>
}

// CHECK-LABEL: func.func @pixel_unshuffle
// CHECK: %[[X:.*]] = qbackend.transpose %arg0 [0, 2, 3, 1]
// CHECK: qbackend.operator [#qbackend.pixel_unshuffle<downscale_factor = 3>] inputs(%[[X]]) : (tensor<1x6x9x2xf32>) -> tensor<1x2x3x18xf32>
func.func @pixel_unshuffle(%x: tensor<1x2x6x9xf32>) -> tensor<1x18x2x3xf32> {
  %0 = tensor.expand_shape %x [[0], [1], [2, 3], [4, 5]] output_shape [1, 2, 2, 3, 3, 3] : tensor<1x2x6x9xf32> into tensor<1x2x2x3x3x3xf32>
  %e = tensor.empty() : tensor<1x2x3x3x2x3xf32>
  %1 = linalg.transpose ins(%0 : tensor<1x2x2x3x3x3xf32>) outs(%e : tensor<1x2x3x3x2x3xf32>) permutation = [0, 1, 3, 5, 2, 4]
  %2 = tensor.collapse_shape %1 [[0], [1, 2, 3], [4], [5]] : tensor<1x2x3x3x2x3xf32> into tensor<1x18x2x3xf32>
  return %2 : tensor<1x18x2x3xf32>
}

// CHECK-LABEL: func.func @channel_shuffle
// CHECK: qbackend.operator [#qbackend.channel_shuffle<axis = 1, groups = 2>] inputs(%arg0)
func.func @channel_shuffle(%x: tensor<1x6x4x5xf32>) -> tensor<1x6x4x5xf32> {
  %0 = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [1, 2, 3, 4, 5] : tensor<1x6x4x5xf32> into tensor<1x2x3x4x5xf32>
  %e = tensor.empty() : tensor<1x3x2x4x5xf32>
  %1 = linalg.transpose ins(%0 : tensor<1x2x3x4x5xf32>) outs(%e : tensor<1x3x2x4x5xf32>) permutation = [0, 2, 1, 3, 4]
  %2 = tensor.collapse_shape %1 [[0], [1, 2], [3], [4]] : tensor<1x3x2x4x5xf32> into tensor<1x6x4x5xf32>
  return %2 : tensor<1x6x4x5xf32>
}

// CHECK-LABEL: func.func @channel_shuffle_nhwc
// CHECK: qbackend.operator [#qbackend.channel_shuffle<axis = 3, groups = 3>] inputs(%arg0)
func.func @channel_shuffle_nhwc(%x: tensor<1x4x5x6xf32>) -> tensor<1x4x5x6xf32> {
  %s = tosa.const_shape {values = dense<[1, 4, 5, 3, 2]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %t = tosa.const_shape {values = dense<[1, 4, 5, 6]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.reshape %x, %s : (tensor<1x4x5x6xf32>, !tosa.shape<5>) -> tensor<1x4x5x3x2xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 0, 1, 2, 4, 3>} : (tensor<1x4x5x3x2xf32>) -> tensor<1x4x5x2x3xf32>
  %2 = tosa.reshape %1, %t : (tensor<1x4x5x2x3xf32>, !tosa.shape<4>) -> tensor<1x4x5x6xf32>
  return %2 : tensor<1x4x5x6xf32>
}

// What another op reads in between stays visible.
// CHECK-LABEL: func.func @used_inside
// CHECK-NOT: #qbackend.channel_shuffle
// CHECK: return
func.func @used_inside(%x: tensor<1x6x4x5xf32>) -> (tensor<1x6x4x5xf32>, tensor<1x3x2x4x5xf32>) {
  %0 = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [1, 2, 3, 4, 5] : tensor<1x6x4x5xf32> into tensor<1x2x3x4x5xf32>
  %e = tensor.empty() : tensor<1x3x2x4x5xf32>
  %1 = linalg.transpose ins(%0 : tensor<1x2x3x4x5xf32>) outs(%e : tensor<1x3x2x4x5xf32>) permutation = [0, 2, 1, 3, 4]
  %2 = tensor.collapse_shape %1 [[0], [1, 2], [3], [4]] : tensor<1x3x2x4x5xf32> into tensor<1x6x4x5xf32>
  return %2, %1 : tensor<1x6x4x5xf32>, tensor<1x3x2x4x5xf32>
}

// CHECK-LABEL: func.func @upsample
// CHECK: %[[X:.*]] = qbackend.transpose %arg0 [0, 2, 3, 1]
// CHECK: qbackend.operator [#qbackend.interpolate<mode = nearest>] inputs(%[[X]]) : (tensor<1x4x5x3xf32>) -> tensor<1x8x15x3xf32>
func.func @upsample(%x: tensor<1x3x4x5xf32>) -> tensor<1x3x8x15xf32> {
  %e = tensor.empty() : tensor<1x3x4x2x5x3xf32>
  %0 = linalg.broadcast ins(%x : tensor<1x3x4x5xf32>) outs(%e : tensor<1x3x4x2x5x3xf32>) dimensions = [3, 5]
  %1 = tensor.collapse_shape %0 [[0], [1], [2, 3], [4, 5]] : tensor<1x3x4x2x5x3xf32> into tensor<1x3x8x15xf32>
  return %1 : tensor<1x3x8x15xf32>
}

// Two reshapes in a row are one, and nothing if they give what there was.
// CHECK-LABEL: func.func @reshapes
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.reshape] inputs(%arg0) : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
// CHECK-NOT: inputs(%arg1)
// CHECK: return %[[R]], %arg1
func.func @reshapes(%x: tensor<2x3x4xf32>, %y: tensor<1x3x1xf32>) -> (tensor<6x4xf32>, tensor<1x3x1xf32>) {
  %0 = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x3x4xf32> into tensor<24xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
  %2 = tensor.collapse_shape %y [[0, 1, 2]] : tensor<1x3x1xf32> into tensor<3xf32>
  %3 = tensor.expand_shape %2 [[0, 1, 2]] output_shape [1, 3, 1] : tensor<3xf32> into tensor<1x3x1xf32>
  return %1, %3 : tensor<6x4xf32>, tensor<1x3x1xf32>
}
