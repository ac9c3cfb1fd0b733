// What TOSA adds up is another sum where a bias comes behind it: in depthwise
// convolutions. Faults in what is given are found.
// REQUIRES: z3
// RUN: qbackend-prove %s --form=tosa | FileCheck %s
// DEFINE: %{change} =
// DEFINE: %{prove} = qbackend-prove
// DEFINE: %{given} = qbackend-opt %s --convert-qnnpack-to-tosa --qbackend-lower-tosa | sed '%{change}' > %t.mlir && %{prove} %s --form=tosa --lowered=%t.mlir | FileCheck %s
// RUN: %{given}
// REDEFINE: %{prove} = not qbackend-prove
// REDEFINE: %{change} = s/dense<.100, -25.>/dense<[100, -24]>/
// RUN: %{given} --check-prefix=BIAS
// BIAS: the result: counterexample, with
// BIAS-NEXT: confirmed: emitted
// REDEFINE: %{change} = s/constant -3 : i32/constant -2 : i32/
// RUN: %{given} --check-prefix=ZERO
// ZERO: the result: counterexample, with
// ZERO-NEXT: confirmed: emitted
// REDEFINE: %{change} = s/dense<.36, 37.>/dense<[36, 36]>/
// RUN: %{given} --check-prefix=SHIFT
// SHIFT: the result: counterexample, with

!x = !quant.uniform<i8:f32, 0.05:-3>
!y = !quant.uniform<i8:f32, 0.1:5>
!w = !quant.uniform<i8:f32, 0.02>

// CHECK: qnnpack.conv2d in @depthwise: proven
// CHECK: a step of the sum: proven
// CHECK-NEXT: what the sum begins with: proven, by all constants, with what comes behind the sum
// CHECK-NEXT: the result: proven, by z3
func.func @depthwise(%x: tensor<1x4x4x2x!x>) -> tensor<1x3x3x2x!y> {
  %i = arith.constant dense<[[[[1], [-2]], [[3], [4]]], [[[50], [6]], [[-70], [8]]]]> : tensor<2x2x2x1xi8>
  %w = quant.scast %i : tensor<2x2x2x1xi8> to tensor<2x2x2x1x!w>
  %b = arith.constant dense<[100, -25]> : tensor<2xi32>
  %y = qnnpack.conv2d %x, %w, %b {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64, requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1417339207, 1173741824], shift = [36, 37]>}
    : tensor<1x4x4x2x!x>, tensor<2x2x2x1x!w>, tensor<2xi32> -> tensor<1x3x3x2x!y>
  return %y : tensor<1x3x3x2x!y>
}
