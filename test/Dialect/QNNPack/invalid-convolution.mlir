// RUN: qbackend-opt %s -split-input-file -verify-diagnostics

// Limits of the kernels with a weight, beside those of conv2d and linear in
// invalid.mlir.

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @conv1d_stride_count(%x: tensor<1x8x4x!u8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{stride has 2 numbers, expected 1}}
  %0 = qnnpack.conv1d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x8x4x!u8>, tensor<4x3x4x!s8> -> tensor<1x6x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @conv1d_padding_count(%x: tensor<1x8x4x!u8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{padding has 1 numbers, expected 2}}
  %0 = qnnpack.conv1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x8x4x!u8>, tensor<4x3x4x!s8> -> tensor<1x6x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @conv1d_length(%x: tensor<1x8x4x!u8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{the output has length 8, expected 6}}
  %0 = qnnpack.conv1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x8x4x!u8>, tensor<4x3x4x!s8> -> tensor<1x8x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @conv1d_weight_channels(%x: tensor<1x8x4x!u8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{weight has 4 input channels, expected 2 (input channels / groups)}}
  %0 = qnnpack.conv1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 2 : i64} : tensor<1x8x4x!u8>, tensor<4x3x4x!s8> -> tensor<1x6x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @conv1d_bias(%x: tensor<1x8x4x!u8>, %w: tensor<4x3x4x!s8>, %b: tensor<3xi32>) {
  // expected-error @+1 {{bias has type 'tensor<3xi32>', expected 4 numbers, one per output channel}}
  %0 = qnnpack.conv1d %x, %w, %b {stride = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x8x4x!u8>, tensor<4x3x4x!s8>, tensor<3xi32> -> tensor<1x6x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @conv1d_batch(%x: tensor<1x8x4x!u8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{the batch of the input and of the output differ}}
  %0 = qnnpack.conv1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x8x4x!u8>, tensor<4x3x4x!s8> -> tensor<?x6x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
!full = !quant.uniform<u8:f32, 1.0:255>
func.func @conv1d_relu_range(%x: tensor<1x8x4x!u8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{has relu and a result with zero point 255, which leaves no positive number; expected less than 255}}
  %0 = qnnpack.conv1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64, relu} : tensor<1x8x4x!u8>, tensor<4x3x4x!s8> -> tensor<1x6x4x!full>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!c8 = !quant.uniform<i8:f32:0, {0.03125,0.0625,0.03125,0.0625}>
func.func @conv1d_scales(%x: tensor<1x8x4x!u8>, %w: tensor<5x3x4x!c8>) {
  // expected-error @+1 {{weight has 4 scales for 5 output channels}}
  %0 = qnnpack.conv1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x8x4x!u8>, tensor<5x3x4x!c8> -> tensor<1x6x5x!u8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 0.5:3>
!z8 = !quant.uniform<i8:f32, 0.03125:1>
func.func @conv1d_signed_zero_point(%x: tensor<1x8x4x!i8>, %w: tensor<4x3x4x!z8>) {
  // expected-error @+1 {{weight has zero point 1, expected 0 because the activation is signed}}
  %0 = qnnpack.conv1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x8x4x!i8>, tensor<4x3x4x!z8> -> tensor<1x6x4x!i8>
  return
}

// -----

!x8 = !quant.uniform<i8:f32, 4096.0>
!i8 = !quant.uniform<i8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @signed_multiplier_large(%x: tensor<1x8x4x!x8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{input scale * weight scale / output scale is 2.560000e+02, expected a positive normal 32-bit number in [2^-32, 2^8) because the activation is signed}}
  %0 = qnnpack.conv1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x8x4x!x8>, tensor<4x3x4x!s8> -> tensor<1x6x4x!i8>
  return
}

// -----

!x8 = !quant.uniform<i8:f32, 3.0e-9>
!i8 = !quant.uniform<i8:f32, 1.0>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @signed_multiplier_small(%x: tensor<1x8x4x!x8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{expected a positive normal 32-bit number in [2^-32, 2^8) because the activation is signed}}
  %0 = qnnpack.conv1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x8x4x!x8>, tensor<4x3x4x!s8> -> tensor<1x6x4x!i8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @conv3d_depth(%x: tensor<1x4x4x4x2x!u8>, %w: tensor<4x2x2x2x2x!s8>) {
  // expected-error @+1 {{the output has depth 4, expected 3}}
  %0 = qnnpack.conv3d %x, %w {stride = array<i64: 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0>, dilation = array<i64: 1, 1, 1>, groups = 1 : i64} : tensor<1x4x4x4x2x!u8>, tensor<4x2x2x2x2x!s8> -> tensor<1x4x3x3x4x!u8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @conv3d_signed(%x: tensor<1x4x4x4x2x!i8>, %w: tensor<4x2x2x2x2x!s8>) {
  // expected-error @+1 {{has a signed activation, and XNNPACK no 3-d kernel; quantize the activation to u8}}
  %0 = qnnpack.conv3d %x, %w {stride = array<i64: 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0>, dilation = array<i64: 1, 1, 1>, groups = 1 : i64} : tensor<1x4x4x4x2x!i8>, tensor<4x2x2x2x2x!s8> -> tensor<1x3x3x3x4x!i8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @transposed_output_padding(%x: tensor<1x4x4x!u8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{output_padding -1 is outside the range [0, 2147483647]}}
  %0 = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, output_padding = array<i64: -1>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x4x4x!u8>, tensor<4x3x4x!s8> -> tensor<1x6x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @transposed_output_padding_count(%x: tensor<1x4x4x4x!u8>, %w: tensor<4x3x3x4x!s8>) {
  // expected-error @+1 {{output_padding has 1 numbers, expected 2}}
  %0 = qnnpack.conv_transpose2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x4x4x4x!u8>, tensor<4x3x3x4x!s8> -> tensor<1x6x6x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @transposed_length(%x: tensor<1x4x4x!u8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{the output has length 9, expected 10}}
  %0 = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 2>, padding = array<i64: 0, 0>, output_padding = array<i64: 1>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x4x4x!u8>, tensor<4x3x4x!s8> -> tensor<1x9x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @transposed_no_output(%x: tensor<1x4x4x!u8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{padding 3 and 3 leaves no length of the output; use less padding}}
  %0 = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 1>, padding = array<i64: 3, 3>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x4x4x!u8>, tensor<4x3x4x!s8> -> tensor<1x0x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @transposed_empty(%x: tensor<1x4x4x!u8>, %w: tensor<4x0x4x!s8>) {
  // expected-error @+1 {{has an empty input or kernel along the length}}
  %0 = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x4x4x!u8>, tensor<4x0x4x!s8> -> tensor<1x3x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @transposed_dynamic(%x: tensor<1x?x4x!u8>, %w: tensor<4x3x4x!s8>) {
  // expected-error @+1 {{has a dynamic length; only the batch may be dynamic}}
  %0 = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x?x4x!u8>, tensor<4x3x4x!s8> -> tensor<1x?x4x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!c8 = !quant.uniform<i8:f32:0, {0.03125,0.0625,0.03125,0.0625}>
func.func @transposed_groups_per_channel(%x: tensor<1x4x4x!u8>, %w: tensor<4x3x2x!c8>) {
  // expected-error @+1 {{has 2 groups and a weight quantized per channel, which the engine can't compute; quantize the weight per tensor}}
  %0 = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 2 : i64} : tensor<1x4x4x!u8>, tensor<4x3x2x!c8> -> tensor<1x6x4x!u8>
  return
}

// -----

!i8 = !quant.uniform<i8:f32, 0.5:3>
!c8 = !quant.uniform<i8:f32:0, {0.03125,0.0625,0.03125,0.0625}>
func.func @transposed_signed_per_channel(%x: tensor<1x4x4x!i8>, %w: tensor<4x3x4x!c8>) {
  // expected-error @+1 {{has a signed activation and a weight quantized per channel, for which XNNPACK has no kernel; quantize the weight per tensor or the activation to u8}}
  %0 = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x4x4x!i8>, tensor<4x3x4x!c8> -> tensor<1x6x4x!i8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!c8 = !quant.uniform<i8:f32:2, {0.03125,0.0625,0.03125,0.0625}>
func.func @transposed_axis(%x: tensor<1x4x4x!u8>, %w: tensor<4x3x4x!c8>) {
  // expected-error @+1 {{weight is quantized along axis 2, expected axis 0, the output channels}}
  %0 = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x4x4x!u8>, tensor<4x3x4x!c8> -> tensor<1x6x4x!u8>
  return
}

// -----

!x8 = !quant.uniform<u8:f32, 1.0e-30:3>
!w8 = !quant.uniform<i8:f32, 1.0e-30>
!u8 = !quant.uniform<u8:f32, 1.0:3>
func.func @transposed_multiplier(%x: tensor<1x4x4x!x8>, %w: tensor<4x3x4x!w8>) {
  // expected-error @+1 {{input scale * weight scale / output scale is 0.000000e+00, expected a positive normal 32-bit number}}
  %0 = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64} : tensor<1x4x4x!x8>, tensor<4x3x4x!w8> -> tensor<1x6x4x!u8>
  return
}

// -----

!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @dynamic_features(%x: tensor<2x3xf32>, %w: tensor<5x4x!s8>) {
  // expected-error @+1 {{the last dimension of the input is 3, expected 4, that of the weight}}
  %0 = qnnpack.linear_dynamic %x, %w : tensor<2x3xf32>, tensor<5x4x!s8> -> tensor<2x5xf32>
  return
}

// -----

!s8 = !quant.uniform<i8:f32, 0.03125>
func.func @dynamic_bias(%x: tensor<2x4xf32>, %w: tensor<5x4x!s8>, %b: tensor<4xf32>) {
  // expected-error @+1 {{bias has type 'tensor<4xf32>', expected 5 numbers, one per output channel}}
  %0 = qnnpack.linear_dynamic %x, %w, %b : tensor<2x4xf32>, tensor<5x4x!s8>, tensor<4xf32> -> tensor<2x5xf32>
  return
}

// -----

!c8 = !quant.uniform<i8:f32:1, {0.03125,0.0625,0.03125,0.0625}>
func.func @dynamic_axis(%x: tensor<2x4xf32>, %w: tensor<4x4x!c8>) {
  // expected-error @+1 {{weight is quantized along axis 1, expected axis 0, the output channels}}
  %0 = qnnpack.linear_dynamic %x, %w : tensor<2x4xf32>, tensor<4x4x!c8> -> tensor<2x4xf32>
  return
}

// -----

!s8 = !quant.uniform<i8:f32, 1.0e-42>
func.func @dynamic_scale(%x: tensor<2x4xf32>, %w: tensor<5x4x!s8>) {
  // expected-error @+1 {{weight has scale 1.000000e-42, expected a normal 32-bit number}}
  %0 = qnnpack.linear_dynamic %x, %w : tensor<2x4xf32>, tensor<5x4x!s8> -> tensor<2x5xf32>
  return
}
