// Where products of bytes are added in 16 bits, which saturate, two steps are
// multiplied at once if their weights can't reach that: if those of a sign that
// share a lane add up to at most 128. Offsets are, of each block of outputs, how many
// pairs it has, and how many and how many weights are before it; then where the bytes
// of the steps of each pair begin.
// RUN: qbackend-opt %s -split-input-file -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=x86-64-v3" | FileCheck %s
// RUN: qbackend-opt %s -split-input-file -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=skylake-avx512" | FileCheck %s --check-prefix=AVX512
// RUN: qbackend-opt %s -split-input-file -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=x86-64-v2" | FileCheck %s --check-prefix=SSSE3

// Each step of 63 has one of 1 beside it: 4 x 63 were too much.
// CHECK-LABEL: func.func @pairs
// CHECK: memref.global "private" constant @{{.*}} : memref<11xi32> = dense<[2, 0, 0, 0, 12, 4, 8, 0, 0, 0, 0]>
// CHECK: scf.for
// CHECK: %[[A:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"({{.*}} -> vector<16xi16>
// CHECK: %[[B:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"({{.*}} -> vector<16xi16>
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %{{[^ ]*}} : vector<16xi16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[SUM]], %{{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"({{.*}} -> vector<32xi16>
// SSSE3: llvm.call_intrinsic "llvm.x86.ssse3.pmadd.ub.sw.128"({{.*}} -> vector<8xi16>
memref.global "private" constant @w : memref<1x1x1x16xi8> = dense<[[[[1, 1, 1, 1, 63, 63, 63, 63, 1, 1, 1, 1, 63, 63, 63, 63]]]]>
memref.global "private" constant @b : memref<1xi32> = dense<3>
memref.global "private" constant @m : memref<1xf32> = dense<0.5>
func.func @pairs(%x: memref<1x1x8x16xi8>, %y: memref<1x1x8x1xi8>) {
  %w = memref.get_global @w : memref<1x1x1x16xi8>
  %b = memref.get_global @b : memref<1xi32>
  %m = memref.get_global @m : memref<1xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x1x8x16xi8>, memref<1x1x1x16xi8>, memref<1xi32>, memref<1xf32>) into memref<1x1x8x1xi8>
  return
}

// -----

// The sum of 2 x 127 doesn't fit by itself: its step is there twice.
// CHECK-LABEL: func.func @split
// CHECK: memref.global "private" constant @{{.*}} : memref<11xi32> = dense<[3, 0, 0, 0, 4, 4, 8, 12, 12, 0, 0]>
memref.global "private" constant @w : memref<1x1x1x16xi8> = dense<[[[[-1, -1, -1, -1, 127, 127, 127, 127, -1, -1, -1, -1, -1, -1, -1, -1]]]]>
memref.global "private" constant @b : memref<1xi32> = dense<3>
memref.global "private" constant @m : memref<1xf32> = dense<0.5>
func.func @split(%x: memref<1x1x8x16xi8>, %y: memref<1x1x8x1xi8>) {
  %w = memref.get_global @w : memref<1x1x1x16xi8>
  %b = memref.get_global @b : memref<1xi32>
  %m = memref.get_global @m : memref<1xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x1x8x16xi8>, memref<1x1x1x16xi8>, memref<1xi32>, memref<1xf32>) into memref<1x1x8x1xi8>
  return
}

// -----

// Signed bytes become unsigned ones: 128 x 4 x (2 + 8 + 1 + 3) less are in the bias.
// CHECK-LABEL: func.func @signed
// CHECK: memref.global "private" constant @{{.*}} : memref<8xi32> = dense<[-7165, 0, 0, 0, 0, 0, 0, 0]>
// CHECK: arith.xori
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
memref.global "private" constant @w : memref<1x1x1x16xi8> = dense<[[[[2, 2, 2, 2, 8, 8, 8, 8, 1, 1, 1, 1, 3, 3, 3, 3]]]]>
memref.global "private" constant @b : memref<1xi32> = dense<3>
memref.global "private" constant @m : memref<1xf32> = dense<0.5>
func.func @signed(%x: memref<1x1x8x16xi8>, %y: memref<1x1x8x1xi8>) {
  %w = memref.get_global @w : memref<1x1x1x16xi8>
  %b = memref.get_global @b : memref<1xi32>
  %m = memref.get_global @m : memref<1xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -128, hi = 127, overflow = 127>}
    : (memref<1x1x8x16xi8>, memref<1x1x1x16xi8>, memref<1xi32>, memref<1xf32>) into memref<1x1x8x1xi8>
  return
}

// -----

// No step leaves room for another one: products of 16 bits are faster.
// CHECK-LABEL: func.func @large
// CHECK: call @int8_conv2d({{.*}}memref<128xi16>
// CHECK-NOT: pmadd.ub.sw
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// CHECK-NOT: pmadd.ub.sw
// AVX512-LABEL: func.func @large
// AVX512-NOT: pmaddubs
memref.global "private" constant @w : memref<1x1x1x16xi8> = dense<[[[[-128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128]]]]>
memref.global "private" constant @b : memref<1xi32> = dense<3>
memref.global "private" constant @m : memref<1xf32> = dense<0.5>
func.func @large(%x: memref<1x1x8x16xi8>, %y: memref<1x1x8x1xi8>) {
  %w = memref.get_global @w : memref<1x1x1x16xi8>
  %b = memref.get_global @b : memref<1xi32>
  %m = memref.get_global @m : memref<1xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x1x8x16xi8>, memref<1x1x1x16xi8>, memref<1xi32>, memref<1xf32>) into memref<1x1x8x1xi8>
  return
}
