// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// Image, weight and bias in slices, one for each group.
// CHECK-LABEL: func.func @slices
// CHECK-NOT: tosa.slice %arg
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [1, 1, 0, 0], dilation = [1, 1], groups = 2>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<1x7x6x4xf32>, tensor<6x3x2x2xf32>, tensor<6xf32>) -> tensor<1x7x5x6xf32>
// CHECK-NOT: qbackend.operator
func.func @slices(%x: tensor<1x7x6x4xf32>, %w: tensor<6x3x2x2xf32>, %b: tensor<6xf32>) -> tensor<1x7x5x6xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %x0s = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x0z = tosa.const_shape {values = dense<[1, 7, 6, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x0 = tosa.slice %x, %x0s, %x0z : (tensor<1x7x6x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x7x6x2xf32>
  %w0s = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %w0z = tosa.const_shape {values = dense<[3, 3, 2, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %w0 = tosa.slice %w, %w0s, %w0z : (tensor<6x3x2x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<3x3x2x2xf32>
  %b0s = tosa.const_shape {values = dense<[0]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %b0z = tosa.const_shape {values = dense<[3]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %b0 = tosa.slice %b, %b0s, %b0z : (tensor<6xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<3xf32>
  %c0 = tosa.conv2d %x0, %w0, %b0, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x7x6x2xf32>, tensor<3x3x2x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x5x3xf32>
  %x1s = tosa.const_shape {values = dense<[0, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x1z = tosa.const_shape {values = dense<[1, 7, 6, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x1 = tosa.slice %x, %x1s, %x1z : (tensor<1x7x6x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x7x6x2xf32>
  %w1s = tosa.const_shape {values = dense<[3, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %w1z = tosa.const_shape {values = dense<[3, 3, 2, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %w1 = tosa.slice %w, %w1s, %w1z : (tensor<6x3x2x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<3x3x2x2xf32>
  %b1s = tosa.const_shape {values = dense<[3]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %b1z = tosa.const_shape {values = dense<[3]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %b1 = tosa.slice %b, %b1s, %b1z : (tensor<6xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<3xf32>
  %c1 = tosa.conv2d %x1, %w1, %b1, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x7x6x2xf32>, tensor<3x3x2x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x5x3xf32>
  %r = tosa.concat %c0, %c1 {axis = 3 : i32} : (tensor<1x7x5x3xf32>, tensor<1x7x5x3xf32>) -> tensor<1x7x5x6xf32>
  return %r : tensor<1x7x5x6xf32>
}

// A constant for each group, one of them without a bias; another bias is added.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: arith.constant dense<[0.000000e+00, 5.000000e+00]> : tensor<2xf32>
// CHECK-DAG: arith.constant dense<{{\[\[}}{{\[\[}}1.000000e+00], [2.000000e+00]]], {{\[\[}}[3.000000e+00], [4.000000e+00]]]]> : tensor<2x1x2x1xf32>
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<1x2x2x2xf32>, tensor<2x1x2x1xf32>, tensor<2xf32>) -> tensor<1x2x1x2xf32>
// CHECK-NOT: qbackend.operator
func.func @constants(%x: tensor<1x2x2x2xf32>) -> tensor<1x2x1x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w0 = "tosa.const"() <{values = dense<[[[[1.0], [2.0]]]]> : tensor<1x1x2x1xf32>}> : () -> tensor<1x1x2x1xf32>
  %w1 = "tosa.const"() <{values = dense<[[[[3.0], [4.0]]]]> : tensor<1x1x2x1xf32>}> : () -> tensor<1x1x2x1xf32>
  %b1 = "tosa.const"() <{values = dense<5.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %x0s = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x0z = tosa.const_shape {values = dense<[1, 2, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x0 = tosa.slice %x, %x0s, %x0z : (tensor<1x2x2x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x2x2x1xf32>
  %c0 = tosa.conv2d %x0, %w0, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x2x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x1x1xf32>
  %x1s = tosa.const_shape {values = dense<[0, 0, 0, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x1z = tosa.const_shape {values = dense<[1, 2, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x1 = tosa.slice %x, %x1s, %x1z : (tensor<1x2x2x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x2x2x1xf32>
  %c1 = tosa.conv2d %x1, %w1, %b1, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x2x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x1x1xf32>
  %r = tosa.concat %c0, %c1 {axis = 3 : i32} : (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x1x2xf32>
  return %r : tensor<1x2x1x2xf32>
}

// Groups in another order than their channels are convolutions of their own.
// CHECK-LABEL: func.func @crossed
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x7x6x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x5x5x3xf32>
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x7x6x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x5x5x3xf32>
// CHECK: qbackend.operator [#qbackend.cat<axis = 3>]
// CHECK-SAME: (tensor<1x5x5x3xf32>, tensor<1x5x5x3xf32>) -> tensor<1x5x5x6xf32>
// CHECK-NOT: qbackend.operator
func.func @crossed(%x: tensor<1x7x6x4xf32>, %w: tensor<3x3x2x2xf32>) -> tensor<1x5x5x6xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %x0s = tosa.const_shape {values = dense<[0, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x0z = tosa.const_shape {values = dense<[1, 7, 6, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x0 = tosa.slice %x, %x0s, %x0z : (tensor<1x7x6x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x7x6x2xf32>
  %c0 = tosa.conv2d %x0, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x7x6x2xf32>, tensor<3x3x2x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x5x3xf32>
  %x1s = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x1z = tosa.const_shape {values = dense<[1, 7, 6, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %x1 = tosa.slice %x, %x1s, %x1z : (tensor<1x7x6x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x7x6x2xf32>
  %c1 = tosa.conv2d %x1, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x7x6x2xf32>, tensor<3x3x2x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x5x3xf32>
  %r = tosa.concat %c0, %c1 {axis = 3 : i32} : (tensor<1x5x5x3xf32>, tensor<1x5x5x3xf32>) -> tensor<1x5x5x6xf32>
  return %r : tensor<1x5x5x6xf32>
}

// CHECK-LABEL: func.func @multiplier
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 1, 1, 0], dilation = [1, 1], groups = 3>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<1x7x6x3xf32>, tensor<12x3x2x1xf32>, tensor<12xf32>) -> tensor<1x6x6x12xf32>
// CHECK-NOT: qbackend.operator
func.func @multiplier(%x: tensor<1x7x6x3xf32>, %w: tensor<3x2x3x4xf32>, %b: tensor<12xf32>) -> tensor<1x6x6x12xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 1, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x7x6x3xf32>, tensor<3x2x3x4xf32>, tensor<12xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x6x12xf32>
  return %c : tensor<1x6x6x12xf32>
}
