// DEFINE: %{options} = target-triple=thumbv6m-none-eabi target-cpu=cortex-m0plus
// DEFINE: %{run} = qbackend-opt %s -split-input-file -qbackend-generate-kernels="%{options}" -qbackend-requantize-by-integers="%{options}"
// RUN: %{run} | FileCheck %s
// REDEFINE: %{options} = target-triple=riscv32-unknown-elf target-features=+m
// RUN: %{run} | FileCheck %s
// REDEFINE: %{options} = target=portable
// RUN: %{run} | FileCheck %s
// REDEFINE: %{options} = target-triple=thumbv7em-none-eabihf target-cpu=cortex-m4
// RUN: %{run} | FileCheck %s --check-prefix=FLOAT

// Where there is no FPU, a sum is requantized by integers. 3/8 is 12582912 * 2^-25, and
// 3/64 the same with 2^-28: of one shift, eight times less.
memref.global "private" constant @w : memref<2x1x1x4xi8> = dense<1>
memref.global "private" constant @b : memref<2xi32> = dense<3>
memref.global "private" constant @m : memref<2xf32> = dense<[0.375, 0.046875]>
memref.global "private" constant @large : memref<2xf32> = dense<[1.0, 0.25]>
memref.global "private" constant @apart : memref<2xf32> = dense<[0.25, 0.0009765625]>
memref.global "private" constant @small : memref<2xf32> = dense<0.000030517577>

// Layers of a shift share the function; what the proof doesn't hold for has floats, and
// is named: 1, 2^-2 and 2^-10 (2^8 times less), less than 2^-15.
// CHECK-LABEL: func.func @layers
// CHECK-SAME: ["qbackend-float-layers", "large;apart;small"]
// CHECK: call @int8_conv2d(%{{.*}}) : (memref<4xi8>, memref<{{.*}}xi8>, memref<{{.*}}xi32>, memref<[[N:[0-9]+]]xi32>, memref<2xi8>, i8, i32, i32, i32, i8) -> ()
// CHECK: call @int8_conv2d(
// CHECK: call @[[OTHER:int8_conv2d_[0-9]+]](%{{.*}}) : (memref<4xi8>, memref<{{.*}}xi8>, memref<{{.*}}xi32>, memref<[[N]]xf32>, memref<2xi8>, i8, f32, f32, f32, i8) -> ()
// CHECK: call @[[OTHER]](
// CHECK: call @[[OTHER]](
// CHECK: func.func private @requantize_28(%{{.*}}: i32, %{{.*}}: i32) -> i32
// CHECK: arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: scf.if
// CHECK: memref.global "private" constant @{{.*}} : memref<[[N]]xi32> = dense<[100663296, 12582912{{(, 0)*}}]>
// CHECK: func.func private @int8_conv2d(
// CHECK: call @requantize_28(
// CHECK-NOT: arith.mulf
// CHECK: func.func private @[[OTHER]](
// CHECK: arith.mulf
// FLOAT-LABEL: func.func @layers
// FLOAT-NOT: qbackend-float-layers
// FLOAT-NOT: requantize_
func.func @layers(%x: memref<1x1x1x4xi8>, %y: memref<1x1x1x2xi8>) {
  %w = memref.get_global @w : memref<2x1x1x4xi8>
  %b = memref.get_global @b : memref<2xi32>
  %m1 = memref.get_global @m : memref<2xf32>
  int8.conv2d(%x, %w, %b, %m1) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, requantize = #int8.requantize<zero_point = 5, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x1x1x4xi8>, memref<2x1x1x4xi8>, memref<2xi32>, memref<2xf32>) into memref<1x1x1x2xi8> loc("first")
  %m2 = memref.get_global @m : memref<2xf32>
  int8.conv2d(%x, %w, %b, %m2) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, requantize = #int8.requantize<zero_point = 5, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x1x1x4xi8>, memref<2x1x1x4xi8>, memref<2xi32>, memref<2xf32>) into memref<1x1x1x2xi8> loc("second")
  %m3 = memref.get_global @large : memref<2xf32>
  int8.conv2d(%x, %w, %b, %m3) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, requantize = #int8.requantize<zero_point = 5, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x1x1x4xi8>, memref<2x1x1x4xi8>, memref<2xi32>, memref<2xf32>) into memref<1x1x1x2xi8> loc("large")
  %m4 = memref.get_global @apart : memref<2xf32>
  int8.conv2d(%x, %w, %b, %m4) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, requantize = #int8.requantize<zero_point = 5, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x1x1x4xi8>, memref<2x1x1x4xi8>, memref<2xi32>, memref<2xf32>) into memref<1x1x1x2xi8> loc("apart")
  %m5 = memref.get_global @small : memref<2xf32>
  int8.conv2d(%x, %w, %b, %m5) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, requantize = #int8.requantize<zero_point = 5, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x1x1x4xi8>, memref<2x1x1x4xi8>, memref<2xi32>, memref<2xf32>) into memref<1x1x1x2xi8> loc("small")
  return
}

// -----

// 1/2 and more have the smallest shift, 25: 3/4 is 25165824 * 2^-25.
memref.global "private" constant @w : memref<2x1x1x4xi8> = dense<1>
memref.global "private" constant @b : memref<2xi32> = dense<3>
memref.global "private" constant @half_multipliers : memref<2xf32> = dense<[0.75, 0.5]>
// CHECK-LABEL: func.func @half
// CHECK: call @int8_conv2d{{.*}}xi32>, memref<{{[0-9]+}}xi32>, memref<2xi8>
// CHECK: func.func private @requantize_25
// CHECK: = dense<[25165824, 16777216{{(, 0)*}}]>
func.func @half(%x: memref<1x1x1x4xi8>, %y: memref<1x1x1x2xi8>) {
  %w = memref.get_global @w : memref<2x1x1x4xi8>
  %b = memref.get_global @b : memref<2xi32>
  %m = memref.get_global @half_multipliers : memref<2xf32>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 0 : i64, requantize = #int8.requantize<zero_point = 5, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x1x1x4xi8>, memref<2x1x1x4xi8>, memref<2xi32>, memref<2xf32>) into memref<1x1x1x2xi8>
  return
}
