// RUN: qbackend-opt %s --qbackend-convert | FileCheck %s

// Weights as each qconfig wants them.

#static = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
#channel = #qbackend.qconfig<activation = <min_max, ui8>, weight = <per_channel_min_max, si8, per_channel_symmetric>>
#slopes = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, ui8>>
#fixed = #qbackend.qconfig<activation = <min_max, ui8>, weight = <fixed_qparams, si8, scale = 0.25, zero_point = 0>>
#dynamic = #qbackend.qconfig<activation = <placeholder, ui8, is_dynamic = true>, weight = <min_max, si8, per_tensor_symmetric>>
#only = #qbackend.qconfig<activation = <placeholder, f32>, weight = <min_max, si8, per_tensor_symmetric>>
#byte = #qbackend.qconfig<activation = <placeholder, f32>, weight = <per_channel_min_max, ui8, per_channel_affine_float_qparams>>
#nibble = #qbackend.qconfig<activation = <placeholder, f32>, weight = <per_channel_min_max, ui4, per_channel_affine_float_qparams>>
#f16 = #qbackend.qconfig<activation = <placeholder, f16>, weight = <placeholder, f16>>
#f16_dynamic = #qbackend.qconfig<activation = <placeholder, f16, is_dynamic = true>, weight = <placeholder, f16>>
#bf16 = #qbackend.qconfig<activation = <placeholder, bf16>, weight = <placeholder, bf16>>
!t = tensor<1x2xf32>

qbackend.observer @half <min_max, ui8> range [-1.0, 126.5] scale 0.5 zero_point 2

// A scale for each output channel of a transposed convolution, axis 0 here.
// The bias has the scales of the weight, times 1/2.
// CHECK-LABEL: func.func @conv_transpose
// CHECK: quant.scast %{{[^ ]*}} : tensor<2x1x1xi8> to tensor<2x1x1x!quant.uniform<i8:f32:0, {0.0078431377187371254,0.015686275437474251}>>
// CHECK: arith.constant dense<{{\[}}255, 127]> : tensor<2xi32>
// CHECK: quant.scast %{{[^ ]*}} : tensor<2xi32> to tensor<2x!quant.uniform<i32:f32:0, {0.0039215688593685627,0.0078431377187371254}>>
func.func @conv_transpose(%x: tensor<1x3x1xf32>) -> tensor<1x3x2xf32> {
  %w = arith.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %b = arith.constant dense<1.0> : tensor<2xf32>
  %0 = qbackend.observe %x by @half : tensor<1x3x1xf32>
  %1 = qbackend.operator [#qbackend.conv_transpose1d<stride = [1], padding = [0, 0], output_padding = [0], dilation = [1], groups = 1>] inputs(%0) weight(%w) bias(%b) qconfig #channel : (tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<2xf32>) -> tensor<1x3x2xf32> {
  ^bb0(%a: tensor<1x3x1xf32>, %v: tensor<2x1x1xf32>, %c: tensor<2xf32>):
    %e = tensor.empty() : tensor<1x3x2xf32>
    qbackend.yield %e : tensor<1x3x2xf32>
  }
  %2 = qbackend.observe %1 by @half : tensor<1x3x2xf32>
  return %2 : tensor<1x3x2xf32>
}

// The range of the slopes is made to hold 1: [0, 1] has the scale 1/255.
// CHECK-LABEL: func.func @prelu
// CHECK: arith.constant dense<64> : tensor<1xi8>
// CHECK: quant.scast %{{[^ ]*}} : tensor<1xi8> to tensor<1x!quant.uniform<u8:f32, 0.0039215688593685627>>
func.func @prelu(%x: !t) -> !t {
  %w = arith.constant dense<0.25> : tensor<1xf32>
  %0 = qbackend.observe %x by @half : !t
  %1 = qbackend.operator [#qbackend.prelu<axis = 1>] inputs(%0) weight(%w) qconfig #slopes : (!t, tensor<1xf32>) -> !t {
  ^bb0(%a: !t, %v: tensor<1xf32>):
    qbackend.yield %a : !t
  }
  %2 = qbackend.observe %1 by @half : !t
  return %2 : !t
}

// CHECK-LABEL: func.func @fixed
// CHECK: arith.constant dense<{{\[\[}}4, -128]]> : tensor<1x2xi8>
// CHECK: !quant.uniform<i8:f32, 2.500000e-01>
func.func @fixed(%x: !t) -> tensor<1x1xf32> {
  %w = arith.constant dense<[[1.0, -99.0]]> : !t
  %0 = qbackend.observe %x by @half : !t
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) qconfig #fixed : (!t, !t) -> tensor<1x1xf32> {
  ^bb0(%a: !t, %v: !t):
    %e = tensor.empty() : tensor<1x1xf32>
    qbackend.yield %e : tensor<1x1xf32>
  }
  %2 = qbackend.observe %1 by @half : tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// The input and the bias stay float.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[X:.*]]: tensor<1x2xf32>)
// CHECK-NOT: qbackend.quantize
// CHECK: %[[B:.*]] = arith.constant dense<1.000000e+00> : tensor<1xf32>
// CHECK: %[[W:.*]] = qbackend.dequantize %{{[^ ]*}} : tensor<1x2x!quant.uniform<i8:f32, {{.*}}>>
// CHECK: qbackend.operator [#qbackend.linear] inputs(%[[X]]) weight(%[[W]]) bias(%[[B]])
func.func @dynamic(%x: !t) -> tensor<1x1xf32> {
  %w = arith.constant dense<[[1.0, -2.0]]> : !t
  %b = arith.constant dense<1.0> : tensor<1xf32>
  %1 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) bias(%b) qconfig #dynamic : (!t, !t, tensor<1xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: !t, %v: !t, %c: tensor<1xf32>):
    %e = tensor.empty() : tensor<1x1xf32>
    qbackend.yield %e : tensor<1x1xf32>
  }
  return %1 : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @weight_only
// CHECK: %[[W:.*]] = qbackend.dequantize %{{[^ ]*}} : tensor<1x2x!quant.uniform<i8:f32, {{.*}}>>
// CHECK: inputs(%arg0) weight(%[[W]])
func.func @weight_only(%x: !t) -> tensor<1x1xf32> {
  %w = arith.constant dense<[[1.0, -2.0]]> : !t
  %1 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) qconfig #only : (!t, !t) -> tensor<1x1xf32> {
  ^bb0(%a: !t, %v: !t):
    %e = tensor.empty() : tensor<1x1xf32>
    qbackend.yield %e : tensor<1x1xf32>
  }
  return %1 : tensor<1x1xf32>
}

// Rows [0, 255] and [-1, -1]: scales 1 and, of an empty range, 1; zero points 0
// and 1. Bytes are unsigned: -1 is 255.
// CHECK-LABEL: func.func @table
// CHECK-DAG: %[[T:.*]] = arith.constant dense<{{\[\[}}0, -1], [0, 0]]> : tensor<2x2xi8>
// CHECK-DAG: %[[S:.*]] = arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-DAG: %[[Z:.*]] = arith.constant dense<[{{-?}}0.000000e+00, 1.000000e+00]> : tensor<2xf32>
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%[[T]], %[[S]], %[[Z]] :
// CHECK-NOT: f16
// CHECK: math.fma
// CHECK: qbackend.operator [#qbackend.embedding] inputs(%arg0) weight(%[[W]])
func.func @table(%i: tensor<1xi64>) -> !t {
  %w = arith.constant dense<[[0.0, 255.0], [-1.0, -1.0]]> : tensor<2x2xf32>
  %1 = qbackend.operator [#qbackend.embedding] inputs(%i) weight(%w) qconfig #byte : (tensor<1xi64>, tensor<2x2xf32>) -> !t {
  ^bb0(%a: tensor<1xi64>, %v: tensor<2x2xf32>):
    %e = tensor.empty() : !t
    qbackend.yield %e : !t
  }
  return %1 : !t
}

// [0, 30] in 15 steps of 2. The engine keeps what it multiplies by in 16 bits.
// CHECK-LABEL: func.func @table_4bit
// CHECK: arith.constant dense<{{\[\[}}0, 3, 15]]> : tensor<1x3xi8>
// CHECK: arith.truncf {{.*}} to f16
func.func @table_4bit(%i: tensor<1xi64>) -> tensor<1x3xf32> {
  %w = arith.constant dense<[[0.0, 6.0, 30.0]]> : tensor<1x3xf32>
  %1 = qbackend.operator [#qbackend.embedding] inputs(%i) weight(%w) qconfig #nibble : (tensor<1xi64>, tensor<1x3xf32>) -> tensor<1x3xf32> {
  ^bb0(%a: tensor<1xi64>, %v: tensor<1x3xf32>):
    %e = tensor.empty() : tensor<1x3xf32>
    qbackend.yield %e : tensor<1x3xf32>
  }
  return %1 : tensor<1x3xf32>
}

// 2049 is between two numbers, and goes to the even one; 1e9 is too large.
// CHECK-LABEL: func.func @rounded
// CHECK: %[[H:.*]] = arith.constant dense<{{\[\[}}2.048000e+03, 6.550400e+04]]> : tensor<1x2xf16>
// CHECK: %[[W:.*]] = arith.extf %[[H]]
// CHECK: %[[Y:.*]] = qbackend.operator [#qbackend.linear] inputs(%[[X:.*]]) weight(%[[W]])
// CHECK: %[[T:.*]] = arith.truncf %[[Y]] : tensor<1x1xf32> to tensor<1x1xf16>
// CHECK: %[[R:.*]] = arith.extf %[[T]]
// CHECK: return %[[R]]
func.func @rounded(%x: !t) -> tensor<1x1xf32> {
  %w = arith.constant dense<[[2049.0, 1.0e9]]> : !t
  %1 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) qconfig #f16 : (!t, !t) -> tensor<1x1xf32> {
  ^bb0(%a: !t, %v: !t):
    %e = tensor.empty() : tensor<1x1xf32>
    qbackend.yield %e : tensor<1x1xf32>
  }
  return %1 : tensor<1x1xf32>
}

// bf16 has 8 bits: 257 is between 256 and 258, and goes to the even one; 1e9 is
// 0x4E6E6B28, rounded to 0x4E6E.
// CHECK-LABEL: func.func @rounded_bf16
// CHECK: %[[TX:.*]] = arith.truncf %arg0 : tensor<1x2xf32> to tensor<1x2xbf16>
// CHECK: %[[X:.*]] = arith.extf %[[TX]]
// CHECK: %[[H:.*]] = arith.constant dense<{{\[\[}}2.560000e+02, 9.982{{.*}}e+08]]> : tensor<1x2xbf16>
// CHECK: %[[W:.*]] = arith.extf %[[H]]
// CHECK: %[[Y:.*]] = qbackend.operator [#qbackend.linear] inputs(%[[X]]) weight(%[[W]])
// CHECK: %[[T:.*]] = arith.truncf %[[Y]] : tensor<1x1xf32> to tensor<1x1xbf16>
// CHECK: %[[R:.*]] = arith.extf %[[T]]
// CHECK: return %[[R]]
func.func @rounded_bf16(%x: !t) -> tensor<1x1xf32> {
  %w = arith.constant dense<[[257.0, 1.0e9]]> : !t
  %1 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) qconfig #bf16 : (!t, !t) -> tensor<1x1xf32> {
  ^bb0(%a: !t, %v: !t):
    %e = tensor.empty() : tensor<1x1xf32>
    qbackend.yield %e : tensor<1x1xf32>
  }
  return %1 : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @rounded_dynamic
// CHECK-NOT: arith.truncf
// CHECK: %[[W:.*]] = arith.extf
// CHECK: %[[Y:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%[[W]])
// CHECK: return %[[Y]]
func.func @rounded_dynamic(%x: !t) -> tensor<1x1xf32> {
  %w = arith.constant dense<1.0> : !t
  %1 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) qconfig #f16_dynamic : (!t, !t) -> tensor<1x1xf32> {
  ^bb0(%a: !t, %v: !t):
    %e = tensor.empty() : tensor<1x1xf32>
    qbackend.yield %e : tensor<1x1xf32>
  }
  return %1 : tensor<1x1xf32>
}

// A range within 4 bits is in the type.
#four_bits = #qbackend.qconfig<activation = <min_max, ui8>, weight = <per_channel_min_max, si8, per_channel_symmetric, quant_min = -7, quant_max = 7>>
// CHECK-LABEL: func.func @four_bits
// CHECK: arith.constant dense<{{\[\[}}7, -7]]> : tensor<1x2xi8>
// CHECK: quant.scast %{{[^ ]*}} : tensor<1x2xi8> to tensor<1x2x!quant.uniform<i8<-7:7>:f32:0, {0.1428571492433548}>>
func.func @four_bits(%x: !t) -> tensor<1x1xf32> {
  %w = arith.constant dense<[[1.0, -1.0]]> : tensor<1x2xf32>
  %0 = qbackend.observe %x by @half : !t
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) qconfig #four_bits : (!t, tensor<1x2xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: !t, %v: tensor<1x2xf32>):
    %e = tensor.empty() : tensor<1x1xf32>
    qbackend.yield %e : tensor<1x1xf32>
  }
  return %1 : tensor<1x1xf32>
}
