// RUN: qbackend-opt %s --qbackend-observe="backend=qnnpack" --remarks-filter='qbackend.*' -verify-diagnostics | FileCheck %s

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
