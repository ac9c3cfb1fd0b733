// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// [out, kh, kw, in], as it is here. Padding is what doesn't reach the result.
// CHECK-LABEL: func.func @transposed
// CHECK: qbackend.operator [#qbackend.conv_transpose2d<stride = [2, 3], padding = [1, 1, 0, 0], output_padding = [1, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<1x3x4x2xf32>, tensor<5x3x2x2xf32>, tensor<5xf32>) -> tensor<1x6x11x5xf32>
// CHECK-NOT: qbackend.operator
func.func @transposed(%x: tensor<1x3x4x2xf32>, %w: tensor<5x3x2x2xf32>, %b: tensor<5xf32>) -> tensor<1x6x11x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: -1, 0, 0, 0>, stride = array<i64: 2, 3>}
    : (tensor<1x3x4x2xf32>, tensor<5x3x2x2xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x11x5xf32>
  return %c : tensor<1x6x11x5xf32>
}

// More is cut off by a slice, and a bias added.
// CHECK-LABEL: func.func @cut
// CHECK: qbackend.operator [#qbackend.conv_transpose2d<stride = [2, 3], padding = [1, 1, 1, 1], output_padding = [0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<1x3x4x2xf32>, tensor<5x3x2x2xf32>, tensor<5xf32>) -> tensor<1x5x9x5xf32>
// CHECK-NOT: qbackend.operator
func.func @cut(%x: tensor<1x3x4x2xf32>, %w: tensor<5x3x2x2xf32>, %b: tensor<1x1x1x5xf32>) -> tensor<1x5x9x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.transpose_conv2d %x, %w, %z, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 3>}
    : (tensor<1x3x4x2xf32>, tensor<5x3x2x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x11x5xf32>
  %ss = tosa.const_shape {values = dense<[0, 1, 1, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %sz = tosa.const_shape {values = dense<[1, 5, 9, 5]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s = tosa.slice %c, %ss, %sz : (tensor<1x7x11x5xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x5x9x5xf32>
  %r = tosa.add %s, %b : (tensor<1x5x9x5xf32>, tensor<1x1x1x5xf32>) -> tensor<1x5x9x5xf32>
  return %r : tensor<1x5x9x5xf32>
}

// Rows before the first one are no padding.
// CHECK-LABEL: func.func @grown
// CHECK-NOT: qbackend.operator
func.func @grown(%x: tensor<1x3x4x2xf32>, %w: tensor<5x3x2x2xf32>) -> tensor<1x8x11x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.transpose_conv2d %x, %w, %z, %z, %z {acc_type = f32, out_pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 3>}
    : (tensor<1x3x4x2xf32>, tensor<5x3x2x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x11x5xf32>
  return %c : tensor<1x8x11x5xf32>
}
