// RUN: qbackend-opt %s --qbackend-lower-asserts | FileCheck %s

// CHECK: func.func private @qbackend_runtime_assert_failed(i64)
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:.*]]: i1, %[[B:.*]]: i1)
// CHECK: cf.cond_br %[[A]], ^[[PASSED:.*]], ^
// CHECK: arith.constant 0 : i64
// CHECK: call @qbackend_runtime_assert_failed
// CHECK: ^[[PASSED]]:
// CHECK: cf.cond_br %[[B]]
// CHECK: arith.constant 1 : i64
// CHECK: call @qbackend_runtime_assert_failed
func.func @main(%a: i1, %b: i1) {
  cf.assert %a, "first"
  cf.assert %b, "second"
  return
}
