// RUN: qbackend-opt %s -qbackend-fuse-elementwise | FileCheck %s

#all = affine_map<(n, k) -> (n, k)>
#row = affine_map<(n, k) -> (n)>
#one = affine_map<(n) -> (n)>

// A root for each row, not for each of its elements.
// CHECK-LABEL: func.func @rows
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
// CHECK: math.sqrt
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK-NOT: math.sqrt
// CHECK: return
func.func @rows(%x: tensor<4x96xf32>, %v: tensor<4xf32>) -> tensor<4x96xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = math.sqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4x96xf32>
  %1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<4x96xf32>, tensor<4xf32>) outs(%f : tensor<4x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x96xf32>
  return %1 : tensor<4x96xf32>
}

// What is as fast as a load goes with what reads it.
// CHECK-LABEL: func.func @fast_rows
// CHECK-COUNT-1: linalg.generic
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @fast_rows(%x: tensor<4x96xf32>, %v: tensor<4xf32>) -> tensor<4x96xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4x96xf32>
  %1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<4x96xf32>, tensor<4xf32>) outs(%f : tensor<4x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x96xf32>
  return %1 : tensor<4x96xf32>
}

// Each element has its own root; an extent of 1 is read once.
// CHECK-LABEL: func.func @elements
// CHECK-COUNT-1: linalg.generic
// CHECK: math.sqrt
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @elements(%x: tensor<1x96xf32>, %v: tensor<96xf32>) -> tensor<1x96xf32> {
  %e = tensor.empty() : tensor<96xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v : tensor<96xf32>) outs(%e : tensor<96xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = math.sqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<96xf32>
  %f = tensor.empty() : tensor<1x96xf32>
  %1 = linalg.generic {indexing_maps = [#all, affine_map<(n, k) -> (k)>, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<1x96xf32>, tensor<96xf32>) outs(%f : tensor<1x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x96xf32>
  return %1 : tensor<1x96xf32>
}
