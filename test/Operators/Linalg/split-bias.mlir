// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt --split-input-file --qbackend-print-operators %s -o /dev/null | FileCheck %s
// RUN: qbackend-opt --split-input-file --qbackend-raise %s | FileCheck %s --check-prefix=BIAS
// BIAS-COUNT-5: arith.constant dense<[5.000000e-01, 1.000000e+00, 1.500000e+00, 2.000000e+00, 2.500000e+00, 3.000000e+00]> : tensor<6xf32>

// Fusion leaves the bias behind the change of shape that cuts the channels, perhaps
// in another order of dimensions: it is the convolution's, or the layer's.

// CHECK: {{^}}0: conv2d{{.*}} bias [3, 4, 6] <- input0
// CHECK-NEXT: 1: reshape [3, 4, 2, 3] <- 0
// CHECK-NEXT: result 1
module @anchors {
func.func @main(%x: tensor<1x4x5x3xf32>) -> (tensor<1x3x4x2x3xf32>) {
  %w = arith.constant dense<0.5> : tensor<2x2x3x6xf32>
  %b = arith.constant dense<[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0]]> : tensor<2x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x4x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x5x3xf32>, tensor<2x2x3x6xf32>) outs(%i : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %cut = tensor.expand_shape %y [[0], [1], [2], [3, 4]] output_shape [1, 3, 4, 2, 3] : tensor<1x3x4x6xf32> into tensor<1x3x4x2x3xf32>
  %d = tensor.empty() : tensor<1x3x4x2x3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>,
                       affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%cut, %b : tensor<1x3x4x2x3xf32>, tensor<2x3xf32>) outs(%d : tensor<1x3x4x2x3xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<1x3x4x2x3xf32>
  return %r : tensor<1x3x4x2x3xf32>
}
}

// -----

// CHECK: {{^}}0: conv2d{{.*}} bias [3, 4, 6] <- input0
// CHECK-NEXT: 1: reshape [3, 4, 2, 3] <- 0
// CHECK-NEXT: result 1
module @transposed_anchors {
func.func @main(%x: tensor<1x4x5x3xf32>) -> (tensor<1x2x3x4x3xf32>) {
  %w = arith.constant dense<0.5> : tensor<2x2x3x6xf32>
  %b = arith.constant dense<[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0]]> : tensor<2x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x4x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x5x3xf32>, tensor<2x2x3x6xf32>) outs(%i : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %cut = tensor.expand_shape %y [[0], [1], [2], [3, 4]] output_shape [1, 3, 4, 2, 3] : tensor<1x3x4x6xf32> into tensor<1x3x4x2x3xf32>
  %d = tensor.empty() : tensor<1x2x3x4x3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d4)>,
                       affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%cut, %b : tensor<1x3x4x2x3xf32>, tensor<2x3xf32>) outs(%d : tensor<1x2x3x4x3xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<1x2x3x4x3xf32>
  return %r : tensor<1x2x3x4x3xf32>
}
}

// -----

// CHECK: {{^}}0: conv2d{{.*}} bias [3, 4, 6] <- input0
// CHECK-NEXT: 1: reshape [3, 4, 2, 3] <- 0
// CHECK-NEXT: result 1
module @in_reverse {
func.func @main(%x: tensor<1x4x5x3xf32>) -> (tensor<1x3x3x4x2xf32>) {
  %w = arith.constant dense<0.5> : tensor<2x2x3x6xf32>
  %b = arith.constant dense<[[0.5, 2.0], [1.0, 2.5], [1.5, 3.0]]> : tensor<3x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x4x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x5x3xf32>, tensor<2x2x3x6xf32>) outs(%i : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %cut = tensor.expand_shape %y [[0], [1], [2], [3, 4]] output_shape [1, 3, 4, 2, 3] : tensor<1x3x4x6xf32> into tensor<1x3x4x2x3xf32>
  %d = tensor.empty() : tensor<1x3x3x4x2xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d4, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d4)>,
                       affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%cut, %b : tensor<1x3x4x2x3xf32>, tensor<3x2xf32>) outs(%d : tensor<1x3x3x4x2xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<1x3x3x4x2xf32>
  return %r : tensor<1x3x3x4x2xf32>
}
}

// -----

// CHECK: {{^}}0: linear weight[6, 5] bias [12, 6] <- input0
// CHECK-NEXT: 1: reshape [3, 4, 2, 3] <- 0
// CHECK-NEXT: result 1
module @heads {
func.func @main(%x: tensor<12x5xf32>) -> (tensor<2x3x4x3xf32>) {
  %w = arith.constant dense<0.5> : tensor<5x6xf32>
  %b = arith.constant dense<[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0]]> : tensor<2x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<12x6xf32>) -> tensor<12x6xf32>
  %y = linalg.matmul ins(%x, %w : tensor<12x5xf32>, tensor<5x6xf32>) outs(%i : tensor<12x6xf32>) -> tensor<12x6xf32>
  %cut = tensor.expand_shape %y [[0, 1], [2, 3]] output_shape [3, 4, 2, 3] : tensor<12x6xf32> into tensor<3x4x2x3xf32>
  %d = tensor.empty() : tensor<2x3x4x3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1, d2, d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3)>,
                       affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%cut, %b : tensor<3x4x2x3xf32>, tensor<2x3xf32>) outs(%d : tensor<2x3x4x3xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<2x3x4x3xf32>
  return %r : tensor<2x3x4x3xf32>
}
}

// -----

// Without a batch, and the parts of a channel in reverse (depth to space).
// CHECK: {{^}}0: conv2d{{.*}} bias [3, 4, 6] <- input0
// CHECK-NEXT: 1: reshape [3, 4, 2, 3] <- 0
// CHECK-NEXT: 2: transpose<permutation = [3, 0, 2, 1]> [3, 3, 2, 4] <- 1
// CHECK-NEXT: result 2
module @without_batch {
func.func @main(%x: tensor<1x4x5x3xf32>) -> (tensor<3x3x2x4xf32>) {
  %w = arith.constant dense<0.5> : tensor<6x2x2x3xf32>
  %b = arith.constant dense<[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0]]> : tensor<2x3xf32>
  %zero = arith.constant 0.0 : f32
  %one = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x4x5x3xf32> into tensor<4x5x3xf32>
  %e = tensor.empty() : tensor<3x4x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(h, w, o, r, s, c) -> (h + r, w + s, c)>, affine_map<(h, w, o, r, s, c) -> (o, r, s, c)>,
                       affine_map<(h, w, o, r, s, c) -> (h, w, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%one, %w : tensor<4x5x3xf32>, tensor<6x2x2x3xf32>) outs(%i : tensor<3x4x6xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x4x6xf32>
  %cut = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [3, 4, 2, 3] : tensor<3x4x6xf32> into tensor<3x4x2x3xf32>
  %d = tensor.empty() : tensor<3x3x2x4xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(k, h, p, w) -> (h, w, p, k)>, affine_map<(k, h, p, w) -> (p, k)>,
                       affine_map<(k, h, p, w) -> (k, h, p, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%cut, %b : tensor<3x4x2x3xf32>, tensor<2x3xf32>) outs(%d : tensor<3x3x2x4xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<3x3x2x4xf32>
  return %r : tensor<3x3x2x4xf32>
}
}

// -----

// What lacks a part of the channels is no bias of them.
// CHECK: {{^}}0: conv2d<{{[^>]*}}> weight[6, 2, 2, 3] [3, 4, 6] <- input0
// CHECK-NEXT: 1: reshape
// CHECK-NEXT: 2: add
module @one_for_each_part {
func.func @main(%x: tensor<1x4x5x3xf32>) -> (tensor<1x2x3x4x3xf32>) {
  %w = arith.constant dense<0.5> : tensor<2x2x3x6xf32>
  %b = arith.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x4x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x5x3xf32>, tensor<2x2x3x6xf32>) outs(%i : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %cut = tensor.expand_shape %y [[0], [1], [2], [3, 4]] output_shape [1, 3, 4, 2, 3] : tensor<1x3x4x6xf32> into tensor<1x3x4x2x3xf32>
  %d = tensor.empty() : tensor<1x2x3x4x3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d1)>,
                       affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%cut, %b : tensor<1x3x4x2x3xf32>, tensor<2xf32>) outs(%d : tensor<1x2x3x4x3xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<1x2x3x4x3xf32>
  return %r : tensor<1x2x3x4x3xf32>
}
}

// -----

// Nor is what varies along the rows.
// CHECK: {{^}}0: conv2d<{{[^>]*}}> weight[6, 2, 2, 3] [3, 4, 6] <- input0
// CHECK-NEXT: 1: reshape
// CHECK-NEXT: 2: add
module @one_for_each_row {
func.func @main(%x: tensor<1x4x5x3xf32>) -> (tensor<1x3x4x2x3xf32>) {
  %w = arith.constant dense<0.5> : tensor<2x2x3x6xf32>
  %b = arith.constant dense<[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0], [3.5, 4.0, 4.5]]> : tensor<3x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x4x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x5x3xf32>, tensor<2x2x3x6xf32>) outs(%i : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %cut = tensor.expand_shape %y [[0], [1], [2], [3, 4]] output_shape [1, 3, 4, 2, 3] : tensor<1x3x4x6xf32> into tensor<1x3x4x2x3xf32>
  %d = tensor.empty() : tensor<1x3x4x2x3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d4)>,
                       affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%cut, %b : tensor<1x3x4x2x3xf32>, tensor<3x3xf32>) outs(%d : tensor<1x3x4x2x3xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<1x3x4x2x3xf32>
  return %r : tensor<1x3x4x2x3xf32>
}
}

// -----

// What is read without the bias has none.
// CHECK: {{^}}0: conv2d<{{[^>]*}}> weight[6, 2, 2, 3] [3, 4, 6] <- input0
// CHECK-NEXT: 1: reshape
// CHECK-NEXT: 2: add
module @read_twice {
func.func @main(%x: tensor<1x4x5x3xf32>) -> (tensor<1x3x4x2x3xf32>, tensor<1x3x4x6xf32>) {
  %w = arith.constant dense<0.5> : tensor<2x2x3x6xf32>
  %b = arith.constant dense<[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0]]> : tensor<2x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x4x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x5x3xf32>, tensor<2x2x3x6xf32>) outs(%i : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %cut = tensor.expand_shape %y [[0], [1], [2], [3, 4]] output_shape [1, 3, 4, 2, 3] : tensor<1x3x4x6xf32> into tensor<1x3x4x2x3xf32>
  %d = tensor.empty() : tensor<1x3x4x2x3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>,
                       affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%cut, %b : tensor<1x3x4x2x3xf32>, tensor<2x3xf32>) outs(%d : tensor<1x3x4x2x3xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<1x3x4x2x3xf32>
  return %r, %y : tensor<1x3x4x2x3xf32>, tensor<1x3x4x6xf32>
}
}

// -----

// Nor is what varies along the rows of an image without a batch.
// CHECK: {{^}}0: conv2d<{{[^>]*}}> weight[6, 2, 2, 3] [3, 4, 6] <- input0
// CHECK-NEXT: 1: reshape
// CHECK-NEXT: 2: linalg.generic ? [3, 3, 2, 4] <- 1, constant, constant
// CHECK-NEXT: result 2
module @rows_without_batch {
func.func @main(%x: tensor<1x4x5x3xf32>) -> (tensor<3x3x2x4xf32>) {
  %w = arith.constant dense<0.5> : tensor<6x2x2x3xf32>
  %b = arith.constant dense<[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0], [3.5, 4.0, 4.5]]> : tensor<3x3xf32>
  %zero = arith.constant 0.0 : f32
  %one = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x4x5x3xf32> into tensor<4x5x3xf32>
  %e = tensor.empty() : tensor<3x4x6xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(h, w, o, r, s, c) -> (h + r, w + s, c)>, affine_map<(h, w, o, r, s, c) -> (o, r, s, c)>,
                       affine_map<(h, w, o, r, s, c) -> (h, w, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%one, %w : tensor<4x5x3xf32>, tensor<6x2x2x3xf32>) outs(%i : tensor<3x4x6xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x4x6xf32>
  %cut = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [3, 4, 2, 3] : tensor<3x4x6xf32> into tensor<3x4x2x3xf32>
  %d = tensor.empty() : tensor<3x3x2x4xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(k, h, p, w) -> (h, w, p, k)>, affine_map<(k, h, p, w) -> (h, k)>,
                       affine_map<(k, h, p, w) -> (k, h, p, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%cut, %b : tensor<3x4x2x3xf32>, tensor<3x3xf32>) outs(%d : tensor<3x3x2x4xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<3x3x2x4xf32>
  return %r : tensor<3x3x2x4xf32>
}
}
