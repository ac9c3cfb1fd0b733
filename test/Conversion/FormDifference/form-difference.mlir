// What results can be off by, of which the numbers follow from the weights.
// RUN: qbackend-opt --apply-backend=qnnpack lower-to=tosa -split-input-file %s -o %t 2>&1 | FileCheck %s
// RUN: qbackend-opt --apply-backend=qnnpack -split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=EXACT
// EXACT-NOT: QB131

// Of four integers half of the sums that are even are ties: 1. A linear layer adds
// (100 + 50) * 0.25 of it, and rounds: 37.5 + 1; the other one 2 * 127 * 0.25 + 1.
// CHECK: QB131 {{.*}} AtMost="1, 38, 64", Form=tosa, Likely="1, 38, {{[0-9]+}}"
!x = !quant.uniform<u8:f32, 0.5>
!y = !quant.uniform<u8:f32, 0.5:128>
!w = !quant.uniform<i8:f32, 0.25>
func.func @main(%x: tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>) {
  %q = qnnpack.quantize %x : tensor<1x4x4x2xf32> -> tensor<1x4x4x2x!x>
  %0 = qnnpack.avg_pool2d %q {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>} : tensor<1x4x4x2x!x> -> tensor<1x2x2x2x!x>
  %1 = qnnpack.dequantize %0 : tensor<1x2x2x2x!x> -> tensor<1x2x2x2xf32>
  %c = arith.constant dense<[[100, -50]]> : tensor<1x2xi8>
  %w = quant.scast %c : tensor<1x2xi8> to tensor<1x2x!w>
  %2 = qnnpack.linear %0, %w : tensor<1x2x2x2x!x>, tensor<1x2x!w> -> tensor<1x2x2x1x!y>
  %3 = qnnpack.dequantize %2 : tensor<1x2x2x1x!y> -> tensor<1x2x2x1xf32>
  %d = arith.constant dense<[[127, 127]]> : tensor<1x2xi8>
  %v = quant.scast %d : tensor<1x2xi8> to tensor<1x2x!w>
  %4 = qnnpack.linear %0, %v : tensor<1x2x2x2x!x>, tensor<1x2x!w> -> tensor<1x2x2x1x!y>
  %5 = qnnpack.dequantize %4 : tensor<1x2x2x1x!y> -> tensor<1x2x2x1xf32>
  return %1, %3, %5 : tensor<1x2x2x2xf32>, tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>
}

// -----

// A multiplier of 1 has no ties, one of 1/4 has: to even here, up in TOSA. Where no sum
// of the weights reaches one, nothing differs: 4 x / 4. What is computed in floats from
// what is off is not known; from what is right, it is right.
// CHECK: QB131 {{.*}} AtMost="0, 1, 0, unknown, 0", Form=tosa, Likely="0, 1, 0, unknown, 0"
!x = !quant.uniform<u8:f32, 1.0:10>
!y = !quant.uniform<u8:f32, 1.0:20>
!one = !quant.uniform<i8:f32, 1.0>
!quarter = !quant.uniform<i8:f32, 0.25>
func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %q = qnnpack.quantize %x : tensor<2x2xf32> -> tensor<2x2x!x>
  %c = arith.constant dense<[[3, -5]]> : tensor<1x2xi8>
  %w0 = quant.scast %c : tensor<1x2xi8> to tensor<1x2x!one>
  %0 = qnnpack.linear %q, %w0 : tensor<2x2x!x>, tensor<1x2x!one> -> tensor<2x1x!y>
  %1 = qnnpack.dequantize %0 : tensor<2x1x!y> -> tensor<2x1xf32>
  %w1 = quant.scast %c : tensor<1x2xi8> to tensor<1x2x!quarter>
  %2 = qnnpack.linear %q, %w1 : tensor<2x2x!x>, tensor<1x2x!quarter> -> tensor<2x1x!y>
  %3 = qnnpack.dequantize %2 : tensor<2x1x!y> -> tensor<2x1xf32>
  %d = arith.constant dense<[[0, 0]]> : tensor<1x2xi8>
  %b = arith.constant dense<[8]> : tensor<1xi32>
  %w2 = quant.scast %d : tensor<1x2xi8> to tensor<1x2x!quarter>
  %4 = qnnpack.linear %q, %w2, %b : tensor<2x2x!x>, tensor<1x2x!quarter>, tensor<1xi32> -> tensor<2x1x!y>
  %5 = qnnpack.dequantize %4 : tensor<2x1x!y> -> tensor<2x1xf32>
  %6 = math.sin %3 : tensor<2x1xf32>
  %7 = math.sin %1 : tensor<2x1xf32>
  return %1, %3, %5, %6, %7 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}

// -----

// A batch norm multiplies what is off by one by 4 / sqrt(1) and by 8 / sqrt(4), and rounds:
// 4 + 1. Of a layer norm the deviation may be as small as it likes: anything, but hardly
// ever. What reads what is right is right in TOSA.
// CHECK: QB131 {{.*}} AtMost="5, 255, 0", Form=tosa, Likely="5, {{[0-9]}}, 0"
!x = !quant.uniform<u8:f32, 0.5>
!y = !quant.uniform<u8:f32, 0.5:128>
!z = !quant.uniform<u8:f32, 0.05:128>
func.func @main(%x: tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) {
  %q = qnnpack.quantize %x : tensor<1x4x4x2xf32> -> tensor<1x4x4x2x!x>
  %0 = qnnpack.avg_pool2d %q {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>} : tensor<1x4x4x2x!x> -> tensor<1x2x2x2x!x>
  %w = arith.constant dense<[4.0, -8.0]> : tensor<2xf32>
  %b = arith.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %one = arith.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %1 = qnnpack.batch_norm %0, %w, %b, %b, %one {eps = 0.0 : f64} : tensor<1x2x2x2x!x>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<1x2x2x2x!y>
  %2 = qnnpack.dequantize %1 : tensor<1x2x2x2x!y> -> tensor<1x2x2x2xf32>
  %3 = qnnpack.layer_norm %0, %w, %b {normalized_shape = array<i64: 2>, eps = 1.0e-5 : f64} : tensor<1x2x2x2x!x>, tensor<2xf32>, tensor<2xf32> -> tensor<1x2x2x2x!z>
  %4 = qnnpack.dequantize %3 : tensor<1x2x2x2x!z> -> tensor<1x2x2x2xf32>
  %5 = qnnpack.batch_norm %q, %w, %b, %b, %one {eps = 0.0 : f64} : tensor<1x4x4x2x!x>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<1x4x4x2x!y>
  %6 = qnnpack.slice %5 {offsets = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 2, 2, 1>} : tensor<1x4x4x2x!y> -> tensor<1x2x2x2x!y>
  %7 = qnnpack.dequantize %6 : tensor<1x2x2x2x!y> -> tensor<1x2x2x2xf32>
  return %2, %4, %7 : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
}

// -----

// Sums of 16-bit activations have the same rescale in TOSA.
// CHECK: QB000 {{.*}} all-macs=4
// CHECK-NOT: QB131
!x16 = !quant.uniform<i16:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 0.25>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>
func.func @main(%x: tensor<1x2xi16>) -> tensor<1x2xi16> {
  %q = quant.scast %x : tensor<1x2xi16> to tensor<1x2x!x16>
  %c = arith.constant dense<[[100, -50], [3, 4]]> : tensor<2x2xi8>
  %w = quant.scast %c : tensor<2x2xi8> to tensor<2x2x!s8>
  %b = arith.constant dense<[7, -9]> : tensor<2xi64>
  %0 = qnnpack.linear %q, %w, %b {requantization = #wide} : tensor<1x2x!x16>, tensor<2x2x!s8>, tensor<2xi64> -> tensor<1x2x!x16>
  %1 = qnnpack.clamp %0 {min = -7.0 : f32, max = 30000.0 : f32} : tensor<1x2x!x16> -> tensor<1x2x!x16>
  %y = quant.scast %1 : tensor<1x2x!x16> to tensor<1x2xi16>
  return %y : tensor<1x2xi16>
}
