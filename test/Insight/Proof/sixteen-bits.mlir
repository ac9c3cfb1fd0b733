// Activations of 16 bits: sums of 64, multipliers of 15.
// REQUIRES: z3
// RUN: qbackend-prove %s | FileCheck %s
// RUN: qbackend-prove %s --form=linalg-unsigned-bytes | FileCheck %s
// RUN: qbackend-prove %s --form=kernels --target=scalar | FileCheck %s --check-prefix=KERNELS
// RUN: qbackend-prove %s --form=tosa | FileCheck %s --check-prefix=TOSA
// TOSA: form tosa

// Of 48 bits, with a shift, a bias or a border that is another one.
// DEFINE: %{change} =
// DEFINE: %{fault} = qbackend-opt %s --convert-qnnpack-to-tosa --qbackend-lower-tosa | sed '%{change}' > %t.mlir && not qbackend-prove %s --form=tosa --lowered=%t.mlir | FileCheck %s
// REDEFINE: %{change} = s/dense<.20, 31.>/dense<[20, 30]>/
// RUN: %{fault} --check-prefix=SHIFT
// REDEFINE: %{change} = s/-35184372088832/-35184372088831/
// RUN: %{fault} --check-prefix=BIAS
// REDEFINE: %{change} = s/low.0, 1, 1, 0. high.0, 1/low[0, 2, 1, 0] high[0, 0/
// RUN: %{fault} --check-prefix=BORDER
// SHIFT: the result: counterexample
// SHIFT-NEXT: confirmed: emitted
// BIAS: the result: counterexample
// BIAS-NEXT: confirmed: emitted
// BORDER: a step of the sum: counterexample
// BORDER-NEXT: confirmed: emitted

!x16 = !quant.uniform<i16:f32, 1.0>
!w = !quant.uniform<i8:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384, 20001], shift = [20, 31]>
// CHECK: qnnpack.conv2d in @wide: proven
// CHECK-NEXT: formula: acc = bias[o] + sum (x - zx) (w - zw); clamp(round(acc * m / 2^s){{.*}}half_up
// CHECK-NEXT: a step of the sum: proven, by all 262144 inputs
// CHECK-NEXT: what the sum begins with: proven, by all constants
// CHECK-NEXT: the result: proven, by z3, 2 cases of constants
// CHECK-NEXT: 47 bits of 64
// KERNELS: qnnpack.conv2d in @wide: proven
// TOSA: qnnpack.conv2d in @wide: proven
// TOSA: the result: proven, by z3, 2 cases of constants
func.func @wide(%x: tensor<1x4x4x2x!x16>) -> tensor<1x4x4x2x!x16> {
  %i = arith.constant dense<"0x0102FD7F050607080A8102FC0E0F101112131415161718191A1B1C1D1E1F2021222324FF"> : tensor<2x3x3x2xi8>
  %w = quant.scast %i : tensor<2x3x3x2xi8> to tensor<2x3x3x2x!w>
  %b = arith.constant dense<[-35184372088832, 9]> : tensor<2xi64>
  %y = qnnpack.conv2d %x, %w, %b {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, relu, requantization = #wide}
    : tensor<1x4x4x2x!x16>, tensor<2x3x3x2x!w>, tensor<2xi64> -> tensor<1x4x4x2x!x16>
  return %y : tensor<1x4x4x2x!x16>
}
// Of -128, 5 and 6: -128 * 32767 - 11 * 32768 and 128 * 32768 + 11 * 32767.
// CHECK: qnnpack.linear in @wide_linear: proven
// CHECK: sums: -4554624 to 4554741, 24 bits of 64
// TOSA: qnnpack.linear in @wide_linear: proven
// KERNELS: qnnpack.linear in @wide_linear: proven
// KERNELS-NEXT: formula:
// KERNELS-NEXT: a step of the sum: proven, by the same term, 6 cases of constants
// KERNELS: the sums of the kernel: proven, by each product once
// KERNELS-NEXT: the result of the kernel: proven, by z3
func.func @wide_linear(%x: tensor<?x3x!x16>) -> tensor<?x2x!x16> {
  %i = arith.constant dense<[[1, -2, 127], [-128, 5, 6]]> : tensor<2x3xi8>
  %w = quant.scast %i : tensor<2x3xi8> to tensor<2x3x!w>
  %y = qnnpack.linear %x, %w {requantization = #qnnpack.requantization<rounding = half_up, multiplier = [20001], shift = [25]>} : tensor<?x3x!x16>, tensor<2x3x!w> -> tensor<?x2x!x16>
  return %y : tensor<?x2x!x16>
}
