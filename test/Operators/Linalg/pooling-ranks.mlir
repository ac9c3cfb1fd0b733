// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

#n5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>

// Pools of one and three dimensions.

// CHECK-LABEL: func.func @max_1d(
// CHECK: qbackend.operator [#qbackend.max_pool1d<kernel = [3], stride = [2], padding = [1, 0], dilation = [2]>]
// CHECK-SAME: (tensor<2x8x3xf32>) -> tensor<2x3x3xf32>
func.func @max_1d(%x: tensor<2x3x8xf32>) -> tensor<2x3x3xf32> {
  %v = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %v : f32
  } : tensor<2x3x8xf32> to tensor<2x3x10xf32>
  %e = tensor.empty() : tensor<2x3x3xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %w = tensor.empty() : tensor<3xf32>
  %r = linalg.pooling_ncw_max {dilations = dense<[2]> : tensor<1xi64>, strides = dense<[2]> : tensor<1xi64>}
    ins(%p, %w : tensor<2x3x10xf32>, tensor<3xf32>) outs(%f : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

// CHECK-LABEL: func.func @max_1d_nwc(
// CHECK: qbackend.operator [#qbackend.max_pool1d<kernel = [3], stride = [2], padding = [1, 0], dilation = [1]>] inputs(%arg0)
func.func @max_1d_nwc(%x: tensor<2x8x3xf32>) -> tensor<2x4x3xf32> {
  %v = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %v : f32
  } : tensor<2x8x3xf32> to tensor<2x10x3xf32>
  %e = tensor.empty() : tensor<2x4x3xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %w = tensor.empty() : tensor<3xf32>
  %r = linalg.pooling_nwc_max {dilations = dense<[1]> : tensor<1xi64>, strides = dense<[2]> : tensor<1xi64>}
    ins(%p, %w : tensor<2x10x3xf32>, tensor<3xf32>) outs(%f : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}

// CHECK-LABEL: func.func @average_1d(
// CHECK: qbackend.operator [#qbackend.avg_pool1d<kernel = [3], stride = [2], padding = [1, 1]>]
// CHECK-SAME: (tensor<2x9x3xf32>) -> tensor<2x5x3xf32>
func.func @average_1d(%x: tensor<2x3x9xf32>) -> tensor<2x3x5xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %v : f32
  } : tensor<2x3x9xf32> to tensor<2x3x11xf32>
  %e = tensor.empty() : tensor<2x3x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %w = tensor.empty() : tensor<3xf32>
  %r = linalg.pooling_ncw_sum {dilations = dense<[1]> : tensor<1xi64>, strides = dense<[2]> : tensor<1xi64>}
    ins(%p, %w : tensor<2x3x11xf32>, tensor<3xf32>) outs(%f : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%r : tensor<2x3x5xf32>) outs(%e : tensor<2x3x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %dv = arith.constant 3.0 : f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<2x3x5xf32>
  return %g : tensor<2x3x5xf32>
}

// Any stride will do for one window.
// CHECK-LABEL: func.func @global_1d(
// CHECK: qbackend.operator [#qbackend.adaptive_avg_pool1d<output_size = [1]>]
// CHECK-SAME: (tensor<2x9x3xf32>) -> tensor<2x1x3xf32>
func.func @global_1d(%x: tensor<2x3x9xf32>) -> tensor<2x3x1xf32> {
  %v = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x1xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %w = tensor.empty() : tensor<9xf32>
  %r = linalg.pooling_ncw_sum {dilations = dense<[1]> : tensor<1xi64>, strides = dense<[9]> : tensor<1xi64>}
    ins(%x, %w : tensor<2x3x9xf32>, tensor<9xf32>) outs(%f : tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%r : tensor<2x3x1xf32>) outs(%e : tensor<2x3x1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %dv = arith.constant 9.0 : f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<2x3x1xf32>
  return %g : tensor<2x3x1xf32>
}

// PyTorch has no named op in this layout.
// CHECK-LABEL: func.func @max_3d(
// CHECK: qbackend.operator [#qbackend.max_pool3d<kernel = [3, 2, 4], stride = [2, 1, 3], padding = [1, 1, 0, 0, 2, 0], dilation = [1, 2, 1]>]
// CHECK-SAME: (tensor<1x7x6x8x3xf32>) -> tensor<1x4x4x3x3xf32>
func.func @max_3d(%x: tensor<1x3x7x6x8xf32>) -> tensor<1x3x4x4x3xf32> {
  %v = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 0, 2] high[0, 0, 1, 0, 2] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index):
    tensor.yield %v : f32
  } : tensor<1x3x7x6x8xf32> to tensor<1x3x9x6x12xf32>
  %e = tensor.empty() : tensor<1x3x4x4x3xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x4x4x3xf32>) -> tensor<1x3x4x4x3xf32>
  %w = tensor.empty() : tensor<3x2x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2 * 2 + d5 * 1, d3 * 1 + d6 * 2, d4 * 3 + d7 * 1)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d5, d6, d7)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x3x9x6x12xf32>, tensor<3x2x4xf32>) outs(%f : tensor<1x3x4x4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.maximumf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<1x3x4x4x3xf32>
  return %r : tensor<1x3x4x4x3xf32>
}

// CHECK-LABEL: func.func @average_3d(
// CHECK: qbackend.operator [#qbackend.avg_pool3d<kernel = [3, 2, 4], stride = [2, 1, 3], padding = [1, 1, 0, 0, 2, 0]>] inputs(%arg0)
func.func @average_3d(%x: tensor<1x7x6x8x3xf32>) -> tensor<1x4x5x3x3xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0, 2, 0] high[0, 1, 0, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index):
    tensor.yield %v : f32
  } : tensor<1x7x6x8x3xf32> to tensor<1x9x6x12x3xf32>
  %e = tensor.empty() : tensor<1x4x5x3x3xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x5x3x3xf32>) -> tensor<1x4x5x3x3xf32>
  %w = tensor.empty() : tensor<3x2x4xf32>
  %r = linalg.pooling_ndhwc_sum {dilations = dense<[1, 1, 1]> : tensor<3xi64>, strides = dense<[2, 1, 3]> : tensor<3xi64>}
    ins(%p, %w : tensor<1x9x6x12x3xf32>, tensor<3x2x4xf32>) outs(%f : tensor<1x4x5x3x3xf32>) -> tensor<1x4x5x3x3xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x4x5x3x3xf32>) outs(%e : tensor<1x4x5x3x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %dv = arith.constant 24.0 : f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<1x4x5x3x3xf32>
  return %g : tensor<1x4x5x3x3xf32>
}

// Padded and divided in one layout, pooled in another.
// CHECK-LABEL: func.func @average_3d_transposed(
// CHECK: %[[X:.*]] = qbackend.transpose %arg0 [0, 2, 3, 4, 1]
// CHECK: qbackend.operator [#qbackend.avg_pool3d<kernel = [2, 2, 3], stride = [1, 2, 2], padding = [0, 0, 1, 1, 0, 0]>] inputs(%[[X]])
// CHECK-SAME: (tensor<1x3x4x5x2xf32>) -> tensor<1x2x3x2x2xf32>
// CHECK: qbackend.transpose %{{.*}} [0, 4, 1, 2, 3]
func.func @average_3d_transposed(%x: tensor<1x2x3x4x5xf32>) -> tensor<1x2x2x3x2xf32> {
  %v = arith.constant 0.0 : f32
  %n = arith.constant 12.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 1, 0] high[0, 0, 0, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index):
    tensor.yield %v : f32
  } : tensor<1x2x3x4x5xf32> to tensor<1x2x3x6x5xf32>
  %e0 = tensor.empty() : tensor<1x3x6x5x2xf32>
  %t = linalg.transpose
    ins(%p : tensor<1x2x3x6x5xf32>) outs(%e0 : tensor<1x3x6x5x2xf32>) permutation = [0, 2, 3, 4, 1]
  %e1 = tensor.empty() : tensor<1x2x3x2x2xf32>
  %f = linalg.fill ins(%v : f32) outs(%e1 : tensor<1x2x3x2x2xf32>) -> tensor<1x2x3x2x2xf32>
  %w = tensor.empty() : tensor<2x2x3xf32>
  %r = linalg.pooling_ndhwc_sum {dilations = dense<1> : vector<3xi64>, strides = dense<[1, 2, 2]> : vector<3xi64>}
    ins(%t, %w : tensor<1x3x6x5x2xf32>, tensor<2x2x3xf32>) outs(%f : tensor<1x2x3x2x2xf32>) -> tensor<1x2x3x2x2xf32>
  %e2 = tensor.empty() : tensor<1x2x2x3x2xf32>
  %u = linalg.transpose
    ins(%r : tensor<1x2x3x2x2xf32>) outs(%e2 : tensor<1x2x2x3x2xf32>) permutation = [0, 4, 1, 2, 3]
  %q = linalg.generic {indexing_maps = [#n5, #n5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%u : tensor<1x2x2x3x2xf32>) outs(%e2 : tensor<1x2x2x3x2xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.divf %i, %n : f32
    linalg.yield %y : f32
  } -> tensor<1x2x2x3x2xf32>
  return %q : tensor<1x2x2x3x2xf32>
}

// CHECK-LABEL: func.func @dynamic_batch(
// CHECK: qbackend.operator [#qbackend.avg_pool1d<kernel = [3], stride = [2], padding = [1, 1]>]
// CHECK-SAME: (tensor<?x9x3xf32>) -> tensor<?x5x3xf32>
func.func @dynamic_batch(%x: tensor<?x3x9xf32>) -> tensor<?x3x5xf32> {
  %v = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %batch = tensor.dim %x, %c0 : tensor<?x3x9xf32>
  %p = tensor.pad %x low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %v : f32
  } : tensor<?x3x9xf32> to tensor<?x3x11xf32>
  %e = tensor.empty(%batch) : tensor<?x3x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<?x3x5xf32>) -> tensor<?x3x5xf32>
  %w = tensor.empty() : tensor<3xf32>
  %r = linalg.pooling_ncw_sum {dilations = dense<[1]> : tensor<1xi64>, strides = dense<[2]> : tensor<1xi64>}
    ins(%p, %w : tensor<?x3x11xf32>, tensor<3xf32>) outs(%f : tensor<?x3x5xf32>) -> tensor<?x3x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%r : tensor<?x3x5xf32>) outs(%e : tensor<?x3x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %dv = arith.constant 3.0 : f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<?x3x5xf32>
  return %g : tensor<?x3x5xf32>
}

// TOSA lowered to linalg pools in one dimension between two reshapes.
// CHECK-LABEL: func.func @between_reshapes(
// CHECK: %[[X:.*]] = qbackend.transpose %arg0 [0, 2, 1]
// CHECK: qbackend.operator [#qbackend.max_pool1d<kernel = [3], stride = [2], padding = [1, 0], dilation = [1]>] inputs(%[[X]])
// CHECK-SAME: (tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
func.func @between_reshapes(%arg0: tensor<2x5x8xf32>) -> tensor<2x5x4xf32> {
  %cst = arith.constant -3.40282347E+38 : f32
  %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3]] output_shape [2, 5, 8, 1] : tensor<2x5x8xf32> into tensor<2x5x8x1xf32>
  %0 = tensor.empty() : tensor<2x8x1x5xf32>
  %transposed = linalg.transpose ins(%expanded : tensor<2x5x8x1xf32>) outs(%0 : tensor<2x8x1x5xf32>) permutation = [0, 2, 3, 1]
  %padded = tensor.pad %transposed low[0, 1, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
    tensor.yield %cst : f32
  } : tensor<2x8x1x5xf32> to tensor<2x9x1x5xf32>
  %1 = tensor.empty() : tensor<2x4x1x5xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2x4x1x5xf32>) -> tensor<2x4x1x5xf32>
  %3 = tensor.empty() : tensor<3x1xf32>
  %4 = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<[2, 1]> : vector<2xi64>} ins(%padded, %3 : tensor<2x9x1x5xf32>, tensor<3x1xf32>) outs(%2 : tensor<2x4x1x5xf32>) -> tensor<2x4x1x5xf32>
  %5 = tensor.empty() : tensor<2x5x4x1xf32>
  %transposed_0 = linalg.transpose ins(%4 : tensor<2x4x1x5xf32>) outs(%5 : tensor<2x5x4x1xf32>) permutation = [0, 3, 1, 2]
  %collapsed = tensor.collapse_shape %transposed_0 [[0], [1], [2, 3]] : tensor<2x5x4x1xf32> into tensor<2x5x4xf32>
  return %collapsed : tensor<2x5x4xf32>
}
