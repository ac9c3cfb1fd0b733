// RUN: qbackend-opt %s -split-input-file -verify-diagnostics

func.func @dynamic_height(%x: tensor<1x?x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x?x4x16xi8>) {
  // expected-error @+1 {{has an operand of type 'tensor<1x?x4x8xi8>', expected extents that are static and not 0, but for a dynamic batch}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x?x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x?x4x16xi8> -> tensor<1x?x4x16xi8>
  return
}

// -----

func.func @dynamic_weight(%x: tensor<1x4x4x8xi8>, %w: tensor<?x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{has an operand of type 'tensor<?x1x1x8xi8>', expected extents that are static and not 0, but for a dynamic batch}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<?x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @empty(%x: tensor<1x0x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x0x4x16xi8>) {
  // expected-error @+1 {{has an operand of type 'tensor<1x0x4x8xi8>', expected extents that are static and not 0, but for a dynamic batch}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x0x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x0x4x16xi8> -> tensor<1x0x4x16xi8>
  return
}

// -----

func.func @stride_of_one_number(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{stride has 1 numbers, expected 2}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @stride_of_zero(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{stride 0 is outside the range [1, 2147483647]}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 0, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @dilation_of_zero(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{dilation 0 is outside the range [1, 2147483647]}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 0>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @negative_padding(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{padding -1 is outside the range [0, 2147483647]}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, -1, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @large_padding(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{padding 4294967296 is outside the range [0, 2147483647]}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 4294967296, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @no_groups(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{groups 0 is outside the range [1, 2147483647]}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 0 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @groups_do_not_divide(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{3 groups don't divide 8 and 16 channels}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 3 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @channels_of_the_weight(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x7xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{has a weight of type 'tensor<16x1x1x7xi8>', expected 16 outputs of 8 channels}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x7xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @batches(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<2x4x4x16xi8>) {
  // expected-error @+1 {{has images of different batches, 'tensor<1x4x4x8xi8>' and 'tensor<2x4x4x16xi8>'}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<2x4x4x16xi8> -> tensor<2x4x4x16xi8>
  return
}

// -----

func.func @dynamic_batch_of_one(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<?x4x4x16xi8>) {
  // expected-error @+1 {{has images of different batches, 'tensor<1x4x4x8xi8>' and 'tensor<?x4x4x16xi8>'}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<?x4x4x16xi8> -> tensor<?x4x4x16xi8>
  return
}

// -----

func.func @height(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x3x4x16xi8>) {
  // expected-error @+1 {{has a result of type 'tensor<1x3x4x16xi8>', expected height 4}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x3x4x16xi8> -> tensor<1x3x4x16xi8>
  return
}

// -----

func.func @kernel_beyond_the_image(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x5x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x1x16xi8>) {
  // expected-error @+1 {{has a result of type 'tensor<1x4x1x16xi8>', expected width 0}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x5x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x1x16xi8> -> tensor<1x4x1x16xi8>
  return
}

// -----

func.func @bias(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<15xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{has 16 output channels, but a 'tensor<15xi32>' for them}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<15xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @multiplier(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<1xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{has 16 output channels, but a 'tensor<1xf32>' for them}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<1xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @residual_without_add(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %r: tensor<1x4x4x16xi8>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{has a residual or add without the other one}}
  %y = int8.conv2d(%x, %w, %b, %m, %r) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>, tensor<1x4x4x16xi8>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @residual_of_another_shape(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %r: tensor<1x1x1x16xi8>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{has a residual of type 'tensor<1x1x1x16xi8>', expected the shape of 'tensor<1x4x4x16xi8>'}}
  %y = int8.conv2d(%x, %w, %b, %m, %r) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>, add = #int8.add<lhs = 1, rhs = 1, offset = 0, shift = 4, half_up = false, zero_point = 0, lo = 0, hi = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>, tensor<1x1x1x16xi8>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @pad_value(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{pad_value -1 is outside the range [0, 255]; is_signed moves it by -128}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = -1 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @signed_pad_value(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{pad_value 128 is outside the range [-128, 127]}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 128 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 127, overflow = 127>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @range(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{hi 256 is outside the range [0, 255]; is_signed moves it by -128}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 256, overflow = 0>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @empty_range(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{lo 7 is more than hi 6}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 7, hi = 6, overflow = 6>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @zero_point(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{zero_point -1 is outside the range [0, 255]; is_signed moves it by -128}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = -1, lo = 0, hi = 255, overflow = 0>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @overflow(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{overflow 3 is neither lo nor hi}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 3>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @range_of_the_sum(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %r: tensor<1x4x4x16xi8>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{lo -1 is outside the range [0, 255]; is_signed moves it by -128}}
  %y = int8.conv2d(%x, %w, %b, %m, %r) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>, add = #int8.add<lhs = 1, rhs = 1, offset = 0, shift = 4, half_up = false, zero_point = 0, lo = -1, hi = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>, tensor<1x4x4x16xi8>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @zero_point_of_the_sum(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %r: tensor<1x4x4x16xi8>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{zero_point 256 is outside the range [0, 255]; is_signed moves it by -128}}
  %y = int8.conv2d(%x, %w, %b, %m, %r) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>, add = #int8.add<lhs = 1, rhs = 1, offset = 0, shift = 4, half_up = false, zero_point = 256, lo = 0, hi = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>, tensor<1x4x4x16xi8>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @shift(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %r: tensor<1x4x4x16xi8>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{shift 31 is outside the range [1, 30]}}
  %y = int8.conv2d(%x, %w, %b, %m, %r) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>, add = #int8.add<lhs = 1, rhs = 1, offset = 0, shift = 31, half_up = false, zero_point = 0, lo = 0, hi = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>, tensor<1x4x4x16xi8>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @sum_beyond_32_bits(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %r: tensor<1x4x4x16xi8>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{lhs 4194304 and rhs -4194304 are too large for shift 26 in 32 bits}}
  %y = int8.conv2d(%x, %w, %b, %m, %r) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>, add = #int8.add<lhs = 4194304, rhs = -4194304, offset = 0, shift = 26, half_up = false, zero_point = 0, lo = 0, hi = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>, tensor<1x4x4x16xi8>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @result_of_another_type(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{the result has to be of the type of init, 'tensor<1x4x4x16xi8>'}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x17xi8>
  return
}

// -----

func.func @no_result(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{the result has to be of the type of init, 'tensor<1x4x4x16xi8>'}}
  int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8>
  return
}

// -----

func.func @result_of_a_buffer(%x: memref<1x4x4x8xi8>, %w: memref<16x1x1x8xi8>, %b: memref<16xi32>, %m: memref<16xf32>, %init: memref<1x4x4x16xi8>) {
  // expected-error @+1 {{the result has to be of the type of init, 'memref<1x4x4x16xi8>', and a buffer has none}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x4x4x8xi8>, memref<16x1x1x8xi8>, memref<16xi32>, memref<16xf32>) into memref<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @multiplier_alone(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi32>) {
  // expected-error @+1 {{has a multiplier or requantize without the other one}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi32> -> tensor<1x4x4x16xi32>
  return
}

// -----

func.func @requantize_alone(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{has a multiplier or requantize without the other one}}
  %y = int8.conv2d(%x, %w, %b) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @bytes_of_sums(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{has a result of type 'tensor<1x4x4x16xi8>', expected i32: without requantize it is sums}}
  %y = int8.conv2d(%x, %w, %b) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @words_of_requantize(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi32>) {
  // expected-error @+1 {{has a result of type 'tensor<1x4x4x16xi32>', expected i8, which requantize gives}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi32> -> tensor<1x4x4x16xi32>
  return
}

// -----

func.func @add_alone(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %r: tensor<1x4x4x16xi8>, %init: tensor<1x4x4x16xi32>) {
  // expected-error @+1 {{has add without requantize, whose byte it adds to}}
  %y = "int8.conv2d"(%x, %w, %b, %r, %init) <{stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, add = #int8.add<lhs = 1048576, rhs = 1048576, offset = 0, shift = 21, half_up = false, zero_point = 0, lo = 0, hi = 255>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1>}>
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<1x4x4x16xi8>, tensor<1x4x4x16xi32>) -> tensor<1x4x4x16xi32>
  return
}

// -----

func.func @wide_result_of_bytes(%x: tensor<1x4x4x8xi16>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xi64>, %init: tensor<1x4x4x16xi8>) {
  // expected-error @+1 {{has a result of type 'tensor<1x4x4x16xi8>', expected i16, which requantize gives}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -32768, hi = 32767, overflow = 32767, rounding = half_up>}
    : (tensor<1x4x4x8xi16>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xi64>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return
}

// -----

func.func @wide_unsigned(%x: tensor<1x4x4x8xi16>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xi64>, %init: tensor<1x4x4x16xi16>) {
  // expected-error @+1 {{has an input of i16, expected is_signed, multipliers of i64, zero points and a pad_value of 0, and no residual}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, requantize = #int8.requantize<zero_point = 0, lo = -32768, hi = 32767, overflow = 32767, rounding = half_up>}
    : (tensor<1x4x4x8xi16>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xi64>) into tensor<1x4x4x16xi16> -> tensor<1x4x4x16xi16>
  return
}

// -----

func.func @wide_padding(%x: tensor<1x4x4x8xi16>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xi64>, %init: tensor<1x4x4x16xi16>) {
  // expected-error @+1 {{has an input of i16, expected is_signed, multipliers of i64, zero points and a pad_value of 0, and no residual}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -32768, hi = 32767, overflow = 32767, rounding = half_up>}
    : (tensor<1x4x4x8xi16>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xi64>) into tensor<1x4x4x16xi16> -> tensor<1x4x4x16xi16>
  return
}

// -----

func.func @wide_zero_point(%x: tensor<1x4x4x8xi16>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xi64>, %init: tensor<1x4x4x16xi16>) {
  // expected-error @+1 {{has an input of i16, expected is_signed, multipliers of i64, zero points and a pad_value of 0, and no residual}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 1, lo = -32768, hi = 32767, overflow = 32767, rounding = half_up>}
    : (tensor<1x4x4x8xi16>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xi64>) into tensor<1x4x4x16xi16> -> tensor<1x4x4x16xi16>
  return
}

// -----

func.func @wide_of_floats(%x: tensor<1x4x4x8xi16>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi16>) {
  // expected-error @+1 {{has an input of i16, expected is_signed, multipliers of i64, zero points and a pad_value of 0, and no residual}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -32768, hi = 32767, overflow = 32767>}
    : (tensor<1x4x4x8xi16>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi16> -> tensor<1x4x4x16xi16>
  return
}

// -----

func.func @wide_limit(%x: tensor<1x4x4x8xi16>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xi64>, %init: tensor<1x4x4x16xi16>) {
  // expected-error @+1 {{lo -32769 is outside the range [-32768, 32767]}}
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -32769, hi = 32767, overflow = 32767, rounding = half_up>}
    : (tensor<1x4x4x8xi16>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xi64>) into tensor<1x4x4x16xi16> -> tensor<1x4x4x16xi16>
  return
}
