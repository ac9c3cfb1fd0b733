// RUN: qbackend-opt %s --split-input-file --qbackend-print-operators -o /dev/null | FileCheck %s
// RUN: qbackend-opt %s --split-input-file --qbackend-raise | FileCheck %s --check-prefix=CODE

// Fusion has put what follows a convolution in groups between it and the change
// of shape that merges groups and channels: with a transposition, a constant for
// each channel, and a value that the groups aren't in, which has dimensions of 1
// for the channels of each group.
// CHECK: 0: conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 4> weight[4, 3, 3, 1] [2, 3, 4] <- input0
// CHECK-NEXT: 1: batch_norm2d [2, 3, 4] <- 0
// CHECK-NEXT: 2: relu [2, 3, 4] <- 1
// CHECK-NEXT: 3: mul [2, 3, 4] <- input1, 2
// CHECK-NEXT: result 3
// CHECK-NEXT: float operations outside of operators: 0 of
#image = affine_map<(n, h, w, c, m, i, j) -> (n, h + i, w + j, c)>
#taps = affine_map<(n, h, w, c, m, i, j) -> (i, j, c, m)>
#out = affine_map<(n, h, w, c, m, i, j) -> (n, h, w, c, m)>
#turned = affine_map<(n, c, m, h, w) -> (n, h, w, c, m)>
#channel = affine_map<(n, c, m, h, w) -> (c, m)>
#gate = affine_map<(n, c, m, h, w) -> (n, c, m, m)>
#id5 = affine_map<(n, c, m, h, w) -> (n, c, m, h, w)>
func.func @depthwise(%x: tensor<1x4x5x4xf32>, %gate: tensor<1x4x1x1xf32>) -> tensor<1x4x2x3xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<3x3x4x1xf32>
  %a = arith.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %b = arith.constant dense<[[0.5], [0.25], [0.125], [-1.0]]> : tensor<4x1xf32>
  %e = tensor.empty() : tensor<1x2x3x4x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x3x4x1xf32>) -> tensor<1x2x3x4x1xf32>
  %c = linalg.generic {indexing_maps = [#image, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x4x5x4xf32>, tensor<3x3x4x1xf32>) outs(%f : tensor<1x2x3x4x1xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x2x3x4x1xf32>
  %en = tensor.empty() : tensor<1x4x1x2x3xf32>
  %n = linalg.generic {indexing_maps = [#turned, #channel, #channel, #gate, #id5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%c, %a, %b, %gate : tensor<1x2x3x4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x4x1x1xf32>) outs(%en : tensor<1x4x1x2x3xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %g: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %0, %r : f32
    %2 = arith.maximumf %1, %z : f32
    %3 = arith.mulf %2, %g : f32
    linalg.yield %3 : f32
  } -> tensor<1x4x1x2x3xf32>
  %y = tensor.collapse_shape %n [[0], [1, 2], [3], [4]] : tensor<1x4x1x2x3xf32> into tensor<1x4x2x3xf32>
  return %y : tensor<1x4x2x3xf32>
}

// -----

// The same in front of a convolution: the channels are cut before what goes into
// it; and a residual of two values in groups behind it, of which one has another
// reader.
// CHECK: 0: relu [4, 5, 4] <- input0
// CHECK-NEXT: 1: conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2> weight[6, 1, 1, 2] [4, 5, 6] <- 0
// CHECK-NEXT: 2: sigmoid [4, 5, 6] <- 1
// CHECK-NEXT: 3: tanh [4, 5, 6] <- 2
// CHECK-NEXT: 4: add [4, 5, 6] <- 3, 2
// CHECK-NEXT: 5: reshape [4, 5, 2, 3] <- 2
// CHECK: float operations outside of operators: 0 of
#image = affine_map<(n, h, w, g, m, i, j, c) -> (n, h + i, w + j, g, c)>
#taps = affine_map<(n, h, w, g, m, i, j, c) -> (g, m, i, j, c)>
#out = affine_map<(n, h, w, g, m, i, j, c) -> (n, h, w, g, m)>
#id = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
#turned = affine_map<(a, b, c, d, e) -> (a, d, e, b, c)>
func.func @both(%x: tensor<1x4x5x4xf32>) -> (tensor<1x4x5x6xf32>, tensor<1x2x3x4x5xf32>) {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<2x3x1x1x2xf32>
  %xg = tensor.expand_shape %x [[0], [1], [2], [3, 4]] output_shape [1, 4, 5, 2, 2] : tensor<1x4x5x4xf32> into tensor<1x4x5x2x2xf32>
  %er = tensor.empty() : tensor<1x4x5x2x2xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%xg : tensor<1x4x5x2x2xf32>) outs(%er : tensor<1x4x5x2x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %p, %z : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x5x2x2xf32>
  %e = tensor.empty() : tensor<1x4x5x2x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5x2x3xf32>) -> tensor<1x4x5x2x3xf32>
  %c = linalg.generic {indexing_maps = [#image, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%r, %w : tensor<1x4x5x2x2xf32>, tensor<2x3x1x1x2xf32>) outs(%f : tensor<1x4x5x2x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x4x5x2x3xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%c : tensor<1x4x5x2x3xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%p: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %0 = arith.negf %p : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %one, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<1x4x5x2x3xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<1x4x5x2x3xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = math.tanh %p : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x5x2x3xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%s, %t : tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x5x2x3xf32>
  %y = tensor.collapse_shape %a [[0], [1], [2], [3, 4]] : tensor<1x4x5x2x3xf32> into tensor<1x4x5x6xf32>
  %et = tensor.empty() : tensor<1x2x3x4x5xf32>
  %v = linalg.transpose ins(%s : tensor<1x4x5x2x3xf32>) outs(%et : tensor<1x2x3x4x5xf32>) permutation = [0, 3, 4, 1, 2]
  return %y, %v : tensor<1x4x5x6xf32>, tensor<1x2x3x4x5xf32>
}

// -----

// Nothing merges groups and channels: the change of shape is behind the
// convolution.
// CHECK: 0: conv2d<stride = [2, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2> weight[6, 2, 3, 2] bias [2, 3, 6] <- input0
// CHECK-NEXT: 1: reshape [2, 3, 2, 3] <- 0
// CHECK-NEXT: result 1
// CHECK-NEXT: float operations outside of operators: 0 of
#image = affine_map<(n, g, m, h, w, i, j, c) -> (n, g, c, h * 2 + i, w + j)>
#taps = affine_map<(n, g, m, h, w, i, j, c) -> (g, m, c, i, j)>
#out = affine_map<(n, g, m, h, w, i, j, c) -> (n, h, w, g, m)>
#id = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
#channel = affine_map<(a, b, c, d, e) -> (d, e)>
func.func @unmerged(%x: tensor<1x4x4x5xf32>) -> tensor<1x2x3x2x3xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<2x3x2x2x3xf32>
  %b = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %xg = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 4, 5] : tensor<1x4x4x5xf32> into tensor<1x2x2x4x5xf32>
  %e = tensor.empty() : tensor<1x2x3x2x3xf32>
  %f = linalg.generic {indexing_maps = [#channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%b : tensor<2x3xf32>) outs(%e : tensor<1x2x3x2x3xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<1x2x3x2x3xf32>
  %c = linalg.generic {indexing_maps = [#image, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%xg, %w : tensor<1x2x2x4x5xf32>, tensor<2x3x2x2x3xf32>) outs(%f : tensor<1x2x3x2x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x2x3x2x3xf32>
  return %c : tensor<1x2x3x2x3xf32>
}

// -----

// What varies along the groups only can't be read by merged channels, and what is
// no operator is there as it came.
// CHECK: 0: conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2> weight[6, 1, 1, 2] [4, 5, 6] <- input0
// CHECK-NEXT: 1: reshape [4, 5, 2, 3] <- 0
// CHECK-NEXT: 2: mul [4, 5, 2, 3] <- input1, 1
// CHECK-NEXT: 3: reshape [4, 5, 6] <- 2
// CHECK-LABEL: @unknown
// CHECK-NEXT: 0: conv2d{{.*}} groups = 2>
// CHECK-NEXT: 1: reshape [4, 5, 2, 3] <- 0
// CHECK-NEXT: 2: linalg.generic ? [4, 5, 2, 3] <- 1
// CODE-LABEL: func.func @unknown
// CODE: %[[CUT:.*]] = qbackend.operator [#qbackend.reshape]
// CODE: linalg.generic {{.*}} ins(%[[CUT]] : tensor<1x4x5x2x3xf32>)
// CODE: math.atan
#image = affine_map<(n, h, w, g, m, i, j, c) -> (n, h + i, w + j, g, c)>
#taps = affine_map<(n, h, w, g, m, i, j, c) -> (g, m, i, j, c)>
#out = affine_map<(n, h, w, g, m, i, j, c) -> (n, h, w, g, m)>
#id = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
#group = affine_map<(a, b, c, d, e) -> (a, b, c, d)>
func.func @partial(%x: tensor<1x4x5x4xf32>, %gate: tensor<1x4x5x2xf32>) -> tensor<1x4x5x6xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<2x3x1x1x2xf32>
  %xg = tensor.expand_shape %x [[0], [1], [2], [3, 4]] output_shape [1, 4, 5, 2, 2] : tensor<1x4x5x4xf32> into tensor<1x4x5x2x2xf32>
  %e = tensor.empty() : tensor<1x4x5x2x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5x2x3xf32>) -> tensor<1x4x5x2x3xf32>
  %c = linalg.generic {indexing_maps = [#image, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%xg, %w : tensor<1x4x5x2x2xf32>, tensor<2x3x1x1x2xf32>) outs(%f : tensor<1x4x5x2x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x4x5x2x3xf32>
  %t = linalg.generic {indexing_maps = [#id, #group, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%c, %gate : tensor<1x4x5x2x3xf32>, tensor<1x4x5x2xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%p: f32, %g: f32, %o: f32):
    %0 = arith.mulf %p, %g : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x5x2x3xf32>
  %y = tensor.collapse_shape %t [[0], [1], [2], [3, 4]] : tensor<1x4x5x2x3xf32> into tensor<1x4x5x6xf32>
  return %y : tensor<1x4x5x6xf32>
}
func.func @unknown(%x: tensor<1x4x5x4xf32>) -> tensor<1x4x5x6xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<2x3x1x1x2xf32>
  %xg = tensor.expand_shape %x [[0], [1], [2], [3, 4]] output_shape [1, 4, 5, 2, 2] : tensor<1x4x5x4xf32> into tensor<1x4x5x2x2xf32>
  %e = tensor.empty() : tensor<1x4x5x2x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5x2x3xf32>) -> tensor<1x4x5x2x3xf32>
  %c = linalg.generic {indexing_maps = [#image, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%xg, %w : tensor<1x4x5x2x2xf32>, tensor<2x3x1x1x2xf32>) outs(%f : tensor<1x4x5x2x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x4x5x2x3xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%c : tensor<1x4x5x2x3xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = math.atan %p : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x5x2x3xf32>
  %y = tensor.collapse_shape %t [[0], [1], [2], [3, 4]] : tensor<1x4x5x2x3xf32> into tensor<1x4x5x6xf32>
  return %y : tensor<1x4x5x6xf32>
}

// -----

// Whose relu fusion has put into a shuffle of channels, with a transposition and a
// bias for each channel.
// CHECK: 0: conv2d{{.*}} weight[4, 1, 1, 4] bias [3, 5, 4] <- input0
// CHECK-NEXT: 1: relu [3, 5, 4] <- 0
// CHECK-NEXT: 2: channel_shuffle<axis = 2, groups = 2> [3, 5, 4] <- 1
// CHECK-NEXT: result 2
#id = affine_map<(n, a, b, h, w) -> (n, a, b, h, w)>
#turned = affine_map<(n, a, b, h, w) -> (n, b, a, h, w)>
#channel = affine_map<(n, a, b, h, w) -> (b, a)>
func.func @shuffled(%x: tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<4x4x1x1xf32>
  %bias = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x4x3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x3x5xf32>, tensor<4x4x1x1xf32>) outs(%f : tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32>
  %g = tensor.expand_shape %c [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 3, 5] : tensor<1x4x3x5xf32> into tensor<1x2x2x3x5xf32>
  %e5 = tensor.empty() : tensor<1x2x2x3x5xf32>
  %r = linalg.generic {indexing_maps = [#turned, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%g, %bias : tensor<1x2x2x3x5xf32>, tensor<2x2xf32>) outs(%e5 : tensor<1x2x2x3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.maximumf %0, %z : f32
    linalg.yield %1 : f32
  } -> tensor<1x2x2x3x5xf32>
  %y = tensor.collapse_shape %r [[0], [1, 2], [3], [4]] : tensor<1x2x2x3x5xf32> into tensor<1x4x3x5xf32>
  return %y : tensor<1x4x3x5xf32>
}

// -----

// No product is summed: what was put in front of it stays there.
// CHECK: relu
// CHECK: linalg.generic ?
// CHECK: result
#image = affine_map<(n, h, w, g, m, i, j, c) -> (n, h + i, w + j, g, c)>
#taps = affine_map<(n, h, w, g, m, i, j, c) -> (g, m, i, j, c)>
#out = affine_map<(n, h, w, g, m, i, j, c) -> (n, h, w, g, m)>
func.func @unknown_sum(%x: tensor<1x4x5x4xf32>) -> tensor<1x4x5x2x3xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<2x3x1x1x2xf32>
  %xg = tensor.expand_shape %x [[0], [1], [2], [3, 4]] output_shape [1, 4, 5, 2, 2] : tensor<1x4x5x4xf32> into tensor<1x4x5x2x2xf32>
  %e = tensor.empty() : tensor<1x4x5x2x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5x2x3xf32>) -> tensor<1x4x5x2x3xf32>
  %c = linalg.generic {indexing_maps = [#image, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%xg, %w : tensor<1x4x5x2x2xf32>, tensor<2x3x1x1x2xf32>) outs(%f : tensor<1x4x5x2x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.maximumf %p, %z : f32
    %0 = arith.mulf %r, %q : f32
    %1 = arith.remf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x4x5x2x3xf32>
  return %c : tensor<1x4x5x2x3xf32>
}

// -----

// Two 1x1 convolutions whose batch and windows folding has dropped, with the groups
// last and a relu between them in the shape of the second one's groups.
// CHECK: 0: conv2d{{.*}} groups = 2> weight[6, 1, 1, 2] [3, 5, 6] <- input0
// CHECK-NEXT: 1: relu [3, 5, 6] <- 0
// CHECK-NEXT: 2: conv2d{{.*}} groups = 3> weight[3, 1, 1, 2] [3, 5, 3] <- 1
// CHECK-NEXT: result 2
#in = affine_map<(h, w, g, o, c) -> (h, w, g, c)>
#filter = affine_map<(h, w, g, o, c) -> (g, o, c)>
#out = affine_map<(h, w, g, o, c) -> (h, w, g, o)>
func.func @folded(%x: tensor<1x3x5x4xf32>) -> tensor<1x3x5x3xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[1.0, -2.0], [3.0, -4.0], [5.0, -6.0]]]> : tensor<2x3x2xf32>
  %v = arith.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]> : tensor<3x1x2xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x3x5x4xf32> into tensor<3x5x4xf32>
  %g = tensor.expand_shape %c [[0], [1], [2, 3]] output_shape [3, 5, 2, 2] : tensor<3x5x4xf32> into tensor<3x5x2x2xf32>
  %e = tensor.empty() : tensor<3x5x2x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x5x2x3xf32>) -> tensor<3x5x2x3xf32>
  %p = linalg.generic {indexing_maps = [#in, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%g, %w : tensor<3x5x2x2xf32>, tensor<2x3x2xf32>) outs(%f : tensor<3x5x2x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x5x2x3xf32>
  %s = tensor.collapse_shape %p [[0], [1], [2, 3]] : tensor<3x5x2x3xf32> into tensor<3x5x6xf32>
  %h = tensor.expand_shape %s [[0], [1], [2, 3]] output_shape [3, 5, 3, 2] : tensor<3x5x6xf32> into tensor<3x5x3x2xf32>
  %e2 = tensor.empty() : tensor<3x5x3x1xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<3x5x3x1xf32>) -> tensor<3x5x3x1xf32>
  %q = linalg.generic {indexing_maps = [#in, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%h, %v : tensor<3x5x3x2xf32>, tensor<3x1x2xf32>) outs(%f2 : tensor<3x5x3x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.maximumf %a, %z : f32
    %0 = arith.mulf %r, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x5x3x1xf32>
  %t = tensor.collapse_shape %q [[0], [1], [2, 3]] : tensor<3x5x3x1xf32> into tensor<3x5x3xf32>
  %y = tensor.expand_shape %t [[0, 1], [2], [3]] output_shape [1, 3, 5, 3] : tensor<3x5x3xf32> into tensor<1x3x5x3xf32>
  return %y : tensor<1x3x5x3xf32>
}

// -----

// A shuffle between two convolutions in groups, whose changes of shape have
// cancelled each other: the second one reads the channels of the first one's groups
// as its groups, with a relu in front of that.
// CHECK: 0: conv2d{{.*}} groups = 2> weight[6, 1, 1, 2] [3, 5, 6] <- input0
// CHECK-NEXT: 1: relu [3, 5, 6] <- 0
// CHECK-NEXT: 2: channel_shuffle<axis = 2, groups = 2> [3, 5, 6] <- 1
// CHECK-NEXT: 3: conv2d{{.*}} groups = 3> weight[3, 3, 3, 2] [3, 3] <- 2
// CHECK-NEXT: result 3
#in = affine_map<(n, g, m, h, w, c, i, j) -> (n, g, c, h + i, w + j)>
#other = affine_map<(n, g, m, h, w, c, i, j) -> (n, c, g, h + i, w + j)>
#taps = affine_map<(n, g, m, h, w, c, i, j) -> (g, m, c, i, j)>
#out = affine_map<(n, g, m, h, w, c, i, j) -> (n, g, m, h, w)>
func.func @cancelled(%x: tensor<1x4x3x5xf32>) -> tensor<1x3x1x3xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<2x3x2x1x1xf32>
  %v = arith.constant dense<0.5> : tensor<3x1x2x3x3xf32>
  %xg = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 3, 5] : tensor<1x4x3x5xf32> into tensor<1x2x2x3x5xf32>
  %e = tensor.empty() : tensor<1x2x3x3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x3x3x5xf32>) -> tensor<1x2x3x3x5xf32>
  %c = linalg.generic {indexing_maps = [#in, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%xg, %w : tensor<1x2x2x3x5xf32>, tensor<2x3x2x1x1xf32>) outs(%f : tensor<1x2x3x3x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x2x3x3x5xf32>
  %e2 = tensor.empty() : tensor<1x3x1x1x3xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<1x3x1x1x3xf32>) -> tensor<1x3x1x1x3xf32>
  %d = linalg.generic {indexing_maps = [#other, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%c, %v : tensor<1x2x3x3x5xf32>, tensor<3x1x2x3x3xf32>) outs(%f2 : tensor<1x3x1x1x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.maximumf %p, %z : f32
    %0 = arith.mulf %r, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x3x1x1x3xf32>
  %y = tensor.collapse_shape %d [[0], [1, 2], [3], [4]] : tensor<1x3x1x1x3xf32> into tensor<1x3x1x3xf32>
  return %y : tensor<1x3x1x3xf32>
}
