// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// An input that an operator wants in another shape is reshaped by an operator,
// so that it stays quantized on the way.

// CHECK-LABEL: func.func @linear
// CHECK-NOT: tensor.collapse_shape %arg0
// CHECK: %[[X:.*]] = qbackend.operator [#qbackend.reshape] inputs(%arg0) attributes {qbackend.source_values = 0 : i64} : (tensor<1x3x4xf32>) -> tensor<3x4xf32>
// CHECK: qbackend.operator [#qbackend.linear] inputs(%[[X]])
func.func @linear(%x: tensor<1x3x4xf32>) -> tensor<3x2xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]]> : tensor<1x4x2xf32>}> : () -> tensor<1x4x2xf32>
  %y = tosa.matmul %x, %w, %zero, %zero : (tensor<1x3x4xf32>, tensor<1x4x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x2xf32>
  %shape = tosa.const_shape {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %y, %shape : (tensor<1x3x2xf32>, !tosa.shape<2>) -> tensor<3x2xf32>
  %b = "tosa.const"() <{values = dense<[[5.0, 6.0]]> : tensor<1x2xf32>}> : () -> tensor<1x2xf32>
  %s = tosa.add %r, %b : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  return %s : tensor<3x2xf32>
}
