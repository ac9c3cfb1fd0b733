// RUN: qbackend-opt %s --qbackend-verify-accumulators -split-input-file -verify-diagnostics

!u8 = !quant.uniform<u8:f32, 0.5>
!s8 = !quant.uniform<i8:f32, 0.25>

// 255 * 127 = 32385, and 2^31 - 1 - 32384 more.
func.func @wraps_by_one(%x: tensor<1x1x!u8>) -> tensor<1x1x!u8> {
  %c = arith.constant dense<127> : tensor<1x1xi8>
  %w = quant.scast %c : tensor<1x1xi8> to tensor<1x1x!s8>
  %b = arith.constant dense<2147451263> : tensor<1xi32>
  // expected-error @+1 {{adds up 2147451263 to 2147483648, which takes 33 bits, expected at most 32: inputs are there for which the sum wraps; keep it float, or make its weight or bias smaller}}
  %y = qnnpack.linear %x, %w, %b : tensor<1x1x!u8>, tensor<1x1x!s8>, tensor<1xi32> -> tensor<1x1x!u8>
  return %y : tensor<1x1x!u8>
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5>
!s8 = !quant.uniform<i8:f32, 0.25>

// The largest sum is 2^31 - 1.
func.func @just_fits(%x: tensor<1x1x!u8>) -> tensor<1x1x!u8> {
  %c = arith.constant dense<127> : tensor<1x1xi8>
  %w = quant.scast %c : tensor<1x1xi8> to tensor<1x1x!s8>
  %b = arith.constant dense<2147451262> : tensor<1xi32>
  %y = qnnpack.linear %x, %w, %b : tensor<1x1x!u8>, tensor<1x1x!s8>, tensor<1xi32> -> tensor<1x1x!u8>
  return %y : tensor<1x1x!u8>
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5>
!s8 = !quant.uniform<i8:f32, 0.25>

func.func @unknown_bias(%x: tensor<1x1x!u8>, %b: tensor<1xi32>) -> tensor<1x1x!u8> {
  %c = arith.constant dense<127> : tensor<1x1xi8>
  %w = quant.scast %c : tensor<1x1xi8> to tensor<1x1x!s8>
  // expected-error @+1 {{has a bias that is not a constant, so that its sums can be anything}}
  %y = qnnpack.linear %x, %w, %b : tensor<1x1x!u8>, tensor<1x1x!s8>, tensor<1xi32> -> tensor<1x1x!u8>
  return %y : tensor<1x1x!u8>
}

// -----

!x16 = !quant.uniform<i16:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 0.25>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [30]>

// Sums of 16-bit activations have 48 bits: 2^47 - 1 - 32768 * 127 and 2^47 - 1 + 32767 * 127.
func.func @wide_wraps(%x: tensor<1x1x!x16>) -> tensor<1x1x!x16> {
  %c = arith.constant dense<127> : tensor<1x1xi8>
  %w = quant.scast %c : tensor<1x1xi8> to tensor<1x1x!s8>
  %b = arith.constant dense<140737488355327> : tensor<1xi64>
  // expected-error @+1 {{adds up 140737484193791 to 140737492516736, which takes 49 bits, expected at most 48: inputs are there for which the sum wraps; keep it float, or make its weight or bias smaller}}
  %y = qnnpack.linear %x, %w, %b {requantization = #wide} : tensor<1x1x!x16>, tensor<1x1x!s8>, tensor<1xi64> -> tensor<1x1x!x16>
  return %y : tensor<1x1x!x16>
}

// -----

!x16 = !quant.uniform<i16:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 0.25>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [30]>

func.func @wide_fits(%x: tensor<1x1x!x16>) -> tensor<1x1x!x16> {
  %c = arith.constant dense<127> : tensor<1x1xi8>
  %w = quant.scast %c : tensor<1x1xi8> to tensor<1x1x!s8>
  %b = arith.constant dense<4294967296> : tensor<1xi64>
  %y = qnnpack.linear %x, %w, %b {requantization = #wide} : tensor<1x1x!x16>, tensor<1x1x!s8>, tensor<1xi64> -> tensor<1x1x!x16>
  return %y : tensor<1x1x!x16>
}
