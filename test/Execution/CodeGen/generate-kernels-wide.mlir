// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=cascadelake" | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=alderlake" | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu" | FileCheck %s --check-prefixes=CHECK,SSE2
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=aarch64-linux-gnu target-features=+dotprod,+i8mm" | FileCheck %s --check-prefixes=SINGLE
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=thumbv7em-none-eabihf target-cpu=cortex-m4" | FileCheck %s --check-prefixes=SINGLE
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=thumbv8.1m.main-none-eabihf target-cpu=cortex-m55" | FileCheck %s --check-prefixes=SINGLE

// Inputs of 16 bits are pairs as they are, and weights are packed in 16 bits: what has
// products by fours takes them by twos, or one by one. A layer of the same shape on
// bytes has a function of its own.

memref.global "private" constant @w : memref<16x1x1x8xi8> = dense<1>
memref.global "private" constant @d : memref<16x3x3x1xi8> = dense<1>
memref.global "private" constant @b : memref<16xi32> = dense<3>
memref.global "private" constant @m : memref<16xi64> = dense<81604395008>

// CHECK-LABEL: func.func @pointwise
// CHECK: call @int8_conv2d({{.*}}) : (memref<128xi16>, memref<128xi16>, memref<16xi32>, memref<16xi64>, memref<256xi16>, i16, i32, i32, i32, i8) -> ()
// CHECK: call @int8_conv2d_{{[0-9]+}}({{.*}}) : (memref<128xi8>,
// SINGLE-LABEL: func.func @pointwise
// SINGLE: call @int8_conv2d({{.*}}) : (memref<128xi16>, memref<128xi8>, memref<16xi32>, memref<16xi64>, memref<256xi16>, i16,
func.func @pointwise(%x: memref<1x4x4x8xi16>, %y: memref<1x4x4x16xi16>, %p: memref<1x4x4x8xi8>, %q: memref<1x4x4x16xi8>) {
  %w = memref.get_global @w : memref<16x1x1x8xi8>
  %b = memref.get_global @b : memref<16xi32>
  %m = memref.get_global @m : memref<16xi64>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -32768, hi = 32767, overflow = 32767, rounding = half_up>}
    : (memref<1x4x4x8xi16>, memref<16x1x1x8xi8>, memref<16xi32>, memref<16xi64>) into memref<1x4x4x16xi16>
  int8.conv2d(%p, %w, %b, %m) into %q {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -128, hi = 127, overflow = 127, rounding = half_up>}
    : (memref<1x4x4x8xi8>, memref<16x1x1x8xi8>, memref<16xi32>, memref<16xi64>) into memref<1x4x4x16xi8>
  return
}

// The copy with its padding has the type of the image.
// CHECK-LABEL: func.func @depthwise
// CHECK: memref.alloc() {{.*}} : memref<[[SIZE:[0-9]+]]xi16>
// CHECK: call @[[PAD:int8_copy_image.*]]({{.*}}) : (memref<256xi16>, index, i16, memref<[[SIZE]]xi16>) -> ()
// CHECK: call @[[DEPTHWISE:int8_conv2d_[0-9]+]](
func.func @depthwise(%x: memref<1x4x4x16xi16>, %y: memref<1x4x4x16xi16>) {
  %w = memref.get_global @d : memref<16x3x3x1xi8>
  %b = memref.get_global @b : memref<16xi32>
  %m = memref.get_global @m : memref<16xi64>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 16 : i64, pad_value = 0 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -32768, hi = 32767, overflow = 32767, rounding = half_up>}
    : (memref<1x4x4x16xi16>, memref<16x3x3x1xi8>, memref<16xi32>, memref<16xi64>) into memref<1x4x4x16xi16>
  return
}

// CHECK-LABEL: func.func private @int8_conv2d(
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// SSE2: llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"
// CHECK: arith.trunci {{.*}}xi64> to vector<{{[0-9]+}}xi32>
// CHECK: arith.trunci {{.*}}xi32> to vector<{{[0-9]+}}xi16>
// CHECK: vector.store {{.*}} : memref<256xi16>
// SINGLE-LABEL: func.func private @int8_conv2d(
// SINGLE: arith.extsi {{.*}} : vector<4xi16> to vector<4xi32>
// SINGLE: arith.muli {{.*}} : vector<{{[0-9]+}}xi32>
