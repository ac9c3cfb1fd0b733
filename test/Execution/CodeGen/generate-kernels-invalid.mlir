// RUN: qbackend-opt %s -verify-diagnostics -qbackend-generate-kernels="target=scalar"
// RUN: not qbackend-opt %s -qbackend-generate-kernels="target=vnni1024 target-triple=x86_64-linux-gnu target-cpu=cascadelake" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not qbackend-opt %s -qbackend-generate-kernels="target=avx512vnni target-triple=x86_64-linux-gnu target-cpu=x86-64-v3" 2>&1 | FileCheck %s --check-prefix=FEATURES
// RUN: not qbackend-opt %s -qbackend-lower-to-llvm="target=i8mm target-triple=x86_64-linux-gnu" 2>&1 | FileCheck %s --check-prefix=PIPELINE

// NAME: error: qbackend-generate-kernels: target 'vnni1024' is not known; this processor has avx512vnni, avx512, avx2, ssse3, sse2, portable, scalar
// FEATURES: error: qbackend-generate-kernels: target 'avx512vnni' needs x86 with +avx512vnni,+avx512bw,+avx512vl, which x86_64 'x86-64-v3' doesn't have; add it to target-features, or leave target out
// PIPELINE: error: qbackend-generate-kernels: target 'i8mm' needs aarch64 with +i8mm,+dotprod

func.func @weight_is_an_argument(%x: memref<1x1x1x4xi8>, %w: memref<8x1x1x4xi8>, %y: memref<1x1x1x8xi8>) {
  %b = memref.get_global @b : memref<8xi32>
  %m = memref.get_global @m : memref<8xf32>
  // expected-error @+1 {{a kernel is generated for constant weights; the weight is none}}
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x1x1x4xi8>, memref<8x1x1x4xi8>, memref<8xi32>, memref<8xf32>) into memref<1x1x1x8xi8>
  return
}
memref.global "private" constant @b : memref<8xi32> = dense<3>
memref.global "private" constant @m : memref<8xf32> = dense<0.5>
