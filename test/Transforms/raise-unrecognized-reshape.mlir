// RUN: qbackend-opt %s --qbackend-raise --qbackend-inline-operators | FileCheck %s

// A function that is no operator comes back as it came: a change of shape that was
// put behind it, for its batch, became an operator then.

// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %[[S:.*]] = tensor.collapse_shape %arg0
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK-NEXT: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<8x4xf32>) outs(%[[E]] : tensor<8x4xf32>)
// CHECK-NOT: _shape
// CHECK: return %[[Y]]
func.func @main(%x: tensor<1x8x4xf32>) -> tensor<8x4xf32> {
  %s = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x8x4xf32> into tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = math.tan %i : f32
    linalg.yield %t : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
