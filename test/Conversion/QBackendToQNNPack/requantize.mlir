// RUN: qbackend-opt %s --convert-qbackend-to-qnnpack --remarks-filter='qbackend.*' -verify-diagnostics | FileCheck %s

// Results with other parameters than their kernel gives, and inputs of another
// sign: a requantize makes up for them, and nothing stays float.

!x8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.25:7>
!i8 = !quant.uniform<i8:f32, 0.25:-7>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>

// CHECK-NOT: qbackend.

// CHECK-LABEL: func.func @moved(
// CHECK: %[[M:.*]] = qnnpack.transpose %arg0 {{.*}} -> tensor<3x2x!quant.uniform<u8:f32, 5.000000e-01:3>>
// CHECK: qnnpack.requantize %[[M]] : {{.*}} -> tensor<3x2x!quant.uniform<u8:f32, 2.500000e-01:7>>
func.func @moved(%x: tensor<2x3x!x8>) -> tensor<3x2x!y8> {
  %r = qbackend.dequantize %x : tensor<2x3x!x8> -> tensor<2x3xf32>
  %o = qbackend.operator [#qbackend.transpose<permutation = [1, 0]>] inputs(%r) qconfig #q : (tensor<2x3xf32>) -> tensor<3x2xf32> {
  ^bb0(%a0: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<3x2xf32>
    qbackend.yield %e : tensor<3x2xf32>
  }
  %y = qbackend.quantize %o : tensor<3x2xf32> -> tensor<3x2x!y8>
  return %y : tensor<3x2x!y8>
}

// CHECK-LABEL: func.func @pooled(
// CHECK: %[[X:.*]] = qnnpack.requantize %arg0 : {{.*}} -> tensor<1x4x4x1x!quant.uniform<i8:f32, 5.000000e-01:-125>>
// CHECK: %[[M:.*]] = qnnpack.max_pool2d %[[X]] {{.*}} -> tensor<1x2x2x1x!quant.uniform<i8:f32, 5.000000e-01:-125>>
// CHECK: qnnpack.requantize %[[M]] : {{.*}} -> tensor<1x2x2x1x!quant.uniform<i8:f32, 2.500000e-01:-7>>
func.func @pooled(%x: tensor<1x4x4x1x!x8>) -> tensor<1x2x2x1x!i8> {
  %r = qbackend.dequantize %x : tensor<1x4x4x1x!x8> -> tensor<1x4x4x1xf32>
  %o = qbackend.operator [#qbackend.max_pool2d<kernel = [2, 2], stride = [2, 2], padding = [0, 0, 0, 0], dilation = [1, 1]>] inputs(%r) qconfig #q : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32> {
  ^bb0(%a0: tensor<1x4x4x1xf32>):
    %e = tensor.empty() : tensor<1x2x2x1xf32>
    qbackend.yield %e : tensor<1x2x2x1xf32>
  }
  %y = qbackend.quantize %o : tensor<1x2x2x1xf32> -> tensor<1x2x2x1x!i8>
  return %y : tensor<1x2x2x1x!i8>
}

// CHECK-LABEL: func.func @fixed(
// CHECK: %[[M:.*]] = qnnpack.sigmoid %arg0 : {{.*}} -> tensor<4x!quant.uniform<u8:f32, 3.906250e-03>>
// CHECK: qnnpack.requantize %[[M]] : {{.*}} -> tensor<4x!quant.uniform<u8:f32, 2.500000e-01:7>>
func.func @fixed(%x: tensor<4x!x8>) -> tensor<4x!y8> {
  %r = qbackend.dequantize %x : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.sigmoid] inputs(%r) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: %[[M:.*]] = qnnpack.mul_scalar %arg0, 2.000000e+00 : {{.*}} -> tensor<4x!quant.uniform<u8:f32, 1.000000e+00:3>>
// CHECK: qnnpack.requantize %[[M]] : {{.*}} -> tensor<4x!quant.uniform<u8:f32, 2.500000e-01:7>>
func.func @scalar(%x: tensor<4x!x8>) -> tensor<4x!y8> {
  %r = qbackend.dequantize %x : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.mul<scalar = 2.0>] inputs(%r) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// A kernel that requantizes to any parameters needs but the sign.
// CHECK-LABEL: func.func @mixed(
// CHECK: %[[B:.*]] = qnnpack.requantize %arg1 : {{.*}} -> tensor<4x!quant.uniform<u8:f32, 2.500000e-01:121>>
// CHECK: %[[Y:.*]] = qnnpack.add %arg0, %[[B]]
// CHECK: return %[[Y]]
func.func @mixed(%a: tensor<4x!x8>, %b: tensor<4x!i8>) -> tensor<4x!y8> {
  %ra = qbackend.dequantize %a : tensor<4x!x8> -> tensor<4xf32>
  %rb = qbackend.dequantize %b : tensor<4x!i8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.add] inputs(%ra, %rb) qconfig #q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// A value that is observed twice, by observers of two types.
// CHECK-LABEL: func.func @observed_twice(
// CHECK: %[[Q:.*]] = qnnpack.quantize %arg0
// CHECK: qnnpack.requantize %[[Q]] : {{.*}} -> tensor<4x!quant.uniform<i8:f32, 2.500000e-01:-7>>
// CHECK-NOT: qnnpack.dequantize
func.func @observed_twice(%x: tensor<4xf32>) -> tensor<4x!i8> {
  %q = qbackend.quantize %x : tensor<4xf32> -> tensor<4x!x8>
  %r = qbackend.dequantize %q : tensor<4x!x8> -> tensor<4xf32>
  %y = qbackend.quantize %r : tensor<4xf32> -> tensor<4x!i8>
  return %y : tensor<4x!i8>
}
