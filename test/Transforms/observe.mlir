// RUN: qbackend-opt %s --qbackend-observe -split-input-file | FileCheck %s
// RUN: qbackend-opt %s --qbackend-observe --qbackend-observe -split-input-file | FileCheck %s

!t = tensor<1x4xf32>

// The input and the result have an observer each; the two layers share the one
// between them. Names are those of locations, or of kinds.
// CHECK: qbackend.observer @x <histogram, ui8>
// CHECK-NEXT: qbackend.observer @fc1 <histogram, ui8>
// CHECK-NEXT: qbackend.observer @linear_0 <histogram, ui8>
// CHECK-LABEL: func.func @weighted
// CHECK: %[[X:.*]] = qbackend.observe %{{.*}} by @x
// CHECK: %[[L:.*]] = qbackend.operator [#qbackend.linear] inputs(%[[X]]) weight(%{{.*}}) qconfig <activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
// CHECK: %[[O:.*]] = qbackend.observe %[[L]] by @fc1
// CHECK: %[[M:.*]] = qbackend.operator [#qbackend.linear] inputs(%[[O]])
// CHECK: %[[P:.*]] = qbackend.observe %[[M]] by @linear_0
// CHECK: return %[[P]]
func.func @weighted(%x: !t loc("x")) -> !t {
  %w = arith.constant dense<0.5> : tensor<4x4xf32>
  %l = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (!t, tensor<4x4xf32>) -> !t {
  ^bb0(%a: !t, %b: tensor<4x4xf32>):
    qbackend.yield %a : !t
  } loc("fc1")
  %m = qbackend.operator [#qbackend.linear] inputs(%l) weight(%w) : (!t, tensor<4x4xf32>) -> !t {
  ^bb0(%a: !t, %b: tensor<4x4xf32>):
    qbackend.yield %a : !t
  }
  return %m : !t
}

// -----

// Operators that don't compute new numbers share one observer with their input,
// over any number of steps.
!image = tensor<1x2x2x3xf32>
// CHECK: qbackend.observer @arg0
// CHECK-NOT: qbackend.observer
// CHECK-LABEL: func.func @share_chain
// CHECK: by @arg0
// CHECK: #qbackend.max_pool2d
// CHECK: by @arg0
// CHECK: #qbackend.relu
// CHECK: by @arg0
// CHECK: #qbackend.flatten
// CHECK: by @arg0
func.func @share_chain(%x: !image) -> tensor<1x12xf32> {
  %p = qbackend.operator [#qbackend.max_pool2d<kernel = [1, 1], stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1]>] inputs(%x) : (!image) -> !image {
  ^bb0(%a: !image):
    qbackend.yield %a : !image
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%p) : (!image) -> !image {
  ^bb0(%a: !image):
    qbackend.yield %a : !image
  }
  %f = qbackend.operator [#qbackend.flatten] inputs(%r) : (!image) -> tensor<1x12xf32> {
  ^bb0(%a: !image):
    %s = tensor.collapse_shape %a [[0], [1, 2, 3]] : !image into tensor<1x12xf32>
    qbackend.yield %s : tensor<1x12xf32>
  }
  return %f : tensor<1x12xf32>
}

// -----

// A cat inside a cat: all of their inputs and both results have one observer.
!t = tensor<1x4xf32>
!t2 = tensor<1x8xf32>
!t3 = tensor<1x12xf32>
// CHECK: qbackend.observer @[[O:.*]] <histogram, ui8>
// CHECK-NOT: qbackend.observer
// CHECK-LABEL: func.func @nested_cat
// CHECK-COUNT-5: by @[[O]]
// CHECK-NOT: qbackend.observe
func.func @nested_cat(%x: !t, %y: !t, %z: !t) -> !t3 {
  %c = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%x, %y) : (!t, !t) -> !t2 {
  ^bb0(%a: !t, %b: !t):
    %e = tensor.empty() : !t2
    qbackend.yield %e : !t2
  }
  %d = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%z, %c) : (!t, !t2) -> !t3 {
  ^bb0(%a: !t, %b: !t2):
    %e = tensor.empty() : !t3
    qbackend.yield %e : !t3
  }
  return %d : !t3
}

// -----

// x + 1 has one tensor, and shares; x + x has two, and doesn't.
!t = tensor<1x4xf32>
// CHECK: qbackend.observer @arg0
// CHECK-NEXT: qbackend.observer @[[SUM:.*]] <
// CHECK-LABEL: func.func @add(
// CHECK: %[[X:.*]] = qbackend.observe %{{.*}} by @arg0
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.add<scalar = 1.0{{.*}}>] inputs(%[[X]])
// CHECK: %[[T:.*]] = qbackend.observe %[[S]] by @arg0
// CHECK: %[[D:.*]] = qbackend.operator [#qbackend.add] inputs(%[[T]], %[[T]])
// CHECK: qbackend.observe %[[D]] by @[[SUM]]
func.func @add(%x: !t) -> !t {
  %s = qbackend.operator [#qbackend.add<scalar = 1.0>] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %d = qbackend.operator [#qbackend.add] inputs(%s, %s) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  }
  return %d : !t
}

// -----

// One unit: nothing is observed between the sum and its relu.
!t = tensor<1x4xf32>
// CHECK-LABEL: func.func @add_relu
// CHECK-DAG: %[[X:.*]] = qbackend.observe %arg0 by @arg0
// CHECK-DAG: %[[Y:.*]] = qbackend.observe %arg1 by @arg1
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.add, #qbackend.relu] inputs(%[[X]], %[[Y]]) qconfig
// CHECK: qbackend.observe %[[S]] by @
// CHECK-NOT: qbackend.observe
func.func @add_relu(%x: !t, %y: !t) -> !t {
  %d = qbackend.operator [#qbackend.add, #qbackend.relu] inputs(%x, %y) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    %f = arith.maximumf %a, %b : !t
    qbackend.yield %f : !t
  }
  return %d : !t
}

// -----

// Fixed parameters are those of the result; the input keeps a range of its own.
!t = tensor<1x4xf32>
// CHECK: qbackend.observer @arg0 <histogram, ui8>
// CHECK: qbackend.observer @sigmoid_0 <fixed_qparams, ui8, scale = 3.906250e-03, zero_point = 0>
// CHECK: qbackend.observer @tanh_0 <fixed_qparams, ui8, scale = 7.812500e-03, zero_point = 128>
// CHECK-LABEL: func.func @fixed
// CHECK: %[[X:.*]] = qbackend.observe %arg0 by @arg0
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.sigmoid] inputs(%[[X]])
// CHECK: %[[O:.*]] = qbackend.observe %[[S]] by @sigmoid_0
// CHECK: %[[T:.*]] = qbackend.operator [#qbackend.tanh] inputs(%[[O]])
// CHECK: qbackend.observe %[[T]] by @tanh_0
func.func @fixed(%x: !t) -> !t {
  %s = qbackend.operator [#qbackend.sigmoid] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %u = qbackend.operator [#qbackend.tanh] inputs(%s) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %u : !t
}

// -----

// What stays float between two quantized ones: the producer keeps its
// observer, the consumer gets its own.
!t = tensor<1x4xf32>
// CHECK-LABEL: func.func @real_between
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.sigmoid] {{.*}} qconfig
// CHECK: %[[O:.*]] = qbackend.observe %[[S]] by @sigmoid_0
// CHECK: %[[C:.*]] = math.floor %[[O]]
// CHECK: %[[P:.*]] = qbackend.observe %[[C]] by @floor_0
// CHECK: qbackend.operator [#qbackend.relu] inputs(%[[P]])
func.func @real_between(%x: !t) -> !t {
  %s = qbackend.operator [#qbackend.sigmoid] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %c = math.floor %s : !t
  %r = qbackend.operator [#qbackend.relu] inputs(%c) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %r : !t
}

// -----

// One value that two operators read is observed once.
!t = tensor<1x4xf32>
// CHECK-LABEL: func.func @two_consumers
// CHECK: %[[X:.*]] = qbackend.observe %arg0 by @arg0
// CHECK-NOT: qbackend.observe %arg0
// CHECK: inputs(%[[X]])
// CHECK: inputs(%[[X]])
// CHECK: return
func.func @two_consumers(%x: !t) -> (!t, !t) {
  %s = qbackend.operator [#qbackend.sigmoid] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %c = qbackend.operator [#qbackend.hardswish] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %s, %c : !t, !t
}

// -----

// The first input of a cat says how all are observed, although the sigmoid with
// its fixed range was computed before.
!t = tensor<1x4xf32>
!t2 = tensor<1x8xf32>
// CHECK-DAG: qbackend.observer @arg0 <histogram, ui8>
// CHECK-DAG: qbackend.observer @[[S:.*]] <histogram, ui8>
// CHECK-LABEL: func.func @cat_with_fixed_range
// CHECK: #qbackend.sigmoid
// CHECK: by @[[S]]
// CHECK: #qbackend.hardswish
// CHECK: by @[[S]]
// CHECK: #qbackend.cat
// CHECK: by @[[S]]
func.func @cat_with_fixed_range(%x: !t) -> !t2 {
  %s = qbackend.operator [#qbackend.sigmoid] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %h = qbackend.operator [#qbackend.hardswish] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %c = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%h, %s) : (!t, !t) -> !t2 {
  ^bb0(%a: !t, %b: !t):
    %e = tensor.empty() : !t2
    qbackend.yield %e : !t2
  }
  return %c : !t2
}
