// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

#n3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#k3 = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
#r3 = affine_map<(d0, d1, d2) -> (d0, d2)>
#i2 = affine_map<(d0, d1) -> (d0, d1)>

// The maximum has its index beside it; sums without the reduced dimension.
// CHECK-LABEL: func.func @softmax_with_index(
// CHECK: qbackend.operator [#qbackend.softmax<axis = 1>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @softmax_with_index(%x: tensor<2x5x7xf32>) -> tensor<2x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %i0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<2x5x7xf32>
  %ei = tensor.empty() : tensor<2x1x7xi64>
  %fi = linalg.fill ins(%i0 : i64) outs(%ei : tensor<2x1x7xi64>) -> tensor<2x1x7xi64>
  %em = tensor.empty() : tensor<2x1x7xf32>
  %fm = linalg.fill ins(%ninf : f32) outs(%em : tensor<2x1x7xf32>) -> tensor<2x1x7xf32>
  %m:2 = linalg.generic {indexing_maps = [#n3, #k3, #k3], iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%x : tensor<2x5x7xf32>) outs(%fm, %fi : tensor<2x1x7xf32>, tensor<2x1x7xi64>) {
  ^bb0(%a: f32, %o: f32, %oi: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %y = arith.maximumf %a, %o : f32
    %c = arith.cmpf ogt, %a, %o : f32
    %k = arith.select %c, %j, %oi : i64
    linalg.yield %y, %k : f32, i64
  } -> (tensor<2x1x7xf32>, tensor<2x1x7xi64>)
  %d = linalg.generic {indexing_maps = [#n3, #k3, #n3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %m#0 : tensor<2x5x7xf32>, tensor<2x1x7xf32>) outs(%e : tensor<2x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.subf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<2x5x7xf32>
  %p = math.exp %d : tensor<2x5x7xf32>
  %es = tensor.empty() : tensor<2x7xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x7xf32>) -> tensor<2x7xf32>
  %s = linalg.reduce ins(%p : tensor<2x5x7xf32>) outs(%fs : tensor<2x7xf32>) dimensions = [1]
    (%a: f32, %o: f32) {
      %y = arith.addf %a, %o : f32
      linalg.yield %y : f32
    }
  %b = linalg.broadcast ins(%s : tensor<2x7xf32>) outs(%e : tensor<2x5x7xf32>) dimensions = [1]
  %r = arith.divf %p, %b : tensor<2x5x7xf32>
  return %r : tensor<2x5x7xf32>
}

// One region for each reduction, and one for the rest.
// CHECK-LABEL: func.func @softmax_fused(
// CHECK: qbackend.operator [#qbackend.softmax<axis = 1>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @softmax_fused(%x: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %i0 = arith.constant 0 : index
  %n = tensor.dim %x, %i0 : tensor<?x7xf32>
  %zero = arith.constant 0.0 : f32
  %least = arith.constant -3.40282347E+38 : f32
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x7xf32>
  %fm = linalg.fill ins(%least : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %m = linalg.generic {indexing_maps = [#i2, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<?x7xf32>) outs(%fm : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.cmpf ogt, %a, %o : f32
    %y = arith.select %c, %a, %o : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#i2, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x, %m : tensor<?x7xf32>, tensor<?xf32>) outs(%fs : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    %y = arith.addf %p, %o : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#i2, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, #i2], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m, %s : tensor<?x7xf32>, tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    %y = arith.divf %p, %c : f32
    linalg.yield %y : f32
  } -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}

// CHECK-LABEL: func.func @softmax_named(
// CHECK: qbackend.operator [#qbackend.softmax<axis = 0>] inputs(%arg0)
func.func @softmax_named(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %r = linalg.softmax dimension(0) ins(%x : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @tosa_without_maximum(
// CHECK: qbackend.operator [#qbackend.softmax<axis = 2>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @tosa_without_maximum(%x: tensor<2x5x7xf32>) -> tensor<2x5x7xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.exp %x : (tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  %1 = tosa.reduce_sum %0 {axis = 2 : i32} : (tensor<2x5x7xf32>) -> tensor<2x5x1xf32>
  %2 = tosa.reciprocal %1 : (tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %3 = tosa.mul %2, %0, %s : (tensor<2x5x1xf32>, tensor<2x5x7xf32>, tensor<1xi8>) -> tensor<2x5x7xf32>
  return %3 : tensor<2x5x7xf32>
}

// The reduced dimension goes and comes back, and is broadcast by a tile.
// CHECK-LABEL: func.func @tosa_reshaped(
// CHECK: qbackend.operator [#qbackend.softmax<axis = 1>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @tosa_reshaped(%x: tensor<2x5x7xf32>) -> tensor<2x5x7xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %flat = tosa.const_shape {values = dense<[2, 7]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %kept = tosa.const_shape {values = dense<[2, 1, 7]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %times = tosa.const_shape {values = dense<[1, 5, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %0 = tosa.reduce_max %x {axis = 1 : i32} : (tensor<2x5x7xf32>) -> tensor<2x1x7xf32>
  %1 = tosa.reshape %0, %flat : (tensor<2x1x7xf32>, !tosa.shape<2>) -> tensor<2x7xf32>
  %2 = tosa.reshape %1, %kept : (tensor<2x7xf32>, !tosa.shape<3>) -> tensor<2x1x7xf32>
  %3 = tosa.tile %2, %times : (tensor<2x1x7xf32>, !tosa.shape<3>) -> tensor<2x5x7xf32>
  %4 = tosa.sub %x, %3 : (tensor<2x5x7xf32>, tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  %5 = tosa.exp %4 : (tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
  %6 = tosa.reduce_sum %5 {axis = 1 : i32} : (tensor<2x5x7xf32>) -> tensor<2x1x7xf32>
  %7 = tosa.reciprocal %6 : (tensor<2x1x7xf32>) -> tensor<2x1x7xf32>
  %8 = tosa.mul %5, %7, %s : (tensor<2x5x7xf32>, tensor<2x1x7xf32>, tensor<1xi8>) -> tensor<2x5x7xf32>
  return %8 : tensor<2x5x7xf32>
}

// CHECK-LABEL: func.func @log_softmax(
// CHECK: qbackend.operator [#qbackend.log_softmax<axis = 1>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @log_softmax(%x: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %0 = tosa.reduce_max %x {axis = 1 : i32} : (tensor<4x7xf32>) -> tensor<4x1xf32>
  %1 = tosa.sub %x, %0 : (tensor<4x7xf32>, tensor<4x1xf32>) -> tensor<4x7xf32>
  %2 = tosa.exp %1 : (tensor<4x7xf32>) -> tensor<4x7xf32>
  %3 = tosa.reduce_sum %2 {axis = 1 : i32} : (tensor<4x7xf32>) -> tensor<4x1xf32>
  %4 = tosa.log %3 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %5 = tosa.sub %1, %4 : (tensor<4x7xf32>, tensor<4x1xf32>) -> tensor<4x7xf32>
  return %5 : tensor<4x7xf32>
}

// CHECK-LABEL: func.func @logarithm_of_softmax(
// CHECK: qbackend.operator [#qbackend.log_softmax<axis = 1>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @logarithm_of_softmax(%x: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.exp %x : (tensor<4x7xf32>) -> tensor<4x7xf32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<4x7xf32>) -> tensor<4x1xf32>
  %2 = tosa.reciprocal %1 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = tosa.mul %0, %2, %s : (tensor<4x7xf32>, tensor<4x1xf32>, tensor<1xi8>) -> tensor<4x7xf32>
  %4 = tosa.log %3 : (tensor<4x7xf32>) -> tensor<4x7xf32>
  return %4 : tensor<4x7xf32>
}

// The input is what is scaled and masked.
// CHECK-LABEL: func.func @masked(
// CHECK: #qbackend.softmax<axis = 1>
func.func @masked(%x: tensor<4x7xf32>, %y: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = tosa.add %x, %y : (tensor<4x7xf32>, tensor<4x7xf32>) -> tensor<4x7xf32>
  %0 = tosa.reduce_max %z {axis = 1 : i32} : (tensor<4x7xf32>) -> tensor<4x1xf32>
  %1 = tosa.sub %z, %0 : (tensor<4x7xf32>, tensor<4x1xf32>) -> tensor<4x7xf32>
  %2 = tosa.exp %1 : (tensor<4x7xf32>) -> tensor<4x7xf32>
  %3 = tosa.reduce_sum %2 {axis = 1 : i32} : (tensor<4x7xf32>) -> tensor<4x1xf32>
  %4 = tosa.reciprocal %3 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %5 = tosa.mul %2, %4, %s : (tensor<4x7xf32>, tensor<4x1xf32>, tensor<1xi8>) -> tensor<4x7xf32>
  return %5 : tensor<4x7xf32>
}

// CHECK-LABEL: func.func @sum_along_another_axis(
// CHECK-NOT: softmax
// CHECK: return
func.func @sum_along_another_axis(%x: tensor<7x7xf32>) -> tensor<7x7xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.reduce_max %x {axis = 0 : i32} : (tensor<7x7xf32>) -> tensor<1x7xf32>
  %1 = tosa.sub %x, %0 : (tensor<7x7xf32>, tensor<1x7xf32>) -> tensor<7x7xf32>
  %2 = tosa.exp %1 : (tensor<7x7xf32>) -> tensor<7x7xf32>
  %3 = tosa.reduce_sum %2 {axis = 1 : i32} : (tensor<7x7xf32>) -> tensor<7x1xf32>
  %4 = tosa.reciprocal %3 : (tensor<7x1xf32>) -> tensor<7x1xf32>
  // The deviations of the maximum have a softmax, x itself has none.
  %5 = tosa.mul %1, %4, %s : (tensor<7x7xf32>, tensor<7x1xf32>, tensor<1xi8>) -> tensor<7x7xf32>
  return %5 : tensor<7x7xf32>
}

// CHECK-LABEL: func.func @transposed_sum(
// CHECK-NOT: softmax
// CHECK: return
func.func @transposed_sum(%x: tensor<7x7xf32>) -> tensor<7x7xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.exp %x : (tensor<7x7xf32>) -> tensor<7x7xf32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<7x7xf32>) -> tensor<7x1xf32>
  %2 = tosa.transpose %1 {perms = array<i32: 1, 0>} : (tensor<7x1xf32>) -> tensor<1x7xf32>
  %3 = tosa.reciprocal %2 : (tensor<1x7xf32>) -> tensor<1x7xf32>
  %4 = tosa.mul %0, %3, %s : (tensor<7x7xf32>, tensor<1x7xf32>, tensor<1xi8>) -> tensor<7x7xf32>
  return %4 : tensor<7x7xf32>
}
