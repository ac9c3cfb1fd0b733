// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @strided
// CHECK: qbackend.operator [#qbackend.narrow<offsets = [0, 1, 3], sizes = [2, 2, 5], strides = [1, 3, 1]>] inputs(%arg0) : (tensor<2x7x9xf32>) -> tensor<2x2x5xf32>
func.func @strided(%x: tensor<2x7x9xf32>) -> tensor<2x2x5xf32> {
  %0 = tensor.extract_slice %x[0, 1, 3] [2, 2, 5] [1, 3, 1] : tensor<2x7x9xf32> to tensor<2x2x5xf32>
  return %0 : tensor<2x2x5xf32>
}

// A dimension that is taken whole has no size before it runs.
// CHECK-LABEL: func.func @dynamic_batch
// CHECK: qbackend.operator [#qbackend.narrow<offsets = [0, 1, 0], sizes = [-1, 2, 9], strides = [1, 3, 1]>] inputs(%arg0) : (tensor<?x7x9xf32>) -> tensor<?x2x9xf32>
func.func @dynamic_batch(%x: tensor<?x7x9xf32>) -> tensor<?x2x9xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x7x9xf32>
  %0 = tensor.extract_slice %x[0, 1, 0] [%d, 2, 9] [1, 3, 1] : tensor<?x7x9xf32> to tensor<?x2x9xf32>
  return %0 : tensor<?x2x9xf32>
}

// One index: the dimension stays in the operator, and is dropped after it.
// CHECK-LABEL: func.func @select
// CHECK: %[[N:.*]] = qbackend.operator [#qbackend.narrow<offsets = [0, 4, 0], sizes = [-1, 1, 9], strides = [1, 1, 1]>] inputs(%arg0) : (tensor<?x7x9xf32>) -> tensor<?x1x9xf32>
// CHECK: qbackend.operator [#qbackend.flatten] inputs(%[[N]]) attributes {qbackend.source_values = 0 : i64} : (tensor<?x1x9xf32>) -> tensor<?x9xf32>
func.func @select(%x: tensor<?x7x9xf32>) -> tensor<?x9xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x7x9xf32>
  %0 = tensor.extract_slice %x[0, 4, 0] [%d, 1, 9] [1, 1, 1] : tensor<?x7x9xf32> to tensor<?x9xf32>
  return %0 : tensor<?x9xf32>
}

// CHECK-LABEL: func.func @tosa
// CHECK: qbackend.operator [#qbackend.narrow<offsets = [0, 5], sizes = [2, 4], strides = [1, 1]>] inputs(%arg0)
func.func @tosa(%x: tensor<2x9xf32>) -> tensor<2x4xf32> {
  %m = tosa.const_shape {values = dense<[0, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %s = tosa.const_shape {values = dense<[2, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.slice %x, %m, %s : (tensor<2x9xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// TFLite's strided slice: every second row is one of two.
// CHECK-LABEL: func.func @strided_by_reshape
// CHECK: qbackend.operator [#qbackend.narrow<offsets = [0, 1, 0], sizes = [2, 4, 3], strides = [1, 2, 1]>] inputs(%arg0)
func.func @strided_by_reshape(%x: tensor<2x8x3xf32>) -> tensor<2x4x3xf32> {
  %0 = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [2, 4, 2, 3] : tensor<2x8x3xf32> into tensor<2x4x2x3xf32>
  %1 = tensor.extract_slice %0[0, 0, 1, 0] [2, 4, 1, 3] [1, 1, 1, 1] : tensor<2x4x2x3xf32> to tensor<2x4x1x3xf32>
  %2 = tensor.collapse_shape %1 [[0], [1, 2], [3]] : tensor<2x4x1x3xf32> into tensor<2x4x3xf32>
  return %2 : tensor<2x4x3xf32>
}

// Offsets that the code computes are nobody's parameters, nor are slices of the
// argument that holds all weights activations.
// CHECK-LABEL: func.func @others
// CHECK-NOT: #qbackend.narrow
// CHECK: return
func.func @others(%x: tensor<2x9xf32>, %i: index, %packed: tensor<40xf32>) -> (tensor<2x4xf32>, tensor<6xf32>) {
  %0 = tensor.extract_slice %x[0, %i] [2, 4] [1, 1] : tensor<2x9xf32> to tensor<2x4xf32>
  %1 = tensor.extract_slice %packed[10] [6] [1] : tensor<40xf32> to tensor<6xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<6xf32>
}

// A batch of any size that the code knows as that of its argument.
// CHECK-LABEL: func.func @any_batch
// CHECK: qbackend.operator [#qbackend.narrow<offsets = [0, 1, 0], sizes = [-1, 2, 8], strides = [1, 1, 1]>]
func.func @any_batch(%x: tensor<?x4x6xf32>) -> tensor<?x2x8xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4x6xf32>
  %e = tensor.empty(%n) : tensor<?x4x6xf32>
  %y = linalg.exp ins(%x : tensor<?x4x6xf32>) outs(%e : tensor<?x4x6xf32>) -> tensor<?x4x6xf32>
  %p = tensor.pad %y low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f32
  } : tensor<?x4x6xf32> to tensor<?x4x8xf32>
  %0 = tensor.extract_slice %p[0, 1, 0] [%n, 2, 8] [1, 1, 1] : tensor<?x4x8xf32> to tensor<?x2x8xf32>
  return %0 : tensor<?x2x8xf32>
}

// Nothing says that the batches are equal.
// CHECK-LABEL: func.func @batch_of_another
// CHECK-NOT: #qbackend.narrow
// CHECK: return
func.func @batch_of_another(%x: tensor<?x4x6xf32>, %b: tensor<?x3xf32>) -> tensor<?x2x6xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %b, %c0 : tensor<?x3xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4x6xf32>
  %e = tensor.empty(%n) : tensor<?x4x6xf32>
  %y = linalg.exp ins(%x : tensor<?x4x6xf32>) outs(%e : tensor<?x4x6xf32>) -> tensor<?x4x6xf32>
  %0 = tensor.extract_slice %y[0, 1, 0] [%m, 2, 6] [1, 1, 1] : tensor<?x4x6xf32> to tensor<?x2x6xf32>
  return %0 : tensor<?x2x6xf32>
}

// Padded batches are larger.
// CHECK-LABEL: func.func @padded_batch
// CHECK-NOT: #qbackend.narrow
// CHECK: return
func.func @padded_batch(%x: tensor<?x4x6xf32>) -> tensor<?x2x6xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4x6xf32>
  %p = tensor.pad %x low[0, 0, 0] high[1, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f32
  } : tensor<?x4x6xf32> to tensor<?x4x6xf32>
  %0 = tensor.extract_slice %p[0, 1, 0] [%n, 2, 6] [1, 1, 1] : tensor<?x4x6xf32> to tensor<?x2x6xf32>
  return %0 : tensor<?x2x6xf32>
}
