// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// A zero bias is none; the image is NHWC already. The padding after it, which
// is short so that the stride divides, is what it is before it.
// CHECK-LABEL: func.func @conv
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [2, 2], padding = [1, 1, 1, 1], dilation = [1, 1], groups = 1>] inputs(%arg0) weight(%arg1) :
// CHECK-SAME: -> tensor<?x4x4x4xf32>
func.func @conv(%x: tensor<?x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<?x4x4x4xf32> {
  %b = "tosa.const"() <{values = dense<0.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>}
    : (tensor<?x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x4x4x4xf32>
  return %c : tensor<?x4x4x4xf32>
}

// One number is the bias of each channel; zeros in front are padding.
// CHECK-LABEL: func.func @pad_and_scalar_bias
// CHECK: %[[B:.*]] = arith.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [2, 1, 1, 1], dilation = [1, 1], groups = 1>] inputs(%arg0) weight(%arg1) bias(%[[B]])
func.func @pad_and_scalar_bias(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x9x8x4xf32> {
  %b = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = tosa.const_shape {values = dense<[0, 0, 1, 0, 0, 0, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %p = tosa.pad %x, %s, %z : (tensor<1x8x8x3xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<1x9x8x3xf32>
  %c = tosa.conv2d %p, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
    : (tensor<1x9x8x3xf32>, tensor<4x3x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9x8x4xf32>
  return %c : tensor<1x9x8x4xf32>
}

// A pad of ones is not the convolution's.
// CHECK-LABEL: func.func @pad_of_ones
// CHECK: %[[P:.*]] = qbackend.operator [#qbackend.pad<low = [0, 1, 0, 0], high = [0, 0, 0, 0], value = 1.000000e+00>]
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>] inputs(%[[P]])
func.func @pad_of_ones(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x7x6x4xf32> {
  %o = "tosa.const"() <{values = dense<1.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = tosa.const_shape {values = dense<[0, 0, 1, 0, 0, 0, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %p = tosa.pad %x, %s, %o : (tensor<1x8x8x3xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<1x9x8x3xf32>
  %c = tosa.conv2d %p, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x9x8x3xf32>, tensor<4x3x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x6x4xf32>
  return %c : tensor<1x7x6x4xf32>
}

// The bias is added by an op of its own.
// CHECK-LABEL: func.func @bias_after
// CHECK: %[[B:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}}>] inputs(%arg0) weight(%arg1) bias(%[[B]])
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @bias_after(%x: tensor<1x8x8x3xf32>, %w: tensor<2x1x1x3xf32>) -> tensor<1x8x8x2xf32> {
  %b = "tosa.const"() <{values = dense<[[[[1.0, 2.0]]]]> : tensor<1x1x1x2xf32>}> : () -> tensor<1x1x1x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x8x8x3xf32>, tensor<2x1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x2xf32>
  %r = tosa.add %c, %b : (tensor<1x8x8x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x8x8x2xf32>
  return %r : tensor<1x8x8x2xf32>
}

// Weight [kh, kw, C, M]: here [1, 1, 2, 2] with element 10 * c + m.
// CHECK-LABEL: func.func @depthwise
// CHECK: %[[W:.*]] = arith.constant dense<{{\[}}{{\[\[\[}}0.000000e+00]]], {{\[\[\[}}1.000000e+00]]], {{\[\[\[}}1.000000e+01]]], {{\[\[\[}}1.100000e+01]]]]> : tensor<4x1x1x1xf32>
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2>] inputs(%arg0) weight(%[[W]])
func.func @depthwise(%x: tensor<1x8x8x2xf32>) -> tensor<1x8x8x4xf32> {
  %w = "tosa.const"() <{values = dense<[[[[0.0, 1.0], [10.0, 11.0]]]]> : tensor<1x1x2x2xf32>}> : () -> tensor<1x1x2x2xf32>
  %b = "tosa.const"() <{values = dense<0.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x8x8x2xf32>, tensor<1x1x2x2xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  return %c : tensor<1x8x8x4xf32>
}

// Integers are quantized already.
// CHECK-LABEL: func.func @integers
// CHECK-NOT: qbackend.operator
// CHECK: tosa.conv2d
func.func @integers(%x: tensor<1x8x8x3xi8>, %w: tensor<4x1x1x3xi8>, %b: tensor<4xi32>) -> tensor<1x8x8x4xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %c = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x8x8x3xi8>, tensor<4x1x1x3xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x4xi32>
  return %c : tensor<1x8x8x4xi32>
}
