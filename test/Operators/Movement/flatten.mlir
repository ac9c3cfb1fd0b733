// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// With a batch that isn't known, rows of all images are no flattened images.
// CHECK: qbackend.operator [#qbackend.flatten] {{.*}} -> tensor<?x12xf32>
// CHECK: qbackend.operator [#qbackend.reshape] {{.*}} -> tensor<?x4xf32>
func.func @main(%x: tensor<?x3x4xf32>) -> (tensor<?x12xf32>, tensor<?x4xf32>) {
  %0 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x3x4xf32> into tensor<?x12xf32>
  %1 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x3x4xf32> into tensor<?x4xf32>
  return %0, %1 : tensor<?x12xf32>, tensor<?x4xf32>
}
