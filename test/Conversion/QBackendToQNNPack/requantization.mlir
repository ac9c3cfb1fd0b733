// RUN: qbackend-opt %s --convert-qbackend-to-qnnpack --remarks-filter='qbackend.*' -verify-diagnostics -o %t
// RUN: FileCheck %s < %t

// What a pattern says of requantization is in its kernel: multipliers of the scales,
// or a reason.

!x8 = !quant.uniform<i8:f32, 0.5:3>
!y8 = !quant.uniform<i8:f32, 0.25:7>
!t8 = !quant.uniform<i8:f32, 7.450580596923828E-9:0>
!w8 = !quant.uniform<i8:f32, 0.75>
!wc = !quant.uniform<i8:f32:0, {0.125, 3.0E-10}>
!s8 = !quant.uniform<i8:f32, 0.1:3>
!v8 = !quant.uniform<i8:f32, 0.3>
!z8 = !quant.uniform<i8:f32, 0.7:7>
#q = #qbackend.qconfig<activation = <min_max, si8>, weight = <min_max, si8>>
#double = #qbackend.requantization<rounding = double, multiplier = fixed_point>
#up = #qbackend.requantization<rounding = half_up, multiplier = fixed_point>
#away32 = #qbackend.requantization<rounding = half_away, multiplier = fixed_point, quotient = f32>
#even_product = #qbackend.requantization<rounding = nearest_even, multiplier = fixed_point, quotient = f32_product>
#f32 = #qbackend.requantization<rounding = nearest_even, multiplier = f32>

// 0.5 * 0.125 / 0.25 = 2^-2 is 2^30 / 2^32; 0.5 * f32(3e-10) / 0.25 has 24 bits.
// CHECK-LABEL: func.func @per_channel
// CHECK: qnnpack.linear {{.*}}requantization = #qnnpack.requantization<rounding = double, multiplier = [1073741824, 1383505792], shift = [32, 61]>
func.func @per_channel(%x: tensor<1x2x!x8>) -> tensor<1x2x!y8> {
  %wi = arith.constant dense<5> : tensor<2x2xi8>
  %wq = quant.scast %wi : tensor<2x2xi8> to tensor<2x2x!wc>
  %w = qbackend.dequantize %wq : tensor<2x2x!wc> -> tensor<2x2xf32>
  %r = qbackend.dequantize %x : tensor<1x2x!x8> -> tensor<1x2xf32>
  %c = qbackend.operator [#qbackend.linear, #qbackend.relu] inputs(%r) weight(%w) qconfig #q attributes {qbackend.requantization = #double} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %y = qbackend.quantize %c : tensor<1x2xf32> -> tensor<1x2x!y8>
  return %y : tensor<1x2x!y8>
}

// f32(0.1) * f32(0.3) / f32(0.7) = 0.04285714 in its steps: 1472560321.31 / 2^35
// in double, ...299.36 of a product in f32, ...256 of 24 bits.
// CHECK-LABEL: func.func @quotients
// CHECK: qnnpack.mul {{.*}}requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1472560321], shift = [35]>
// CHECK: qnnpack.mul {{.*}}requantization = #qnnpack.requantization<rounding = half_away, multiplier = [1472560256], shift = [35]>
// CHECK: qnnpack.mul {{.*}}requantization = #qnnpack.requantization<rounding = nearest_even, multiplier = [1472560299], shift = [35]>
// CHECK: qnnpack.mul %{{.*}}, %{{[^ ]*}} :
func.func @quotients(%x0: tensor<4x!s8>, %x1: tensor<4x!v8>) -> (tensor<4x!z8>, tensor<4x!z8>, tensor<4x!z8>, tensor<4x!z8>) {
  %r0 = qbackend.dequantize %x0 : tensor<4x!s8> -> tensor<4xf32>
  %r1 = qbackend.dequantize %x1 : tensor<4x!v8> -> tensor<4xf32>
  %a = qbackend.operator [#qbackend.mul] inputs(%r0, %r1) qconfig #q attributes {qbackend.requantization = #up} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    qbackend.yield %a0 : tensor<4xf32>
  }
  %b = qbackend.operator [#qbackend.mul] inputs(%r0, %r1) qconfig #q attributes {qbackend.requantization = #away32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    qbackend.yield %a0 : tensor<4xf32>
  }
  %c = qbackend.operator [#qbackend.mul] inputs(%r0, %r1) qconfig #q attributes {qbackend.requantization = #even_product} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    qbackend.yield %a0 : tensor<4xf32>
  }
  %d = qbackend.operator [#qbackend.mul] inputs(%r0, %r1) qconfig #q attributes {qbackend.requantization = #f32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    qbackend.yield %a0 : tensor<4xf32>
  }
  %ya = qbackend.quantize %a : tensor<4xf32> -> tensor<4x!z8>
  %yb = qbackend.quantize %b : tensor<4xf32> -> tensor<4x!z8>
  %yc = qbackend.quantize %c : tensor<4xf32> -> tensor<4x!z8>
  %yd = qbackend.quantize %d : tensor<4xf32> -> tensor<4x!z8>
  return %ya, %yb, %yc, %yd : tensor<4x!z8>, tensor<4x!z8>, tensor<4x!z8>, tensor<4x!z8>
}

// Of 0.5 and 0.25 to 0.25 in units of 2^-20: 2^19, 2^18, and 2^-18.
// CHECK-LABEL: func.func @add
// CHECK: qnnpack.add
// CHECK-SAME: lhs_requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1073741824], shift = [11]>
// CHECK-SAME: requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1073741824], shift = [48]>
// CHECK-SAME: rhs_requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1073741824], shift = [12]>
func.func @add(%x0: tensor<4x!x8>, %x1: tensor<4x!y8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %r1 = qbackend.dequantize %x1 : tensor<4x!y8> -> tensor<4xf32>
  %c = qbackend.operator [#qbackend.add] inputs(%r0, %r1) qconfig #q attributes {qbackend.requantization = #up} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    qbackend.yield %a0 : tensor<4xf32>
  }
  %y = qbackend.quantize %c : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// Twice, behind 20 bits: 1/2 and 1/4.
// CHECK-LABEL: func.func @add_rounds_twice
// CHECK: qnnpack.add
// CHECK-SAME: lhs_requantization = #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [31], left_shift = 20>
// CHECK-SAME: requantization = #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [48]>
// CHECK-SAME: rhs_requantization = #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [32], left_shift = 20>
func.func @add_rounds_twice(%x0: tensor<4x!x8>, %x1: tensor<4x!y8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %r1 = qbackend.dequantize %x1 : tensor<4x!y8> -> tensor<4xf32>
  %c = qbackend.operator [#qbackend.add] inputs(%r0, %r1) qconfig #q attributes {qbackend.requantization = #double} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    qbackend.yield %a0 : tensor<4xf32>
  }
  %y = qbackend.quantize %c : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

func.func @add_in_f32(%x0: tensor<4x!x8>, %x1: tensor<4x!y8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %r1 = qbackend.dequantize %x1 : tensor<4x!y8> -> tensor<4xf32>
  // expected-remark @+1 {{a sum of two tensors has multipliers of quotients in f64 only}}
  %c = qbackend.operator [#qbackend.add] inputs(%r0, %r1) qconfig #q attributes {qbackend.requantization = #away32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    qbackend.yield %a0 : tensor<4xf32>
  }
  %y = qbackend.quantize %c : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

func.func @number(%x0: tensor<4x!x8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  // expected-remark @+1 {{a number has no scale for fixed-point multipliers}}
  %c = qbackend.operator [#qbackend.mul<scalar = 0.5>] inputs(%r0) qconfig #q attributes {qbackend.requantization = #up} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    qbackend.yield %a0 : tensor<4xf32>
  }
  %y = qbackend.quantize %c : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

func.func @of_another_kind(%x0: tensor<4x!x8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  // expected-remark @+1 {{Operator=sigmoid, Reason="stays in the reference form: its pattern requantizes by fixed-point multipliers, its kernel doesn't"}}
  %c = qbackend.operator [#qbackend.sigmoid] inputs(%r0) qconfig #q attributes {qbackend.requantization = #up} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    qbackend.yield %a0 : tensor<4xf32>
  }
  %y = qbackend.quantize %c : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// 0.5 * 0.75 / 2^-27 = 50331648, and sums of up to 2 * 131 * 5.
func.func @sums_too_large(%x: tensor<1x2x!x8>) -> tensor<1x2x!t8> {
  %wi = arith.constant dense<5> : tensor<2x2xi8>
  %wq = quant.scast %wi : tensor<2x2xi8> to tensor<2x2x!w8>
  %w = qbackend.dequantize %wq : tensor<2x2x!w8> -> tensor<2x2xf32>
  %r = qbackend.dequantize %x : tensor<1x2x!x8> -> tensor<1x2xf32>
  // expected-remark @+1 {{sums of up to 1310 times its multiplier 5.033165e+07 don't fit 32 bits}}
  %c = qbackend.operator [#qbackend.linear] inputs(%r) weight(%w) qconfig #q attributes {qbackend.requantization = #up} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %y = qbackend.quantize %c : tensor<1x2xf32> -> tensor<1x2x!t8>
  return %y : tensor<1x2x!t8>
}

// 2^-1 / (2^-20 * 2^-27) is more than 4.
func.func @add_too_fine(%x0: tensor<4x!x8>, %x1: tensor<4x!y8>) -> tensor<4x!t8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %r1 = qbackend.dequantize %x1 : tensor<4x!y8> -> tensor<4xf32>
  // expected-remark @+1 {{the scale of its result is 7.450581e-09, less than 2^-21 of 5.000000e-01, that of an operand}}
  %c = qbackend.operator [#qbackend.add] inputs(%r0, %r1) qconfig #q attributes {qbackend.requantization = #up} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    qbackend.yield %a0 : tensor<4xf32>
  }
  %y = qbackend.quantize %c : tensor<4xf32> -> tensor<4x!t8>
  return %y : tensor<4x!t8>
}

// 16-bit activations have multipliers of 15 bits and a bias of 64: 0.375 / 4 is
// 24576 / 2^18.
!x16 = !quant.uniform<i16<-32767:32767>:f32, 0.0009765625>
!y16 = !quant.uniform<i16<-32767:32767>:f32, 0.00390625>
!t16 = !quant.uniform<i16<-32767:32767>:f32, 5.9604644775390625E-8>
!k8 = !quant.uniform<i8:f32, 0.375>
!b32 = !quant.uniform<i32:f32, 3.662109375E-4>
#q16 = #qbackend.qconfig<activation = <min_max, si16, per_tensor_symmetric>, weight = <min_max, si8, per_tensor_symmetric>>
// CHECK-LABEL: func.func @sixteen_bits
// CHECK: %[[B:.*]] = arith.constant dense<[7, -9]> : tensor<2xi64>
// CHECK: qnnpack.linear %{{.*}}, %{{.*}}, %[[B]] {relu, requantization = #qnnpack.requantization<rounding = half_up, multiplier = [24576], shift = [18]>}
func.func @sixteen_bits(%x: tensor<1x2x!x16>) -> tensor<1x2x!y16> {
  %wi = arith.constant dense<5> : tensor<2x2xi8>
  %wq = quant.scast %wi : tensor<2x2xi8> to tensor<2x2x!k8>
  %w = qbackend.dequantize %wq : tensor<2x2x!k8> -> tensor<2x2xf32>
  %bi = arith.constant dense<[7, -9]> : tensor<2xi32>
  %bq = quant.scast %bi : tensor<2xi32> to tensor<2x!b32>
  %b = qbackend.dequantize %bq : tensor<2x!b32> -> tensor<2xf32>
  %r = qbackend.dequantize %x : tensor<1x2x!x16> -> tensor<1x2xf32>
  %c = qbackend.operator [#qbackend.linear, #qbackend.relu] inputs(%r) weight(%w) bias(%b) qconfig #q16 attributes {qbackend.requantization = #up} : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>, %u: tensor<2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %y = qbackend.quantize %c : tensor<1x2xf32> -> tensor<1x2x!y16>
  return %y : tensor<1x2x!y16>
}

func.func @sixteen_bits_round_twice(%x: tensor<1x2x!x16>) -> tensor<1x2x!y16> {
  %wi = arith.constant dense<5> : tensor<2x2xi8>
  %wq = quant.scast %wi : tensor<2x2xi8> to tensor<2x2x!k8>
  %w = qbackend.dequantize %wq : tensor<2x2x!k8> -> tensor<2x2xf32>
  %r = qbackend.dequantize %x : tensor<1x2x!x16> -> tensor<1x2xf32>
  // expected-remark @+1 {{has 16-bit activations and rounds double, expected half_up}}
  %c = qbackend.operator [#qbackend.linear] inputs(%r) weight(%w) qconfig #q16 attributes {qbackend.requantization = #double} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %y = qbackend.quantize %c : tensor<1x2xf32> -> tensor<1x2x!y16>
  return %y : tensor<1x2x!y16>
}

// 2 * 32767 * 5 times 0.375 * 2^14.
func.func @sixteen_bits_too_large(%x: tensor<1x2x!x16>) -> tensor<1x2x!t16> {
  %wi = arith.constant dense<5> : tensor<2x2xi8>
  %wq = quant.scast %wi : tensor<2x2xi8> to tensor<2x2x!k8>
  %w = qbackend.dequantize %wq : tensor<2x2x!k8> -> tensor<2x2xf32>
  %r = qbackend.dequantize %x : tensor<1x2x!x16> -> tensor<1x2xf32>
  // expected-remark @+1 {{sums of up to 327670 times its multiplier 6.144000e+03 don't fit 32 bits}}
  %c = qbackend.operator [#qbackend.linear] inputs(%r) weight(%w) qconfig #q16 attributes {qbackend.requantization = #up} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %y = qbackend.quantize %c : tensor<1x2xf32> -> tensor<1x2x!t16>
  return %y : tensor<1x2x!t16>
}
