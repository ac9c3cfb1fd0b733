// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// As from PyTorch: zeros between the pixels and around them, and a filter in
// reverse. Stride 2 and 3, padding 1 and 0, output padding 1 and 0.
// CHECK-LABEL: func.func @extract
// CHECK: qbackend.operator [#qbackend.conv_transpose2d<stride = [2, 3], padding = [1, 1, 0, 0], output_padding = [1, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x3x4x2xf32>, tensor<5x3x2x2xf32>) -> tensor<1x6x11x5xf32>
// CHECK-NOT: qbackend.operator
func.func @extract(%x: tensor<1x2x3x4xf32>, %w: tensor<2x5x3x2xf32>) -> tensor<1x5x6x11xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %we = tensor.empty() : tensor<5x2x3x2xf32>
  %wf = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%we : tensor<5x2x3x2xf32>) {
  ^bb0(%o: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %k2 = arith.constant 2 : index
    %j2 = arith.subi %k2, %i2 : index
    %d3 = tensor.dim %w, %c3 : tensor<2x5x3x2xf32>
    %k3 = arith.subi %d3, %c1 : index
    %j3 = arith.subi %k3, %i3 : index
    %v = tensor.extract %w[%i1, %i0, %j2, %j3] : tensor<2x5x3x2xf32>
    linalg.yield %v : f32
  } -> tensor<5x2x3x2xf32>
  %se = tensor.empty() : tensor<1x2x8x12xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<1x2x8x12xf32>) -> tensor<1x2x8x12xf32>
  %s = tensor.insert_slice %x into %sf[0, 0, 1, 1] [1, 2, 3, 4] [1, 1, 2, 3] : tensor<1x2x3x4xf32> into tensor<1x2x8x12xf32>
  %e = tensor.empty() : tensor<1x5x6x11xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x6x11xf32>) -> tensor<1x5x6x11xf32>
  %c = linalg.conv_2d_nchw_fchw
    ins(%s, %wf : tensor<1x2x8x12xf32>, tensor<5x2x3x2xf32>) outs(%f : tensor<1x5x6x11xf32>) -> tensor<1x5x6x11xf32>
  return %c : tensor<1x5x6x11xf32>
}

// CHECK-LABEL: func.func @reversed_map
// CHECK: qbackend.operator [#qbackend.conv_transpose2d<stride = [2, 3], padding = [1, 1, 0, 0], output_padding = [0, 2], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x3x4x2xf32>, tensor<5x3x2x2xf32>) -> tensor<1x5x13x5xf32>
// CHECK-NOT: qbackend.operator
func.func @reversed_map(%x: tensor<1x2x3x4xf32>, %w: tensor<2x5x3x2xf32>) -> tensor<1x5x5x13xf32> {
  %z = arith.constant 0.0 : f32
  %we = tensor.empty() : tensor<5x2x3x2xf32>
  %wf = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1, d0, -d2 + 2, -d3 + 1)>,
                       affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w : tensor<2x5x3x2xf32>) outs(%we : tensor<5x2x3x2xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<5x2x3x2xf32>
  %se = tensor.empty() : tensor<1x2x7x14xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<1x2x7x14xf32>) -> tensor<1x2x7x14xf32>
  %s = tensor.insert_slice %x into %sf[0, 0, 1, 1] [1, 2, 3, 4] [1, 1, 2, 3] : tensor<1x2x3x4xf32> into tensor<1x2x7x14xf32>
  %e = tensor.empty() : tensor<1x5x5x13xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x5x13xf32>) -> tensor<1x5x5x13xf32>
  %c = linalg.conv_2d_nchw_fchw
    ins(%s, %wf : tensor<1x2x7x14xf32>, tensor<5x2x3x2xf32>) outs(%f : tensor<1x5x5x13xf32>) -> tensor<1x5x5x13xf32>
  return %c : tensor<1x5x5x13xf32>
}

// CHECK-LABEL: func.func @reverse
// CHECK: qbackend.operator [#qbackend.conv_transpose2d<stride = [1, 1], padding = [1, 1, 0, 0], output_padding = [0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x3x4x2xf32>, tensor<5x3x2x2xf32>) -> tensor<1x3x5x5xf32>
// CHECK-NOT: qbackend.operator
func.func @reverse(%x: tensor<1x2x3x4xf32>, %w: tensor<2x5x3x2xf32>) -> tensor<1x5x3x5xf32> {
  %z = arith.constant 0.0 : f32
  %w0 = tosa.reverse %w {axis = 2 : i32} : (tensor<2x5x3x2xf32>) -> tensor<2x5x3x2xf32>
  %w1 = tosa.reverse %w0 {axis = 3 : i32} : (tensor<2x5x3x2xf32>) -> tensor<2x5x3x2xf32>
  %wf = tosa.transpose %w1 {perms = array<i32: 1, 0, 2, 3>} : (tensor<2x5x3x2xf32>) -> tensor<5x2x3x2xf32>
  %se = tensor.empty() : tensor<1x2x5x6xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<1x2x5x6xf32>) -> tensor<1x2x5x6xf32>
  %s = tensor.insert_slice %x into %sf[0, 0, 1, 1] [1, 2, 3, 4] [1, 1, 1, 1] : tensor<1x2x3x4xf32> into tensor<1x2x5x6xf32>
  %e = tensor.empty() : tensor<1x5x3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5x3x5xf32>) -> tensor<1x5x3x5xf32>
  %c = linalg.conv_2d_nchw_fchw
    ins(%s, %wf : tensor<1x2x5x6xf32>, tensor<5x2x3x2xf32>) outs(%f : tensor<1x5x3x5xf32>) -> tensor<1x5x3x5xf32>
  return %c : tensor<1x5x3x5xf32>
}

// The filter is a constant, and was put in reverse before.
// CHECK-LABEL: func.func @folded
// CHECK: arith.constant dense<{{\[\[}}[3.000000e+00], [2.000000e+00], [1.000000e+00]], {{\[}}[6.000000e+00], [5.000000e+00], [4.000000e+00]]]> : tensor<2x3x1xf32>
// CHECK: qbackend.operator [#qbackend.conv_transpose1d<stride = [2], padding = [0, 1], output_padding = [0], dilation = [1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x4x1xf32>, tensor<2x3x1xf32>) -> tensor<1x8x2xf32>
// CHECK-NOT: qbackend.operator
func.func @folded(%x: tensor<1x4x1xf32>) -> tensor<1x8x2xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]> : tensor<2x3x1xf32>
  %we = tensor.empty() : tensor<3x1x2xf32>
  %wt = linalg.transpose ins(%w : tensor<2x3x1xf32>) outs(%we : tensor<3x1x2xf32>) permutation = [1, 2, 0]
  %se = tensor.empty() : tensor<1x10x1xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<1x10x1xf32>) -> tensor<1x10x1xf32>
  %s = tensor.insert_slice %x into %sf[0, 2, 0] [1, 4, 1] [1, 2, 1] : tensor<1x4x1xf32> into tensor<1x10x1xf32>
  %e = tensor.empty() : tensor<1x8x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x2xf32>) -> tensor<1x8x2xf32>
  %c = linalg.conv_1d_nwc_wcf
    ins(%s, %wt : tensor<1x10x1xf32>, tensor<3x1x2xf32>) outs(%f : tensor<1x8x2xf32>) -> tensor<1x8x2xf32>
  return %c : tensor<1x8x2xf32>
}

// A filter that nobody knows can't be put in reverse: zeros between pixels are
// pixels then.
// CHECK-LABEL: func.func @unknown
// CHECK: tensor.insert_slice
// CHECK: qbackend.operator [#qbackend.conv1d<stride = [1], padding = [0, 0], dilation = [1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x10x1xf32>, tensor<2x3x1xf32>) -> tensor<1x8x2xf32>
// CHECK-NOT: qbackend.operator
func.func @unknown(%x: tensor<1x4x1xf32>, %w: tensor<3x1x2xf32>) -> tensor<1x8x2xf32> {
  %z = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<1x10x1xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<1x10x1xf32>) -> tensor<1x10x1xf32>
  %s = tensor.insert_slice %x into %sf[0, 2, 0] [1, 4, 1] [1, 2, 1] : tensor<1x4x1xf32> into tensor<1x10x1xf32>
  %e = tensor.empty() : tensor<1x8x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x2xf32>) -> tensor<1x8x2xf32>
  %c = linalg.conv_1d_nwc_wcf
    ins(%s, %w : tensor<1x10x1xf32>, tensor<3x1x2xf32>) outs(%f : tensor<1x8x2xf32>) -> tensor<1x8x2xf32>
  return %c : tensor<1x8x2xf32>
}

// Only one of two dimensions is in reverse.
// CHECK-LABEL: func.func @half_reversed
// CHECK: tosa.reverse
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x5x6x2xf32>, tensor<5x3x2x2xf32>) -> tensor<1x3x5x5xf32>
// CHECK-NOT: qbackend.operator
func.func @half_reversed(%x: tensor<1x5x6x2xf32>, %w: tensor<3x2x2x5xf32>) -> tensor<1x3x5x5xf32> {
  %z = arith.constant 0.0 : f32
  %wf = tosa.reverse %w {axis = 0 : i32} : (tensor<3x2x2x5xf32>) -> tensor<3x2x2x5xf32>
  %e = tensor.empty() : tensor<1x3x5x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %c = linalg.conv_2d_nhwc_hwcf
    ins(%x, %wf : tensor<1x5x6x2xf32>, tensor<3x2x2x5xf32>) outs(%f : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  return %c : tensor<1x3x5x5xf32>
}

// Zeros between pixels first, then around them; one dimension.
// CHECK-LABEL: func.func @pad_of_spread
// CHECK: qbackend.operator [#qbackend.conv_transpose1d<stride = [2], padding = [0, 1], output_padding = [0], dilation = [1], groups = 1>]
// CHECK-SAME: weight({{.*}}) : (tensor<1x4x2xf32>, tensor<5x3x2xf32>) -> tensor<1x8x5xf32>
// CHECK-NOT: qbackend.operator
func.func @pad_of_spread(%x: tensor<1x4x2xf32>, %w: tensor<3x2x5xf32>) -> tensor<1x8x5xf32> {
  %z = arith.constant 0.0 : f32
  %wf = tosa.reverse %w {axis = 0 : i32} : (tensor<3x2x5xf32>) -> tensor<3x2x5xf32>
  %se = tensor.empty() : tensor<1x7x2xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<1x7x2xf32>) -> tensor<1x7x2xf32>
  %s = tensor.insert_slice %x into %sf[0, 0, 0] [1, 4, 2] [1, 2, 1] : tensor<1x4x2xf32> into tensor<1x7x2xf32>
  %p = tensor.pad %s low[0, 2, 0] high[0, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %z : f32
  } : tensor<1x7x2xf32> to tensor<1x10x2xf32>
  %e = tensor.empty() : tensor<1x8x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x5xf32>) -> tensor<1x8x5xf32>
  %c = linalg.conv_1d_nwc_wcf
    ins(%p, %wf : tensor<1x10x2xf32>, tensor<3x2x5xf32>) outs(%f : tensor<1x8x5xf32>) -> tensor<1x8x5xf32>
  return %c : tensor<1x8x5xf32>
}
