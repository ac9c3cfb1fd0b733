// RUN: qbackend-opt %s --qbackend-raise --remarks-filter=qbackend -verify-diagnostics -o - | FileCheck %s

// What adds to elements that nobody wrote is no operator, whatever the shape:
// they aren't taken for a bias.

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func.func @row
// CHECK-NOT: qbackend.operator
func.func @row(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<0.5> : tensor<4x2xf32>
  %e = tensor.empty() : tensor<1x2xf32>
  // expected-remark @+1 {{Reason="adds to a tensor.empty, whose elements are undefined", Suggestion="fill its destination first: linalg.fill}}
  %y = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x2xf32>) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// CHECK-LABEL: func.func @rows
// CHECK-NOT: qbackend.operator
func.func @rows(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<0.5> : tensor<4x2xf32>
  %e = tensor.empty() : tensor<6xf32>
  %d = tensor.expand_shape %e [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  // expected-remark @+1 {{adds to a tensor.empty}}
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<3x4xf32>, tensor<4x2xf32>) outs(%d : tensor<3x2xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Overwritten elements may be anything.
// CHECK-LABEL: func.func @filled
// CHECK: qbackend.operator [#qbackend.linear]
func.func @filled(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<4x2xf32>
  %e = tensor.empty() : tensor<1x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
