// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

#n = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#u = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#s = affine_map<(d0, d1, d2, d3) -> ()>
#c = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>
#r0 = affine_map<() -> ()>

// CHECK-LABEL: func.func @add
// CHECK: qbackend.operator [#qbackend.add] inputs(%arg0, %arg1)
func.func @add(%x: tensor<1x4x8x8xf32>, %y: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %r = linalg.generic {indexing_maps = [#u, #u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %y : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %q = arith.addf %i0, %i1 : f32
    linalg.yield %q : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @add_named
// CHECK: qbackend.operator [#qbackend.add] inputs(%arg0, %arg1)
func.func @add_named(%x: tensor<1x4x8x8xf32>, %y: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %r = linalg.add ins(%x, %y : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @add_tensor_level
// CHECK: qbackend.operator [#qbackend.add] inputs(%arg0, %arg1)
func.func @add_tensor_level(%x: tensor<1x4x8x8xf32>, %y: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %r = arith.addf %x, %y : tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @mul_map
// CHECK: qbackend.operator [#qbackend.mul] inputs(%arg0, %arg1)
func.func @mul_map(%x: tensor<1x4x8x8xf32>, %y: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %r = linalg.map { arith.mulf } ins(%x, %y : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>)
  return %r : tensor<1x4x8x8xf32>
}

// The gate of a squeeze-and-excitation block.
// CHECK-LABEL: func.func @mul_broadcast
// CHECK: qbackend.operator [#qbackend.mul] inputs(%arg0, %arg1) : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>)
func.func @mul_broadcast(%x: tensor<1x4x8x8xf32>, %y: tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %r = linalg.generic {indexing_maps = [#u, #c, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %y : tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %q = arith.mulf %i0, %i1 : f32
    linalg.yield %q : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @scalars
// CHECK: #qbackend.add<scalar = 2.5
// CHECK: #qbackend.mul<scalar = 3.0
func.func @scalars(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %k = arith.constant 2.5 : f32
  %l = arith.constant 3.0 : f32
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %q = arith.addf %k, %i0 : f32
    linalg.yield %q : f32
  } -> tensor<1x4x8x8xf32>
  %r = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0 : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %q = arith.mulf %i0, %l : f32
    linalg.yield %q : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// A division by a number is a product, constants for each channel are operands
// with the result's rank; a square is a kind of its own.
// CHECK-LABEL: func.func @others
// CHECK-DAG: %[[B:.*]] = arith.constant dense<{{.*}}> : tensor<1x4x1x1xf32>
// CHECK-DAG: %[[D:.*]] = qbackend.operator [#qbackend.sub] inputs(%arg0, %arg1)
// CHECK-DAG: %[[Q:.*]] = qbackend.operator [#qbackend.mul<scalar = 1.333{{.*}}>] inputs(%[[D]])
// CHECK-DAG: %[[S:.*]] = qbackend.operator [#qbackend.square] inputs(%[[Q]])
// CHECK-DAG: qbackend.operator [#qbackend.add] inputs(%[[S]], %[[B]])
func.func @others(%x: tensor<1x4x8x8xf32>, %y: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %k = arith.constant 0.75 : f32
  %b = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#u, #u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %y : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %q = arith.subf %i0, %i1 : f32
    linalg.yield %q : f32
  } -> tensor<1x4x8x8xf32>
  %1 = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0 : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %q = arith.divf %i0, %k : f32
    linalg.yield %q : f32
  } -> tensor<1x4x8x8xf32>
  %2 = linalg.generic {indexing_maps = [#u, #u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%1, %1 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %q = arith.mulf %i0, %i1 : f32
    linalg.yield %q : f32
  } -> tensor<1x4x8x8xf32>
  %r = linalg.generic {indexing_maps = [#u, affine_map<(d0, d1, d2, d3) -> (d1)>, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%2, %b : tensor<1x4x8x8xf32>, tensor<4xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %q = arith.addf %i0, %i1 : f32
    linalg.yield %q : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}


// A zero that is added, or taken away, is nothing; one that a number is taken
// from is.
// CHECK-LABEL: func.func @add_zero
// CHECK-NOT: qbackend.operator [#qbackend.add
// CHECK: %[[T:.*]] = qbackend.operator [#qbackend.tanh] inputs(%arg0)
// CHECK: %[[N:.*]] = qbackend.operator [#qbackend.rsub<scalar = 0.000000e+00>] inputs(%[[T]])
// CHECK: return %[[N]]
func.func @add_zero(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %z = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<1x4x8x8xf32>
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %q = arith.addf %i0, %z : f32
    linalg.yield %q : f32
  } -> tensor<1x4x8x8xf32>
  %t = math.tanh %r : tensor<1x4x8x8xf32>
  %d = arith.subf %t, %zeros : tensor<1x4x8x8xf32>
  %n = arith.subf %zeros, %d : tensor<1x4x8x8xf32>
  return %n : tensor<1x4x8x8xf32>
}

// What is multiplied by 1, or divided by it, is nothing.
// CHECK-LABEL: func.func @times_one
// CHECK-NEXT: %[[E:.*]] = math.exp %arg0
// CHECK-NEXT: return %[[E]]
func.func @times_one(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %one = arith.constant dense<1.0> : tensor<1x4xf32>
  %e = math.exp %x : tensor<1x4xf32>
  %d = arith.divf %e, %one : tensor<1x4xf32>
  %m = arith.mulf %one, %d : tensor<1x4xf32>
  return %m : tensor<1x4xf32>
}

// A number that is broadcast to a dynamic shape is one, too.
// CHECK-LABEL: func.func @broadcast_number
// CHECK: qbackend.operator [#qbackend.mul<scalar = 2.500000e-01>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @broadcast_number(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %four = arith.constant dense<4.0> : tensor<1x1xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%four : tensor<1x1xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<?x4xf32>
  %r = linalg.div ins(%x, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
