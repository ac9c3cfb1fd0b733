// RUN: qbackend-opt %s --qbackend-lower-engines --qbackend-lower-to-llvm="bare-pointers target-triple=x86_64-linux-gnu target-cpu=cascadelake" | FileCheck %s

// A depthwise layer reads what the layer before it wrote, between rows of padding: 22 x 20 x
// 64 bytes are all that is in use, and are copied nowhere.
// CHECK: llvm.func @main({{.*}}"qbackend-arena-bytes", "28160"
// CHECK-NOT: int8_copy_image
!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
func.func @main(%x: tensor<1x20x20x16x!x>) -> tensor<1x20x20x64x!x> {
  %0 = arith.constant dense<1> : tensor<64x1x1x16xi8>
  %w = quant.scast %0 : tensor<64x1x1x16xi8> to tensor<64x1x1x16x!w>
  %1 = arith.constant dense<1> : tensor<64x3x3x1xi8>
  %w1 = quant.scast %1 : tensor<64x3x3x1xi8> to tensor<64x3x3x1x!w>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x20x20x16x!x>, tensor<64x1x1x16x!w> -> tensor<1x20x20x64x!x>
  %z = qnnpack.conv2d %y, %w1 {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 64 : i64} : tensor<1x20x20x64x!x>, tensor<64x3x3x1x!w> -> tensor<1x20x20x64x!x>
  return %z : tensor<1x20x20x64x!x>
}
