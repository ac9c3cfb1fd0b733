// RUN: qbackend-opt %s -split-input-file -verify-diagnostics

!u8 = !quant.uniform<u8:f32, 0.5:3>
!i8 = !quant.uniform<i8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
!z8 = !quant.uniform<i8:f32, 0.03125:1>
!full = !quant.uniform<u8:f32, 1.0:255>

func.func @quantize_shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{the input and the output differ in shape: 'tensor<4xf32>' and 'tensor<5x}}
  %0 = qnnpack.quantize %x : tensor<4xf32> -> tensor<5x!u8>
  return
}

// -----

func.func @requantize_shape(%x: tensor<4x!quant.uniform<u8:f32, 0.5>>) {
  // expected-error @+1 {{the input and the output differ in shape}}
  %0 = qnnpack.requantize %x : tensor<4x!quant.uniform<u8:f32, 0.5>> -> tensor<5x!quant.uniform<u8:f32, 0.25>>
  return
}

// -----

func.func @quantize_channels(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 2 scales along axis 0 of}}
  %0 = qnnpack.quantize %x : tensor<4xf32> -> tensor<4x!quant.uniform<i8:f32:0, {0.5,0.25}>>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @dequantize_shape(%x: tensor<4x!u8>) {
  // expected-error @+1 {{the input and the output differ in shape}}
  %0 = qnnpack.dequantize %x : tensor<4x!u8> -> tensor<?xf32>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @stride_count(%x: tensor<1x8x8x4x!u8>, %w: tensor<4x3x3x4x!s8>) {
  // expected-error @+1 {{stride has 1 numbers, expected 2}}
  %0 = qnnpack.conv2d %x, %w {stride = array<i64: 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x8x4x!u8>, tensor<4x3x3x4x!s8> -> tensor<1x8x8x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @stride_zero(%x: tensor<1x8x8x4x!u8>, %w: tensor<4x3x3x4x!s8>) {
  // expected-error @+1 {{stride 0 is outside the range [1, 2147483647]}}
  %0 = qnnpack.conv2d %x, %w {stride = array<i64: 0, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x8x4x!u8>, tensor<4x3x3x4x!s8> -> tensor<1x8x8x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @groups(%x: tensor<1x8x8x4x!u8>, %w: tensor<4x3x3x4x!s8>) {
  // expected-error @+1 {{groups 3 must divide the 4 input and the 4 output channels}}
  %0 = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 3 : i64} : tensor<1x8x8x4x!u8>, tensor<4x3x3x4x!s8> -> tensor<1x8x8x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @output_height(%x: tensor<1x8x8x4x!u8>, %w: tensor<4x3x3x4x!s8>) {
  // expected-error @+1 {{the output has height 7, expected 8}}
  %0 = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x8x4x!u8>, tensor<4x3x3x4x!s8> -> tensor<1x7x8x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32:1, {0.03125,0.03125,0.03125,0.03125}>
func.func @weight_axis(%x: tensor<1x4x!u8>, %w: tensor<5x4x!s8>) {
  // expected-error @+1 {{weight is quantized along axis 1, expected axis 0, the output channels}}
  %0 = qnnpack.linear %x, %w : tensor<1x4x!u8>, tensor<5x4x!s8> -> tensor<1x5x!u8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 0.5:3>
!z8 = !quant.uniform<i8:f32, 0.03125:1>
func.func @weight_zero_point(%x: tensor<1x4x!i8>, %w: tensor<5x4x!z8>) {
  // expected-error @+1 {{weight has zero point 1, expected 0 because the activation is signed}}
  %0 = qnnpack.linear %x, %w : tensor<1x4x!i8>, tensor<5x4x!z8> -> tensor<1x5x!i8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!i8 = !quant.uniform<i8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @mixed_storage(%x: tensor<1x4x!u8>, %w: tensor<5x4x!s8>) {
  // expected-error @+1 {{mixes storage types}}
  %0 = qnnpack.linear %x, %w : tensor<1x4x!u8>, tensor<5x4x!s8> -> tensor<1x5x!i8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 1.0e-30:3>
!s8 = !quant.uniform<i8:f32, 1.0e-30>
!y8 = !quant.uniform<u8:f32, 1.0:3>
func.func @multiplier(%x: tensor<1x4x!u8>, %w: tensor<5x4x!s8>) {
  // expected-error @+1 {{expected a positive normal 32-bit number}}
  %0 = qnnpack.linear %x, %w : tensor<1x4x!u8>, tensor<5x4x!s8> -> tensor<1x5x!y8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
!full = !quant.uniform<u8:f32, 1.0:255>
func.func @relu_range(%x: tensor<1x4x!u8>, %w: tensor<5x4x!s8>) {
  // expected-error @+1 {{has relu and a result with zero point 255, which leaves no positive number; expected less than 255}}
  %0 = qnnpack.linear %x, %w {relu} : tensor<1x4x!u8>, tensor<5x4x!s8> -> tensor<1x5x!full>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @bias_size(%x: tensor<1x4x!u8>, %w: tensor<5x4x!s8>, %b: tensor<4xi32>) {
  // expected-error @+1 {{bias has type 'tensor<4xi32>', expected 5 numbers, one per output channel}}
  %0 = qnnpack.linear %x, %w, %b : tensor<1x4x!u8>, tensor<5x4x!s8>, tensor<4xi32> -> tensor<1x5x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @broadcast(%a: tensor<2x4x!u8>, %b: tensor<3x1x!u8>) {
  // expected-error @+1 {{do not broadcast to that of}}
  %0 = qnnpack.mul %a, %b : tensor<2x4x!u8>, tensor<3x1x!u8> -> tensor<2x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.001953125>
func.func @add_ratio(%a: tensor<4x!u8>) {
  // 0.5 / 2^-9 = 2^8
  // expected-error @+1 {{input scale / output scale is 2.560000e+02, expected a number in [2^-14, 2^8)}}
  %0 = qnnpack.add %a, %a : tensor<4x!u8>, tensor<4x!u8> -> tensor<4x!y8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 1024.0>
func.func @add_small_ratios(%a: tensor<4x!u8>) {
  // 0.5 / 2^10 = 2^-11
  // expected-error @+1 {{the larger input scale / output scale is 4.882812e-04, expected 2^-10 or more}}
  %0 = qnnpack.add %a, %a : tensor<4x!u8>, tensor<4x!u8> -> tensor<4x!y8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @add_vectorized(%a: tensor<4x!u8>) {
  // expected-error @+1 {{has vectorized, and the engine adds these operands as integers; drop it, or add `aten`}}
  %0 = qnnpack.add %a, %a {vectorized} : tensor<4x!u8>, tensor<4x!u8> -> tensor<4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @add_vectorized_dynamic(%a: tensor<?x!u8>) {
  // expected-error @+1 {{; make the shapes static, or drop it}}
  %0 = qnnpack.add %a, %a {aten, vectorized} : tensor<?x!u8>, tensor<?x!u8> -> tensor<?x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:10>
func.func @add_scalar_type(%x: tensor<4x!u8>) {
  // expected-error @+1 {{the output has '!quant.uniform<u8:f32, 5.000000e-01:10>', expected '!quant.uniform<u8:f32, 5.000000e-01:4>'}}
  %0 = qnnpack.add_scalar %x, 3.0 : tensor<4x!u8> -> tensor<4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:10>
func.func @add_scalar_overflow(%x: tensor<4x!u8>) {
  // expected-error @+1 {{use a smaller number}}
  %0 = qnnpack.add_scalar %x, 1.0e300 : tensor<4x!u8> -> tensor<4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @cat_axis(%a: tensor<2x4x!u8>) {
  // expected-error @+1 {{axis 2 is not a dimension of the input of rank 2}}
  %0 = qnnpack.cat %a {axis = 2 : i64} : tensor<2x4x!u8> -> tensor<2x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @cat_sizes(%a: tensor<2x4x!u8>) {
  // expected-error @+1 {{the inputs have 8 along axis 1, the output 7}}
  %0 = qnnpack.cat %a, %a {axis = 1 : i64} : tensor<2x4x!u8>, tensor<2x4x!u8> -> tensor<2x7x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @permutation(%a: tensor<2x4x!u8>) {
  // expected-error @+1 {{permutation [0, 0] is not one of the 2 dimensions of the input}}
  %0 = qnnpack.transpose %a {permutation = array<i64: 0, 0>} : tensor<2x4x!u8> -> tensor<2x2x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @reshape_count(%a: tensor<2x4x!u8>) {
  // expected-error @+1 {{the input has 8 elements, the output 9}}
  %0 = qnnpack.reshape %a : tensor<2x4x!u8> -> tensor<9x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!v8 = !quant.uniform<u8:f32, 0.5:4>
func.func @reshape_parameters(%a: tensor<2x4x!u8>) {
  // expected-error @+1 {{keeps the quantization parameters, but the output has}}
  %0 = qnnpack.reshape %a : tensor<2x4x!u8> -> tensor<8x!v8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @empty_window(%x: tensor<1x2x2x1x!u8>) {
  // expected-error @+1 {{window 0 of the height lies in the padding; use less padding}}
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, padding = array<i64: 2, 2, 2, 2>, dilation = array<i64: 1, 1>}
    : tensor<1x2x2x1x!u8> -> tensor<1x5x5x1x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @average_padding(%x: tensor<1x4x4x1x!u8>) {
  // expected-error @+1 {{padding 2 of the height is more than half of the kernel 2}}
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, padding = array<i64: 2, 2, 0, 0>}
    : tensor<1x4x4x1x!u8> -> tensor<1x7x3x1x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @divisor(%x: tensor<1x4x4x1x!u8>) {
  // expected-error @+1 {{divisor_override is 0, expected another number}}
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, divisor_override = 0 : i64}
    : tensor<1x4x4x1x!u8> -> tensor<1x3x3x1x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @adaptive_dynamic(%x: tensor<1x?x4x1x!u8>) {
  // expected-error @+1 {{has a dynamic height; only the batch may be dynamic}}
  %0 = qnnpack.adaptive_avg_pool2d %x : tensor<1x?x4x1x!u8> -> tensor<1x1x1x1x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @mean_shape(%x: tensor<1x4x4x3x!u8>) {
  // expected-error @+1 {{expected 'tensor<1x1x1x3x!quant.uniform<u8:f32, 5.000000e-01:3>>'}}
  %0 = qnnpack.mean %x {keepdim} : tensor<1x4x4x3x!u8> -> tensor<1x3x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @cat_channels_last(%a: tensor<2x4x!u8>) {
  // expected-error @+1 {{has channels_last and joins axis 1 of rank 2, expected the channels, axis 3, of images; drop the attribute for the contiguous formula}}
  %0 = qnnpack.cat %a {axis = 1 : i64, channels_last} : tensor<2x4x!u8> -> tensor<2x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @layer_norm_shape(%x: tensor<1x4x4x6x!u8>) {
  // expected-error @+1 {{normalized_shape [4, 4] is not the end of the shape of}}
  %0 = qnnpack.layer_norm %x {normalized_shape = array<i64: 4, 4>, eps = 1.0e-5 : f64} : tensor<1x4x4x6x!u8> -> tensor<1x4x4x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @layer_norm_dynamic(%x: tensor<1x?x!u8>) {
  // expected-error @+1 {{is dynamic or empty, expected static sizes}}
  %0 = qnnpack.layer_norm %x {normalized_shape = array<i64: -9223372036854775808>, eps = 1.0e-5 : f64} : tensor<1x?x!u8> -> tensor<1x?x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @layer_norm_weight(%x: tensor<1x4x4x6x!u8>, %w: tensor<6xf32>) {
  // expected-error @+1 {{weight has type 'tensor<6xf32>', expected 'tensor<4x6xf32>', the normalized shape}}
  %0 = qnnpack.layer_norm %x, %w {normalized_shape = array<i64: 4, 6>, eps = 1.0e-5 : f64} : tensor<1x4x4x6x!u8>, tensor<6xf32> -> tensor<1x4x4x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @bias_alone(%x: tensor<1x4x4x6x!u8>, %w: tensor<6xf32>) {
  // expected-error @+1 {{has a bias but no weight; pass a weight of ones}}
  %0 = "qnnpack.group_norm"(%x, %w) <{num_groups = 2 : i64, eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<1x4x4x6x!u8>, tensor<6xf32>) -> tensor<1x4x4x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @eps(%x: tensor<1x4x4x6x!u8>) {
  // expected-error @+1 {{eps is -1.000000e+00, expected a finite number of 0 or more}}
  %0 = qnnpack.instance_norm %x {eps = -1.0 : f64} : tensor<1x4x4x6x!u8> -> tensor<1x4x4x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @num_groups(%x: tensor<1x4x4x6x!u8>) {
  // expected-error @+1 {{num_groups 4 must divide the 6 channels}}
  %0 = qnnpack.group_norm %x {num_groups = 4 : i64, eps = 1.0e-5 : f64} : tensor<1x4x4x6x!u8> -> tensor<1x4x4x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @group_norm_rank(%x: tensor<6x!u8>) {
  // expected-error @+1 {{the input has rank 1, expected a batch and channels: 2 or more}}
  %0 = qnnpack.group_norm %x {num_groups = 2 : i64, eps = 1.0e-5 : f64} : tensor<6x!u8> -> tensor<6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @group_norm_dynamic(%x: tensor<1x?x4x6x!u8>) {
  // expected-error @+1 {{is dynamic or empty beyond its batch; make the pixels and channels static}}
  %0 = qnnpack.group_norm %x {num_groups = 2 : i64, eps = 1.0e-5 : f64} : tensor<1x?x4x6x!u8> -> tensor<1x?x4x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @channels_last_rank(%x: tensor<1x4x6x!u8>) {
  // expected-error @+1 {{has channels_last and an input of rank 3, expected an image of rank 4; drop the attribute}}
  %0 = qnnpack.instance_norm %x {eps = 1.0e-5 : f64, channels_last} : tensor<1x4x6x!u8> -> tensor<1x4x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @channels_last_pixels(%x: tensor<1x32x16x6x!u8>) {
  // expected-error @+1 {{has channels_last and an image of 32x16 pixels, expected less than 512; drop the attribute}}
  %0 = qnnpack.instance_norm %x {eps = 1.0e-5 : f64, channels_last} : tensor<1x32x16x6x!u8> -> tensor<1x32x16x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @batch_norm_parameters(%x: tensor<1x4x4x6x!u8>, %w: tensor<6xf32>, %v: tensor<5xf32>) {
  // expected-error @+1 {{var has type 'tensor<5xf32>', expected 'tensor<6xf32>', one number per channel}}
  %0 = qnnpack.batch_norm %x, %w, %w, %w, %v {eps = 1.0e-5 : f64} : tensor<1x4x4x6x!u8>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<5xf32> -> tensor<1x4x4x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @batch_norm_dynamic(%x: tensor<1x?x!u8>, %w: tensor<?xf32>) {
  // expected-error @+1 {{has dynamic channels; only the other dimensions may be dynamic}}
  %0 = qnnpack.batch_norm %x, %w, %w, %w, %w {eps = 1.0e-5 : f64} : tensor<1x?x!u8>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32> -> tensor<1x?x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @shuffle_groups(%x: tensor<1x4x4x6x!u8>) {
  // expected-error @+1 {{groups 4 must divide the 6 channels}}
  %0 = qnnpack.channel_shuffle %x {groups = 4 : i64} : tensor<1x4x4x6x!u8> -> tensor<1x4x4x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @upsample_channels(%x: tensor<1x4x4x6x!u8>) {
  // expected-error @+1 {{the batch or the channels of the input and of the output differ}}
  %0 = qnnpack.upsample_nearest2d %x : tensor<1x4x4x6x!u8> -> tensor<1x8x8x5x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @upsample_dynamic(%x: tensor<1x?x4x6x!u8>) {
  // expected-error @+1 {{has a dynamic height; only the batch may be dynamic}}
  %0 = qnnpack.upsample_bilinear2d %x : tensor<1x?x4x6x!u8> -> tensor<1x8x8x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @upsample_empty(%x: tensor<1x4x4x6x!u8>) {
  // expected-error @+1 {{has width 0, expected a number in [1, 2^24)}}
  %0 = qnnpack.upsample_bilinear2d %x : tensor<1x4x4x6x!u8> -> tensor<1x8x0x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @scale_factors_count(%x: tensor<1x4x4x6x!u8>) {
  // expected-error @+1 {{scale_factors has 1 numbers, expected 2, height and width}}
  %0 = qnnpack.upsample_nearest2d %x {scale_factors = array<f64: 2.0>} : tensor<1x4x4x6x!u8> -> tensor<1x8x8x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @scale_factor_sign(%x: tensor<1x4x4x6x!u8>) {
  // expected-error @+1 {{the scale factor of the height is -2.000000e+00, expected a positive number}}
  %0 = qnnpack.upsample_nearest2d %x {scale_factors = array<f64: -2.0, 2.0>} : tensor<1x4x4x6x!u8> -> tensor<1x8x8x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @scale_factor_size(%x: tensor<1x4x4x6x!u8>) {
  // expected-error @+1 {{the output has width 8, expected 9, that of 4 times 2.300000e+00}}
  %0 = qnnpack.upsample_nearest2d %x {scale_factors = array<f64: 2.0, 2.3>} : tensor<1x4x4x6x!u8> -> tensor<1x8x8x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!v8 = !quant.uniform<u8:f32, 0.5:4>
func.func @upsample_parameters(%x: tensor<1x4x4x6x!u8>) {
  // expected-error @+1 {{keeps the quantization parameters, but the output has}}
  %0 = qnnpack.upsample_bilinear2d %x : tensor<1x4x4x6x!u8> -> tensor<1x8x8x6x!v8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @bilinear_channels_last(%x: tensor<1x4x4x?x!u8>) {
  // expected-error @+1 {{has channels_last and dynamic channels; make them static, or drop the attribute for the contiguous formula}}
  %0 = qnnpack.upsample_bilinear2d %x {channels_last} : tensor<1x4x4x?x!u8> -> tensor<1x8x8x?x!u8>
  return
}

// -----

func.func @embedding_scales(%i: tensor<7xi64>, %t: tensor<6x2xi8>, %s: tensor<6xf32>, %z: tensor<5xf32>) {
  // expected-error @+1 {{zero_points has type 'tensor<5xf32>', expected 6 numbers, one per row of the table}}
  %0 = qnnpack.embedding_byte %i, %t, %s, %z : tensor<7xi64>, tensor<6x2xi8>, tensor<6xf32>, tensor<5xf32> -> tensor<7x2xf32>
  return
}

// -----

func.func @embedding_columns(%i: tensor<7xi64>, %t: tensor<6x2xi8>, %s: tensor<6xf32>) {
  // expected-error @+1 {{the output is 'tensor<7x2xf32>', expected 'tensor<7x4xf32>', a row of the table for each index}}
  %0 = qnnpack.embedding_4bit %i, %t, %s, %s : tensor<7xi64>, tensor<6x2xi8>, tensor<6xf32>, tensor<6xf32> -> tensor<7x2xf32>
  return
}

// -----

func.func @embedding_dynamic(%i: tensor<7xi64>, %t: tensor<?x2xi8>, %s: tensor<6xf32>) {
  // expected-error @+1 {{has a dynamic table 'tensor<?x2xi8>'; only the indices may be dynamic}}
  %0 = qnnpack.embedding_byte %i, %t, %s, %s : tensor<7xi64>, tensor<?x2xi8>, tensor<6xf32>, tensor<6xf32> -> tensor<7x2xf32>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @celu_alpha(%x: tensor<4x!u8>) {
  // expected-error @+1 {{alpha is 0, expected another number; use qnnpack.relu for its limit}}
  %0 = qnnpack.celu %x {alpha = 0.0 : f32} : tensor<4x!u8> -> tensor<4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!v8 = !quant.uniform<u8:f32, 0.5:4>
func.func @threshold_parameters(%x: tensor<4x!u8>) {
  // expected-error @+1 {{keeps the quantization parameters, but the output has}}
  %0 = qnnpack.threshold %x {threshold = 0.0 : f32, value = 0.0 : f32} : tensor<4x!u8> -> tensor<4x!v8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @prelu_slopes(%x: tensor<2x4x!u8>, %w: tensor<2x!u8>) {
  // expected-error @+1 {{expected one slope, or one for each of the 4 channels}}
  %0 = qnnpack.prelu %x, %w : tensor<2x4x!u8>, tensor<2x!u8> -> tensor<2x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!i8 = !quant.uniform<i8:f32, 0.5:3>
func.func @prelu_storage(%x: tensor<2x4x!u8>, %w: tensor<4x!i8>) {
  // expected-error @+1 {{mixes storage types}}
  %0 = qnnpack.prelu %x, %w : tensor<2x4x!u8>, tensor<4x!i8> -> tensor<2x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @clamp_order(%x: tensor<4x!u8>) {
  // expected-error @+1 {{min 1.000000e+00 is not at most max 0.000000e+00}}
  %0 = qnnpack.clamp %x {min = 1.0 : f32, max = 0.0 : f32} : tensor<4x!u8> -> tensor<4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @sigmoid_result(%x: tensor<4x!u8>) {
  // expected-error @+1 {{the output has scale 5.000000e-01 and zero point 3, expected 3.906250e-03 and 0}}
  %0 = qnnpack.sigmoid %x : tensor<4x!u8> -> tensor<4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @softmax_axis(%x: tensor<?x4x!u8>) {
  // expected-error @+1 {{is dynamic or empty, expected a static size}}
  %0 = qnnpack.softmax %x {axis = 0 : i64} : tensor<?x4x!u8> -> tensor<?x4x!quant.uniform<u8:f32, 0.00390625>>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @max_pool_ceil(%x: tensor<1x5x5x1x!u8>) {
  // expected-error @+1 {{the output has height 3, expected 2}}
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>}
    : tensor<1x5x5x1x!u8> -> tensor<1x3x3x1x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @max_pool_floor(%x: tensor<1x5x5x1x!u8>) {
  // expected-error @+1 {{the output has height 2, expected 3}}
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, ceil_mode}
    : tensor<1x5x5x1x!u8> -> tensor<1x2x2x1x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @max_pool_empty(%x: tensor<1x0x4x1x!u8>) {
  // expected-error @+1 {{has an empty image: 'tensor<1x0x4x1x}}
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 3, 2>, stride = array<i64: 1, 1>, padding = array<i64: 2, 1, 0, 0>, dilation = array<i64: 1, 1>}
    : tensor<1x0x4x1x!u8> -> tensor<1x1x3x1x!u8>
  return
}
