// RUN: qbackend-opt %s --qbackend-inline-operators | FileCheck %s

!t = tensor<1x4xf32>

// CHECK-LABEL: func.func @body
// CHECK-SAME: (%[[X:.*]]: tensor<1x4xf32>)
// CHECK-NEXT: %[[C:.*]] = math.floor %[[X]]
// CHECK-NEXT: %[[F:.*]] = math.absf %[[C]]
// CHECK-NEXT: return %[[F]]
func.func @body(%x: !t) -> !t {
  %r = qbackend.operator [#qbackend.relu] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    %c = math.floor %a : !t
    qbackend.yield %c : !t
  }
  %s = qbackend.operator [#qbackend.relu] inputs(%r) : (!t) -> !t {
  ^bb0(%a: !t):
    %c = math.absf %a : !t
    qbackend.yield %c : !t
  }
  return %s : !t
}

// Roles that the body doesn't read are gone, and so is what computes them.
// CHECK-LABEL: func.func @unused_role
// CHECK-NEXT: return %arg0
func.func @unused_role(%x: !t) -> !t {
  %w = arith.constant dense<1.0> : tensor<4x4xf32>
  %r = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (!t, tensor<4x4xf32>) -> !t {
  ^bb0(%a: !t, %b: tensor<4x4xf32>):
    qbackend.yield %a : !t
  }
  return %r : !t
}

// Transposes that meet cancel; one of a constant is a constant.
// CHECK-LABEL: func.func @cancel
// CHECK-DAG: %[[C:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK: %[[S:.*]] = arith.addf %arg0, %[[C]]
// CHECK-NOT: transpose
// CHECK: return
func.func @cancel(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %t = qbackend.transpose %x [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %r = qbackend.operator [#qbackend.relu] inputs(%t) : (tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>):
    %u = qbackend.transpose %a [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
    %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %v = qbackend.transpose %w [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
    %c = arith.addf %u, %v : tensor<2x2xf32>
    qbackend.yield %c : tensor<2x2xf32>
  }
  return %r : tensor<2x2xf32>
}

// What remains is linalg; a dynamic extent moves along.
// CHECK-LABEL: func.func @remaining
// CHECK: %[[D:.*]] = tensor.dim %arg0, %c0
// CHECK: %[[E:.*]] = tensor.empty(%[[D]]) : tensor<3x?xf32>
// CHECK: linalg.transpose ins(%arg0 : tensor<?x3xf32>) outs(%[[E]] : tensor<3x?xf32>) permutation = [1, 0]
func.func @remaining(%x: tensor<?x3xf32>) -> tensor<3x?xf32> {
  %t = qbackend.transpose %x [1, 0] : tensor<?x3xf32> -> tensor<3x?xf32>
  return %t : tensor<3x?xf32>
}

// Observers stay; a transpose passes them, and meets its inverse.
// CHECK-LABEL: func.func @observed
// CHECK-NEXT: %[[O:.*]] = qbackend.observe %arg0 by @o {qbackend.channel_axis = 0 : i64} : tensor<2x3xf32>
// CHECK-NEXT: math.absf %[[O]]
// CHECK-NOT: transpose
// CHECK: return
qbackend.observer @o <min_max, ui8>
func.func @observed(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %t = qbackend.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %o = qbackend.observe %t by @o : tensor<3x2xf32>
  %r = qbackend.operator [#qbackend.relu] inputs(%o) : (tensor<3x2xf32>) -> tensor<3x2xf32> {
  ^bb0(%a: tensor<3x2xf32>):
    %u = qbackend.transpose %a [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
    %c = math.absf %u : tensor<2x3xf32>
    %v = qbackend.transpose %c [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    qbackend.yield %v : tensor<3x2xf32>
  }
  %b = qbackend.transpose %r [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  return %b : tensor<2x3xf32>
}
