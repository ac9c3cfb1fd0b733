// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt --split-input-file --qbackend-print-operators %s -o /dev/null | FileCheck %s

// What differs from a norm, a softmax or a hardswish by one number, one axis or one
// op is none.

// A layer norm.
// CHECK: {{^}}0: layer_norm<
// CHECK-NOT: {{(layer|rms)_norm|softmax|hardswish}}
#id = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
#ch = affine_map<(a, b, c) -> (c)>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %c8 = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  %g = arith.constant dense<[0.5, 1.0, 1.5, 2.0, 0.25, 0.75, 1.25, 1.75]> : tensor<8xf32>
  %se = tensor.empty() : tensor<2x3xf32>
  %si = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x3xf32>) -> tensor<2x3xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x8xf32>) outs(%si : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %de = tensor.empty() : tensor<2x3x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %s : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%de : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.divf %a1, %c8 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  %ve = tensor.empty() : tensor<2x3xf32>
  %vi = linalg.fill ins(%c0 : f32) outs(%ve : tensor<2x3xf32>) -> tensor<2x3xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%d : tensor<2x3x8xf32>) outs(%vi : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %q = arith.mulf %p, %p : f32
    %r = arith.addf %acc, %q : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ye = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #ch, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d, %v, %g : tensor<2x3x8xf32>, tensor<2x3xf32>, tensor<8xf32>) outs(%ye : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %o: f32):
    %m = arith.divf %a1, %c8 : f32
    %e = arith.addf %m, %eps : f32
    %q = math.rsqrt %e : f32
    %n = arith.mulf %a0, %q : f32
    %r = arith.mulf %n, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// Squares over one fewer than there are.
#id = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
#ch = affine_map<(a, b, c) -> (c)>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %c8 = arith.constant 8.0 : f32
  %c7 = arith.constant 7.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  %g = arith.constant dense<[0.5, 1.0, 1.5, 2.0, 0.25, 0.75, 1.25, 1.75]> : tensor<8xf32>
  %se = tensor.empty() : tensor<2x3xf32>
  %si = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x3xf32>) -> tensor<2x3xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x8xf32>) outs(%si : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %de = tensor.empty() : tensor<2x3x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %s : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%de : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.divf %a1, %c8 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  %ve = tensor.empty() : tensor<2x3xf32>
  %vi = linalg.fill ins(%c0 : f32) outs(%ve : tensor<2x3xf32>) -> tensor<2x3xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%d : tensor<2x3x8xf32>) outs(%vi : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %q = arith.mulf %p, %p : f32
    %r = arith.addf %acc, %q : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ye = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #ch, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d, %v, %g : tensor<2x3x8xf32>, tensor<2x3xf32>, tensor<8xf32>) outs(%ye : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %o: f32):
    %m = arith.divf %a1, %c7 : f32
    %e = arith.addf %m, %eps : f32
    %q = math.rsqrt %e : f32
    %n = arith.mulf %a0, %q : f32
    %r = arith.mulf %n, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// Deviations of the squares of what has its mean in it.
#id = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
#ch = affine_map<(a, b, c) -> (c)>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %c8 = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  %g = arith.constant dense<[0.5, 1.0, 1.5, 2.0, 0.25, 0.75, 1.25, 1.75]> : tensor<8xf32>
  %se = tensor.empty() : tensor<2x3xf32>
  %si = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x3xf32>) -> tensor<2x3xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x8xf32>) outs(%si : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %de = tensor.empty() : tensor<2x3x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %s : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%de : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.divf %a1, %c8 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  %ve = tensor.empty() : tensor<2x3xf32>
  %vi = linalg.fill ins(%c0 : f32) outs(%ve : tensor<2x3xf32>) -> tensor<2x3xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x8xf32>) outs(%vi : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %q = arith.mulf %p, %p : f32
    %r = arith.addf %acc, %q : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ye = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #ch, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d, %v, %g : tensor<2x3x8xf32>, tensor<2x3xf32>, tensor<8xf32>) outs(%ye : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %o: f32):
    %m = arith.divf %a1, %c8 : f32
    %e = arith.addf %m, %eps : f32
    %q = math.rsqrt %e : f32
    %n = arith.mulf %a0, %q : f32
    %r = arith.mulf %n, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// The small number is added to the root.
#id = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
#ch = affine_map<(a, b, c) -> (c)>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %c8 = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  %g = arith.constant dense<[0.5, 1.0, 1.5, 2.0, 0.25, 0.75, 1.25, 1.75]> : tensor<8xf32>
  %se = tensor.empty() : tensor<2x3xf32>
  %si = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x3xf32>) -> tensor<2x3xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x8xf32>) outs(%si : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %de = tensor.empty() : tensor<2x3x8xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %s : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%de : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.divf %a1, %c8 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  %ve = tensor.empty() : tensor<2x3xf32>
  %vi = linalg.fill ins(%c0 : f32) outs(%ve : tensor<2x3xf32>) -> tensor<2x3xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%d : tensor<2x3x8xf32>) outs(%vi : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %q = arith.mulf %p, %p : f32
    %r = arith.addf %acc, %q : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ye = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #ch, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d, %v, %g : tensor<2x3x8xf32>, tensor<2x3xf32>, tensor<8xf32>) outs(%ye : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %o: f32):
    %m = arith.divf %a1, %c8 : f32
    %q = math.sqrt %m : f32
    %e = arith.addf %q, %eps : f32
    %n = arith.divf %a0, %e : f32
    %r = arith.mulf %n, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// A softmax.
// CHECK: {{^}}0: softmax<
// CHECK-NOT: {{(layer|rms)_norm|softmax|hardswish}}
#id = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %me = tensor.empty() : tensor<2x3xf32>
  %mi = linalg.fill ins(%ninf : f32) outs(%me : tensor<2x3xf32>) -> tensor<2x3xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x8xf32>) outs(%mi : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.maximumf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ee = tensor.empty() : tensor<2x3x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %m : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%ee : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %s = arith.subf %a0, %a1 : f32
    %s2 = arith.addf %s, %c0 : f32
    %r = math.exp %s2 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  %te = tensor.empty() : tensor<2x3xf32>
  %ti = linalg.fill ins(%c0 : f32) outs(%te : tensor<2x3xf32>) -> tensor<2x3xf32>
  %t = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x3x8xf32>) outs(%ti : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ye = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %t : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%ye : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// Its maximum begins at 0: large negative numbers underflow.
#id = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %me = tensor.empty() : tensor<2x3xf32>
  %mi = linalg.fill ins(%c0 : f32) outs(%me : tensor<2x3xf32>) -> tensor<2x3xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x8xf32>) outs(%mi : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.maximumf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ee = tensor.empty() : tensor<2x3x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %m : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%ee : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %s = arith.subf %a0, %a1 : f32
    %s2 = arith.addf %s, %c0 : f32
    %r = math.exp %s2 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  %te = tensor.empty() : tensor<2x3xf32>
  %ti = linalg.fill ins(%c0 : f32) outs(%te : tensor<2x3xf32>) -> tensor<2x3xf32>
  %t = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x3x8xf32>) outs(%ti : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ye = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %t : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%ye : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// The sum is over another axis than the maximum.
#id = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
#t = affine_map<(a, b, c) -> (a, c)>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %me = tensor.empty() : tensor<2x3xf32>
  %mi = linalg.fill ins(%ninf : f32) outs(%me : tensor<2x3xf32>) -> tensor<2x3xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x8xf32>) outs(%mi : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.maximumf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ee = tensor.empty() : tensor<2x3x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %m : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%ee : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %s = arith.subf %a0, %a1 : f32
    %s2 = arith.addf %s, %c0 : f32
    %r = math.exp %s2 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  %te = tensor.empty() : tensor<2x8xf32>
  %ti = linalg.fill ins(%c0 : f32) outs(%te : tensor<2x8xf32>) -> tensor<2x8xf32>
  %t = linalg.generic {indexing_maps = [#id, #t], iterator_types = ["parallel", "reduction", "parallel"]} ins(%e : tensor<2x3x8xf32>) outs(%ti : tensor<2x8xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x8xf32>
  %ye = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %t : tensor<2x3x8xf32>, tensor<2x8xf32>) outs(%ye : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// The sum begins at 1.
#id = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %c1 = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %me = tensor.empty() : tensor<2x3xf32>
  %mi = linalg.fill ins(%ninf : f32) outs(%me : tensor<2x3xf32>) -> tensor<2x3xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x8xf32>) outs(%mi : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.maximumf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ee = tensor.empty() : tensor<2x3x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %m : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%ee : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %s = arith.subf %a0, %a1 : f32
    %s2 = arith.addf %s, %c0 : f32
    %r = math.exp %s2 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  %te = tensor.empty() : tensor<2x3xf32>
  %ti = linalg.fill ins(%c1 : f32) outs(%te : tensor<2x3xf32>) -> tensor<2x3xf32>
  %t = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x3x8xf32>) outs(%ti : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ye = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %t : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%ye : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// The exponents are three times as large.
#id = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %c3 = arith.constant 3.0 : f32
  %me = tensor.empty() : tensor<2x3xf32>
  %mi = linalg.fill ins(%ninf : f32) outs(%me : tensor<2x3xf32>) -> tensor<2x3xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x8xf32>) outs(%mi : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.maximumf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ee = tensor.empty() : tensor<2x3x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %m : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%ee : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %s = arith.subf %a0, %a1 : f32
    %s2 = arith.mulf %s, %c3 : f32
    %r = math.exp %s2 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  %te = tensor.empty() : tensor<2x3xf32>
  %ti = linalg.fill ins(%c0 : f32) outs(%te : tensor<2x3xf32>) -> tensor<2x3xf32>
  %t = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x3x8xf32>) outs(%ti : tensor<2x3xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3xf32>
  %ye = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %t : tensor<2x3x8xf32>, tensor<2x3xf32>) outs(%ye : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// Divided by 5.
#id = affine_map<(a, b, c) -> (a, b, c)>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %c3 = arith.constant 3.0 : f32
  %c6 = arith.constant 6.0 : f32
  %c5 = arith.constant 5.0 : f32
  %ye = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<2x3x8xf32>) outs(%ye : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %a = arith.addf %a0, %c3 : f32
    %b = arith.maximumf %a, %c0 : f32
    %d = arith.minimumf %b, %c6 : f32
    %f = arith.divf %d, %c5 : f32
    %r = arith.mulf %a0, %f : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// Clamped at 5.
#id = affine_map<(a, b, c) -> (a, b, c)>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %c3 = arith.constant 3.0 : f32
  %c6 = arith.constant 6.0 : f32
  %c5 = arith.constant 5.0 : f32
  %ye = tensor.empty() : tensor<2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<2x3x8xf32>) outs(%ye : tensor<2x3x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %a = arith.addf %a0, %c3 : f32
    %b = arith.maximumf %a, %c0 : f32
    %d = arith.minimumf %b, %c5 : f32
    %f = arith.divf %d, %c6 : f32
    %r = arith.mulf %a0, %f : f32
    linalg.yield %r : f32
  } -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}
