// RUN: qbackend-opt %s --convert-qbackend-to-qnnpack | FileCheck %s

// Convolutions of other ranks, and transposed ones.

!x8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.25:7>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>

// CHECK-NOT: qbackend.

// CHECK-LABEL: func.func @conv1d_relu(
// CHECK: %[[W:.*]] = quant.scast
// CHECK: qnnpack.conv1d %arg0, %[[W]], %{{.*}} {dilation = array<i64: 1>, groups = 2 : i64, padding = array<i64: 1, 2>, relu, stride = array<i64: 2>} : tensor<1x8x4x
func.func @conv1d_relu(%x: tensor<1x8x4x!x8>) -> tensor<1x5x6x!y8> {
  %r = qbackend.dequantize %x : tensor<1x8x4x!x8> -> tensor<1x8x4xf32>
  %wi = arith.constant dense<1> : tensor<6x3x2xi8>
  %wq = quant.scast %wi : tensor<6x3x2xi8> to tensor<6x3x2x!quant.uniform<i8:f32, 0.25>>
  %w = qbackend.dequantize %wq : tensor<6x3x2x!quant.uniform<i8:f32, 0.25>> -> tensor<6x3x2xf32>
  %bi = arith.constant dense<9> : tensor<6xi32>
  %bq = quant.scast %bi : tensor<6xi32> to tensor<6x!quant.uniform<i32:f32, 0.125>>
  %b = qbackend.dequantize %bq : tensor<6x!quant.uniform<i32:f32, 0.125>> -> tensor<6xf32>
  %o = qbackend.operator [#qbackend.conv1d<stride = [2], padding = [1, 2], dilation = [1], groups = 2>, #qbackend.relu] inputs(%r) weight(%w) bias(%b) qconfig #q : (tensor<1x8x4xf32>, tensor<6x3x2xf32>, tensor<6xf32>) -> tensor<1x5x6xf32> {
  ^bb0(%a0: tensor<1x8x4xf32>, %a1: tensor<6x3x2xf32>, %a2: tensor<6xf32>):
    %e = tensor.empty() : tensor<1x5x6xf32>
    qbackend.yield %e : tensor<1x5x6xf32>
  }
  %y = qbackend.quantize %o : tensor<1x5x6xf32> -> tensor<1x5x6x!y8>
  return %y : tensor<1x5x6x!y8>
}

// CHECK-LABEL: func.func @conv3d(
// CHECK: qnnpack.conv3d %arg0, %{{[0-9a-z]*}} {dilation = array<i64: 1, 1, 2>, groups = 1 : i64, padding = array<i64: 0, 0, 1, 1, 0, 0>, stride = array<i64: 1, 2, 1>}
func.func @conv3d(%x: tensor<1x4x5x6x2x!x8>) -> tensor<1x3x3x2x3x!y8> {
  %r = qbackend.dequantize %x : tensor<1x4x5x6x2x!x8> -> tensor<1x4x5x6x2xf32>
  %wi = arith.constant dense<1> : tensor<3x2x3x3x2xi8>
  %wq = quant.scast %wi : tensor<3x2x3x3x2xi8> to tensor<3x2x3x3x2x!quant.uniform<i8:f32, 0.25>>
  %w = qbackend.dequantize %wq : tensor<3x2x3x3x2x!quant.uniform<i8:f32, 0.25>> -> tensor<3x2x3x3x2xf32>
  %o = qbackend.operator [#qbackend.conv3d<stride = [1, 2, 1], padding = [0, 0, 1, 1, 0, 0], dilation = [1, 1, 2], groups = 1>] inputs(%r) weight(%w) qconfig #q : (tensor<1x4x5x6x2xf32>, tensor<3x2x3x3x2xf32>) -> tensor<1x3x3x2x3xf32> {
  ^bb0(%a0: tensor<1x4x5x6x2xf32>, %a1: tensor<3x2x3x3x2xf32>):
    %e = tensor.empty() : tensor<1x3x3x2x3xf32>
    qbackend.yield %e : tensor<1x3x3x2x3xf32>
  }
  %y = qbackend.quantize %o : tensor<1x3x3x2x3xf32> -> tensor<1x3x3x2x3x!y8>
  return %y : tensor<1x3x3x2x3x!y8>
}

// CHECK-LABEL: func.func @conv_transpose1d(
// CHECK: qnnpack.conv_transpose1d %arg0, %{{.*}}, %{{.*}} {dilation = array<i64: 1>, groups = 1 : i64, output_padding = array<i64: 1>, padding = array<i64: 1, 0>, stride = array<i64: 2>}
func.func @conv_transpose1d(%x: tensor<1x4x3x!x8>) -> tensor<1x9x5x!y8> {
  %r = qbackend.dequantize %x : tensor<1x4x3x!x8> -> tensor<1x4x3xf32>
  %wi = arith.constant dense<1> : tensor<5x3x3xi8>
  %wq = quant.scast %wi : tensor<5x3x3xi8> to tensor<5x3x3x!quant.uniform<i8:f32, 0.25>>
  %w = qbackend.dequantize %wq : tensor<5x3x3x!quant.uniform<i8:f32, 0.25>> -> tensor<5x3x3xf32>
  %bi = arith.constant dense<9> : tensor<5xi32>
  %bq = quant.scast %bi : tensor<5xi32> to tensor<5x!quant.uniform<i32:f32, 0.125>>
  %b = qbackend.dequantize %bq : tensor<5x!quant.uniform<i32:f32, 0.125>> -> tensor<5xf32>
  %o = qbackend.operator [#qbackend.conv_transpose1d<stride = [2], padding = [1, 0], output_padding = [1], dilation = [1], groups = 1>] inputs(%r) weight(%w) bias(%b) qconfig #q : (tensor<1x4x3xf32>, tensor<5x3x3xf32>, tensor<5xf32>) -> tensor<1x9x5xf32> {
  ^bb0(%a0: tensor<1x4x3xf32>, %a1: tensor<5x3x3xf32>, %a2: tensor<5xf32>):
    %e = tensor.empty() : tensor<1x9x5xf32>
    qbackend.yield %e : tensor<1x9x5xf32>
  }
  %y = qbackend.quantize %o : tensor<1x9x5xf32> -> tensor<1x9x5x!y8>
  return %y : tensor<1x9x5x!y8>
}

// CHECK-LABEL: func.func @conv_transpose2d_groups(
// CHECK: qnnpack.conv_transpose2d %arg0, %{{.*}} {dilation = array<i64: 1, 2>, groups = 2 : i64, output_padding = array<i64: 1, 0>, padding = array<i64: 1, 1, 0, 0>, stride = array<i64: 2, 1>}
func.func @conv_transpose2d_groups(%x: tensor<1x4x4x4x!x8>) -> tensor<1x8x8x6x!y8> {
  %r = qbackend.dequantize %x : tensor<1x4x4x4x!x8> -> tensor<1x4x4x4xf32>
  %wi = arith.constant dense<1> : tensor<6x3x3x2xi8>
  %wq = quant.scast %wi : tensor<6x3x3x2xi8> to tensor<6x3x3x2x!quant.uniform<i8:f32, 0.25>>
  %w = qbackend.dequantize %wq : tensor<6x3x3x2x!quant.uniform<i8:f32, 0.25>> -> tensor<6x3x3x2xf32>
  %o = qbackend.operator [#qbackend.conv_transpose2d<stride = [2, 1], padding = [1, 1, 0, 0], output_padding = [1, 0], dilation = [1, 2], groups = 2>] inputs(%r) weight(%w) qconfig #q : (tensor<1x4x4x4xf32>, tensor<6x3x3x2xf32>) -> tensor<1x8x8x6xf32> {
  ^bb0(%a0: tensor<1x4x4x4xf32>, %a1: tensor<6x3x3x2xf32>):
    %e = tensor.empty() : tensor<1x8x8x6xf32>
    qbackend.yield %e : tensor<1x8x8x6xf32>
  }
  %y = qbackend.quantize %o : tensor<1x8x8x6xf32> -> tensor<1x8x8x6x!y8>
  return %y : tensor<1x8x8x6x!y8>
}
