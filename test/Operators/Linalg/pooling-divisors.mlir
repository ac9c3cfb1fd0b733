// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// Divisors that differ by position: computed from indices, or constants.

// count_include_pad=False
// CHECK-LABEL: func.func @exclude_pad(
// CHECK: #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 2], padding = [1, 0, 1, 0], count_exclude_pad = true>]
func.func @exclude_pad(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x4x5xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v : f32
  } : tensor<1x3x8x9xf32> to tensor<1x3x10x11xf32>
  %e = tensor.empty() : tensor<1x3x4x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x3x10x11xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x3x4x5xf32>) outs(%e : tensor<1x3x4x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %ix0 = linalg.index 2 : index
    %od0 = arith.index_cast %ix0 : index to i64
    %sc0 = arith.constant 2 : i64
    %pc0 = arith.constant 1 : i64
    %kc0 = arith.constant 3 : i64
    %nc0 = arith.constant 8 : i64
    %zc0 = arith.constant 0 : i64
    %om0 = arith.muli %od0, %sc0 : i64
    %st0 = arith.subi %om0, %pc0 : i64
    %en0 = arith.addi %st0, %kc0 : i64
    %np0 = arith.addi %nc0, %pc0 : i64
    %e10 = arith.minsi %en0, %np0 : i64
    %s20 = arith.maxsi %st0, %zc0 : i64
    %e20 = arith.minsi %e10, %nc0 : i64
    %c0 = arith.subi %e20, %s20 : i64
    %ix1 = linalg.index 3 : index
    %od1 = arith.index_cast %ix1 : index to i64
    %sc1 = arith.constant 2 : i64
    %pc1 = arith.constant 1 : i64
    %kc1 = arith.constant 2 : i64
    %nc1 = arith.constant 9 : i64
    %zc1 = arith.constant 0 : i64
    %om1 = arith.muli %od1, %sc1 : i64
    %st1 = arith.subi %om1, %pc1 : i64
    %en1 = arith.addi %st1, %kc1 : i64
    %np1 = arith.addi %nc1, %pc1 : i64
    %e11 = arith.minsi %en1, %np1 : i64
    %s21 = arith.maxsi %st1, %zc1 : i64
    %e21 = arith.minsi %e11, %nc1 : i64
    %c1 = arith.subi %e21, %s21 : i64
    %q1 = arith.muli %c0, %c1 : i64
    %dv = arith.sitofp %q1 : i64 to f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<1x3x4x5xf32>
  return %g : tensor<1x3x4x5xf32>
}

// The last windows reach beyond the padding, which counts.
// CHECK-LABEL: func.func @ceil_mode(
// CHECK: #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 2], padding = [1, 1, 0, 0], ceil_mode = true>]
func.func @ceil_mode(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x5x5xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 2, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v : f32
  } : tensor<1x3x8x9xf32> to tensor<1x3x11x10xf32>
  %e = tensor.empty() : tensor<1x3x5x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x3x11x10xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x3x5x5xf32>) outs(%e : tensor<1x3x5x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %ix0 = linalg.index 2 : index
    %od0 = arith.index_cast %ix0 : index to i64
    %sc0 = arith.constant 2 : i64
    %pc0 = arith.constant 1 : i64
    %kc0 = arith.constant 3 : i64
    %nc0 = arith.constant 8 : i64
    %zc0 = arith.constant 0 : i64
    %om0 = arith.muli %od0, %sc0 : i64
    %st0 = arith.subi %om0, %pc0 : i64
    %en0 = arith.addi %st0, %kc0 : i64
    %np0 = arith.addi %nc0, %pc0 : i64
    %e10 = arith.minsi %en0, %np0 : i64
    %c0 = arith.subi %e10, %st0 : i64
    %ix1 = linalg.index 3 : index
    %od1 = arith.index_cast %ix1 : index to i64
    %sc1 = arith.constant 2 : i64
    %pc1 = arith.constant 0 : i64
    %kc1 = arith.constant 2 : i64
    %nc1 = arith.constant 9 : i64
    %zc1 = arith.constant 0 : i64
    %om1 = arith.muli %od1, %sc1 : i64
    %st1 = arith.subi %om1, %pc1 : i64
    %en1 = arith.addi %st1, %kc1 : i64
    %np1 = arith.addi %nc1, %pc1 : i64
    %e11 = arith.minsi %en1, %np1 : i64
    %c1 = arith.subi %e11, %st1 : i64
    %q1 = arith.muli %c0, %c1 : i64
    %dv = arith.sitofp %q1 : i64 to f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<1x3x5x5xf32>
  return %g : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: func.func @ceil_mode_exclude_pad(
// CHECK: #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 2], padding = [1, 1, 0, 0], ceil_mode = true, count_exclude_pad = true>]
func.func @ceil_mode_exclude_pad(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x5x5xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 2, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v : f32
  } : tensor<1x3x8x9xf32> to tensor<1x3x11x10xf32>
  %e = tensor.empty() : tensor<1x3x5x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x3x11x10xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x3x5x5xf32>) outs(%e : tensor<1x3x5x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %ix0 = linalg.index 2 : index
    %od0 = arith.index_cast %ix0 : index to i64
    %sc0 = arith.constant 2 : i64
    %pc0 = arith.constant 1 : i64
    %kc0 = arith.constant 3 : i64
    %nc0 = arith.constant 8 : i64
    %zc0 = arith.constant 0 : i64
    %om0 = arith.muli %od0, %sc0 : i64
    %st0 = arith.subi %om0, %pc0 : i64
    %en0 = arith.addi %st0, %kc0 : i64
    %np0 = arith.addi %nc0, %pc0 : i64
    %e10 = arith.minsi %en0, %np0 : i64
    %s20 = arith.maxsi %st0, %zc0 : i64
    %e20 = arith.minsi %e10, %nc0 : i64
    %c0 = arith.subi %e20, %s20 : i64
    %ix1 = linalg.index 3 : index
    %od1 = arith.index_cast %ix1 : index to i64
    %sc1 = arith.constant 2 : i64
    %pc1 = arith.constant 0 : i64
    %kc1 = arith.constant 2 : i64
    %nc1 = arith.constant 9 : i64
    %zc1 = arith.constant 0 : i64
    %om1 = arith.muli %od1, %sc1 : i64
    %st1 = arith.subi %om1, %pc1 : i64
    %en1 = arith.addi %st1, %kc1 : i64
    %np1 = arith.addi %nc1, %pc1 : i64
    %e11 = arith.minsi %en1, %np1 : i64
    %s21 = arith.maxsi %st1, %zc1 : i64
    %e21 = arith.minsi %e11, %nc1 : i64
    %c1 = arith.subi %e21, %s21 : i64
    %q1 = arith.muli %c0, %c1 : i64
    %dv = arith.sitofp %q1 : i64 to f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<1x3x5x5xf32>
  return %g : tensor<1x3x5x5xf32>
}

// Nothing is padded, so nothing tells whether that would count.
// CHECK-LABEL: func.func @ceil_mode_without_padding(
// CHECK: #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 2], padding = [0, 0, 0, 0], ceil_mode = true>]
func.func @ceil_mode_without_padding(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x4x5xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v : f32
  } : tensor<1x3x8x9xf32> to tensor<1x3x9x10xf32>
  %e = tensor.empty() : tensor<1x3x4x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x3x9x10xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %dc = arith.constant dense<[[[[6.0, 6.0, 6.0, 6.0, 3.0], [6.0, 6.0, 6.0, 6.0, 3.0], [6.0, 6.0, 6.0, 6.0, 3.0], [4.0, 4.0, 4.0, 4.0, 2.0]]]]> : tensor<1x1x4x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r, %dc : tensor<1x3x4x5xf32>, tensor<1x1x4x5xf32>) outs(%e : tensor<1x3x4x5xf32>) {
  ^bb0(%a: f32, %d: f32, %b: f32):
    %m = arith.divf %a, %d : f32
    linalg.yield %m : f32
  } -> tensor<1x3x4x5xf32>
  return %g : tensor<1x3x4x5xf32>
}

// Older exporters pad by a whole stride.
// CHECK-LABEL: func.func @ceil_mode_pads_by_stride(
// CHECK: #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 2], padding = [1, 1, 0, 0], ceil_mode = true>]
func.func @ceil_mode_pads_by_stride(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x5x5xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 3, 2] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v : f32
  } : tensor<1x3x8x9xf32> to tensor<1x3x12x11xf32>
  %e = tensor.empty() : tensor<1x3x5x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x3x12x11xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x5x5xf32>) -> tensor<1x3x5x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x3x5x5xf32>) outs(%e : tensor<1x3x5x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %ix0 = linalg.index 2 : index
    %od0 = arith.index_cast %ix0 : index to i64
    %sc0 = arith.constant 2 : i64
    %pc0 = arith.constant 1 : i64
    %kc0 = arith.constant 3 : i64
    %nc0 = arith.constant 8 : i64
    %zc0 = arith.constant 0 : i64
    %om0 = arith.muli %od0, %sc0 : i64
    %st0 = arith.subi %om0, %pc0 : i64
    %en0 = arith.addi %st0, %kc0 : i64
    %np0 = arith.addi %nc0, %pc0 : i64
    %e10 = arith.minsi %en0, %np0 : i64
    %c0 = arith.subi %e10, %st0 : i64
    %ix1 = linalg.index 3 : index
    %od1 = arith.index_cast %ix1 : index to i64
    %sc1 = arith.constant 2 : i64
    %pc1 = arith.constant 0 : i64
    %kc1 = arith.constant 2 : i64
    %nc1 = arith.constant 9 : i64
    %zc1 = arith.constant 0 : i64
    %om1 = arith.muli %od1, %sc1 : i64
    %st1 = arith.subi %om1, %pc1 : i64
    %en1 = arith.addi %st1, %kc1 : i64
    %np1 = arith.addi %nc1, %pc1 : i64
    %e11 = arith.minsi %en1, %np1 : i64
    %c1 = arith.subi %e11, %st1 : i64
    %q1 = arith.muli %c0, %c1 : i64
    %dv = arith.sitofp %q1 : i64 to f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<1x3x5x5xf32>
  return %g : tensor<1x3x5x5xf32>
}

// Ceil mode that makes no difference.
// CHECK-LABEL: func.func @ceil_mode_of_full_windows(
// CHECK: #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 2], padding = [0, 0, 1, 0]>]
func.func @ceil_mode_of_full_windows(%x: tensor<1x3x7x9xf32>) -> tensor<1x3x3x5xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 1] high[0, 0, 0, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v : f32
  } : tensor<1x3x7x9xf32> to tensor<1x3x7x11xf32>
  %e = tensor.empty() : tensor<1x3x3x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x3x5xf32>) -> tensor<1x3x3x5xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x3x7x11xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x3x5xf32>) -> tensor<1x3x3x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x3x3x5xf32>) outs(%e : tensor<1x3x3x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %ix0 = linalg.index 2 : index
    %od0 = arith.index_cast %ix0 : index to i64
    %sc0 = arith.constant 2 : i64
    %pc0 = arith.constant 0 : i64
    %kc0 = arith.constant 3 : i64
    %nc0 = arith.constant 7 : i64
    %zc0 = arith.constant 0 : i64
    %om0 = arith.muli %od0, %sc0 : i64
    %st0 = arith.subi %om0, %pc0 : i64
    %en0 = arith.addi %st0, %kc0 : i64
    %np0 = arith.addi %nc0, %pc0 : i64
    %e10 = arith.minsi %en0, %np0 : i64
    %c0 = arith.subi %e10, %st0 : i64
    %ix1 = linalg.index 3 : index
    %od1 = arith.index_cast %ix1 : index to i64
    %sc1 = arith.constant 2 : i64
    %pc1 = arith.constant 1 : i64
    %kc1 = arith.constant 2 : i64
    %nc1 = arith.constant 9 : i64
    %zc1 = arith.constant 0 : i64
    %om1 = arith.muli %od1, %sc1 : i64
    %st1 = arith.subi %om1, %pc1 : i64
    %en1 = arith.addi %st1, %kc1 : i64
    %np1 = arith.addi %nc1, %pc1 : i64
    %e11 = arith.minsi %en1, %np1 : i64
    %c1 = arith.subi %e11, %st1 : i64
    %q1 = arith.muli %c0, %c1 : i64
    %dv = arith.sitofp %q1 : i64 to f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<1x3x3x5xf32>
  return %g : tensor<1x3x3x5xf32>
}

// CHECK-LABEL: func.func @constant(
// CHECK: #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 2], padding = [1, 0, 1, 0], count_exclude_pad = true>]
func.func @constant(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x4x5xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v : f32
  } : tensor<1x3x8x9xf32> to tensor<1x3x10x11xf32>
  %e = tensor.empty() : tensor<1x3x4x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x3x10x11xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %dc = arith.constant dense<[[[[2.0, 4.0, 4.0, 4.0, 4.0], [3.0, 6.0, 6.0, 6.0, 6.0], [3.0, 6.0, 6.0, 6.0, 6.0], [3.0, 6.0, 6.0, 6.0, 6.0]]]]> : tensor<1x1x4x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r, %dc : tensor<1x3x4x5xf32>, tensor<1x1x4x5xf32>) outs(%e : tensor<1x3x4x5xf32>) {
  ^bb0(%a: f32, %d: f32, %b: f32):
    %m = arith.divf %a, %d : f32
    linalg.yield %m : f32
  } -> tensor<1x3x4x5xf32>
  return %g : tensor<1x3x4x5xf32>
}

// CHECK-LABEL: func.func @reciprocals_nhwc(
// CHECK: #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 2], padding = [1, 0, 1, 0], count_exclude_pad = true>] inputs(%arg0)
func.func @reciprocals_nhwc(%x: tensor<1x8x9x3xf32>) -> tensor<1x4x5x3xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v : f32
  } : tensor<1x8x9x3xf32> to tensor<1x10x11x3xf32>
  %e = tensor.empty() : tensor<1x4x5x3xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nhwc_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x10x11x3xf32>, tensor<3x2xf32>) outs(%f : tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32>
  %dc = arith.constant dense<[[[[0.5], [0.25], [0.25], [0.25], [0.25]], [[0.3333333432674408], [0.1666666716337204], [0.1666666716337204], [0.1666666716337204], [0.1666666716337204]], [[0.3333333432674408], [0.1666666716337204], [0.1666666716337204], [0.1666666716337204], [0.1666666716337204]], [[0.3333333432674408], [0.1666666716337204], [0.1666666716337204], [0.1666666716337204], [0.1666666716337204]]]]> : tensor<1x4x5x1xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r, %dc : tensor<1x4x5x3xf32>, tensor<1x4x5x1xf32>) outs(%e : tensor<1x4x5x3xf32>) {
  ^bb0(%a: f32, %d: f32, %b: f32):
    %m = arith.mulf %a, %d : f32
    linalg.yield %m : f32
  } -> tensor<1x4x5x3xf32>
  return %g : tensor<1x4x5x3xf32>
}

// CHECK-LABEL: func.func @divisor_override(
// CHECK: #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 2], padding = [1, 0, 1, 0], divisor_override = 5>]
func.func @divisor_override(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x4x5xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v : f32
  } : tensor<1x3x8x9xf32> to tensor<1x3x10x11xf32>
  %e = tensor.empty() : tensor<1x3x4x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x3x10x11xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x3x4x5xf32>) outs(%e : tensor<1x3x4x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %dv = arith.constant 5.0 : f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<1x3x4x5xf32>
  return %g : tensor<1x3x4x5xf32>
}

// CHECK-LABEL: func.func @exclude_pad_3d(
// CHECK: #qbackend.avg_pool3d<kernel = [2, 3, 2], stride = [2, 1, 2], padding = [1, 0, 1, 1, 0, 0], count_exclude_pad = true>]
func.func @exclude_pad_3d(%x: tensor<1x3x5x4x6xf32>) -> tensor<1x3x3x4x3xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1, 0] high[0, 0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index):
    tensor.yield %v : f32
  } : tensor<1x3x5x4x6xf32> to tensor<1x3x7x6x6xf32>
  %e = tensor.empty() : tensor<1x3x3x4x3xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x3x4x3xf32>) -> tensor<1x3x3x4x3xf32>
  %w = tensor.empty() : tensor<2x3x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2 * 2 + d5 * 1, d3 * 1 + d6 * 1, d4 * 2 + d7 * 1)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d5, d6, d7)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x3x7x6x6xf32>, tensor<2x3x2xf32>) outs(%f : tensor<1x3x3x4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.addf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<1x3x3x4x3xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x3x3x4x3xf32>) outs(%e : tensor<1x3x3x4x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %ix0 = linalg.index 2 : index
    %od0 = arith.index_cast %ix0 : index to i64
    %sc0 = arith.constant 2 : i64
    %pc0 = arith.constant 1 : i64
    %kc0 = arith.constant 2 : i64
    %nc0 = arith.constant 5 : i64
    %zc0 = arith.constant 0 : i64
    %om0 = arith.muli %od0, %sc0 : i64
    %st0 = arith.subi %om0, %pc0 : i64
    %en0 = arith.addi %st0, %kc0 : i64
    %np0 = arith.addi %nc0, %pc0 : i64
    %e10 = arith.minsi %en0, %np0 : i64
    %s20 = arith.maxsi %st0, %zc0 : i64
    %e20 = arith.minsi %e10, %nc0 : i64
    %c0 = arith.subi %e20, %s20 : i64
    %ix1 = linalg.index 3 : index
    %od1 = arith.index_cast %ix1 : index to i64
    %sc1 = arith.constant 1 : i64
    %pc1 = arith.constant 1 : i64
    %kc1 = arith.constant 3 : i64
    %nc1 = arith.constant 4 : i64
    %zc1 = arith.constant 0 : i64
    %om1 = arith.muli %od1, %sc1 : i64
    %st1 = arith.subi %om1, %pc1 : i64
    %en1 = arith.addi %st1, %kc1 : i64
    %np1 = arith.addi %nc1, %pc1 : i64
    %e11 = arith.minsi %en1, %np1 : i64
    %s21 = arith.maxsi %st1, %zc1 : i64
    %e21 = arith.minsi %e11, %nc1 : i64
    %c1 = arith.subi %e21, %s21 : i64
    %ix2 = linalg.index 4 : index
    %od2 = arith.index_cast %ix2 : index to i64
    %sc2 = arith.constant 2 : i64
    %pc2 = arith.constant 0 : i64
    %kc2 = arith.constant 2 : i64
    %nc2 = arith.constant 6 : i64
    %zc2 = arith.constant 0 : i64
    %om2 = arith.muli %od2, %sc2 : i64
    %st2 = arith.subi %om2, %pc2 : i64
    %en2 = arith.addi %st2, %kc2 : i64
    %np2 = arith.addi %nc2, %pc2 : i64
    %e12 = arith.minsi %en2, %np2 : i64
    %s22 = arith.maxsi %st2, %zc2 : i64
    %e22 = arith.minsi %e12, %nc2 : i64
    %c2 = arith.subi %e22, %s22 : i64
    %q1 = arith.muli %c0, %c1 : i64
    %q2 = arith.muli %q1, %c2 : i64
    %dv = arith.sitofp %q2 : i64 to f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<1x3x3x4x3xf32>
  return %g : tensor<1x3x3x4x3xf32>
}

// The divisors are those of another pool.
// CHECK-LABEL: func.func @wrong_size(
// CHECK-NOT: qbackend.avg_pool
func.func @wrong_size(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x4x5xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v : f32
  } : tensor<1x3x8x9xf32> to tensor<1x3x10x11xf32>
  %e = tensor.empty() : tensor<1x3x4x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x3x10x11xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x3x4x5xf32>) outs(%e : tensor<1x3x4x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %ix0 = linalg.index 2 : index
    %od0 = arith.index_cast %ix0 : index to i64
    %sc0 = arith.constant 2 : i64
    %pc0 = arith.constant 1 : i64
    %kc0 = arith.constant 3 : i64
    %nc0 = arith.constant 7 : i64
    %zc0 = arith.constant 0 : i64
    %om0 = arith.muli %od0, %sc0 : i64
    %st0 = arith.subi %om0, %pc0 : i64
    %en0 = arith.addi %st0, %kc0 : i64
    %np0 = arith.addi %nc0, %pc0 : i64
    %e10 = arith.minsi %en0, %np0 : i64
    %s20 = arith.maxsi %st0, %zc0 : i64
    %e20 = arith.minsi %e10, %nc0 : i64
    %c0 = arith.subi %e20, %s20 : i64
    %ix1 = linalg.index 3 : index
    %od1 = arith.index_cast %ix1 : index to i64
    %sc1 = arith.constant 2 : i64
    %pc1 = arith.constant 1 : i64
    %kc1 = arith.constant 2 : i64
    %nc1 = arith.constant 9 : i64
    %zc1 = arith.constant 0 : i64
    %om1 = arith.muli %od1, %sc1 : i64
    %st1 = arith.subi %om1, %pc1 : i64
    %en1 = arith.addi %st1, %kc1 : i64
    %np1 = arith.addi %nc1, %pc1 : i64
    %e11 = arith.minsi %en1, %np1 : i64
    %s21 = arith.maxsi %st1, %zc1 : i64
    %e21 = arith.minsi %e11, %nc1 : i64
    %c1 = arith.subi %e21, %s21 : i64
    %q1 = arith.muli %c0, %c1 : i64
    %dv = arith.sitofp %q1 : i64 to f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<1x3x4x5xf32>
  return %g : tensor<1x3x4x5xf32>
}

// CHECK-LABEL: func.func @wrong_corner(
// CHECK-NOT: qbackend.avg_pool
func.func @wrong_corner(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x4x5xf32> {
  %v = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %v : f32
  } : tensor<1x3x8x9xf32> to tensor<1x3x10x11xf32>
  %e = tensor.empty() : tensor<1x3x4x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x3x10x11xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %dc = arith.constant dense<[[[[3.0, 4.0, 4.0, 4.0, 4.0], [3.0, 6.0, 6.0, 6.0, 6.0], [3.0, 6.0, 6.0, 6.0, 6.0], [3.0, 6.0, 6.0, 6.0, 6.0]]]]> : tensor<1x1x4x5xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r, %dc : tensor<1x3x4x5xf32>, tensor<1x1x4x5xf32>) outs(%e : tensor<1x3x4x5xf32>) {
  ^bb0(%a: f32, %d: f32, %b: f32):
    %m = arith.divf %a, %d : f32
    linalg.yield %m : f32
  } -> tensor<1x3x4x5xf32>
  return %g : tensor<1x3x4x5xf32>
}

// CHECK-LABEL: func.func @fraction(
// CHECK-NOT: qbackend.avg_pool
func.func @fraction(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x3x4xf32> {
  %v = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x3x4xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[1, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%x, %w : tensor<1x3x8x9xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x3x3x4xf32>) outs(%e : tensor<1x3x3x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %dv = arith.constant 5.5 : f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<1x3x3x4xf32>
  return %g : tensor<1x3x3x4xf32>
}

// CHECK-LABEL: func.func @dilated(
// CHECK-NOT: qbackend.avg_pool
// CHECK: return
func.func @dilated(%x: tensor<1x3x8x9xf32>) -> tensor<1x3x2x4xf32> {
  %v = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x2x4xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<[2, 1]> : tensor<2xi64>, strides = dense<[2, 2]> : tensor<2xi64>}
    ins(%x, %w : tensor<1x3x8x9xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x3x2x4xf32>) outs(%e : tensor<1x3x2x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %dv = arith.constant 6.0 : f32
    %m = arith.divf %a, %dv : f32
    linalg.yield %m : f32
  } -> tensor<1x3x2x4xf32>
  return %g : tensor<1x3x2x4xf32>
}
