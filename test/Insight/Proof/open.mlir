// What has no formula here is open, and no success; floats are only counted.
// REQUIRES: z3
// RUN: not qbackend-prove %s | FileCheck %s
// RUN: not qbackend-prove %s --format=json | FileCheck %s --check-prefix=JSON

!x = !quant.uniform<u8:f32, 0.05:120>
!s = !quant.uniform<u8:f32, 0.00390625>
!w = !quant.uniform<i8:f32, 0.02>

// CHECK: 1. qnnpack.softmax in @softmax: open
// CHECK-NEXT: no formula: floats, which are not proven
// JSON: "verdict": "open"
// JSON: "reason": "no formula: floats, which are not proven"
func.func @softmax(%x: tensor<2x4x!x>) -> tensor<2x4x!s> {
  %y = qnnpack.softmax %x {axis = 1 : i64} : tensor<2x4x!x> -> tensor<2x4x!s>
  return %y : tensor<2x4x!s>
}

// CHECK: 2. qnnpack.linear in @argument: open
// CHECK-NEXT: no formula: the weight is no constant
func.func @argument(%x: tensor<2x4x!x>, %w: tensor<3x4x!w>) -> tensor<2x3x!x> {
  %y = qnnpack.linear %x, %w : tensor<2x4x!x>, tensor<3x4x!w> -> tensor<2x3x!x>
  return %y : tensor<2x3x!x>
}

// CHECK: 3. qnnpack.relu in @real: proven
// CHECK: 3 operators: 1 proven, 0 bounded, 2 open, 0 counterexamples
// CHECK: nothing is said about: 1 math.exp
// JSON: "unjudged": {
// JSON-NEXT: "math.exp": 1
func.func @real(%x: tensor<4x!x>, %y: tensor<4xf32>) -> (tensor<4x!x>, tensor<4xf32>) {
  %0 = qnnpack.relu %x : tensor<4x!x> -> tensor<4x!x>
  %1 = math.exp %y : tensor<4xf32>
  return %0, %1 : tensor<4x!x>, tensor<4xf32>
}
