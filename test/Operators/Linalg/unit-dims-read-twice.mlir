// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s
//
// An op that reads one value without its leading dimension twice.

// CHECK: 0: square [4, 4, 8] <- input0
// CHECK: outside of operators: 0 of
#i = affine_map<(d0,d1,d2)->(d0,d1,d2)>
func.func @main(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %c = tensor.collapse_shape %x [[0,1],[2],[3]] : tensor<1x4x4x8xf32> into tensor<4x4x8xf32>
  %e = tensor.empty() : tensor<4x4x8xf32>
  %r = linalg.generic {indexing_maps=[#i,#i,#i], iterator_types=["parallel","parallel","parallel"]} ins(%c,%c : tensor<4x4x8xf32>, tensor<4x4x8xf32>) outs(%e : tensor<4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32): 
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32 } -> tensor<4x4x8xf32>
  %y = tensor.expand_shape %r [[0,1],[2],[3]] output_shape [1,4,4,8] : tensor<4x4x8xf32> into tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}
