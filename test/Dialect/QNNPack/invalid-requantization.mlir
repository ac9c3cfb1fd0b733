// RUN: qbackend-opt %s -split-input-file -verify-diagnostics

!i8 = !quant.uniform<i8:f32, 1.0:-3>
func.func @no_multiplier(%x: tensor<1x4x!i8>) {
  // expected-error @+1 {{has 0 multipliers and 0 shifts, expected as many of both, and at least one}}
  %0 = qnnpack.mul %x, %x {requantization = #qnnpack.requantization<rounding = half_up, multiplier = [], shift = []>} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 1.0:-3>
func.func @fewer_shifts(%x: tensor<1x4x!i8>) {
  // expected-error @+1 {{has 2 multipliers and 1 shifts, expected as many of both}}
  %0 = qnnpack.mul %x, %x {requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1, 2], shift = [2]>} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 1.0:-3>
func.func @negative(%x: tensor<1x4x!i8>) {
  // expected-error @+1 {{multiplier -1 is negative}}
  %0 = qnnpack.mul %x, %x {requantization = #qnnpack.requantization<rounding = half_up, multiplier = [-1], shift = [2]>} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 1.0:-3>
func.func @shift(%x: tensor<1x4x!i8>) {
  // expected-error @+1 {{shift 63 is outside the range [2, 62]}}
  %0 = qnnpack.mul %x, %x {requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1], shift = [63]>} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 1.0:-3>
func.func @rounding(%x: tensor<1x4x!i8>) {
  // expected-error @+2 {{to be one of: nearest_even, half_up, half_away, double}}
  // expected-error @+1 {{failed to parse QNNPack_RequantizationAttr parameter 'rounding'}}
  %0 = qnnpack.mul %x, %x {requantization = #qnnpack.requantization<rounding = half, multiplier = [1], shift = [2]>} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 1.0:-3>
#two = #qnnpack.requantization<rounding = half_up, multiplier = [1, 2], shift = [2, 3]>
func.func @mul_of_channels(%x: tensor<1x4x!i8>) {
  // expected-error @+1 {{requantization has 2 multipliers, expected 1}}
  %0 = qnnpack.mul %x, %x {requantization = #two} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 1.0:-3>
!s8 = !quant.uniform<i8:f32, 1.0>
#two = #qnnpack.requantization<rounding = half_up, multiplier = [1, 2], shift = [2, 3]>
func.func @linear_of_channels(%x: tensor<1x4x!i8>, %w: tensor<4x4x!s8>) {
  // expected-error @+1 {{requantization has 2 multipliers, expected 1, or 4, one per output channel}}
  %0 = qnnpack.linear %x, %w {requantization = #two} : tensor<1x4x!i8>, tensor<4x4x!s8> -> tensor<1x4x!i8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 1.0:-3>
#one = #qnnpack.requantization<rounding = half_up, multiplier = [1], shift = [2]>
func.func @add_of_some(%x: tensor<1x4x!i8>) {
  // expected-error @+1 {{has some of requantization, lhs_requantization and rhs_requantization, expected all or none}}
  %0 = qnnpack.add %x, %x {requantization = #one} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 1.0:-3>
#one = #qnnpack.requantization<rounding = half_up, multiplier = [1], shift = [2]>
func.func @add_of_aten(%x: tensor<1x4x!i8>) {
  // expected-error @+1 {{has requantization and a formula of ATen; drop one of them}}
  %0 = qnnpack.add %x, %x {requantization = #one, lhs_requantization = #one, rhs_requantization = #one, aten} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  return
}

// -----

// expected-error @+1 {{left_shift 23 is outside the range [0, 22]}}
#far = #qnnpack.requantization<rounding = double, multiplier = [1], shift = [2], left_shift = 23>

// -----

!i8 = !quant.uniform<i8:f32, 1.0:-3>
#moved = #qnnpack.requantization<rounding = double, multiplier = [1], shift = [2], left_shift = 20>
func.func @add_of_a_moved_result(%x: tensor<1x4x!i8>) {
  // expected-error @+1 {{requantization has left_shift 20, which is for the operands of an addition}}
  %0 = qnnpack.add %x, %x {requantization = #moved, lhs_requantization = #moved, rhs_requantization = #moved} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  return
}
