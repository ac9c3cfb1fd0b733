// RUN: qbackend-opt %s --qbackend-raise --remarks-filter='qbackend.*' -o - 2>&1 | FileCheck %s

// Constant integers stay, in the layout of the operator, with their scales along
// its output channels; or there is a remark, and a real constant.

// CHECK-DAG: QB142 {{.*}}Operator=linear{{.*}}their scales are not those of the output channels
// CHECK-DAG: QB142 {{.*}}Operator=linear{{.*}}arithmetic follows on its numbers

// [in, out] becomes [out, in].
// CHECK-LABEL: func.func @transposed(
// CHECK: %[[C:.*]] = arith.constant dense<{{\[}}[1, 4], [-2, 5], [127, -128]]> : tensor<3x2xi8>
// CHECK: %[[S:.*]] = quant.scast %[[C]] : tensor<3x2xi8> to tensor<3x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01,1.250000e-01}>>
// CHECK: %[[W:.*]] = qbackend.dequantize %[[S]]
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%[[W]])
func.func @transposed(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %c = arith.constant dense<[[1, -2, 127], [4, 5, -128]]> : tensor<2x3xi8>
  %s = quant.scast %c : tensor<2x3xi8> to tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>>
  %w = qbackend.dequantize %s : tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>> -> tensor<2x3xf32>
  %z = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<4x3xf32>
  %i = linalg.fill ins(%z : f32) outs(%o : tensor<4x3xf32>) -> tensor<4x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%i : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// A depthwise filter of TOSA has its channels in the middle.
// CHECK-LABEL: func.func @depthwise(
// CHECK: arith.constant dense<{{\[\[\[\[}}1], [3]]], {{\[\[\[}}2], [4]]]]> : tensor<2x1x2x1xi8>
// CHECK: tensor<2x1x2x1x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}}groups = 2>]
func.func @depthwise(%x: tensor<1x3x5x2xf32>) -> tensor<1x3x4x2xf32> {
  %c = arith.constant dense<[[[[1], [2]], [[3], [4]]]]> : tensor<1x2x2x1xi8>
  %s = quant.scast %c : tensor<1x2x2x1xi8> to tensor<1x2x2x1x!quant.uniform<i8:f32:2, {0.5, 0.25}>>
  %w = qbackend.dequantize %s : tensor<1x2x2x1x!quant.uniform<i8:f32:2, {0.5, 0.25}>> -> tensor<1x2x2x1xf32>
  %b = "tosa.const"() <{values = dense<0.0> : tensor<2xf32>}> : () -> tensor<2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x3x5x2xf32>, tensor<1x2x2x1xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x4x2xf32>
  return %y : tensor<1x3x4x2xf32>
}

// CHECK-LABEL: func.func @input_channels(
// CHECK: arith.constant dense<{{.*}}> : tensor<3x2xf32>
// CHECK-NOT: quant.scast
// CHECK: qbackend.operator [#qbackend.linear]
func.func @input_channels(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %c = arith.constant dense<[[1, -2, 127], [4, 5, -128]]> : tensor<2x3xi8>
  %s = quant.scast %c : tensor<2x3xi8> to tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  %w = qbackend.dequantize %s : tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>> -> tensor<2x3xf32>
  %z = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<4x3xf32>
  %i = linalg.fill ins(%z : f32) outs(%o : tensor<4x3xf32>) -> tensor<4x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%i : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @computed(
// CHECK-NOT: quant.scast
// CHECK: qbackend.operator [#qbackend.linear]
func.func @computed(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %c = arith.constant dense<[[1, -2, 127], [4, 5, -128]]> : tensor<2x3xi8>
  %s = quant.scast %c : tensor<2x3xi8> to tensor<2x3x!quant.uniform<i8:f32, 0.5>>
  %v = qbackend.dequantize %s : tensor<2x3x!quant.uniform<i8:f32, 0.5>> -> tensor<2x3xf32>
  %two = arith.constant dense<2.0> : tensor<2x3xf32>
  %w = arith.mulf %v, %two : tensor<2x3xf32>
  %z = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<4x3xf32>
  %i = linalg.fill ins(%z : f32) outs(%o : tensor<4x3xf32>) -> tensor<4x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%i : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
