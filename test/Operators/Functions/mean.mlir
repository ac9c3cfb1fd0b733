// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// Sums over any dimensions, one at once or several, from whatever order of
// iterators.
#i4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#i3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#i2 = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @last
// CHECK: qbackend.operator [#qbackend.mean<axes = [2], keepdim = true>] inputs(%arg0) : (tensor<2x5x7xf32>) -> tensor<2x5x1xf32>
// CHECK: return %0
func.func @last(%x: tensor<2x5x7xf32>) -> tensor<2x5x1xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 7.0 : f32
  %e = tensor.empty() : tensor<2x5x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %s = linalg.generic {indexing_maps = [#i3, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<2x5x7xf32>) outs(%f : tensor<2x5x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %o, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %q = linalg.generic {indexing_maps = [#i3, #i3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : tensor<2x5x1xf32>) outs(%e : tensor<2x5x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.divf %i, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  return %q : tensor<2x5x1xf32>
}

// CHECK-LABEL: func.func @iterators_in_any_order
// CHECK: qbackend.operator [#qbackend.mean<axes = [1, 3]>] inputs(%arg0) : (tensor<?x3x5x7xf32>) -> tensor<?x5xf32>
func.func @iterators_in_any_order(%x: tensor<?x3x5x7xf32>) -> tensor<?x5xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<21.0> : tensor<f32>
  %d = tensor.dim %x, %c0 : tensor<?x3x5x7xf32>
  %e = tensor.empty(%d) : tensor<?x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3, d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d3, d1)>], iterator_types = ["reduction", "parallel", "reduction", "parallel"]}
    ins(%x : tensor<?x3x5x7xf32>) outs(%f : tensor<?x5xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %i, %o : f32
    linalg.yield %y : f32
  } -> tensor<?x5xf32>
  %q = linalg.generic {indexing_maps = [#i2, affine_map<(d0, d1) -> ()>, #i2], iterator_types = ["parallel", "parallel"]}
    ins(%s, %n : tensor<?x5xf32>, tensor<f32>) outs(%e : tensor<?x5xf32>) {
  ^bb0(%i: f32, %k: f32, %o: f32):
    %y = arith.divf %i, %k : f32
    linalg.yield %y : f32
  } -> tensor<?x5xf32>
  return %q : tensor<?x5xf32>
}

// CHECK-LABEL: func.func @reduce_and_reciprocal
// CHECK: qbackend.operator [#qbackend.mean<axes = [0, 2]>] inputs(%arg0) : (tensor<4x5x2xf32>) -> tensor<5xf32>
func.func @reduce_and_reciprocal(%x: tensor<4x5x2xf32>) -> tensor<5xf32> {
  %z = arith.constant dense<0.0> : tensor<5xf32>
  %n = arith.constant dense<0.125> : tensor<5xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x5x2xf32>) outs(%z : tensor<5xf32>) dimensions = [0, 2]
  %q = arith.mulf %n, %s : tensor<5xf32>
  return %q : tensor<5xf32>
}

// Every element at once, into a scalar.
// CHECK-LABEL: func.func @everything
// CHECK: qbackend.operator [#qbackend.mean<axes = [0, 1]>] inputs(%arg0) : (tensor<4x5xf32>) -> tensor<f32>
func.func @everything(%x: tensor<4x5xf32>) -> tensor<f32> {
  %z = arith.constant dense<0.0> : tensor<f32>
  %n = arith.constant dense<20.0> : tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x5xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
  %q = arith.divf %s, %n : tensor<f32>
  return %q : tensor<f32>
}

// The division adds the dimensions of 1, and its divisor is a product of
// extents.
// CHECK-LABEL: func.func @division_expands
// CHECK: qbackend.operator [#qbackend.mean<axes = [2, 3], keepdim = true>] inputs(%arg0) : (tensor<2x3x5x7xf32>) -> tensor<2x3x1x1xf32>
func.func @division_expands(%x: tensor<2x3x5x7xf32>) -> tensor<2x3x1x1xf32> {
  %z = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %h = tensor.dim %x, %c2 : tensor<2x3x5x7xf32>
  %w = tensor.dim %x, %c3 : tensor<2x3x5x7xf32>
  %hi = arith.index_cast %h : index to i64
  %wi = arith.index_cast %w : index to i64
  %hw = arith.muli %hi, %wi : i64
  %n = arith.sitofp %hw : i64 to f32
  %e = tensor.empty() : tensor<2x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %s = linalg.generic {indexing_maps = [#i4, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x : tensor<2x3x5x7xf32>) outs(%f : tensor<2x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %i, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x3xf32>
  %e4 = tensor.empty() : tensor<2x3x1x1xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, #i4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<2x3xf32>) outs(%e4 : tensor<2x3x1x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.divf %i, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x3x1x1xf32>
  return %q : tensor<2x3x1x1xf32>
}

// A sum that transposes leaves the dimension of 1 elsewhere.
// CHECK-LABEL: func.func @moved
// CHECK: %[[M:.*]] = qbackend.operator [#qbackend.mean<axes = [1]>] inputs(%arg0) : (tensor<1x15x8xf32>) -> tensor<1x8xf32>
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.reshape] inputs(%[[M]]) attributes {qbackend.source_values = 0 : i64} : (tensor<1x8xf32>) -> tensor<1x8x1xf32>
// CHECK: return %[[R]]
func.func @moved(%x: tensor<1x15x8xf32>) -> tensor<1x8x1xf32> {
  %z = arith.constant dense<0.0> : tensor<1x8x1xf32>
  %n = arith.constant dense<15.0> : tensor<1x8x1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<1x15x8xf32>) outs(%z : tensor<1x8x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %o, %i : f32
    linalg.yield %y : f32
  } -> tensor<1x8x1xf32>
  %q = arith.divf %s, %n : tensor<1x8x1xf32>
  return %q : tensor<1x8x1xf32>
}

// CHECK-LABEL: func.func @moved_sum
// CHECK: qbackend.operator [#qbackend.sum<axes = [1]>] inputs(%arg0) : (tensor<1x15x8xf32>) -> tensor<1x8xf32>
func.func @moved_sum(%x: tensor<1x15x8xf32>) -> tensor<1x8x1xf32> {
  %z = arith.constant dense<0.0> : tensor<1x8x1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<1x15x8xf32>) outs(%z : tensor<1x8x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %o, %i : f32
    linalg.yield %y : f32
  } -> tensor<1x8x1xf32>
  return %s : tensor<1x8x1xf32>
}

// Divided before they are summed, and reshaped at the end.
// CHECK-LABEL: func.func @scaled_summands
// CHECK: qbackend.operator [#qbackend.mean<axes = [1], keepdim = true>] inputs(%arg0) : (tensor<3x8xf32>) -> tensor<3x1xf32>
func.func @scaled_summands(%x: tensor<3x8xf32>) -> tensor<3x1xf32> {
  %z = arith.constant dense<0.0> : tensor<3xf32>
  %n = arith.constant 0.125 : f32
  %s = linalg.generic {indexing_maps = [#i2, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<3x8xf32>) outs(%z : tensor<3xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.mulf %i, %n : f32
    %y = arith.addf %o, %m : f32
    linalg.yield %y : f32
  } -> tensor<3xf32>
  %r = tensor.expand_shape %s [[0, 1]] output_shape [3, 1] : tensor<3xf32> into tensor<3x1xf32>
  return %r : tensor<3x1xf32>
}

// Two means one after the other are not one.
// CHECK-LABEL: func.func @mean_of_mean
// CHECK: #qbackend.mean<axes = [2]>
// CHECK: #qbackend.mean<axes = [1]>
func.func @mean_of_mean(%x: tensor<2x4x8xf32>) -> tensor<2xf32> {
  %z2 = arith.constant dense<0.0> : tensor<2x4xf32>
  %z1 = arith.constant dense<0.0> : tensor<2xf32>
  %n2 = arith.constant dense<8.0> : tensor<2x4xf32>
  %n1 = arith.constant dense<4.0> : tensor<2xf32>
  %s2 = linalg.reduce { arith.addf } ins(%x : tensor<2x4x8xf32>) outs(%z2 : tensor<2x4xf32>) dimensions = [2]
  %q2 = arith.divf %s2, %n2 : tensor<2x4xf32>
  %s1 = linalg.reduce { arith.addf } ins(%q2 : tensor<2x4xf32>) outs(%z1 : tensor<2xf32>) dimensions = [1]
  %q1 = arith.divf %s1, %n1 : tensor<2xf32>
  return %q1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @tosa_batch_and_reshape
// CHECK: qbackend.operator [#qbackend.mean<axes = [2, 3]>] inputs(%arg0) : (tensor<?x3x5x7xf32>) -> tensor<?x3xf32>
// CHECK: return %0
func.func @tosa_batch_and_reshape(%x: tensor<?x3x5x7xf32>) -> tensor<?x3xf32> {
  %c = "tosa.const"() <{values = dense<0.0285714287> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s = tosa.const_shape {values = dense<[-1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reduce_sum %x {axis = 3 : i32} : (tensor<?x3x5x7xf32>) -> tensor<?x3x5x1xf32>
  %1 = tosa.reduce_sum %0 {axis = 2 : i32} : (tensor<?x3x5x1xf32>) -> tensor<?x3x1x1xf32>
  %2 = tosa.mul %c, %1, %z : (tensor<1x1x1x1xf32>, tensor<?x3x1x1xf32>, tensor<1xi8>) -> tensor<?x3x1x1xf32>
  %3 = tosa.reshape %2, %s : (tensor<?x3x1x1xf32>, !tosa.shape<2>) -> tensor<?x3xf32>
  return %3 : tensor<?x3xf32>
}

// A reshape between the sums.
// CHECK-LABEL: func.func @tosa_reshape_between
// CHECK: qbackend.operator [#qbackend.mean<axes = [1, 2]>] inputs(%arg0) : (tensor<2x4x8x3xf32>) -> tensor<2x3xf32>
func.func @tosa_reshape_between(%x: tensor<2x4x8x3xf32>) -> tensor<2x3xf32> {
  %c = "tosa.const"() <{values = dense<32.0> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
  %r = tosa.reciprocal %c : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s3 = tosa.const_shape {values = dense<[2, 8, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s2 = tosa.const_shape {values = dense<[2, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<2x4x8x3xf32>) -> tensor<2x1x8x3xf32>
  %1 = tosa.reshape %0, %s3 : (tensor<2x1x8x3xf32>, !tosa.shape<3>) -> tensor<2x8x3xf32>
  %2 = tosa.reduce_sum %1 {axis = 1 : i32} : (tensor<2x8x3xf32>) -> tensor<2x1x3xf32>
  %3 = tosa.reshape %2, %s2 : (tensor<2x1x3xf32>, !tosa.shape<2>) -> tensor<2x3xf32>
  %4 = tosa.mul %3, %r, %z : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// A reshape in front regroups the image: it is no part of the mean.
// CHECK-LABEL: func.func @reshape_in_front
// CHECK: #qbackend.mean<axes = [1]>{{.*}} : (tensor<6x4xf32>) -> tensor<6xf32>
func.func @reshape_in_front(%x: tensor<2x3x4xf32>) -> tensor<6xf32> {
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<4.0> : tensor<6xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  %s = linalg.reduce { arith.addf } ins(%c : tensor<6x4xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %q = arith.divf %s, %n : tensor<6xf32>
  return %q : tensor<6xf32>
}

// CHECK-LABEL: func.func @wrong_divisor
// CHECK-NOT: qbackend.mean
// CHECK-LABEL: func.func @starts_with_one
// CHECK-NOT: qbackend.mean
// CHECK-LABEL: func.func @maximum
// CHECK-NOT: qbackend.mean
// CHECK-LABEL: func.func @other_shape
// CHECK: qbackend.mean
// CHECK-SAME: -> tensor<6x1xf32>
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: qbackend.mean
// CHECK: return
func.func @wrong_divisor(%x: tensor<6x4xf32>) -> tensor<6xf32> {
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<6.0> : tensor<6xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x4xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %q = arith.divf %s, %n : tensor<6xf32>
  return %q : tensor<6xf32>
}
func.func @starts_with_one(%x: tensor<6x4xf32>) -> tensor<6xf32> {
  %z = arith.constant dense<1.0> : tensor<6xf32>
  %n = arith.constant dense<4.0> : tensor<6xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x4xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %q = arith.divf %s, %n : tensor<6xf32>
  return %q : tensor<6xf32>
}
func.func @maximum(%x: tensor<6x4xf32>) -> tensor<6xf32> {
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<4.0> : tensor<6xf32>
  %s = linalg.reduce { arith.maximumf } ins(%x : tensor<6x4xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %q = arith.divf %s, %n : tensor<6xf32>
  return %q : tensor<6xf32>
}
func.func @other_shape(%x: tensor<6x4xf32>) -> tensor<1x6xf32> {
  %c = "tosa.const"() <{values = dense<0.25> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s = tosa.const_shape {values = dense<[1, 6]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<6x4xf32>) -> tensor<6x1xf32>
  %1 = tosa.mul %0, %c, %z : (tensor<6x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<6x1xf32>
  %2 = tosa.reshape %1, %s : (tensor<6x1xf32>, !tosa.shape<2>) -> tensor<1x6xf32>
  return %2 : tensor<1x6xf32>
}
func.func @dynamic(%x: tensor<6x?xf32>) -> tensor<6xf32> {
  %z = arith.constant dense<0.0> : tensor<6xf32>
  %n = arith.constant dense<4.0> : tensor<6xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<6x?xf32>) outs(%z : tensor<6xf32>) dimensions = [1]
  %q = arith.divf %s, %n : tensor<6xf32>
  return %q : tensor<6xf32>
}

// An image to which folding and fusion have added dimensions of 1.
// CHECK-LABEL: func.func @image_of_six
// CHECK: qbackend.operator [#qbackend.mean<axes = [1, 2], keepdim = true>] inputs(%arg0) : (tensor<2x6x5x8xf32>) -> tensor<2x1x1x8xf32>
// CHECK: return %0
func.func @image_of_six(%x: tensor<2x6x5x8xf32>) -> tensor<2x1x1x8xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 30.0 : f32
  %u = tensor.expand_shape %x [[0, 1, 2], [3], [4], [5]] output_shape [2, 1, 1, 6, 5, 8] : tensor<2x6x5x8xf32> into tensor<2x1x1x6x5x8xf32>
  %e = tensor.empty() : tensor<2x1x1x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x1x1x8xf32>) -> tensor<2x1x1x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e, f) -> (a, b, c, d, e, f)>, affine_map<(a, b, c, d, e, f) -> (a, b, c, f)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "parallel"]}
    ins(%u : tensor<2x1x1x6x5x8xf32>) outs(%f : tensor<2x1x1x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %o, %i : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x8xf32>
  %q = linalg.generic {indexing_maps = [#i4, #i4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<2x1x1x8xf32>) outs(%e : tensor<2x1x1x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.divf %i, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x8xf32>
  return %q : tensor<2x1x1x8xf32>
}
