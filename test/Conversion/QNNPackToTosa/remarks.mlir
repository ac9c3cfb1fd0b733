// What has no TOSA form stays, and is named.
// RUN: qbackend-opt %s --convert-qnnpack-to-tosa --remarks-filter='qbackend.*' -verify-diagnostics | FileCheck %s
// RUN: qbackend-opt %s --convert-qnnpack-to-tosa --convert-qnnpack-to-linalg | mlir-opt -o %t

!x8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.0001220703125:7>
!p8 = !quant.uniform<u8:f32, 0.00390625>
!w8 = !quant.uniform<i8:f32:0, {0.5, 0.5:1}>

// CHECK-LABEL: func.func @dilated
// CHECK: qnnpack.max_pool2d
func.func @dilated(%x: tensor<1x5x5x2x!x8>) -> tensor<1x3x3x2x!x8> {
  // expected-remark @+1 {{[Missed] QB130 | Category:qbackend | Function=dilated | Operator=qnnpack.max_pool2d, Reason="its windows are dilated", Suggestion="lower it with convert-qnnpack-to-linalg, or run it on another device"}}
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 2, 2>} : tensor<1x5x5x2x!x8> -> tensor<1x3x3x2x!x8>
  return %0 : tensor<1x3x3x2x!x8>
}

// CHECK-LABEL: func.func @zero_points_at_run_time
func.func @zero_points_at_run_time(%x: tensor<1x4x!x8>, %w: tensor<2x4x!w8>) -> tensor<1x2x!x8> {
  // expected-remark @+1 {{Reason="the weight is not a constant, or a splat too large to be written out, and its channels have several zero points"}}
  %0 = qnnpack.linear %x, %w : tensor<1x4x!x8>, tensor<2x4x!w8> -> tensor<1x2x!x8>
  return %0 : tensor<1x2x!x8>
}

// CHECK-LABEL: func.func @broadcast_of_large_ratio
func.func @broadcast_of_large_ratio(%a: tensor<2x4x!x8>, %b: tensor<4x!x8>) -> tensor<2x4x!y8> {
  // expected-remark @+1 {{Reason="the scale of an input is more than 2048 times that of the result"}}
  %0 = qnnpack.add %a, %b : tensor<2x4x!x8>, tensor<4x!x8> -> tensor<2x4x!y8>
  return %0 : tensor<2x4x!y8>
}

// CHECK-LABEL: func.func @long_softmax
func.func @long_softmax(%x: tensor<1x5000x!x8>) -> tensor<1x5000x!p8> {
  // expected-remark @+1 {{Reason="its axis has 5000 elements, too many for sums of 28 bits"}}
  %0 = qnnpack.softmax %x {axis = 1 : i64} : tensor<1x5000x!x8> -> tensor<1x5000x!p8>
  return %0 : tensor<1x5000x!p8>
}

// CHECK-LABEL: func.func @negative_divisor
func.func @negative_divisor(%x: tensor<1x4x4x2x!x8>) -> tensor<1x2x2x2x!x8> {
  // expected-remark @+1 {{Reason="its divisor is negative"}}
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, ceil_mode, divisor_override = -3 : i64} : tensor<1x4x4x2x!x8> -> tensor<1x2x2x2x!x8>
  return %0 : tensor<1x2x2x2x!x8>
}

// CHECK-LABEL: func.func @empty
func.func @empty(%x: tensor<0x4x!x8>) -> tensor<0x4x!x8> {
  // expected-remark @+1 {{Reason="TOSA has no empty tensors"}}
  %0 = qnnpack.relu %x : tensor<0x4x!x8> -> tensor<0x4x!x8>
  return %0 : tensor<0x4x!x8>
}

// CHECK-LABEL: func.func @dynamic_rows
func.func @dynamic_rows(%x: tensor<?x?x4x!x8>, %y: tensor<2x?x?x4x!x8>, %w: tensor<2x4x!quant.uniform<i8:f32, 0.5>>) -> (tensor<?x?x2x!x8>, tensor<2x?x?x4x!x8>) {
  // expected-remark @+1 {{Reason="several of its dimensions are dynamic"}}
  %0 = qnnpack.linear %x, %w : tensor<?x?x4x!x8>, tensor<2x4x!quant.uniform<i8:f32, 0.5>> -> tensor<?x?x2x!x8>
  // expected-remark @+1 {{Reason="an operand with several dynamic dimensions has a smaller rank"}}
  %1 = qnnpack.mul %x, %y : tensor<?x?x4x!x8>, tensor<2x?x?x4x!x8> -> tensor<2x?x?x4x!x8>
  return %0, %1 : tensor<?x?x2x!x8>, tensor<2x?x?x4x!x8>
}

// Its neighbours are TOSA all the same.
// CHECK-LABEL: func.func @between
// CHECK: tosa.clamp
// CHECK: qnnpack.max_pool2d
// CHECK: tosa.clamp
func.func @between(%x: tensor<1x5x5x2x!x8>) -> tensor<1x3x3x2x!x8> {
  %0 = qnnpack.relu %x : tensor<1x5x5x2x!x8> -> tensor<1x5x5x2x!x8>
  // expected-remark @+1 {{QB130}}
  %1 = qnnpack.max_pool2d %0 {kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 2, 2>} : tensor<1x5x5x2x!x8> -> tensor<1x3x3x2x!x8>
  %2 = qnnpack.relu %1 : tensor<1x3x3x2x!x8> -> tensor<1x3x3x2x!x8>
  return %2 : tensor<1x3x3x2x!x8>
}

#away = #qnnpack.requantization<rounding = half_away, multiplier = [1], shift = [2]>
// CHECK-LABEL: func.func @rounding
func.func @rounding(%x: tensor<1x4x!x8>) -> tensor<1x4x!x8> {
  // expected-remark @+1 {{Reason="TOSA rounds half up or twice, not as its requantization does"}}
  %0 = qnnpack.mul %x, %x {requantization = #away} : tensor<1x4x!x8>, tensor<1x4x!x8> -> tensor<1x4x!x8>
  return %0 : tensor<1x4x!x8>
}
