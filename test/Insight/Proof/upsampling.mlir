// Transposed convolutions, phase by phase, and pixels that are copied.
// REQUIRES: z3
// RUN: qbackend-prove %s | FileCheck %s
// RUN: qbackend-prove %s --form=linalg-unsigned-bytes | FileCheck %s
// RUN: qbackend-prove %s --form=onnx | FileCheck %s --check-prefix=ONNX
// ONNX: qnnpack.conv_transpose2d in @padded: proven
// ONNX: the result: proven, by all sums, 2 cases of constants
// ONNX: 9 operators: 9 proven
// RUN: not qbackend-prove %s --form=kernels --target=scalar | FileCheck %s --check-prefix=KERNELS
// KERNELS: qnnpack.conv_transpose2d in @padded: proven
// KERNELS: the sums of the kernel: proven
// KERNELS: qnnpack.conv_transpose2d in @grouped: proven
// KERNELS: 0 counterexamples

!x = !quant.uniform<u8:f32, 0.05:120>
!y = !quant.uniform<u8:f32, 0.1:30>
!xs = !quant.uniform<i8:f32, 0.05:-3>
!ys = !quant.uniform<i8:f32, 0.1:5>
!w = !quant.uniform<i8:f32:0, {0.01, 0.02}>
!ws = !quant.uniform<i8:f32, 0.02>

// A padding that is no multiple of the stride: 4, 2, 2 and 1 of the taps are of a phase.
// CHECK: qnnpack.conv_transpose2d in @padded: proven
// CHECK-NEXT: formula: acc = bias[o] + sum (x - zx) (w - zw);{{.*}}
// CHECK-NEXT: a step of the sum: proven
// CHECK-NEXT: what the sum begins with: proven, by all constants
// CHECK-NEXT: the result: proven, by z3, 2 cases of constants
// Of the corners 10, 12, -6 and -18, which are of one phase: -25 - 120 * 22 - 135 * 24
// and -25 + 135 * 22 + 120 * 24.
// CHECK-NEXT: sums: -5905 to 5825, 14 bits of 32
func.func @padded(%x: tensor<?x3x4x1x!x>) -> tensor<?x6x8x2x!y> {
  %i = arith.constant dense<[[[[1], [-2], [3]], [[4], [5], [6]], [[-7], [8], [9]]], [[[10], [1], [12]], [[13], [2], [15]], [[-6], [3], [-18]]]]> : tensor<2x3x3x1xi8>
  %w = quant.scast %i : tensor<2x3x3x1xi8> to tensor<2x3x3x1x!w>
  %b = arith.constant dense<[100, -25]> : tensor<2xi32>
  %y = qnnpack.conv_transpose2d %x, %w, %b {stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<?x3x4x1x!x>, tensor<2x3x3x1x!w>, tensor<2xi32> -> tensor<?x6x8x2x!y>
  return %y : tensor<?x6x8x2x!y>
}

// CHECK: qnnpack.conv_transpose2d in @grouped: proven
func.func @grouped(%x: tensor<1x3x3x4x!x>) -> tensor<1x6x6x2x!y> {
  %i = arith.constant dense<[[[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[[-1, 9], [3, -4]], [[5, 6], [17, 8]]]]> : tensor<2x2x2x2xi8>
  %w = quant.scast %i : tensor<2x2x2x2xi8> to tensor<2x2x2x2x!ws>
  %y = qnnpack.conv_transpose2d %x, %w {stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, output_padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64}
    : tensor<1x3x3x4x!x>, tensor<2x2x2x2x!ws> -> tensor<1x6x6x2x!y>
  return %y : tensor<1x6x6x2x!y>
}

// CHECK: qnnpack.conv_transpose1d in @dilated: proven
func.func @dilated(%x: tensor<1x5x2x!xs>) -> tensor<1x13x2x!ys> {
  %i = arith.constant dense<[[[1, 2], [3, 4], [-5, 7]], [[5, 6], [7, 8], [1, 0]]]> : tensor<2x3x2xi8>
  %w = quant.scast %i : tensor<2x3x2xi8> to tensor<2x3x2x!ws>
  %y = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 2>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 2>, groups = 1 : i64}
    : tensor<1x5x2x!xs>, tensor<2x3x2x!ws> -> tensor<1x13x2x!ys>
  return %y : tensor<1x13x2x!ys>
}

// CHECK: qnnpack.upsample_nearest2d in @nearest: proven
// CHECK-NEXT: formula: the pixel at row
// CHECK-NEXT: the result: proven
func.func @nearest(%x: tensor<?x3x4x2x!x>) -> tensor<?x6x12x2x!x> {
  %y = qnnpack.upsample_nearest2d %x : tensor<?x3x4x2x!x> -> tensor<?x6x12x2x!x>
  return %y : tensor<?x6x12x2x!x>
}

// Rows that are no sum of loops: 0, 0, 1, 1, 2.
// CHECK: qnnpack.upsample_nearest2d in @fraction: proven
// CHECK-NEXT: formula: the pixel at row
// CHECK-NEXT: the result: proven
func.func @fraction(%x: tensor<1x3x4x2x!x>) -> tensor<1x5x8x2x!x> {
  %y = qnnpack.upsample_nearest2d %x : tensor<1x3x4x2x!x> -> tensor<1x5x8x2x!x>
  return %y : tensor<1x5x8x2x!x>
}

// CHECK: qnnpack.max_pool2d in @border: proven
// CHECK-NEXT: formula: max of the taps, outside of the image of the nearest pixel, and qmin
func.func @border(%x: tensor<1x4x5x3x!x>) -> tensor<1x4x5x3x!x> {
  %y = qnnpack.max_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 2, 2, 2, 2>, dilation = array<i64: 2, 2>}
    : tensor<1x4x5x3x!x> -> tensor<1x4x5x3x!x>
  return %y : tensor<1x4x5x3x!x>
}

// The nearest pixel of a column is in the window; rows have no padding.
// CHECK: qnnpack.max_pool2d in @border_of_columns: proven
// CHECK-NEXT: formula: max of the taps inside of the image, and qmin
func.func @border_of_columns(%x: tensor<1x5x4x3x!x>) -> tensor<1x1x4x3x!x> {
  %y = qnnpack.max_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 1, 1>, dilation = array<i64: 2, 1>}
    : tensor<1x5x4x3x!x> -> tensor<1x1x4x3x!x>
  return %y : tensor<1x1x4x3x!x>
}

// A column of one pixel, which is in a phase of its own, and a result of one column.
// CHECK: qnnpack.conv_transpose2d in @column: proven
func.func @column(%x: tensor<1x3x1x2x!x>) -> tensor<1x5x3x1x!y> {
  %i = arith.constant dense<[[[[1, -2]], [[3, 4]], [[5, 6]]]]> : tensor<1x3x1x2xi8>
  %w = quant.scast %i : tensor<1x3x1x2xi8> to tensor<1x3x1x2x!ws>
  %y = qnnpack.conv_transpose2d %x, %w {stride = array<i64: 1, 3>, padding = array<i64: 0, 0, 0, 0>, output_padding = array<i64: 0, 2>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x1x2x!x>, tensor<1x3x1x2x!ws> -> tensor<1x5x3x1x!y>
  return %y : tensor<1x5x3x1x!y>
}

// CHECK: qnnpack.conv_transpose2d in @one_column: proven
func.func @one_column(%x: tensor<1x2x1x2x!x>) -> tensor<1x4x1x1x!y> {
  %i = arith.constant dense<[[[[1, -2]]]]> : tensor<1x1x1x2xi8>
  %w = quant.scast %i : tensor<1x1x1x2xi8> to tensor<1x1x1x2x!ws>
  %y = qnnpack.conv_transpose2d %x, %w {stride = array<i64: 3, 2>, padding = array<i64: 0, 0, 0, 0>, output_padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x2x1x2x!x>, tensor<1x1x1x2x!ws> -> tensor<1x4x1x1x!y>
  return %y : tensor<1x4x1x1x!y>
}

// CHECK: 9 operators: 9 proven, 0 bounded, 0 open, 0 counterexamples
