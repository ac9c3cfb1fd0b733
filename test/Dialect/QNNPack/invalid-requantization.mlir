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

// -----

!i16 = !quant.uniform<i16:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>
func.func @wide_bias(%x: tensor<1x4x!i16>, %w: tensor<4x4x!s8>, %b: tensor<4xi32>) {
  // expected-error @+1 {{bias has type 'tensor<4xi32>', expected i64 for an activation of '!quant.uniform<i16:f32, 1.000000e+00>'}}
  %0 = qnnpack.linear %x, %w, %b {requantization = #wide} : tensor<1x4x!i16>, tensor<4x4x!s8>, tensor<4xi32> -> tensor<1x4x!i16>
  return
}

// -----

!i16 = !quant.uniform<i16:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>
func.func @wide_bias_of_bytes(%x: tensor<1x4x!s8>, %w: tensor<4x4x!s8>, %b: tensor<4xi64>) {
  // expected-error @+1 {{bias has type 'tensor<4xi64>', expected i32 for an activation of '!quant.uniform<i8:f32, 1.000000e+00>'}}
  %0 = qnnpack.linear %x, %w, %b {requantization = #wide} : tensor<1x4x!s8>, tensor<4x4x!s8>, tensor<4xi64> -> tensor<1x4x!s8>
  return
}

// -----

!i16 = !quant.uniform<i16:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>
!z16 = !quant.uniform<i16:f32, 1.0:3>
func.func @wide_zero_point(%x: tensor<1x4x!i16>, %w: tensor<4x4x!s8>) {
  // expected-error @+1 {{has a 16-bit activation with zero point 3, expected 0}}
  %0 = qnnpack.linear %x, %w {requantization = #wide} : tensor<1x4x!i16>, tensor<4x4x!s8> -> tensor<1x4x!z16>
  return
}

// -----

!i16 = !quant.uniform<i16:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>
#twice = #qnnpack.requantization<rounding = double, multiplier = [16384], shift = [20]>
func.func @wide_rounding(%x: tensor<1x4x!i16>, %w: tensor<4x4x!s8>) {
  // expected-error @+1 {{has 16-bit activations and rounds double, expected half_up}}
  %0 = qnnpack.linear %x, %w {requantization = #twice} : tensor<1x4x!i16>, tensor<4x4x!s8> -> tensor<1x4x!i16>
  return
}

// -----

!i16 = !quant.uniform<i16:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>
#large = #qnnpack.requantization<rounding = half_up, multiplier = [32768], shift = [20]>
func.func @wide_multiplier(%x: tensor<1x4x!i16>, %w: tensor<4x4x!s8>) {
  // expected-error @+1 {{has 16-bit activations and the multiplier 32768, expected at most 32767}}
  %0 = qnnpack.linear %x, %w {requantization = #large} : tensor<1x4x!i16>, tensor<4x4x!s8> -> tensor<1x4x!i16>
  return
}

// -----

!i16 = !quant.uniform<i16:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>
func.func @wide_without_requantization(%x: tensor<1x4x!i16>, %w: tensor<4x4x!s8>) {
  // expected-error @+1 {{has 16-bit activations without requantization, which no engine has}}
  %0 = qnnpack.linear %x, %w : tensor<1x4x!i16>, tensor<4x4x!s8> -> tensor<1x4x!i16>
  return
}

// -----

!i16 = !quant.uniform<i16:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>
!narrow = !quant.uniform<i8:f32, 1.0>
func.func @wide_and_narrow(%x: tensor<1x4x!i16>, %w: tensor<4x4x!s8>) {
  // expected-error @+1 {{mixes storage types}}
  %0 = qnnpack.linear %x, %w {requantization = #wide} : tensor<1x4x!i16>, tensor<4x4x!s8> -> tensor<1x4x!narrow>
  return
}

// -----

!i16 = !quant.uniform<i16:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>
!few = !quant.uniform<i16<-128:127>:f32, 1.0>
func.func @wide_of_few(%x: tensor<1x4x!few>, %w: tensor<4x4x!s8>) {
  // expected-error @+1 {{mixes storage types}}
  %0 = qnnpack.linear %x, %w {requantization = #wide} : tensor<1x4x!few>, tensor<4x4x!s8> -> tensor<1x4x!s8>
  return
}
