// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s

// Every kind of op with a dynamic batch, rank 0, and branches: nothing of the
// dialect, no quantized type and no cast between types is left.

// CHECK-NOT: qnnpack.
// CHECK-NOT: quant.
// CHECK-NOT: unrealized_conversion_cast

!u8 = !quant.uniform<u8:f32, 0.5:3>
!v8 = !quant.uniform<u8:f32, 0.25:9>
!i8 = !quant.uniform<i8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.03125>
!p8 = !quant.uniform<u8:f32, 0.00390625>
func.func @all(%x: tensor<?x6x7x4x!u8>, %b: tensor<1x1x1x4x!v8>, %w: tensor<4x3x3x2x!s8>, %w1: tensor<8x3x3x2x!s8>) -> (tensor<?x5x3x4x!u8>, tensor<?x1x1x4x!u8>, tensor<?x4x!u8>, tensor<?x6x7x8x!v8>, tensor<?x6x7x4x!p8>, tensor<?x168x!u8>, tensor<?x4x6x7x!u8>, tensor<?x6x7x4x!v8>, tensor<?x6x7x8x!u8>, tensor<?x!u8>) {
  %0 = qnnpack.adaptive_avg_pool2d %x : tensor<?x6x7x4x!u8> -> tensor<?x5x3x4x!u8>
  %1 = qnnpack.mean %x {keepdim} : tensor<?x6x7x4x!u8> -> tensor<?x1x1x4x!u8>
  %2 = qnnpack.mean %x : tensor<?x6x7x4x!u8> -> tensor<?x4x!u8>
  %3 = qnnpack.cat %x, %x {axis = 3 : i64, relu} : tensor<?x6x7x4x!u8>, tensor<?x6x7x4x!u8> -> tensor<?x6x7x8x!v8>
  %4 = qnnpack.softmax %x {axis = 2 : i64} : tensor<?x6x7x4x!u8> -> tensor<?x6x7x4x!p8>
  %5 = qnnpack.reshape %x : tensor<?x6x7x4x!u8> -> tensor<?x168x!u8>
  %6 = qnnpack.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : tensor<?x6x7x4x!u8> -> tensor<?x4x6x7x!u8>
  %7 = qnnpack.add %x, %b : tensor<?x6x7x4x!u8>, tensor<1x1x1x4x!v8> -> tensor<?x6x7x4x!v8>
  %8 = qnnpack.conv2d %x, %w1 {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 2 : i64} : tensor<?x6x7x4x!u8>, tensor<8x3x3x2x!s8> -> tensor<?x6x7x8x!u8>
  %9 = qnnpack.reshape %5 : tensor<?x168x!u8> -> tensor<?x!u8>
  %10 = qnnpack.mul_scalar %x, 0.0 : tensor<?x6x7x4x!u8> -> tensor<?x6x7x4x!quant.uniform<u8:f32, 1.0>>
  %11 = qnnpack.relu %x : tensor<?x6x7x4x!u8> -> tensor<?x6x7x4x!u8>
  %12 = qnnpack.sigmoid %11 : tensor<?x6x7x4x!u8> -> tensor<?x6x7x4x!p8>
  %13 = qnnpack.avg_pool2d %x {kernel = array<i64: 3, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, ceil_mode, count_include_pad = false} : tensor<?x6x7x4x!u8> -> tensor<?x4x4x4x!u8>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<?x5x3x4x!u8>, tensor<?x1x1x4x!u8>, tensor<?x4x!u8>, tensor<?x6x7x8x!v8>, tensor<?x6x7x4x!p8>, tensor<?x168x!u8>, tensor<?x4x6x7x!u8>, tensor<?x6x7x4x!v8>, tensor<?x6x7x8x!u8>, tensor<?x!u8>
}
func.func @rank0(%x: tensor<!u8>, %y: tensor<1x1x!u8>) -> (tensor<1x1x!u8>, tensor<!u8>) {
  %0 = qnnpack.reshape %x : tensor<!u8> -> tensor<1x1x!u8>
  %1 = qnnpack.reshape %y : tensor<1x1x!u8> -> tensor<!u8>
  return %0, %1 : tensor<1x1x!u8>, tensor<!u8>
}
func.func @c(%i: i1, %x: tensor<4x!u8>) -> tensor<4x!u8> {
  cf.cond_br %i, ^a(%x : tensor<4x!u8>), ^b
^a(%y: tensor<4x!u8>):
  %c = tensor.cast %y : tensor<4x!u8> to tensor<?x!u8>
  %d = tensor.cast %c : tensor<?x!u8> to tensor<4x!u8>
  return %d : tensor<4x!u8>
^b:
  %e = tensor.empty() : tensor<4x!u8>
  return %e : tensor<4x!u8>
}
