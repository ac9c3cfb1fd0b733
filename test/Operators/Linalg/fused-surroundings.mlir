// RUN: qbackend-opt %s --split-input-file --qbackend-print-operators -o /dev/null | FileCheck %s

// Fusion has put the bias of a layer behind the change of shape that cuts its
// features into heads.
// CHECK: 0: linear weight[8, 5] bias [6, 8] <- input0
// CHECK-NEXT: 1: reshape [6, 2, 4] <- 0
// CHECK-NEXT: result 1
// CHECK-NEXT: float operations outside of operators: 0 of
#id = affine_map<(n, r, h, d) -> (n, r, h, d)>
#heads = affine_map<(n, r, h, d) -> (h, d)>
func.func @heads(%x: tensor<6x5xf32>) -> tensor<1x6x2x4xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<5x8xf32>
  %b = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  %m = linalg.matmul ins(%x, %w : tensor<6x5xf32>, tensor<5x8xf32>) outs(%f : tensor<6x8xf32>) -> tensor<6x8xf32>
  %c = tensor.expand_shape %m [[0, 1], [2, 3]] output_shape [1, 6, 2, 4] : tensor<6x8xf32> into tensor<1x6x2x4xf32>
  %e4 = tensor.empty() : tensor<1x6x2x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #heads, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c, %b : tensor<1x6x2x4xf32>, tensor<2x4xf32>) outs(%e4 : tensor<1x6x2x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<1x6x2x4xf32>
  return %y : tensor<1x6x2x4xf32>
}

// -----

// What is added in another order, or is the same for all heads, is no bias of the
// layer in front.
// CHECK: 0: linear weight[8, 5] [6, 8] <- input0
// CHECK-NEXT: 1: reshape [6, 2, 4] <- 0
// CHECK-NEXT: 2: add [6, 2, 4] <- constant, 1
// CHECK-NEXT: 3: linear weight[8, 5] [6, 8] <- input0
// CHECK-NEXT: 4: reshape [6, 2, 4] <- 3
// CHECK-NEXT: 5: add [6, 2, 4] <- constant, 4
#id = affine_map<(n, r, h, d) -> (n, r, h, d)>
#rows = affine_map<(n, r, h, d) -> (r, h)>
#last = affine_map<(n, r, h, d) -> (d)>
func.func @others(%x: tensor<6x5xf32>) -> (tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>) {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<5x8xf32>
  %b = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 8.0], [7.0, 6.0]]> : tensor<6x2xf32>
  %l = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  %m = linalg.matmul ins(%x, %w : tensor<6x5xf32>, tensor<5x8xf32>) outs(%f : tensor<6x8xf32>) -> tensor<6x8xf32>
  %c = tensor.expand_shape %m [[0, 1], [2, 3]] output_shape [1, 6, 2, 4] : tensor<6x8xf32> into tensor<1x6x2x4xf32>
  %e4 = tensor.empty() : tensor<1x6x2x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c, %b : tensor<1x6x2x4xf32>, tensor<6x2xf32>) outs(%e4 : tensor<1x6x2x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<1x6x2x4xf32>
  %m2 = linalg.matmul ins(%x, %w : tensor<6x5xf32>, tensor<5x8xf32>) outs(%f : tensor<6x8xf32>) -> tensor<6x8xf32>
  %c2 = tensor.expand_shape %m2 [[0, 1], [2, 3]] output_shape [1, 6, 2, 4] : tensor<6x8xf32> into tensor<1x6x2x4xf32>
  %y2 = linalg.generic {indexing_maps = [#id, #last, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c2, %l : tensor<1x6x2x4xf32>, tensor<4xf32>) outs(%e4 : tensor<1x6x2x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<1x6x2x4xf32>
  return %y, %y2 : tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>
}

// -----

// A transposed operand of a sum, whose batch of 1 is read at 0.
// CHECK: 0: add [3, 4] <- input1, input0
// CHECK-NEXT: result 0
#id = affine_map<(n, r, c) -> (n, r, c)>
#x = affine_map<(n, r, c) -> (0, r, c)>
#y = affine_map<(n, r, c) -> (0, c, r)>
func.func @turned(%x: tensor<1x4x3xf32>, %y: tensor<1x3x4xf32>) -> tensor<1x4x3xf32> {
  %e = tensor.empty() : tensor<1x4x3xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %y : tensor<1x4x3xf32>, tensor<1x3x4xf32>) outs(%e : tensor<1x4x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<1x4x3xf32>
  return %0 : tensor<1x4x3xf32>
}

// -----

// A pool of an image and its gate, whose product fusion has put into the pool.
// CHECK: 0: sigmoid [3, 4] <- input1
// CHECK-NEXT: 1: mul [5, 3, 4] <- 0, input0
// CHECK-NEXT: 2: transpose<permutation = [1, 2, 0]> [3, 4, 5] <- 1
// CHECK-NEXT: 3: adaptive_avg_pool2d<output_size = [1, 1]> [5] <- 2
// CHECK-NEXT: result 3
#image = affine_map<(n, c, h, w, i, j) -> (n, c, h + i, w + j)>
#gate = affine_map<(n, c, h, w, i, j) -> (n, 0, h + i, w + j)>
#window = affine_map<(n, c, h, w, i, j) -> (i, j)>
#out = affine_map<(n, c, h, w, i, j) -> (n, c, h, w)>
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @gated(%x: tensor<1x5x3x4xf32>, %g: tensor<1x1x3x4xf32>) -> tensor<1x5x1x1xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = arith.constant 12.0 : f32
  %win = tensor.empty() : tensor<3x4xf32>
  %e = tensor.empty() : tensor<1x5x1x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x1x1xf32>) -> tensor<1x5x1x1xf32>
  %0 = linalg.generic {indexing_maps = [#image, #gate, #window, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %g, %win : tensor<1x5x3x4xf32>, tensor<1x1x3x4xf32>, tensor<3x4xf32>) outs(%f : tensor<1x5x1x1xf32>) {
  ^bb0(%p: f32, %q: f32, %k: f32, %o: f32):
    %a = arith.negf %q : f32
    %b = math.exp %a : f32
    %c = arith.addf %b, %one : f32
    %d = arith.divf %one, %c : f32
    %r = arith.mulf %p, %d : f32
    %s = arith.addf %o, %r : f32
    linalg.yield %s : f32
  } -> tensor<1x5x1x1xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0 : tensor<1x5x1x1xf32>) outs(%e : tensor<1x5x1x1xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.divf %p, %n : f32
    linalg.yield %r : f32
  } -> tensor<1x5x1x1xf32>
  return %1 : tensor<1x5x1x1xf32>
}

// -----

// A convolution whose one channel was folded away with the batch.
// CHECK: 0: conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1> weight[1, 3, 3, 2] [4, 5] <- input0
// CHECK: float operations outside of operators: 0 of
#image = affine_map<(h, w, c, i, j) -> (c, h + i, w + j)>
#taps = affine_map<(h, w, c, i, j) -> (c, i, j)>
#out = affine_map<(h, w, c, i, j) -> (h, w)>
func.func @one_channel(%x: tensor<1x2x6x7xf32>) -> tensor<1x1x4x5xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<2x3x3xf32>
  %i = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x2x6x7xf32> into tensor<2x6x7xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %c = linalg.generic {indexing_maps = [#image, #taps, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%i, %w : tensor<2x6x7xf32>, tensor<2x3x3xf32>) outs(%f : tensor<4x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  %y = tensor.expand_shape %c [[0, 1, 2], [3]] output_shape [1, 1, 4, 5] : tensor<4x5xf32> into tensor<1x1x4x5xf32>
  return %y : tensor<1x1x4x5xf32>
}
