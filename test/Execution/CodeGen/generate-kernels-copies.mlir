// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=thumbv6m-none-eabi target-cpu=cortex-m0plus" | FileCheck %s --implicit-check-not="vector<{{8|16|32|64}}xi8>"
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=riscv32-unknown-elf target-features=+m" | FileCheck %s --implicit-check-not="vector<{{8|16|32|64}}xi8>"
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=thumbv8.1m.main-none-eabihf target-cpu=cortex-m55" | FileCheck %s --check-prefix=VECTORS

// Without vectors a padded image is copied word by word, for a depthwise layer, too: 64
// bytes at once were most of the code of a network on a Cortex-M0+.
memref.global "private" constant @w : memref<9x3x3x1xi8> = dense<1>
memref.global "private" constant @b : memref<9xi32> = dense<3>
memref.global "private" constant @m : memref<9xf32> = dense<0.015625>
// CHECK: func.func private @int8_copy_image
// CHECK: %[[STEP:.*]] = arith.constant 4 : index
// CHECK: scf.for {{.*}} step %[[STEP]]
// CHECK: vector.store {{.*}} vector<4xi8>
// VECTORS: func.func private @int8_copy_image
// VECTORS: vector.store {{.*}} vector<64xi8>
func.func @layer(%x: memref<1x8x8x9xi8>, %y: memref<1x8x8x9xi8>) {
  %w = memref.get_global @w : memref<9x3x3x1xi8>
  %b = memref.get_global @b : memref<9xi32>
  %m = memref.get_global @m : memref<9xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 9 : i64, pad_value = 0 : i64, requantize = #int8.requantize<zero_point = 5, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x8x8x9xi8>, memref<9x3x3x1xi8>, memref<9xi32>, memref<9xf32>) into memref<1x8x8x9xi8>
  return
}
