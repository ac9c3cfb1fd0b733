// RUN: split-file %s %t
// RUN: qbackend-opt %t/nchw.mlir --qbackend-print-operators | FileCheck %s
// RUN: qbackend-opt %t/nhwc.mlir --qbackend-print-operators | FileCheck %s
// RUN: qbackend-opt %t/nhwc.mlir --qbackend-print-operators -o %t/module.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=MODULE < %t/module.mlir
// RUN: qbackend-opt %t/parts.mlir --qbackend-print-operators | FileCheck %s --check-prefix=PARTS
// RUN: qbackend-opt %t/positions.mlir --qbackend-print-operators | FileCheck %s --check-prefix=POSITIONS
// RUN: not qbackend-opt %t/nhwc.mlir "--qbackend-print-operators=backend=none" 2>&1 | FileCheck %s --check-prefix=ERROR

// The convolution, which reads the input; the shortcut's operand order and the
// order of lines in the file make no difference, nor do layouts.
// CHECK: 0: conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1> weight[2, 1, 1, 2] [4, 4, 2] <- input0
// CHECK-NEXT: 1: add [4, 4, 2] <- input0, 0
// CHECK-NEXT: 2: tosa.abs ? [{{4, 4, 2|2, 4, 4}}] <- 1
// CHECK-NEXT: result 2
// CHECK-NEXT: float operations outside of operators: 32 of 192 (16.67 %)
// CHECK-NOT: module

// The module that is printed is the one that was read.
// MODULE-NOT: qbackend.operator
// MODULE: tosa.conv2d

// ERROR: error: no backend 'none'

// One concatenation after the other is one of all parts; a mean over an image is
// the pool to one pixel; axes count the dimensions that are shown.
// PARTS: 0: cat<axis = 1> [2, 12] <- input0, input1, input0
// PARTS-NEXT: 1: softmax<axis = 1> [2, 12] <- 0
// PARTS-NEXT: 2: mean<axes = [1]> [2] <- 1
// PARTS-NEXT: 3: adaptive_avg_pool2d<output_size = [1, 1]> [2] <- input2
// PARTS-NEXT: result 2, 3

// Positions that are computed are neither an argument nor constants.
// POSITIONS: 0: embedding weight[4, 3] [2, 3] <- integers
// POSITIONS-NEXT: result 0, constant

//--- parts.mlir
func.func @main(%x: tensor<1x2x4xf32>, %y: tensor<1x2x4xf32>, %i: tensor<1x3x4x2xf32>) -> (tensor<1x2x1xf32>, tensor<1x1x1x2xf32>) {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %twelfth = "tosa.const"() <{values = dense<0.0833333358> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %pixels = "tosa.const"() <{values = dense<0.0833333358> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %a = tosa.concat %x, %y {axis = 2 : i32} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x8xf32>
  %b = tosa.concat %a, %x {axis = 2 : i32} : (tensor<1x2x8xf32>, tensor<1x2x4xf32>) -> tensor<1x2x12xf32>
  %m = tosa.reduce_max %b {axis = 2 : i32} : (tensor<1x2x12xf32>) -> tensor<1x2x1xf32>
  %d = tosa.sub %b, %m : (tensor<1x2x12xf32>, tensor<1x2x1xf32>) -> tensor<1x2x12xf32>
  %e = tosa.exp %d : (tensor<1x2x12xf32>) -> tensor<1x2x12xf32>
  %s = tosa.reduce_sum %e {axis = 2 : i32} : (tensor<1x2x12xf32>) -> tensor<1x2x1xf32>
  %r = tosa.reciprocal %s : (tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  %p = tosa.mul %e, %r, %z : (tensor<1x2x12xf32>, tensor<1x2x1xf32>, tensor<1xi8>) -> tensor<1x2x12xf32>
  %t = tosa.reduce_sum %p {axis = 2 : i32} : (tensor<1x2x12xf32>) -> tensor<1x2x1xf32>
  %u = tosa.mul %t, %twelfth, %z : (tensor<1x2x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x1xf32>
  %h = tosa.reduce_sum %i {axis = 1 : i32} : (tensor<1x3x4x2xf32>) -> tensor<1x1x4x2xf32>
  %w = tosa.reduce_sum %h {axis = 2 : i32} : (tensor<1x1x4x2xf32>) -> tensor<1x1x1x2xf32>
  %v = tosa.mul %w, %pixels, %z : (tensor<1x1x1x2xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x1x2xf32>
  return %u, %v : tensor<1x2x1xf32>, tensor<1x1x1x2xf32>
}

//--- nhwc.mlir
func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> {
  %w = "tosa.const"() <{values = dense<0.5> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x2xf32>
  %s = tosa.add %c, %x : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %a = tosa.abs %s : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  return %a : tensor<1x4x4x2xf32>
}

//--- nchw.mlir
func.func @forward(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = "tosa.const"() <{values = dense<0.5> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %t = tosa.transpose %x {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x4x4x2xf32>
  %c = tosa.conv2d %t, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x2xf32>
  %u = tosa.transpose %c {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x4x4xf32>
  %s = tosa.add %x, %u : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %a = tosa.abs %s : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %a : tensor<1x2x4x4xf32>
}

//--- positions.mlir
func.func @positions(%i: tensor<1x2xi32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xf32>) {
  %w = "tosa.const"() <{values = dense<1.0> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32>
  %c = "tosa.const"() <{values = dense<[[1, 2]]> : tensor<1x2xi32>}> : () -> tensor<1x2xi32>
  %sum = tosa.add %i, %c : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<1x2xi32>
  %0 = tosa.gather %w, %sum : (tensor<1x4x3xf32>, tensor<1x2xi32>) -> tensor<1x2x3xf32>
  %1 = tosa.gather %w, %c : (tensor<1x4x3xf32>, tensor<1x2xi32>) -> tensor<1x2x3xf32>
  return %0, %1 : tensor<1x2x3xf32>, tensor<1x2x3xf32>
}
