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
