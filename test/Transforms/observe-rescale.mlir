// RUN: qbackend-opt %s -split-input-file --qbackend-observe="backend=qnnpack" --remarks-filter='qbackend.*' -verify-diagnostics | FileCheck %s

// TOSA's integer profile stays, and says what kernels would make of it.

// CHECK-LABEL: @conv
// CHECK: tosa.conv2d
// CHECK: tosa.rescale
func.func @conv(%x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
  %w = "tosa.const"() <{values = dense<1> : tensor<2x1x1x2xi8>}> : () -> tensor<2x1x1x2xi8>
  %b = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %iz = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-remark @+1 {{QB145 | Category:qbackend | Function=conv | Operator="quantization of the module", Reason="is integer code already: 1 such op, the first is this one, with 64 multiply-accumulates in all; kernels would round 1 rescale otherwise, each by up to 1 step"}}
  %c = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<2x1x1x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  // expected-note @+1 {{the first rescale}}
  %r = tosa.rescale %c, %m, %s, %iz, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4x4x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  return %r : tensor<1x4x4x2xi8>
}

// -----

// Bytes are tried, all of them: a third has no ties, so that kernels round alike, and a
// scale of one rounds nothing; sums of 32 bits by a whole number neither; and what has
// 32 bits is rounded later.
// CHECK-LABEL: @exact
func.func @exact(%x: tensor<2x4xi8>, %w: tensor<4x3xi8>) -> (tensor<2x4xi8>, tensor<2x4xi8>, tensor<2x4xi32>, tensor<2x3xi8>) {
  %zi = arith.constant dense<0> : tensor<2x3xi32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %iz = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %u = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %third = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s32 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
  %one = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s30 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s12 = "tosa.const"() <{values = dense<12> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = tosa.rescale %x, %third, %s32, %z, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x4xi8>
  %b = tosa.rescale %x, %one, %s30, %u, %z {input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x4xi8>
  %c = tosa.rescale %x, %third, %s12, %z, %iz {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x4xi32>
  // expected-remark @+1 {{Function=exact | Operator="quantization of the module", Reason="is integer code already: 1 such op, the first is this one, with 24 multiply-accumulates in all", }}
  %m = linalg.matmul ins(%x, %w : tensor<2x4xi8>, tensor<4x3xi8>) outs(%zi : tensor<2x3xi32>) -> tensor<2x3xi32>
  %d = tosa.rescale %m, %one, %s30, %iz, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
  return %a, %b, %c, %d : tensor<2x4xi8>, tensor<2x4xi8>, tensor<2x4xi32>, tensor<2x3xi8>
}

// -----

// A half has ties: 1/2 is 1 in fixed point, and 0 in kernels.
// CHECK-LABEL: @ties
func.func @ties(%x: tensor<2x4xi8>, %w: tensor<4x3xi8>) -> (tensor<2x4xi8>, tensor<2x3xi32>) {
  %zi = arith.constant dense<0> : tensor<2x3xi32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m = "tosa.const"() <{values = dense<[1431655765, 1431655765, 1431655765, 1073741824]> : tensor<4xi32>}> : () -> tensor<4xi32>
  %s = "tosa.const"() <{values = dense<[32, 32, 32, 31]> : tensor<4xi8>}> : () -> tensor<4xi8>
  // expected-note @+1 {{the first rescale}}
  %a = tosa.rescale %x, %m, %s, %z, %z {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x4xi8>, tensor<4xi32>, tensor<4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x4xi8>
  // expected-remark @+1 {{24 multiply-accumulates in all; kernels would round 1 rescale otherwise, each by up to 1 step"}}
  %b = linalg.matmul ins(%x, %w : tensor<2x4xi8>, tensor<4x3xi8>) outs(%zi : tensor<2x3xi32>) -> tensor<2x3xi32>
  return %a, %b : tensor<2x4xi8>, tensor<2x3xi32>
}
