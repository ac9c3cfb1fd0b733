// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt --qbackend-raise --qbackend-fuse=backend=onednn %s | FileCheck %s

// The filter of a transposed convolution is stored in reverse, so its code had the
// floats: other weights made no difference to it, and the reference form
// computed with the real ones.
// CHECK-LABEL: func.func @reversed(
// CHECK: qbackend.operator [#qbackend.conv_transpose2d<
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<1x4x5x2xf32>, %[[WEIGHT:.*]]: tensor<3x2x2x2xf32>):
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[WEIGHT]] :
func.func @reversed(%x: tensor<1x2x4x5xf32>) -> tensor<1x3x8x10xf32> {
  %w = arith.constant dense<[[[[0.5, 1.0], [1.5, 2.0]], [[2.5, 3.0], [3.5, 4.0]]],
                             [[[4.5, 5.0], [5.5, 6.0]], [[6.5, 7.0], [7.5, 8.0]]],
                             [[[0.25, 0.75], [1.25, 1.75]], [[2.25, 2.75], [3.25, 3.75]]]]> : tensor<3x2x2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x9x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x9x11xf32>) -> tensor<1x2x9x11xf32>
  %s = tensor.insert_slice %x into %f[0, 0, 1, 1] [1, 2, 4, 5] [1, 1, 2, 2] : tensor<1x2x4x5xf32> into tensor<1x2x9x11xf32>
  %d = tensor.empty() : tensor<1x3x8x10xf32>
  %i = linalg.fill ins(%zero : f32) outs(%d : tensor<1x3x8x10xf32>) -> tensor<1x3x8x10xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%s, %w : tensor<1x2x9x11xf32>, tensor<3x2x2x2xf32>) outs(%i : tensor<1x3x8x10xf32>) -> tensor<1x3x8x10xf32>
  return %y : tensor<1x3x8x10xf32>
}

// The same of a bias that is one number for all channels.
// CHECK-LABEL: func.func @one_number(
// CHECK: qbackend.operator [#qbackend.conv2d<
// CHECK-NEXT: ^bb0(%{{.*}}, %{{.*}}, %[[BIAS:.*]]: tensor<3xf32>):
// CHECK: linalg.broadcast ins(%[[BIAS]]
func.func @one_number(%x: tensor<1x2x4x5xf32>) -> tensor<1x3x3x4xf32> {
  %w = arith.constant dense<0.5> : tensor<3x2x2x2xf32>
  %number = arith.constant 0.3 : f32
  %e = tensor.empty() : tensor<1x3x3x4xf32>
  %i = linalg.fill ins(%number : f32) outs(%e : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x2x4x5xf32>, tensor<3x2x2x2xf32>) outs(%i : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  return %y : tensor<1x3x3x4xf32>
}

// And where the number is inside of the code that fills its destination.
// CHECK-LABEL: func.func @inner_number(
// CHECK: qbackend.operator [#qbackend.conv2d<
// CHECK-NEXT: ^bb0(%{{.*}}, %{{.*}}, %[[BIAS:.*]]: tensor<3xf32>):
// CHECK: linalg.broadcast ins(%[[BIAS]]
func.func @inner_number(%x: tensor<1x2x4x5xf32>) -> tensor<1x3x3x4xf32> {
  %w = arith.constant dense<0.5> : tensor<3x2x2x2xf32>
  %e = tensor.empty() : tensor<1x3x3x4xf32>
  %i = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<1x3x3x4xf32>) {
  ^bb0(%out: f32):
    %number = arith.constant 0.3 : f32
    linalg.yield %number : f32
  } -> tensor<1x3x3x4xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x2x4x5xf32>, tensor<3x2x2x2xf32>) outs(%i : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  return %y : tensor<1x3x3x4xf32>
}

// Code that reads its operands stays as it came.
// CHECK-LABEL: func.func @reads(
// CHECK: linalg.conv_2d_nchw_fchw
func.func @reads(%x: tensor<1x2x4x5xf32>) -> tensor<1x3x3x4xf32> {
  %w = arith.constant dense<0.5> : tensor<3x2x2x2xf32>
  %b = arith.constant dense<[0.5, 1.0, 1.5]> : tensor<3xf32>
  %e = tensor.empty() : tensor<1x3x3x4xf32>
  %i = linalg.broadcast ins(%b : tensor<3xf32>) outs(%e : tensor<1x3x3x4xf32>) dimensions = [0, 2, 3]
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x2x4x5xf32>, tensor<3x2x2x2xf32>) outs(%i : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  return %y : tensor<1x3x3x4xf32>
}
