// RUN: qbackend-opt %s --qbackend-observe=backend=qnnpack --remarks-filter='qbackend.*' -verify-diagnostics -o %t

// Values that share the fixed parameters of others are clipped, and it is said
// where; values with the same parameters, and those that only follow, are not.

!t = tensor<1x4xf32>
!c = tensor<1x20xf32>
func.func @shared(%x: !t, %y: !t) -> !c {
  %0 = qbackend.operator [#qbackend.softmax<axis = 1>] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  // expected-remark @+1 {{[Analysis] QB114 | Category:qbackend | Function=shared | Operator=add, Reason="its result shares the fixed parameters of other values, which clip what they can't hold", Suggestion="keep the operator that joins them float, with the qconfig none"}}
  %1 = qbackend.operator [#qbackend.add] inputs(%x, %y) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  }
  %3 = qbackend.operator [#qbackend.sigmoid] inputs(%y) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  // expected-remark @+1 {{QB114 | Category:qbackend | Function=shared | Operator=tanh, Reason="its result shares the fixed parameters of other values,}}
  %4 = qbackend.operator [#qbackend.tanh] inputs(%y) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %5 = math.exp %y : !t
  // expected-remark @+1 {{QB114 | Category:qbackend | Function=shared | Operator=cat, Reason="its input shares the fixed parameters of other values,}}
  %6 = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%0, %1, %3, %4, %5) : (!t, !t, !t, !t, !t) -> !c {
  ^bb0(%a: !t, %b: !t, %d: !t, %e: !t, %f: !t):
    %r = tensor.concat dim(1) %a, %b, %d, %e, %f : (!t, !t, !t, !t, !t) -> !c
    qbackend.yield %r : !c
  }
  %7 = qbackend.operator [#qbackend.relu] inputs(%6) : (!c) -> !c {
  ^bb0(%a: !c):
    qbackend.yield %a : !c
  }
  return %7 : !c
}

// Another value is first: its observer sees all.
func.func @first(%x: !t) -> tensor<1x8xf32> {
  %0 = qbackend.operator [#qbackend.softmax<axis = 1>] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %1 = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%x, %0) : (!t, !t) -> tensor<1x8xf32> {
  ^bb0(%a: !t, %b: !t):
    %r = tensor.concat dim(1) %a, %b : (!t, !t) -> tensor<1x8xf32>
    qbackend.yield %r : tensor<1x8xf32>
  }
  return %1 : tensor<1x8xf32>
}
