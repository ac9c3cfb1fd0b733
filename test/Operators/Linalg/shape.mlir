// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @flatten
// CHECK: qbackend.operator [#qbackend.flatten] inputs(%arg0) : (tensor<?x4x2x2xf32>) -> tensor<?x16xf32>
func.func @flatten(%x: tensor<?x4x2x2xf32>) -> tensor<?x16xf32> {
  %r = tensor.collapse_shape %x [[0], [1, 2, 3]] : tensor<?x4x2x2xf32> into tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// CHECK-LABEL: func.func @reshapes
// CHECK: #qbackend.reshape]
// CHECK: #qbackend.reshape]
func.func @reshapes(%x: tensor<2x4x3xf32>) -> tensor<2x2x4x3xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x4x3xf32> into tensor<8x3xf32>
  %a = math.floor %0 : tensor<8x3xf32>
  %1 = tensor.expand_shape %a [[0, 1, 2], [3]] output_shape [1, 2, 4, 3] : tensor<8x3xf32> into tensor<1x2x4x3xf32>
  %2 = tensor.concat dim(0) %1, %1 : (tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32>) -> tensor<2x2x4x3xf32>
  return %2 : tensor<2x2x4x3xf32>
}

// CHECK-LABEL: func.func @transpose
// CHECK: qbackend.transpose %arg0 [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %e = tensor.empty() : tensor<4x2x3xf32>
  %r = linalg.transpose ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<4x2x3xf32>) permutation = [2, 0, 1]
  return %r : tensor<4x2x3xf32>
}

// CHECK-LABEL: func.func @transpose_generic
// CHECK: qbackend.transpose %arg0 [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
func.func @transpose_generic(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %e = tensor.empty() : tensor<4x2x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (c, a, b)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<4x2x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}

// Dropout in inference computes nothing.
// CHECK-LABEL: func.func @dropout
// CHECK-NEXT: return %arg0
func.func @dropout(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %e = tensor.empty() : tensor<1x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (0, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<1x4xf32>
  return %r : tensor<1x4xf32>
}

// CHECK-LABEL: func.func @concat
// CHECK: qbackend.operator [#qbackend.cat<axis = 1>] inputs(%arg0, %arg1)
func.func @concat(%a: tensor<1x2x4x4xf32>, %b: tensor<1x3x4x4xf32>) -> tensor<1x5x4x4xf32> {
  %0 = tensor.concat dim(1) %a, %b : (tensor<1x2x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x5x4x4xf32>
  return %0 : tensor<1x5x4x4xf32>
}

// CHECK-LABEL: func.func @concat_by_insert
// CHECK: qbackend.operator [#qbackend.cat<axis = 1>] inputs(%arg0, %arg1)
func.func @concat_by_insert(%a: tensor<1x2x4x4xf32>, %b: tensor<1x3x4x4xf32>) -> tensor<1x5x4x4xf32> {
  %e = tensor.empty() : tensor<1x5x4x4xf32>
  %0 = tensor.insert_slice %b into %e[0, 2, 0, 0] [1, 3, 4, 4] [1, 1, 1, 1] : tensor<1x3x4x4xf32> into tensor<1x5x4x4xf32>
  %1 = tensor.insert_slice %a into %0[0, 0, 0, 0] [1, 2, 4, 4] [1, 1, 1, 1] : tensor<1x2x4x4xf32> into tensor<1x5x4x4xf32>
  return %1 : tensor<1x5x4x4xf32>
}

// Padding, and slices that overlap, are inserted the same way.
// CHECK-LABEL: func.func @other_inserts
// CHECK-NOT: #qbackend.cat
func.func @other_inserts(%a: tensor<1x3x4x4xf32>, %b: tensor<1x3x4x4xf32>) -> (tensor<1x5x4x4xf32>, tensor<1x5x4x4xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x4x4xf32>) -> tensor<1x5x4x4xf32>
  %0 = tensor.insert_slice %a into %f[0, 1, 0, 0] [1, 3, 4, 4] [1, 1, 1, 1] : tensor<1x3x4x4xf32> into tensor<1x5x4x4xf32>
  %1 = tensor.insert_slice %a into %e[0, 0, 0, 0] [1, 3, 4, 4] [1, 1, 1, 1] : tensor<1x3x4x4xf32> into tensor<1x5x4x4xf32>
  %2 = tensor.insert_slice %b into %1[0, 2, 0, 0] [1, 3, 4, 4] [1, 1, 1, 1] : tensor<1x3x4x4xf32> into tensor<1x5x4x4xf32>
  return %0, %2 : tensor<1x5x4x4xf32>, tensor<1x5x4x4xf32>
}
