// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// The last row and column of the padding are read by no window; nor are the
// last columns of the image that a slice takes away.
// CHECK-LABEL: func.func @spare
// CHECK-NOT: tensor.extract_slice
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [2, 3], padding = [1, 1, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x8x9x3xf32>, tensor<5x3x2x3xf32>) -> tensor<1x4x3x5xf32>
// CHECK-NOT: qbackend.operator
func.func @spare(%x: tensor<1x3x8x9xf32>, %w: tensor<5x3x3x2xf32>) -> tensor<1x5x4x3xf32> {
  %z = arith.constant 0.0 : f32
  %t = tensor.extract_slice %x[0, 0, 0, 0] [1, 3, 8, 8] [1, 1, 1, 1] : tensor<1x3x8x9xf32> to tensor<1x3x8x8xf32>
  %p = tensor.pad %t low[0, 0, 1, 0] high[0, 0, 0, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %z : f32
  } : tensor<1x3x8x8xf32> to tensor<1x3x9x8xf32>
  %e = tensor.empty() : tensor<1x5x4x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x4x3xf32>) -> tensor<1x5x4x3xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<[2, 3]> : vector<2xi64>}
    ins(%p, %w : tensor<1x3x9x8xf32>, tensor<5x3x3x2xf32>) outs(%f : tensor<1x5x4x3xf32>) -> tensor<1x5x4x3xf32>
  return %c : tensor<1x5x4x3xf32>
}

// Padding twice, once before a transposition, and into zeros of any batch.
// CHECK-LABEL: func.func @pads
// CHECK-NOT: tensor.pad
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [2, 1, 2, 1], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<?x5x6x3xf32>, tensor<5x3x2x3xf32>) -> tensor<?x6x8x5xf32>
// CHECK-NOT: qbackend.operator
func.func @pads(%x: tensor<?x3x5x6xf32>, %w: tensor<5x3x3x2xf32>) -> tensor<?x6x8x5xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x3x5x6xf32>
  %pe = tensor.empty(%d) : tensor<?x3x8x6xf32>
  %pf = linalg.fill ins(%z : f32) outs(%pe : tensor<?x3x8x6xf32>) -> tensor<?x3x8x6xf32>
  %p0 = tensor.insert_slice %x into %pf[0, 0, 2, 0] [%d, 3, 5, 6] [1, 1, 1, 1] : tensor<?x3x5x6xf32> into tensor<?x3x8x6xf32>
  %te = tensor.empty(%d) : tensor<?x8x6x3xf32>
  %t = linalg.transpose ins(%p0 : tensor<?x3x8x6xf32>) outs(%te : tensor<?x8x6x3xf32>) permutation = [0, 2, 3, 1]
  %p = tensor.pad %t low[0, 0, 2, 0] high[0, 0, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %z : f32
  } : tensor<?x8x6x3xf32> to tensor<?x8x9x3xf32>
  %e = tensor.empty(%d) : tensor<?x6x8x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x6x8x5xf32>) -> tensor<?x6x8x5xf32>
  %wt = tensor.empty() : tensor<5x3x2x3xf32>
  %wn = linalg.transpose ins(%w : tensor<5x3x3x2xf32>) outs(%wt : tensor<5x3x2x3xf32>) permutation = [0, 2, 3, 1]
  %c = linalg.conv_2d_nhwc_fhwc
    ins(%p, %wn : tensor<?x8x9x3xf32>, tensor<5x3x2x3xf32>) outs(%f : tensor<?x6x8x5xf32>) -> tensor<?x6x8x5xf32>
  return %c : tensor<?x6x8x5xf32>
}

// The bias is added after a transposition, or is as large as the result.
// CHECK-LABEL: func.func @bias_after_transposition
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<1x6x7x3xf32>, tensor<5x3x2x3xf32>, tensor<5xf32>) -> tensor<1x4x6x5xf32>
// CHECK-NOT: qbackend.operator
func.func @bias_after_transposition(%x: tensor<1x6x7x3xf32>, %w: tensor<5x3x2x3xf32>, %b: tensor<5xf32>) -> tensor<1x5x4x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x6x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x6x5xf32>) -> tensor<1x4x6x5xf32>
  %c = linalg.conv_2d_nhwc_fhwc
    ins(%x, %w : tensor<1x6x7x3xf32>, tensor<5x3x2x3xf32>) outs(%f : tensor<1x4x6x5xf32>) -> tensor<1x4x6x5xf32>
  %te = tensor.empty() : tensor<1x5x4x6xf32>
  %t = linalg.transpose ins(%c : tensor<1x4x6x5xf32>) outs(%te : tensor<1x5x4x6xf32>) permutation = [0, 3, 1, 2]
  %bb = linalg.broadcast ins(%b : tensor<5xf32>) outs(%te : tensor<1x5x4x6xf32>) dimensions = [0, 2, 3]
  %r = arith.addf %t, %bb : tensor<1x5x4x6xf32>
  return %r : tensor<1x5x4x6xf32>
}

// CHECK-LABEL: func.func @full_map_bias
// CHECK: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: qbackend.operator [#qbackend.conv1d<stride = [1], padding = [0, 0], dilation = [1], groups = 1>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<1x4x3xf32>, tensor<2x3x3xf32>, tensor<2xf32>) -> tensor<1x2x2xf32>
// CHECK-NOT: qbackend.operator
func.func @full_map_bias(%x: tensor<1x3x4xf32>, %w: tensor<2x3x3xf32>) -> tensor<1x2x2xf32> {
  %i = arith.constant dense<[[[1.0, 1.0], [2.0, 2.0]]]> : tensor<1x2x2xf32>
  %c = linalg.conv_1d_ncw_fcw
    ins(%x, %w : tensor<1x3x4xf32>, tensor<2x3x3xf32>) outs(%i : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  return %c : tensor<1x2x2xf32>
}
