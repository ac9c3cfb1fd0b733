// RUN: qbackend-opt %s --qbackend-observe=backend=@b -split-input-file | FileCheck %s
// RUN: not qbackend-opt %s --qbackend-observe="backend=@b sharing=fx" -split-input-file 2>&1 | FileCheck %s --check-prefix=FX

// FX: error: sharing=fx is for backends without 'edges', which 'b' has; leave it out
// FX: note: this pattern has them

// Specs of edges: own observers in front of a reader, sharing from edge to edge,
// implicit sharing of equal numbers, and fixed parameters.

!t = tensor<1x4xf32>
!u = tensor<1x8xf32>
#act = #qbackend.observer<histogram, si8>
#types = #qbackend.dtype_config<input = <si8>, output = <si8>>
#chain = #qbackend.edges<inputs = [shared producer], output = shared input0>

qbackend.backend_config @b version 2 default_qconfig @m {
  qbackend.pattern_config [add] <dtypes = [#types]> {qbackend.edges = #qbackend.edges<inputs = [own], output = own>}
  qbackend.pattern_config [mul] <dtypes = [#types]> {qbackend.edges = #qbackend.edges<inputs = [own, none]>}
  qbackend.pattern_config [relu] <dtypes = [#types]> {qbackend.edges = #chain}
  qbackend.pattern_config [elu] <dtypes = [#types]> {qbackend.edges = #qbackend.edges<inputs = [shared_or_own producer], output = shared input0>}
  qbackend.pattern_config [cat] <dtypes = [#types]> {qbackend.edges = #qbackend.edges<inputs = [own, shared input0], output = shared input0>}
  qbackend.pattern_config [tanh] <dtypes = [#types]> {qbackend.edges = #qbackend.edges<inputs = [own by <fixed_qparams, si8, scale = 0.5, zero_point = 0>], output = own by <fixed_qparams, si8, scale = 0.00390625, zero_point = -128>>}
  qbackend.pattern_config [sigmoid] <dtypes = [#types]> {qbackend.edges = #qbackend.edges<inputs = [own], output = own, if = [inputs_quantized]>}
  qbackend.pattern_config [silu] <dtypes = [#types]> {qbackend.edges = #qbackend.edges<inputs = [own], output = own, if = [user_quantized]>}
  qbackend.qconfig_mapping @m {
    qbackend.qconfig global <activation = #act, weight = <min_max, si8>>
  }
}

// An addition has observers of its own; a chain behind it shares the result's, and
// so do two reads of one value. In front of a chain without a producer there is
// none: it stays float.
// CHECK-LABEL: func.func @chain
// CHECK: %[[X:.*]] = qbackend.observe %arg0 by @x
// CHECK: qbackend.operator [#qbackend.relu] inputs(%arg0) decision(#qbackend.float<code = "QB124">)
// CHECK: qbackend.operator [#qbackend.add] inputs(%[[X]], %[[X]])
// CHECK: %[[A:.*]] = qbackend.observe %{{.*}} by @add
// CHECK: qbackend.operator [#qbackend.relu] inputs(%[[A]]) qconfig
// CHECK: %[[R:.*]] = qbackend.observe %{{.*}} by @add
// CHECK: qbackend.operator [#qbackend.elu<{{.*}}>] inputs(%[[R]]) qconfig
// CHECK: qbackend.observe %{{.*}} by @add
func.func @chain(%x: !t loc("x")) -> (!t, !t) {
  %0 = qbackend.operator [#qbackend.relu] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("first")
  %1 = qbackend.operator [#qbackend.add] inputs(%x, %x) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  } loc("add")
  %2 = qbackend.operator [#qbackend.relu] inputs(%1) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("relu")
  %3 = qbackend.operator [#qbackend.elu<alpha = 1.0>] inputs(%2) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("elu")
  return %0, %3 : !t, !t
}

// Sharing is transitive: both concatenations, and what is added to, are one group.
// The product has no observer of its second input and none of its result.
// CHECK-LABEL: func.func @transitive
// CHECK-DAG: qbackend.observe %arg0 by @[[G:x.*]] :
// CHECK-DAG: qbackend.observe %arg1 by @[[G]] :
// CHECK-NOT: qbackend.observe %arg2
// CHECK: %[[C:.*]] = qbackend.operator [#qbackend.cat
// CHECK: %[[I:.*]] = qbackend.observe %[[C]] by @[[G]] :
// CHECK: %[[D:.*]] = qbackend.operator [#qbackend.cat{{.*}} inputs(%[[I]], %[[I]])
// CHECK: %[[O:.*]] = qbackend.observe %[[D]] by @[[G]] :
// CHECK: %[[M:.*]] = qbackend.operator [#qbackend.mul] inputs(%[[O]], %arg2) qconfig
// CHECK-NOT: qbackend.observe
// CHECK: return %[[M]]
func.func @transitive(%x: !t loc("x"), %y: !t loc("y"), %z: tensor<1x16xf32> loc("z")) -> tensor<1x16xf32> {
  %0 = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%x, %y) : (!t, !t) -> !u {
  ^bb0(%a: !t, %b: !t):
    %e = tensor.empty() : !u
    qbackend.yield %e : !u
  } loc("inner")
  %1 = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%0, %0) : (!u, !u) -> tensor<1x16xf32> {
  ^bb0(%a: !u, %b: !u):
    %e = tensor.empty() : tensor<1x16xf32>
    qbackend.yield %e : tensor<1x16xf32>
  } loc("outer")
  %2 = qbackend.operator [#qbackend.mul] inputs(%1, %z) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32> {
  ^bb0(%a: tensor<1x16xf32>, %b: tensor<1x16xf32>):
    qbackend.yield %a : tensor<1x16xf32>
  } loc("mul")
  return %2 : tensor<1x16xf32>
}

// Fixed parameters of an edge are in front of its reader, behind the observer of
// the value; other readers don't see them.
// CHECK-LABEL: func.func @fixed
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.add]
// CHECK: %[[A:.*]] = qbackend.observe %[[S]] by @[[OWN:.*]] :
// CHECK: %[[F:.*]] = qbackend.observe %[[A]] by @[[FIXED:.*]] :
// CHECK: qbackend.operator [#qbackend.tanh] inputs(%[[F]]) qconfig <activation = <fixed_qparams, si8, scale = 3.906250e-03, zero_point = -128>
// CHECK: qbackend.operator [#qbackend.sigmoid] inputs(%[[A]]) qconfig <activation = <histogram, si8>
func.func @fixed(%x: !t loc("x")) -> (!t, !t) {
  %0 = qbackend.operator [#qbackend.add] inputs(%x, %x) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  } loc("sum")
  %1 = qbackend.operator [#qbackend.tanh] inputs(%0) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("tanh")
  %2 = qbackend.operator [#qbackend.sigmoid] inputs(%0) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("sigmoid")
  return %1, %2 : !t, !t
}

// Conditions: an argument is not the result of a quantized operator, and no
// operator reads what is returned.
// CHECK-LABEL: func.func @conditions
// CHECK: #qbackend.sigmoid] inputs(%arg0) decision(#qbackend.float<code = "QB124">)
// CHECK: #qbackend.silu] inputs(%arg0) decision(#qbackend.float<code = "QB124">)
func.func @conditions(%x: !t loc("x")) -> (!t, !t) {
  %0 = qbackend.operator [#qbackend.sigmoid] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("sigmoid")
  %1 = qbackend.operator [#qbackend.silu] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("silu")
  return %0, %1 : !t, !t
}
