// RUN: qbackend-opt %s --qbackend-observe -split-input-file | FileCheck %s --check-prefixes=CHECK,GROUPS
// RUN: qbackend-opt %s --qbackend-observe=sharing=fx -split-input-file | FileCheck %s --check-prefixes=CHECK,FX
// RUN: not qbackend-opt %s --qbackend-observe=sharing=all -split-input-file 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: for the --sharing option: Cannot find option named 'all'!

// In groups, what shares directly or not is one. FX gives the output of the
// inner cat the outer one's observer, and leaves its inputs as they are.

!t = tensor<1x4xf32>
!u = tensor<1x8xf32>
!v = tensor<1x12xf32>
// CHECK-LABEL: func.func @nested_cat
// CHECK-DAG: qbackend.observe %arg0 by @x
// GROUPS-DAG: qbackend.observe %arg1 by @x
// GROUPS-DAG: qbackend.observe %arg2 by @x
// FX-DAG: qbackend.observe %arg1 by @y
// FX-DAG: qbackend.observe %arg2 by @y
// CHECK: %[[I:.*]] = qbackend.operator [#qbackend.cat
// CHECK: %[[O:.*]] = qbackend.observe %[[I]] by @x
// CHECK: %[[C:.*]] = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%{{.*}}, %[[O]])
// CHECK: qbackend.observe %[[C]] by @x
func.func @nested_cat(%x: !t loc("x"), %y: !t loc("y"), %z: !t loc("z")) -> !v {
  %0 = qbackend.operator [#qbackend.elu<alpha = 1.0>] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("elu")
  %1 = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%y, %z) : (!t, !t) -> !u {
  ^bb0(%a: !t, %b: !t):
    %e = tensor.empty() : !u
    qbackend.yield %e : !u
  } loc("inner")
  %2 = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%x, %1) : (!t, !u) -> !v {
  ^bb0(%a: !t, %b: !u):
    %e = tensor.empty() : !v
    qbackend.yield %e : !v
  } loc("outer")
  return %2 : !v
}

// -----

// The elements of a stack are its inputs, without the new dimension.
!t = tensor<1x4xf32>
!r = tensor<1x1x4xf32>
!s = tensor<2x1x4xf32>
// CHECK-LABEL: func.func @stack
// CHECK-DAG: qbackend.observe %arg0 by @x
// CHECK-DAG: qbackend.observe %arg1 by @x
func.func @stack(%x: !t loc("x"), %y: !t loc("y")) -> !s {
  %0 = qbackend.operator [#qbackend.reshape] inputs(%x) : (!t) -> !r {
  ^bb0(%a: !t):
    %e = tensor.empty() : !r
    qbackend.yield %e : !r
  }
  %1 = qbackend.operator [#qbackend.reshape] inputs(%y) : (!t) -> !r {
  ^bb0(%a: !t):
    %e = tensor.empty() : !r
    qbackend.yield %e : !r
  }
  %2 = qbackend.operator [#qbackend.cat<axis = 0>] inputs(%0, %1) : (!r, !r) -> !s {
  ^bb0(%a: !r, %b: !r):
    %e = tensor.empty() : !s
    qbackend.yield %e : !s
  }
  return %2 : !s
}
