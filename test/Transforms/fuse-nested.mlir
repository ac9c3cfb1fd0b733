// RUN: qbackend-opt %s --qbackend-fuse=backend=@b --remarks-filter='qbackend.*' -verify-diagnostics | FileCheck %s

// A nested pattern names the operands of its operators. The root's inputs come
// first in what it becomes, then the extra ones.

qbackend.backend_config @b version 2 {
  qbackend.pattern_config relu(add(linear, _)) <dtypes = [], root = [0, 0], extra_inputs = [[0, 1]], fuser_method = "fuse_conv_add_relu_left">
  // expected-note @+1 {{this pattern}}
  qbackend.pattern_config add(_, linear) <dtypes = [], extra_inputs = [[0]], fuser_method = "fuse_conv_add_right">
  // expected-note @+1 {{this pattern}}
  qbackend.pattern_config tanh(mul(_, 2)) <dtypes = [], root = [0]>
}

!x = tensor<1x2xf32>
!w = tensor<2x2xf32>

// CHECK-LABEL: func.func @left
// CHECK-SAME: (%[[X:.*]]: tensor<1x2xf32>, %[[Y:.*]]: tensor<1x2xf32>, %[[W:.*]]: tensor<2x2xf32>)
// CHECK-NEXT: %[[R:.*]] = qbackend.operator [#qbackend.linear, #qbackend.add, #qbackend.relu] inputs(%[[X]], %[[Y]]) weight(%[[W]])
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<1x2xf32>, %[[B:.*]]: tensor<1x2xf32>, %{{.*}}: tensor<2x2xf32>):
// CHECK-NEXT: %[[L:.*]] = math.exp %[[A]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[L]], %[[B]]
// CHECK-NEXT: %[[T:.*]] = math.absf %[[S]]
// CHECK-NEXT: qbackend.yield %[[T]]
// CHECK: return %[[R]]
func.func @left(%x: !x, %y: !x, %w: !w) -> !x {
  %l = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (!x, !w) -> !x {
  ^bb0(%a: !x, %v: !w):
    %e = math.exp %a : !x
    qbackend.yield %e : !x
  }
  %s = qbackend.operator [#qbackend.add] inputs(%l, %y) : (!x, !x) -> !x {
  ^bb0(%a: !x, %b: !x):
    %e = arith.addf %a, %b : !x
    qbackend.yield %e : !x
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%s) : (!x) -> !x {
  ^bb0(%a: !x):
    %e = math.absf %a : !x
    qbackend.yield %e : !x
  }
  return %r : !x
}

// CHECK-LABEL: func.func @right
// CHECK-SAME: (%[[X:.*]]: tensor<1x2xf32>, %[[Y:.*]]: tensor<1x2xf32>, %[[W:.*]]: tensor<2x2xf32>)
// CHECK-NEXT: qbackend.operator [#qbackend.linear, #qbackend.add] inputs(%[[X]], %[[Y]]) weight(%[[W]])
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<1x2xf32>, %[[B:.*]]: tensor<1x2xf32>,
// CHECK-NEXT: %[[L:.*]] = math.exp %[[A]]
// CHECK-NEXT: arith.subf %[[B]], %[[L]]
func.func @right(%x: !x, %y: !x, %w: !w) -> !x {
  %l = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (!x, !w) -> !x {
  ^bb0(%a: !x, %v: !w):
    %e = math.exp %a : !x
    qbackend.yield %e : !x
  }
  %s = qbackend.operator [#qbackend.add] inputs(%y, %l) : (!x, !x) -> !x {
  ^bb0(%a: !x, %b: !x):
    %e = arith.subf %a, %b : !x
    qbackend.yield %e : !x
  }
  return %s : !x
}

// The sum of a result with itself uses it twice.
// CHECK-LABEL: func.func @twice
// CHECK: qbackend.operator [#qbackend.linear] inputs
// CHECK: qbackend.operator [#qbackend.add] inputs
func.func @twice(%x: !x, %w: !w) -> !x {
  %l = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (!x, !w) -> !x {
  ^bb0(%a: !x, %v: !w):
    qbackend.yield %a : !x
  }
  // expected-remark @+1 {{not fused: the result of linear has other users}}
  %s = qbackend.operator [#qbackend.add] inputs(%l, %l) : (!x, !x) -> !x {
  ^bb0(%a: !x, %b: !x):
    qbackend.yield %b : !x
  }
  return %s : !x
}

// A number matches an equal one, and nothing else.
// CHECK-LABEL: func.func @number
// CHECK: qbackend.operator [#qbackend.mul<scalar = 2.000000e+00>, #qbackend.tanh] inputs
// CHECK: qbackend.operator [#qbackend.mul<scalar = 3.000000e+00>] inputs
// CHECK: qbackend.operator [#qbackend.tanh] inputs
func.func @number(%x: !x) -> !x {
  %m = qbackend.operator [#qbackend.mul<scalar = 2.0>] inputs(%x) : (!x) -> !x {
  ^bb0(%a: !x):
    qbackend.yield %a : !x
  }
  %t = qbackend.operator [#qbackend.tanh] inputs(%m) : (!x) -> !x {
  ^bb0(%a: !x):
    qbackend.yield %a : !x
  }
  // expected-note @+1 {{the difference}}
  %n = qbackend.operator [#qbackend.mul<scalar = 3.0>] inputs(%t) : (!x) -> !x {
  ^bb0(%a: !x):
    qbackend.yield %a : !x
  }
  // expected-remark @+1 {{QB112 | Category:qbackend | Function=number | Operator=mul+tanh, Reason="not fused: argument 1 of mul is not what the pattern has there"}}
  %u = qbackend.operator [#qbackend.tanh] inputs(%n) : (!x) -> !x {
  ^bb0(%a: !x):
    qbackend.yield %a : !x
  }
  return %u : !x
}
