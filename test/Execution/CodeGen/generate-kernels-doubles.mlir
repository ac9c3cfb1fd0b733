// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-features=+avx2 target=avx2" | FileCheck %s
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=aarch64-linux-gnu target-features=+dotprod" | FileCheck %s --check-prefix=INTEGERS

// Fixed-point multipliers are f64 where no sum is a tie: (2^30 + 1) / 2^40 and
// (2^31 - 1) / 2^44.
memref.global "private" constant @w : memref<2x1x1x4xi8> = dense<1>
memref.global "private" constant @b : memref<2xi32> = dense<3>
memref.global "private" constant @m : memref<2xi64> = dense<[168577466369, 186831077375]>
// 3 * 2^29 / 2^40: 2^10, which 4 products of bytes reach, is a tie.
memref.global "private" constant @tie : memref<2xi64> = dense<[169114337280, 168577466369]>
// (2^30 + 1) / 2^45: products below 2^8 may have more than 53 bits.
memref.global "private" constant @small : memref<2xi64> = dense<[168577466369, 190052302849]>

// INTEGERS-NOT: f64
// CHECK-LABEL: func.func @layers
// CHECK: call @int8_conv2d(%{{.*}}) : (memref<4xi8>, memref<32xi16>, memref<8xi32>, memref<8xf64>, memref<2xi8>, i8, i32, i32, i32, i32) -> ()
// CHECK: call @[[TIE:int8_conv2d_[0-9]+]](%{{.*}}) : (memref<4xi8>, memref<32xi16>, memref<8xi32>, memref<8xi64>, memref<2xi8>, i8, i32, i32, i32, i8) -> ()
// CHECK: call @[[TIE]](
// CHECK: memref<8xf64> = dense<[9.765625009094947E-4, 1.2207031244315658E-4, 0.000000e+00, {{.*}}]>
// CHECK: func.func private @int8_conv2d(
// The sign of the sum, and the power of two of the multiplier: 2^(30 - s).
// CHECK: %[[SUM:.*]] = arith.sitofp %{{.*}} : vector<8xi32> to vector<8xf64>
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[SUM]], %{{.*}} fastmath<contract> : vector<8xf64>
// CHECK: arith.andi
// CHECK: arith.andi
// CHECK: arith.ori
// CHECK: %[[MOVED:.*]] = arith.addf %[[PRODUCT]], %{{.*}} fastmath<contract> : vector<8xf64>
// CHECK: llvm.call_intrinsic "llvm.lrint.v8i32.v8f64"(%[[MOVED]])
// CHECK: arith.addi
// CHECK: %[[LIMITED:.*]] = arith.maxsi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK: arith.minsi %[[LIMITED]], %{{.*}} : vector<8xi32>
// CHECK: func.func private @[[TIE]](
// CHECK: arith.muli %{{.*}} : vector<8xi64>
func.func @layers(%x: memref<1x1x1x4xi8>, %y: memref<1x1x1x2xi8>) {
  %w = memref.get_global @w : memref<2x1x1x4xi8>
  %b = memref.get_global @b : memref<2xi32>
  %m1 = memref.get_global @m : memref<2xi64>
  int8.conv2d(%x, %w, %b, %m1) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 5, lo = -128, hi = 127, overflow = 127, rounding = double>}
    : (memref<1x1x1x4xi8>, memref<2x1x1x4xi8>, memref<2xi32>, memref<2xi64>) into memref<1x1x1x2xi8>
  %m2 = memref.get_global @tie : memref<2xi64>
  int8.conv2d(%x, %w, %b, %m2) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 5, lo = -128, hi = 127, overflow = 127, rounding = half_up>}
    : (memref<1x1x1x4xi8>, memref<2x1x1x4xi8>, memref<2xi32>, memref<2xi64>) into memref<1x1x1x2xi8>
  %m3 = memref.get_global @small : memref<2xi64>
  int8.conv2d(%x, %w, %b, %m3) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 5, lo = -128, hi = 127, overflow = 127, rounding = half_up>}
    : (memref<1x1x1x4xi8>, memref<2x1x1x4xi8>, memref<2xi32>, memref<2xi64>) into memref<1x1x1x2xi8>
  return
}
