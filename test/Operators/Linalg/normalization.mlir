// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

#n = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#u = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d1)>
#c11 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#m3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#l3 = affine_map<(d0, d1, d2) -> (d2)>

// CHECK-LABEL: func.func @five_inputs
// CHECK: qbackend.operator [#qbackend.batch_norm2d<axis = 1, eps = 1.0{{.*}}>] inputs(%arg0) weight(%arg1) bias(%arg2) running_mean(%arg3) running_var(%arg4)
func.func @five_inputs(%x: tensor<1x4x8x8xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  %eps = arith.constant 1.0e-05 : f64
  %r = linalg.generic {indexing_maps = [#n, #c, #c, #c, #c, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %g, %b, %m, %v : tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<1x4x8x8xf32>) {
  ^bb0(%xi: f32, %gi: f32, %bi: f32, %mi: f32, %vi: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %ve = arith.addf %vi, %t : f32
    %rs = math.rsqrt %ve : f32
    %d = arith.subf %xi, %mi : f32
    %n0 = arith.mulf %d, %rs : f32
    %n1 = arith.mulf %n0, %gi : f32
    %y = arith.addf %n1, %bi : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// One generic for each step: y = (x - [1, 2]) * [3, 4] + [5, 6].
// CHECK-LABEL: func.func @decomposed
// CHECK-DAG: arith.constant dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK-DAG: arith.constant dense<[2.000000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK: qbackend.operator [#qbackend.batch_norm2d<axis = 1, eps = 0.0{{.*}}>] inputs(%arg0)
func.func @decomposed(%x: tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32> {
  %m = arith.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %s = arith.constant dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32>
  %b = arith.constant dense<[[[5.0]], [[6.0]]]> : tensor<2x1x1xf32>
  %e = tensor.empty() : tensor<1x2x8x8xf32>
  %0 = linalg.generic {indexing_maps = [#u, #c11, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %m : tensor<1x2x8x8xf32>, tensor<2x1x1xf32>) outs(%e : tensor<1x2x8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %r = arith.subf %i, %j : f32
    linalg.yield %r : f32
  } -> tensor<1x2x8x8xf32>
  %1 = linalg.generic {indexing_maps = [#u, #c11, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %s : tensor<1x2x8x8xf32>, tensor<2x1x1xf32>) outs(%e : tensor<1x2x8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %r = arith.mulf %i, %j : f32
    linalg.yield %r : f32
  } -> tensor<1x2x8x8xf32>
  %2 = linalg.generic {indexing_maps = [#u, #c11, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%1, %b : tensor<1x2x8x8xf32>, tensor<2x1x1xf32>) outs(%e : tensor<1x2x8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %r = arith.addf %i, %j : f32
    linalg.yield %r : f32
  } -> tensor<1x2x8x8xf32>
  return %2 : tensor<1x2x8x8xf32>
}

// The end of a layer norm varies along the last dimension.
// CHECK-LABEL: func.func @layer_norm_affine
// CHECK-NOT: batch_norm
// CHECK: #qbackend.mul]
// CHECK: #qbackend.add]
func.func @layer_norm_affine(%x: tensor<1x3x2xf32>) -> tensor<1x3x2xf32> {
  %s = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %b = arith.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<1x3x2xf32>
  %r = linalg.generic {indexing_maps = [#m3, #l3, #l3, #m3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %s, %b : tensor<1x3x2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<1x3x2xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %a = arith.addf %m, %k : f32
    linalg.yield %a : f32
  } -> tensor<1x3x2xf32>
  return %r : tensor<1x3x2xf32>
}
