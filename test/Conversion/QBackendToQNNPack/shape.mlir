// RUN: qbackend-opt %s --convert-qbackend-to-qnnpack | FileCheck %s

// What moves integers, 1-d pools, and resizes.

!x8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.25:7>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>

// CHECK-NOT: qbackend.

// CHECK-LABEL: func.func @max_pool1d(
// CHECK: %[[X:.*]] = qnnpack.reshape %arg0 : {{.*}} -> tensor<2x1x9x3x
// CHECK: %[[Y:.*]] = qnnpack.max_pool2d %[[X]] {dilation = array<i64: 1, 1>, kernel = array<i64: 1, 3>, padding = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 2>} : {{.*}} -> tensor<2x1x5x3x
// CHECK: qnnpack.reshape %[[Y]] : {{.*}} -> tensor<2x5x3x
func.func @max_pool1d(%x: tensor<2x9x3x!x8>) -> tensor<2x5x3x!x8> {
  %r = qbackend.dequantize %x : tensor<2x9x3x!x8> -> tensor<2x9x3xf32>
  %o = qbackend.operator [#qbackend.max_pool1d<kernel = [3], stride = [2], padding = [1, 1], dilation = [1]>] inputs(%r) qconfig #q : (tensor<2x9x3xf32>) -> tensor<2x5x3xf32> {
  ^bb0(%a0: tensor<2x9x3xf32>):
    %e = tensor.empty() : tensor<2x5x3xf32>
    qbackend.yield %e : tensor<2x5x3xf32>
  }
  %y = qbackend.quantize %o : tensor<2x5x3xf32> -> tensor<2x5x3x!x8>
  return %y : tensor<2x5x3x!x8>
}

// CHECK-LABEL: func.func @avg_pool1d_dynamic_batch(
// CHECK: qnnpack.reshape %arg0 : {{.*}} -> tensor<?x1x9x3x
// CHECK: qnnpack.avg_pool2d {{.*}} {ceil_mode, count_include_pad = false, kernel = array<i64: 1, 3>, padding = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 1>}
// CHECK: qnnpack.reshape
func.func @avg_pool1d_dynamic_batch(%x: tensor<?x9x3x!x8>) -> tensor<?x9x3x!x8> {
  %r = qbackend.dequantize %x : tensor<?x9x3x!x8> -> tensor<?x9x3xf32>
  %o = qbackend.operator [#qbackend.avg_pool1d<kernel = [3], stride = [1], padding = [1, 1], ceil_mode = true, count_exclude_pad = true>] inputs(%r) qconfig #q : (tensor<?x9x3xf32>) -> tensor<?x9x3xf32> {
  ^bb0(%a0: tensor<?x9x3xf32>):
    %c = arith.constant 0 : index
    %d = tensor.dim %a0, %c : tensor<?x9x3xf32>
    %e = tensor.empty(%d) : tensor<?x9x3xf32>
    qbackend.yield %e : tensor<?x9x3xf32>
  }
  %y = qbackend.quantize %o : tensor<?x9x3xf32> -> tensor<?x9x3x!x8>
  return %y : tensor<?x9x3x!x8>
}

// CHECK-LABEL: func.func @adaptive_avg_pool1d(
// CHECK: qnnpack.adaptive_avg_pool2d %{{[^ ]*}} : tensor<2x1x9x3x{{.*}} -> tensor<2x1x3x3x
func.func @adaptive_avg_pool1d(%x: tensor<2x9x3x!x8>) -> tensor<2x3x3x!x8> {
  %r = qbackend.dequantize %x : tensor<2x9x3x!x8> -> tensor<2x9x3xf32>
  %o = qbackend.operator [#qbackend.adaptive_avg_pool1d<output_size = [3]>] inputs(%r) qconfig #q : (tensor<2x9x3xf32>) -> tensor<2x3x3xf32> {
  ^bb0(%a0: tensor<2x9x3xf32>):
    %e = tensor.empty() : tensor<2x3x3xf32>
    qbackend.yield %e : tensor<2x3x3xf32>
  }
  %y = qbackend.quantize %o : tensor<2x3x3xf32> -> tensor<2x3x3x!x8>
  return %y : tensor<2x3x3x!x8>
}

// CHECK-LABEL: func.func @narrow(
// CHECK: qnnpack.slice %arg0 {offsets = array<i64: 0, 2>, strides = array<i64: 1, 2>} :
func.func @narrow(%x: tensor<2x9x!x8>) -> tensor<2x3x!x8> {
  %r = qbackend.dequantize %x : tensor<2x9x!x8> -> tensor<2x9xf32>
  %o = qbackend.operator [#qbackend.narrow<offsets = [0, 2], sizes = [2, 3], strides = [1, 2]>] inputs(%r) qconfig #q : (tensor<2x9xf32>) -> tensor<2x3xf32> {
  ^bb0(%a0: tensor<2x9xf32>):
    %e = tensor.empty() : tensor<2x3xf32>
    qbackend.yield %e : tensor<2x3xf32>
  }
  %y = qbackend.quantize %o : tensor<2x3xf32> -> tensor<2x3x!x8>
  return %y : tensor<2x3x!x8>
}

// CHECK-LABEL: func.func @pad(
// CHECK: qnnpack.pad %arg0 {high = array<i64: 0, 2>, low = array<i64: 0, 1>, value = 5.000000e-01 : f32} :
func.func @pad(%x: tensor<2x9x!x8>) -> tensor<2x12x!x8> {
  %r = qbackend.dequantize %x : tensor<2x9x!x8> -> tensor<2x9xf32>
  %o = qbackend.operator [#qbackend.pad<low = [0, 1], high = [0, 2], value = 0.5>] inputs(%r) qconfig #q : (tensor<2x9xf32>) -> tensor<2x12xf32> {
  ^bb0(%a0: tensor<2x9xf32>):
    %e = tensor.empty() : tensor<2x12xf32>
    qbackend.yield %e : tensor<2x12xf32>
  }
  %y = qbackend.quantize %o : tensor<2x12xf32> -> tensor<2x12x!x8>
  return %y : tensor<2x12x!x8>
}

// CHECK-LABEL: func.func @repeat(
// CHECK: qnnpack.repeat %arg0 {multiples = array<i64: 3, 1>} :
func.func @repeat(%x: tensor<2x9x!x8>) -> tensor<6x9x!x8> {
  %r = qbackend.dequantize %x : tensor<2x9x!x8> -> tensor<2x9xf32>
  %o = qbackend.operator [#qbackend.repeat<multiples = [3, 1]>] inputs(%r) qconfig #q : (tensor<2x9xf32>) -> tensor<6x9xf32> {
  ^bb0(%a0: tensor<2x9xf32>):
    %e = tensor.empty() : tensor<6x9xf32>
    qbackend.yield %e : tensor<6x9xf32>
  }
  %y = qbackend.quantize %o : tensor<6x9xf32> -> tensor<6x9x!x8>
  return %y : tensor<6x9x!x8>
}

// CHECK-LABEL: func.func @pixel_shuffle(
// CHECK: %[[A:.*]] = qnnpack.reshape %arg0 : {{.*}} -> tensor<1x3x5x2x2x2x
// CHECK: %[[B:.*]] = qnnpack.transpose %[[A]] {permutation = array<i64: 0, 1, 4, 2, 5, 3>}
// CHECK: qnnpack.reshape %[[B]]
func.func @pixel_shuffle(%x: tensor<1x3x5x8x!x8>) -> tensor<1x6x10x2x!x8> {
  %r = qbackend.dequantize %x : tensor<1x3x5x8x!x8> -> tensor<1x3x5x8xf32>
  %o = qbackend.operator [#qbackend.pixel_shuffle<upscale_factor = 2>] inputs(%r) qconfig #q : (tensor<1x3x5x8xf32>) -> tensor<1x6x10x2xf32> {
  ^bb0(%a0: tensor<1x3x5x8xf32>):
    %e = tensor.empty() : tensor<1x6x10x2xf32>
    qbackend.yield %e : tensor<1x6x10x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x6x10x2xf32> -> tensor<1x6x10x2x!x8>
  return %y : tensor<1x6x10x2x!x8>
}

// CHECK-LABEL: func.func @pixel_unshuffle(
// CHECK: %[[A:.*]] = qnnpack.reshape %arg0 : {{.*}} -> tensor<1x3x2x5x2x3x
// CHECK: %[[B:.*]] = qnnpack.transpose %[[A]] {permutation = array<i64: 0, 1, 3, 5, 2, 4>}
// CHECK: qnnpack.reshape %[[B]]
func.func @pixel_unshuffle(%x: tensor<1x6x10x3x!x8>) -> tensor<1x3x5x12x!x8> {
  %r = qbackend.dequantize %x : tensor<1x6x10x3x!x8> -> tensor<1x6x10x3xf32>
  %o = qbackend.operator [#qbackend.pixel_unshuffle<downscale_factor = 2>] inputs(%r) qconfig #q : (tensor<1x6x10x3xf32>) -> tensor<1x3x5x12xf32> {
  ^bb0(%a0: tensor<1x6x10x3xf32>):
    %e = tensor.empty() : tensor<1x3x5x12xf32>
    qbackend.yield %e : tensor<1x3x5x12xf32>
  }
  %y = qbackend.quantize %o : tensor<1x3x5x12xf32> -> tensor<1x3x5x12x!x8>
  return %y : tensor<1x3x5x12x!x8>
}

// CHECK-LABEL: func.func @channel_shuffle(
// CHECK: qnnpack.channel_shuffle %arg0 {groups = 2 : i64}
func.func @channel_shuffle(%x: tensor<1x2x2x4x!x8>) -> tensor<1x2x2x4x!x8> {
  %r = qbackend.dequantize %x : tensor<1x2x2x4x!x8> -> tensor<1x2x2x4xf32>
  %o = qbackend.operator [#qbackend.channel_shuffle<axis = 3, groups = 2>] inputs(%r) qconfig #q : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  ^bb0(%a0: tensor<1x2x2x4xf32>):
    %e = tensor.empty() : tensor<1x2x2x4xf32>
    qbackend.yield %e : tensor<1x2x2x4xf32>
  }
  %y = qbackend.quantize %o : tensor<1x2x2x4xf32> -> tensor<1x2x2x4x!x8>
  return %y : tensor<1x2x2x4x!x8>
}

// CHECK-LABEL: func.func @nearest(
// CHECK: qnnpack.upsample_nearest2d %arg0 : tensor
func.func @nearest(%x: tensor<1x2x2x4x!x8>) -> tensor<1x3x5x4x!x8> {
  %r = qbackend.dequantize %x : tensor<1x2x2x4x!x8> -> tensor<1x2x2x4xf32>
  %o = qbackend.operator [#qbackend.interpolate<mode = nearest>] inputs(%r) qconfig #q : (tensor<1x2x2x4xf32>) -> tensor<1x3x5x4xf32> {
  ^bb0(%a0: tensor<1x2x2x4xf32>):
    %e = tensor.empty() : tensor<1x3x5x4xf32>
    qbackend.yield %e : tensor<1x3x5x4xf32>
  }
  %y = qbackend.quantize %o : tensor<1x3x5x4xf32> -> tensor<1x3x5x4x!x8>
  return %y : tensor<1x3x5x4x!x8>
}

// CHECK-LABEL: func.func @nearest_by_factors(
// CHECK: qnnpack.upsample_nearest2d %arg0 {scale_factors = array<f64: 1.500000e+00, 2.500000e+00>} : tensor
func.func @nearest_by_factors(%x: tensor<1x2x2x4x!x8>) -> tensor<1x3x5x4x!x8> {
  %r = qbackend.dequantize %x : tensor<1x2x2x4x!x8> -> tensor<1x2x2x4xf32>
  %o = qbackend.operator [#qbackend.interpolate<mode = nearest, scale_factors = [1.5, 2.5]>] inputs(%r) qconfig #q : (tensor<1x2x2x4xf32>) -> tensor<1x3x5x4xf32> {
  ^bb0(%a0: tensor<1x2x2x4xf32>):
    %e = tensor.empty() : tensor<1x3x5x4xf32>
    qbackend.yield %e : tensor<1x3x5x4xf32>
  }
  %y = qbackend.quantize %o : tensor<1x3x5x4xf32> -> tensor<1x3x5x4x!x8>
  return %y : tensor<1x3x5x4x!x8>
}

// CHECK-LABEL: func.func @bilinear(
// CHECK: qnnpack.upsample_bilinear2d %arg0 {align_corners} : tensor
func.func @bilinear(%x: tensor<1x2x2x4x!x8>) -> tensor<1x3x5x4x!x8> {
  %r = qbackend.dequantize %x : tensor<1x2x2x4x!x8> -> tensor<1x2x2x4xf32>
  %o = qbackend.operator [#qbackend.interpolate<mode = bilinear, align_corners = true>] inputs(%r) qconfig #q : (tensor<1x2x2x4xf32>) -> tensor<1x3x5x4xf32> {
  ^bb0(%a0: tensor<1x2x2x4xf32>):
    %e = tensor.empty() : tensor<1x3x5x4xf32>
    qbackend.yield %e : tensor<1x3x5x4xf32>
  }
  %y = qbackend.quantize %o : tensor<1x3x5x4xf32> -> tensor<1x3x5x4x!x8>
  return %y : tensor<1x3x5x4x!x8>
}
