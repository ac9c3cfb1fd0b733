// RUN: qbackend-opt %s --convert-qbackend-to-qnnpack --remarks-filter=qbackend -o - 2>&1 | FileCheck %s

// What a module that came quantized computes holds, where the engine does
// otherwise.

// CHECK-DAG: QB108 {{.*}}Operator=sigmoid{{.*}}its kernel gives steps of 3.906250e-03, the module quantizes its result by 9.765625e-04
// CHECK-DAG: QB108 {{.*}}Operator=mean{{.*}}its kernel gives steps of 5.000000e-01, the module quantizes its result by 1.250000e-01
// CHECK-NOT: QB122

!x8 = !quant.uniform<u8:f32, 0.5:3>
!n8 = !quant.uniform<u8:f32, 0.25:9>
!s8 = !quant.uniform<u8:f32, 0.0009765625>
!m8 = !quant.uniform<u8:f32, 0.125>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>
#avg = #qbackend.quantized<pattern = <avg_pool2d>, dtypes = <input = <ui8>, output = <ui8>>, imported = true>
#max = #qbackend.quantized<pattern = <max_pool2d>, dtypes = <input = <ui8>, output = <ui8>>, imported = true>
#add = #qbackend.quantized<pattern = <add>, dtypes = <input = <ui8>, output = <ui8>>, imported = true>
#sigmoid = #qbackend.quantized<pattern = <sigmoid>, dtypes = <input = <ui8>, output = <ui8>>, imported = true>
#mean = #qbackend.quantized<pattern = <mean>, dtypes = <input = <ui8>, output = <ui8>>, imported = true>

// The divisor is the module's.
// CHECK-LABEL: func.func @divisor(
// CHECK: qnnpack.avg_pool2d %arg0 {divisor_override = 3 : i64, {{.*}}mathematical
func.func @divisor(%x: tensor<1x4x4x1x!x8>) -> tensor<1x2x2x1x!x8> {
  %r = qbackend.dequantize %x : tensor<1x4x4x1x!x8> -> tensor<1x4x4x1xf32>
  %o = qbackend.operator [#qbackend.avg_pool2d<kernel = [2, 2], stride = [2, 2], padding = [0, 0, 0, 0], divisor_override = 3>] inputs(%r) qconfig #q decision(#avg)
      : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32> {
  ^bb0(%a: tensor<1x4x4x1xf32>):
    %e = tensor.empty() : tensor<1x2x2x1xf32>
    qbackend.yield %e : tensor<1x2x2x1xf32>
  }
  %y = qbackend.quantize %o : tensor<1x2x2x1xf32> -> tensor<1x2x2x1x!x8>
  return %y : tensor<1x2x2x1x!x8>
}

// What is not there is not counted.
// CHECK-LABEL: func.func @border(
// CHECK: qnnpack.avg_pool2d %arg0 {count_include_pad = false, {{.*}}mathematical
func.func @border(%x: tensor<1x4x4x1x!x8>) -> tensor<1x4x4x1x!x8> {
  %r = qbackend.dequantize %x : tensor<1x4x4x1x!x8> -> tensor<1x4x4x1xf32>
  %o = qbackend.operator [#qbackend.avg_pool2d<kernel = [3, 3], stride = [1, 1], padding = [1, 1, 1, 1], count_exclude_pad = true>] inputs(%r) qconfig #q decision(#avg)
      : (tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32> {
  ^bb0(%a: tensor<1x4x4x1xf32>):
    qbackend.yield %a : tensor<1x4x4x1xf32>
  }
  %y = qbackend.quantize %o : tensor<1x4x4x1xf32> -> tensor<1x4x4x1x!x8>
  return %y : tensor<1x4x4x1x!x8>
}

// An average like any other has the engine's kernel.
// CHECK-LABEL: func.func @plain(
// CHECK: qnnpack.avg_pool2d
// CHECK-NOT: mathematical
// CHECK-SAME: : tensor
func.func @plain(%x: tensor<1x4x4x1x!x8>) -> tensor<1x2x2x1x!x8> {
  %r = qbackend.dequantize %x : tensor<1x4x4x1x!x8> -> tensor<1x4x4x1xf32>
  %o = qbackend.operator [#qbackend.avg_pool2d<kernel = [2, 2], stride = [2, 2], padding = [0, 0, 0, 0]>] inputs(%r) qconfig #q decision(#avg)
      : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32> {
  ^bb0(%a: tensor<1x4x4x1xf32>):
    %e = tensor.empty() : tensor<1x2x2x1xf32>
    qbackend.yield %e : tensor<1x2x2x1xf32>
  }
  %y = qbackend.quantize %o : tensor<1x2x2x1xf32> -> tensor<1x2x2x1x!x8>
  return %y : tensor<1x2x2x1x!x8>
}

// QNNPACK moves taps outside of the image to its edge.
// CHECK-LABEL: func.func @dilated(
// CHECK: qnnpack.max_pool2d %arg0 {{{.*}}mathematical
func.func @dilated(%x: tensor<1x4x4x1x!x8>) -> tensor<1x4x4x1x!x8> {
  %r = qbackend.dequantize %x : tensor<1x4x4x1x!x8> -> tensor<1x4x4x1xf32>
  %o = qbackend.operator [#qbackend.max_pool2d<kernel = [2, 2], stride = [1, 1], padding = [1, 1, 1, 1], dilation = [2, 2]>] inputs(%r) qconfig #q decision(#max)
      : (tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32> {
  ^bb0(%a: tensor<1x4x4x1xf32>):
    qbackend.yield %a : tensor<1x4x4x1xf32>
  }
  %y = qbackend.quantize %o : tensor<1x4x4x1xf32> -> tensor<1x4x4x1x!x8>
  return %y : tensor<1x4x4x1x!x8>
}

// The number is not rounded to a step of the input: it is one step of its own.
// CHECK-LABEL: func.func @add_number(
// CHECK: %[[C:.*]] = arith.constant dense<-127> : tensor<1xi8>
// CHECK: %[[N:.*]] = quant.scast %[[C]] : tensor<1xi8> to tensor<1x!quant.uniform<u8:f32, 0.69999998807907104:128>>
// CHECK: qnnpack.add %arg0, %[[N]] {aten} :
func.func @add_number(%x: tensor<4x!x8>) -> tensor<4x!n8> {
  %r = qbackend.dequantize %x : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.add<scalar = 0.7>] inputs(%r) qconfig #q decision(#add) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!n8>
  return %y : tensor<4x!n8>
}

// CHECK-LABEL: func.func @sigmoid(
// CHECK-NOT: qnnpack.sigmoid
func.func @sigmoid(%x: tensor<4x!x8>) -> tensor<4x!s8> {
  %r = qbackend.dequantize %x : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.sigmoid] inputs(%r) qconfig #q decision(#sigmoid) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!s8>
  return %y : tensor<4x!s8>
}

// CHECK-LABEL: func.func @mean(
// CHECK-NOT: qnnpack.mean
func.func @mean(%x: tensor<1x2x2x1x!x8>) -> tensor<1x1x!m8> {
  %r = qbackend.dequantize %x : tensor<1x2x2x1x!x8> -> tensor<1x2x2x1xf32>
  %o = qbackend.operator [#qbackend.mean<axes = [1, 2]>] inputs(%r) qconfig #q decision(#mean) : (tensor<1x2x2x1xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: tensor<1x2x2x1xf32>):
    %e = tensor.empty() : tensor<1x1xf32>
    qbackend.yield %e : tensor<1x1xf32>
  }
  %y = qbackend.quantize %o : tensor<1x1xf32> -> tensor<1x1x!m8>
  return %y : tensor<1x1x!m8>
}
