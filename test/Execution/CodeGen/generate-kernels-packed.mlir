// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=cascadelake" | FileCheck %s
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=aarch64-linux-gnu target-features=+dotprod" | FileCheck %s --check-prefix=PLAIN

memref.global "private" constant @w : memref<64x1x1x8xi8> = dense<0>
memref.global "private" constant @d : memref<64x3x3x1xi8> = dense<0>
memref.global "private" constant @b : memref<64xi32> = dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]>
memref.global "private" constant @m : memref<64xf32> = dense<0.5>

// PLAIN-NOT: llvm.x86
// PLAIN: vector.store %{{[^ ]*}}, %{{[^ ]*}} : memref<64xi8>, vector<4xi8>

// Sums of four vectors become bytes by saturating packs, which take four words of each
// in turns: bias, multiplier and weights are in that order.
// CHECK-LABEL: func.func private @int8_conv2d(
// CHECK-SAME: %[[BIAS:[^:]*]]: memref<64xi32>, %{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: memref<64xi8>, %{{[^:]*}}: i8, %{{[^:]*}}: f32, %[[HIGH:[^:]*]]: f32, %{{[^:]*}}: f32, %{{[^:]*}}: i8, %[[ZERO:[^:]*]]: i16, %{{[^:]*}}: i8, %{{[^:]*}}: i8)
// CHECK-DAG: %[[MOST:.*]] = vector.broadcast %[[HIGH]] : f32 to vector<16xf32>
// CHECK-DAG: %[[POINT:.*]] = vector.broadcast %[[ZERO]] : i16 to vector<32xi16>
// Where a sum that doesn't fit is the largest result, it is clamped before.
// CHECK: arith.cmpf olt, %[[SCALED:.*]], %[[MOST]]
// CHECK-NEXT: %[[FITS:.*]] = arith.select %{{.*}}, %[[SCALED]], %[[MOST]]
// CHECK-COUNT-3: arith.select
// CHECK: %[[FIRST:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"(%[[FITS]], %{{.*}}, %c-1_i16{{.*}}, %c4_i32{{.*}})
// CHECK: %[[SECOND:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"
// CHECK: %[[LEFT:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"(%[[FIRST]], %[[SECOND]])
// CHECK: llvm.intr.sadd.sat(%[[LEFT]], %[[POINT]])
// CHECK: %[[BYTES:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packuswb.512"
// CHECK-NEXT: vector.store %[[BYTES]], %{{.*}} : memref<64xi8>, vector<64xi8>
// CHECK: memref.global "private" constant @{{.*}} : memref<64xi32> = dense<[0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51, 4, 5, 6, 7, 20,
func.func @packed(%x: memref<1x1x1x8xi8>, %y: memref<1x1x1x64xi8>) {
  %w = memref.get_global @w : memref<64x1x1x8xi8>
  %b = memref.get_global @b : memref<64xi32>
  %m = memref.get_global @m : memref<64xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 7, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x1x1x8xi8>, memref<64x1x1x8xi8>, memref<64xi32>, memref<64xf32>) into memref<1x1x1x64xi8>
  return
}

// Limits of bytes narrower than their type are clamped to; no zero point isn't added.
// Where a sum that doesn't fit is the lowest result, that is what the conversion gives.
// CHECK-LABEL: func.func private @int8_conv2d_{{[0-9]+}}(
// CHECK-SAME: %[[LO:[^:]*]]: i8, %[[HI:[^:]*]]: i8)
// CHECK-NOT: arith.cmpf
// CHECK-NOT: sadd.sat
// CHECK: %[[BYTES:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packsswb.512"
// CHECK-NEXT: %[[ABOVE:.*]] = arith.maxsi %[[BYTES]], %{{.*}} : vector<64xi8>
// CHECK-NEXT: arith.minsi %[[ABOVE]], %{{.*}} : vector<64xi8>
func.func @clamped(%x: memref<1x1x1x8xi8>, %y: memref<1x1x1x64xi8>) {
  %w = memref.get_global @w : memref<64x1x1x8xi8>
  %b = memref.get_global @b : memref<64xi32>
  %m = memref.get_global @m : memref<64xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = -3 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -100, hi = 100, overflow = -100>}
    : (memref<1x1x1x8xi8>, memref<64x1x1x8xi8>, memref<64xi32>, memref<64xf32>) into memref<1x1x1x64xi8>
  return
}

// Rows of 64 channels are unpacked in the same order.
// CHECK-LABEL: func.func private @int8_conv2d_{{[0-9]+}}(
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 64, 1, 65, 2, 66, 3, 67, 4, 68, 5, 69, 6, 70, 7, 71, 16, 80,
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.packuswb.512"
func.func @depthwise(%x: memref<1x3x3x64xi8>, %y: memref<1x1x1x64xi8>) {
  %w = memref.get_global @d : memref<64x3x3x1xi8>
  %b = memref.get_global @b : memref<64xi32>
  %m = memref.get_global @m : memref<64xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 64 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 7, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x3x3x64xi8>, memref<64x3x3x1xi8>, memref<64xi32>, memref<64xf32>) into memref<1x1x1x64xi8>
  return
}
