// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s
// RUN: qbackend-opt %s --qbackend-raise --qbackend-inline-operators | FileCheck %s --check-prefix=BACK

// What is written into a slice of a tensor doesn't depend on what is there: the
// convolution is one, and the concatenation too (a dense layer after
// fold-tensor-subset-ops).

// CHECK-LABEL: func.func @dense(
// CHECK: qbackend.operator [#qbackend.conv2d<
// CHECK: qbackend.operator [#qbackend.cat<
// CHECK: return
func.func @dense(%x: tensor<1x3x8x8xf32>, %p: tensor<1x3x6x6xf32>) -> tensor<1x5x6x6xf32> {
  %w = arith.constant dense<0.125> : tensor<2x3x3x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x6x6xf32>
  %i = tensor.insert_slice %p into %e[0, 0, 0, 0] [1, 3, 6, 6] [1, 1, 1, 1] : tensor<1x3x6x6xf32> into tensor<1x5x6x6xf32>
  %s = tensor.extract_slice %i[0, 3, 0, 0] [1, 2, 6, 6] [1, 1, 1, 1] : tensor<1x5x6x6xf32> to tensor<1x2x6x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<1x2x6x6xf32>) -> tensor<1x2x6x6xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x8x8xf32>, tensor<2x3x3x3xf32>) outs(%f : tensor<1x2x6x6xf32>) -> tensor<1x2x6x6xf32>
  %y = tensor.insert_slice %c into %i[0, 3, 0, 0] [1, 2, 6, 6] [1, 1, 1, 1] : tensor<1x2x6x6xf32> into tensor<1x5x6x6xf32>
  return %y : tensor<1x5x6x6xf32>
}

// What is no operator writes where it did.
// BACK-LABEL: func.func @unknown(
// BACK: %[[S:.*]] = tensor.extract_slice %arg1
// BACK-NOT: tensor.empty
// BACK: linalg.generic {{.*}} outs(%[[S]] : tensor<4x4xf32>)
func.func @unknown(%x: tensor<4x4xf32>, %t: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %s = tensor.extract_slice %t[2, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%s : tensor<4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %u = math.tan %i : f32
    linalg.yield %u : f32
  } -> tensor<4x4xf32>
  %r = tensor.insert_slice %y into %t[2, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
