// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:3>
!i8 = !quant.uniform<i8:f32, 0.5:3>

// Dilation and padding: QNNPACK takes the nearest pixel.
// CHECK-LABEL: @max_engine
// CHECK-NOT: tensor.pad
// CHECK: arith.maxsi %{{.*}}, %{{[^ ]*}} : index
// CHECK: arith.minsi %{{.*}}, %{{[^ ]*}} : index
// CHECK: tensor.extract
// CHECK: arith.maxui
// CHECK: return
func.func @max_engine(%x: tensor<?x5x5x2x!u8>) -> tensor<?x3x3x2x!u8> {
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 2, 2>} : tensor<?x5x5x2x!u8> -> tensor<?x3x3x2x!u8>
  return %0 : tensor<?x3x3x2x!u8>
}

// CHECK-LABEL: @max_mathematical
// CHECK: tensor.pad
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @max_mathematical(%x: tensor<?x5x5x2x!u8>) -> tensor<?x3x3x2x!u8> {
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 2, 2>, mathematical} : tensor<?x5x5x2x!u8> -> tensor<?x3x3x2x!u8>
  return %0 : tensor<?x3x3x2x!u8>
}

// ATen skips taps: in ceil mode, and with signed integers.
// CHECK-LABEL: @max_ceil
// CHECK: tensor.pad
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @max_ceil(%x: tensor<?x5x5x2x!u8>) -> tensor<?x3x3x2x!u8> {
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 2, 2>, ceil_mode} : tensor<?x5x5x2x!u8> -> tensor<?x3x3x2x!u8>
  return %0 : tensor<?x3x3x2x!u8>
}

// CHECK-LABEL: @max_signed
// CHECK: %[[LEAST:.*]] = arith.constant -128 : i8
// CHECK: tensor.pad
// CHECK-NOT: tensor.extract
// CHECK: arith.maxsi %{{[^ ]*}}, %{{[^ ]*}} : i8
func.func @max_signed(%x: tensor<?x5x5x2x!i8>) -> tensor<?x3x3x2x!i8> {
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 2, 2>} : tensor<?x5x5x2x!i8> -> tensor<?x3x3x2x!i8>
  return %0 : tensor<?x3x3x2x!i8>
}

// Without dilation the nearest pixel is in the window.
// CHECK-LABEL: @max_padding
// CHECK: tensor.pad
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @max_padding(%x: tensor<?x5x5x2x!u8>) -> tensor<?x5x3x2x!u8> {
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 3, 2>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 0, 0>, dilation = array<i64: 1, 2>} : tensor<?x5x5x2x!u8> -> tensor<?x5x3x2x!u8>
  return %0 : tensor<?x5x3x2x!u8>
}

// QNNPACK divides by the 4 taps, whatever it is told; the zero point comes
// after rounding.
// CHECK-LABEL: @average_engine
// CHECK: arith.constant 2.500000e-01 : f32
// CHECK: math.roundeven
// CHECK: arith.addi
// CHECK: return
func.func @average_engine(%x: tensor<?x4x4x2x!u8>) -> tensor<?x3x3x2x!u8> {
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, count_include_pad = false, divisor_override = 5 : i64} : tensor<?x4x4x2x!u8> -> tensor<?x3x3x2x!u8>
  return %0 : tensor<?x3x3x2x!u8>
}

// CHECK-LABEL: @average_mathematical
// CHECK: arith.constant 2.000000e-01 : f32
// CHECK: arith.addf
// CHECK: math.roundeven
func.func @average_mathematical(%x: tensor<?x4x4x2x!u8>) -> tensor<?x3x3x2x!u8> {
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, count_include_pad = false, divisor_override = 5 : i64, mathematical} : tensor<?x4x4x2x!u8> -> tensor<?x3x3x2x!u8>
  return %0 : tensor<?x3x3x2x!u8>
}

// ATen, for signed integers in floor mode, too: 1, 2 and 4 taps are inside.
// CHECK-LABEL: @average_signed
// CHECK: dense<{{\[\[}}1.000000e+00, 5.000000e-01, 1.000000e+00], [5.000000e-01, 2.500000e-01, 5.000000e-01], [1.000000e+00, 5.000000e-01, 1.000000e+00]]> : tensor<3x3xf32>
// CHECK: arith.addf
// CHECK: math.roundeven
func.func @average_signed(%x: tensor<?x4x4x2x!i8>) -> tensor<?x3x3x2x!i8> {
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, count_include_pad = false} : tensor<?x4x4x2x!i8> -> tensor<?x3x3x2x!i8>
  return %0 : tensor<?x3x3x2x!i8>
}

// CHECK-LABEL: @average_negative_divisor
// CHECK: arith.constant -1.250000e-01 : f32
func.func @average_negative_divisor(%x: tensor<?x5x5x2x!u8>) -> tensor<?x3x3x2x!u8> {
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, ceil_mode, divisor_override = -8 : i64} : tensor<?x5x5x2x!u8> -> tensor<?x3x3x2x!u8>
  return %0 : tensor<?x3x3x2x!u8>
}

// Sizes that divide: QNNPACK for unsigned integers, ATen's formula on raw
// integers, which loops with indices, for signed ones.
// CHECK-LABEL: @adaptive
// CHECK-NOT: linalg.index
// CHECK: arith.constant -12 : i32
// CHECK: return
func.func @adaptive(%x: tensor<?x4x4x2x!u8>) -> tensor<?x2x2x2x!u8> {
  %0 = qnnpack.adaptive_avg_pool2d %x : tensor<?x4x4x2x!u8> -> tensor<?x2x2x2x!u8>
  return %0 : tensor<?x2x2x2x!u8>
}

// CHECK-LABEL: @adaptive_signed
// CHECK: linalg.index
// CHECK: arith.constant 2.500000e-01 : f32
func.func @adaptive_signed(%x: tensor<?x4x4x2x!i8>) -> tensor<?x2x2x2x!i8> {
  %0 = qnnpack.adaptive_avg_pool2d %x : tensor<?x4x4x2x!i8> -> tensor<?x2x2x2x!i8>
  return %0 : tensor<?x2x2x2x!i8>
}
