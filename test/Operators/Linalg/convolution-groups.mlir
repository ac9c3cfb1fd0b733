// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// With and without a multiplier; the input channels of a group come last.
// CHECK-LABEL: func.func @depthwise_ncw_cw
// CHECK: qbackend.operator [#qbackend.conv1d<stride = [2], padding = [0, 0], dilation = [1], groups = 3>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x9x3xf32>, tensor<3x2x1xf32>) -> tensor<1x4x3xf32>
// CHECK-NOT: qbackend.operator
func.func @depthwise_ncw_cw(%x: tensor<1x3x9xf32>, %w: tensor<3x2xf32>) -> tensor<1x3x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %c = linalg.depthwise_conv_1d_ncw_cw {dilations = dense<[1]> : vector<1xi64>, strides = dense<[2]> : vector<1xi64>}
    ins(%x, %w : tensor<1x3x9xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  return %c : tensor<1x3x4xf32>
}

// CHECK-LABEL: func.func @depthwise_nwc_wc
// CHECK: qbackend.operator [#qbackend.conv1d<stride = [2], padding = [0, 0], dilation = [1], groups = 3>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x9x3xf32>, tensor<3x2x1xf32>) -> tensor<1x4x3xf32>
// CHECK-NOT: qbackend.operator
func.func @depthwise_nwc_wc(%x: tensor<1x9x3xf32>, %w: tensor<2x3xf32>) -> tensor<1x4x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
  %c = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<[1]> : vector<1xi64>, strides = dense<[2]> : vector<1xi64>}
    ins(%x, %w : tensor<1x9x3xf32>, tensor<2x3xf32>) outs(%f : tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
  return %c : tensor<1x4x3xf32>
}

// CHECK-LABEL: func.func @depthwise_nhwc_hwc
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 3>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x7x6x3xf32>, tensor<3x3x2x1xf32>) -> tensor<1x5x5x3xf32>
// CHECK-NOT: qbackend.operator
func.func @depthwise_nhwc_hwc(%x: tensor<1x7x6x3xf32>, %w: tensor<3x2x3xf32>) -> tensor<1x5x5x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x5x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x5x3xf32>) -> tensor<1x5x5x3xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<[1, 1]> : vector<2xi64>, strides = dense<[1, 1]> : vector<2xi64>}
    ins(%x, %w : tensor<1x7x6x3xf32>, tensor<3x2x3xf32>) outs(%f : tensor<1x5x5x3xf32>) -> tensor<1x5x5x3xf32>
  return %c : tensor<1x5x5x3xf32>
}

// CHECK-LABEL: func.func @depthwise_ndhwc_dhwc
// CHECK: qbackend.operator [#qbackend.conv3d<stride = [1, 1, 1], padding = [0, 0, 0, 0, 0, 0], dilation = [1, 1, 1], groups = 3>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x4x5x6x3xf32>, tensor<3x2x1x2x1xf32>) -> tensor<1x3x5x5x3xf32>
// CHECK-NOT: qbackend.operator
func.func @depthwise_ndhwc_dhwc(%x: tensor<1x4x5x6x3xf32>, %w: tensor<2x1x2x3xf32>) -> tensor<1x3x5x5x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x5x5x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x5x5x3xf32>) -> tensor<1x3x5x5x3xf32>
  %c = linalg.depthwise_conv_3d_ndhwc_dhwc {dilations = dense<[1, 1, 1]> : vector<3xi64>, strides = dense<[1, 1, 1]> : vector<3xi64>}
    ins(%x, %w : tensor<1x4x5x6x3xf32>, tensor<2x1x2x3xf32>) outs(%f : tensor<1x3x5x5x3xf32>) -> tensor<1x3x5x5x3xf32>
  return %c : tensor<1x3x5x5x3xf32>
}

// CHECK-LABEL: func.func @multiplier_1d
// CHECK: qbackend.operator [#qbackend.conv1d<stride = [1], padding = [0, 0], dilation = [1], groups = 3>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x9x3xf32>, tensor<12x2x1xf32>) -> tensor<1x8x12xf32>
// CHECK-NOT: qbackend.operator
func.func @multiplier_1d(%x: tensor<1x9x3xf32>, %w: tensor<2x3x4xf32>) -> tensor<1x8x12xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x3x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x3x4xf32>) -> tensor<1x8x3x4xf32>
  %c = linalg.depthwise_conv_1d_nwc_wcm {dilations = dense<[1]> : vector<1xi64>, strides = dense<[1]> : vector<1xi64>}
    ins(%x, %w : tensor<1x9x3xf32>, tensor<2x3x4xf32>) outs(%f : tensor<1x8x3x4xf32>) -> tensor<1x8x3x4xf32>
  %r = tensor.collapse_shape %c [[0], [1], [2, 3]] : tensor<1x8x3x4xf32> into tensor<1x8x12xf32>
  return %r : tensor<1x8x12xf32>
}

// CHECK-LABEL: func.func @multiplier_3d
// CHECK: qbackend.operator [#qbackend.conv3d<stride = [1, 1, 1], padding = [0, 0, 0, 0, 0, 0], dilation = [1, 1, 1], groups = 3>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x4x5x6x3xf32>, tensor<6x2x1x2x1xf32>) -> tensor<1x3x5x5x6xf32>
// CHECK-NOT: qbackend.operator
func.func @multiplier_3d(%x: tensor<1x4x5x6x3xf32>, %w: tensor<2x1x2x3x2xf32>) -> tensor<1x3x5x5x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x5x5x3x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x5x5x3x2xf32>) -> tensor<1x3x5x5x3x2xf32>
  %c = linalg.depthwise_conv_3d_ndhwc_dhwcm {dilations = dense<[1, 1, 1]> : vector<3xi64>, strides = dense<[1, 1, 1]> : vector<3xi64>}
    ins(%x, %w : tensor<1x4x5x6x3xf32>, tensor<2x1x2x3x2xf32>) outs(%f : tensor<1x3x5x5x3x2xf32>) -> tensor<1x3x5x5x3x2xf32>
  %r = tensor.collapse_shape %c [[0], [1], [2], [3], [4, 5]] : tensor<1x3x5x5x3x2xf32> into tensor<1x3x5x5x6xf32>
  return %r : tensor<1x3x5x5x6xf32>
}

// Groups are a dimension of their own, and so they are of the bias.
// CHECK-LABEL: func.func @bias_of_groups
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2>]
// CHECK-SAME: weight({{.*}}) bias({{.*}}) : (tensor<1x7x6x4xf32>, tensor<6x3x2x2xf32>, tensor<6xf32>) -> tensor<1x5x5x6xf32>
// CHECK-NOT: qbackend.operator
func.func @bias_of_groups(%x: tensor<1x4x7x6xf32>, %w: tensor<2x3x2x3x2xf32>, %b: tensor<6xf32>) -> tensor<1x6x5x5xf32> {
  %z = arith.constant 0.0 : f32
  %xe = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 7, 6] : tensor<1x4x7x6xf32> into tensor<1x2x2x7x6xf32>
  %e = tensor.empty() : tensor<1x2x3x5x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x3x5x5xf32>) -> tensor<1x2x3x5x5xf32>
  %c = linalg.conv_2d_ngchw_gfchw
    ins(%xe, %w : tensor<1x2x2x7x6xf32>, tensor<2x3x2x3x2xf32>) outs(%f : tensor<1x2x3x5x5xf32>) -> tensor<1x2x3x5x5xf32>
  %be = tensor.expand_shape %b [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  %a = linalg.generic {
      indexing_maps = [affine_map<(n, g, f, y, x) -> (n, g, f, y, x)>, affine_map<(n, g, f, y, x) -> (g, f)>,
                       affine_map<(n, g, f, y, x) -> (n, g, f, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%c, %be : tensor<1x2x3x5x5xf32>, tensor<2x3xf32>) outs(%e : tensor<1x2x3x5x5xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<1x2x3x5x5xf32>
  %r = tensor.collapse_shape %a [[0], [1, 2], [3], [4]] : tensor<1x2x3x5x5xf32> into tensor<1x6x5x5xf32>
  return %r : tensor<1x6x5x5xf32>
}

// The filter has its groups second.
// CHECK-LABEL: func.func @fgchw
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x7x6x4xf32>, tensor<6x3x2x2xf32>) -> tensor<1x5x5x6xf32>
// CHECK-NOT: qbackend.operator
func.func @fgchw(%x: tensor<1x4x7x6xf32>, %w: tensor<3x2x2x3x2xf32>) -> tensor<1x6x5x5xf32> {
  %z = arith.constant 0.0 : f32
  %xe = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [1, 2, 2, 7, 6] : tensor<1x4x7x6xf32> into tensor<1x2x2x7x6xf32>
  %e = tensor.empty() : tensor<1x2x3x5x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x3x5x5xf32>) -> tensor<1x2x3x5x5xf32>
  %c = linalg.conv_2d_ngchw_fgchw
    ins(%xe, %w : tensor<1x2x2x7x6xf32>, tensor<3x2x2x3x2xf32>) outs(%f : tensor<1x2x3x5x5xf32>) -> tensor<1x2x3x5x5xf32>
  %r = tensor.collapse_shape %c [[0], [1, 2], [3], [4]] : tensor<1x2x3x5x5xf32> into tensor<1x6x5x5xf32>
  return %r : tensor<1x6x5x5xf32>
}

// A convolution of each group of channels, with one weight in slices.
// CHECK-LABEL: func.func @concatenated
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x7x6x4xf32>, tensor<6x3x2x2xf32>) -> tensor<1x5x5x6xf32>
// CHECK-NOT: qbackend.operator
func.func @concatenated(%x: tensor<1x4x7x6xf32>, %w: tensor<6x2x3x2xf32>) -> tensor<1x6x5x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x5x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %x0 = tensor.extract_slice %x[0, 0, 0, 0] [1, 2, 7, 6] [1, 1, 1, 1] : tensor<1x4x7x6xf32> to tensor<1x2x7x6xf32>
  %x1 = tensor.extract_slice %x[0, 2, 0, 0] [1, 2, 7, 6] [1, 1, 1, 1] : tensor<1x4x7x6xf32> to tensor<1x2x7x6xf32>
  %w0 = tensor.extract_slice %w[0, 0, 0, 0] [3, 2, 3, 2] [1, 1, 1, 1] : tensor<6x2x3x2xf32> to tensor<3x2x3x2xf32>
  %w1 = tensor.extract_slice %w[3, 0, 0, 0] [3, 2, 3, 2] [1, 1, 1, 1] : tensor<6x2x3x2xf32> to tensor<3x2x3x2xf32>
  %c0 = linalg.conv_2d_nchw_fchw
    ins(%x0, %w0 : tensor<1x2x7x6xf32>, tensor<3x2x3x2xf32>) outs(%f : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %c1 = linalg.conv_2d_nchw_fchw
    ins(%x1, %w1 : tensor<1x2x7x6xf32>, tensor<3x2x3x2xf32>) outs(%f : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %r = tensor.concat dim(1) %c0, %c1 : (tensor<1x3x5x5xf32>, tensor<1x3x5x5xf32>) -> tensor<1x6x5x5xf32>
  return %r : tensor<1x6x5x5xf32>
}

// One convolution for each group, whose results are inserted into one tensor.
// CHECK-LABEL: func.func @inserted(
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2>] inputs(%arg0) weight(%{{.*}}) : (tensor<1x4x5x4xf32>, tensor<6x1x1x2xf32>) -> tensor<1x4x5x6xf32>
// CHECK-NOT: qbackend.operator
func.func @inserted(%x: tensor<1x4x5x4xf32>) -> tensor<1x4x5x6xf32> {
  %v = arith.constant dense<[[[[1.0, 2.0]]], [[[3.0, 4.0]]], [[[5.0, 6.0]]]]> : tensor<3x1x1x2xf32>
  %w = arith.constant dense<[[[[1.5, 2.5]]], [[[3.5, 4.5]]], [[[5.5, 6.5]]]]> : tensor<3x1x1x2xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x5x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32>
  %a = tensor.extract_slice %x[0, 0, 0, 0] [1, 4, 5, 2] [1, 1, 1, 1] : tensor<1x4x5x4xf32> to tensor<1x4x5x2xf32>
  %b = tensor.extract_slice %x[0, 0, 0, 2] [1, 4, 5, 2] [1, 1, 1, 1] : tensor<1x4x5x4xf32> to tensor<1x4x5x2xf32>
  %c = linalg.conv_2d_nhwc_fhwc ins(%a, %v : tensor<1x4x5x2xf32>, tensor<3x1x1x2xf32>) outs(%f : tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32>
  %d = linalg.conv_2d_nhwc_fhwc ins(%b, %w : tensor<1x4x5x2xf32>, tensor<3x1x1x2xf32>) outs(%f : tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32>
  %r = tensor.empty() : tensor<1x4x5x6xf32>
  %i = tensor.insert_slice %c into %r[0, 0, 0, 0] [1, 4, 5, 3] [1, 1, 1, 1] : tensor<1x4x5x3xf32> into tensor<1x4x5x6xf32>
  %j = tensor.insert_slice %d into %i[0, 0, 0, 3] [1, 4, 5, 3] [1, 1, 1, 1] : tensor<1x4x5x3xf32> into tensor<1x4x5x6xf32>
  return %j : tensor<1x4x5x6xf32>
}

// Of any number of images, with a destination that is cut into groups, too.
// CHECK-LABEL: func.func @any_batch(
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 3], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2>] inputs(%{{.*}}) weight(%{{.*}}) : (tensor<?x6x7x4xf32>, tensor<4x3x3x2xf32>) -> tensor<?x4x2x4xf32>
// CHECK-NOT: qbackend.operator
func.func @any_batch(%x: tensor<?x4x6x7xf32>) -> (tensor<?x4x4x2xf32>) {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x4x6x7xf32>
  %z = arith.constant 0.000000000e+00 : f32
  %w = arith.constant dense<0.5> : tensor<2x2x2x3x3xf32>
  %e = tensor.empty(%n) : tensor<?x4x4x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4x4x2xf32>) -> tensor<?x4x4x2xf32>
  %gx = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [%n, 2, 2, 6, 7] : tensor<?x4x6x7xf32> into tensor<?x2x2x6x7xf32>
  %init = tensor.expand_shape %f [[0], [1, 2], [3], [4]] output_shape [%n, 2, 2, 4, 2] : tensor<?x4x4x2xf32> into tensor<?x2x2x4x2xf32>
  %g = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<[1, 3]> : vector<2xi64>} ins(%gx, %w : tensor<?x2x2x6x7xf32>, tensor<2x2x2x3x3xf32>) outs(%init : tensor<?x2x2x4x2xf32>) -> tensor<?x2x2x4x2xf32>
  %r = tensor.collapse_shape %g [[0], [1, 2], [3], [4]] : tensor<?x2x2x4x2xf32> into tensor<?x4x4x2xf32>
  return %r : tensor<?x4x4x2xf32>
}

// CHECK-LABEL: func.func @any_batch_bias(
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 3], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2>] inputs(%{{.*}}) weight(%{{.*}}) bias(%{{.*}}) : (tensor<?x6x7x4xf32>, tensor<2x3x3x2xf32>, tensor<2xf32>) -> tensor<?x4x2x2xf32>
// CHECK-NOT: qbackend.operator
func.func @any_batch_bias(%x: tensor<?x4x6x7xf32>) -> (tensor<?x2x4x2xf32>) {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x4x6x7xf32>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %w = arith.constant dense<0.5> : tensor<2x1x2x3x3xf32>
  %e = tensor.empty(%n) : tensor<?x2x4x2xf32>
  %f = linalg.broadcast ins(%b : tensor<2xf32>) outs(%e : tensor<?x2x4x2xf32>) dimensions = [0, 2, 3]
  %gx = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [%n, 2, 2, 6, 7] : tensor<?x4x6x7xf32> into tensor<?x2x2x6x7xf32>
  %init = tensor.expand_shape %f [[0], [1, 2], [3], [4]] output_shape [%n, 2, 1, 4, 2] : tensor<?x2x4x2xf32> into tensor<?x2x1x4x2xf32>
  %g = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<[1, 3]> : vector<2xi64>} ins(%gx, %w : tensor<?x2x2x6x7xf32>, tensor<2x1x2x3x3xf32>) outs(%init : tensor<?x2x1x4x2xf32>) -> tensor<?x2x1x4x2xf32>
  %r = tensor.collapse_shape %g [[0], [1, 2], [3], [4]] : tensor<?x2x1x4x2xf32> into tensor<?x2x4x2xf32>
  return %r : tensor<?x2x4x2xf32>
}

// Groups and the channels of each merge with the pixels, in one image: no
// convolution in three dimensions.
// CHECK-LABEL: func.func @grouped_merged_with_pixels
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [2, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 3>]
// CHECK-SAME: (tensor<1x7x4x3xf32>, tensor<3x3x2x1xf32>) -> tensor<1x3x3x3xf32>
// CHECK-NOT: #qbackend.conv
func.func @grouped_merged_with_pixels(%x: tensor<1x3x7x4xf32>) -> tensor<1x27xf32> {
  %w = arith.constant dense<0.25> : tensor<3x1x1x3x2xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x1x3x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x1x3x3xf32>) -> tensor<1x3x1x3x3xf32>
  %g = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [1, 3, 1, 7, 4] : tensor<1x3x7x4xf32> into tensor<1x3x1x7x4xf32>
  %c = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<[2, 1]> : vector<2xi64>}
    ins(%g, %w : tensor<1x3x1x7x4xf32>, tensor<3x1x1x3x2xf32>) outs(%f : tensor<1x3x1x3x3xf32>) -> tensor<1x3x1x3x3xf32>
  %m = tensor.collapse_shape %c [[0], [1, 2, 3, 4]] : tensor<1x3x1x3x3xf32> into tensor<1x27xf32>
  return %m : tensor<1x27xf32>
}
