// RUN: qbackend-opt %s --allow-unregistered-dialect --split-input-file --qbackend-import-quantization --remarks-filter='qbackend.*' -verify-diagnostics | FileCheck %s

// What rounds like quantization, but is none that kernels have, stays as code.

// CHECK-NOT: qbackend.{{quantize|dequantize}}

func.func @zero_point(%x: tensor<4xf32>) -> tensor<4xf32> {
  %inv = arith.constant dense<2.0> : tensor<4xf32>
  %scale = arith.constant dense<0.5> : tensor<4xf32>
  %zp = arith.constant dense<300.0> : tensor<4xf32>
  %zp2 = arith.constant dense<300.0> : tensor<4xf32>
  %lo = arith.constant dense<0.0> : tensor<4xf32>
  %hi = arith.constant dense<255.0> : tensor<4xf32>
  %0 = arith.mulf %x, %inv : tensor<4xf32>
  %1 = math.roundeven %0 : tensor<4xf32>
  %2 = arith.addf %1, %zp : tensor<4xf32>
  %3 = arith.maximumf %2, %lo : tensor<4xf32>
  %4 = arith.minimumf %3, %hi : tensor<4xf32>
  %5 = arith.subf %4, %zp2 : tensor<4xf32>
  // expected-remark @+1 {{Operator="quantization of the module", Reason="is kept as code: it subtracts another zero point than it adds"}}
  %6 = arith.mulf %5, %scale : tensor<4xf32>
  return %6 : tensor<4xf32>
}

func.func @real_zero_point(%x: tensor<4xf32>) -> tensor<4xf32> {
  %inv = arith.constant dense<2.0> : tensor<4xf32>
  %scale = arith.constant dense<0.5> : tensor<4xf32>
  %zp = arith.constant dense<0.5> : tensor<4xf32>
  %zp2 = arith.constant dense<0.5> : tensor<4xf32>
  %lo = arith.constant dense<0.0> : tensor<4xf32>
  %hi = arith.constant dense<255.0> : tensor<4xf32>
  %0 = arith.mulf %x, %inv : tensor<4xf32>
  %1 = math.roundeven %0 : tensor<4xf32>
  %2 = arith.addf %1, %zp : tensor<4xf32>
  %3 = arith.maximumf %2, %lo : tensor<4xf32>
  %4 = arith.minimumf %3, %hi : tensor<4xf32>
  %5 = arith.subf %4, %zp2 : tensor<4xf32>
  // expected-remark @+1 {{Operator="quantization of the module", Reason="is kept as code: it does not round to the nearest integer"}}
  %6 = arith.mulf %5, %scale : tensor<4xf32>
  return %6 : tensor<4xf32>
}

func.func @two_zero_points(%x: tensor<4xf32>) -> tensor<4xf32> {
  %inv = arith.constant dense<2.0> : tensor<4xf32>
  %scale = arith.constant dense<0.5> : tensor<4xf32>
  %zp = arith.constant dense<3.0> : tensor<4xf32>
  %zp2 = arith.constant dense<4.0> : tensor<4xf32>
  %lo = arith.constant dense<0.0> : tensor<4xf32>
  %hi = arith.constant dense<255.0> : tensor<4xf32>
  %0 = arith.mulf %x, %inv : tensor<4xf32>
  %1 = math.roundeven %0 : tensor<4xf32>
  %2 = arith.addf %1, %zp : tensor<4xf32>
  %3 = arith.maximumf %2, %lo : tensor<4xf32>
  %4 = arith.minimumf %3, %hi : tensor<4xf32>
  %5 = arith.subf %4, %zp2 : tensor<4xf32>
  // expected-remark @+1 {{Operator="quantization of the module", Reason="is kept as code: it subtracts another zero point than it adds"}}
  %6 = arith.mulf %5, %scale : tensor<4xf32>
  return %6 : tensor<4xf32>
}

func.func @two_scales(%x: tensor<4xf32>) -> tensor<4xf32> {
  %inv = arith.constant dense<3.0> : tensor<4xf32>
  %scale = arith.constant dense<0.5> : tensor<4xf32>
  %zp = arith.constant dense<3.0> : tensor<4xf32>
  %zp2 = arith.constant dense<3.0> : tensor<4xf32>
  %lo = arith.constant dense<0.0> : tensor<4xf32>
  %hi = arith.constant dense<255.0> : tensor<4xf32>
  %0 = arith.mulf %x, %inv : tensor<4xf32>
  %1 = math.roundeven %0 : tensor<4xf32>
  %2 = arith.addf %1, %zp : tensor<4xf32>
  %3 = arith.maximumf %2, %lo : tensor<4xf32>
  %4 = arith.minimumf %3, %hi : tensor<4xf32>
  %5 = arith.subf %4, %zp2 : tensor<4xf32>
  // expected-remark @+1 {{Operator="quantization of the module", Reason="is kept as code: it multiplies by another scale than it divides by"}}
  %6 = arith.mulf %5, %scale : tensor<4xf32>
  return %6 : tensor<4xf32>
}

func.func @wide(%x: tensor<4xf32>) -> tensor<4xf32> {
  %inv = arith.constant dense<2.0> : tensor<4xf32>
  %scale = arith.constant dense<0.5> : tensor<4xf32>
  %zp = arith.constant dense<3.0> : tensor<4xf32>
  %zp2 = arith.constant dense<3.0> : tensor<4xf32>
  %lo = arith.constant dense<0.0> : tensor<4xf32>
  %hi = arith.constant dense<1023.0> : tensor<4xf32>
  %0 = arith.mulf %x, %inv : tensor<4xf32>
  %1 = math.roundeven %0 : tensor<4xf32>
  %2 = arith.addf %1, %zp : tensor<4xf32>
  %3 = arith.maximumf %2, %lo : tensor<4xf32>
  %4 = arith.minimumf %3, %hi : tensor<4xf32>
  %5 = arith.subf %4, %zp2 : tensor<4xf32>
  // expected-remark @+1 {{Operator="quantization of the module", Reason="is kept as code: its integers are those in [0, 1023], expected [0, 255] or less"}}
  %6 = arith.mulf %5, %scale : tensor<4xf32>
  return %6 : tensor<4xf32>
}

func.func @channels(%x: tensor<4xf32>) -> tensor<4xf32> {
  %inv = arith.constant dense<[2.0, 4.0, 2.0, 4.0]> : tensor<4xf32>
  %scale = arith.constant dense<[0.5, 0.25, 0.5, 0.25]> : tensor<4xf32>
  %zp = arith.constant dense<3.0> : tensor<4xf32>
  %zp2 = arith.constant dense<3.0> : tensor<4xf32>
  %lo = arith.constant dense<0.0> : tensor<4xf32>
  %hi = arith.constant dense<255.0> : tensor<4xf32>
  %0 = arith.mulf %x, %inv : tensor<4xf32>
  %1 = math.roundeven %0 : tensor<4xf32>
  %2 = arith.addf %1, %zp : tensor<4xf32>
  %3 = arith.maximumf %2, %lo : tensor<4xf32>
  %4 = arith.minimumf %3, %hi : tensor<4xf32>
  %5 = arith.subf %4, %zp2 : tensor<4xf32>
  // expected-remark @+1 {{Operator="quantization of the module", Reason="is kept as code: it is of an activation, and has a scale for each channel"}}
  %6 = arith.mulf %5, %scale : tensor<4xf32>
  return %6 : tensor<4xf32>
}

func.func @unlimited(%x: tensor<4xf32>) -> tensor<4xf32> {
  %inv = arith.constant dense<2.0> : tensor<4xf32>
  %scale = arith.constant dense<0.5> : tensor<4xf32>
  %0 = arith.mulf %x, %inv : tensor<4xf32>
  %1 = math.roundeven %0 : tensor<4xf32>
  // expected-remark @+1 {{it does not limit the integers}}
  %2 = arith.mulf %1, %scale : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Numbers below 0 are no unsigned integers, whatever a processor makes of them.
func.func @unsigned_conversion(%x: tensor<4xf32>) -> tensor<4xf32> {
  %inv = arith.constant dense<2.0> : tensor<4xf32>
  %scale = arith.constant dense<0.5> : tensor<4xf32>
  %lo = arith.constant dense<-128.0> : tensor<4xf32>
  %hi = arith.constant dense<127.0> : tensor<4xf32>
  %0 = arith.mulf %x, %inv : tensor<4xf32>
  %1 = math.roundeven %0 : tensor<4xf32>
  %2 = arith.maximumf %1, %lo : tensor<4xf32>
  %3 = arith.minimumf %2, %hi : tensor<4xf32>
  %4 = arith.fptoui %3 : tensor<4xf32> to tensor<4xi8>
  %5 = arith.sitofp %4 : tensor<4xi8> to tensor<4xf32>
  // expected-remark @+1 {{it does not limit the integers}}
  %6 = arith.mulf %5, %scale : tensor<4xf32>
  return %6 : tensor<4xf32>
}

// Nor does a byte hold what is below -128.
func.func @limit_left_out(%x: tensor<4xf32>) -> tensor<4xf32> {
  %inv = arith.constant dense<2.0> : tensor<4xf32>
  %scale = arith.constant dense<0.5> : tensor<4xf32>
  %hi = arith.constant dense<127.0> : tensor<4xf32>
  %0 = arith.mulf %x, %inv : tensor<4xf32>
  %1 = math.roundeven %0 : tensor<4xf32>
  %2 = arith.minimumf %1, %hi : tensor<4xf32>
  %3 = arith.fptosi %2 : tensor<4xf32> to tensor<4xi8>
  %4 = arith.sitofp %3 : tensor<4xi8> to tensor<4xf32>
  // expected-remark @+1 {{it does not limit the integers}}
  %5 = arith.mulf %4, %scale : tensor<4xf32>
  return %5 : tensor<4xf32>
}

func.func @four_bits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i4:f32, 0.5>>
  // expected-remark @+1 {{expected 8 bits for f32}}
  %y = quant.dcast %q : tensor<4x!quant.uniform<i4:f32, 0.5>> to tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @integer_input(%q: tensor<4x!quant.uniform<u8:f32, 0.5>>) -> tensor<4xf32> {
  // expected-remark @+1 {{its integers are neither constants nor from a quantize}}
  %y = quant.dcast %q : tensor<4x!quant.uniform<u8:f32, 0.5>> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// An op of no dialect is nobody's quantization.
func.func @unregistered(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "vendor.swish"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
