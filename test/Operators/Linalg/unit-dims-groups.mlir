// RUN: qbackend-opt %s --qbackend-print-operators -o /dev/null | FileCheck %s

// A 1x1 convolution in groups whose batch and windows folding has dropped is a
// product for each group; the channels are cut into groups in front of it, and put
// together behind it.
// CHECK: 0: conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2> weight[6, 1, 1, 2] [3, 5, 6] <- input0
// CHECK-NEXT: 1: relu [3, 5, 6] <- 0
// CHECK-NEXT: 2: conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 3> weight[3, 2, 2, 2] [2, 4, 3] <- 1
// CHECK-NEXT: result 2
// CHECK-NEXT: float operations outside of operators: 0 of
#image = affine_map<(g, o, h, w, c) -> (g, c, h, w)>
#filter = affine_map<(g, o, h, w, c) -> (g, o, c)>
#out = affine_map<(g, o, h, w, c) -> (g, o, h, w)>
#windows = affine_map<(g, h, w, c, i, j) -> (g, c, h + i, w + j)>
#taps = affine_map<(g, h, w, c, i, j) -> (g, c, i, j)>
#place = affine_map<(g, h, w, c, i, j) -> (g, h, w)>
#id = affine_map<(a, b, c) -> (a, b, c)>
func.func @groups(%x: tensor<1x4x3x5xf32>) -> tensor<1x3x2x4xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[1.0, -2.0], [3.0, -4.0], [5.0, -6.0]]]> : tensor<2x3x2xf32>
  %v = arith.constant dense<0.5> : tensor<3x2x2x2xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x4x3x5xf32> into tensor<4x3x5xf32>
  %g = tensor.expand_shape %c [[0, 1], [2], [3]] output_shape [2, 2, 3, 5] : tensor<4x3x5xf32> into tensor<2x2x3x5xf32>
  %e = tensor.empty() : tensor<2x3x3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x3x5xf32>) -> tensor<2x3x3x5xf32>
  %p = linalg.generic {indexing_maps = [#image, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%g, %w : tensor<2x2x3x5xf32>, tensor<2x3x2xf32>) outs(%f : tensor<2x3x3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x3x5xf32>
  %s = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<2x3x3x5xf32> into tensor<6x3x5xf32>
  %er = tensor.empty() : tensor<6x3x5xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<6x3x5xf32>) outs(%er : tensor<6x3x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %z : f32
    linalg.yield %0 : f32
  } -> tensor<6x3x5xf32>
  %h = tensor.expand_shape %r [[0, 1], [2], [3]] output_shape [3, 2, 3, 5] : tensor<6x3x5xf32> into tensor<3x2x3x5xf32>
  %e2 = tensor.empty() : tensor<3x2x4xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  %q = linalg.generic {indexing_maps = [#windows, #taps, #place], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%h, %v : tensor<3x2x3x5xf32>, tensor<3x2x2x2xf32>) outs(%f2 : tensor<3x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x2x4xf32>
  %y = tensor.expand_shape %q [[0, 1], [2], [3]] output_shape [1, 3, 2, 4] : tensor<3x2x4xf32> into tensor<1x3x2x4xf32>
  return %y : tensor<1x3x2x4xf32>
}
