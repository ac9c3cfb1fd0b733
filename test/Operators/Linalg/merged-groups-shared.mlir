// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// The number that pads is made in the region of the pad.
// CHECK-LABEL: func.func @pad(
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [1, 1, 1, 1], dilation = [1, 1], groups = 2>] inputs(%arg0)
#image = affine_map<(n, h, w, g, m, i, j, c) -> (n, h + i, w + j, g, c)>
#taps = affine_map<(n, h, w, g, m, i, j, c) -> (g, m, i, j, c)>
#out = affine_map<(n, h, w, g, m, i, j, c) -> (n, h, w, g, m)>
func.func @pad(%x: tensor<1x4x5x4xf32>) -> tensor<1x6x7x2x3xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<2x3x1x1x2xf32>
  %xg = tensor.expand_shape %x [[0], [1], [2], [3, 4]] output_shape [1, 4, 5, 2, 2] : tensor<1x4x5x4xf32> into tensor<1x4x5x2x2xf32>
  %p = tensor.pad %xg low[0,1,1,0,0] high[0,1,1,0,0] {
  ^bb0(%a:index,%b:index,%cc:index,%d:index,%e1:index):
    %zz = arith.constant 0.0 : f32
    tensor.yield %zz : f32
  } : tensor<1x4x5x2x2xf32> to tensor<1x6x7x2x2xf32>
  %e = tensor.empty() : tensor<1x6x7x2x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x7x2x3xf32>) -> tensor<1x6x7x2x3xf32>
  %c = linalg.generic {indexing_maps = [#image, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%p, %w : tensor<1x6x7x2x2xf32>, tensor<2x3x1x1x2xf32>) outs(%f : tensor<1x6x7x2x3xf32>) {
  ^bb0(%pp: f32, %q: f32, %o: f32):
    %0 = arith.mulf %pp, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x6x7x2x3xf32>
  return %c : tensor<1x6x7x2x3xf32>
}

// One reader merges other dimensions of what it reads twice: it stays.
// CHECK-LABEL: func.func @two(
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.tanh]
// CHECK: %[[T:.*]] = qbackend.transpose %[[R]] [4, 0, 1, 2, 3]
// CHECK: qbackend.operator [#qbackend.add] inputs(%[[R]], %[[T]])
#image2 = affine_map<(a, g, b, h, w, c) -> (g, c, h, w)>
#taps2 = affine_map<(a, g, b, h, w, c) -> (a, g, b, c)>
#out2 = affine_map<(a, g, b, h, w, c) -> (a, g, b, h, w)>
#id = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
#rot = affine_map<(a, b, c, d, e) -> (b, c, d, e, a)>
func.func @two(%x: tensor<2x2x2x2xf32>) -> tensor<2x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<2x2x2x2xf32>
  %e = tensor.empty() : tensor<2x2x2x2x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
  %c = linalg.generic {indexing_maps = [#image2, #taps2, #out2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>) outs(%f : tensor<2x2x2x2x2xf32>) {
  ^bb0(%pp: f32, %q: f32, %o: f32):
    %0 = arith.mulf %pp, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x2x2x2xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%c : tensor<2x2x2x2x2xf32>) outs(%e : tensor<2x2x2x2x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = math.tanh %p : f32
    linalg.yield %0 : f32
  } -> tensor<2x2x2x2x2xf32>
  %s = linalg.generic {indexing_maps = [#id, #rot, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%r, %r : tensor<2x2x2x2x2xf32>, tensor<2x2x2x2x2xf32>) outs(%e : tensor<2x2x2x2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<2x2x2x2x2xf32>
  %y = tensor.collapse_shape %s [[0], [1, 2], [3, 4]] : tensor<2x2x2x2x2xf32> into tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}

// Each reads the one before eight times: it is looked at once.
#same = affine_map<(n, h, w, g, m) -> (n, h, w, g, m)>
// CHECK-LABEL: func.func @often(
// CHECK: return
func.func @often(%x: tensor<1x4x5x2x2xf32>) -> tensor<1x4x5x6xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.25> : tensor<2x3x1x1x2xf32>
  %e = tensor.empty() : tensor<1x4x5x2x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5x2x3xf32>) -> tensor<1x4x5x2x3xf32>
  %v0 = linalg.generic {indexing_maps = [#image, #taps, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x4x5x2x2xf32>, tensor<2x3x1x1x2xf32>) outs(%f : tensor<1x4x5x2x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x4x5x2x3xf32>
  %v1 = linalg.generic {indexing_maps = [#same, #same, #same, #same, #same, #same, #same, #same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v0, %v0, %v0, %v0, %v0, %v0, %v0, %v0 : tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %o: f32):
    %s0 = math.atan2 %a0, %a1 : f32
    %s1 = math.atan2 %s0, %a2 : f32
    %s2 = math.atan2 %s1, %a3 : f32
    %s3 = math.atan2 %s2, %a4 : f32
    %s4 = math.atan2 %s3, %a5 : f32
    %s5 = math.atan2 %s4, %a6 : f32
    %s6 = math.atan2 %s5, %a7 : f32
    linalg.yield %s6 : f32
  } -> tensor<1x4x5x2x3xf32>
  %v2 = linalg.generic {indexing_maps = [#same, #same, #same, #same, #same, #same, #same, #same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v1, %v1, %v1, %v1, %v1, %v1, %v1, %v1 : tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %o: f32):
    %s0 = math.atan2 %a0, %a1 : f32
    %s1 = math.atan2 %s0, %a2 : f32
    %s2 = math.atan2 %s1, %a3 : f32
    %s3 = math.atan2 %s2, %a4 : f32
    %s4 = math.atan2 %s3, %a5 : f32
    %s5 = math.atan2 %s4, %a6 : f32
    %s6 = math.atan2 %s5, %a7 : f32
    linalg.yield %s6 : f32
  } -> tensor<1x4x5x2x3xf32>
  %v3 = linalg.generic {indexing_maps = [#same, #same, #same, #same, #same, #same, #same, #same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v2, %v2, %v2, %v2, %v2, %v2, %v2, %v2 : tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %o: f32):
    %s0 = math.atan2 %a0, %a1 : f32
    %s1 = math.atan2 %s0, %a2 : f32
    %s2 = math.atan2 %s1, %a3 : f32
    %s3 = math.atan2 %s2, %a4 : f32
    %s4 = math.atan2 %s3, %a5 : f32
    %s5 = math.atan2 %s4, %a6 : f32
    %s6 = math.atan2 %s5, %a7 : f32
    linalg.yield %s6 : f32
  } -> tensor<1x4x5x2x3xf32>
  %v4 = linalg.generic {indexing_maps = [#same, #same, #same, #same, #same, #same, #same, #same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v3, %v3, %v3, %v3, %v3, %v3, %v3, %v3 : tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %o: f32):
    %s0 = math.atan2 %a0, %a1 : f32
    %s1 = math.atan2 %s0, %a2 : f32
    %s2 = math.atan2 %s1, %a3 : f32
    %s3 = math.atan2 %s2, %a4 : f32
    %s4 = math.atan2 %s3, %a5 : f32
    %s5 = math.atan2 %s4, %a6 : f32
    %s6 = math.atan2 %s5, %a7 : f32
    linalg.yield %s6 : f32
  } -> tensor<1x4x5x2x3xf32>
  %v5 = linalg.generic {indexing_maps = [#same, #same, #same, #same, #same, #same, #same, #same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v4, %v4, %v4, %v4, %v4, %v4, %v4, %v4 : tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %o: f32):
    %s0 = math.atan2 %a0, %a1 : f32
    %s1 = math.atan2 %s0, %a2 : f32
    %s2 = math.atan2 %s1, %a3 : f32
    %s3 = math.atan2 %s2, %a4 : f32
    %s4 = math.atan2 %s3, %a5 : f32
    %s5 = math.atan2 %s4, %a6 : f32
    %s6 = math.atan2 %s5, %a7 : f32
    linalg.yield %s6 : f32
  } -> tensor<1x4x5x2x3xf32>
  %v6 = linalg.generic {indexing_maps = [#same, #same, #same, #same, #same, #same, #same, #same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v5, %v5, %v5, %v5, %v5, %v5, %v5, %v5 : tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %o: f32):
    %s0 = math.atan2 %a0, %a1 : f32
    %s1 = math.atan2 %s0, %a2 : f32
    %s2 = math.atan2 %s1, %a3 : f32
    %s3 = math.atan2 %s2, %a4 : f32
    %s4 = math.atan2 %s3, %a5 : f32
    %s5 = math.atan2 %s4, %a6 : f32
    %s6 = math.atan2 %s5, %a7 : f32
    linalg.yield %s6 : f32
  } -> tensor<1x4x5x2x3xf32>
  %v7 = linalg.generic {indexing_maps = [#same, #same, #same, #same, #same, #same, #same, #same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v6, %v6, %v6, %v6, %v6, %v6, %v6, %v6 : tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>, tensor<1x4x5x2x3xf32>) outs(%e : tensor<1x4x5x2x3xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %o: f32):
    %s0 = math.atan2 %a0, %a1 : f32
    %s1 = math.atan2 %s0, %a2 : f32
    %s2 = math.atan2 %s1, %a3 : f32
    %s3 = math.atan2 %s2, %a4 : f32
    %s4 = math.atan2 %s3, %a5 : f32
    %s5 = math.atan2 %s4, %a6 : f32
    %s6 = math.atan2 %s5, %a7 : f32
    linalg.yield %s6 : f32
  } -> tensor<1x4x5x2x3xf32>
  %y = tensor.collapse_shape %v7 [[0], [1], [2], [3, 4]] : tensor<1x4x5x2x3xf32> into tensor<1x4x5x6xf32>
  return %y : tensor<1x4x5x6xf32>
}
