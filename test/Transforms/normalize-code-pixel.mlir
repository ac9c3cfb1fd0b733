// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s

// What linalg-fold-unit-extent-dims makes of an image of one pixel is an image
// again: its batch norm is that of images, and folded into the convolution.

// CHECK: 0: conv2d
// CHECK-NEXT: 1: batch_norm2d [4] <- 0
// CHECK-NEXT: 2: relu6 [4] <- 1
// CHECK-NEXT: 3: conv2d
// CHECK-NEXT: result 3
#v = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<1x3x1x1xf32>) -> tensor<1x2x1x1xf32> {
  %z = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %w = arith.constant dense<0.5> : tensor<4x3x1x1xf32>
  %w2 = arith.constant dense<0.25> : tensor<2x4x1x1xf32>
  %m = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %s = arith.constant dense<[1.5, 2.5, 3.5, 4.5]> : tensor<4xf32>
  %g = arith.constant dense<[0.5, 0.75, 1.25, 1.75]> : tensor<4xf32>
  %b = arith.constant dense<[-1.0, -2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<1x4x1x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x1x1xf32>, tensor<4x3x1x1xf32>) outs(%f : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %1 = tensor.collapse_shape %0 [[0, 1, 2, 3]] : tensor<1x4x1x1xf32> into tensor<4xf32>
  %v = tensor.empty() : tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
    ins(%1, %m, %s, %g, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%v : tensor<4xf32>) {
  ^bb0(%i: f32, %mean: f32, %var: f32, %gamma: f32, %beta: f32, %o: f32):
    %a = arith.subf %i, %mean : f32
    %c = arith.addf %var, %eps : f32
    %d = math.rsqrt %c : f32
    %h = arith.mulf %a, %d : f32
    %j = arith.mulf %h, %gamma : f32
    %k = arith.addf %j, %beta : f32
    linalg.yield %k : f32
  } -> tensor<4xf32>
  %3 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%2 : tensor<4xf32>) outs(%v : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %a = arith.maximumf %i, %z : f32
    %c = arith.minimumf %a, %six : f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  %4 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 4, 1, 1] : tensor<4xf32> into tensor<1x4x1x1xf32>
  %e2 = tensor.empty() : tensor<1x2x1x1xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %5 = linalg.conv_2d_nchw_fchw ins(%4, %w2 : tensor<1x4x1x1xf32>, tensor<2x4x1x1xf32>) outs(%f2 : tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  return %5 : tensor<1x2x1x1xf32>
}
