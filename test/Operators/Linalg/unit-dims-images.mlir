// RUN: qbackend-opt %s --split-input-file --qbackend-print-operators -o /dev/null 2>&1 | FileCheck %s

// What folding unit dimensions leaves of images: slices of a lower rank that are
// put into a padded image, constants of all elements, an average whose division
// is on the other side of a change of shape, and what follows a depthwise
// convolution with a dimension for its multiplier.

#p = affine_map<(h, w, c) -> (h, w, c)>
#c = affine_map<(h, w, c) -> (c)>
#id = affine_map<(n, h, w, c) -> (n, h, w, c)>
#id5 = affine_map<(n, h, w, c, m) -> (n, h, w, c, m)>
#cm = affine_map<(n, h, w, c, m) -> (c, m)>
#window = affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>
#kernel = affine_map<(n, h, w, c, i, j) -> (i, j)>
#pixel = affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>
#five = affine_map<(a, n, h, w, c) -> (a, n, h, w, c)>

// CHECK: 0: conv2d<stride = [1, 1], padding = [1, 1, 1, 1], {{.*}}> weight[4, 3, 3, 3] [4, 5, 4] <- input0
// CHECK-NEXT: 1: batch_norm2d [4, 5, 4] <- 0
// CHECK-NEXT: result 1
func.func @inserted(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x4xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<3x3x3x4xf32>
  %mean = arith.constant dense<[[[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]], [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]], [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]], [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]]> : tensor<4x5x4xf32>
  %scale = arith.constant dense<[0.5, 0.25, 2.0, 1.5]> : tensor<4xf32>
  %e = tensor.empty() : tensor<1x6x7x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x7x3xf32>) -> tensor<1x6x7x3xf32>
  %s = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x4x5x3xf32> into tensor<4x5x3xf32>
  %i = tensor.insert_slice %s into %f[0, 1, 1, 0] [1, 4, 5, 3] [1, 1, 1, 1] : tensor<4x5x3xf32> into tensor<1x6x7x3xf32>
  %ey = tensor.empty() : tensor<1x4x5x4xf32>
  %fy = linalg.fill ins(%z : f32) outs(%ey : tensor<1x4x5x4xf32>) -> tensor<1x4x5x4xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%i, %w : tensor<1x6x7x3xf32>, tensor<3x3x3x4xf32>) outs(%fy : tensor<1x4x5x4xf32>) -> tensor<1x4x5x4xf32>
  %d = tensor.collapse_shape %y [[0, 1], [2], [3]] : tensor<1x4x5x4xf32> into tensor<4x5x4xf32>
  %eb = tensor.empty() : tensor<4x5x4xf32>
  %b = linalg.generic {indexing_maps = [#p, #p, #c, #p], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d, %mean, %scale : tensor<4x5x4xf32>, tensor<4x5x4xf32>, tensor<4xf32>) outs(%eb : tensor<4x5x4xf32>) {
  ^bb0(%a: f32, %m: f32, %k: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    %1 = arith.mulf %0, %k : f32
    linalg.yield %1 : f32
  } -> tensor<4x5x4xf32>
  %r = tensor.expand_shape %b [[0, 1], [2], [3]] output_shape [1, 4, 5, 4] : tensor<4x5x4xf32> into tensor<1x4x5x4xf32>
  return %r : tensor<1x4x5x4xf32>
}

// CHECK: 0: avg_pool2d<kernel = [2, 2], stride = [1, 1], padding = [0, 0, 0, 0]> [3, 3, 2] <- input0
// CHECK-NEXT: 1: relu [3, 3, 2] <- 0
// CHECK-NEXT: result 1
func.func @divided_behind_expand(%x: tensor<1x4x4x2xf32>) -> tensor<1x1x3x3x2xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 4.0 : f32
  %e = tensor.empty() : tensor<1x3x3x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  %k = tensor.empty() : tensor<2x2xf32>
  %y = linalg.generic {indexing_maps = [#window, #kernel, #pixel], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %k : tensor<1x4x4x2xf32>, tensor<2x2xf32>) outs(%f : tensor<1x3x3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1x3x3x2xf32>
  %l = tensor.expand_shape %y [[0, 1], [2], [3], [4]] output_shape [1, 1, 3, 3, 2] : tensor<1x3x3x2xf32> into tensor<1x1x3x3x2xf32>
  %er = tensor.empty() : tensor<1x1x3x3x2xf32>
  %r = linalg.generic {indexing_maps = [#five, #five], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%l : tensor<1x1x3x3x2xf32>) outs(%er : tensor<1x1x3x3x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.divf %a, %n : f32
    linalg.yield %0 : f32
  } -> tensor<1x1x3x3x2xf32>
  %u = linalg.generic {indexing_maps = [#five, #five], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%r : tensor<1x1x3x3x2xf32>) outs(%er : tensor<1x1x3x3x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %z : f32
    linalg.yield %0 : f32
  } -> tensor<1x1x3x3x2xf32>
  return %u : tensor<1x1x3x3x2xf32>
}

// CHECK: 0: conv2d<{{.*}}groups = 4> weight[4, 2, 2, 1] [3, 3, 4] <- input0
// CHECK-NEXT: 1: batch_norm2d [3, 3, 4] <- 0
// CHECK-NEXT: 2: relu [3, 3, 4] <- 1
func.func @multiplier(%x: tensor<1x4x4x4xf32>) -> tensor<1x3x3x4xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<2x2x4x1xf32>
  %g = arith.constant dense<[[0.5], [0.25], [2.0], [1.5]]> : tensor<4x1xf32>
  %b = arith.constant dense<[[1.0], [-1.0], [3.0], [0.5]]> : tensor<4x1xf32>
  %e = tensor.empty() : tensor<1x3x3x4x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x3x4x1xf32>) -> tensor<1x3x3x4x1xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x4x4x4xf32>, tensor<2x2x4x1xf32>) outs(%f : tensor<1x3x3x4x1xf32>) -> tensor<1x3x3x4x1xf32>
  %r = linalg.generic {indexing_maps = [#id5, #cm, #cm, #id5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%y, %g, %b : tensor<1x3x3x4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) outs(%e : tensor<1x3x3x4x1xf32>) {
  ^bb0(%a: f32, %k: f32, %l: f32, %o: f32):
    %0 = arith.mulf %a, %k : f32
    %1 = arith.addf %0, %l : f32
    %2 = arith.maximumf %1, %z : f32
    linalg.yield %2 : f32
  } -> tensor<1x3x3x4x1xf32>
  %c = tensor.collapse_shape %r [[0], [1], [2], [3, 4]] : tensor<1x3x3x4x1xf32> into tensor<1x3x3x4xf32>
  return %c : tensor<1x3x3x4xf32>
}

// A bias for each element is one for each channel.
// CHECK: 0: conv2d<{{.*}}> weight[2, 1, 1, 3] bias [2, 2, 2] <- input0
// CHECK-NEXT: result 0

// An image that is computed without a batch gets one.
// CHECK: 1: transpose<permutation = [1, 2, 0]> [4, 4, 3] <- 0
// CHECK-NEXT: 2: conv2d<stride = [1, 1], padding = [1, 1, 1, 1], {{.*}}> weight[2, 3, 3, 3] [4, 4, 2] <- 1
// CHECK-NEXT: 3: transpose<permutation = [2, 0, 1]> [2, 4, 4] <- 2
// CHECK-NEXT: result 3
// CHECK-NEXT: float operations outside of operators: 0 of
func.func @bias(%x: tensor<1x2x2x3xf32>) -> tensor<2x2x2xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<1x1x3x2xf32>
  %b = arith.constant dense<[[[1.0, 2.0], [1.0, 2.0]], [[1.0, 2.0], [1.0, 2.0]]]> : tensor<2x2x2xf32>
  %e = tensor.empty() : tensor<1x2x2x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x2x2x3xf32>, tensor<1x1x3x2xf32>) outs(%f : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %d = tensor.collapse_shape %y [[0, 1], [2], [3]] : tensor<1x2x2x2xf32> into tensor<2x2x2xf32>
  %ed = tensor.empty() : tensor<2x2x2xf32>
  %r = linalg.generic {indexing_maps = [#p, #p, #p], iterator_types = ["parallel", "parallel", "parallel"]} ins(%b, %d : tensor<2x2x2xf32>, tensor<2x2x2xf32>) outs(%ed : tensor<2x2x2xf32>) {
  ^bb0(%k: f32, %a: f32, %o: f32):
    %0 = arith.addf %k, %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x2x2xf32>
  return %r : tensor<2x2x2xf32>
}

#taps = affine_map<(o, h, w, c, i, j) -> (c, h + i, w + j)>
#filter = affine_map<(o, h, w, c, i, j) -> (o, c, i, j)>
#image = affine_map<(o, h, w, c, i, j) -> (o, h, w)>
func.func @no_batch(%x: tensor<3x4x4xf32>) -> tensor<2x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<2x3x3x3xf32>
  %ex = tensor.empty() : tensor<3x4x4xf32>
  %s = linalg.generic {indexing_maps = [#p, #p], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<3x4x4xf32>) outs(%ex : tensor<3x4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<3x4x4xf32>
  %q = tensor.pad %s low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f32
  } : tensor<3x4x4xf32> to tensor<3x6x6xf32>
  %e = tensor.empty() : tensor<2x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %y = linalg.generic {indexing_maps = [#taps, #filter, #image], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%q, %w : tensor<3x6x6xf32>, tensor<2x3x3x3xf32>) outs(%f : tensor<2x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}

// -----

// A batch norm with constants of the full shape, which fusion has put in front of
// a product: the constants get the batch, as the image does.
// CHECK: 0: conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1> weight[2, 2, 2, 1] [2, 2, 2] <- input0
// CHECK-NEXT: 1: batch_norm2d [2, 2, 2] <- 0
// CHECK-NEXT: 2: relu [2, 2, 2] <- 1
// CHECK-NEXT: 3: linear weight[3, 2] [2, 2, 3] <- 2
// CHECK-NEXT: result 3
// CHECK-NEXT: float operations outside of operators: 0 of
#image = affine_map<(h, w, o, i, j, c) -> (h + i, w + j, c)>
#taps = affine_map<(h, w, o, i, j, c) -> (i, j, c, o)>
#place = affine_map<(h, w, o, i, j, c) -> (h, w, o)>
#in = affine_map<(h, w, o, c) -> (h, w, c)>
#channel = affine_map<(h, w, o, c) -> (c)>
#matrix = affine_map<(h, w, o, c) -> (c, o)>
#out = affine_map<(h, w, o, c) -> (h, w, o)>
func.func @full_batch_norm(%x: tensor<1x3x3x1xf32>) -> tensor<1x2x2x3xf32> {
  %z = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %w = arith.constant dense<0.5> : tensor<2x2x1x2xf32>
  %v = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %mean = arith.constant dense<[[[1.0, 2.0], [1.0, 2.0]], [[1.0, 2.0], [1.0, 2.0]]]> : tensor<2x2x2xf32>
  %gamma = arith.constant dense<[[[3.0, 0.5], [3.0, 0.5]], [[3.0, 0.5], [3.0, 0.5]]]> : tensor<2x2x2xf32>
  %var = arith.constant dense<[0.25, 4.0]> : tensor<2xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x3x3x1xf32> into tensor<3x3x1xf32>
  %e = tensor.empty() : tensor<2x2x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %p = linalg.generic {indexing_maps = [#image, #taps, #place], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%c, %w : tensor<3x3x1xf32>, tensor<2x2x1x2xf32>) outs(%f : tensor<2x2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x2xf32>
  %e2 = tensor.empty() : tensor<2x2x3xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %q = linalg.generic {indexing_maps = [#in, #in, #in, #channel, #in, #matrix, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %mean, %gamma, %var, %mean, %v : tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2xf32>, tensor<2x2x2xf32>, tensor<2x3xf32>) outs(%f2 : tensor<2x2x3xf32>) {
  ^bb0(%a: f32, %m: f32, %g: f32, %s: f32, %k: f32, %b: f32, %o: f32):
    %0 = arith.addf %s, %eps : f32
    %1 = math.sqrt %0 : f32
    %2 = arith.subf %a, %m : f32
    %3 = arith.mulf %2, %g : f32
    %4 = arith.divf %3, %1 : f32
    %8 = arith.addf %4, %k : f32
    %5 = arith.maximumf %8, %z : f32
    %6 = arith.mulf %5, %b : f32
    %7 = arith.addf %o, %6 : f32
    linalg.yield %7 : f32
  } -> tensor<2x2x3xf32>
  %y = tensor.expand_shape %q [[0, 1], [2], [3]] output_shape [1, 2, 2, 3] : tensor<2x2x3xf32> into tensor<1x2x2x3xf32>
  return %y : tensor<1x2x2x3xf32>
}
