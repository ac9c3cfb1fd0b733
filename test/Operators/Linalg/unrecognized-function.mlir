// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// A function of one value that nobody knows is not taken apart, though its last
// step would be an operator; what fusion has joined is.

#n = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @one_function
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @one_function(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %k = arith.constant 1.3 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.mulf %i, %k : f32
    %g = math.atan %m : f32
    %p = arith.addf %g, %one : f32
    %r = arith.mulf %i, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @fused
// CHECK: linalg.generic
// CHECK: math.atan
// CHECK: qbackend.operator [#qbackend.add] inputs(
func.func @fused(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %g = math.atan %i : f32
    %r = arith.addf %g, %j : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
