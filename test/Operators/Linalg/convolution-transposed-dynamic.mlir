// RUN: qbackend-opt %s -split-input-file --qbackend-print-operators -o /dev/null | FileCheck %s

// A transposed convolution behind another one, with any batch: the zeros between
// the pixels have the batch of what is computed, those around it that of the
// argument, through whatever keeps it.

// CHECK: 0: conv2d<
// CHECK-NEXT: 1: conv_transpose2d<stride = [2, 2], padding = [1, 1, 1, 1], output_padding = [1, 1]
// CHECK-NEXT: 2: add<
// CHECK-NEXT: 3: conv_transpose2d<stride = [2, 2], padding = [1, 1, 1, 1], output_padding = [1, 1]
// CHECK: float operations outside of operators: 0 of
func.func @main(%x: tensor<?x2x4x4xf32>) -> tensor<?x2x16x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<2x2x1x1xf32>
  %t = arith.constant dense<[[[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]], [[1.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]], [[[0.1, 2.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]], [[0.1, 0.2, 3.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]]]> : tensor<2x2x3x3xf32>
  %n = tensor.dim %x, %c0 : tensor<?x2x4x4xf32>
  %e0 = tensor.empty(%n) : tensor<?x2x4x4xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x2x4x4xf32>) -> tensor<?x2x4x4xf32>
  %y0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x2x4x4xf32>, tensor<2x2x1x1xf32>) outs(%f0 : tensor<?x2x4x4xf32>) -> tensor<?x2x4x4xf32>
  %e1 = tensor.empty(%n) : tensor<?x2x10x10xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x2x10x10xf32>) -> tensor<?x2x10x10xf32>
  %m = tensor.dim %y0, %c0 : tensor<?x2x4x4xf32>
  %i1 = tensor.insert_slice %y0 into %f1[0, 0, 1, 1] [%m, 2, 4, 4] [1, 1, 2, 2] : tensor<?x2x4x4xf32> into tensor<?x2x10x10xf32>
  %k = tensor.dim %i1, %c0 : tensor<?x2x10x10xf32>
  %e2 = tensor.empty(%k) : tensor<?x2x8x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x2x8x8xf32>) -> tensor<?x2x8x8xf32>
  %y1 = linalg.conv_2d_nchw_fchw ins(%i1, %t : tensor<?x2x10x10xf32>, tensor<2x2x3x3xf32>) outs(%f2 : tensor<?x2x8x8xf32>) -> tensor<?x2x8x8xf32>
  %one = "tosa.const"() <{values = dense<1.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %y2 = tosa.add %one, %y1 : (tensor<1x1x1x1xf32>, tensor<?x2x8x8xf32>) -> tensor<?x2x8x8xf32>
  %e3 = tensor.empty(%n) : tensor<?x2x18x18xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<?x2x18x18xf32>) -> tensor<?x2x18x18xf32>
  %i3 = tensor.insert_slice %y2 into %f3[0, 0, 1, 1] [%n, 2, 8, 8] [1, 1, 2, 2] : tensor<?x2x8x8xf32> into tensor<?x2x18x18xf32>
  %e4 = tensor.empty(%n) : tensor<?x2x16x16xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<?x2x16x16xf32>) -> tensor<?x2x16x16xf32>
  %y3 = linalg.conv_2d_nchw_fchw ins(%i3, %t : tensor<?x2x18x18xf32>, tensor<2x2x3x3xf32>) outs(%f4 : tensor<?x2x16x16xf32>) -> tensor<?x2x16x16xf32>
  return %y3 : tensor<?x2x16x16xf32>
}

// -----

// In groups, with any batch, where groups and the channels of each are merged in two
// shapes, none of which is the convolution's own.
// CHECK: 0: conv_transpose2d<stride = [2, 2], padding = [1, 1, 1, 1], output_padding = [1, 1], dilation = [1, 1], groups = 3> weight[6, 3, 3, 1] [?, 12, 10, 6] <- input0
// CHECK: float operations outside of operators: 0 of
func.func @groups_merged_twice(%x: tensor<?x3x6x5xf32>) -> (tensor<?x6x12x10xf32>, tensor<?x6x120xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3x6x5xf32>
  %e0 = tensor.empty(%n) : tensor<?x3x14x12xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x3x14x12xf32>) -> tensor<?x3x14x12xf32>
  %i = tensor.insert_slice %x into %f0[0, 0, 1, 1] [%n, 3, 6, 5] [1, 1, 2, 2] : tensor<?x3x6x5xf32> into tensor<?x3x14x12xf32>
  %e1 = tensor.empty(%n) : tensor<?x3x2x12x10xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x3x2x12x10xf32>) -> tensor<?x3x2x12x10xf32>
  %g = tensor.expand_shape %i [[0], [1, 2], [3], [4]] output_shape [%n, 3, 1, 14, 12] : tensor<?x3x14x12xf32> into tensor<?x3x1x14x12xf32>
  %w = arith.constant dense<0.5> : tensor<3x2x1x3x3xf32>
  %y = linalg.conv_2d_ngchw_gfchw ins(%g, %w : tensor<?x3x1x14x12xf32>, tensor<3x2x1x3x3xf32>) outs(%f1 : tensor<?x3x2x12x10xf32>) -> tensor<?x3x2x12x10xf32>
  %a = tensor.collapse_shape %y [[0], [1, 2], [3], [4]] : tensor<?x3x2x12x10xf32> into tensor<?x6x12x10xf32>
  %b = tensor.collapse_shape %y [[0], [1, 2], [3, 4]] : tensor<?x3x2x12x10xf32> into tensor<?x6x120xf32>
  return %a, %b : tensor<?x6x12x10xf32>, tensor<?x6x120xf32>
}
