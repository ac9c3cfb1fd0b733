// RUN: qbackend-opt %s | qbackend-opt | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK: int8.conv2d(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) into %{{.*}} {dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, padding = array<i64: 0, 0, 0, 0>, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>, stride = array<i64: 1, 1>} : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
func.func @tensors(%x: tensor<1x4x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>, %init: tensor<1x4x4x16xi8>) -> tensor<1x4x4x16xi8> {
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
  return %y : tensor<1x4x4x16xi8>
}

// Two groups of a stride, dilated, with a residual.
// CHECK-LABEL: func.func @buffers
// CHECK: int8.conv2d(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) into %{{.*}} {add = #int8.add<lhs = 1048576, rhs = 524288, offset = -7, shift = 21, half_up = true, zero_point = -1, lo = -1, hi = 127>
// CHECK-SAME: is_signed
// CHECK-SAME: memref<1x2x4x4xi8>) into memref<1x2x4x4xi8>{{$}}
func.func @buffers(%x: memref<1x5x9x4xi8>, %w: memref<4x3x3x2xi8>, %b: memref<4xi32>, %m: memref<4xf32>, %r: memref<1x2x4x4xi8>, %y: memref<1x2x4x4xi8>) {
  int8.conv2d(%x, %w, %b, %m, %r) into %y {stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 2, 0>, dilation = array<i64: 2, 2>, groups = 2 : i64, pad_value = -3 : i64, is_signed, requantize = #int8.requantize<zero_point = 5, lo = -128, hi = 120, overflow = -128>, add = #int8.add<lhs = 1048576, rhs = 524288, offset = -7, shift = 21, half_up = true, zero_point = -1, lo = -1, hi = 127>}
    : (memref<1x5x9x4xi8>, memref<4x3x3x2xi8>, memref<4xi32>, memref<4xf32>, memref<1x2x4x4xi8>) into memref<1x2x4x4xi8>
  return
}

// Sums that nothing is made of.
// CHECK-LABEL: func.func @sums
// CHECK: int8.conv2d(%{{.*}}, %{{.*}}, %{{.*}}) into %{{.*}} {dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, padding = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>) into tensor<1x1x4x16xi32> -> tensor<1x1x4x16xi32>
func.func @sums(%x: tensor<1x1x4x8xi8>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %init: tensor<1x1x4x16xi32>) -> tensor<1x1x4x16xi32> {
  %y = int8.conv2d(%x, %w, %b) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64}
    : (tensor<1x1x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>) into tensor<1x1x4x16xi32> -> tensor<1x1x4x16xi32>
  return %y : tensor<1x1x4x16xi32>
}

// Activations of 16 bits.
// CHECK-LABEL: func.func @wide
// CHECK: int8.conv2d({{.*}} is_signed, {{.*}} requantize = #int8.requantize<zero_point = 0, lo = -32768, hi = 32767, overflow = 32767, rounding = half_up>{{.*}} : (tensor<1x4x4x8xi16>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xi64>) into tensor<1x4x4x16xi16> -> tensor<1x4x4x16xi16>
func.func @wide(%x: tensor<1x4x4x8xi16>, %w: tensor<16x1x1x8xi8>, %b: tensor<16xi32>, %m: tensor<16xi64>, %init: tensor<1x4x4x16xi16>) -> tensor<1x4x4x16xi16> {
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -32768, hi = 32767, overflow = 32767, rounding = half_up>}
    : (tensor<1x4x4x8xi16>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xi64>) into tensor<1x4x4x16xi16> -> tensor<1x4x4x16xi16>
  return %y : tensor<1x4x4x16xi16>
}
