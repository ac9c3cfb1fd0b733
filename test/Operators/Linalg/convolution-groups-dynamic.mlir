// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// A convolution in groups of any batch, one for each group, whose accumulators
// begin with parts of what has the bias in every pixel.
// CHECK-LABEL: func.func @parts_of_a_bias
// CHECK: %[[B:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 2>]
// CHECK-SAME: bias(%[[B]]) {{.*}} -> tensor<?x4x3x2xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
#c = affine_map<(d0, d1, d2, d3) -> (d1)>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @parts_of_a_bias(%x: tensor<?x6x5x4xf32>) -> tensor<?x2x4x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6x5x4xf32>
  %bias = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty(%n) : tensor<?x2x4x3xf32>
  %wide = linalg.generic {indexing_maps = [#c, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%bias : tensor<2xf32>) outs(%e : tensor<?x2x4x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<?x2x4x3xf32>
  %w0 = arith.constant dense<0.25> : tensor<1x3x2x2xf32>
  %w1 = arith.constant dense<0.5> : tensor<1x3x2x2xf32>
  %x0 = tensor.extract_slice %x[0, 0, 0, 0] [%n, 3, 5, 4] [1, 1, 1, 1] : tensor<?x6x5x4xf32> to tensor<?x3x5x4xf32>
  %b0 = tensor.extract_slice %wide[0, 0, 0, 0] [%n, 1, 4, 3] [1, 1, 1, 1] : tensor<?x2x4x3xf32> to tensor<?x1x4x3xf32>
  %r0 = linalg.conv_2d_nchw_fchw ins(%x0, %w0 : tensor<?x3x5x4xf32>, tensor<1x3x2x2xf32>) outs(%b0 : tensor<?x1x4x3xf32>) -> tensor<?x1x4x3xf32>
  %x1 = tensor.extract_slice %x[0, 3, 0, 0] [%n, 3, 5, 4] [1, 1, 1, 1] : tensor<?x6x5x4xf32> to tensor<?x3x5x4xf32>
  %b1 = tensor.extract_slice %wide[0, 1, 0, 0] [%n, 1, 4, 3] [1, 1, 1, 1] : tensor<?x2x4x3xf32> to tensor<?x1x4x3xf32>
  %r1 = linalg.conv_2d_nchw_fchw ins(%x1, %w1 : tensor<?x3x5x4xf32>, tensor<1x3x2x2xf32>) outs(%b1 : tensor<?x1x4x3xf32>) -> tensor<?x1x4x3xf32>
  %r = tensor.concat dim(1) %r0, %r1 : (tensor<?x1x4x3xf32>, tensor<?x1x4x3xf32>) -> tensor<?x2x4x3xf32>
  return %r : tensor<?x2x4x3xf32>
}

// Two channels a group, of a bias that has dimensions of size 1 itself.
// CHECK-LABEL: func.func @two_channels_each
// CHECK: %[[B:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}} groups = 2>]
// CHECK-SAME: bias(%[[B]])
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @two_channels_each(%x: tensor<?x6x5x4xf32>) -> tensor<?x4x4x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6x5x4xf32>
  %bias = arith.constant dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]]> : tensor<1x4x1x1xf32>
  %e = tensor.empty(%n) : tensor<?x4x4x3xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%bias : tensor<1x4x1x1xf32>) outs(%e : tensor<?x4x4x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<?x4x4x3xf32>
  %w0 = arith.constant dense<0.25> : tensor<2x3x2x2xf32>
  %w1 = arith.constant dense<0.5> : tensor<2x3x2x2xf32>
  %x0 = tensor.extract_slice %x[0, 0, 0, 0] [%n, 3, 5, 4] [1, 1, 1, 1] : tensor<?x6x5x4xf32> to tensor<?x3x5x4xf32>
  %b0 = tensor.extract_slice %wide[0, 0, 0, 0] [%n, 2, 4, 3] [1, 1, 1, 1] : tensor<?x4x4x3xf32> to tensor<?x2x4x3xf32>
  %r0 = linalg.conv_2d_nchw_fchw ins(%x0, %w0 : tensor<?x3x5x4xf32>, tensor<2x3x2x2xf32>) outs(%b0 : tensor<?x2x4x3xf32>) -> tensor<?x2x4x3xf32>
  %x1 = tensor.extract_slice %x[0, 3, 0, 0] [%n, 3, 5, 4] [1, 1, 1, 1] : tensor<?x6x5x4xf32> to tensor<?x3x5x4xf32>
  %b1 = tensor.extract_slice %wide[0, 2, 0, 0] [%n, 2, 4, 3] [1, 1, 1, 1] : tensor<?x4x4x3xf32> to tensor<?x2x4x3xf32>
  %r1 = linalg.conv_2d_nchw_fchw ins(%x1, %w1 : tensor<?x3x5x4xf32>, tensor<2x3x2x2xf32>) outs(%b1 : tensor<?x2x4x3xf32>) -> tensor<?x2x4x3xf32>
  %r = tensor.concat dim(1) %r0, %r1 : (tensor<?x2x4x3xf32>, tensor<?x2x4x3xf32>) -> tensor<?x4x4x3xf32>
  return %r : tensor<?x4x4x3xf32>
}

// What has other numbers in other rows is no bias.
// CHECK-LABEL: func.func @along_rows
// CHECK-NOT: qbackend.conv2d
// CHECK: return
func.func @along_rows(%x: tensor<?x3x5x4xf32>) -> tensor<?x2x4x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x5x4xf32>
  %rows = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty(%n) : tensor<?x3x4x3xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2)>, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rows : tensor<4xf32>) outs(%e : tensor<?x3x4x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<?x3x4x3xf32>
  %w = arith.constant dense<0.25> : tensor<2x3x2x2xf32>
  %b = tensor.extract_slice %wide[0, 1, 0, 0] [%n, 2, 4, 3] [1, 1, 1, 1] : tensor<?x3x4x3xf32> to tensor<?x2x4x3xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x3x5x4xf32>, tensor<2x3x2x2xf32>) outs(%b : tensor<?x2x4x3xf32>) -> tensor<?x2x4x3xf32>
  return %r : tensor<?x2x4x3xf32>
}
