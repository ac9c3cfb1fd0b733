// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @conv3d
// CHECK: qbackend.operator [#qbackend.conv3d<stride = [1, 2, 1], padding = [1, 1, 2, 0, 0, 0], dilation = [1, 1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<1x5x6x7x2xf32>, tensor<4x3x2x1x2xf32>, tensor<4xf32>) -> tensor<1x5x4x7x4xf32>
// CHECK-NOT: qbackend.operator
func.func @conv3d(%x: tensor<1x5x6x7x2xf32>, %w: tensor<4x3x2x1x2xf32>, %b: tensor<4xf32>) -> tensor<1x5x4x7x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.conv3d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1, 1>, pad = array<i64: 1, 1, 2, 0, 0, 0>, stride = array<i64: 1, 2, 1>}
    : (tensor<1x5x6x7x2xf32>, tensor<4x3x2x1x2xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x4x7x4xf32>
  return %c : tensor<1x5x4x7x4xf32>
}

// One dimension: the image gets a height of 1 and loses it again, between
// transpositions (which are not the convolution's).
// CHECK-LABEL: func.func @conv1d
// CHECK: qbackend.operator [#qbackend.conv1d<stride = [2], padding = [2, 0], dilation = [1], groups = 1>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<1x10x3xf32>, tensor<5x4x3xf32>, tensor<5xf32>) -> tensor<1x5x5xf32>
// CHECK-NOT: qbackend.operator
func.func @conv1d(%x: tensor<1x3x10xf32>, %w: tensor<5x3x4xf32>, %b: tensor<5xf32>) -> tensor<1x5x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %sx = tosa.const_shape {values = dense<[1, 3, 1, 10]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %sw = tosa.const_shape {values = dense<[5, 3, 1, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %sy = tosa.const_shape {values = dense<[1, 5, 5]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %r = tosa.reshape %x, %sx : (tensor<1x3x10xf32>, !tosa.shape<4>) -> tensor<1x3x1x10xf32>
  %t = tosa.transpose %r {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x3x1x10xf32>) -> tensor<1x1x10x3xf32>
  %v = tosa.reshape %w, %sw : (tensor<5x3x4xf32>, !tosa.shape<4>) -> tensor<5x3x1x4xf32>
  %u = tosa.transpose %v {perms = array<i32: 0, 2, 3, 1>} : (tensor<5x3x1x4xf32>) -> tensor<5x1x4x3xf32>
  %c = tosa.conv2d %t, %u, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 2, 0>, stride = array<i64: 1, 2>}
    : (tensor<1x1x10x3xf32>, tensor<5x1x4x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x5x5xf32>
  %q = tosa.transpose %c {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x1x5x5xf32>) -> tensor<1x5x1x5xf32>
  %o = tosa.reshape %q, %sy : (tensor<1x5x1x5xf32>, !tosa.shape<3>) -> tensor<1x5x5xf32>
  return %o : tensor<1x5x5xf32>
}

// A height of 1 that was there before is a height.
// CHECK-LABEL: func.func @height_of_1
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x1x10x3xf32>, tensor<5x1x4x3xf32>) -> tensor<1x1x7x5xf32>
// CHECK: qbackend.operator [#qbackend.reshape]
// CHECK-SAME: (tensor<1x1x7x5xf32>) -> tensor<1x7x5xf32>
// CHECK-NOT: qbackend.operator
func.func @height_of_1(%x: tensor<1x1x10x3xf32>, %w: tensor<5x1x4x3xf32>) -> tensor<1x7x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %sy = tosa.const_shape {values = dense<[1, 7, 5]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %c = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x1x10x3xf32>, tensor<5x1x4x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x7x5xf32>
  %o = tosa.reshape %c, %sy : (tensor<1x1x7x5xf32>, !tosa.shape<3>) -> tensor<1x7x5xf32>
  return %o : tensor<1x7x5xf32>
}

// The width is 1; batch is dynamic.
// CHECK-LABEL: func.func @conv1d_of_height
// CHECK: qbackend.operator [#qbackend.conv1d<stride = [1], padding = [0, 0], dilation = [1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<?x10x3xf32>, tensor<5x4x3xf32>) -> tensor<?x7x5xf32>
// CHECK-NOT: qbackend.operator
func.func @conv1d_of_height(%x: tensor<?x10x3xf32>, %w: tensor<5x4x1x3xf32>) -> tensor<?x7x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %sx = tosa.const_shape {values = dense<[-1, 10, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %sy = tosa.const_shape {values = dense<[-1, 7, 5]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %r = tosa.reshape %x, %sx : (tensor<?x10x3xf32>, !tosa.shape<4>) -> tensor<?x10x1x3xf32>
  %c = tosa.conv2d %r, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<?x10x1x3xf32>, tensor<5x4x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x7x1x5xf32>
  %o = tosa.reshape %c, %sy : (tensor<?x7x1x5xf32>, !tosa.shape<3>) -> tensor<?x7x5xf32>
  return %o : tensor<?x7x5xf32>
}

// The same with one channel of the result, which is where a height could be.
// CHECK-LABEL: func.func @conv1d_to_one_channel
// CHECK: qbackend.operator [#qbackend.conv1d<stride = [1], padding = [0, 0], dilation = [1], groups = 1>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<1x9x2xf32>, tensor<1x1x2xf32>, tensor<1xf32>) -> tensor<1x9x1xf32>
// CHECK-NOT: qbackend.operator
func.func @conv1d_to_one_channel(%x: tensor<1x2x9xf32>) -> tensor<1x1x9xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<[[[[0.25, 0.5]]]]> : tensor<1x1x1x2xf32>}> : () -> tensor<1x1x1x2xf32>
  %b = "tosa.const"() <{values = dense<0.125> : tensor<1xf32>}> : () -> tensor<1xf32>
  %sx = tosa.const_shape {values = dense<[1, 1, 9, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %sy = tosa.const_shape {values = dense<[1, 9, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %t = tosa.transpose %x {perms = array<i32: 0, 2, 1>} : (tensor<1x2x9xf32>) -> tensor<1x9x2xf32>
  %r = tosa.reshape %t, %sx : (tensor<1x9x2xf32>, !tosa.shape<4>) -> tensor<1x1x9x2xf32>
  %c = tosa.conv2d %r, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x1x9x2xf32>, tensor<1x1x1x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x9x1xf32>
  %y = tosa.reshape %c, %sy : (tensor<1x1x9x1xf32>, !tosa.shape<3>) -> tensor<1x9x1xf32>
  %q = tosa.transpose %y {perms = array<i32: 0, 2, 1>} : (tensor<1x9x1xf32>) -> tensor<1x1x9xf32>
  return %q : tensor<1x1x9xf32>
}
