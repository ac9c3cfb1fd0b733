// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// A batch of 1 that was folded away comes back.

#n = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: func.func @folded
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.relu] inputs(%arg0) : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
// CHECK: return %[[R]]
func.func @folded(%x: tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> {
  %z = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x3x4x5xf32> into tensor<3x4x5xf32>
  %e = tensor.empty() : tensor<3x4x5xf32>
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%c : tensor<3x4x5xf32>) outs(%e : tensor<3x4x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %z : f32
    linalg.yield %m : f32
  } -> tensor<3x4x5xf32>
  %y = tensor.expand_shape %r [[0, 1], [2], [3]] output_shape [1, 3, 4, 5] : tensor<3x4x5xf32> into tensor<1x3x4x5xf32>
  return %y : tensor<1x3x4x5xf32>
}

// A batch of 2 is none that was folded: the change of shape stays where it is.
// CHECK-LABEL: func.func @merged
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.reshape] inputs(%arg0) : (tensor<2x3x4x5xf32>) -> tensor<6x4x5xf32>
// CHECK: qbackend.operator [#qbackend.relu] inputs(%[[S]]) : (tensor<6x4x5xf32>)
func.func @merged(%x: tensor<2x3x4x5xf32>) -> tensor<6x4x5xf32> {
  %z = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<2x3x4x5xf32> into tensor<6x4x5xf32>
  %e = tensor.empty() : tensor<6x4x5xf32>
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%c : tensor<6x4x5xf32>) outs(%e : tensor<6x4x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %z : f32
    linalg.yield %m : f32
  } -> tensor<6x4x5xf32>
  return %r : tensor<6x4x5xf32>
}

// A slice that drops the batch, and one that is put where there is none.
// CHECK-LABEL: func.func @slices
// CHECK: qbackend.operator [#qbackend.narrow<offsets = [0, 1, 0, 0], sizes = [1, 2, 4, 5], strides = [1, 1, 1, 1]>] inputs(%arg0) : (tensor<1x3x4x5xf32>) -> tensor<1x2x4x5xf32>
// CHECK: qbackend.operator [#qbackend.cat<axis = 1>] inputs(%{{.*}}, %arg0) : (tensor<1x2x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x5x4x5xf32>
func.func @slices(%x: tensor<1x3x4x5xf32>) -> tensor<1x5x4x5xf32> {
  %s = tensor.extract_slice %x[0, 1, 0, 0] [1, 2, 4, 5] [1, 1, 1, 1] : tensor<1x3x4x5xf32> to tensor<2x4x5xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x3x4x5xf32> into tensor<3x4x5xf32>
  %e = tensor.empty() : tensor<5x4x5xf32>
  %a = tensor.insert_slice %s into %e[0, 0, 0] [2, 4, 5] [1, 1, 1] : tensor<2x4x5xf32> into tensor<5x4x5xf32>
  %b = tensor.insert_slice %c into %a[2, 0, 0] [3, 4, 5] [1, 1, 1] : tensor<3x4x5xf32> into tensor<5x4x5xf32>
  %y = tensor.expand_shape %b [[0, 1], [2], [3]] output_shape [1, 5, 4, 5] : tensor<5x4x5xf32> into tensor<1x5x4x5xf32>
  return %y : tensor<1x5x4x5xf32>
}
