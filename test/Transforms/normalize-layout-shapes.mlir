// RUN: qbackend-opt %s --qbackend-raise --qbackend-normalize-layout | FileCheck %s

// Transposes around operators that move elements meet: the operators say what
// they do in the other layout.

// CHECK-LABEL: func.func @narrow
// CHECK-NEXT: %[[R:.*]] = qbackend.operator [#qbackend.narrow<offsets = [0, 3, 5, 1], sizes = [2, 4, 6, 2], strides = [1, 1, 1, 1]>] inputs(%arg0) : (tensor<2x8x12x4xf32>) -> tensor<2x4x6x2xf32>
// CHECK: return %[[R]]
func.func @narrow(%x: tensor<2x8x12x4xf32>) -> tensor<2x4x6x2xf32> {
  %s = tosa.const_shape {values = dense<[0, 1, 3, 5]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %t = tosa.const_shape {values = dense<[2, 2, 4, 6]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = qbackend.transpose %x [0, 3, 1, 2] : tensor<2x8x12x4xf32> -> tensor<2x4x8x12xf32>
  %1 = tosa.slice %0, %s, %t : (tensor<2x4x8x12xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x2x4x6xf32>
  %2 = qbackend.transpose %1 [0, 2, 3, 1] : tensor<2x2x4x6xf32> -> tensor<2x4x6x2xf32>
  return %2 : tensor<2x4x6x2xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.pad<low = [0, 3, 5, 1], high = [0, 4, 6, 2], value = 5.000000e-01>] inputs(%arg0) : (tensor<2x8x12x4xf32>) -> tensor<2x15x23x7xf32>
// CHECK: return %[[R]]
func.func @pad(%x: tensor<2x8x12x4xf32>) -> tensor<2x15x23x7xf32> {
  %c = arith.constant 0.5 : f32
  %0 = qbackend.transpose %x [0, 3, 1, 2] : tensor<2x8x12x4xf32> -> tensor<2x4x8x12xf32>
  %1 = tensor.pad %0 low[0, 1, 3, 5] high[0, 2, 4, 6] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %c : f32
  } : tensor<2x4x8x12xf32> to tensor<2x7x15x23xf32>
  %2 = qbackend.transpose %1 [0, 2, 3, 1] : tensor<2x7x15x23xf32> -> tensor<2x15x23x7xf32>
  return %2 : tensor<2x15x23x7xf32>
}

// CHECK-LABEL: func.func @repeat
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.repeat<multiples = [1, 3, 4, 2]>] inputs(%arg0) : (tensor<2x3x2x4xf32>) -> tensor<2x9x8x8xf32>
// CHECK: return %[[R]]
func.func @repeat(%x: tensor<2x3x2x4xf32>) -> tensor<2x9x8x8xf32> {
  %m = tosa.const_shape {values = dense<[1, 2, 3, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = qbackend.transpose %x [0, 3, 1, 2] : tensor<2x3x2x4xf32> -> tensor<2x4x3x2xf32>
  %1 = tosa.tile %0, %m : (tensor<2x4x3x2xf32>, !tosa.shape<4>) -> tensor<2x8x9x8xf32>
  %2 = qbackend.transpose %1 [0, 2, 3, 1] : tensor<2x8x9x8xf32> -> tensor<2x9x8x8xf32>
  return %2 : tensor<2x9x8x8xf32>
}

// CHECK-LABEL: func.func @cat_and_shuffle
// CHECK: %[[C:.*]] = qbackend.operator [#qbackend.cat<axis = 3>] inputs(%arg0, %arg1) : (tensor<1x4x5x2xf32>, tensor<1x4x5x4xf32>) -> tensor<1x4x5x6xf32>
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.channel_shuffle<axis = 3, groups = 2>] inputs(%[[C]]) : (tensor<1x4x5x6xf32>) -> tensor<1x4x5x6xf32>
// CHECK: return %[[S]]
func.func @cat_and_shuffle(%x: tensor<1x4x5x2xf32>, %y: tensor<1x4x5x4xf32>) -> tensor<1x4x5x6xf32> {
  %0 = qbackend.transpose %x [0, 3, 1, 2] : tensor<1x4x5x2xf32> -> tensor<1x2x4x5xf32>
  %1 = qbackend.transpose %y [0, 3, 1, 2] : tensor<1x4x5x4xf32> -> tensor<1x4x4x5xf32>
  %2 = tensor.concat dim(1) %0, %1 : (tensor<1x2x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x6x4x5xf32>
  %3 = tensor.expand_shape %2 [[0], [1, 2], [3], [4]] output_shape [1, 2, 3, 4, 5] : tensor<1x6x4x5xf32> into tensor<1x2x3x4x5xf32>
  %e = tensor.empty() : tensor<1x3x2x4x5xf32>
  %4 = linalg.transpose ins(%3 : tensor<1x2x3x4x5xf32>) outs(%e : tensor<1x3x2x4x5xf32>) permutation = [0, 2, 1, 3, 4]
  %5 = tensor.collapse_shape %4 [[0], [1, 2], [3], [4]] : tensor<1x3x2x4x5xf32> into tensor<1x6x4x5xf32>
  %6 = qbackend.transpose %5 [0, 2, 3, 1] : tensor<1x6x4x5xf32> -> tensor<1x4x5x6xf32>
  return %6 : tensor<1x4x5x6xf32>
}
