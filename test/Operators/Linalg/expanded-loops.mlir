// RUN: qbackend-opt %s --qbackend-raise --split-input-file | FileCheck %s

// Fusion cuts the features of linear layers for the heads of attention.

#x = affine_map<(b, i, h, d, k) -> (b, i, k)>
#w = affine_map<(b, i, h, d, k) -> (k, h, d)>
#y = affine_map<(b, i, h, d, k) -> (b, i, h, d)>

// CHECK-LABEL: func.func @heads(
// CHECK: %[[W:.*]] = arith.constant dense<{{.*}}[1.000000e+00, 7.000000e+00]{{.*}}> : tensor<6x2xf32>
// CHECK: %[[L:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%[[W]]) : (tensor<1x5x2xf32>, tensor<6x2xf32>) -> tensor<1x5x6xf32>
// CHECK: qbackend.operator [#qbackend.reshape] inputs(%[[L]]) : (tensor<1x5x6xf32>) -> tensor<1x5x2x3xf32>
func.func @heads(%x: tensor<1x5x2xf32>) -> tensor<1x5x2x3xf32> {
  %w = arith.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]]> : tensor<2x2x3xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x2x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x2x3xf32>) -> tensor<1x5x2x3xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<1x5x2xf32>, tensor<2x2x3xf32>) outs(%f : tensor<1x5x2x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x5x2x3xf32>
  return %r : tensor<1x5x2x3xf32>
}

// -----

// Heads that come back together: their order is that of the weight.
#x = affine_map<(b, i, n, h, d) -> (b, h, i, d)>
#w = affine_map<(b, i, n, h, d) -> (h, d, n)>
#y = affine_map<(b, i, n, h, d) -> (b, i, n)>

// CHECK-LABEL: func.func @joined(
// CHECK: %[[T:.*]] = qbackend.transpose %arg0 [0, 2, 1, 3] : tensor<1x2x5x3xf32> -> tensor<1x5x2x3xf32>
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.reshape] inputs(%[[T]]) : (tensor<1x5x2x3xf32>) -> tensor<1x5x6xf32>
// CHECK: qbackend.operator [#qbackend.linear] inputs(%[[R]]) weight(%{{.*}}) : (tensor<1x5x6xf32>, tensor<2x6xf32>) -> tensor<1x5x2xf32>
func.func @joined(%x: tensor<1x2x5x3xf32>) -> tensor<1x5x2xf32> {
  %w = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]]> : tensor<2x3x2xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x2xf32>) -> tensor<1x5x2xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x2x5x3xf32>, tensor<2x3x2xf32>) outs(%f : tensor<1x5x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x5x2xf32>
  return %r : tensor<1x5x2xf32>
}

// -----

// The weight has the two dimensions in another order: it is put in that of the
// input.
#x = affine_map<(b, i, n, h, d) -> (b, h, i, d)>
#w = affine_map<(b, i, n, h, d) -> (d, h, n)>
#y = affine_map<(b, i, n, h, d) -> (b, i, n)>

// CHECK-LABEL: func.func @other_order(
// CHECK: %[[T:.*]] = qbackend.transpose %arg0 [0, 2, 1, 3] : tensor<1x2x5x3xf32> -> tensor<1x5x2x3xf32>
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.reshape] inputs(%[[T]]) attributes {qbackend.source_values = 0 : i64} : (tensor<1x5x2x3xf32>) -> tensor<1x5x6xf32>
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 5.000000e+00, 9.000000e+00, 3.000000e+00, 7.000000e+00, 1.100000e+01], [2.000000e+00, 6.000000e+00, 1.000000e+01, 4.000000e+00, 8.000000e+00, 1.200000e+01]]>
// CHECK: qbackend.operator [#qbackend.linear] inputs(%[[R]]) weight(%[[W]]) : (tensor<1x5x6xf32>, tensor<2x6xf32>) -> tensor<1x5x2xf32>
func.func @other_order(%x: tensor<1x2x5x3xf32>) -> tensor<1x5x2xf32> {
  %w = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[9.0, 10.0], [11.0, 12.0]]]> : tensor<3x2x2xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x2xf32>) -> tensor<1x5x2xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x2x5x3xf32>, tensor<3x2x2xf32>) outs(%f : tensor<1x5x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x5x2xf32>
  return %r : tensor<1x5x2xf32>
}

// -----

// What comes before a sum is taken out of it, and the sum is the mean's.
#n = affine_map<(i, j) -> (i, j)>
#s = affine_map<(i, j) -> (i)>
#v = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @mean_of_relu(
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.relu] inputs(%arg0)
// CHECK: qbackend.operator [#qbackend.mean<axes = [1]>] inputs(%[[R]]) : (tensor<2x4xf32>) -> tensor<2xf32>
func.func @mean_of_relu(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %z = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#n, #s], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<2x4xf32>) outs(%f : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %z : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  %d = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]}
    ins(%r : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.divf %a, %four : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %d : tensor<2xf32>
}
