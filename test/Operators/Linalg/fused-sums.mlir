// RUN: qbackend-opt %s --qbackend-print-operators -o /dev/null | FileCheck %s

// A function whose last step is a product, fused into a sum, is no contraction: its
// factors are computed from one tensor.
// CHECK: 0: add [2, 6, 4] <- constant, input0
// CHECK-NEXT: 1: silu [2, 6, 4] <- 0
// CHECK-NEXT: 2: mean<axes = [2]> [2, 6] <- 1
// CHECK-NEXT: result 2
// CHECK-NEXT: float operations outside of operators: 0 of
#id = affine_map<(a, b, c) -> (a, b, c)>
#b = affine_map<(a, b, c) -> (b)>
#sum = affine_map<(a, b, c) -> (a, b)>
#flat = affine_map<(a, b) -> (a, b)>
func.func @silu_mean(%x: tensor<2x6x4xf32>) -> tensor<2x6xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = arith.constant 4.0 : f32
  %bias = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %e = tensor.empty() : tensor<2x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x6xf32>) -> tensor<2x6xf32>
  %s = linalg.generic {indexing_maps = [#id, #b, #sum], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %bias : tensor<2x6x4xf32>, tensor<6xf32>) outs(%f : tensor<2x6xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %v = arith.addf %in, %c : f32
    %1 = arith.negf %v : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.divf %one, %3 : f32
    %5 = arith.mulf %4, %v : f32
    %6 = arith.addf %5, %out : f32
    linalg.yield %6 : f32
  } -> tensor<2x6xf32>
  %y = linalg.generic {indexing_maps = [#flat, #flat], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<2x6xf32>) outs(%e : tensor<2x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.divf %in, %n : f32
    linalg.yield %1 : f32
  } -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}
