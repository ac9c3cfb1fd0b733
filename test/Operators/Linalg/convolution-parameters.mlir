// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// Weights in a global, and constants whose data is not there: they are what
// they are, only a filter that has to be put in reverse has to be known.
ml_program.global private @w(dense<1.0> : tensor<4x3x3x3xf32>) : tensor<4x3x3x3xf32>
// CHECK-LABEL: func.func @global
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
// CHECK-NOT: qbackend.operator
func.func @global(%x: tensor<1x3x8x8xf32>) -> tensor<1x4x6x6xf32> {
  %w = ml_program.global_load_const @w : tensor<4x3x3x3xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x6x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %d = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) outs(%f : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return %d : tensor<1x4x6x6xf32>
}
// CHECK-LABEL: func.func @elided
// CHECK: qbackend.operator [#qbackend.conv_transpose2d<stride = [2, 2], padding = [2, 2, 2, 2], output_padding = [0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<?x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<?x13x13x4xf32>
// CHECK-NOT: qbackend.operator
func.func @elided(%x: tensor<?x3x8x8xf32>) -> tensor<?x4x13x13xf32> {
  %w = arith.constant dense_resource<__elided__> : tensor<3x4x3x3xf32>
  %b = arith.constant dense_resource<__elided__> : tensor<4xf32>
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x8x8xf32>
  %wt = tosa.transpose %w {perms = array<i32: 1, 0, 2, 3>} : (tensor<3x4x3x3xf32>) -> tensor<4x3x3x3xf32>
  %w1 = tosa.reverse %wt {axis = 2 : i32} : (tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
  %w2 = tosa.reverse %w1 {axis = 3 : i32} : (tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
  %es = tensor.empty(%n) : tensor<?x3x15x15xf32>
  %fs = linalg.fill ins(%z : f32) outs(%es : tensor<?x3x15x15xf32>) -> tensor<?x3x15x15xf32>
  %s = tensor.insert_slice %x into %fs[0, 0, 0, 0] [%n, 3, 8, 8] [1, 1, 2, 2] : tensor<?x3x8x8xf32> into tensor<?x3x15x15xf32>
  %e = tensor.empty(%n) : tensor<?x4x13x13xf32>
  %f = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<?x4x13x13xf32>) dimensions = [0, 2, 3]
  %d = linalg.conv_2d_nchw_fchw ins(%s, %w2 : tensor<?x3x15x15xf32>, tensor<4x3x3x3xf32>) outs(%f : tensor<?x4x13x13xf32>) -> tensor<?x4x13x13xf32>
  return %d : tensor<?x4x13x13xf32>
}
// CHECK-LABEL: func.func @folded_unknown
// CHECK: tensor.insert_slice
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x15x15x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x13x13x4xf32>
// CHECK-NOT: qbackend.operator
func.func @folded_unknown(%x: tensor<1x3x8x8xf32>) -> tensor<1x4x13x13xf32> {
  %w = arith.constant dense_resource<__elided__> : tensor<4x3x3x3xf32>
  %z = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<1x3x15x15xf32>
  %fs = linalg.fill ins(%z : f32) outs(%es : tensor<1x3x15x15xf32>) -> tensor<1x3x15x15xf32>
  %s = tensor.insert_slice %x into %fs[0, 0, 0, 0] [1, 3, 8, 8] [1, 1, 2, 2] : tensor<1x3x8x8xf32> into tensor<1x3x15x15xf32>
  %e = tensor.empty() : tensor<1x4x13x13xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x13x13xf32>) -> tensor<1x4x13x13xf32>
  %d = linalg.conv_2d_nchw_fchw ins(%s, %w : tensor<1x3x15x15xf32>, tensor<4x3x3x3xf32>) outs(%f : tensor<1x4x13x13xf32>) -> tensor<1x4x13x13xf32>
  return %d : tensor<1x4x13x13xf32>
}
