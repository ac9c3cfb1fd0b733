// AMX is taken by its name only: a process has to ask the system for it first.
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=sapphirerapids target=amx" | FileCheck %s
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=sapphirerapids" | FileCheck %s --check-prefix=UNNAMED
// RUN: not qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=icelake-server target=amx" 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: qbackend-opt %s -qbackend-lower-to-llvm="target-triple=x86_64-linux-gnu target-cpu=sapphirerapids target=amx bare-pointers" | mlir-translate --mlir-to-llvmir | llc -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids | FileCheck %s --check-prefix=ASM

// REFUSED: error: qbackend-generate-kernels: target 'amx' needs x86 with +amx-int8,+amx-tile,{{.*}}, which x86_64 'icelake-server' doesn't have
// UNNAMED-NOT: llvm.x86.t
// UNNAMED: llvm.x86.avx512.vpdpbusd.512

memref.global "private" constant @w : memref<40x3x3x32xi8> = dense<1>
memref.global "private" constant @b : memref<40xi32> = dense<3>
memref.global "private" constant @m : memref<40xf32> = dense<0.5>

// Rows of 20 pixels are two groups of 10, and 40 outputs a block of two vectors
// and one of 8. A row of the window is 96 bytes, two steps of 48: the operand of
// ldtilecfg has tiles of 10 x 64, 10 x 48 and 12 x 64.
// CHECK-LABEL: func.func private @int8_conv2d(
// CHECK-SAME: passthrough = ["noinline", "qbackend-kernel"]
// CHECK-DAG: arith.constant dense<[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 64, 0, 64, 0, 64, 0, 48, 0, 48, 0, 64, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 10, 10, 10, 10, 10, 12, 12, 0, 0, 0, 0, 0, 0, 0, 0]> : vector<64xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK: llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK: llvm.call_intrinsic "llvm.x86.tdpbusd"
// CHECK: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK: vector.store {{.*}} vector<16xi8>
// CHECK: vector.store {{.*}} vector<8xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.tilerelease"
// A signed image has an instruction of its own: nothing is moved by 128.
// CHECK-LABEL: func.func private @int8_conv2d_
// CHECK-NOT: arith.xori
// CHECK: llvm.call_intrinsic "llvm.x86.tdpbssd"
// CHECK: llvm.call_intrinsic "llvm.x86.tilerelease"

// ASM: ldtilecfg
// ASM: tdpbusd %tmm6, %tmm4, %tmm0

func.func @unsigned(%x: memref<1x6x20x32xi8>, %y: memref<1x6x20x40xi8>) {
  %w = memref.get_global @w : memref<40x3x3x32xi8>
  %b = memref.get_global @b : memref<40xi32>
  %m = memref.get_global @m : memref<40xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x6x20x32xi8>, memref<40x3x3x32xi8>, memref<40xi32>, memref<40xf32>) into memref<1x6x20x40xi8>
  return
}

func.func @signed(%x: memref<1x6x20x32xi8>, %y: memref<1x6x20x40xi8>) {
  %w = memref.get_global @w : memref<40x3x3x32xi8>
  %b = memref.get_global @b : memref<40xi32>
  %m = memref.get_global @m : memref<40xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = -3 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -128, hi = 127, overflow = 127>}
    : (memref<1x6x20x32xi8>, memref<40x3x3x32xi8>, memref<40xi32>, memref<40xf32>) into memref<1x6x20x40xi8>
  return
}
