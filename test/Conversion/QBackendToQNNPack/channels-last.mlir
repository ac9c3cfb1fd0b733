// RUN: qbackend-opt %s --apply-backend=qnnpack qconfig=@signed lower-to=qnnpack 2>/dev/null | FileCheck %s

// Averages of ATen have another formula for images whose channels are last in
// memory: those that come from a convolution, through what keeps that order.

qbackend.qconfig_mapping @signed {
  qbackend.qconfig global <activation = <min_max, si8, quant_min = -127, quant_max = 127, eps = 2.44140625E-4>, weight = <min_max, si8, per_tensor_symmetric, quant_min = -127, quant_max = 127, eps = 2.44140625E-4>>
}

// The first two are of an argument and of a clamp, which are contiguous.
// CHECK-LABEL: func.func @main
// CHECK: qnnpack.avg_pool2d %{{.*}} {kernel = array<i64: 2, 2>
// CHECK: qnnpack.clamp
// CHECK: qnnpack.avg_pool2d %{{.*}} {kernel = array<i64: 2, 2>
// CHECK: qnnpack.tanh
// CHECK: qnnpack.relu
// CHECK: qnnpack.avg_pool2d %{{.*}} {channels_last, kernel = array<i64: 3, 3>
// CHECK: qnnpack.adaptive_avg_pool2d %{{.*}} {channels_last}
func.func @main(%x: tensor<1x9x9x3xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> (tensor<1x4x4x3xf32>, tensor<1x4x4x4xf32>, tensor<1x1x1x4xf32>) {
  %w = "tosa.const"() <{values = dense<0.1> : tensor<4x3x3x3xf32>}> : () -> tensor<4x3x3x3xf32>
  %b = "tosa.const"() <{values = dense<0.1> : tensor<4xf32>}> : () -> tensor<4xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %n = tosa.const_shape {values = dense<[1, 8, 8, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %i = tosa.slice %x, %s, %n : (tensor<1x9x9x3xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x8x8x3xf32>
  %0 = tosa.avg_pool2d %i, %z, %z {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x3xf32>
  %1 = tosa.conv2d %i, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  %2 = tosa.clamp %1 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %3 = tosa.avg_pool2d %2, %z, %z {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x4xf32>
  %4 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x9x9x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9x9x4xf32>
  %5 = tosa.tanh %4 : (tensor<1x9x9x4xf32>) -> tensor<1x9x9x4xf32>
  %6 = tosa.clamp %5 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x9x9x4xf32>) -> tensor<1x9x9x4xf32>
  %7 = tosa.avg_pool2d %6, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 3, 3>} : (tensor<1x9x9x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x3x4xf32>
  %8 = tosa.avg_pool2d %7, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 3, 3>} : (tensor<1x3x3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x4xf32>
  return %0, %3, %8 : tensor<1x4x4x3xf32>, tensor<1x4x4x4xf32>, tensor<1x1x1x4xf32>
}
