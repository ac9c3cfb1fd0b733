// RUN: qbackend-opt %s --convert-qbackend-to-qnnpack | FileCheck %s

!x8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.25:7>
!w8 = !quant.uniform<i8:f32, 0.125>
!wc = !quant.uniform<i8:f32:0, {0.125, 0.25}>
!b32 = !quant.uniform<i32:f32, 0.0625>
!image = tensor<1x4x4x2x!x8>
!real = tensor<1x4x4x2xf32>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>

// CHECK-LABEL: func.func @conv2d
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x4x2x!quant.uniform<u8:f32, 5.000000e-01:3>>)
// CHECK-DAG: %[[WI:.*]] = arith.constant dense<{{.*}}> : tensor<2x3x3x1xi8>
// CHECK-DAG: %[[W:.*]] = quant.scast %[[WI]]
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[3, -4]> : tensor<2xi32>
// CHECK: %[[Y:.*]] = qnnpack.conv2d %[[X]], %[[W]], %[[B]] {dilation = array<i64: 1, 1>, groups = 2 : i64, padding = array<i64: 1, 0, 1, 0>, relu, stride = array<i64: 2, 2>}
// CHECK-SAME: -> tensor<1x2x2x2x!quant.uniform<u8:f32, 2.500000e-01:7>>
// CHECK-NOT: qbackend.
// CHECK: return %[[Y]]
func.func @conv2d(%x: !image) -> tensor<1x2x2x2x!y8> {
  %wi = arith.constant dense<5> : tensor<2x3x3x1xi8>
  %wq = quant.scast %wi : tensor<2x3x3x1xi8> to tensor<2x3x3x1x!w8>
  %w = qbackend.dequantize %wq : tensor<2x3x3x1x!w8> -> tensor<2x3x3x1xf32>
  %bi = arith.constant dense<[3, -4]> : tensor<2xi32>
  %bq = quant.scast %bi : tensor<2xi32> to tensor<2x!b32>
  %b = qbackend.dequantize %bq : tensor<2x!b32> -> tensor<2xf32>
  %r = qbackend.dequantize %x : !image -> !real
  %c = qbackend.operator [#qbackend.conv2d<stride = [2, 2], padding = [1, 0, 1, 0], dilation = [1, 1], groups = 2>, #qbackend.relu]
      inputs(%r) weight(%w) bias(%b) qconfig #q : (!real, tensor<2x3x3x1xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: !real, %v: tensor<2x3x3x1xf32>, %d: tensor<2xf32>):
    %e = tensor.empty() : tensor<1x2x2x2xf32>
    qbackend.yield %e : tensor<1x2x2x2xf32>
  }
  %y = qbackend.quantize %c : tensor<1x2x2x2xf32> -> tensor<1x2x2x2x!y8>
  return %y : tensor<1x2x2x2x!y8>
}

// What clamps behind a sum is an op of its own, and so is a relu that the kernel
// doesn't have.
// CHECK-LABEL: func.func @linear_relu6
// CHECK: %[[L:.*]] = qnnpack.linear %{{.*}} -> tensor<1x2x!quant.uniform<u8:f32, 2.500000e-01:7>>
// CHECK: %[[C:.*]] = qnnpack.clamp %[[L]] {max = 6.000000e+00 : f32, min = 0.000000e+00 : f32}
// CHECK: return %[[C]]
func.func @linear_relu6(%x: tensor<1x2x!x8>) -> tensor<1x2x!y8> {
  %wi = arith.constant dense<5> : tensor<2x2xi8>
  %wq = quant.scast %wi : tensor<2x2xi8> to tensor<2x2x!wc>
  %w = qbackend.dequantize %wq : tensor<2x2x!wc> -> tensor<2x2xf32>
  %r = qbackend.dequantize %x : tensor<1x2x!x8> -> tensor<1x2xf32>
  %c = qbackend.operator [#qbackend.linear, #qbackend.relu6] inputs(%r) weight(%w) qconfig #q : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %y = qbackend.quantize %c : tensor<1x2xf32> -> tensor<1x2x!y8>
  return %y : tensor<1x2x!y8>
}

// CHECK-LABEL: func.func @transposed_relu
// CHECK: %[[T:.*]] = qnnpack.conv_transpose1d
// CHECK: %[[R:.*]] = qnnpack.relu %[[T]]
// CHECK: return %[[R]]
func.func @transposed_relu(%x: tensor<1x4x2x!x8>) -> tensor<1x4x2x!y8> {
  %wi = arith.constant dense<5> : tensor<2x1x2xi8>
  %wq = quant.scast %wi : tensor<2x1x2xi8> to tensor<2x1x2x!w8>
  %w = qbackend.dequantize %wq : tensor<2x1x2x!w8> -> tensor<2x1x2xf32>
  %r = qbackend.dequantize %x : tensor<1x4x2x!x8> -> tensor<1x4x2xf32>
  %c = qbackend.operator [#qbackend.conv_transpose1d<stride = [1], padding = [0, 0], output_padding = [0], dilation = [1], groups = 1>, #qbackend.relu] inputs(%r) weight(%w) qconfig #q : (tensor<1x4x2xf32>, tensor<2x1x2xf32>) -> tensor<1x4x2xf32> {
  ^bb0(%a: tensor<1x4x2xf32>, %v: tensor<2x1x2xf32>):
    qbackend.yield %a : tensor<1x4x2xf32>
  }
  %y = qbackend.quantize %c : tensor<1x4x2xf32> -> tensor<1x4x2x!y8>
  return %y : tensor<1x4x2x!y8>
}

// A scale for each output channel, and no bias.
// CHECK-LABEL: func.func @linear_per_channel
// CHECK: qnnpack.linear %{{.*}}, %{{[^ ]*}} : tensor<1x2x!quant.uniform<u8:f32, 5.000000e-01:3>>, tensor<2x2x!quant.uniform<i8:f32:0, {1.250000e-01,2.500000e-01}>> -> tensor<1x2x!quant.uniform<u8:f32, 2.500000e-01:7>>
func.func @linear_per_channel(%x: tensor<1x2x!x8>) -> tensor<1x2x!y8> {
  %wi = arith.constant dense<5> : tensor<2x2xi8>
  %wq = quant.scast %wi : tensor<2x2xi8> to tensor<2x2x!wc>
  %w = qbackend.dequantize %wq : tensor<2x2x!wc> -> tensor<2x2xf32>
  %r = qbackend.dequantize %x : tensor<1x2x!x8> -> tensor<1x2xf32>
  %c = qbackend.operator [#qbackend.linear] inputs(%r) weight(%w) qconfig #q : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %y = qbackend.quantize %c : tensor<1x2xf32> -> tensor<1x2x!y8>
  return %y : tensor<1x2x!y8>
}

// A real value at the boundary is quantized, and dequantized, by the engine.
// CHECK-LABEL: func.func @boundary
// CHECK-NEXT: %[[Q:.*]] = qnnpack.quantize %arg0 : tensor<4xf32> -> tensor<4x!quant.uniform<u8:f32, 5.000000e-01:3>>
// CHECK-NEXT: %[[R:.*]] = qnnpack.dequantize %[[Q]]
// CHECK-NEXT: return %[[R]]
func.func @boundary(%x: tensor<4xf32>) -> tensor<4xf32> {
  %q = qbackend.quantize %x : tensor<4xf32> -> tensor<4x!x8>
  %r = qbackend.dequantize %q : tensor<4x!x8> -> tensor<4xf32>
  return %r : tensor<4xf32>
}
