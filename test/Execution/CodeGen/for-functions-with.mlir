// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s --pass-pipeline="builtin.module(func.func(qbackend-for-functions-with{ops=math,arith.maxsi pipeline=canonicalize}))" | FileCheck %s
// RUN: qbackend-opt %s --dump-pass-pipeline --pass-pipeline="builtin.module(func.func(qbackend-for-functions-with{ops=math,arith.maxsi pipeline=cse,canonicalize}))" 2>&1 >%t | \
// RUN:   FileCheck %s --check-prefix=PIPELINE
// RUN: not qbackend-opt %s --pass-pipeline="builtin.module(func.func(qbackend-for-functions-with{ops=math pipeline=no-such-pass}))" 2>&1 | \
// RUN:   FileCheck %s --check-prefix=UNKNOWN
// RUN: not qbackend-opt %s --pass-pipeline="builtin.module(func.func(qbackend-for-functions-with{ops=arith pipeline=qbackend-lower-engines}))" 2>&1 | \
// RUN:   FileCheck %s --check-prefix=OTHER

// PIPELINE: qbackend-for-functions-with{ops={math,arith.maxsi} pipeline=cse,canonicalize}
// UNKNOWN: 'no-such-pass' does not refer to a registered pass
// OTHER: error: Can't add pass 'LowerEnginesPass' restricted to 'builtin.module'

// It has a sum, and none of the ops: the sum stays.
// CHECK-LABEL: @other
// CHECK: arith.addi
func.func @other(%x: i32) -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.addi %x, %0 : i32
  return %1 : i32
}

// CHECK-LABEL: @dialect
// CHECK-NOT: arith.addi
func.func @dialect(%x: i32, %y: f32) -> (i32, f32) {
  %0 = arith.constant 0 : i32
  %1 = arith.addi %x, %0 : i32
  %2 = math.sqrt %y : f32
  return %1, %2 : i32, f32
}

// In a region, too.
// CHECK-LABEL: @name
// CHECK-NOT: arith.addi
func.func @name(%x: i32, %c: i1) -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.addi %x, %0 : i32
  %2 = scf.if %c -> i32 {
    %3 = arith.maxsi %1, %x : i32
    scf.yield %3 : i32
  } else {
    scf.yield %x : i32
  }
  return %2 : i32
}
