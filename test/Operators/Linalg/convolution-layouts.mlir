// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// Sizes are such that a dimension can't be taken for another one.
// CHECK-LABEL: func.func @ncw_fcw
// CHECK: qbackend.operator [#qbackend.conv1d<stride = [2], padding = [0, 0], dilation = [2], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x14x3xf32>, tensor<5x4x3xf32>) -> tensor<1x4x5xf32>
// CHECK-NOT: qbackend.operator
func.func @ncw_fcw(%x: tensor<1x3x14xf32>, %w: tensor<5x3x4xf32>) -> tensor<1x5x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x4xf32>) -> tensor<1x5x4xf32>
  %c = linalg.conv_1d_ncw_fcw {dilations = dense<[2]> : vector<1xi64>, strides = dense<[2]> : vector<1xi64>}
    ins(%x, %w : tensor<1x3x14xf32>, tensor<5x3x4xf32>) outs(%f : tensor<1x5x4xf32>) -> tensor<1x5x4xf32>
  return %c : tensor<1x5x4xf32>
}

// CHECK-LABEL: func.func @nwc_wcf
// CHECK: qbackend.operator [#qbackend.conv1d<stride = [2], padding = [0, 0], dilation = [2], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x14x3xf32>, tensor<5x4x3xf32>) -> tensor<1x4x5xf32>
// CHECK-NOT: qbackend.operator
func.func @nwc_wcf(%x: tensor<1x14x3xf32>, %w: tensor<4x3x5xf32>) -> tensor<1x4x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  %c = linalg.conv_1d_nwc_wcf {dilations = dense<[2]> : vector<1xi64>, strides = dense<[2]> : vector<1xi64>}
    ins(%x, %w : tensor<1x14x3xf32>, tensor<4x3x5xf32>) outs(%f : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  return %c : tensor<1x4x5xf32>
}

// CHECK-LABEL: func.func @nchw_fchw
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [2, 1], padding = [0, 0, 0, 0], dilation = [1, 2], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x9x14x3xf32>, tensor<5x2x4x3xf32>) -> tensor<1x4x8x5xf32>
// CHECK-NOT: qbackend.operator
func.func @nchw_fchw(%x: tensor<1x3x9x14xf32>, %w: tensor<5x3x2x4xf32>) -> tensor<1x5x4x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x4x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x4x8xf32>) -> tensor<1x5x4x8xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 2]> : vector<2xi64>, strides = dense<[2, 1]> : vector<2xi64>}
    ins(%x, %w : tensor<1x3x9x14xf32>, tensor<5x3x2x4xf32>) outs(%f : tensor<1x5x4x8xf32>) -> tensor<1x5x4x8xf32>
  return %c : tensor<1x5x4x8xf32>
}

// CHECK-LABEL: func.func @nhwc_hwcf
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [2, 1], padding = [0, 0, 0, 0], dilation = [1, 2], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x9x14x3xf32>, tensor<5x2x4x3xf32>) -> tensor<1x4x8x5xf32>
// CHECK-NOT: qbackend.operator
func.func @nhwc_hwcf(%x: tensor<1x9x14x3xf32>, %w: tensor<2x4x3x5xf32>) -> tensor<1x4x8x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x8x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x8x5xf32>) -> tensor<1x4x8x5xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 2]> : vector<2xi64>, strides = dense<[2, 1]> : vector<2xi64>}
    ins(%x, %w : tensor<1x9x14x3xf32>, tensor<2x4x3x5xf32>) outs(%f : tensor<1x4x8x5xf32>) -> tensor<1x4x8x5xf32>
  return %c : tensor<1x4x8x5xf32>
}

// CHECK-LABEL: func.func @nhwc_fhwc
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [2, 1], padding = [0, 0, 0, 0], dilation = [1, 2], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x9x14x3xf32>, tensor<5x2x4x3xf32>) -> tensor<1x4x8x5xf32>
// CHECK-NOT: qbackend.operator
func.func @nhwc_fhwc(%x: tensor<1x9x14x3xf32>, %w: tensor<5x2x4x3xf32>) -> tensor<1x4x8x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x8x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x8x5xf32>) -> tensor<1x4x8x5xf32>
  %c = linalg.conv_2d_nhwc_fhwc {dilations = dense<[1, 2]> : vector<2xi64>, strides = dense<[2, 1]> : vector<2xi64>}
    ins(%x, %w : tensor<1x9x14x3xf32>, tensor<5x2x4x3xf32>) outs(%f : tensor<1x4x8x5xf32>) -> tensor<1x4x8x5xf32>
  return %c : tensor<1x4x8x5xf32>
}

// CHECK-LABEL: func.func @ncdhw_fcdhw
// CHECK: qbackend.operator [#qbackend.conv3d<stride = [1, 2, 1], padding = [0, 0, 0, 0, 0, 0], dilation = [1, 1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x5x6x7x2xf32>, tensor<4x3x2x1x2xf32>) -> tensor<1x3x3x7x4xf32>
// CHECK-NOT: qbackend.operator
func.func @ncdhw_fcdhw(%x: tensor<1x2x5x6x7xf32>, %w: tensor<4x2x3x2x1xf32>) -> tensor<1x4x3x3x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x3x3x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x3x3x7xf32>) -> tensor<1x4x3x3x7xf32>
  %c = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<[1, 1, 1]> : vector<3xi64>, strides = dense<[1, 2, 1]> : vector<3xi64>}
    ins(%x, %w : tensor<1x2x5x6x7xf32>, tensor<4x2x3x2x1xf32>) outs(%f : tensor<1x4x3x3x7xf32>) -> tensor<1x4x3x3x7xf32>
  return %c : tensor<1x4x3x3x7xf32>
}

// CHECK-LABEL: func.func @ndhwc_dhwcf
// CHECK: qbackend.operator [#qbackend.conv3d<stride = [1, 2, 1], padding = [0, 0, 0, 0, 0, 0], dilation = [1, 1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x5x6x7x2xf32>, tensor<4x3x2x1x2xf32>) -> tensor<1x3x3x7x4xf32>
// CHECK-NOT: qbackend.operator
func.func @ndhwc_dhwcf(%x: tensor<1x5x6x7x2xf32>, %w: tensor<3x2x1x2x4xf32>) -> tensor<1x3x3x7x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x3x7x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x3x7x4xf32>) -> tensor<1x3x3x7x4xf32>
  %c = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<[1, 1, 1]> : vector<3xi64>, strides = dense<[1, 2, 1]> : vector<3xi64>}
    ins(%x, %w : tensor<1x5x6x7x2xf32>, tensor<3x2x1x2x4xf32>) outs(%f : tensor<1x3x3x7x4xf32>) -> tensor<1x3x3x7x4xf32>
  return %c : tensor<1x3x3x7x4xf32>
}

// Dimensions, loops and operands in no usual order.
// CHECK-LABEL: func.func @any_order
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [2, 1], padding = [0, 0, 0, 0], dilation = [1, 2], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x9x14x3xf32>, tensor<5x2x4x3xf32>) -> tensor<1x4x8x5xf32>
// CHECK-NOT: qbackend.operator
func.func @any_order(%x: tensor<9x1x3x14xf32>, %w: tensor<4x5x2x3xf32>) -> tensor<1x8x5x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x5x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x5x4xf32>) -> tensor<1x8x5x4xf32>
  %c = linalg.generic {
      indexing_maps = [affine_map<(kx, c, n, ky, f, x, y) -> (kx, f, ky, c)>,
                       affine_map<(kx, c, n, ky, f, x, y) -> (y * 2 + ky, n, c, x + kx * 2)>,
                       affine_map<(kx, c, n, ky, f, x, y) -> (n, x, f, y)>],
      iterator_types = ["reduction", "reduction", "parallel", "reduction", "parallel", "parallel", "parallel"]}
    ins(%w, %x : tensor<4x5x2x3xf32>, tensor<9x1x3x14xf32>) outs(%f : tensor<1x8x5x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x8x5x4xf32>
  return %c : tensor<1x8x5x4xf32>
}

// The loops over a kernel of size 1 are gone.
// CHECK-LABEL: func.func @unit_kernel
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [2, 3], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x7x10x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
// CHECK-NOT: qbackend.operator
func.func @unit_kernel(%x: tensor<1x3x7x10xf32>, %w: tensor<5x3xf32>) -> tensor<1x5x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x4x4xf32>) -> tensor<1x5x4x4xf32>
  %c = linalg.generic {
      indexing_maps = [affine_map<(n, f, y, x, c) -> (n, c, y * 2, x * 3)>,
                       affine_map<(n, f, y, x, c) -> (f, c)>,
                       affine_map<(n, f, y, x, c) -> (n, f, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<1x3x7x10xf32>, tensor<5x3xf32>) outs(%f : tensor<1x5x4x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x5x4x4xf32>
  return %c : tensor<1x5x4x4xf32>
}

// CHECK-LABEL: func.func @unit_kernel_read_at_0
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x4x6x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x6x5xf32>
// CHECK-NOT: qbackend.operator
func.func @unit_kernel_read_at_0(%x: tensor<1x4x6x3xf32>, %w: tensor<1x1x3x5xf32>) -> tensor<1x4x6x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x6x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x6x5xf32>) -> tensor<1x4x6x5xf32>
  %c = linalg.generic {
      indexing_maps = [affine_map<(n, y, x, f, c) -> (n, y, x, c)>,
                       affine_map<(n, y, x, f, c) -> (0, 0, c, f)>,
                       affine_map<(n, y, x, f, c) -> (n, y, x, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<1x4x6x3xf32>, tensor<1x1x3x5xf32>) outs(%f : tensor<1x4x6x5xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x4x6x5xf32>
  return %c : tensor<1x4x6x5xf32>
}

// Channels in the middle: no linear layer.
// CHECK-LABEL: func.func @channels_first_contraction
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x4x6x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x6x5xf32>
// CHECK-NOT: qbackend.operator
func.func @channels_first_contraction(%x: tensor<1x3x4x6xf32>, %w: tensor<5x3xf32>) -> tensor<1x5x4x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x4x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x4x6xf32>) -> tensor<1x5x4x6xf32>
  %c = linalg.generic {
      indexing_maps = [affine_map<(n, f, y, x, c) -> (n, c, y, x)>,
                       affine_map<(n, f, y, x, c) -> (f, c)>,
                       affine_map<(n, f, y, x, c) -> (n, f, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<1x3x4x6xf32>, tensor<5x3xf32>) outs(%f : tensor<1x5x4x6xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x5x4x6xf32>
  return %c : tensor<1x5x4x6xf32>
}

// Dimensions of size 1 are dropped in front and come back afterwards.
// CHECK-LABEL: func.func @unit_dimensions
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x9x14x1xf32>, tensor<5x2x4x1xf32>) -> tensor<1x8x11x5xf32>
// CHECK-NOT: qbackend.operator
func.func @unit_dimensions(%x: tensor<1x1x9x14xf32>, %w: tensor<5x1x2x4xf32>) -> tensor<1x5x8x11xf32> {
  %z = arith.constant 0.0 : f32
  %xc = tensor.collapse_shape %x [[0, 1, 2], [3]] : tensor<1x1x9x14xf32> into tensor<9x14xf32>
  %wc = tensor.collapse_shape %w [[0, 1], [2], [3]] : tensor<5x1x2x4xf32> into tensor<5x2x4xf32>
  %e = tensor.empty() : tensor<5x8x11xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5x8x11xf32>) -> tensor<5x8x11xf32>
  %c = linalg.generic {
      indexing_maps = [affine_map<(f, y, x, ky, kx) -> (y + ky, x + kx)>,
                       affine_map<(f, y, x, ky, kx) -> (f, ky, kx)>,
                       affine_map<(f, y, x, ky, kx) -> (f, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%xc, %wc : tensor<9x14xf32>, tensor<5x2x4xf32>) outs(%f : tensor<5x8x11xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<5x8x11xf32>
  %r = tensor.expand_shape %c [[0, 1], [2], [3]] output_shape [1, 5, 8, 11] : tensor<5x8x11xf32> into tensor<1x5x8x11xf32>
  return %r : tensor<1x5x8x11xf32>
}

// A kernel of the size of the image: no loop over pixels is left.
// CHECK-LABEL: func.func @whole_image
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x4x6x3xf32>, tensor<5x4x6x3xf32>) -> tensor<1x1x1x5xf32>
// CHECK-NOT: qbackend.operator
func.func @whole_image(%x: tensor<1x3x4x6xf32>, %w: tensor<5x3x4x6xf32>) -> tensor<1x5x1x1xf32> {
  %z = arith.constant 0.0 : f32
  %xc = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x3x4x6xf32> into tensor<3x4x6xf32>
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %c = linalg.generic {
      indexing_maps = [affine_map<(f, c, ky, kx) -> (c, ky, kx)>,
                       affine_map<(f, c, ky, kx) -> (f, c, ky, kx)>,
                       affine_map<(f, c, ky, kx) -> (f)>],
      iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
    ins(%xc, %w : tensor<3x4x6xf32>, tensor<5x3x4x6xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  %r = tensor.expand_shape %c [[0, 1, 2, 3]] output_shape [1, 5, 1, 1] : tensor<5xf32> into tensor<1x5x1x1xf32>
  return %r : tensor<1x5x1x1xf32>
}
