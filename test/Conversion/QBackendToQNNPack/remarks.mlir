// RUN: qbackend-opt %s --convert-qbackend-to-qnnpack --remarks-filter='qbackend.*' -verify-diagnostics -o %t
// RUN: FileCheck %s < %t

// An operator without a kernel, or beyond its limits, stays and says so; its
// decision keeps the code.

!x8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.25:7>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>
#mean = #qbackend.quantized<pattern = <mean>, dtypes = <input = <ui8>>>

// CHECK: [#qbackend.mean<axes = [1]>] {{.*}} decision(#qbackend.quantized<pattern = <mean>, dtypes = <input = <ui8>>, code = "QB108">)
func.func @no_kernel(%x0: tensor<2x3x4x!x8>) -> tensor<2x4x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<2x3x4x!x8> -> tensor<2x3x4xf32>
  // expected-remark @+1 {{[Missed] QB108 | Category:qbackend | Function=no_kernel | Operator=mean, Reason="stays in the reference form: the qnnpack dialect has no op for it in this form", Suggestion="it computes on floats between dequantize and quantize: give it another qconfig, or none to do without the two"}}
  %o = qbackend.operator [#qbackend.mean<axes = [1]>] inputs(%r0) qconfig #q decision(#mean) : (tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%a0: tensor<2x3x4xf32>):
    %e = tensor.empty() : tensor<2x4xf32>
    qbackend.yield %e : tensor<2x4xf32>
  }
  %y = qbackend.quantize %o : tensor<2x4xf32> -> tensor<2x4x!x8>
  return %y : tensor<2x4x!x8>
}

func.func @no_fused_kernel(%x0: tensor<1x2x2x1x!x8>) -> tensor<1x2x2x1x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x2x2x1x!x8> -> tensor<1x2x2x1xf32>
  // expected-remark @+1 {{[Missed] QB108 | Category:qbackend | Function=no_fused_kernel | Operator=max_pool2d+relu, Reason="stays in the reference form: the qnnpack dialect has no op for it in this form"}}
  %o = qbackend.operator [#qbackend.max_pool2d<kernel = [1, 1], stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1]>, #qbackend.relu] inputs(%r0) qconfig #q : (tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  ^bb0(%a0: tensor<1x2x2x1xf32>):
    %e = tensor.empty() : tensor<1x2x2x1xf32>
    qbackend.yield %e : tensor<1x2x2x1xf32>
  }
  %y = qbackend.quantize %o : tensor<1x2x2x1xf32> -> tensor<1x2x2x1x!x8>
  return %y : tensor<1x2x2x1x!x8>
}

func.func @input_not_quantized(%r: tensor<4xf32>) -> tensor<4x!x8> {
  // expected-remark @+1 {{Operator=relu, Reason="stays in the reference form: not all of its inputs are quantized"}}
  %o = qbackend.operator [#qbackend.relu] inputs(%r) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!x8>
  return %y : tensor<4x!x8>
}

func.func @result_not_quantized(%x: tensor<4x!x8>) -> tensor<4xf32> {
  %r = qbackend.dequantize %x : tensor<4x!x8> -> tensor<4xf32>
  // expected-remark @+1 {{Operator=relu, Reason="stays in the reference form: its result is not quantized"}}
  %o = qbackend.operator [#qbackend.relu] inputs(%r) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

// Without a qconfig it was never to be quantized: no remark.
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %o = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

func.func @per_channel_groups(%x: tensor<1x4x2x!x8>) -> tensor<1x4x2x!y8> {
  %r = qbackend.dequantize %x : tensor<1x4x2x!x8> -> tensor<1x4x2xf32>
  %wi = arith.constant dense<1> : tensor<2x1x1xi8>
  %wq = quant.scast %wi : tensor<2x1x1xi8> to tensor<2x1x1x!quant.uniform<i8:f32:0, {0.25,0.5}>>
  %w = qbackend.dequantize %wq : tensor<2x1x1x!quant.uniform<i8:f32:0, {0.25,0.5}>> -> tensor<2x1x1xf32>
  // expected-remark @+1 {{stays in the reference form: 'qnnpack.conv_transpose1d' op}}
  %o = qbackend.operator [#qbackend.conv_transpose1d<stride = [1], padding = [0, 0], output_padding = [0], dilation = [1], groups = 2>] inputs(%r) weight(%w) qconfig #q : (tensor<1x4x2xf32>, tensor<2x1x1xf32>) -> tensor<1x4x2xf32> {
  ^bb0(%a0: tensor<1x4x2xf32>, %a1: tensor<2x1x1xf32>):
    %e = tensor.empty() : tensor<1x4x2xf32>
    qbackend.yield %e : tensor<1x4x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x4x2xf32> -> tensor<1x4x2x!y8>
  return %y : tensor<1x4x2x!y8>
}

func.func @conv_transpose3d(%x: tensor<1x4x2x2x1x!x8>) -> tensor<1x4x2x2x1x!y8> {
  %r = qbackend.dequantize %x : tensor<1x4x2x2x1x!x8> -> tensor<1x4x2x2x1xf32>
  %wi = arith.constant dense<1> : tensor<1x1x1x1x1xi8>
  %wq = quant.scast %wi : tensor<1x1x1x1x1xi8> to tensor<1x1x1x1x1x!quant.uniform<i8:f32, 0.25>>
  %w = qbackend.dequantize %wq : tensor<1x1x1x1x1x!quant.uniform<i8:f32, 0.25>> -> tensor<1x1x1x1x1xf32>
  // expected-remark @+1 {{Operator=conv_transpose3d, Reason="stays in the reference form: the qnnpack dialect has no op for it in this form"}}
  %o = qbackend.operator [#qbackend.conv_transpose3d<stride = [1, 1, 1], padding = [0, 0, 0, 0, 0, 0], output_padding = [0, 0, 0], dilation = [1, 1, 1], groups = 1>] inputs(%r) weight(%w) qconfig #q : (tensor<1x4x2x2x1xf32>, tensor<1x1x1x1x1xf32>) -> tensor<1x4x2x2x1xf32> {
  ^bb0(%a0: tensor<1x4x2x2x1xf32>, %a1: tensor<1x1x1x1x1xf32>):
    %e = tensor.empty() : tensor<1x4x2x2x1xf32>
    qbackend.yield %e : tensor<1x4x2x2x1xf32>
  }
  %y = qbackend.quantize %o : tensor<1x4x2x2x1xf32> -> tensor<1x4x2x2x1x!y8>
  return %y : tensor<1x4x2x2x1x!y8>
}

func.func @dynamic_length(%x: tensor<1x?x3x!x8>) -> tensor<1x?x3x!x8> {
  %r = qbackend.dequantize %x : tensor<1x?x3x!x8> -> tensor<1x?x3xf32>
  // expected-remark @+1 {{stays in the reference form: 'qnnpack.reshape' op has a dynamic dimension beyond the first one}}
  %o = qbackend.operator [#qbackend.max_pool1d<kernel = [2], stride = [2], padding = [0, 0], dilation = [1]>] inputs(%r) qconfig #q : (tensor<1x?x3xf32>) -> tensor<1x?x3xf32> {
  ^bb0(%a0: tensor<1x?x3xf32>):
    %d = arith.constant 2 : index
    %e = tensor.empty(%d) : tensor<1x?x3xf32>
    qbackend.yield %e : tensor<1x?x3xf32>
  }
  %y = qbackend.quantize %o : tensor<1x?x3xf32> -> tensor<1x?x3x!x8>
  return %y : tensor<1x?x3x!x8>
}
