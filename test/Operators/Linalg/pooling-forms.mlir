// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// What pools start with, read and are padded by.
#in = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 * 2 + d4, d3 * 3 + d5)>
#win = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
#out = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>

// Inserted into a filled tensor, from a start that is read from a constant; any
// tensor will do for the window.
// CHECK-LABEL: func.func @insert_slice
// CHECK: %[[X:.*]] = qbackend.transpose %arg0 [0, 2, 3, 1]
// CHECK: #qbackend.max_pool2d<kernel = [3, 2], stride = [2, 3], padding = [1, 0, 0, 0], dilation = [1, 1]>] inputs(%[[X]]) : (tensor<1x6x8x5xf32>) -> tensor<1x3x3x5xf32>
func.func @insert_slice(%x: tensor<1x5x6x8xf32>) -> tensor<1x5x3x3xf32> {
  %low = arith.constant dense<0xFF800000> : tensor<f32>
  %v = tensor.extract %low[] : tensor<f32>
  %ep = tensor.empty() : tensor<1x5x8x9xf32>
  %fp = linalg.fill ins(%v : f32) outs(%ep : tensor<1x5x8x9xf32>) -> tensor<1x5x8x9xf32>
  %p = tensor.insert_slice %x into %fp[0, 0, 1, 0] [1, 5, 6, 8] [1, 1, 1, 1] : tensor<1x5x6x8xf32> into tensor<1x5x8x9xf32>
  %e = tensor.empty() : tensor<1x5x3x3xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x5x3x3xf32>) -> tensor<1x5x3x3xf32>
  %w = arith.constant dense<1> : tensor<3x2xi8>
  %r = linalg.generic {indexing_maps = [#in, #win, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x5x8x9xf32>, tensor<3x2xi8>) outs(%f : tensor<1x5x3x3xf32>) {
  ^bb0(%a: f32, %b: i8, %o: f32):
    %c = arith.cmpf ogt, %o, %a : f32
    %m = arith.select %c, %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<1x5x3x3xf32>
  return %r : tensor<1x5x3x3xf32>
}

// Iterators and the result may come in any order.
// CHECK-LABEL: func.func @any_order
// CHECK: #qbackend.max_pool2d<kernel = [3, 2], stride = [2, 3], padding = [0, 0, 0, 0], dilation = [1, 1]>] inputs(%arg0) : (tensor<1x7x8x5xf32>) -> tensor<1x3x3x5xf32>
// CHECK: qbackend.transpose %{{.*}} [0, 3, 1, 2] : tensor<1x3x3x5xf32> -> tensor<1x5x3x3xf32>
func.func @any_order(%x: tensor<1x7x8x5xf32>) -> tensor<1x5x3x3xf32> {
  %z = arith.constant dense<-3.40282347E+38> : tensor<1x5x3x3xf32>
  %w = tensor.empty() : tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d4 * 2 + d1, d3 * 3 + d0, d2)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d2, d4, d3)>], iterator_types = ["reduction", "reduction", "parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %w : tensor<1x7x8x5xf32>, tensor<2x3xf32>) outs(%z : tensor<1x5x3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.maxnumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<1x5x3x3xf32>
  return %r : tensor<1x5x3x3xf32>
}

// A loop over one window element may be missing.
// CHECK-LABEL: func.func @dropped_loop
// CHECK: #qbackend.max_pool2d<kernel = [1, 2], stride = [1, 3], padding = [0, 0, 0, 0], dilation = [1, 2]>{{.*}} : (tensor<2x6x9x5xf32>) -> tensor<2x6x3x5xf32>
func.func @dropped_loop(%x: tensor<2x5x6x9xf32>) -> tensor<2x5x6x3xf32> {
  %z = arith.constant dense<0xFF800000> : tensor<2x5x6x3xf32>
  %w = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3 * 3 + d4 * 2)>, affine_map<(d0, d1, d2, d3, d4) -> (d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x5x6x9xf32>, tensor<2xf32>) outs(%z : tensor<2x5x6x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<2x5x6x3xf32>
  return %r : tensor<2x5x6x3xf32>
}

// Something else reads the padded image, too: the pool pads its own.
// CHECK-LABEL: func.func @shared_padding
// CHECK: %[[P:.*]] = tensor.pad %arg0
// CHECK: #qbackend.max_pool2d<kernel = [3, 3], stride = [1, 1], padding = [1, 1, 1, 1], dilation = [1, 1]>] inputs(%arg0)
// CHECK: return %{{.*}}, %[[P]]
func.func @shared_padding(%x: tensor<1x6x7x5xf32>) -> (tensor<1x6x7x5xf32>, tensor<1x8x9x5xf32>) {
  %v = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %v : f32
  } : tensor<1x6x7x5xf32> to tensor<1x8x9x5xf32>
  %e = tensor.empty() : tensor<1x6x7x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x6x7x5xf32>) -> tensor<1x6x7x5xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nhwc_max ins(%p, %w : tensor<1x8x9x5xf32>, tensor<3x3xf32>) outs(%f : tensor<1x6x7x5xf32>) -> tensor<1x6x7x5xf32>
  return %r, %p : tensor<1x6x7x5xf32>, tensor<1x8x9x5xf32>
}

// A second pool of what was never negative.
// CHECK-LABEL: func.func @zeros_after_pool
// CHECK: #qbackend.max_pool1d<kernel = [3], stride = [1], padding = [1, 1], dilation = [1]>
// CHECK: #qbackend.max_pool1d<kernel = [3], stride = [1], padding = [1, 1], dilation = [1]>
func.func @zeros_after_pool(%x: tensor<1x6x5xf32>) -> tensor<1x6x5xf32> {
  %v = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : tensor<1x6x5xf32>
  %relu = arith.maximumf %x, %zero : tensor<1x6x5xf32>
  %e = tensor.empty() : tensor<1x6x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x6x5xf32>) -> tensor<1x6x5xf32>
  %w = tensor.empty() : tensor<3xf32>
  %p0 = tensor.pad %relu low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %v : f32
  } : tensor<1x6x5xf32> to tensor<1x8x5xf32>
  %r0 = linalg.pooling_nwc_max ins(%p0, %w : tensor<1x8x5xf32>, tensor<3xf32>) outs(%f : tensor<1x6x5xf32>) -> tensor<1x6x5xf32>
  %p1 = tensor.pad %r0 low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %v : f32
  } : tensor<1x6x5xf32> to tensor<1x8x5xf32>
  %r1 = linalg.pooling_nwc_max ins(%p1, %w : tensor<1x8x5xf32>, tensor<3xf32>) outs(%f : tensor<1x6x5xf32>) -> tensor<1x6x5xf32>
  return %r1 : tensor<1x6x5xf32>
}

// CHECK-LABEL: func.func @minimum
// CHECK-NOT: _pool
// CHECK-LABEL: func.func @starts_with_one
// CHECK-NOT: _pool
// CHECK-LABEL: func.func @average_starts_with_one
// CHECK-NOT: _pool
// CHECK-LABEL: func.func @dynamic_window
// CHECK-NOT: _pool
// CHECK-LABEL: func.func @scaled
// CHECK-NOT: avg_pool2d
// CHECK: return
func.func @minimum(%x: tensor<1x6x5xf32>) -> tensor<1x4x5xf32> {
  %z = arith.constant dense<0xFF800000> : tensor<1x4x5xf32>
  %w = tensor.empty() : tensor<3xf32>
  %r = linalg.pooling_nwc_min ins(%x, %w : tensor<1x6x5xf32>, tensor<3xf32>) outs(%z : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  return %r : tensor<1x4x5xf32>
}
func.func @starts_with_one(%x: tensor<1x6x5xf32>) -> tensor<1x4x5xf32> {
  %z = arith.constant dense<1.0> : tensor<1x4x5xf32>
  %w = tensor.empty() : tensor<3xf32>
  %r = linalg.pooling_nwc_max ins(%x, %w : tensor<1x6x5xf32>, tensor<3xf32>) outs(%z : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  return %r : tensor<1x4x5xf32>
}
func.func @average_starts_with_one(%x: tensor<1x6x5xf32>) -> tensor<1x4x5xf32> {
  %z = arith.constant dense<1.0> : tensor<1x4x5xf32>
  %n = arith.constant dense<3.0> : tensor<1x4x5xf32>
  %w = tensor.empty() : tensor<3xf32>
  %r = linalg.pooling_nwc_sum ins(%x, %w : tensor<1x6x5xf32>, tensor<3xf32>) outs(%z : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  %q = arith.divf %r, %n : tensor<1x4x5xf32>
  return %q : tensor<1x4x5xf32>
}
func.func @dynamic_window(%x: tensor<1x6x5xf32>, %w: tensor<?xf32>) -> tensor<1x?x5xf32> {
  %v = arith.constant 0xFF800000 : f32
  %c4 = arith.constant 4 : index
  %e = tensor.empty(%c4) : tensor<1x?x5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x?x5xf32>) -> tensor<1x?x5xf32>
  %r = linalg.pooling_nwc_max ins(%x, %w : tensor<1x6x5xf32>, tensor<?xf32>) outs(%f : tensor<1x?x5xf32>) -> tensor<1x?x5xf32>
  return %r : tensor<1x?x5xf32>
}
func.func @scaled(%x: tensor<1x5x7x8xf32>) -> tensor<1x5x3x3xf32> {
  %z = arith.constant dense<0xFF800000> : tensor<1x5x3x3xf32>
  %two = arith.constant 2.0 : f32
  %w = tensor.empty() : tensor<3x2xf32>
  %r = linalg.generic {indexing_maps = [#in, #win, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x5x7x8xf32>, tensor<3x2xf32>) outs(%z : tensor<1x5x3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %two : f32
    %m = arith.maximumf %o, %s : f32
    linalg.yield %m : f32
  } -> tensor<1x5x3x3xf32>
  return %r : tensor<1x5x3x3xf32>
}

// The last row, which no window reads, was cut off.
// CHECK-LABEL: func.func @unread_row(
// CHECK: qbackend.operator [#qbackend.max_pool2d<kernel = [2, 2], stride = [2, 2], padding = [0, 0, 0, 0], dilation = [1, 1]>] inputs(%arg0) : (tensor<1x7x4x3xf32>) -> tensor<1x3x2x3xf32>
func.func @unread_row(%x: tensor<1x7x4x3xf32>) -> tensor<1x3x2x3xf32> {
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x3x2x3xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x3x2x3xf32>) -> tensor<1x3x2x3xf32>
  %s = tensor.extract_slice %x[0, 0, 0, 0] [1, 6, 4, 3] [1, 1, 1, 1] : tensor<1x7x4x3xf32> to tensor<1x6x4x3xf32>
  %p = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%s, %w : tensor<1x6x4x3xf32>, tensor<2x2xf32>) outs(%f : tensor<1x3x2x3xf32>) -> tensor<1x3x2x3xf32>
  return %p : tensor<1x3x2x3xf32>
}

// Two rows would have been one more window.
// CHECK-LABEL: func.func @read_rows(
// CHECK: #qbackend.narrow
// CHECK: #qbackend.max_pool2d
func.func @read_rows(%x: tensor<1x8x4x3xf32>) -> tensor<1x3x2x3xf32> {
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x3x2x3xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x3x2x3xf32>) -> tensor<1x3x2x3xf32>
  %s = tensor.extract_slice %x[0, 0, 0, 0] [1, 6, 4, 3] [1, 1, 1, 1] : tensor<1x8x4x3xf32> to tensor<1x6x4x3xf32>
  %p = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%s, %w : tensor<1x6x4x3xf32>, tensor<2x2xf32>) outs(%f : tensor<1x3x2x3xf32>) -> tensor<1x3x2x3xf32>
  return %p : tensor<1x3x2x3xf32>
}

// One pixel, of which fusion has written the position as 0.
// CHECK-LABEL: func.func @one_pixel(
// CHECK: qbackend.operator [#qbackend.adaptive_avg_pool2d<output_size = [1, 1]>] inputs({{.*}}) : (tensor<1x1x1x6xf32>) -> tensor<1x1x1x6xf32>
func.func @one_pixel(%x: tensor<1x6x1x1xf32>) -> tensor<1x6x1x1xf32> {
  %z = arith.constant 0.0 : f32
  %w = tensor.empty() : tensor<1x1xf32>
  %e = tensor.empty() : tensor<1x6x1x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x1x1xf32>) -> tensor<1x6x1x1xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(n, c, y, x, i, j) -> (n, c, 0, 0)>, affine_map<(n, c, y, x, i, j) -> (i, j)>, affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x6x1x1xf32>, tensor<1x1xf32>) outs(%f : tensor<1x6x1x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<1x6x1x1xf32>
  return %p : tensor<1x6x1x1xf32>
}

// Padding whose end no window reads, so that it was cut off.
// CHECK-LABEL: func.func @cut_padding(
// CHECK: qbackend.operator [#qbackend.avg_pool2d<kernel = [1, 2], stride = [1, 2], padding = [0, 0, 1, 0]>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @cut_padding(%x: tensor<1x3x9x2xf32>) -> tensor<1x3x5x2xf32> {
  %z = arith.constant 0.0 : f32
  %h = arith.constant dense<0.5> : tensor<1x3x5x2xf32>
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<1x3x9x2xf32> to tensor<1x3x11x2xf32>
  %s = tensor.extract_slice %p[0, 0, 0, 0] [1, 3, 10, 2] [1, 1, 1, 1] : tensor<1x3x11x2xf32> to tensor<1x3x10x2xf32>
  %w = tensor.empty() : tensor<1x2xf32>
  %e = tensor.empty() : tensor<1x3x5x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x5x2xf32>) -> tensor<1x3x5x2xf32>
  %a = linalg.pooling_nhwc_sum {strides = dense<[1, 2]> : tensor<2xi64>} ins(%s, %w : tensor<1x3x10x2xf32>, tensor<1x2xf32>) outs(%f : tensor<1x3x5x2xf32>) -> tensor<1x3x5x2xf32>
  %r = arith.mulf %a, %h : tensor<1x3x5x2xf32>
  return %r : tensor<1x3x5x2xf32>
}

// More than the padding: a row of the image, too.
// CHECK-LABEL: func.func @cut_image(
// CHECK: #qbackend.narrow
// CHECK: #qbackend.avg_pool2d<kernel = [1, 2], stride = [1, 2], padding = [0, 0, 0, 0]
func.func @cut_image(%x: tensor<1x3x9x2xf32>) -> tensor<1x3x4x2xf32> {
  %z = arith.constant 0.0 : f32
  %h = arith.constant dense<0.5> : tensor<1x3x4x2xf32>
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<1x3x9x2xf32> to tensor<1x3x11x2xf32>
  %s = tensor.extract_slice %p[0, 0, 0, 0] [1, 3, 8, 2] [1, 1, 1, 1] : tensor<1x3x11x2xf32> to tensor<1x3x8x2xf32>
  %w = tensor.empty() : tensor<1x2xf32>
  %e = tensor.empty() : tensor<1x3x4x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32>
  %a = linalg.pooling_nhwc_sum {strides = dense<[1, 2]> : tensor<2xi64>} ins(%s, %w : tensor<1x3x8x2xf32>, tensor<1x2xf32>) outs(%f : tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32>
  %r = arith.mulf %a, %h : tensor<1x3x4x2xf32>
  return %r : tensor<1x3x4x2xf32>
}
