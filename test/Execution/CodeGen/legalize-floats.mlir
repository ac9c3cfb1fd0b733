// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{pass} = qbackend-opt %s --qbackend-legalize-floats=
// RUN: %{pass}"target-triple=thumbv7em-none-eabihf target-cpu=cortex-m4" | FileCheck %s --check-prefixes=ALL,ADD,DOUBLE-ADD,PLAIN,MAX
// RUN: %{pass}"target-triple=thumbv6m-none-eabi target-cpu=cortex-m0plus" | FileCheck %s --check-prefixes=ALL,ADD,DOUBLE-ADD,PLAIN,COMPARE
// RUN: %{pass}"target-triple=riscv32-unknown-elf target-features=+m" | FileCheck %s --check-prefixes=ALL,ADD,DOUBLE-ADD,PLAIN,COMPARE
// RUN: %{pass}"target-triple=x86_64-linux-gnu target-cpu=x86-64" | FileCheck %s --check-prefixes=ALL,ADD,DOUBLE-ADD,PLAIN,MAX
// RUN: %{pass}"target-triple=riscv32-unknown-elf target-features=+f" | FileCheck %s --check-prefixes=ALL,ROUND,DOUBLE-ADD,PLAIN,MAX
// RUN: %{pass}"target-triple=thumbv8m.main-none-eabihf target-cpu=cortex-m33" | FileCheck %s --check-prefixes=ALL,ROUND,DOUBLE-ADD,PLAIN
// RUN: %{pass}"target-triple=thumbv7em-none-eabihf target-cpu=cortex-m7" | FileCheck %s --check-prefixes=ALL,ROUND,DOUBLE-ROUND,PLAIN,MAX
// RUN: %{pass}"target-triple=wasm32-unknown-unknown" | FileCheck %s --check-prefixes=ALL,ROUND,DOUBLE-ROUND,PLAIN
// RUN: %{pass}"target-triple=x86_64-linux-gnu target-cpu=x86-64-v2" | FileCheck %s --check-prefixes=ALL,ROUND,DOUBLE-ROUND,PLAIN
// RUN: %{pass}"target-triple=aarch64-linux-gnu" | FileCheck %s --check-prefixes=ALL,ROUND,DOUBLE-ROUND,PLAIN
// RUN: %{pass}"target-triple=thumbv8.1m.main-none-eabihf target-cpu=cortex-m55" | FileCheck %s --check-prefixes=ALL,ROUND,DOUBLE-ROUND,FENCE
// RUN: %{pass}"target-triple=thumbv8.1m.main-none-eabihf target-cpu=cortex-m55 target-features=-mve.fp" | FileCheck %s --check-prefixes=ALL,PLAIN
// RUN: not %{pass}"target-triple=thumbv7em-none-eabihf target-cpu=z80" 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: qbackend-legalize-floats: target-cpu 'z80' is not one of thumb

// What LLVM makes of it: no conversion with a number of bits in a register, which
// there is none of.
// DEFINE: %{code} = mlir-translate --mlir-to-llvmir | llc -O3 -mtriple=thumbv8.1m.main-none-eabihf -mcpu=cortex-m55
// RUN: %{pass}"target-triple=thumbv8.1m.main-none-eabihf target-cpu=cortex-m55" | %{code} | FileCheck %s --check-prefix=CODE
// CODE-LABEL: sixteenths:
// CODE: vcvt.f32.s32 q[[#]], q[[#]]{{$}}
// CODE: vmul.f32 q[[#]], q[[#]],
// CODE-LABEL: sixteen_times:
// CODE: vmul.f32 q[[#]], q[[#]],
// CODE: vcvt.s32.f32 q[[#]], q[[#]]{{$}}
// And code without roundevenf.
// RUN: %{pass}"target-triple=thumbv7em-none-eabihf target-cpu=cortex-m4" | mlir-translate --mlir-to-llvmir | llc -O3 -mtriple=thumbv7em-none-eabihf -mcpu=cortex-m4 | FileCheck %s --check-prefix=CALLS --implicit-check-not=roundeven
// CALLS: bl __aeabi_dadd

// Smaller than 2^23: the sum with it has no fraction. The sign is that of the number,
// also of -0. What isn't smaller, or NaN, stays.
// ALL-LABEL: @round(
// ADD-SAME: %[[X:.*]]: vector<4xf32>
// ADD: %[[C:.*]] = llvm.mlir.constant(dense<0x4B000000> : vector<4xf32>)
// ADD: %[[A:.*]] = llvm.intr.fabs(%[[X]])
// ADD: %[[SUM:.*]] = llvm.fadd %[[A]], %[[C]]
// ADD: %[[R:.*]] = llvm.fsub %[[SUM]], %[[C]]
// ADD: %[[SIGNED:.*]] = llvm.intr.copysign(%[[R]], %[[X]])
// ADD: %[[SMALL:.*]] = llvm.fcmp "olt" %[[A]], %[[C]]
// ADD: llvm.select %[[SMALL]], %[[SIGNED]], %[[X]]
// ROUND: llvm.intr.roundeven
llvm.func @round(%x: vector<4xf32>) -> vector<4xf32> {
  %y = llvm.intr.roundeven(%x) : (vector<4xf32>) -> vector<4xf32>
  llvm.return %y : vector<4xf32>
}

// ALL-LABEL: @round_double(
// DOUBLE-ADD: llvm.mlir.constant(0x4330000000000000 : f64)
// DOUBLE-ADD-NOT: roundeven
// DOUBLE-ROUND: llvm.intr.roundeven
llvm.func @round_double(%x: f64) -> f64 {
  %y = llvm.intr.roundeven(%x) : (f64) -> f64
  llvm.return %y : f64
}

// A half is rounded as a float: what is between two of its numbers is there, too.
// ALL-LABEL: @round_half(
// ADD: llvm.fpext %{{.*}} : f16 to f32
// ADD: llvm.fptrunc %{{.*}} : f32 to f16
// ROUND: llvm.intr.roundeven
llvm.func @round_half(%x: f16) -> f16 {
  %y = llvm.intr.roundeven(%x) : (f16) -> f16
  llvm.return %y : f16
}

// Without instructions for floats: NaN if one of them is, the zero without a sign of
// two zeros, or else the larger one; the smaller one has the sign.
// ALL-LABEL: @extrema(
// COMPARE-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32)
// COMPARE: %[[XB:.*]] = llvm.bitcast %[[X]] : f32 to i32
// COMPARE: %[[YB:.*]] = llvm.bitcast %[[Y]] : f32 to i32
// COMPARE: %[[BOTH:.*]] = llvm.and %[[XB]], %[[YB]] : i32
// COMPARE: %[[SAME:.*]] = llvm.bitcast %[[BOTH]] : i32 to f32
// COMPARE: %[[GREATER:.*]] = llvm.fcmp "ogt" %[[X]], %[[Y]]
// COMPARE: %[[R:.*]] = llvm.select %[[GREATER]], %[[X]], %[[Y]]
// COMPARE: %[[EQUAL:.*]] = llvm.fcmp "oeq" %[[X]], %[[Y]]
// COMPARE: %[[S:.*]] = llvm.select %[[EQUAL]], %[[SAME]], %[[R]]
// COMPARE: %[[SUM:.*]] = llvm.fadd %[[X]], %[[Y]]
// COMPARE: %[[NAN:.*]] = llvm.fcmp "uno" %[[X]], %[[Y]]
// COMPARE: %[[LARGER:.*]] = llvm.select %[[NAN]], %[[SUM]], %[[S]]
// COMPARE: llvm.or
// COMPARE: llvm.fcmp "olt" %[[LARGER]], %[[Y]]
// COMPARE-NOT: llvm.intr
// MAX: llvm.intr.maximum
// MAX: llvm.intr.minimum
llvm.func @extrema(%x: f32, %y: f32) -> f32 {
  %0 = llvm.intr.maximum(%x, %y) : (f32, f32) -> f32
  %1 = llvm.intr.minimum(%0, %y) : (f32, f32) -> f32
  llvm.return %1 : f32
}

// ALL-LABEL: @sixteenths(
// PLAIN-NOT: arithmetic.fence
// FENCE: %[[F:.*]] = llvm.sitofp
// FENCE: %[[G:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[F]])
// FENCE: llvm.fmul %[[G]],
llvm.func @sixteenths(%from: !llvm.ptr, %to: !llvm.ptr, %n: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %factor = llvm.mlir.constant(dense<0.0625> : vector<4xf32>) : vector<4xf32>
  llvm.br ^loop(%zero : i32)
^loop(%i: i32):
  %p = llvm.getelementptr %from[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
  %f = llvm.sitofp %x : vector<4xi32> to vector<4xf32>
  %y = llvm.fmul %f, %factor : vector<4xf32>
  %q = llvm.getelementptr %to[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  llvm.store %y, %q {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  %next = llvm.add %i, %four : i32
  %more = llvm.icmp "ult" %next, %n : i32
  llvm.cond_br %more, ^loop(%next : i32), ^end
^end:
  llvm.return
}

// ALL-LABEL: @sixteen_times(
// PLAIN-NOT: arithmetic.fence
// FENCE: %[[Y:.*]] = llvm.fmul
// FENCE: %[[G:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[Y]])
// FENCE: llvm.fptosi %[[G]]
llvm.func @sixteen_times(%from: !llvm.ptr, %to: !llvm.ptr, %n: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %factor = llvm.mlir.constant(dense<16.0> : vector<4xf32>) : vector<4xf32>
  llvm.br ^loop(%zero : i32)
^loop(%i: i32):
  %p = llvm.getelementptr %from[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  %y = llvm.fmul %x, %factor : vector<4xf32>
  %f = llvm.fptosi %y : vector<4xf32> to vector<4xi32>
  %q = llvm.getelementptr %to[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  llvm.store %f, %q {alignment = 4 : i64} : vector<4xi32>, !llvm.ptr
  %next = llvm.add %i, %four : i32
  %more = llvm.icmp "ult" %next, %n : i32
  llvm.cond_br %more, ^loop(%next : i32), ^end
^end:
  llvm.return
}
