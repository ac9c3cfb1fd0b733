// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s

// Groups as torch-mlir decomposes them: a view as [N, G, -1] in two steps, the
// variance of that, a view back, and the weights behind it.

// CHECK: 0: group_norm<axis = 1, num_groups = 2, eps = 1.000000e-05> weight[8] bias [2, 8, 4, 4] <- input0
// CHECK-NEXT: result 0
func.func @gn(%x: tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32> {
  %g = arith.constant dense<[1.,2.,3.,4.,5.,6.,7.,8.]> : tensor<8xf32>
  %b = arith.constant dense<[1.,2.,3.,4.,5.,6.,7.,9.]> : tensor<8xf32>
  %z = arith.constant 0.0 : f32
  %n = arith.constant 64.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %v = tensor.collapse_shape %x [[0],[1,2,3]] : tensor<2x8x4x4xf32> into tensor<2x128xf32>
  %w = tensor.expand_shape %v [[0],[1,2]] output_shape [2,2,64] : tensor<2x128xf32> into tensor<2x2x64xf32>
  %e1 = tensor.empty() : tensor<2x2x1xf32>
  %e3 = tensor.empty() : tensor<2x2x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
  %s = linalg.generic {indexing_maps=[affine_map<(a,b,c)->(a,b,c)>, affine_map<(a,b,c)->(a,b,0)>], iterator_types=["parallel","parallel","reduction"]} ins(%w : tensor<2x2x64xf32>) outs(%f : tensor<2x2x1xf32>) {
  ^bb0(%i: f32, %o: f32): %q = arith.addf %i, %o : f32
    linalg.yield %q : f32 } -> tensor<2x2x1xf32>
  %mean = linalg.generic {indexing_maps=[affine_map<(a,b,c)->(a,b,0)>, affine_map<(a,b,c)->(a,b,c)>], iterator_types=["parallel","parallel","parallel"]} ins(%s : tensor<2x2x1xf32>) outs(%e1 : tensor<2x2x1xf32>) {
  ^bb0(%i: f32, %o: f32): %q = arith.divf %i, %n : f32
    linalg.yield %q : f32 } -> tensor<2x2x1xf32>
  %d = linalg.generic {indexing_maps=[affine_map<(a,b,c)->(a,b,c)>,affine_map<(a,b,c)->(a,b,0)>, affine_map<(a,b,c)->(a,b,c)>], iterator_types=["parallel","parallel","parallel"]} ins(%w, %mean : tensor<2x2x64xf32>, tensor<2x2x1xf32>) outs(%e3 : tensor<2x2x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32): %q = arith.subf %i, %j : f32
    linalg.yield %q : f32 } -> tensor<2x2x64xf32>
  %sq = linalg.generic {indexing_maps=[affine_map<(a,b,c)->(a,b,c)>,affine_map<(a,b,c)->(a,b,c)>, affine_map<(a,b,c)->(a,b,c)>], iterator_types=["parallel","parallel","parallel"]} ins(%d, %d : tensor<2x2x64xf32>, tensor<2x2x64xf32>) outs(%e3 : tensor<2x2x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32): %q = arith.mulf %i, %j : f32
    linalg.yield %q : f32 } -> tensor<2x2x64xf32>
  %s2 = linalg.generic {indexing_maps=[affine_map<(a,b,c)->(a,b,c)>, affine_map<(a,b,c)->(a,b,0)>], iterator_types=["parallel","parallel","reduction"]} ins(%sq : tensor<2x2x64xf32>) outs(%f : tensor<2x2x1xf32>) {
  ^bb0(%i: f32, %o: f32): %q = arith.addf %i, %o : f32
    linalg.yield %q : f32 } -> tensor<2x2x1xf32>
  %rs = linalg.generic {indexing_maps=[affine_map<(a,b,c)->(a,b,0)>, affine_map<(a,b,c)->(a,b,c)>], iterator_types=["parallel","parallel","parallel"]} ins(%s2 : tensor<2x2x1xf32>) outs(%e1 : tensor<2x2x1xf32>) {
  ^bb0(%i: f32, %o: f32): %q = arith.divf %i, %n : f32
    %q2 = arith.addf %q, %eps : f32
    %q3 = math.rsqrt %q2 : f32
    linalg.yield %q3 : f32 } -> tensor<2x2x1xf32>
  %nrm = linalg.generic {indexing_maps=[affine_map<(a,b,c)->(a,b,c)>,affine_map<(a,b,c)->(a,b,0)>, affine_map<(a,b,c)->(a,b,c)>], iterator_types=["parallel","parallel","parallel"]} ins(%d, %rs : tensor<2x2x64xf32>, tensor<2x2x1xf32>) outs(%e3 : tensor<2x2x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32): %q = arith.mulf %i, %j : f32
    linalg.yield %q : f32 } -> tensor<2x2x64xf32>
  %c1 = tensor.collapse_shape %nrm [[0],[1,2]] : tensor<2x2x64xf32> into tensor<2x128xf32>
  %c2 = tensor.expand_shape %c1 [[0],[1,2,3]] output_shape [2,8,4,4] : tensor<2x128xf32> into tensor<2x8x4x4xf32>
  %e4 = tensor.empty() : tensor<2x8x4x4xf32>
  %r = linalg.generic {indexing_maps=[affine_map<(a,b,c,d)->(a,b,c,d)>,affine_map<(a,b,c,d)->(b)>,affine_map<(a,b,c,d)->(b)>,affine_map<(a,b,c,d)->(a,b,c,d)>], iterator_types=["parallel","parallel","parallel","parallel"]} ins(%c2, %g, %b : tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e4 : tensor<2x8x4x4xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %o: f32): %q = arith.mulf %i, %j : f32
    %q2 = arith.addf %q, %k : f32
    linalg.yield %q2 : f32 } -> tensor<2x8x4x4xf32>
  return %r : tensor<2x8x4x4xf32>
}

// Weight and bias in front of the view back, where fusion has put them.
// CHECK: 0: group_norm<axis = 1, num_groups = 2, eps = 1.000000e-05> weight[4] bias [2, 4, 3, 3] <- input0
// CHECK-NEXT: 1: reshape [2, 2, 2, 3, 3] <- 0
// CHECK-NEXT: 2: relu [2, 2, 2, 3, 3] <- 1
// CHECK-NEXT: 3: reshape [2, 4, 3, 3] <- 2
#five = affine_map<(n, g, c, h, w) -> (n, g, c, h, w)>
#sample = affine_map<(n, g, c, h, w) -> (n, g, 0, 0, 0)>
#both = affine_map<(n, g, c, h, w) -> (g, c)>
func.func @split_affine(%x: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %gamma = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %beta = arith.constant dense<[[0.5, -2.0], [0.25, 4.0]]> : tensor<2x2xf32>
  %z = arith.constant 0.0 : f32
  %n = arith.constant 18.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %v = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [2, 2, 2, 3, 3] : tensor<2x4x3x3xf32> into tensor<2x2x2x3x3xf32>
  %e1 = tensor.empty() : tensor<2x2x1x1x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<2x2x1x1x1xf32>) -> tensor<2x2x1x1x1xf32>
  %s = linalg.generic {indexing_maps = [#five, #sample], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%v : tensor<2x2x2x3x3xf32>) outs(%f : tensor<2x2x1x1x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<2x2x1x1x1xf32>
  %e5 = tensor.empty() : tensor<2x2x2x3x3xf32>
  %d = linalg.generic {indexing_maps = [#five, #sample, #five], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v, %s : tensor<2x2x2x3x3xf32>, tensor<2x2x1x1x1xf32>) outs(%e5 : tensor<2x2x2x3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %b, %n : f32
    %1 = arith.subf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x2x3x3xf32>
  %q = linalg.generic {indexing_maps = [#five, #sample], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%d : tensor<2x2x2x3x3xf32>) outs(%f : tensor<2x2x1x1x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x1x1x1xf32>
  %r = linalg.generic {indexing_maps = [#five, #sample, #both, #both, #five], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%d, %q, %gamma, %beta : tensor<2x2x2x3x3xf32>, tensor<2x2x1x1x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>) outs(%e5 : tensor<2x2x2x3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %g: f32, %h: f32, %o: f32):
    %0 = arith.divf %b, %n : f32
    %1 = arith.addf %0, %eps : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.mulf %3, %g : f32
    %5 = arith.addf %4, %h : f32
    %6 = arith.maximumf %5, %z : f32
    linalg.yield %6 : f32
  } -> tensor<2x2x2x3x3xf32>
  %y = tensor.collapse_shape %r [[0], [1, 2], [3], [4]] : tensor<2x2x2x3x3xf32> into tensor<2x4x3x3xf32>
  return %y : tensor<2x4x3x3xf32>
}

// A mean in steps, of which one is over a dimension of size 1 that the view has put in.
// CHECK: 0: instance_norm2d<axis = 1, eps = 1.000000e-05> weight[2] bias [2, 2, 5] <- input0
// CHECK-NEXT: result 0
#image = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @sum_of_one(%x: tensor<1x2x2x5xf32>) -> tensor<1x2x2x5xf32> {
  %e = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [1, 2, 1, 2, 5] : tensor<1x2x2x5xf32> into tensor<1x2x1x2x5xf32>
  %z = arith.constant dense<0.0> : tensor<1x2xf32>
  %z1 = arith.constant dense<0.0> : tensor<1x2x1xf32>
  %s1 = linalg.reduce ins(%e : tensor<1x2x1x2x5xf32>) outs(%z1 : tensor<1x2x1xf32>) dimensions = [3, 4] (%a: f32, %b: f32) {
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  %s = linalg.reduce ins(%s1 : tensor<1x2x1xf32>) outs(%z : tensor<1x2xf32>) dimensions = [2] (%a: f32, %b: f32) {
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  %n = arith.constant dense<10.0> : tensor<1x2xf32>
  %m = arith.divf %s, %n : tensor<1x2xf32>
  %5 = tensor.empty() : tensor<1x2x1x2x5xf32>
  %mb = linalg.broadcast ins(%m : tensor<1x2xf32>) outs(%5 : tensor<1x2x1x2x5xf32>) dimensions = [2, 3, 4]
  %d = arith.subf %e, %mb : tensor<1x2x1x2x5xf32>
  %q = arith.mulf %d, %d : tensor<1x2x1x2x5xf32>
  %v = linalg.reduce ins(%q : tensor<1x2x1x2x5xf32>) outs(%z : tensor<1x2xf32>) dimensions = [2, 3, 4] (%a: f32, %b: f32) {
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  %vm = arith.divf %v, %n : tensor<1x2xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<1x2xf32>
  %ve = arith.addf %vm, %eps : tensor<1x2xf32>
  %vs = math.sqrt %ve : tensor<1x2xf32>
  %vb = linalg.broadcast ins(%vs : tensor<1x2xf32>) outs(%5 : tensor<1x2x1x2x5xf32>) dimensions = [2, 3, 4]
  %y = arith.divf %d, %vb : tensor<1x2x1x2x5xf32>
  %c = tensor.collapse_shape %y [[0], [1, 2], [3], [4]] : tensor<1x2x1x2x5xf32> into tensor<1x2x2x5xf32>
  %w = arith.constant dense<[1.5, 0.75]> : tensor<2xf32>
  %h = arith.constant dense<[0.25, -0.27]> : tensor<2xf32>
  %4 = tensor.empty() : tensor<1x2x2x5xf32>
  %wb = linalg.broadcast ins(%w : tensor<2xf32>) outs(%4 : tensor<1x2x2x5xf32>) dimensions = [0, 2, 3]
  %hb = linalg.broadcast ins(%h : tensor<2xf32>) outs(%4 : tensor<1x2x2x5xf32>) dimensions = [0, 2, 3]
  %r = linalg.generic {indexing_maps = [#image, #image, #image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c, %wb, %hb : tensor<1x2x2x5xf32>, tensor<1x2x2x5xf32>, tensor<1x2x2x5xf32>) outs(%4 : tensor<1x2x2x5xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %t = arith.addf %p, %k : f32
    linalg.yield %t : f32
  } -> tensor<1x2x2x5xf32>
  return %r : tensor<1x2x2x5xf32>
}
