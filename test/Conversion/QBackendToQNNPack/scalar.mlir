// RUN: qbackend-opt %s --convert-qbackend-to-qnnpack | FileCheck %s

// The parameters of the result follow from the scalar, which may be outside of
// the range of the input.

!x8 = !quant.uniform<u8:f32, 0.5:3>
!x16 = !quant.uniform<u8:f32, 1.0:3>
!m8 = !quant.uniform<u8:f32, 0.5:252>
!n8 = !quant.uniform<u8:f32, 0.5:2>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>

// CHECK-NOT: qbackend.

// CHECK-LABEL: func.func @mul_scalar(
// CHECK: qnnpack.mul_scalar %arg0, 2.000000e+00
func.func @mul_scalar(%x0: tensor<4x!x8>) -> tensor<4x!x16> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.mul<scalar = 2.0>] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!x16>
  return %y : tensor<4x!x16>
}

// Mirrored: the zero point is 255 - 3.
// CHECK-LABEL: func.func @mul_minus_one(
// CHECK: qnnpack.mul_scalar %arg0, -1.000000e+00
func.func @mul_minus_one(%x0: tensor<4x!x8>) -> tensor<4x!m8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.mul<scalar = -1.0>] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!m8>
  return %y : tensor<4x!m8>
}

// CHECK-LABEL: func.func @mul_scalar_relu(
// CHECK: qnnpack.mul_scalar %arg0, 2.000000e+00 {relu}
func.func @mul_scalar_relu(%x0: tensor<4x!x8>) -> tensor<4x!x16> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.mul<scalar = 2.0>, #qbackend.relu] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!x16>
  return %y : tensor<4x!x16>
}

// CHECK-LABEL: func.func @add_scalar(
// CHECK: qnnpack.add_scalar %arg0, 5.000000e-01
func.func @add_scalar(%x0: tensor<4x!x8>) -> tensor<4x!n8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.add<scalar = 0.5>] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!n8>
  return %y : tensor<4x!n8>
}

// CHECK-LABEL: func.func @add_scalar_relu(
// CHECK: qnnpack.add_scalar %arg0, 5.000000e-01 {relu}
func.func @add_scalar_relu(%x0: tensor<4x!x8>) -> tensor<4x!n8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.add<scalar = 0.5>, #qbackend.relu] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!n8>
  return %y : tensor<4x!n8>
}
