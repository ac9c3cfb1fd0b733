// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// The weight is the matrix, on the left.
// CHECK-LABEL: func.func @matvec(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%arg1) : (tensor<8xf32>, tensor<5x8xf32>) -> tensor<5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @matvec(%x: tensor<8xf32>, %w: tensor<5x8xf32>) -> tensor<5xf32> {
  %f = arith.constant dense<0.0> : tensor<5xf32>
  %m = linalg.matvec ins(%w, %x : tensor<5x8xf32>, tensor<8xf32>) outs(%f : tensor<5xf32>) -> tensor<5xf32>
  return %m : tensor<5xf32>
}

// CHECK-LABEL: func.func @vecmat(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%arg1) : (tensor<8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @vecmat(%x: tensor<8xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %w = arith.constant dense<0.5> : tensor<8x5xf32>
  %f = arith.constant dense<0.0> : tensor<5xf32>
  %m = linalg.vecmat ins(%x, %w : tensor<8xf32>, tensor<8x5xf32>) outs(%f : tensor<5xf32>) -> tensor<5xf32>
  %r = arith.addf %m, %b : tensor<5xf32>
  return %r : tensor<5xf32>
}

// One feature, of which the reshape makes a dimension.
// CHECK-LABEL: func.func @dot(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<8xf32>, tensor<1x8xf32>) -> tensor<1xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @dot(%x: tensor<8xf32>) -> tensor<1xf32> {
  %w = arith.constant dense<0.5> : tensor<8xf32>
  %f = arith.constant dense<0.0> : tensor<f32>
  %m = linalg.dot ins(%x, %w : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  %r = tensor.expand_shape %m [] output_shape [1] : tensor<f32> into tensor<1xf32>
  return %r : tensor<1xf32>
}

// CHECK-LABEL: func.func @one_feature(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<6x8xf32>, tensor<1x8xf32>) -> tensor<6x1xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @one_feature(%x: tensor<6x8xf32>) -> tensor<6x1xf32> {
  %w = arith.constant dense<0.5> : tensor<8xf32>
  %f = arith.constant dense<0.0> : tensor<6xf32>
  %m = linalg.matvec ins(%x, %w : tensor<6x8xf32>, tensor<8xf32>) outs(%f : tensor<6xf32>) -> tensor<6xf32>
  %r = tensor.expand_shape %m [[0, 1]] output_shape [6, 1] : tensor<6xf32> into tensor<6x1xf32>
  return %r : tensor<6x1xf32>
}

// The reshapes around only merge rows. The constant weight is the same for
// each batch.
// CHECK-LABEL: func.func @rank4(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%{{.*}}) : (tensor<2x3x5x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x3x5x4xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<2x3x5x8xf32>, tensor<7x8xf32>) -> tensor<2x3x5x7xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @rank4(%x: tensor<2x3x5x8xf32>) -> (tensor<2x3x5x4xf32>, tensor<2x3x5x7xf32>) {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<6x8x4xf32>
  %w2 = arith.constant dense<0.25> : tensor<8x7xf32>
  %b = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<2x3x5x8xf32> into tensor<6x5x8xf32>
  %c2 = tensor.collapse_shape %x [[0, 1, 2], [3]] : tensor<2x3x5x8xf32> into tensor<30x8xf32>
  %e = tensor.empty() : tensor<6x5x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6x5x4xf32>) -> tensor<6x5x4xf32>
  %m = linalg.batch_matmul ins(%c, %w : tensor<6x5x8xf32>, tensor<6x8x4xf32>) outs(%f : tensor<6x5x4xf32>) -> tensor<6x5x4xf32>
  %r = tensor.expand_shape %m [[0, 1], [2], [3]] output_shape [2, 3, 5, 4] : tensor<6x5x4xf32> into tensor<2x3x5x4xf32>
  %e4 = tensor.empty() : tensor<2x3x5x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r, %b : tensor<2x3x5x4xf32>, tensor<4xf32>) outs(%e4 : tensor<2x3x5x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.addf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<2x3x5x4xf32>
  %e2 = tensor.empty() : tensor<30x7xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<30x7xf32>) -> tensor<30x7xf32>
  %m2 = linalg.matmul ins(%c2, %w2 : tensor<30x8xf32>, tensor<8x7xf32>) outs(%f2 : tensor<30x7xf32>) -> tensor<30x7xf32>
  %r2 = tensor.expand_shape %m2 [[0, 1, 2], [3]] output_shape [2, 3, 5, 7] : tensor<30x7xf32> into tensor<2x3x5x7xf32>
  return %s, %r2 : tensor<2x3x5x4xf32>, tensor<2x3x5x7xf32>
}

// A weight that is the same for each batch.
// CHECK-LABEL: func.func @repeat(
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00, 5.000000e+00, 7.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00, 8.000000e+00]]> : tensor<2x4xf32>
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%[[W]]) : (tensor<2x3x4xf32>, tensor<2x4xf32>) -> tensor<2x3x2xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @repeat(%x: tensor<2x3x4xf32>) -> tensor<2x3x2xf32> {
  %w = arith.constant dense<[[[1.0,2.0],[3.0,4.0],[5.0,6.0],[7.0,8.0]],[[1.0,2.0],[3.0,4.0],[5.0,6.0],[7.0,8.0]]]> : tensor<2x4x2xf32>
  %f = arith.constant dense<0.0> : tensor<2x3x2xf32>
  %m = linalg.batch_matmul ins(%x, %w : tensor<2x3x4xf32>, tensor<2x4x2xf32>) outs(%f : tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  return %m : tensor<2x3x2xf32>
}

// Factors of 1, alpha and beta.
// CHECK-LABEL: func.func @addmm(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%arg1) : (tensor<2x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<2x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @addmm(%x: tensor<2x8xf32>, %bias: tensor<5xf32>) -> tensor<2x5xf32> {
  %one = arith.constant 1.0 : f32
  %w = arith.constant dense<0.25> : tensor<8x5xf32>
  %f = arith.constant dense<0.0> : tensor<2x5xf32>
  %m = linalg.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x5xf32>) outs(%f : tensor<2x5xf32>) -> tensor<2x5xf32>
  %e = tensor.empty() : tensor<2x5xf32>
  %m1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<2x5xf32>) outs(%e : tensor<2x5xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.mulf %i, %one : f32
    linalg.yield %t : f32
  } -> tensor<2x5xf32>
  %e1 = tensor.empty() : tensor<5xf32>
  %b1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%bias : tensor<5xf32>) outs(%e1 : tensor<5xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.mulf %one, %i : f32
    linalg.yield %t : f32
  } -> tensor<5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b1, %m1 : tensor<5xf32>, tensor<2x5xf32>) outs(%e : tensor<2x5xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.addf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

// linalg and TOSA in one layer.
// CHECK-LABEL: func.func @mix(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%arg1) bias(%arg2) : (tensor<2x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<2x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @mix(%x: tensor<2x8xf32>, %w: tensor<5x8xf32>, %bias: tensor<5xf32>) -> tensor<2x5xf32> {
  %f = "tosa.const"() <{values = dense<0.0> : tensor<2x5xf32>}> : () -> tensor<2x5xf32>
  %t = tosa.transpose %w {perms = array<i32: 1, 0>} : (tensor<5x8xf32>) -> tensor<8x5xf32>
  %m = linalg.matmul {cast = #linalg.type_fn<cast_signed>} ins(%x, %t : tensor<2x8xf32>, tensor<8x5xf32>) outs(%f : tensor<2x5xf32>) -> tensor<2x5xf32>
  %s2 = tosa.const_shape {values = dense<[1, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b2 = tosa.reshape %bias, %s2 : (tensor<5xf32>, !tosa.shape<2>) -> tensor<1x5xf32>
  %r = tosa.add %b2, %m : (tensor<1x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

// A permuted result, and a sum over two dimensions.
// CHECK-LABEL: func.func @contract(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.flatten] inputs(%arg0) attributes {qbackend.source_values = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.linear] inputs(%[[R0]]) weight(%{{.*}}) : (tensor<2x12xf32>, tensor<7x12xf32>) -> tensor<2x7xf32>
// CHECK: %[[R2:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<2x3x4xf32>, tensor<7x4xf32>) -> tensor<2x3x7xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @contract(%x: tensor<2x3x4xf32>) -> (tensor<2x7xf32>, tensor<7x2x3xf32>) {
  %w = arith.constant dense<0.25> : tensor<3x4x7xf32>
  %w2 = arith.constant dense<0.25> : tensor<7x4xf32>
  %f = arith.constant dense<0.0> : tensor<2x7xf32>
  %f2 = arith.constant dense<0.0> : tensor<7x2x3xf32>
  %m = linalg.contract indexing_maps = [affine_map<(b, n, h, d) -> (b, h, d)>, affine_map<(b, n, h, d) -> (h, d, n)>, affine_map<(b, n, h, d) -> (b, n)>] ins(%x, %w : tensor<2x3x4xf32>, tensor<3x4x7xf32>) outs(%f : tensor<2x7xf32>) -> tensor<2x7xf32>
  %m2 = linalg.contract indexing_maps = [affine_map<(b, t, n, k) -> (b, t, k)>, affine_map<(b, t, n, k) -> (n, k)>, affine_map<(b, t, n, k) -> (n, b, t)>] ins(%x, %w2 : tensor<2x3x4xf32>, tensor<7x4xf32>) outs(%f2 : tensor<7x2x3xf32>) -> tensor<7x2x3xf32>
  return %m, %m2 : tensor<2x7xf32>, tensor<7x2x3xf32>
}

// The sum runs over two dimensions: the weight is [out, heads * size].
// CHECK-LABEL: func.func @two_sums(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.flatten] inputs(%arg0) attributes {qbackend.source_values = 0 : i64} : (tensor<3x2x2xf32>) -> tensor<3x4xf32>
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00, 5.000000e+00, 7.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00, 8.000000e+00]]> : tensor<2x4xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.linear] inputs(%[[R0]]) weight(%[[W]]) : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @two_sums(%x: tensor<3x2x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %f = arith.constant dense<0.0> : tensor<3x2xf32>
  %m = linalg.contract indexing_maps = [affine_map<(b, n, h, d) -> (b, h, d)>, affine_map<(b, n, h, d) -> (h, d, n)>, affine_map<(b, n, h, d) -> (b, n)>] ins(%x, %w : tensor<3x2x2xf32>, tensor<2x2x2xf32>) outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %m : tensor<3x2xf32>
}

// Rows merged and split again by the extents of the input.
// CHECK-LABEL: func.func @dynamic(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%arg1) : (tensor<?x?x8xf32>, tensor<5x8xf32>) -> tensor<?x?x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @dynamic(%x: tensor<?x?x8xf32>, %w: tensor<5x8xf32>) -> tensor<?x?x5xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %d = tensor.dim %c, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%d) : tensor<?x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %m = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%c, %w : tensor<?x8xf32>, tensor<5x8xf32>) outs(%f : tensor<?x5xf32>) -> tensor<?x5xf32>
  %r = tensor.expand_shape %m [[0, 1], [2]] output_shape [%d0, %d1, 5] : tensor<?x5xf32> into tensor<?x?x5xf32>
  return %r : tensor<?x?x5xf32>
}

// The weight multiplies from the left; the features are not last.
// CHECK-LABEL: func.func @left(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%{{.*}}) weight(%arg0) bias(%arg2) : (tensor<?x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<?x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @left(%w: tensor<5x8xf32>, %x: tensor<8x?xf32>, %b: tensor<5xf32>) -> tensor<5x?xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c1 : tensor<8x?xf32>
  %e = tensor.empty(%d) : tensor<5x?xf32>
  %f = linalg.broadcast ins(%b : tensor<5xf32>) outs(%e : tensor<5x?xf32>) dimensions = [1]
  %m = linalg.matmul ins(%w, %x : tensor<5x8xf32>, tensor<8x?xf32>) outs(%f : tensor<5x?xf32>) -> tensor<5x?xf32>
  return %m : tensor<5x?xf32>
}

// The product is read without the bias, too.
// CHECK-LABEL: func.func @two_readers(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.add] inputs(%[[R0]], %{{.*}}) : (tensor<4x5xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @two_readers(%x: tensor<4x8xf32>, %b: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %w = arith.constant dense<0.5> : tensor<8x5xf32>
  %f = arith.constant dense<0.0> : tensor<4x5xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %bb = linalg.broadcast ins(%b : tensor<5xf32>) outs(%e : tensor<4x5xf32>) dimensions = [0]
  %r = arith.addf %m, %bb : tensor<4x5xf32>
  return %r, %m : tensor<4x5xf32>, tensor<4x5xf32>
}

// What splits features is no part of the layer.
// CHECK-LABEL: func.func @features_split(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.reshape] inputs(%[[R0]]) : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @features_split(%x: tensor<4x8xf32>) -> tensor<4x2x3xf32> {
  %w = arith.constant dense<0.5> : tensor<8x6xf32>
  %f = arith.constant dense<0.0> : tensor<4x6xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = tensor.expand_shape %m [[0], [1, 2]] output_shape [4, 2, 3] : tensor<4x6xf32> into tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}

// What is added has the shape of the result: no bias.
// CHECK-LABEL: func.func @residual(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<1x5xf32>, tensor<5x5xf32>) -> tensor<1x5xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.add] inputs(%[[R0]], %arg1) : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<1x5xf32>
// CHECK: %[[R2:.*]] = qbackend.operator [#qbackend.add] inputs(%[[R1]], %arg0) : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<1x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @residual(%x: tensor<1x5xf32>, %y: tensor<1x5xf32>) -> tensor<1x5xf32> {
  %w = arith.constant dense<0.25> : tensor<5x5xf32>
  %f = arith.constant dense<0.0> : tensor<1x5xf32>
  %m = linalg.matmul ins(%x, %w : tensor<1x5xf32>, tensor<5x5xf32>) outs(%f : tensor<1x5xf32>) -> tensor<1x5xf32>
  %r = arith.addf %m, %y : tensor<1x5xf32>
  %r2 = arith.addf %r, %x : tensor<1x5xf32>
  return %r2 : tensor<1x5xf32>
}

// Added to an activation.
// CHECK-LABEL: func.func @accumulate(
// CHECK-NOT: #qbackend.linear
// CHECK-NOT: #qbackend.matmul
// CHECK: return
func.func @accumulate(%x: tensor<4x8xf32>, %y: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %w = arith.constant dense<0.5> : tensor<8x5xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%y : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %m : tensor<4x5xf32>
}

// A product of one operand with itself.
// CHECK-LABEL: func.func @square(
// CHECK-NOT: #qbackend.linear
// CHECK-NOT: #qbackend.matmul
// CHECK: return
func.func @square(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %w = arith.constant dense<0.5> : tensor<8x5xf32>
  %f = arith.constant dense<0.0> : tensor<4x5xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%f : tensor<4x5xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %i : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %m : tensor<4x5xf32>
}

// One loop reads two dimensions.
// CHECK-LABEL: func.func @diagonal(
// CHECK-NOT: #qbackend.linear
// CHECK-NOT: #qbackend.matmul
// CHECK: return
func.func @diagonal(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = arith.constant dense<[[1.0,2.0,3.0,4.0],[1.0,2.0,3.0,4.0],[1.0,2.0,3.0,4.0],[1.0,2.0,3.0,9.0]]> : tensor<4x4xf32>
  %f = arith.constant dense<0.0> : tensor<4x4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

// A broadcast weight, and an input that was copied.
// CHECK-LABEL: func.func @tl3(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%arg1) bias(%arg2) : (tensor<2x3x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @tl3(%x: tensor<2x3x8xf32>, %w: tensor<5x8xf32>, %b: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x5xf32>
  %wt = linalg.transpose ins(%w : tensor<5x8xf32>) outs(%e0 : tensor<8x5xf32>) permutation = [1, 0]
  %e1 = tensor.empty() : tensor<2x3x8xf32>
  %xi = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<2x3x8xf32>) outs(%e1 : tensor<2x3x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<2x3x8xf32>
  %e2 = tensor.empty() : tensor<2x8x5xf32>
  %wb = linalg.broadcast ins(%wt : tensor<8x5xf32>) outs(%e2 : tensor<2x8x5xf32>) dimensions = [0]
  %e3 = tensor.empty() : tensor<2x3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e3 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %m = linalg.batch_matmul ins(%xi, %wb : tensor<2x3x8xf32>, tensor<2x8x5xf32>) outs(%f : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m, %b : tensor<2x3x5xf32>, tensor<5xf32>) outs(%e3 : tensor<2x3x5xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.addf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

// A bias of a sum without dimensions is none.
// CHECK-LABEL: func.func @dot_bias(
// CHECK-NOT: #qbackend.linear
// CHECK-NOT: #qbackend.matmul
// CHECK: return
func.func @dot_bias(%x: tensor<8xf32>, %b: tensor<f32>) -> tensor<1xf32> {
  %w = arith.constant dense<0.5> : tensor<8xf32>
  %f = arith.constant dense<0.0> : tensor<f32>
  %m = linalg.dot ins(%x, %w : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  %a = arith.addf %m, %b : tensor<f32>
  %r = tensor.expand_shape %a [] output_shape [1] : tensor<f32> into tensor<1xf32>
  return %r : tensor<1xf32>
}

// Features of several dimensions, with rows between them in the result, and last
// in the weight: a linear layer, and the heads are moved behind it.
// CHECK-LABEL: func.func @heads(
// CHECK: %[[W:.*]] = arith.constant dense<{{.*}}> : tensor<6x2xf32>
// CHECK: %[[L:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%[[W]]) : (tensor<1x4x2xf32>, tensor<6x2xf32>) -> tensor<1x4x6xf32>
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.reshape] inputs(%[[L]]) : (tensor<1x4x6xf32>) -> tensor<1x4x3x2xf32>
// CHECK: %[[T:.*]] = qbackend.transpose %[[R]] [0, 2, 1, 3]
// CHECK: return %[[T]]
func.func @heads(%x: tensor<1x4x2xf32>) -> tensor<1x3x4x2xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]]> : tensor<2x3x2xf32>
  %e = tensor.empty() : tensor<1x3x4x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, h, t, d, k) -> (b, t, k)>, affine_map<(b, h, t, d, k) -> (k, h, d)>, affine_map<(b, h, t, d, k) -> (b, h, t, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x4x2xf32>, tensor<2x3x2xf32>) outs(%f : tensor<1x3x4x2xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x3x4x2xf32>
  return %y : tensor<1x3x4x2xf32>
}

// Other than products of two: as it came.
// CHECK-LABEL: func.func @remf(
// CHECK-NOT: qbackend.operator
// CHECK-NOT: transpose
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %{{[^ ]*}} : tensor<1x4x2xf32>, tensor<2x3x2xf32>) outs(%arg1 :
func.func @remf(%x: tensor<1x4x2xf32>, %i: tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]]> : tensor<2x3x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, h, t, d, k) -> (b, t, k)>, affine_map<(b, h, t, d, k) -> (k, h, d)>, affine_map<(b, h, t, d, k) -> (b, h, t, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x4x2xf32>, tensor<2x3x2xf32>) outs(%i : tensor<1x3x4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.remf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x3x4x2xf32>
  return %y : tensor<1x3x4x2xf32>
}
