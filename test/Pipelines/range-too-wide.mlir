// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations that are finite, with a range that no f32 holds.

// RUN: not qbackend-opt --apply-backend="qnnpack samples=2" %s 2>&1 | FileCheck %s
// CHECK: range-too-wide.mlir:[[@LINE+7]]:8: error: the range of 'linear_0', [-{{[0-9.e+]+}}, {{[0-9.e+]+}}], is wider than an f32 can be: it has no scale; check the weights and the data, or give the operator the qconfig none
// CHECK-NOT: error:

func.func @main(%x: tensor<1x2xf32> {qbackend.range = array<f64: -1.0, 1.0>})
    -> tensor<1x2xf32> {
  %w = arith.constant dense<[[3.0e+38, -3.0e+38], [0.0, 0.0]]> : tensor<2x2xf32>
  %z = arith.constant dense<0.0> : tensor<1x2xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x2xf32>, tensor<2x2xf32>) outs(%z : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
