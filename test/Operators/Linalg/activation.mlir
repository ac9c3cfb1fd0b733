// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

#n = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#u = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#s = affine_map<(d0, d1, d2, d3) -> ()>
#c = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>
#r0 = affine_map<() -> ()>

// CHECK-LABEL: func.func @relu
// CHECK: qbackend.operator [#qbackend.relu] inputs(%arg0)
func.func @relu(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %z = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %p = arith.cmpf ugt, %i0, %z : f32
    %y = arith.select %p, %i0, %z : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @relu_as_maximum
// CHECK: qbackend.operator [#qbackend.relu] inputs(%arg0)
func.func @relu_as_maximum(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %y = arith.maximumf %z, %i0 : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @relu_named
// CHECK: qbackend.operator [#qbackend.relu] inputs(%arg0)
func.func @relu_named(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %z = arith.constant dense<0.0> : tensor<1x4x8x8xf32>
  %r = linalg.max ins(%x, %z : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @relu6
// CHECK: qbackend.operator [#qbackend.relu6] inputs(%arg0)
// CHECK-NOT: #qbackend.relu]
func.func @relu6(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %z = arith.constant 0.0 : f32
  %c6 = arith.constant 6 : i64
  %e6 = tensor.empty() : tensor<i64>
  %f6 = linalg.fill ins(%c6 : i64) outs(%e6 : tensor<i64>) -> tensor<i64>
  %ef = tensor.empty() : tensor<f32>
  %s6 = linalg.generic {indexing_maps = [#r0, #r0], iterator_types = []} ins(%f6 : tensor<i64>) outs(%ef : tensor<f32>) {
  ^bb0(%i: i64, %out: f32):
    %y = arith.sitofp %i : i64 to f32
    linalg.yield %y : f32
  } -> tensor<f32>
  %0 = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %p = arith.cmpf ugt, %i0, %z : f32
    %y = arith.select %p, %i0, %z : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  %r = linalg.generic {indexing_maps = [#s, #u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s6, %0 : tensor<f32>, tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %p = arith.cmpf ult, %i0, %i1 : f32
    %y = arith.select %p, %i0, %i1 : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// A relu whose result is read elsewhere too is not part of a relu6.
// CHECK-LABEL: func.func @relu_then_min
// CHECK: #qbackend.relu]
// CHECK: #qbackend.clamp<
func.func @relu_then_min(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %z = arith.constant 0.0 : f32
  %c6 = arith.constant 6 : i64
  %e6 = tensor.empty() : tensor<i64>
  %f6 = linalg.fill ins(%c6 : i64) outs(%e6 : tensor<i64>) -> tensor<i64>
  %ef = tensor.empty() : tensor<f32>
  %s6 = linalg.generic {indexing_maps = [#r0, #r0], iterator_types = []} ins(%f6 : tensor<i64>) outs(%ef : tensor<f32>) {
  ^bb0(%i: i64, %out: f32):
    %y = arith.sitofp %i : i64 to f32
    linalg.yield %y : f32
  } -> tensor<f32>
  %0 = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %p = arith.cmpf ugt, %i0, %z : f32
    %y = arith.select %p, %i0, %z : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  %r = linalg.generic {indexing_maps = [#s, #u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s6, %0 : tensor<f32>, tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %p = arith.cmpf ult, %i0, %i1 : f32
    %y = arith.select %p, %i0, %i1 : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  %q = linalg.generic {indexing_maps = [#u, #u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r, %0 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %y = arith.subf %i0, %i1 : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %q : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @hardtanh
// CHECK: #qbackend.hardtanh<min = -1.0{{.*}}, max = 1.0
func.func @hardtanh(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %l = arith.constant -1.0 : f32
  %h = arith.constant 1.0 : f32
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %q = arith.cmpf ult, %i0, %l : f32
    %w = arith.select %q, %l, %i0 : f32
    %p = arith.cmpf ugt, %w, %h : f32
    %y = arith.select %p, %h, %w : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @clamp
// CHECK: #qbackend.clamp<min = 2.5{{.*}}, max = 3.0
func.func @clamp(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %l = arith.constant 2.5 : f32
  %h = arith.constant 3.0 : f32
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %w = arith.minimumf %i0, %h : f32
    %y = arith.maximumf %w, %l : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @sigmoid
// CHECK: #qbackend.sigmoid]
func.func @sigmoid(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %h = arith.constant 1.0 : f32
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %w = arith.negf %i0 : f32
    %v = math.exp %w : f32
    %t = arith.addf %v, %h : f32
    %y = arith.divf %h, %t : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @tanh
// CHECK: #qbackend.tanh]
func.func @tanh(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %y = math.tanh %i0 : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @hardswish
// CHECK: qbackend.operator [#qbackend.hardswish] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @hardswish(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %z = arith.constant 0.0 : f32
  %three = arith.constant 3.0 : f32
  %six = arith.constant 6.0 : f32
  %0 = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %y = arith.addf %i0, %three : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  %1 = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0 : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %p = arith.cmpf ugt, %i0, %z : f32
    %y = arith.select %p, %i0, %z : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  %2 = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%1 : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %y = arith.minimumf %i0, %six : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  %3 = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%2 : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %y = arith.divf %i0, %six : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  %r = linalg.generic {indexing_maps = [#u, #u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%3, %x : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %y = arith.mulf %i0, %i1 : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @hardsigmoid
// CHECK: qbackend.operator [#qbackend.hardsigmoid] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @hardsigmoid(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %z = arith.constant 0.0 : f32
  %three = arith.constant 3.0 : f32
  %six = arith.constant 6.0 : f32
  %0 = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %y = arith.addf %i0, %three : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  %1 = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0 : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %p = arith.cmpf ugt, %i0, %z : f32
    %y = arith.select %p, %i0, %z : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  %2 = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%1 : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %y = arith.minimumf %i0, %six : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  %3 = linalg.generic {indexing_maps = [#u, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%2 : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %y = arith.divf %i0, %six : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %3 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @leaky_relu
// CHECK: #qbackend.leaky_relu<negative_slope = {{0.01|1.0*e-02}}>
func.func @leaky_relu(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %z = arith.constant 0.0 : f32
  %h64 = arith.constant 1.0e-02 : f64
  %h = arith.truncf %h64 : f64 to f32
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %p = arith.cmpf ugt, %i0, %z : f32
    %t = arith.mulf %i0, %h : f32
    %y = arith.select %p, %i0, %t : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @elu
// CHECK: #qbackend.elu<alpha = 1.0
func.func @elu(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %z = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %p = arith.cmpf ogt, %i0, %z : f32
    %t = math.expm1 %i0 : f32
    %y = arith.select %p, %i0, %t : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @silu
// CHECK: qbackend.operator [#qbackend.silu] inputs(%arg0)
func.func @silu(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %h = arith.constant 1.0 : f32
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %w = arith.negf %i0 : f32
    %v = math.exp %w : f32
    %t = arith.addf %v, %h : f32
    %q = arith.divf %h, %t : f32
    %y = arith.mulf %q, %i0 : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @gelu
// CHECK: qbackend.operator [#qbackend.gelu] inputs(%arg0)
func.func @gelu(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %h = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %q2 = arith.constant 1.41421354 : f32
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %w = arith.divf %i0, %q2 : f32
    %v = math.erf %w : f32
    %t = arith.addf %v, %h : f32
    %q = arith.mulf %t, %half : f32
    %y = arith.mulf %q, %i0 : f32
    linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK: qbackend.operator [#qbackend.softmax<axis = 1>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @softmax(%x: tensor<1x10xf32>) -> tensor<1x10xf32> {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<1x1xf32>
  %e = tensor.empty() : tensor<1x10xf32>
  %f0 = linalg.fill ins(%ninf : f32) outs(%e1 : tensor<1x1xf32>) -> tensor<1x1xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<1x10xf32>) outs(%f0 : tensor<1x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.maximumf %i, %o : f32
    linalg.yield %y : f32
  } -> tensor<1x1xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : tensor<1x10xf32>, tensor<1x1xf32>) outs(%e : tensor<1x10xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %y = arith.subf %i, %j : f32
    linalg.yield %y : f32
  } -> tensor<1x10xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%d : tensor<1x10xf32>) outs(%e : tensor<1x10xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = math.exp %i : f32
    linalg.yield %y : f32
  } -> tensor<1x10xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<1x1xf32>) -> tensor<1x1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]}
    ins(%p : tensor<1x10xf32>) outs(%f1 : tensor<1x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %i, %o : f32
    linalg.yield %y : f32
  } -> tensor<1x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%p, %s : tensor<1x10xf32>, tensor<1x1xf32>) outs(%e : tensor<1x10xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %y = arith.divf %i, %j : f32
    linalg.yield %y : f32
  } -> tensor<1x10xf32>
  return %r : tensor<1x10xf32>
}

// As tosa-to-linalg writes it: bounds that never bind are none.
// CHECK-LABEL: func.func @leaky_relu_by_clamps
// CHECK: qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.25|2.5.*e-01}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @leaky_relu_by_clamps(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %low = arith.constant -3.40282347E+38 : f32
  %high = arith.constant 3.40282347E+38 : f32
  %z = arith.constant 0.0 : f32
  %slope = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %a = arith.minimumf %i0, %high : f32
    %b = arith.maximumf %a, %z : f32
    linalg.yield %b : f32
  } -> tensor<1x4x8x8xf32>
  %1 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %o: f32):
    %a = arith.minimumf %i0, %z : f32
    %b = arith.maximumf %low, %a : f32
    %c = arith.mulf %b, %slope : f32
    linalg.yield %c : f32
  } -> tensor<1x4x8x8xf32>
  %2 = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %1 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%e : tensor<1x4x8x8xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o: f32):
    %a = arith.addf %i0, %i1 : f32
    linalg.yield %a : f32
  } -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}
