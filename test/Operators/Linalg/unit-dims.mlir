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
