// RUN: qbackend-opt %s --qbackend-normalize-layout | FileCheck %s

// The patches of an image as rows: merged with channels first, then turned. It is
// the change of shape of the image with channels last.
// CHECK-LABEL: func.func @patches
// CHECK-NOT: qbackend.transpose
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.reshape] inputs(%arg0) : (tensor<1x4x3x8xf32>) -> tensor<1x12x8xf32>
// CHECK: return %[[R]]
func.func @patches(%x: tensor<1x4x3x8xf32>) -> tensor<1x12x8xf32> {
  %t = qbackend.transpose %x [0, 3, 1, 2] : tensor<1x4x3x8xf32> -> tensor<1x8x4x3xf32>
  %0 = qbackend.operator [#qbackend.reshape] inputs(%t) : (tensor<1x8x4x3xf32>) -> tensor<1x8x12xf32> {
  ^bb0(%a: tensor<1x8x4x3xf32>):
    %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<1x8x4x3xf32> into tensor<1x8x12xf32>
    qbackend.yield %c : tensor<1x8x12xf32>
  }
  %1 = qbackend.transpose %0 [0, 2, 1] : tensor<1x8x12xf32> -> tensor<1x12x8xf32>
  return %1 : tensor<1x12x8xf32>
}

// Where pixels are in another order then, or the rows are read as they are, too,
// the transposition stays.
// CHECK-LABEL: func.func @others
// CHECK: %[[A:.*]] = qbackend.operator [#qbackend.reshape<permutation = [0, 3, 2, 1]>]
// CHECK: qbackend.transpose %[[A]] [0, 2, 1]
// CHECK: %[[B:.*]] = qbackend.operator [#qbackend.reshape<permutation = [0, 3, 1, 2]>]
// CHECK: %[[C:.*]] = qbackend.transpose %[[B]] [0, 2, 1]
// CHECK: return %{{.*}}, %[[B]], %[[C]]
func.func @others(%x: tensor<1x4x3x8xf32>) -> (tensor<1x12x8xf32>, tensor<1x8x12xf32>, tensor<1x12x8xf32>) {
  %t = qbackend.transpose %x [0, 3, 2, 1] : tensor<1x4x3x8xf32> -> tensor<1x8x3x4xf32>
  %0 = qbackend.operator [#qbackend.reshape] inputs(%t) : (tensor<1x8x3x4xf32>) -> tensor<1x8x12xf32> {
  ^bb0(%a: tensor<1x8x3x4xf32>):
    %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<1x8x3x4xf32> into tensor<1x8x12xf32>
    qbackend.yield %c : tensor<1x8x12xf32>
  }
  %1 = qbackend.transpose %0 [0, 2, 1] : tensor<1x8x12xf32> -> tensor<1x12x8xf32>
  %u = qbackend.transpose %x [0, 3, 1, 2] : tensor<1x4x3x8xf32> -> tensor<1x8x4x3xf32>
  %2 = qbackend.operator [#qbackend.reshape] inputs(%u) : (tensor<1x8x4x3xf32>) -> tensor<1x8x12xf32> {
  ^bb0(%a: tensor<1x8x4x3xf32>):
    %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<1x8x4x3xf32> into tensor<1x8x12xf32>
    qbackend.yield %c : tensor<1x8x12xf32>
  }
  %3 = qbackend.transpose %2 [0, 2, 1] : tensor<1x8x12xf32> -> tensor<1x12x8xf32>
  return %1, %2, %3 : tensor<1x12x8xf32>, tensor<1x8x12xf32>, tensor<1x12x8xf32>
}
