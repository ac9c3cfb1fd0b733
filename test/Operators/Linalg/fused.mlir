// RUN: qbackend-opt %s --qbackend-raise -split-input-file | FileCheck %s

// What elementwise fusion has put into one region is taken apart.

#n = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#u = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>

// CHECK-LABEL: func.func @add_relu
// CHECK: %[[A:.*]] = qbackend.operator [#qbackend.add] inputs(%arg0, %arg1)
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.relu] inputs(%[[A]])
// CHECK: return %[[R]]
func.func @add_relu(%x: tensor<1x3x4x5xf32>, %y: tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x4x5xf32>
  %r = linalg.generic {indexing_maps = [#u, #n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %y : tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) outs(%e : tensor<1x3x4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %m = arith.maximumf %s, %z : f32
    linalg.yield %m : f32
  } -> tensor<1x3x4x5xf32>
  return %r : tensor<1x3x4x5xf32>
}

// -----

// The end is no operator; what comes before it is, and is raised.
#n = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @unknown_end
// CHECK: %[[T:.*]] = qbackend.operator [#qbackend.tanh] inputs(%arg0)
// CHECK: linalg.generic {{.*}} ins(%[[T]]
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.ceil
func.func @unknown_end(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = math.tanh %a : f32
    %c = math.ceil %t : f32
    linalg.yield %c : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// Nothing in it is an operator: it stays in one piece.
#n = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @unknown
// CHECK-NOT: qbackend.operator
// CHECK: math.ceil
// CHECK-NEXT: math.floor
func.func @unknown(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = math.ceil %a : f32
    %c = math.floor %t : f32
    linalg.yield %c : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// A scale and a shift of each channel after a max pool are a batch norm.
#n = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d3)>

// CHECK-LABEL: func.func @norm_of_max_pool
// CHECK: #qbackend.max_pool2d
// CHECK: #qbackend.batch_norm2d<axis = 3
func.func @norm_of_max_pool(%x: tensor<1x5x6x2xf32>) -> tensor<1x4x4x2xf32> {
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<2x3xf32>
  %e = tensor.empty() : tensor<1x4x4x2xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %p = linalg.pooling_nhwc_max ins(%x, %w : tensor<1x5x6x2xf32>, tensor<2x3xf32>) outs(%f : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %s = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %b = arith.constant dense<[4.0, 5.0]> : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#n, #c, #c, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%p, %s, %b : tensor<1x4x4x2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<1x4x4x2xf32>) {
  ^bb0(%a: f32, %i: f32, %j: f32, %o: f32):
    %m = arith.mulf %a, %i : f32
    %t = arith.addf %m, %j : f32
    linalg.yield %t : f32
  } -> tensor<1x4x4x2xf32>
  return %r : tensor<1x4x4x2xf32>
}

// -----

// Two results, one of them in another order of dimensions, and an operand that
// is read in another order.
#n = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#t = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>

// CHECK-LABEL: func.func @two_results
// CHECK: %[[T:.*]] = qbackend.transpose %arg1 [0, 2, 3, 1] : tensor<1x5x3x4xf32> -> tensor<1x3x4x5xf32>
// CHECK: %[[A:.*]] = qbackend.operator [#qbackend.add] inputs(%arg0, %[[T]]) : (tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
// CHECK: %[[U:.*]] = qbackend.transpose %[[A]] [0, 3, 1, 2]
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.relu] inputs(%[[U]]) : (tensor<1x5x3x4xf32>) -> tensor<1x5x3x4xf32>
// CHECK: return %[[A]], %[[R]]
func.func @two_results(%x: tensor<1x3x4x5xf32>, %y: tensor<1x5x3x4xf32>) -> (tensor<1x3x4x5xf32>, tensor<1x5x3x4xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x4x5xf32>
  %f = tensor.empty() : tensor<1x5x3x4xf32>
  %r:2 = linalg.generic {indexing_maps = [#n, #t, #n, #t], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %y : tensor<1x3x4x5xf32>, tensor<1x5x3x4xf32>) outs(%e, %f : tensor<1x3x4x5xf32>, tensor<1x5x3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %p: f32):
    %s = arith.addf %a, %b : f32
    %m = arith.maximumf %s, %z : f32
    linalg.yield %s, %m : f32, f32
  } -> (tensor<1x3x4x5xf32>, tensor<1x5x3x4xf32>)
  return %r#0, %r#1 : tensor<1x3x4x5xf32>, tensor<1x5x3x4xf32>
}
