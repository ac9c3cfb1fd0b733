// Fixed-point requantization: one law of all products for each rounding and shift,
// whatever the multiplier is.
// REQUIRES: z3
// RUN: qbackend-prove %s | FileCheck %s
// RUN: qbackend-prove %s --form=linalg-unsigned-bytes | FileCheck %s --check-prefix=ALL
// RUN: qbackend-prove %s --form=kernels --target=scalar --target-triple=x86_64-linux-gnu --target-cpu=x86-64 | FileCheck %s --check-prefix=KERNELS
// RUN: qbackend-prove %s --form=kernels --target-triple=thumbv7em-none-eabihf --target-cpu=cortex-m4 --target=arm | FileCheck %s --check-prefix=KERNELS
// RUN: qbackend-prove %s --form=kernels --target=avx2 --target-triple=x86_64-linux-gnu --target-cpu=x86-64 --target-features=+avx2,+fma | FileCheck %s --check-prefix=ALL
// RUN: qbackend-prove %s --form=kernels --target=sse2 --target-triple=x86_64-linux-gnu --target-cpu=x86-64 | FileCheck %s --check-prefix=ALL
// RUN: not qbackend-prove %s --form=tosa | FileCheck %s --check-prefix=TOSA

!x = !quant.uniform<i8:f32, 0.05:-3>
!y = !quant.uniform<i8:f32, 0.1:5>
!z = !quant.uniform<i8:f32, 0.2:7>
!w = !quant.uniform<i8:f32:0, {0.01, 0.02, 0.03}>
!ws = !quant.uniform<i8:f32, 0.02>
!u = !quant.uniform<u8:f32, 0.05:120>
!v = !quant.uniform<u8:f32, 0.1:30>

// ALL: 0 bounded, 0 open, 0 counterexamples

// TOSA has no such ties.
// CHECK: qnnpack.linear in @nearest_even: proven
// CHECK-NEXT: clamp(round(acc * m / 2^s), lo - zy, hi - zy) + zy, rounded nearest_even
// CHECK: the result: proven, by z3, 3 cases of constants
// TOSA: qnnpack.linear in @nearest_even: open
func.func @nearest_even(%x: tensor<2x2x!x>) -> tensor<2x3x!y> {
  %i = arith.constant dense<[[1, -2], [7, 100], [-128, 5]]> : tensor<3x2xi8>
  %w = quant.scast %i : tensor<3x2xi8> to tensor<3x2x!w>
  %b = arith.constant dense<[2147483647, -3, 12]> : tensor<3xi32>
  %y = qnnpack.linear %x, %w, %b {requantization = #qnnpack.requantization<rounding = nearest_even, multiplier = [1073741824, 1417339207, 5], shift = [32, 36, 2]>} : tensor<2x2x!x>, tensor<3x2x!w>, tensor<3xi32> -> tensor<2x3x!y>
  return %y : tensor<2x3x!y>
}

// CHECK: qnnpack.conv2d in @half_up: proven
// CHECK: rounded half_up
// CHECK: the result: proven, by z3, 3 cases of constants
// KERNELS: qnnpack.conv2d in @half_up: proven
// KERNELS: the result of the kernel: proven, by z3, 3 cases of constants
// TOSA: qnnpack.conv2d in @half_up: proven
// TOSA: the result: proven, by z3, 3 cases of constants
func.func @half_up(%x: tensor<1x4x4x1x!x>) -> tensor<1x4x4x3x!y> {
  %i = arith.constant dense<[[[[1], [2], [3]], [[-4], [5], [6]], [[7], [-8], [9]]], [[[1], [2], [3]], [[-4], [5], [6]], [[7], [-8], [9]]], [[[1], [2], [3]], [[-4], [5], [6]], [[7], [-8], [9]]]]> : tensor<3x3x3x1xi8>
  %w = quant.scast %i : tensor<3x3x3x1xi8> to tensor<3x3x3x1x!w>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, relu, requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1073741824, 1417339207, 2147483647], shift = [32, 38, 62]>} : tensor<1x4x4x1x!x>, tensor<3x3x3x1x!w> -> tensor<1x4x4x3x!y>
  return %y : tensor<1x4x4x3x!y>
}

// CHECK: qnnpack.linear in @half_away: proven
// TOSA: qnnpack.linear in @half_away: open
func.func @half_away(%x: tensor<2x2x!x>) -> tensor<2x3x!y> {
  %i = arith.constant dense<[[1, -2], [7, 100], [-128, 5]]> : tensor<3x2xi8>
  %w = quant.scast %i : tensor<3x2xi8> to tensor<3x2x!ws>
  %y = qnnpack.linear %x, %w {requantization = #qnnpack.requantization<rounding = half_away, multiplier = [1417339207], shift = [33]>} : tensor<2x2x!x>, tensor<3x2x!ws> -> tensor<2x3x!y>
  return %y : tensor<2x3x!y>
}

// Shifts of 31 and more than 31: the second rounding is of the latter alone.
// CHECK: qnnpack.linear in @double: proven
// CHECK: rounded double
// CHECK: the result: proven, by z3, 3 cases of constants
// TOSA: qnnpack.linear in @double: proven
func.func @double(%x: tensor<2x2x!x>) -> tensor<2x3x!y> {
  %i = arith.constant dense<[[1, -2], [7, 100], [-128, 5]]> : tensor<3x2xi8>
  %w = quant.scast %i : tensor<3x2xi8> to tensor<3x2x!w>
  %y = qnnpack.linear %x, %w {requantization = #qnnpack.requantization<rounding = double, multiplier = [1073741824, 1417339207, 0], shift = [32, 31, 39]>} : tensor<2x2x!x>, tensor<3x2x!w> -> tensor<2x3x!y>
  return %y : tensor<2x3x!y>
}

// CHECK: qnnpack.linear in @unsigned: proven
// TOSA: qnnpack.linear in @unsigned: proven
func.func @unsigned(%x: tensor<2x2x!u>) -> tensor<2x3x!v> {
  %i = arith.constant dense<[[1, -2], [7, 100], [-128, 5]]> : tensor<3x2xi8>
  %w = quant.scast %i : tensor<3x2xi8> to tensor<3x2x!ws>
  %y = qnnpack.linear %x, %w {requantization = #qnnpack.requantization<rounding = double, multiplier = [1417339207], shift = [35]>} : tensor<2x2x!u>, tensor<3x2x!ws> -> tensor<2x3x!v>
  return %y : tensor<2x3x!v>
}

// CHECK: qnnpack.mul in @fixed_mul: proven
// CHECK: the result: proven, by all 65536 inputs
// TOSA: qnnpack.mul in @fixed_mul: proven
func.func @fixed_mul(%a: tensor<4x!x>, %b: tensor<4x!y>) -> tensor<4x!z> {
  %y = qnnpack.mul %a, %b {requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1417339207], shift = [36]>} : tensor<4x!x>, tensor<4x!y> -> tensor<4x!z>
  return %y : tensor<4x!z>
}

// CHECK: qnnpack.add in @fixed_add: proven
// CHECK-NEXT: R(R_lhs(a - za) + R_rhs(b - zb))
// CHECK: the result: proven, by all 65536 inputs
// TOSA: qnnpack.add in @fixed_add: proven
func.func @fixed_add(%a: tensor<4x!x>, %b: tensor<4x!y>) -> tensor<4x!z> {
  %y = qnnpack.add %a, %b {lhs_requantization = #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [32], left_shift = 20>, rhs_requantization = #qnnpack.requantization<rounding = double, multiplier = [1417339207], shift = [31], left_shift = 20>, requantization = #qnnpack.requantization<rounding = double, multiplier = [1717986918], shift = [50]>} : tensor<4x!x>, tensor<4x!y> -> tensor<4x!z>
  return %y : tensor<4x!z>
}

// A sum in a kernel: the byte of the layer, of all products, and then all pairs.
// CHECK: qnnpack.add in @residual: proven
// KERNELS: qnnpack.conv2d + qnnpack.add in @residual: proven
// KERNELS: the byte that is added: proven, by the same term
// KERNELS: the byte that the kernel adds: proven, by z3
// KERNELS-NEXT: the result of the kernel: proven, by all 65536 inputs
// KERNELS: 0 bounded, 0 open, 0 counterexamples
func.func @residual(%x: tensor<1x2x2x2x!x>, %r: tensor<1x2x2x2x!y>) -> tensor<1x2x2x2x!z> {
  %i = arith.constant dense<[[[[1, -2]]], [[[7, 100]]]]> : tensor<2x1x1x2xi8>
  %w = quant.scast %i : tensor<2x1x1x2xi8> to tensor<2x1x1x2x!ws>
  %c = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1417339207], shift = [36]>} : tensor<1x2x2x2x!x>, tensor<2x1x1x2x!ws> -> tensor<1x2x2x2x!y>
  %y = qnnpack.add %c, %r {lhs_requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1073741824], shift = [11]>, rhs_requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1417339207], shift = [12]>, requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1073741824], shift = [50]>} : tensor<1x2x2x2x!y>, tensor<1x2x2x2x!y> -> tensor<1x2x2x2x!z>
  return %y : tensor<1x2x2x2x!z>
}
