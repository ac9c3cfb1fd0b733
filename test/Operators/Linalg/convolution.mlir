// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// The bias arrives in the destination, the padding in front.
// CHECK-LABEL: func.func @bias_and_padding
// CHECK: qbackend.transpose %{{.*}} [0, 2, 3, 1]
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [1, 1, 1, 1], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight(%{{.*}}) bias(%{{.*}}) : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
func.func @bias_and_padding(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>,
                            %b: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<1x3x8x8xf32> to tensor<1x3x10x10xf32>
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %i0 = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<1x4x8x8xf32>) dimensions = [0, 2, 3]
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%p, %w : tensor<1x3x10x10xf32>, tensor<4x3x3x3xf32>) outs(%i0 : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %c : tensor<1x4x8x8xf32>
}

// A pad that isn't zero, or not of an image's sides, is not the convolution's.
// CHECK-LABEL: func.func @pads_that_stay
// CHECK: tensor.pad
// CHECK: padding = [0, 0, 0, 0]
// CHECK: tensor.pad
// CHECK: padding = [0, 0, 0, 0]
func.func @pads_that_stay(%x: tensor<1x3x6x6xf32>, %w: tensor<4x3x3x3xf32>, %v: tensor<4x5x3x3xf32>)
    -> (tensor<1x4x6x6xf32>, tensor<1x4x4x4xf32>) {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f32
  } : tensor<1x3x6x6xf32> to tensor<1x3x8x8xf32>
  %e = tensor.empty() : tensor<1x4x6x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %c = linalg.conv_2d_nchw_fchw
    ins(%p, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) outs(%f : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %q = tensor.pad %x low[0, 1, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<1x3x6x6xf32> to tensor<1x5x6x6xf32>
  %e1 = tensor.empty() : tensor<1x4x4x4xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %d = linalg.conv_2d_nchw_fchw
    ins(%q, %v : tensor<1x5x6x6xf32>, tensor<4x5x3x3xf32>) outs(%f1 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %c, %d : tensor<1x4x6x6xf32>, tensor<1x4x4x4xf32>
}

// Channels last, an asymmetric pad as of a SAME convolution, stride and
// dilation, and a bias that is added.
#x = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#c3 = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-LABEL: func.func @channels_last
// CHECK-NOT: qbackend.transpose %arg0
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [2, 1], padding = [0, 1, 0, 1], dilation = [1, 2], groups = 1>]
// CHECK-SAME: bias(
// CHECK-SAME: -> tensor<?x4x5x4xf32>
// CHECK-NOT: #qbackend.add
func.func @channels_last(%x: tensor<?x8x8x3xf32>, %n: index) -> tensor<?x4x5x4xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<3x3x3x4xf32>
  %b = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<?x8x8x3xf32> to tensor<?x9x9x3xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x8x8x3xf32>
  %e = tensor.empty(%d) : tensor<?x4x5x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4x5x4xf32>) -> tensor<?x4x5x4xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>}
    ins(%p, %w : tensor<?x9x9x3xf32>, tensor<3x3x3x4xf32>) outs(%f : tensor<?x4x5x4xf32>) -> tensor<?x4x5x4xf32>
  %r = linalg.generic {indexing_maps = [#c3, #x, #x], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%b, %c : tensor<4xf32>, tensor<?x4x5x4xf32>) outs(%e : tensor<?x4x5x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<?x4x5x4xf32>
  return %r : tensor<?x4x5x4xf32>
}

// CHECK-LABEL: func.func @depthwise
// CHECK: groups = 4>]
// CHECK-SAME: (tensor<1x6x6x4xf32>, tensor<4x3x3x1xf32>) -> tensor<1x4x4x4xf32>
func.func @depthwise(%x: tensor<1x4x6x6xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %k = tensor.collapse_shape %w [[0, 1], [2], [3]] : tensor<4x1x3x3xf32> into tensor<4x3x3xf32>
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %c = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %k : tensor<1x4x6x6xf32>, tensor<4x3x3xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %c : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @depth_multiplier
// CHECK: groups = 4>]
// CHECK-SAME: (tensor<1x6x6x4xf32>, tensor<8x3x3x1xf32>) -> tensor<1x4x4x8xf32>
func.func @depth_multiplier(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x4x2xf32>) -> tensor<1x4x4x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x4x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x4x4x2xf32>) -> tensor<1x4x4x4x2xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwcm
    ins(%x, %w : tensor<1x6x6x4xf32>, tensor<3x3x4x2xf32>) outs(%f : tensor<1x4x4x4x2xf32>) -> tensor<1x4x4x4x2xf32>
  %r = tensor.collapse_shape %c [[0], [1], [2], [3, 4]] : tensor<1x4x4x4x2xf32> into tensor<1x4x4x8xf32>
  return %r : tensor<1x4x4x8xf32>
}

// CHECK-LABEL: func.func @grouped
// CHECK: padding = [1, 1, 1, 1], dilation = [1, 1], groups = 2>]
// CHECK-SAME: (tensor<1x4x4x4xf32>, tensor<6x3x3x2xf32>, tensor<6xf32>) -> tensor<1x4x4x6xf32>
// CHECK-NOT: #qbackend.reshape
func.func @grouped(%x: tensor<1x4x4x4xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>) -> tensor<1x6x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<1x4x4x4xf32> to tensor<1x4x6x6xf32>
  %e = tensor.empty() : tensor<1x6x4x4xf32>
  %i0 = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<1x6x4x4xf32>) dimensions = [0, 2, 3]
  %xe = tensor.expand_shape %p [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 6, 6] : tensor<1x4x6x6xf32> into tensor<1x2x2x6x6xf32>
  %we = tensor.expand_shape %w [[0, 1], [2], [3], [4]] output_shape [2, 3, 2, 3, 3] : tensor<6x2x3x3xf32> into tensor<2x3x2x3x3xf32>
  %ie = tensor.expand_shape %i0 [[0], [1, 2], [3], [4]] output_shape [1, 2, 3, 4, 4] : tensor<1x6x4x4xf32> into tensor<1x2x3x4x4xf32>
  %c = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%xe, %we : tensor<1x2x2x6x6xf32>, tensor<2x3x2x3x3xf32>) outs(%ie : tensor<1x2x3x4x4xf32>) -> tensor<1x2x3x4x4xf32>
  %r = tensor.collapse_shape %c [[0], [1, 2], [3], [4]] : tensor<1x2x3x4x4xf32> into tensor<1x6x4x4xf32>
  return %r : tensor<1x6x4x4xf32>
}

// CHECK-LABEL: func.func @generalised
// CHECK: #qbackend.conv2d<stride = [2, 2], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>
func.func @generalised(%x: tensor<1x3x7x7xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x3x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  %c = linalg.generic {
      indexing_maps = [affine_map<(n, f, y, x, c, ky, kx) -> (n, c, y * 2 + ky, x * 2 + kx)>,
                       affine_map<(n, f, y, x, c, ky, kx) -> (f, c, ky, kx)>,
                       affine_map<(n, f, y, x, c, ky, kx) -> (n, f, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x3x7x7xf32>, tensor<4x3x3x3xf32>) outs(%f : tensor<1x4x3x3xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x4x3x3xf32>
  return %c : tensor<1x4x3x3xf32>
}
