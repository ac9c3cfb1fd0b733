// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// With a batch that isn't known, rows of all images are no flattened images.
// CHECK: qbackend.operator [#qbackend.flatten] {{.*}} -> tensor<?x12xf32>
// CHECK: qbackend.operator [#qbackend.reshape] {{.*}} -> tensor<?x4xf32>
func.func @main(%x: tensor<?x3x4xf32>) -> (tensor<?x12xf32>, tensor<?x4xf32>) {
  %0 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x3x4xf32> into tensor<?x12xf32>
  %1 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x3x4xf32> into tensor<?x4xf32>
  return %0, %1 : tensor<?x12xf32>, tensor<?x4xf32>
}

// Of two sizes that aren't known, it can't be told which is which: no transpose, and no dropout.
// CHECK-LABEL: func.func @two_sizes
// CHECK: qbackend.operator [#qbackend.reshape] {{.*}} -> tensor<?x1x?xf32>
// CHECK: qbackend.operator [#qbackend.reshape] {{.*}} -> tensor<?x?x1xf32>
func.func @two_sizes(%x: tensor<?x?x1xf32>) -> (tensor<?x1x?xf32>, tensor<?x?x1xf32>) {
  %turned = tosa.const_shape {values = dense<[-1, 1, 6]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %0 = tosa.reshape %x, %turned : (tensor<?x?x1xf32>, !tosa.shape<3>) -> tensor<?x1x?xf32>
  %other = tosa.const_shape {values = dense<[-1, 6, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %1 = tosa.reshape %x, %other : (tensor<?x?x1xf32>, !tosa.shape<3>) -> tensor<?x?x1xf32>
  return %0, %1 : tensor<?x1x?xf32>, tensor<?x?x1xf32>
}
