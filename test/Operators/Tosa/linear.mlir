// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// The bias comes after the reshape; the weight [1, in, out] is turned.
// CHECK-LABEL: func.func @reshaped_then_bias
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[}}[1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[7.000000e+00, 8.000000e+00]> : tensor<2xf32>
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%[[W]]) bias(%[[B]]) : (tensor<4x3xf32>,
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @reshaped_then_bias(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = "tosa.const"() <{values = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32>
  %b = "tosa.const"() <{values = dense<[[7.0, 8.0]]> : tensor<1x2xf32>}> : () -> tensor<1x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s3 = tosa.const_shape {values = dense<[1, 4, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s2 = tosa.const_shape {values = dense<[4, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %x3 = tosa.reshape %x, %s3 : (tensor<4x3xf32>, !tosa.shape<3>) -> tensor<1x4x3xf32>
  %m = tosa.matmul %x3, %w, %z, %z : (tensor<1x4x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x2xf32>
  %y = tosa.reshape %m, %s2 : (tensor<1x4x2xf32>, !tosa.shape<2>) -> tensor<4x2xf32>
  %r = tosa.add %b, %y : (tensor<1x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// The bias comes before the reshape, and x is [B, T, in].
// CHECK-LABEL: func.func @bias_then_reshaped
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%{{.*}}) : (tensor<2x4x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x4x2xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @bias_then_reshaped(%x: tensor<2x4x3xf32>) -> tensor<2x4x2xf32> {
  %w = "tosa.const"() <{values = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32>
  %b = "tosa.const"() <{values = dense<[[[7.0, 8.0]]]> : tensor<1x1x2xf32>}> : () -> tensor<1x1x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s3 = tosa.const_shape {values = dense<[1, 8, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s2 = tosa.const_shape {values = dense<[2, 4, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %x3 = tosa.reshape %x, %s3 : (tensor<2x4x3xf32>, !tosa.shape<3>) -> tensor<1x8x3xf32>
  %m = tosa.matmul %x3, %w, %z, %z : (tensor<1x8x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x2xf32>
  %r = tosa.add %m, %b : (tensor<1x8x2xf32>, tensor<1x1x2xf32>) -> tensor<1x8x2xf32>
  %y = tosa.reshape %r, %s2 : (tensor<1x8x2xf32>, !tosa.shape<3>) -> tensor<2x4x2xf32>
  return %y : tensor<2x4x2xf32>
}

// CHECK-LABEL: func.func @argument_as_weight
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%arg2) : (tensor<1x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<1x2xf32>
func.func @argument_as_weight(%x: tensor<1x3xf32>, %w: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<1x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s3 = tosa.const_shape {values = dense<[1, 1, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %sw = tosa.const_shape {values = dense<[1, 3, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s2 = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %t = tosa.transpose %w {perms = array<i32: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %w3 = tosa.reshape %t, %sw : (tensor<3x2xf32>, !tosa.shape<3>) -> tensor<1x3x2xf32>
  %x3 = tosa.reshape %x, %s3 : (tensor<1x3xf32>, !tosa.shape<3>) -> tensor<1x1x3xf32>
  %m = tosa.matmul %x3, %w3, %z, %z : (tensor<1x1x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2xf32>
  %y = tosa.reshape %m, %s2 : (tensor<1x1x2xf32>, !tosa.shape<2>) -> tensor<1x2xf32>
  %b2 = tosa.reshape %b, %s2 : (tensor<2xf32>, !tosa.shape<2>) -> tensor<1x2xf32>
  %r = tosa.add %b2, %y : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// TFLite's fully connected layer.
// CHECK-LABEL: func.func @convolution_of_points
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%arg2) : (tensor<4x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<4x2xf32>
func.func @convolution_of_points(%x: tensor<4x3xf32>, %w: tensor<2x1x1x3xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s4 = tosa.const_shape {values = dense<[4, 1, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s2 = tosa.const_shape {values = dense<[4, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %x4 = tosa.reshape %x, %s4 : (tensor<4x3xf32>, !tosa.shape<4>) -> tensor<4x1x1x3xf32>
  %c = tosa.conv2d %x4, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<4x1x1x3xf32>, tensor<2x1x1x3xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x1x1x2xf32>
  %r = tosa.reshape %c, %s2 : (tensor<4x1x1x2xf32>, !tosa.shape<2>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// Attention: neither factor is a parameter.
// CHECK-LABEL: func.func @product_of_activations
// CHECK-NOT: #qbackend.linear
// CHECK: return
func.func @product_of_activations(%q: tensor<1x4x3xf32>, %k: tensor<1x4x3xf32>) -> tensor<1x4x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %t = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<1x4x3xf32>) -> tensor<1x3x4xf32>
  %m = tosa.matmul %q, %t, %z, %z : (tensor<1x4x3xf32>, tensor<1x3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4xf32>
  return %m : tensor<1x4x4xf32>
}

// The reshape in front flattens, too: what is left of it is an operator.
// CHECK-LABEL: func.func @flat(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.flatten] inputs(%arg0) attributes {qbackend.source_values = 0 : i64} : (tensor<3x2x2x2xf32>) -> tensor<3x8xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.linear] inputs(%[[R0]]) weight(%{{.*}}) bias(%{{.*}}) : (tensor<3x8xf32>, tensor<2x8xf32>, tensor<2xf32>) -> tensor<3x2xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @flat(%x: tensor<3x2x2x2xf32>) -> tensor<3x2xf32> {
  %w = "tosa.const"() <{values = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [1.5, 2.5], [3.5, 4.5], [5.5, 6.5], [7.5, 8.5]]]> : tensor<1x8x2xf32>}> : () -> tensor<1x8x2xf32>
  %b = "tosa.const"() <{values = dense<[[[7.0, 8.0]]]> : tensor<1x1x2xf32>}> : () -> tensor<1x1x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s3 = tosa.const_shape {values = dense<[1, 3, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s2 = tosa.const_shape {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %x3 = tosa.reshape %x, %s3 : (tensor<3x2x2x2xf32>, !tosa.shape<3>) -> tensor<1x3x8xf32>
  %m = tosa.matmul %x3, %w, %z, %z : (tensor<1x3x8xf32>, tensor<1x8x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x2xf32>
  %r = tosa.add %m, %b : (tensor<1x3x2xf32>, tensor<1x1x2xf32>) -> tensor<1x3x2xf32>
  %y = tosa.reshape %r, %s2 : (tensor<1x3x2xf32>, !tosa.shape<2>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// An image of one pixel that stays one, as in squeeze and excite: a
// convolution, in whichever layout.
// CHECK-LABEL: func.func @image_of_one_pixel(
// CHECK-NOT: #qbackend.linear
// CHECK-NOT: #qbackend.matmul
// CHECK: #qbackend.conv2d
// CHECK: return
func.func @image_of_one_pixel(%x: tensor<4x3x1x1xf32>, %w: tensor<2x1x1x3xf32>, %b: tensor<2xf32>) -> tensor<4x2x1x1xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s1 = tosa.const_shape {values = dense<[4, 1, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s2 = tosa.const_shape {values = dense<[4, 2, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %p = tosa.reshape %x, %s1 : (tensor<4x3x1x1xf32>, !tosa.shape<4>) -> tensor<4x1x1x3xf32>
  %c = tosa.conv2d %p, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<4x1x1x3xf32>, tensor<2x1x1x3xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x1x1x2xf32>
  %r = tosa.reshape %c, %s2 : (tensor<4x1x1x2xf32>, !tosa.shape<4>) -> tensor<4x2x1x1xf32>
  return %r : tensor<4x2x1x1xf32>
}

// Between changes of shape it is a layer, whose features are cut afterwards.
// CHECK-LABEL: func.func @features(
// CHECK: %[[L:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%arg2) : (tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xf32>) -> tensor<4x6xf32>
// CHECK: qbackend.operator [#qbackend.reshape] inputs(%{{.*}}) : ({{.*}}) -> tensor<1x4x2x3xf32>
// CHECK: return
func.func @features(%x: tensor<4x3xf32>, %w: tensor<6x1x1x3xf32>, %b: tensor<6xf32>) -> tensor<1x4x2x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s1 = tosa.const_shape {values = dense<[4, 1, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s2 = tosa.const_shape {values = dense<[1, 4, 2, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %p = tosa.reshape %x, %s1 : (tensor<4x3xf32>, !tosa.shape<4>) -> tensor<4x1x1x3xf32>
  %c = tosa.conv2d %p, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<4x1x1x3xf32>, tensor<6x1x1x3xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x1x1x6xf32>
  %r = tosa.reshape %c, %s2 : (tensor<4x1x1x6xf32>, !tosa.shape<4>) -> tensor<1x4x2x3xf32>
  return %r : tensor<1x4x2x3xf32>
}

// A classifier on the pixel that a pool leaves: a layer, since the result is no
// image any more.
// CHECK-LABEL: func.func @classifier(
// CHECK: #qbackend.linear
// CHECK: return
func.func @classifier(%x: tensor<4x1x1x3xf32>, %w: tensor<2x1x1x3xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s2 = tosa.const_shape {values = dense<[4, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %c = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<4x1x1x3xf32>, tensor<2x1x1x3xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x1x1x2xf32>
  %r = tosa.reshape %c, %s2 : (tensor<4x1x1x2xf32>, !tosa.shape<2>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// A weight repeated for the batch.
// CHECK-LABEL: func.func @tiled(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<2x3x8xf32>, tensor<5x8xf32>) -> tensor<2x3x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @tiled(%x: tensor<2x3x8xf32>, %w: tensor<5x8xf32>) -> tensor<2x3x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %t = tosa.transpose %w {perms = array<i32: 1, 0>} : (tensor<5x8xf32>) -> tensor<8x5xf32>
  %s = tosa.const_shape {values = dense<[1, 8, 5]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %n = tosa.const_shape {values = dense<[2, 1, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %w3 = tosa.reshape %t, %s : (tensor<8x5xf32>, !tosa.shape<3>) -> tensor<1x8x5xf32>
  %wb = tosa.tile %w3, %n : (tensor<1x8x5xf32>, !tosa.shape<3>) -> tensor<2x8x5xf32>
  %m = tosa.matmul %x, %wb, %z, %z : (tensor<2x3x8xf32>, tensor<2x8x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
  return %m : tensor<2x3x5xf32>
}

// A dynamic number of rows.
// CHECK-LABEL: func.func @dyn_tosa(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%arg2) : (tensor<?x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<?x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @dyn_tosa(%x: tensor<?x8xf32>, %w: tensor<5x8xf32>, %b: tensor<5xf32>) -> tensor<?x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %t = tosa.transpose %w {perms = array<i32: 1, 0>} : (tensor<5x8xf32>) -> tensor<8x5xf32>
  %s = tosa.const_shape {values = dense<[1, 8, 5]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %sx = tosa.const_shape {values = dense<[1, -1, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %sy = tosa.const_shape {values = dense<[-1, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %sb = tosa.const_shape {values = dense<[1, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %w3 = tosa.reshape %t, %s : (tensor<8x5xf32>, !tosa.shape<3>) -> tensor<1x8x5xf32>
  %x3 = tosa.reshape %x, %sx : (tensor<?x8xf32>, !tosa.shape<3>) -> tensor<1x?x8xf32>
  %m = tosa.matmul %x3, %w3, %z, %z : (tensor<1x?x8xf32>, tensor<1x8x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x5xf32>
  %y = tosa.reshape %m, %sy : (tensor<1x?x5xf32>, !tosa.shape<2>) -> tensor<?x5xf32>
  %b2 = tosa.reshape %b, %sb : (tensor<5xf32>, !tosa.shape<2>) -> tensor<1x5xf32>
  %r = tosa.add %y, %b2 : (tensor<?x5xf32>, tensor<1x5xf32>) -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// Rows as images of one pixel, whose number follows from the batch: the layer has its
// own input and result.
// CHECK-LABEL: func.func @any_number_of_pixels(
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%arg2) : (tensor<?x2x6x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<?x2x6x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @any_number_of_pixels(%x: tensor<?x2x6x8xf32>, %w: tensor<5x1x1x8xf32>, %b: tensor<5xf32>) -> tensor<?x2x6x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s1 = tosa.const_shape {values = dense<[-1, 1, 1, 8]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s2 = tosa.const_shape {values = dense<[-1, 2, 6, 5]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %p = tosa.reshape %x, %s1 : (tensor<?x2x6x8xf32>, !tosa.shape<4>) -> tensor<?x1x1x8xf32>
  %c = tosa.conv2d %p, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<?x1x1x8xf32>, tensor<5x1x1x8xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x1x1x5xf32>
  %r = tosa.reshape %c, %s2 : (tensor<?x1x1x5xf32>, !tosa.shape<4>) -> tensor<?x2x6x5xf32>
  return %r : tensor<?x2x6x5xf32>
}

// Rows of any number of sequences, a bias, and the dimension of the heads: the layer
// has its own input and result, as with a fixed number, and the view is another operator.
// CHECK-LABEL: func.func @heads(
// CHECK: %[[L:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%{{.*}}) : (tensor<?x4x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<?x4x2xf32>
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.reshape] inputs(%[[L]]) {{.*}}-> tensor<?x4x1x2xf32>
// CHECK: return
func.func @heads(%x: tensor<?x4x3xf32>) -> tensor<?x4x1x2xf32> {
  %w = "tosa.const"() <{values = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32>
  %b = "tosa.const"() <{values = dense<[[[7.0, 8.0]]]> : tensor<1x1x2xf32>}> : () -> tensor<1x1x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s0 = tosa.const_shape {values = dense<[1, -1, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s1 = tosa.const_shape {values = dense<[-1, 4, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s2 = tosa.const_shape {values = dense<[-1, 4, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %rows = tosa.reshape %x, %s0 : (tensor<?x4x3xf32>, !tosa.shape<3>) -> tensor<1x?x3xf32>
  %m = tosa.matmul %rows, %w, %z, %z : (tensor<1x?x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x2xf32>
  %y = tosa.reshape %m, %s1 : (tensor<1x?x2xf32>, !tosa.shape<3>) -> tensor<?x4x2xf32>
  %r = tosa.add %y, %b : (tensor<?x4x2xf32>, tensor<1x1x2xf32>) -> tensor<?x4x2xf32>
  %v = tosa.reshape %r, %s2 : (tensor<?x4x2xf32>, !tosa.shape<4>) -> tensor<?x4x1x2xf32>
  return %v : tensor<?x4x1x2xf32>
}

// A layer as a convolution of images of one pixel, with a transpose that only moves
// dimensions of 1 behind it.
// CHECK-LABEL: func.func @moved_unit(
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%arg2) : (tensor<1x4x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<1x4x2xf32>
// CHECK-NOT: #qbackend.conv
// CHECK: return
func.func @moved_unit(%x: tensor<1x4x3xf32>, %w: tensor<2x1x1x3xf32>, %b: tensor<2xf32>) -> tensor<1x4x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s1 = tosa.const_shape {values = dense<[4, 1, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s2 = tosa.const_shape {values = dense<[1, 4, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %s3 = tosa.const_shape {values = dense<[1, 4, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %p = tosa.reshape %x, %s1 : (tensor<1x4x3xf32>, !tosa.shape<4>) -> tensor<4x1x1x3xf32>
  %c = tosa.conv2d %p, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<4x1x1x3xf32>, tensor<2x1x1x3xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x1x1x2xf32>
  %r = tosa.reshape %c, %s2 : (tensor<4x1x1x2xf32>, !tosa.shape<4>) -> tensor<1x4x1x2xf32>
  %t = tosa.transpose %r {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x4x1x2xf32>) -> tensor<1x1x4x2xf32>
  %y = tosa.reshape %t, %s3 : (tensor<1x1x4x2xf32>, !tosa.shape<3>) -> tensor<1x4x2xf32>
  return %y : tensor<1x4x2xf32>
}

// The same of three images, with a relu that is the layer's.
// CHECK-LABEL: func.func @pixels_and_relu(
// CHECK: %[[L:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) {{.*}} -> tensor<3x2x3x4xf32>
// CHECK: qbackend.operator [#qbackend.relu] inputs(%[[L]]) : (tensor<3x2x3x4xf32>) -> tensor<3x2x3x4xf32>
func.func @pixels_and_relu(%x: tensor<3x2x3x6xf32>) -> tensor<3x2x3x4xf32> {
  %s = tosa.const_shape {values = dense<[18, 1, 1, 6]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.reshape %x, %s : (tensor<3x2x3x6xf32>, !tosa.shape<4>) -> tensor<18x1x1x6xf32>
  %w = "tosa.const"() {values = dense<0.5> : tensor<4x1x1x6xf32>} : () -> tensor<4x1x1x6xf32>
  %b = "tosa.const"() {values = dense<[0.5, 1.0, 2.0, 3.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %1 = tosa.conv2d %0, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<18x1x1x6xf32>, tensor<4x1x1x6xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<18x1x1x4xf32>
  %t = tosa.const_shape {values = dense<[3, 2, 3, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %2 = tosa.reshape %1, %t : (tensor<18x1x1x4xf32>, !tosa.shape<4>) -> tensor<3x2x3x4xf32>
  %3 = tosa.clamp %2 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<3x2x3x4xf32>) -> tensor<3x2x3x4xf32>
  return %3 : tensor<3x2x3x4xf32>
}

// Images of one pixel before and after it: a convolution.
// CHECK-LABEL: func.func @pixels_of_images(
// CHECK: qbackend.operator [#qbackend.conv2d
// CHECK-NOT: #qbackend.linear
// CHECK: return
func.func @pixels_of_images(%x: tensor<3x1x6x1xf32>) -> tensor<3x4x1x1xf32> {
  %s = tosa.const_shape {values = dense<[3, 1, 1, 6]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.reshape %x, %s : (tensor<3x1x6x1xf32>, !tosa.shape<4>) -> tensor<3x1x1x6xf32>
  %w = "tosa.const"() {values = dense<0.5> : tensor<4x1x1x6xf32>} : () -> tensor<4x1x1x6xf32>
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %1 = tosa.conv2d %0, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<3x1x1x6xf32>, tensor<4x1x1x6xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x1x1x4xf32>
  %t = tosa.const_shape {values = dense<[3, 4, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %2 = tosa.reshape %1, %t : (tensor<3x1x1x4xf32>, !tosa.shape<4>) -> tensor<3x4x1x1xf32>
  return %2 : tensor<3x4x1x1xf32>
}
