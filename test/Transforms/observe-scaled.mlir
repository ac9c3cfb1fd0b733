// RUN: qbackend-opt %s --qbackend-print-observers="backend=qnnpack qconfig=minmax" | FileCheck %s

// x * 3 shares with x, unless a concatenation gives it another observer; a
// shuffle of channels is the moves that it is made of.

// CHECK: @b:
// CHECK-NEXT: b ->
// CHECK-NEXT: @scaled:
// CHECK-NEXT: a ->
// CHECK-NEXT: scaled ->
// CHECK-NEXT: cat ->
// CHECK-NEXT: @c:
// CHECK-NEXT: c ->
// CHECK-NEXT: alone -> result
// CHECK: @d:
// CHECK-NEXT: d ->
// CHECK-NEXT: shuffle -> result
func.func @main(%a: tensor<1x4xf32> loc("a"), %b: tensor<1x4xf32> loc("b"), %c: tensor<1x4xf32> loc("c"), %d: tensor<1x4x2x2xf32> loc("d")) -> (tensor<1x8xf32>, tensor<1x4xf32>, tensor<1x4x2x2xf32>) {
  %k = arith.constant dense<3.0> : tensor<1x4xf32>
  %0 = arith.mulf %b, %k : tensor<1x4xf32> loc("scaled")
  %1 = tensor.concat dim(1) %a, %0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x8xf32> loc("cat")
  %2 = arith.mulf %c, %k : tensor<1x4xf32> loc("alone")
  %e = tensor.expand_shape %d [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 2, 2] : tensor<1x4x2x2xf32> into tensor<1x2x2x2x2xf32>
  %o = tensor.empty() : tensor<1x2x2x2x2xf32>
  %t = linalg.transpose ins(%e : tensor<1x2x2x2x2xf32>) outs(%o : tensor<1x2x2x2x2xf32>) permutation = [0, 2, 1, 3, 4]
  %3 = tensor.collapse_shape %t [[0], [1, 2], [3], [4]] : tensor<1x2x2x2x2xf32> into tensor<1x4x2x2xf32> loc("shuffle")
  return %1, %2, %3 : tensor<1x8xf32>, tensor<1x4xf32>, tensor<1x4x2x2xf32>
}
