// RUN: qbackend-opt %s --qbackend-normalize-code --qbackend-raise --qbackend-normalize-layout --qbackend-fuse=backend=qnnpack | FileCheck %s

// The transpose of an image of one channel, as upstream canonicalizes it: a reshape that
// only moves dimensions of size 1. It is layout, and the batch norm is folded.

// CHECK-LABEL: func.func @canonicalized
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}}>] inputs(%arg0) {{.*}} -> tensor<1x6x2x1xf32>
// CHECK-NOT: qbackend.operator
// CHECK: qbackend.transpose %{{[^ ]*}} [0, 3, 1, 2] : tensor<1x6x2x1xf32> -> tensor<1x1x6x2xf32>
func.func @canonicalized(%x: tensor<1x6x3x3xf32>) -> tensor<1x1x6x2xf32> {
  %w = "tosa.const"() {values = dense<0.5> : tensor<1x1x1x3xf32>} : () -> tensor<1x1x1x3xf32>
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %zero, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 2>} : (tensor<1x6x3x3xf32>, tensor<1x1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x2x1xf32>
  %s = tosa.const_shape {values = dense<[1, 1, 6, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %1 = tosa.reshape %0, %s : (tensor<1x6x2x1xf32>, !tosa.shape<4>) -> tensor<1x1x6x2xf32>
  %m = "tosa.const"() {values = dense<0.167> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %2 = tosa.sub %1, %m : (tensor<1x1x6x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x6x2xf32>
  %v = "tosa.const"() {values = dense<0.825> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %3 = tosa.mul %2, %v, %shift : (tensor<1x1x6x2xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x6x2xf32>
  %g = "tosa.const"() {values = dense<1.25> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %4 = tosa.mul %3, %g, %shift : (tensor<1x1x6x2xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x6x2xf32>
  %b = "tosa.const"() {values = dense<0.46> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %5 = tosa.add %4, %b : (tensor<1x1x6x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x6x2xf32>
  return %5 : tensor<1x1x6x2xf32>
}

// Other reshapes stay operators.

// CHECK-LABEL: func.func @merged
// CHECK: [#qbackend.reshape]
func.func @merged(%x: tensor<1x6x4x1xf32>) -> tensor<1x1x4x6xf32> {
  %s = tosa.const_shape {values = dense<[1, 1, 4, 6]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.reshape %x, %s : (tensor<1x6x4x1xf32>, !tosa.shape<4>) -> tensor<1x1x4x6xf32>
  %1 = tosa.tanh %0 : (tensor<1x1x4x6xf32>) -> tensor<1x1x4x6xf32>
  return %1 : tensor<1x1x4x6xf32>
}

// Dimensions of 1 that change places with each other are where they were.

// CHECK-LABEL: func.func @units
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}}>] inputs(%{{[^ )]*}}) {{.*}} -> tensor<3x5x1x1xf32>
// CHECK-NOT: qbackend.operator
// CHECK: qbackend.transpose %{{[^ ]*}} [0, 3, 1, 2] : tensor<3x5x1x1xf32> -> tensor<3x1x5x1xf32>
func.func @units(%x: tensor<3x7x4x2xf32>) -> tensor<3x1x5x1xf32> {
  %w = arith.constant dense<0.5> : tensor<2x3x7x1xf32>
  %zero = arith.constant dense<0.0> : tensor<3x5x1x1xf32>
  %p = arith.constant dense<0.0> : tensor<3x7x6x3xf32>
  %padded = tensor.insert_slice %x into %p[0, 0, 1, 0] [3, 7, 4, 2] [1, 1, 1, 1] : tensor<3x7x4x2xf32> into tensor<3x7x6x3xf32>
  %d = tensor.empty() : tensor<3x6x3x7xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%padded : tensor<3x7x6x3xf32>) outs(%d : tensor<3x6x3x7xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  } -> tensor<3x6x3x7xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : vector<2xi64>, strides = dense<[1, 2]> : vector<2xi64>} ins(%t, %w : tensor<3x6x3x7xf32>, tensor<2x3x7x1xf32>) outs(%zero : tensor<3x5x1x1xf32>) -> tensor<3x5x1x1xf32>
  %e = tensor.empty() : tensor<3x1x5x1xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0 : tensor<3x5x1x1xf32>) outs(%e : tensor<3x1x5x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<3x1x5x1xf32>
  %m = "tosa.const"() {values = dense<0.167> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %2 = tosa.sub %1, %m : (tensor<3x1x5x1xf32>, tensor<1x1x1x1xf32>) -> tensor<3x1x5x1xf32>
  %v = "tosa.const"() {values = dense<0.825> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %3 = tosa.mul %2, %v, %shift : (tensor<3x1x5x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<3x1x5x1xf32>
  %g = "tosa.const"() {values = dense<1.25> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %4 = tosa.mul %3, %g, %shift : (tensor<3x1x5x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<3x1x5x1xf32>
  %b = "tosa.const"() {values = dense<0.46> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %5 = tosa.add %4, %b : (tensor<3x1x5x1xf32>, tensor<1x1x1x1xf32>) -> tensor<3x1x5x1xf32>
  return %5 : tensor<3x1x5x1xf32>
}

// Of several dimensions of 1 the channels are those that move.

// CHECK-LABEL: func.func @column
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}}>] inputs(%arg0) {{.*}} -> tensor<1x6x1x1xf32>
// CHECK-NOT: qbackend.operator
// CHECK: qbackend.transpose %{{[^ ]*}} [0, 3, 1, 2] : tensor<1x6x1x1xf32> -> tensor<1x1x6x1xf32>
func.func @column(%x: tensor<1x6x1x3xf32>) -> tensor<1x1x6x1xf32> {
  %w = "tosa.const"() {values = dense<0.5> : tensor<1x1x1x3xf32>} : () -> tensor<1x1x1x3xf32>
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %zero, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x1x1xf32>
  %s = tosa.const_shape {values = dense<[1, 1, 6, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %1 = tosa.reshape %0, %s : (tensor<1x6x1x1xf32>, !tosa.shape<4>) -> tensor<1x1x6x1xf32>
  %m = "tosa.const"() {values = dense<0.167> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %2 = tosa.sub %1, %m : (tensor<1x1x6x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x6x1xf32>
  %v = "tosa.const"() {values = dense<0.825> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %3 = tosa.mul %2, %v, %shift : (tensor<1x1x6x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x6x1xf32>
  %g = "tosa.const"() {values = dense<1.25> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %4 = tosa.mul %3, %g, %shift : (tensor<1x1x6x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x6x1xf32>
  %b = "tosa.const"() {values = dense<0.46> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %5 = tosa.add %4, %b : (tensor<1x1x6x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x6x1xf32>
  return %5 : tensor<1x1x6x1xf32>
}
