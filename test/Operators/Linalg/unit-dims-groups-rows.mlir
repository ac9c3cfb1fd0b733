// RUN: qbackend-opt %s --qbackend-print-operators -o /dev/null | FileCheck %s

// Images of one dimension whose batch was folded away, and convolutions in
// groups of them.

#image = affine_map<(g, o, w, c, i) -> (g, c, w + i)>
#filter = affine_map<(g, o, w, c, i) -> (g, o, c, i)>
#out = affine_map<(g, o, w, c, i) -> (g, o, w)>
#rows = affine_map<(g, w, c, i) -> (g, c, w + i * 2)>
#taps = affine_map<(g, w, c, i) -> (g, c, i)>
#place = affine_map<(g, w, c, i) -> (g, w)>
#id = affine_map<(a, b) -> (a, b)>
#heads = affine_map<(a, b, c) -> (a, b, c)>

// CHECK-LABEL: @groups
// CHECK-NEXT: 0: conv1d<stride = [1], padding = [1, 1], dilation = [1], groups = 2> weight[6, 3, 2] [7, 6] <- input0
// CHECK-NEXT: 1: relu [7, 6] <- 0
// CHECK-NEXT: 2: conv1d<stride = [1], padding = [0, 0], dilation = [2], groups = 3> weight[3, 2, 2] [5, 3] <- 1
// CHECK-NEXT: result 2
func.func @groups(%x: tensor<1x4x7xf32>) -> tensor<1x3x5xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<2x3x2x3xf32>
  %v = arith.constant dense<0.5> : tensor<3x2x2xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x4x7xf32> into tensor<4x7xf32>
  %pad = tensor.pad %c low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<4x7xf32> to tensor<4x9xf32>
  %g = tensor.expand_shape %pad [[0, 1], [2]] output_shape [2, 2, 9] : tensor<4x9xf32> into tensor<2x2x9xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %p = linalg.generic {indexing_maps = [#image, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%g, %w : tensor<2x2x9xf32>, tensor<2x3x2x3xf32>) outs(%f : tensor<2x3x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x7xf32>
  %m = tensor.collapse_shape %p [[0, 1], [2]] : tensor<2x3x7xf32> into tensor<6x7xf32>
  %er = tensor.empty() : tensor<6x7xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<6x7xf32>) outs(%er : tensor<6x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %z : f32
    linalg.yield %0 : f32
  } -> tensor<6x7xf32>
  %rg = tensor.expand_shape %r [[0, 1], [2]] output_shape [3, 2, 7] : tensor<6x7xf32> into tensor<3x2x7xf32>
  %ed = tensor.empty() : tensor<3x5xf32>
  %fd = linalg.fill ins(%z : f32) outs(%ed : tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = linalg.generic {indexing_maps = [#rows, #taps, #place], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%rg, %v : tensor<3x2x7xf32>, tensor<3x2x2xf32>) outs(%fd : tensor<3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x5xf32>
  %out = tensor.expand_shape %d [[0, 1], [2]] output_shape [1, 3, 5] : tensor<3x5xf32> into tensor<1x3x5xf32>
  return %out : tensor<1x3x5xf32>
}

// Rows that are cut into heads slide under no windows.
// CHECK-LABEL: @heads
// CHECK-NEXT: 0: reshape [2, 3, 7] <- input0
// CHECK-NEXT: 1: relu [2, 3, 7] <- 0
func.func @heads(%x: tensor<1x6x7xf32>) -> tensor<2x3x7xf32> {
  %z = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x6x7xf32> into tensor<6x7xf32>
  %g = tensor.expand_shape %c [[0, 1], [2]] output_shape [2, 3, 7] : tensor<6x7xf32> into tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %r = linalg.generic {indexing_maps = [#heads, #heads], iterator_types = ["parallel", "parallel", "parallel"]} ins(%g : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %z : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x7xf32>
  return %r : tensor<2x3x7xf32>
}

// The same with the padding behind the cut.
// CHECK-LABEL: @padded
// CHECK-NEXT: 0: conv1d<stride = [1], padding = [1, 1], dilation = [2], groups = 3> weight[3, 2, 2] [7, 3] <- input0
// CHECK-NEXT: result 0
func.func @padded(%x: tensor<1x6x7xf32>) -> tensor<1x3x7xf32> {
  %z = arith.constant 0.0 : f32
  %v = arith.constant dense<0.5> : tensor<3x2x2xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x6x7xf32> into tensor<6x7xf32>
  %g = tensor.expand_shape %c [[0, 1], [2]] output_shape [3, 2, 7] : tensor<6x7xf32> into tensor<3x2x7xf32>
  %pad = tensor.pad %g low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f32
  } : tensor<3x2x7xf32> to tensor<3x2x9xf32>
  %e = tensor.empty() : tensor<3x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
  %d = linalg.generic {indexing_maps = [#rows, #taps, #place], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%pad, %v : tensor<3x2x9xf32>, tensor<3x2x2xf32>) outs(%f : tensor<3x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x7xf32>
  %out = tensor.expand_shape %d [[0, 1], [2]] output_shape [1, 3, 7] : tensor<3x7xf32> into tensor<1x3x7xf32>
  return %out : tensor<1x3x7xf32>
}
