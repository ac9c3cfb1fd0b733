// RUN: qbackend-opt %s --split-input-file --qbackend-import-quantization --remarks-filter='qbackend.*' -verify-diagnostics | FileCheck %s
// RUN: qbackend-opt %s --split-input-file --apply-backend=qnnpack --remarks-filter='none' -o - | FileCheck %s --check-prefix=APPLIED

// Ways of rounding that are no quantization which kernels have stay as code, and
// the module says so: nothing is quantized around them.

// CHECK: module attributes {qbackend.rounds}
// CHECK: func.func @floor_of_sum(
// APPLIED: func.func @floor_of_sum(
// APPLIED-NOT: qnnpack.
// APPLIED: math.absf
func.func @floor_of_sum(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = arith.constant dense<0.25> : tensor<4xf32>
  %h = arith.constant dense<0.5> : tensor<4xf32>
  %d = arith.divf %x, %s : tensor<4xf32>
  %b = arith.addf %d, %h : tensor<4xf32>
  %f = math.floor %b : tensor<4xf32>
  // expected-remark @+1 {{is kept as code: it does not limit the integers}}
  %y = arith.mulf %f, %s : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: module attributes {qbackend.rounds}
// CHECK: func.func @ceil_of_difference(
// APPLIED: func.func @ceil_of_difference(
// APPLIED-NOT: qnnpack.
// APPLIED: math.absf
func.func @ceil_of_difference(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = arith.constant dense<0.25> : tensor<4xf32>
  %h = arith.constant dense<0.5> : tensor<4xf32>
  %d = arith.divf %x, %s : tensor<4xf32>
  %b = arith.subf %d, %h : tensor<4xf32>
  %f = math.ceil %b : tensor<4xf32>
  // expected-remark @+1 {{is kept as code: it does not limit the integers}}
  %y = arith.mulf %f, %s : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: module attributes {qbackend.rounds}
// CHECK: func.func @truncation(
// APPLIED: func.func @truncation(
// APPLIED-NOT: qnnpack.
// APPLIED: math.absf
func.func @truncation(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = arith.constant dense<0.25> : tensor<4xf32>
  %h = arith.constant dense<0.5> : tensor<4xf32>
  %d = arith.divf %x, %s : tensor<4xf32>
  %f = math.trunc %d : tensor<4xf32>
  // expected-remark @+1 {{is kept as code: it does not limit the integers}}
  %y = arith.mulf %f, %s : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: module attributes {qbackend.rounds}
// CHECK: func.func @large_number(
// APPLIED: func.func @large_number(
// APPLIED-NOT: qnnpack.
// APPLIED: math.absf
func.func @large_number(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<12582912.0> : tensor<4xf32>
  %b = arith.addf %x, %c : tensor<4xf32>
  // expected-remark @+1 {{is kept as code: it rounds in another way than by a scale and limits}}
  %y = arith.subf %b, %c : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: module attributes {qbackend.rounds}
// CHECK: func.func @fixed_point(
// APPLIED: func.func @fixed_point(
// APPLIED-NOT: qnnpack.
// APPLIED: math.absf
func.func @fixed_point(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<98304.0> : tensor<4xf32>
  %b = arith.addf %x, %c : tensor<4xf32>
  // expected-remark @+1 {{is kept as code: it rounds in another way than by a scale and limits}}
  %y = arith.subf %b, %c : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: module attributes {qbackend.rounds}
// CHECK: func.func @remainder(
// APPLIED: func.func @remainder(
// APPLIED-NOT: qnnpack.
// APPLIED: math.absf
func.func @remainder(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = arith.constant dense<0.25> : tensor<4xf32>
  %b = arith.remf %x, %s : tensor<4xf32>
  // expected-remark @+1 {{is kept as code: it rounds in another way than by a scale and limits}}
  %y = arith.subf %x, %b : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: module attributes {qbackend.rounds}
// CHECK: func.func @bf16(
// APPLIED: func.func @bf16(
// APPLIED-NOT: qnnpack.
// APPLIED: math.absf
func.func @bf16(%x: tensor<4xf32>) -> tensor<4xf32> {
  %b = arith.truncf %x : tensor<4xf32> to tensor<4xbf16>
  // expected-remark @+1 {{is kept as code: it rounds in another way than by a scale and limits}}
  %y = arith.extf %b : tensor<4xbf16> to tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: module attributes {qbackend.rounds}
// CHECK: func.func @f16(
// APPLIED: func.func @f16(
// APPLIED-NOT: qnnpack.
// APPLIED: math.absf
func.func @f16(%x: tensor<4xf32>) -> tensor<4xf32> {
  %b = arith.truncf %x : tensor<4xf32> to tensor<4xf16>
  // expected-remark @+1 {{is kept as code: it rounds in another way than by a scale and limits}}
  %y = arith.extf %b : tensor<4xf16> to tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: module attributes {qbackend.rounds}
// CHECK: func.func @masked_bits(
// APPLIED: func.func @masked_bits(
// APPLIED-NOT: qnnpack.
// APPLIED: math.absf
func.func @masked_bits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k = arith.constant dense<-65536> : tensor<4xi32>
  %b = arith.bitcast %x : tensor<4xf32> to tensor<4xi32>
  %c = arith.andi %b, %k : tensor<4xi32>
  // expected-remark @+1 {{is kept as code: it rounds in another way than by a scale and limits}}
  %y = arith.bitcast %c : tensor<4xi32> to tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: module attributes {qbackend.rounds}
// CHECK: func.func @shifted_bits(
// APPLIED: func.func @shifted_bits(
// APPLIED-NOT: qnnpack.
// APPLIED: math.absf
func.func @shifted_bits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k = arith.constant dense<16> : tensor<4xi32>
  %b = arith.bitcast %x : tensor<4xf32> to tensor<4xi32>
  %c = arith.shrui %b, %k : tensor<4xi32>
  %e = arith.shli %c, %k : tensor<4xi32>
  // expected-remark @+1 {{is kept as code: it rounds in another way than by a scale and limits}}
  %y = arith.bitcast %e : tensor<4xi32> to tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// What ordinary networks compute is none.

// CHECK: {{^}}module {
// CHECK: func.func @floor(
// APPLIED: func.func @floor(
// APPLIED: qnnpack.
func.func @floor(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.floor %x : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: {{^}}module {
// CHECK: func.func @fraction(
// APPLIED: func.func @fraction(
// APPLIED: qnnpack.
func.func @fraction(%x: tensor<4xf32>) -> tensor<4xf32> {
  %b = math.floor %x : tensor<4xf32>
  %y = arith.subf %x, %b : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: {{^}}module {
// CHECK: func.func @angle(
// APPLIED: func.func @angle(
// APPLIED: qnnpack.
func.func @angle(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = arith.constant dense<6.28318548> : tensor<4xf32>
  %k = arith.constant dense<0.5> : tensor<4xf32>
  %b = arith.remf %x, %s : tensor<4xf32>
  %y = arith.mulf %b, %k : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: {{^}}module {
// CHECK: func.func @penalty(
// APPLIED: func.func @penalty(
// APPLIED: qnnpack.
func.func @penalty(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<-9.0e8> : tensor<4xf32>
  %k = arith.constant dense<3.0> : tensor<4xf32>
  %b = arith.addf %x, %c : tensor<4xf32>
  %y = arith.subf %b, %k : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: {{^}}module {
// CHECK: func.func @fields_of_bits(
// APPLIED: func.func @fields_of_bits(
// APPLIED: qnnpack.
func.func @fields_of_bits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k = arith.constant dense<8388607> : tensor<4xi32>
  %o = arith.constant dense<1065353216> : tensor<4xi32>
  %b = arith.bitcast %x : tensor<4xf32> to tensor<4xi32>
  %c = arith.andi %b, %k : tensor<4xi32>
  %e = arith.ori %c, %o : tensor<4xi32>
  %y = arith.bitcast %e : tensor<4xi32> to tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// CHECK: {{^}}module {
// CHECK: func.func @double(
// APPLIED: func.func @double(
// APPLIED: qnnpack.
func.func @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %b = arith.extf %x : tensor<4xf32> to tensor<4xf64>
  %y = arith.truncf %b : tensor<4xf64> to tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %y, %m : tensor<4xf32>
  %a = math.absf %r : tensor<4xf32>
  return %a : tensor<4xf32>
}
