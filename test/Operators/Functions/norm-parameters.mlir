// RUN: qbackend-opt %s --qbackend-print-operators -o /dev/null | FileCheck %s

// Weight and bias of a norm as constants of the image's shape, as code has them
// that broadcasts while it is written.

// CHECK-LABEL: @channels
// CHECK-NEXT: 0: instance_norm2d<axis = 1, eps = 1.000000e-05> weight[2] bias [2, 2, 3] <- input0
// CHECK-NEXT: result 0
func.func @channels(%x: tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %n = "tosa.const"() <{values = dense<0.16666667> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %eps = "tosa.const"() <{values = dense<1.0e-05> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %w = "tosa.const"() <{values = dense<[[[[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]], [[3.0, 3.0, 3.0], [3.0, 3.0, 3.0]]]]> : tensor<1x2x2x3xf32>}> : () -> tensor<1x2x2x3xf32>
  %b = "tosa.const"() <{values = dense<[[[[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]], [[-1.0, -1.0, -1.0], [-1.0, -1.0, -1.0]]]]> : tensor<1x2x2x3xf32>}> : () -> tensor<1x2x2x3xf32>
  %0 = tosa.reduce_sum %x {axis = 3 : i32} : (tensor<1x2x2x3xf32>) -> tensor<1x2x2x1xf32>
  %1 = tosa.reduce_sum %0 {axis = 2 : i32} : (tensor<1x2x2x1xf32>) -> tensor<1x2x1x1xf32>
  %2 = tosa.mul %1, %n, %s : (tensor<1x2x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x1x1xf32>
  %3 = tosa.sub %x, %2 : (tensor<1x2x2x3xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x2x3xf32>
  %4 = tosa.mul %3, %3, %s : (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>, tensor<1xi8>) -> tensor<1x2x2x3xf32>
  %5 = tosa.reduce_sum %4 {axis = 3 : i32} : (tensor<1x2x2x3xf32>) -> tensor<1x2x2x1xf32>
  %6 = tosa.reduce_sum %5 {axis = 2 : i32} : (tensor<1x2x2x1xf32>) -> tensor<1x2x1x1xf32>
  %7 = tosa.mul %6, %n, %s : (tensor<1x2x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x1x1xf32>
  %8 = tosa.add %7, %eps : (tensor<1x2x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x1x1xf32>
  %9 = tosa.rsqrt %8 : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %10 = tosa.mul %3, %9, %s : (tensor<1x2x2x3xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<1x2x2x3xf32>
  %11 = tosa.mul %10, %w, %s : (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>, tensor<1xi8>) -> tensor<1x2x2x3xf32>
  %12 = tosa.add %11, %b : (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32>
  return %12 : tensor<1x2x2x3xf32>
}

// An instance norm has no numbers that differ from pixel to pixel.
// CHECK-LABEL: @pixels
// CHECK-NEXT: 0: instance_norm2d<axis = 1, eps = 1.000000e-05> [2, 2, 3] <- input0
// CHECK-NEXT: 1: mul [2, 2, 3] <- 0, constant
// CHECK-NEXT: 2: add [2, 2, 3] <- 1, constant
// CHECK-NEXT: result 2
func.func @pixels(%x: tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %n = "tosa.const"() <{values = dense<0.16666667> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %eps = "tosa.const"() <{values = dense<1.0e-05> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %w = "tosa.const"() <{values = dense<[[[[2.0, 2.0, 2.0], [4.0, 2.0, 2.0]], [[3.0, 3.0, 3.0], [3.0, 3.0, 3.0]]]]> : tensor<1x2x2x3xf32>}> : () -> tensor<1x2x2x3xf32>
  %b = "tosa.const"() <{values = dense<[[[[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]], [[-1.0, -1.0, -1.0], [-1.0, -1.0, -1.0]]]]> : tensor<1x2x2x3xf32>}> : () -> tensor<1x2x2x3xf32>
  %0 = tosa.reduce_sum %x {axis = 3 : i32} : (tensor<1x2x2x3xf32>) -> tensor<1x2x2x1xf32>
  %1 = tosa.reduce_sum %0 {axis = 2 : i32} : (tensor<1x2x2x1xf32>) -> tensor<1x2x1x1xf32>
  %2 = tosa.mul %1, %n, %s : (tensor<1x2x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x1x1xf32>
  %3 = tosa.sub %x, %2 : (tensor<1x2x2x3xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x2x3xf32>
  %4 = tosa.mul %3, %3, %s : (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>, tensor<1xi8>) -> tensor<1x2x2x3xf32>
  %5 = tosa.reduce_sum %4 {axis = 3 : i32} : (tensor<1x2x2x3xf32>) -> tensor<1x2x2x1xf32>
  %6 = tosa.reduce_sum %5 {axis = 2 : i32} : (tensor<1x2x2x1xf32>) -> tensor<1x2x1x1xf32>
  %7 = tosa.mul %6, %n, %s : (tensor<1x2x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x1x1xf32>
  %8 = tosa.add %7, %eps : (tensor<1x2x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x1x1xf32>
  %9 = tosa.rsqrt %8 : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %10 = tosa.mul %3, %9, %s : (tensor<1x2x2x3xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<1x2x2x3xf32>
  %11 = tosa.mul %10, %w, %s : (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>, tensor<1xi8>) -> tensor<1x2x2x3xf32>
  %12 = tosa.add %11, %b : (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32>
  return %12 : tensor<1x2x2x3xf32>
}
