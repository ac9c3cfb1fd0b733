// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// A stride that has to divide: the padding after the image is cut short, and
// where there is none the image is.
// CHECK-LABEL: func.func @exact_strides
// CHECK-NOT: tosa.slice %arg0
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [2, 3], padding = [1, 1, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x8x9x3xf32>, tensor<5x3x2x3xf32>) -> tensor<1x4x3x5xf32>
// CHECK-NOT: qbackend.operator
func.func @exact_strides(%x: tensor<1x8x9x3xf32>, %w: tensor<5x3x2x3xf32>) -> tensor<1x4x3x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %ss = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %sz = tosa.const_shape {values = dense<[1, 8, 8, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s = tosa.slice %x, %ss, %sz : (tensor<1x8x9x3xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x8x8x3xf32>
  %c = tosa.conv2d %s, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 3>}
    : (tensor<1x8x8x3xf32>, tensor<5x3x2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x5xf32>
  return %c : tensor<1x4x3x5xf32>
}

// What is cut off here would be read, in the place of zeros.
// CHECK-LABEL: func.func @slice_that_stays
// CHECK: tosa.slice
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [2, 3], padding = [1, 1, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x7x8x3xf32>, tensor<5x3x2x3xf32>) -> tensor<1x4x3x5xf32>
// CHECK-NOT: qbackend.operator
func.func @slice_that_stays(%x: tensor<1x8x9x3xf32>, %w: tensor<5x3x2x3xf32>) -> tensor<1x4x3x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %ss = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %sz = tosa.const_shape {values = dense<[1, 7, 8, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s = tosa.slice %x, %ss, %sz : (tensor<1x8x9x3xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x7x8x3xf32>
  %c = tosa.conv2d %s, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 2, 3>}
    : (tensor<1x7x8x3xf32>, tensor<5x3x2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x5xf32>
  return %c : tensor<1x4x3x5xf32>
}

// Neither is an image that is filtered by another one.
// CHECK-LABEL: func.func @two_images
// CHECK-NOT: qbackend.operator
func.func @two_images(%x: tensor<1x4x4x3xf32>, %v: tensor<5x2x2x3xf32>) -> tensor<1x3x3x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = math.floor %v : tensor<5x2x2x3xf32>
  %c = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x4x4x3xf32>, tensor<5x2x2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x3x5xf32>
  return %c : tensor<1x3x3x5xf32>
}

// A bias beside one of zeros, and a sum with zeros behind it.
// CHECK-LABEL: func.func @depthwise_bias(
// CHECK: %[[B:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [1, 1, 1, 1], dilation = [1, 1], groups = 3>]
// CHECK-SAME: bias(%[[B]])
// CHECK-NOT: qbackend.operator
func.func @depthwise_bias(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32> {
  %w = "tosa.const"() <{values = dense<0.5> : tensor<3x3x3x1xf32>}> : () -> tensor<3x3x3x1xf32>
  %zeros = "tosa.const"() <{values = dense<0.0> : tensor<3xf32>}> : () -> tensor<3xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %z4 = "tosa.const"() <{values = dense<0.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %b = "tosa.const"() <{values = dense<[[[[1.0, 2.0, 3.0]]]]> : tensor<1x1x1x3xf32>}> : () -> tensor<1x1x1x3xf32>
  %c = tosa.depthwise_conv2d %x, %w, %zeros, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
    : (tensor<1x4x5x3xf32>, tensor<3x3x3x1xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x5x3xf32>
  %n = tosa.add %c, %z4 : (tensor<1x4x5x3xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x5x3xf32>
  %s = tosa.add %n, %b : (tensor<1x4x5x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x4x5x3xf32>
  return %s : tensor<1x4x5x3xf32>
}
