// RUN: qbackend-opt %s | qbackend-opt | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:3>
!a8 = !quant.uniform<u8:f32, 2.500000e-01:10>
!b8 = !quant.uniform<u8:f32, 0.125:128>
!y8 = !quant.uniform<u8:f32, 1.0:7>
!i8 = !quant.uniform<i8:f32, 0.5:-3>
!s8 = !quant.uniform<i8:f32, 0.03125>
!c8 = !quant.uniform<i8:f32:0, {0.5,0.25:1,0.125:-2,0.0625}>

// CHECK-LABEL: @quantize
func.func @quantize(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // CHECK: qnnpack.quantize %{{[^ ]*}} : tensor<1x4xf32> -> tensor<1x4x!quant.uniform<u8:f32, 5.000000e-01:3>>
  %q = qnnpack.quantize %x : tensor<1x4xf32> -> tensor<1x4x!u8>
  // CHECK: qnnpack.dequantize %{{[^ ]*}} : tensor<1x4x!quant.uniform<u8:f32, 5.000000e-01:3>> -> tensor<1x4xf32>
  %y = qnnpack.dequantize %q : tensor<1x4x!u8> -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// A scale that decimal notation must not change.
// CHECK-LABEL: @scale
// CHECK-SAME: !quant.uniform<u8:f32, 0.01523759588599205:53>
func.func @scale(%x: tensor<4x!quant.uniform<u8:f32, 0.0152375958859920501708984375:53>>) {
  return
}

// CHECK-LABEL: @conv2d
func.func @conv2d(%x: tensor<?x8x8x3x!u8>, %w: tensor<4x3x3x3x!c8>, %b: tensor<4xi32>) {
  // CHECK: qnnpack.conv2d %{{.*}}, %{{.*}}, %{{.*}} {dilation = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1, 1, 1>, relu, stride = array<i64: 1, 1>} : {{.*}}, tensor<4xi32> -> tensor<?x8x8x4x
  %y = qnnpack.conv2d %x, %w, %b {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, relu}
    : tensor<?x8x8x3x!u8>, tensor<4x3x3x3x!c8>, tensor<4xi32> -> tensor<?x8x8x4x!y8>
  // CHECK: qnnpack.conv2d %{{[^,]*}}, %{{[^,]*}} {{{.*}}groups = 1 : i64, mathematical, padding
  %z = qnnpack.conv2d %x, %w {stride = array<i64: 2, 1>, padding = array<i64: 0, 1, 2, 2>, dilation = array<i64: 1, 2>, groups = 1 : i64, mathematical}
    : tensor<?x8x8x3x!u8>, tensor<4x3x3x3x!c8> -> tensor<?x4x8x4x!y8>
  return
}

// CHECK-LABEL: @conv1d
func.func @conv1d(%x: tensor<1x8x3x!u8>, %w: tensor<4x3x3x!c8>, %b: tensor<4xi32>, %x1: tensor<?x8x4x!i8>, %w1: tensor<8x1x2x!s8>) {
  // CHECK: qnnpack.conv1d %{{.*}}, %{{.*}}, %{{.*}} {dilation = array<i64: 1>, groups = 1 : i64, padding = array<i64: 1, 1>, relu, stride = array<i64: 1>} : {{.*}}, tensor<4xi32> -> tensor<1x8x4x
  %y = qnnpack.conv1d %x, %w, %b {stride = array<i64: 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1>, groups = 1 : i64, relu}
    : tensor<1x8x3x!u8>, tensor<4x3x3x!c8>, tensor<4xi32> -> tensor<1x8x4x!y8>
  // CHECK: qnnpack.conv1d %{{[^,]*}}, %{{[^,]*}} {dilation = array<i64: 3>, groups = 2 : i64, mathematical, padding = array<i64: 0, 1>, stride = array<i64: 2>} : {{.*}} -> tensor<?x5x8x
  %z = qnnpack.conv1d %x1, %w1 {stride = array<i64: 2>, padding = array<i64: 0, 1>, dilation = array<i64: 3>, groups = 2 : i64, mathematical}
    : tensor<?x8x4x!i8>, tensor<8x1x2x!s8> -> tensor<?x5x8x!i8>
  return
}

// CHECK-LABEL: @conv3d
func.func @conv3d(%x: tensor<1x4x8x8x3x!u8>, %w: tensor<4x3x3x3x3x!c8>, %b: tensor<4xi32>, %x1: tensor<?x4x8x8x4x!u8>, %w1: tensor<4x1x2x3x1x!s8>) {
  // CHECK: qnnpack.conv3d %{{.*}}, %{{.*}}, %{{.*}} {dilation = array<i64: 1, 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1, 1, 1, 1, 1>, relu, stride = array<i64: 1, 1, 1>} : {{.*}}, tensor<4xi32> -> tensor<1x4x8x8x4x
  %y = qnnpack.conv3d %x, %w, %b {stride = array<i64: 1, 1, 1>, padding = array<i64: 1, 1, 1, 1, 1, 1>, dilation = array<i64: 1, 1, 1>, groups = 1 : i64, relu}
    : tensor<1x4x8x8x3x!u8>, tensor<4x3x3x3x3x!c8>, tensor<4xi32> -> tensor<1x4x8x8x4x!y8>
  // CHECK: qnnpack.conv3d %{{[^,]*}}, %{{[^,]*}} {dilation = array<i64: 1, 2, 3>, groups = 4 : i64, mathematical, padding = array<i64: 0, 0, 1, 0, 0, 1>, stride = array<i64: 3, 2, 1>} : {{.*}} -> tensor<?x2x4x3x4x
  %z = qnnpack.conv3d %x1, %w1 {stride = array<i64: 3, 2, 1>, padding = array<i64: 0, 0, 1, 0, 0, 1>, dilation = array<i64: 1, 2, 3>, groups = 4 : i64, mathematical}
    : tensor<?x4x8x8x4x!u8>, tensor<4x1x2x3x1x!s8> -> tensor<?x2x4x3x4x!u8>
  return
}

// CHECK-LABEL: @conv_transpose
func.func @conv_transpose(%x: tensor<?x4x3x!u8>, %w: tensor<4x3x3x!c8>, %b: tensor<4xi32>, %x2: tensor<1x4x5x4x!i8>, %w2: tensor<6x3x2x2x!s8>) {
  // CHECK: qnnpack.conv_transpose1d %{{.*}}, %{{.*}}, %{{.*}} {dilation = array<i64: 1>, groups = 1 : i64, output_padding = array<i64: 0>, padding = array<i64: 0, 0>, stride = array<i64: 1>} : {{.*}}, tensor<4xi32> -> tensor<?x6x4x
  %0 = qnnpack.conv_transpose1d %x, %w, %b {stride = array<i64: 1>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64}
    : tensor<?x4x3x!u8>, tensor<4x3x3x!c8>, tensor<4xi32> -> tensor<?x6x4x!y8>
  // CHECK: qnnpack.conv_transpose1d %{{[^,]*}}, %{{[^,]*}} {dilation = array<i64: 2>, groups = 1 : i64, mathematical, output_padding = array<i64: 1>, padding = array<i64: 1, 2>, stride = array<i64: 3>} : {{.*}} -> tensor<?x12x4x
  %1 = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 3>, padding = array<i64: 1, 2>, output_padding = array<i64: 1>, dilation = array<i64: 2>, groups = 1 : i64, mathematical}
    : tensor<?x4x3x!u8>, tensor<4x3x3x!c8> -> tensor<?x12x4x!y8>
  // CHECK: qnnpack.conv_transpose2d %{{[^,]*}}, %{{[^,]*}} {dilation = array<i64: 1, 1>, groups = 2 : i64, mathematical, output_padding = array<i64: 1, 0>, padding = array<i64: 1, 1, 0, 0>, stride = array<i64: 2, 3>} : {{.*}} -> tensor<1x8x14x6x
  %2 = qnnpack.conv_transpose2d %x2, %w2 {stride = array<i64: 2, 3>, padding = array<i64: 1, 1, 0, 0>, output_padding = array<i64: 1, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64, mathematical}
    : tensor<1x4x5x4x!i8>, tensor<6x3x2x2x!s8> -> tensor<1x8x14x6x!i8>
  return
}

// CHECK-LABEL: @linear_dynamic
func.func @linear_dynamic(%x: tensor<?x16xf32>, %w: tensor<4x16x!c8>, %b: tensor<4xf32>) {
  // CHECK: qnnpack.linear_dynamic %{{.*}}, %{{.*}}, %{{.*}} {relu} : tensor<?x16xf32>, {{.*}}, tensor<4xf32> -> tensor<?x4xf32>
  %y = qnnpack.linear_dynamic %x, %w, %b {relu} : tensor<?x16xf32>, tensor<4x16x!c8>, tensor<4xf32> -> tensor<?x4xf32>
  // CHECK: qnnpack.linear_dynamic %{{[^,]*}}, %{{[^,]*}} : tensor<?x16xf32>, {{.*}} -> tensor<?x4xf32>
  %z = qnnpack.linear_dynamic %x, %w : tensor<?x16xf32>, tensor<4x16x!c8> -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: @linear
func.func @linear(%x: tensor<1x16x!u8>, %w: tensor<10x16x!s8>, %b: tensor<10xi32>, %x1: tensor<2x?x16x!i8>) {
  // CHECK: qnnpack.linear %{{.*}}, %{{.*}}, %{{[^ ]*}} : {{.*}}, tensor<10xi32> -> tensor<1x10x
  %y = qnnpack.linear %x, %w, %b : tensor<1x16x!u8>, tensor<10x16x!s8>, tensor<10xi32> -> tensor<1x10x!y8>
  // CHECK: qnnpack.linear %{{[^,]*}}, %{{[^,]*}} {mathematical, relu} :
  %z = qnnpack.linear %x1, %w {mathematical, relu} : tensor<2x?x16x!i8>, tensor<10x16x!s8> -> tensor<2x?x10x!i8>
  return
}

// CHECK-LABEL: @arithmetic
func.func @arithmetic(%a: tensor<1x4x!a8>, %b: tensor<1x4x!b8>, %c: tensor<4x1x!b8>, %x: tensor<4x!quant.uniform<u8:f32, 0.5:10>>) {
  // CHECK: qnnpack.add %{{.*}}, %{{.*}} {relu} :
  %0 = qnnpack.add %a, %b {relu} : tensor<1x4x!a8>, tensor<1x4x!b8> -> tensor<1x4x!y8>
  // CHECK: qnnpack.add %{{.*}}, %{{[^ ]*}} : {{.*}} -> tensor<4x4x
  %1 = qnnpack.add %a, %c : tensor<1x4x!a8>, tensor<4x1x!b8> -> tensor<4x4x!y8>
  // CHECK: qnnpack.mul %{{.*}}, %{{[^ ]*}} :
  %2 = qnnpack.mul %a, %b : tensor<1x4x!a8>, tensor<1x4x!b8> -> tensor<1x4x!y8>
  // CHECK: qnnpack.add_scalar %{{.*}}, 3.000000e+00 :
  %3 = qnnpack.add_scalar %x, 3.0 : tensor<4x!quant.uniform<u8:f32, 0.5:10>> -> tensor<4x!quant.uniform<u8:f32, 0.5:4>>
  // CHECK: qnnpack.mul_scalar %{{.*}}, 2.000000e+00 :
  %4 = qnnpack.mul_scalar %x, 2.0 : tensor<4x!quant.uniform<u8:f32, 0.5:10>> -> tensor<4x!quant.uniform<u8:f32, 1.0:10>>
  // CHECK: qnnpack.mul_scalar %{{.*}}, -2.000000e+00 {relu} :
  %5 = qnnpack.mul_scalar %x, -2.0 {relu} : tensor<4x!quant.uniform<u8:f32, 0.5:10>> -> tensor<4x!quant.uniform<u8:f32, 1.0:245>>
  // CHECK: qnnpack.mul_scalar %{{.*}}, 0.000000e+00 :
  %6 = qnnpack.mul_scalar %x, 0.0 : tensor<4x!quant.uniform<u8:f32, 0.5:10>> -> tensor<4x!quant.uniform<u8:f32, 1.0>>
  return
}

// CHECK-LABEL: @shape
func.func @shape(%a: tensor<1x4x4x2x!a8>, %b: tensor<1x4x4x3x!b8>, %d: tensor<?x2x4x!u8>) {
  // CHECK: qnnpack.cat %{{.*}}, %{{.*}} {axis = 3 : i64} :
  %0 = qnnpack.cat %a, %b {axis = 3 : i64} : tensor<1x4x4x2x!a8>, tensor<1x4x4x3x!b8> -> tensor<1x4x4x5x!y8>
  // CHECK: qnnpack.transpose %{{.*}} {permutation = array<i64: 0, 3, 1, 2>} :
  %1 = qnnpack.transpose %a {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x4x4x2x!a8> -> tensor<1x2x4x4x!a8>
  // CHECK: qnnpack.reshape %{{[^ ]*}} : tensor<1x2x4x4x
  %2 = qnnpack.reshape %1 : tensor<1x2x4x4x!a8> -> tensor<1x32x!a8>
  // CHECK: qnnpack.reshape %{{[^ ]*}} : tensor<?x2x4x
  %3 = qnnpack.reshape %d : tensor<?x2x4x!u8> -> tensor<?x4x!u8>
  return
}

// CHECK-LABEL: @pooling
func.func @pooling(%x: tensor<1x4x4x2x!u8>, %z: tensor<1x5x5x2x!u8>) {
  // CHECK: qnnpack.max_pool2d %{{.*}} {dilation = array<i64: 1, 1>, kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} :
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>}
    : tensor<1x4x4x2x!u8> -> tensor<1x2x2x2x!u8>
  // Ceil mode: the last window is clipped.
  // CHECK: qnnpack.max_pool2d %{{.*}} {ceil_mode, {{.*}}, mathematical,
  %1 = qnnpack.max_pool2d %z {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, ceil_mode, mathematical}
    : tensor<1x5x5x2x!u8> -> tensor<1x3x3x2x!u8>
  // CHECK: qnnpack.avg_pool2d %{{.*}} {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} :
  %2 = qnnpack.avg_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>}
    : tensor<1x4x4x2x!u8> -> tensor<1x2x2x2x!u8>
  // CHECK: qnnpack.avg_pool2d %{{.*}} {ceil_mode, count_include_pad = false, divisor_override = 3 : i64, {{.*}}, mathematical,
  %3 = qnnpack.avg_pool2d %z {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, ceil_mode, count_include_pad = false, divisor_override = 3 : i64, mathematical}
    : tensor<1x5x5x2x!u8> -> tensor<1x3x3x2x!u8>
  // CHECK: qnnpack.adaptive_avg_pool2d %{{.*}} {channels_last} :
  %4 = qnnpack.adaptive_avg_pool2d %x {channels_last} : tensor<1x4x4x2x!u8> -> tensor<1x1x1x2x!u8>
  // CHECK: qnnpack.mean %{{[^ ]*}} : {{.*}} -> tensor<1x2x
  %5 = qnnpack.mean %x : tensor<1x4x4x2x!u8> -> tensor<1x2x!u8>
  // CHECK: qnnpack.mean %{{.*}} {keepdim} :
  %6 = qnnpack.mean %x {keepdim} : tensor<1x4x4x2x!u8> -> tensor<1x1x1x2x!u8>
  return
}

// CHECK-LABEL: @normalization
func.func @normalization(%x: tensor<?x4x4x6x!u8>, %r: tensor<2x3x16x!i8>, %w: tensor<6xf32>, %v: tensor<3x16xf32>) {
  // CHECK: qnnpack.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {eps = 1.000000e-05 : f64, normalized_shape = array<i64: 3, 16>} : {{.*}}, tensor<3x16xf32>, tensor<3x16xf32> -> tensor<2x3x16x
  %0 = qnnpack.layer_norm %r, %v, %v {normalized_shape = array<i64: 3, 16>, eps = 1.0e-5 : f64}
    : tensor<2x3x16x!i8>, tensor<3x16xf32>, tensor<3x16xf32> -> tensor<2x3x16x!i8>
  // CHECK: qnnpack.layer_norm %{{.*}}, %{{.*}} {{{.*}}} : {{.*}}, tensor<3x16xf32> -> tensor<2x3x16x
  %1 = qnnpack.layer_norm %r, %v {normalized_shape = array<i64: 3, 16>, eps = 0.0 : f64}
    : tensor<2x3x16x!i8>, tensor<3x16xf32> -> tensor<2x3x16x!i8>
  // CHECK: qnnpack.layer_norm %{{[^,]*}} {
  %2 = qnnpack.layer_norm %r {normalized_shape = array<i64: 16>, eps = 1.0e-5 : f64} : tensor<2x3x16x!i8> -> tensor<2x3x16x!i8>
  // CHECK: qnnpack.group_norm %{{.*}}, %{{.*}}, %{{.*}} {eps = 1.000000e-05 : f64, num_groups = 2 : i64} : {{.*}}, tensor<6xf32>, tensor<6xf32> -> tensor<?x4x4x6x
  %3 = qnnpack.group_norm %x, %w, %w {num_groups = 2 : i64, eps = 1.0e-5 : f64}
    : tensor<?x4x4x6x!u8>, tensor<6xf32>, tensor<6xf32> -> tensor<?x4x4x6x!y8>
  // CHECK: qnnpack.group_norm %{{[^,]*}} {channels_last, eps = 1.000000e-05 : f64, num_groups = 3 : i64} :
  %4 = qnnpack.group_norm %x {num_groups = 3 : i64, eps = 1.0e-5 : f64, channels_last} : tensor<?x4x4x6x!u8> -> tensor<?x4x4x6x!y8>
  // CHECK: qnnpack.instance_norm %{{.*}}, %{{.*}} {channels_last, eps = 1.000000e-05 : f64} : {{.*}}, tensor<6xf32> -> tensor<?x4x4x6x
  %5 = qnnpack.instance_norm %x, %w {eps = 1.0e-5 : f64, channels_last}
    : tensor<?x4x4x6x!u8>, tensor<6xf32> -> tensor<?x4x4x6x!y8>
  // CHECK: qnnpack.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {eps = 1.000000e-05 : f64, relu} :
  %6 = qnnpack.batch_norm %x, %w, %w, %w, %w {eps = 1.0e-5 : f64, relu}
    : tensor<?x4x4x6x!u8>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32> -> tensor<?x4x4x6x!y8>
  return
}

// CHECK-LABEL: @resize
func.func @resize(%x: tensor<?x4x4x6x!u8>) {
  // CHECK: qnnpack.upsample_nearest2d %{{[^ ]*}} : tensor<?x4x4x6x
  %0 = qnnpack.upsample_nearest2d %x : tensor<?x4x4x6x!u8> -> tensor<?x8x3x6x!u8>
  // CHECK: qnnpack.upsample_nearest2d %{{.*}} {scale_factors = array<f64: 2.300000e+00, 1.500000e+00>} :
  %1 = qnnpack.upsample_nearest2d %x {scale_factors = array<f64: 2.3, 1.5>} : tensor<?x4x4x6x!u8> -> tensor<?x9x6x6x!u8>
  // CHECK: qnnpack.upsample_bilinear2d %{{.*}} {align_corners} :
  %2 = qnnpack.upsample_bilinear2d %x {align_corners} : tensor<?x4x4x6x!u8> -> tensor<?x7x7x6x!u8>
  // CHECK: qnnpack.upsample_bilinear2d %{{.*}} {channels_last, scale_factors = array<f64: 2.000000e+00, 2.000000e+00>} :
  %3 = qnnpack.upsample_bilinear2d %x {channels_last, scale_factors = array<f64: 2.0, 2.0>} : tensor<?x4x4x6x!u8> -> tensor<?x8x8x6x!u8>
  // CHECK: qnnpack.channel_shuffle %{{.*}} {groups = 3 : i64} :
  %4 = qnnpack.channel_shuffle %x {groups = 3 : i64} : tensor<?x4x4x6x!u8> -> tensor<?x4x4x6x!u8>
  return
}

// CHECK-LABEL: @embedding
func.func @embedding(%i: tensor<?x7xi64>, %j: tensor<i32>, %t: tensor<6x2xi8>, %s: tensor<6xf32>) {
  // CHECK: qnnpack.embedding_byte %{{.*}}, %{{.*}}, %{{.*}}, %{{[^ ]*}} : tensor<?x7xi64>, tensor<6x2xi8>, tensor<6xf32>, tensor<6xf32> -> tensor<?x7x2xf32>
  %0 = qnnpack.embedding_byte %i, %t, %s, %s : tensor<?x7xi64>, tensor<6x2xi8>, tensor<6xf32>, tensor<6xf32> -> tensor<?x7x2xf32>
  // CHECK: qnnpack.embedding_4bit %{{.*}}, %{{.*}}, %{{.*}}, %{{[^ ]*}} : tensor<i32>, tensor<6x2xi8>, tensor<6xf32>, tensor<6xf32> -> tensor<4xf32>
  %1 = qnnpack.embedding_4bit %j, %t, %s, %s : tensor<i32>, tensor<6x2xi8>, tensor<6xf32>, tensor<6xf32> -> tensor<4xf32>
  return
}

// What selects ATen's code.
// CHECK-LABEL: @aten
func.func @aten(%x: tensor<1x2x2x8x!u8>, %y: tensor<1x2x2x8x!y8>, %w: tensor<8x!a8>) {
  // CHECK: qnnpack.add %{{.*}}, %{{.*}} {aten} :
  %0 = qnnpack.add %x, %y {aten} : tensor<1x2x2x8x!u8>, tensor<1x2x2x8x!y8> -> tensor<1x2x2x8x!y8>
  // CHECK: qnnpack.add %{{.*}}, %{{.*}} {aten, vectorized} :
  %v = qnnpack.add %x, %y {aten, vectorized} : tensor<1x2x2x8x!u8>, tensor<1x2x2x8x!y8> -> tensor<1x2x2x8x!y8>
  // CHECK: qnnpack.cat %{{.*}}, %{{.*}} {axis = 3 : i64, channels_last} :
  %1 = qnnpack.cat %x, %y {axis = 3 : i64, channels_last} : tensor<1x2x2x8x!u8>, tensor<1x2x2x8x!y8> -> tensor<1x2x2x16x!y8>
  // CHECK: qnnpack.leaky_relu %{{.*}} {negative_slope = 5.000000e-01 : f32, vectorized} :
  %2 = qnnpack.leaky_relu %x {negative_slope = 0.5 : f32, vectorized} : tensor<1x2x2x8x!u8> -> tensor<1x2x2x8x!y8>
  // CHECK: qnnpack.celu %{{.*}} {alpha = 2.000000e+00 : f32} :
  %3 = qnnpack.celu %x {alpha = 2.0 : f32} : tensor<1x2x2x8x!u8> -> tensor<1x2x2x8x!y8>
  // CHECK: qnnpack.celu %{{.*}} {alpha = 2.000000e+00 : f32, vectorized} :
  %4 = qnnpack.celu %x {alpha = 2.0 : f32, vectorized} : tensor<1x2x2x8x!u8> -> tensor<1x2x2x8x!y8>
  // CHECK: qnnpack.threshold %{{.*}} {threshold = 5.000000e-01 : f32, value = -1.000000e+00 : f32} :
  %5 = qnnpack.threshold %x {threshold = 0.5 : f32, value = -1.0 : f32} : tensor<1x2x2x8x!u8> -> tensor<1x2x2x8x!u8>
  // CHECK: qnnpack.prelu %{{.*}}, %{{[^ ]*}} : {{.*}} -> tensor<1x2x2x8x
  %6 = qnnpack.prelu %x, %w : tensor<1x2x2x8x!u8>, tensor<8x!a8> -> tensor<1x2x2x8x!y8>
  return
}

// CHECK-LABEL: @activations
func.func @activations(%x: tensor<1x4x!u8>, %i: tensor<1x4x!i8>) {
  // CHECK: qnnpack.relu
  %0 = qnnpack.relu %x : tensor<1x4x!u8> -> tensor<1x4x!u8>
  // CHECK: qnnpack.clamp %{{.*}} {max = 6.000000e+00 : f32, min = 0.000000e+00 : f32} :
  %1 = qnnpack.clamp %x {min = 0.0 : f32, max = 6.0 : f32} : tensor<1x4x!u8> -> tensor<1x4x!u8>
  // CHECK: qnnpack.sigmoid
  %2 = qnnpack.sigmoid %x : tensor<1x4x!u8> -> tensor<1x4x!quant.uniform<u8:f32, 0.00390625>>
  // CHECK: qnnpack.sigmoid
  %3 = qnnpack.sigmoid %i : tensor<1x4x!i8> -> tensor<1x4x!quant.uniform<i8:f32, 0.00390625:-128>>
  // CHECK: qnnpack.tanh
  %4 = qnnpack.tanh %x : tensor<1x4x!u8> -> tensor<1x4x!quant.uniform<u8:f32, 0.0078125:128>>
  // CHECK: qnnpack.hardsigmoid
  %5 = qnnpack.hardsigmoid %x : tensor<1x4x!u8> -> tensor<1x4x!quant.uniform<u8:f32, 0.00390625>>
  // CHECK: qnnpack.requantize %{{[^ ]*}} : tensor<1x4x!quant.uniform<u8{{.*}} -> tensor<1x4x!quant.uniform<i8
  %r = qnnpack.requantize %x : tensor<1x4x!u8> -> tensor<1x4x!i8>
  // CHECK: qnnpack.hardswish
  %6 = qnnpack.hardswish %x : tensor<1x4x!u8> -> tensor<1x4x!y8>
  // CHECK: qnnpack.leaky_relu %{{.*}} {negative_slope = 0.00999999977 : f32} :
  %7 = qnnpack.leaky_relu %x {negative_slope = 0.01 : f32} : tensor<1x4x!u8> -> tensor<1x4x!y8>
  // CHECK: qnnpack.elu %{{.*}} {alpha = 1.000000e+00 : f32} :
  %8 = qnnpack.elu %x {alpha = 1.0 : f32} : tensor<1x4x!u8> -> tensor<1x4x!y8>
  // CHECK: qnnpack.softmax %{{.*}} {axis = 1 : i64} :
  %9 = qnnpack.softmax %x {axis = 1 : i64} : tensor<1x4x!u8> -> tensor<1x4x!quant.uniform<u8:f32, 0.00390625>>
  return
}

// CHECK-LABEL: @parts
func.func @parts(%x: tensor<?x6x!u8>) {
  // CHECK: qnnpack.slice %{{.*}} {offsets = array<i64: 0, 1>, strides = array<i64: 1, 2>} : tensor<?x6x{{.*}} -> tensor<?x3x
  %0 = qnnpack.slice %x {offsets = array<i64: 0, 1>, strides = array<i64: 1, 2>} : tensor<?x6x!u8> -> tensor<?x3x!u8>
  // CHECK: qnnpack.pad %{{.*}} {high = array<i64: 1, 0>, low = array<i64: 0, 2>, value = 5.000000e-01 : f32} :
  %1 = qnnpack.pad %x {low = array<i64: 0, 2>, high = array<i64: 1, 0>, value = 0.5 : f32} : tensor<?x6x!u8> -> tensor<?x8x!u8>
  // CHECK: qnnpack.repeat %{{.*}} {multiples = array<i64: 2, 3>} :
  %2 = qnnpack.repeat %x {multiples = array<i64: 2, 3>} : tensor<?x6x!u8> -> tensor<?x18x!u8>
  return
}

#half = #qnnpack.requantization<rounding = half_up, multiplier = [1073741824], shift = [38]>
#left = #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [11], left_shift = 20>
#each = #qnnpack.requantization<rounding = double, multiplier = [1073741824, 0, 1417339207, 2147483647], shift = [38, 2, 39, 62]>
// CHECK-LABEL: @requantizations
func.func @requantizations(%x: tensor<1x4x!i8>, %w: tensor<4x4x!s8>, %i: tensor<1x4x4x4x!i8>, %k: tensor<4x1x1x4x!s8>) {
  // CHECK: qnnpack.linear %{{.*}} {requantization = #qnnpack.requantization<rounding = double, multiplier = [1073741824, 0, 1417339207, 2147483647], shift = [38, 2, 39, 62]>} :
  %0 = qnnpack.linear %x, %w {requantization = #each} : tensor<1x4x!i8>, tensor<4x4x!s8> -> tensor<1x4x!i8>
  // CHECK: qnnpack.conv2d %{{.*}} requantization = #qnnpack.requantization<rounding = nearest_even, multiplier = [1], shift = [2]>
  %1 = qnnpack.conv2d %i, %k {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, requantization = #qnnpack.requantization<rounding = nearest_even, multiplier = [1], shift = [2]>}
    : tensor<1x4x4x4x!i8>, tensor<4x1x1x4x!s8> -> tensor<1x4x4x4x!i8>
  // CHECK: qnnpack.conv_transpose2d %{{.*}} requantization = #qnnpack.requantization<rounding = half_away, multiplier = [1], shift = [2]>
  %2 = qnnpack.conv_transpose2d %i, %k {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, output_padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, requantization = #qnnpack.requantization<rounding = half_away, multiplier = [1], shift = [2]>}
    : tensor<1x4x4x4x!i8>, tensor<4x1x1x4x!s8> -> tensor<1x4x4x4x!i8>
  // CHECK: qnnpack.add %{{.*}} {lhs_requantization = #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [11], left_shift = 20>, requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1073741824], shift = [38]>, rhs_requantization =
  %3 = qnnpack.add %x, %x {requantization = #half, lhs_requantization = #left, rhs_requantization = #left} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  // CHECK: qnnpack.mul %{{.*}} {requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1073741824], shift = [38]>} :
  %4 = qnnpack.mul %x, %x {requantization = #half} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  return
}

// 16-bit activations, with a bias of 64 bits.
!i16 = !quant.uniform<i16:f32, 1.0>
// CHECK-LABEL: @sixteen_bits
func.func @sixteen_bits(%x: tensor<1x4x!i16>, %w: tensor<4x4x!s8>, %b: tensor<4xi64>) {
  // CHECK: qnnpack.linear %{{.*}}, %{{.*}}, %{{.*}} {requantization = {{.*}}} : tensor<1x4x!quant.uniform<i16:f32, 1.000000e+00>>, {{.*}}, tensor<4xi64> -> tensor<1x4x!quant.uniform<i16:f32, 1.000000e+00>>
  %0 = qnnpack.linear %x, %w, %b {requantization = #qnnpack.requantization<rounding = half_up, multiplier = [32767], shift = [20]>} : tensor<1x4x!i16>, tensor<4x4x!s8>, tensor<4xi64> -> tensor<1x4x!i16>
  // CHECK: qnnpack.clamp %{{.*}} {max = 3.000000e+04 : f32, min = 0.000000e+00 : f32} : tensor<1x4x!quant.uniform<i16
  %1 = qnnpack.clamp %0 {min = 0.0 : f32, max = 30000.0 : f32} : tensor<1x4x!i16> -> tensor<1x4x!i16>
  return
}
