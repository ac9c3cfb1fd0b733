// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

#n = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// CHECK-LABEL: func.func @max_pool
// CHECK: #qbackend.max_pool2d<kernel = [3, 3], stride = [2, 2], padding = [1, 0, 1, 0], dilation = [1, 1]>
// CHECK-SAME: (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
func.func @max_pool(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %v = arith.constant 0xFF800000 : f32
  %pv = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %pv : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%p, %w : tensor<1x4x10x10xf32>, tensor<3x3xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %r : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @max_pool_nhwc
// CHECK: qbackend.operator [#qbackend.max_pool2d<kernel = [2, 2], stride = [2, 2], padding = [0, 0, 0, 0], dilation = [1, 1]>] inputs(%arg0)
func.func @max_pool_nhwc(%x: tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32> {
  %v = arith.constant -3.40282347E+38 : f32
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %r = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %w : tensor<1x8x8x4xf32>, tensor<2x2xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %r : tensor<1x4x4x4xf32>
}

// Zeros never win where nothing is negative, but may elsewhere.
// CHECK-LABEL: func.func @zero_pad_after_relu
// CHECK: #qbackend.max_pool2d<kernel = [3, 3], stride = [2, 2], padding = [1, 0, 1, 0]
func.func @zero_pad_after_relu(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %v = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : tensor<1x4x8x8xf32>
  %relu = arith.maximumf %x, %zero : tensor<1x4x8x8xf32>
  %pv = arith.constant 0.0 : f32
  %p = tensor.pad %relu low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %pv : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%p, %w : tensor<1x4x10x10xf32>, tensor<3x3xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %r : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @zero_pad
// CHECK: tensor.pad
// CHECK: #qbackend.max_pool2d<kernel = [3, 3], stride = [2, 2], padding = [0, 0, 0, 0]
func.func @zero_pad(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %v = arith.constant 0xFF800000 : f32
  %pv = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %pv : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%p, %w : tensor<1x4x10x10xf32>, tensor<3x3xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %r : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @zero_start
// CHECK-NOT: #qbackend.max_pool2d
func.func @zero_start(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %v = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %r = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %w : tensor<1x4x8x8xf32>, tensor<2x2xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %r : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @avg_pool
// CHECK: #qbackend.avg_pool2d<kernel = [3, 3], stride = [2, 2], padding = [1, 0, 1, 0]
func.func @avg_pool(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %v = arith.constant 0.0 : f32
  %pv = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %pv : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%p, %w : tensor<1x4x10x10xf32>, tensor<3x3xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %d = arith.constant 9.0 : f32
  %q = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x4x4x4xf32>) outs(%e : tensor<1x4x4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.divf %i, %d : f32
    linalg.yield %y : f32
  } -> tensor<1x4x4x4xf32>
  return %q : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @avg_pool_divisor
// CHECK: #qbackend.avg_pool2d<kernel = [2, 2], stride = [2, 2], padding = [0, 0, 0, 0]{{.*}}divisor_override = 3
func.func @avg_pool_divisor(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %v = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %w : tensor<1x4x8x8xf32>, tensor<2x2xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %d = arith.constant 3.0 : f32
  %q = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x4x4x4xf32>) outs(%e : tensor<1x4x4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.divf %i, %d : f32
    linalg.yield %y : f32
  } -> tensor<1x4x4x4xf32>
  return %q : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @global_pool
// CHECK: #qbackend.adaptive_avg_pool2d<output_size = [1, 1]>
// CHECK-SAME: (tensor<1x8x8x4xf32>) -> tensor<1x1x1x4xf32>
func.func @global_pool(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32> {
  %v = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x1x1xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %w = tensor.empty() : tensor<8x8xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x4x8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %d = arith.constant 64.0 : f32
  %q = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%r : tensor<1x4x1x1xf32>) outs(%e : tensor<1x4x1x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.divf %i, %d : f32
    linalg.yield %y : f32
  } -> tensor<1x4x1x1xf32>
  return %q : tensor<1x4x1x1xf32>
}

// CHECK-LABEL: func.func @global_pool_of_one
// CHECK: #qbackend.adaptive_avg_pool2d<output_size = [1, 1]>
func.func @global_pool_of_one(%x: tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32> {
  %v = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x1x1xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %w = tensor.empty() : tensor<1x1xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x4x1x1xf32>, tensor<1x1xf32>) outs(%f : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  return %r : tensor<1x4x1x1xf32>
}

// CHECK-LABEL: func.func @sum_pool
// CHECK-NOT: qbackend.operator
func.func @sum_pool(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32> {
  %v = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x1x1xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %w = tensor.empty() : tensor<8x8xf32>
  %r = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x4x8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  return %r : tensor<1x4x1x1xf32>
}

// CHECK-LABEL: func.func @mean
// CHECK: qbackend.operator [#qbackend.mean<axes = [2, 3]>] inputs(%arg0)
func.func @mean(%x: tensor<1x4x8x8xf32>) -> tensor<1x4xf32> {
  %z = arith.constant 0.0 : f32
  %d = arith.constant 64.0 : f32
  %e = tensor.empty() : tensor<1x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %s = linalg.generic {indexing_maps = [#n, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%f : tensor<1x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %i, %o : f32
    linalg.yield %y : f32
  } -> tensor<1x4xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%s : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.divf %i, %d : f32
    linalg.yield %y : f32
  } -> tensor<1x4xf32>
  return %q : tensor<1x4xf32>
}

// CHECK-LABEL: func.func @mean_keepdim
// CHECK: #qbackend.mean<axes = [2, 3], keepdim = true>
func.func @mean_keepdim(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32> {
  %z = arith.constant 0.0 : f32
  %d = arith.constant 64.0 : f32
  %e = tensor.empty() : tensor<1x4x1x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %s = linalg.generic {indexing_maps = [#n, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%f : tensor<1x4x1x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %i, %o : f32
    linalg.yield %y : f32
  } -> tensor<1x4x1x1xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x4x1x1xf32>) outs(%e : tensor<1x4x1x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.divf %i, %d : f32
    linalg.yield %y : f32
  } -> tensor<1x4x1x1xf32>
  return %q : tensor<1x4x1x1xf32>
}

// CHECK-LABEL: func.func @scaled_sum
// CHECK-NOT: #qbackend.mean
// CHECK: #qbackend.mul<scalar = 0.0158
// CHECK-NOT: #qbackend.mean
func.func @scaled_sum(%x: tensor<1x4x8x8xf32>) -> tensor<1x4xf32> {
  %z = arith.constant 0.0 : f32
  %d = arith.constant 63.0 : f32
  %e = tensor.empty() : tensor<1x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %s = linalg.generic {indexing_maps = [#n, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x : tensor<1x4x8x8xf32>) outs(%f : tensor<1x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.addf %i, %o : f32
    linalg.yield %y : f32
  } -> tensor<1x4xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%s : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.divf %i, %d : f32
    linalg.yield %y : f32
  } -> tensor<1x4xf32>
  return %q : tensor<1x4xf32>
}

