// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=cascadelake" | FileCheck %s
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=x86-64-v3" | FileCheck %s --check-prefix=AVX2
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=alderlake" | FileCheck %s --check-prefix=AVXVNNI
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=skylake-avx512" | FileCheck %s --check-prefix=AVX512
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu" | FileCheck %s --check-prefix=SSE2
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=aarch64-linux-gnu target-features=+dotprod" | FileCheck %s --check-prefix=DOTPROD
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=aarch64-linux-gnu target-features=+dotprod,+i8mm" | FileCheck %s --check-prefix=I8MM
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=thumbv7em-none-eabihf target-cpu=cortex-m4" | FileCheck %s --check-prefix=DSP
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=thumbv7m-none-eabi target-cpu=cortex-m3" | FileCheck %s --check-prefix=NARROW
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=riscv32-unknown-elf target-features=+m" | FileCheck %s --check-prefix=NARROW
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=thumbv8.1m.main-none-eabihf target-cpu=cortex-m55" | FileCheck %s --check-prefix=MVE
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=riscv64-linux-gnu" | FileCheck %s --check-prefix=SCALAR
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=cascadelake target=scalar" | FileCheck %s --check-prefix=SCALAR

memref.global "private" constant @w : memref<16x1x1x8xi8> = dense<1>
memref.global "private" constant @v : memref<16x1x1x8xi8> = dense<2>
memref.global "private" constant @b : memref<16xi32> = dense<3>
memref.global "private" constant @m : memref<16xf32> = dense<0.5>

// Equal layers share a function; each has its constants, and its limits.
// CHECK-LABEL: func.func @pointwise
// CHECK: %[[W:.*]] = memref.get_global @qbackend_packed : memref<128xi8>
// CHECK: call @int8_conv2d(%{{.*}}, %[[W]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (memref<128xi8>, memref<128xi8>, memref<16xi32>, memref<16xf32>, memref<256xi8>, i8, f32, f32, f32, i8) -> ()
// CHECK: %[[LO:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: call @int8_conv2d(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[LO]], %{{.*}})
// CHECK-NOT: memref.alloc
func.func @pointwise(%x: memref<1x4x4x8xi8>, %y: memref<1x4x4x16xi8>, %z: memref<1x4x4x16xi8>) {
  %w = memref.get_global @w : memref<16x1x1x8xi8>
  %v = memref.get_global @v : memref<16x1x1x8xi8>
  %b = memref.get_global @b : memref<16xi32>
  %m = memref.get_global @m : memref<16xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x4x4x8xi8>, memref<16x1x1x8xi8>, memref<16xi32>, memref<16xf32>) into memref<1x4x4x16xi8>
  int8.conv2d(%x, %v, %b, %m) into %z {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 1, hi = 100, overflow = 100>}
    : (memref<1x4x4x8xi8>, memref<16x1x1x8xi8>, memref<16xi32>, memref<16xf32>) into memref<1x4x4x16xi8>
  return
}

// A signed input is moved by 128, in the copy, and 128 * 8 * 1 is in the bias: 3 - 1024. What
// is padded is read from a copy, which a call of its own makes of one image: behind it
// nothing reads the image. Vectors of results end at the last channel. A constant has
// the name of its layer.
// CHECK-LABEL: func.func @padded
// CHECK: %[[IMAGE:.*]] = memref.collapse_shape %{{.*}} : memref<1x4x4x8xi8> into memref<128xi8>
// CHECK: %[[OWN:.*]] = memref.get_global @qbackend_packed_padded_1 : memref<128xi8>
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// CHECK: call @[[PAD:int8_copy_image.*]](%[[IMAGE]], %{{.*}}, %[[PADDING:.*]], %[[COPY]]) : (memref<128xi8>, index, i8, memref<512xi8>) -> ()
// CHECK-NEXT: call @[[PADDED:int8_conv2d_[0-9]+]](%[[COPY]], %[[OWN]], %{{.*}}, %{{.*}}, %{{.*}}, %[[PADDING]], {{.*}})
// CHECK: memref.dealloc %[[COPY]]
func.func @padded(%x: memref<1x4x4x8xi8>, %y: memref<1x7x8x16xi8>) {
  %w = memref.get_global @w : memref<16x1x1x8xi8>
  %b = memref.get_global @b : memref<16xi32>
  %m = memref.get_global @m : memref<16xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 1, 2, 2, 2>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = -3 : i64, is_signed, requantize = #int8.requantize<zero_point = 0, lo = -128, hi = 127, overflow = 127>}
    : (memref<1x4x4x8xi8>, memref<16x1x1x8xi8>, memref<16xi32>, memref<16xf32>) into memref<1x7x8x16xi8> loc("padded.1")
  return
}

// CHECK-LABEL: func.func private @int8_conv2d(
// CHECK-SAME: passthrough = ["noinline", "qbackend-kernel"]
// CHECK: scf.for
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"{{.*}} -> vector<16xi32>
// CHECK: arith.sitofp
// CHECK: vector.store %{{[^ ]*}}, %{{[^ ]*}} : memref<256xi8>, vector<16xi8>
// CHECK: memref.global "private" constant @{{.*}} : memref<16xi32> = dense<-1021>
// CHECK: func.func private @[[PADDED]](
// CHECK-NOT: {{call @|arith.xori}}
// CHECK: func.func private @[[PAD]]
// CHECK: arith.xori

// AVXVNNI: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"{{.*}} -> vector<8xi32>
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"{{.*}} -> vector<32xi16>
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"{{.*}} -> vector<16xi32>
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"{{.*}} -> vector<16xi16>
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"{{.*}} -> vector<8xi32>
// SSE2: call @int8_conv2d({{.*}} memref<128xi16>
// SSE2: llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"{{.*}} -> vector<4xi32>
// SSE2-NOT: arith.xori
// DOTPROD: arith.xori
// DOTPROD: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"{{.*}} -> vector<4xi32>
// I8MM: llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"{{.*}} -> vector<4xi32>
// Of four neighbouring products, the even and the odd ones are added in pairs.
// DSP: %[[X:.*]] = vector.extract %{{.*}}[0] : i32 from vector<2xi32>
// DSP-NEXT: %[[W:.*]] = vector.extract %{{.*}}[0] : i32 from vector<2xi32>
// DSP-NEXT: %[[SUM:.*]] = vector.extract %{{.*}}[0] : i32 from vector<2xi32>
// DSP-NEXT: %[[XE:.*]] = llvm.call_intrinsic "llvm.arm.uxtb16"(%[[X]])
// DSP: %[[WE:.*]] = llvm.call_intrinsic "llvm.arm.sxtb16"(%[[W]])
// DSP: %[[EVEN:.*]] = llvm.call_intrinsic "llvm.arm.smlad"(%[[XE]], %[[WE]], %[[SUM]])
// DSP: %[[XR:.*]] = llvm.call_intrinsic "llvm.fshr.i32"(%[[X]], %[[X]], %[[EIGHT:.*]])
// DSP: %[[XO:.*]] = llvm.call_intrinsic "llvm.arm.uxtb16"(%[[XR]])
// DSP: %[[WR:.*]] = llvm.call_intrinsic "llvm.fshr.i32"(%[[W]], %[[W]], %[[EIGHT]])
// DSP: %[[WO:.*]] = llvm.call_intrinsic "llvm.arm.sxtb16"(%[[WR]])
// DSP: llvm.call_intrinsic "llvm.arm.smlad"(%[[XO]], %[[WO]], %[[EVEN]])
// NARROW-NOT: llvm.call_intrinsic
// NARROW: arith.muli %{{[^ ]*}}, %{{[^ ]*}} : vector<2xi32>
// SCALAR-NOT: llvm.call_intrinsic
// SCALAR: arith.muli %{{[^ ]*}}, %{{[^ ]*}} : vector<4xi32>
// Eight bytes of a run are half of what is multiplied: the others are not loaded. The
// sums of four outputs are scalars, and a vector when they are requantized.
// MVE: %[[BYTES:.*]] = vector.maskedload %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} : memref<128xi8>, vector<16xi1>, vector<16xi8> into vector<16xi8>
// MVE: %[[SIGNED:.*]] = arith.xori %[[BYTES]], %{{.*}} : vector<16xi8>
// MVE-COUNT-4: llvm.call_intrinsic "llvm.arm.mve.vmldava.v16i8"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SIGNED]], %{{.*}})
// MVE: vector.from_elements

// Cut into parts for threads: what a large layer does for an image is a function of
// its units, here rows; one image after the other is copied and computed. Small
// layers stay whole.
// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=cascadelake parallel" | FileCheck %s --check-prefix=PARTS
// PARTS-LABEL: func.func @large
// PARTS: call @[[LARGE:int8_conv2d_[0-9]+]](
// PARTS-LABEL: func.func private @int8_conv2d(
// PARTS-NOT: qbackend.units
// PARTS: func.func private @[[LARGE]](
// PARTS: scf.for
// PARTS: call @int8_copy_image_{{[0-9]+}}(
// PARTS: call @[[PART:int8_conv2d_part]](%{{.*}}, %c0{{[_0-9]*}}, %c30) {qbackend.units = 30 : i64}
// PARTS: func.func private @[[PART]](%{{.*}}: index, %[[FIRST:.*]]: index, %[[LAST:.*]]: index) attributes {llvm.bareptr, passthrough = ["noinline", "qbackend-kernel"]}
// PARTS: %[[UPPER:.*]] = arith.minui %{{.*}}, %[[LAST]]
// PARTS: scf.for %{{.*}} = %[[FIRST]] to %[[UPPER]]
memref.global "private" constant @large_w : memref<64x3x3x64xi8> = dense<1>
memref.global "private" constant @large_b : memref<64xi32> = dense<3>
memref.global "private" constant @large_m : memref<64xf32> = dense<0.5>
func.func @large(%x: memref<2x30x20x64xi8>, %y: memref<2x30x20x64xi8>) {
  %w = memref.get_global @large_w : memref<64x3x3x64xi8>
  %b = memref.get_global @large_b : memref<64xi32>
  %m = memref.get_global @large_m : memref<64xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (memref<2x30x20x64xi8>, memref<64x3x3x64xi8>, memref<64xi32>, memref<64xf32>) into memref<2x30x20x64xi8>
  return
}
