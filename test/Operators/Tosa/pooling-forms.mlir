// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// The last windows reach beyond the image: ceil mode, which counts no elements
// there.
// CHECK-LABEL: func.func @ceil_mode
// CHECK: qbackend.operator [#qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 2], padding = [0, 0, 0, 0], ceil_mode = true>] inputs(%arg0)
func.func @ceil_mode(%x: tensor<1x8x6x3xf32>) -> tensor<1x4x3x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 3, 2>, pad = array<i64: 0, 1, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xf32>
  return %0 : tensor<1x4x3x3xf32>
}

// Padding in front counts, what is beyond it doesn't.
// CHECK-LABEL: func.func @ceil_mode_with_padding
// CHECK: qbackend.operator [#qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 2], padding = [1, 1, 0, 0], ceil_mode = true>] inputs(%arg0)
func.func @ceil_mode_with_padding(%x: tensor<1x8x6x3xf32>) -> tensor<1x5x3x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = tosa.const_shape {values = dense<[0, 0, 1, 1, 0, 0, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %p = tosa.pad %x, %s, %z : (tensor<1x8x6x3xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<1x10x6x3xf32>
  %0 = tosa.avg_pool2d %p, %z, %z {acc_type = f32, kernel = array<i64: 3, 2>, pad = array<i64: 0, 1, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x10x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x3x3xf32>
  return %0 : tensor<1x5x3x3xf32>
}

// No symmetric padding gives as many windows: it doesn't count, nevertheless.
// CHECK-LABEL: func.func @uneven_padding
// CHECK: qbackend.operator [#qbackend.avg_pool2d<kernel = [4, 1], stride = [1, 1], padding = [1, 2, 0, 0], count_exclude_pad = true>] inputs(%arg0)
func.func @uneven_padding(%x: tensor<1x8x6x3xf32>) -> tensor<1x8x6x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 4, 1>, pad = array<i64: 1, 2, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x6x3xf32>
  return %0 : tensor<1x8x6x3xf32>
}

// Between two reshapes, padded and cut there.
// CHECK-LABEL: func.func @average_1d
// CHECK: qbackend.operator [#qbackend.avg_pool1d<kernel = [3], stride = [3], padding = [1, 0]>] inputs(%arg0) : (tensor<2x9x5xf32>) -> tensor<2x3x5xf32>
// CHECK: return %0
func.func @average_1d(%x: tensor<2x9x5xf32>) -> tensor<2x3x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s4 = tosa.const_shape {values = dense<[2, 1, 9, 5]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s3 = tosa.const_shape {values = dense<[2, 3, 5]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %sp = tosa.const_shape {values = dense<[0, 0, 0, 0, 1, 1, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %start = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[2, 1, 9, 5]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %r = tosa.reshape %x, %s4 : (tensor<2x9x5xf32>, !tosa.shape<4>) -> tensor<2x1x9x5xf32>
  %p = tosa.pad %r, %sp, %z : (tensor<2x1x9x5xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<2x1x11x5xf32>
  %c = tosa.slice %p, %start, %size : (tensor<2x1x11x5xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x1x9x5xf32>
  %0 = tosa.avg_pool2d %c, %z, %z {acc_type = f32, kernel = array<i64: 1, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 3>} : (tensor<2x1x9x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1x3x5xf32>
  %1 = tosa.reshape %0, %s3 : (tensor<2x1x3x5xf32>, !tosa.shape<3>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}

// PyTorch's layout, with the new dimension at the end.
// CHECK-LABEL: func.func @max_1d_transposed
// CHECK: %[[X:.*]] = qbackend.transpose %arg0 [0, 2, 1]
// CHECK: qbackend.operator [#qbackend.max_pool1d<kernel = [3], stride = [2], padding = [1, 0], dilation = [1]>] inputs(%[[X]]) : (tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
// CHECK: qbackend.transpose %{{.*}} [0, 2, 1] : tensor<2x4x5xf32> -> tensor<2x5x4xf32>
func.func @max_1d_transposed(%x: tensor<2x5x8xf32>) -> tensor<2x5x4xf32> {
  %s4 = tosa.const_shape {values = dense<[2, 5, 8, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s3 = tosa.const_shape {values = dense<[2, 5, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %r = tosa.reshape %x, %s4 : (tensor<2x5x8xf32>, !tosa.shape<4>) -> tensor<2x5x8x1xf32>
  %t = tosa.transpose %r {perms = array<i32: 0, 2, 3, 1>} : (tensor<2x5x8x1xf32>) -> tensor<2x8x1x5xf32>
  %0 = tosa.max_pool2d %t {kernel = array<i64: 3, 1>, pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 1>} : (tensor<2x8x1x5xf32>) -> tensor<2x4x1x5xf32>
  %u = tosa.transpose %0 {perms = array<i32: 0, 3, 1, 2>} : (tensor<2x4x1x5xf32>) -> tensor<2x5x4x1xf32>
  %1 = tosa.reshape %u, %s3 : (tensor<2x5x4x1xf32>, !tosa.shape<3>) -> tensor<2x5x4xf32>
  return %1 : tensor<2x5x4xf32>
}

// A reshape that joins dimensions is another one.
// CHECK-LABEL: func.func @flattened
// CHECK-NOT: avg_pool1d
// CHECK: #qbackend.avg_pool2d<kernel = [1, 3], stride = [1, 3], padding = [0, 0, 0, 0]>
func.func @flattened(%x: tensor<2x9x5xf32>) -> tensor<2x15xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s4 = tosa.const_shape {values = dense<[2, 1, 9, 5]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s2 = tosa.const_shape {values = dense<[2, 15]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %x, %s4 : (tensor<2x9x5xf32>, !tosa.shape<4>) -> tensor<2x1x9x5xf32>
  %0 = tosa.avg_pool2d %r, %z, %z {acc_type = f32, kernel = array<i64: 1, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 3>} : (tensor<2x1x9x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1x3x5xf32>
  %1 = tosa.reshape %0, %s2 : (tensor<2x1x3x5xf32>, !tosa.shape<2>) -> tensor<2x15xf32>
  return %1 : tensor<2x15xf32>
}

// Without sizes, windows inside of the image are all that is known.
// CHECK-LABEL: func.func @dynamic_image
// CHECK: #qbackend.avg_pool2d<kernel = [2, 2], stride = [1, 1], padding = [0, 0, 0, 0]>
// CHECK-NOT: avg_pool2d<
// CHECK: tosa.avg_pool2d
// CHECK: return
func.func @dynamic_image(%x: tensor<1x?x6x3xf32>) -> (tensor<1x?x5x3xf32>, tensor<1x?x5x3xf32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x?x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x5x3xf32>
  %1 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x?x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x5x3xf32>
  return %0, %1 : tensor<1x?x5x3xf32>, tensor<1x?x5x3xf32>
}
