// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-features=+avx2,+fma target=avx2" | FileCheck %s

// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-features=+avx512bw,+avx512vl target=avx512" | FileCheck %s --check-prefix=PACKED
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=aarch64-linux-gnu target-features=+dotprod" | FileCheck %s --check-prefix=ARM

// Fixed-point multipliers are f32, with one rounding. Negative sums have an offset and
// an addend of their own where rounding twice gives some bytes: both roundings of
// (2^30 + 1) / 2^40 move a sum away from 0, by 1 of -1/2 and more.
// CHECK-LABEL: func.func @layers
// CHECK: call @[[BOTH:int8_conv2d]](%{{.*}}) : (memref<4xi8>, memref<32xi16>, memref<8xi32>, memref<40xi32>, memref<2xi8>, i8, i32, i32, i32, i32) -> ()
// CHECK: call @[[ONE:int8_conv2d_[0-9]+]](%{{.*}}) : (memref<4xi8>, memref<32xi16>, memref<8xi32>, memref<16xi32>, memref<2xi8>, i8, i32, i32, i32, i32) -> ()
// CHECK: func.func private @[[BOTH]](
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[SUM:.*]], %{{.*}} : vector<8xi32>
// CHECK: %[[MOVED:.*]] = arith.addi %[[SUM]],
// CHECK: arith.select %[[NEGATIVE]], %[[MOVED]], %[[SUM]]
// CHECK: %[[ADDEND:.*]] = arith.select %[[NEGATIVE]], %{{.*}} : vector<8xi1>, vector<8xf32>
// CHECK: math.fma %{{.*}}, %{{.*}}, %[[ADDEND]] : vector<8xf32>
// All bytes: the limits are one instruction with the truncation.
// CHECK: arith.addi
// CHECK: arith.maxsi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK: arith.minsi
// CHECK: arith.trunci
// CHECK-NOT: arith.addi
// CHECK: vector.store
// CHECK: func.func private @[[ONE]](
// CHECK-NOT: arith.select
// CHECK: math.fma
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK-NOT: arith.addi
// CHECK: vector.store

// What packs take is integers.
// PACKED-LABEL: func.func @wide
// PACKED: func.func private
// PACKED: llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// PACKED-NOT: cvtps2dq
// PACKED-NOT: sadd.sat
// PACKED: llvm.call_intrinsic "llvm.x86.avx512.packsswb.512"
// PACKED: arith.minsi %{{.*}} : vector<64xi8>

// ARM: math.fma %{{.*}} : vector<4xf32>
// ARM-NOT: i64>
memref.global "private" constant @w : memref<2x1x1x4xi8> = dense<1>
memref.global "private" constant @b : memref<2xi32> = dense<3>
memref.global "private" constant @m : memref<2xi64> = dense<[168577466369, 172872433664]>
func.func @layers(%x: memref<1x1x1x4xi8>, %y: memref<1x1x1x2xi8>) {
  %w = memref.get_global @w : memref<2x1x1x4xi8>
  %b = memref.get_global @b : memref<2xi32>
  %m = memref.get_global @m : memref<2xi64>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 5, lo = -128, hi = 127, overflow = 127, rounding = double>}
    : (memref<1x1x1x4xi8>, memref<2x1x1x4xi8>, memref<2xi32>, memref<2xi64>) into memref<1x1x1x2xi8>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 5, lo = 5, hi = 100, overflow = 100, rounding = double>}
    : (memref<1x1x1x4xi8>, memref<2x1x1x4xi8>, memref<2xi32>, memref<2xi64>) into memref<1x1x1x2xi8>
  return
}

memref.global "private" constant @w64 : memref<64x1x1x4xi8> = dense<1>
memref.global "private" constant @b64 : memref<64xi32> = dense<3>
memref.global "private" constant @m64 : memref<64xi64> = dense<168577466369>
func.func @wide(%x: memref<1x1x1x4xi8>, %y: memref<1x1x1x64xi8>) {
  %w = memref.get_global @w64 : memref<64x1x1x4xi8>
  %b = memref.get_global @b64 : memref<64xi32>
  %m = memref.get_global @m64 : memref<64xi64>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 5, lo = -128, hi = 100, overflow = 100, rounding = half_up>}
    : (memref<1x1x1x4xi8>, memref<64x1x1x4xi8>, memref<64xi32>, memref<64xi64>) into memref<1x1x1x64xi8>
  return
}
