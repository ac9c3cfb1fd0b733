// RUN: qbackend-opt %s --qbackend-normalize-code | FileCheck %s

// Slices that lose dimensions of 1 and get them again keep them; so do those that
// are inserted without them.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: %[[A:.*]] = tensor.extract_slice %arg0[0, 0, 2, 1] [1, 1, 3, 2] [1, 1, 2, 1] : tensor<1x1x9x4xf32> to tensor<1x1x3x2xf32>
// CHECK-NEXT: %[[B:.*]] = tensor.insert_slice %[[A]] into %arg1[0, 0, 1, 0] [1, 1, 3, 2] [1, 1, 1, 1] : tensor<1x1x3x2xf32> into tensor<1x1x5x2xf32>
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @kept(%x: tensor<1x1x9x4xf32>, %y: tensor<1x1x5x2xf32>) -> (tensor<1x1x3x2xf32>, tensor<1x1x5x2xf32>) {
  %0 = tensor.extract_slice %x[0, 0, 2, 1] [1, 1, 3, 2] [1, 1, 2, 1] : tensor<1x1x9x4xf32> to tensor<3x2xf32>
  %1 = tensor.expand_shape %0 [[0, 1, 2], [3]] output_shape [1, 1, 3, 2] : tensor<3x2xf32> into tensor<1x1x3x2xf32>
  %2 = tensor.collapse_shape %1 [[0, 1, 2], [3]] : tensor<1x1x3x2xf32> into tensor<3x2xf32>
  %3 = tensor.insert_slice %2 into %y[0, 0, 1, 0] [1, 1, 3, 2] [1, 1, 1, 1] : tensor<3x2xf32> into tensor<1x1x5x2xf32>
  return %1, %3 : tensor<1x1x3x2xf32>, tensor<1x1x5x2xf32>
}

// What has other dimensions afterwards is a change of shape.
// CHECK-LABEL: func.func @others
// CHECK: tensor.extract_slice %arg0{{.*}} to tensor<3x4xf32>
// CHECK: tensor.expand_shape {{.*}} into tensor<3x1x4xf32>
// CHECK: tensor.collapse_shape {{.*}} into tensor<3x4xf32>
// CHECK: tensor.insert_slice {{.*}} : tensor<3x4xf32> into tensor<1x5x4xf32>
func.func @others(%x: tensor<1x9x4xf32>, %y: tensor<1x5x4xf32>) -> (tensor<3x1x4xf32>, tensor<1x5x4xf32>) {
  %0 = tensor.extract_slice %x[0, 2, 0] [1, 3, 4] [1, 1, 1] : tensor<1x9x4xf32> to tensor<3x4xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [3, 1, 4] : tensor<3x4xf32> into tensor<3x1x4xf32>
  %2 = math.tanh %1 : tensor<3x1x4xf32>
  %3 = tensor.collapse_shape %2 [[0, 1], [2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
  %4 = tensor.insert_slice %3 into %y[0, 1, 0] [1, 3, 4] [1, 1, 1] : tensor<3x4xf32> into tensor<1x5x4xf32>
  return %1, %4 : tensor<3x1x4xf32>, tensor<1x5x4xf32>
}
