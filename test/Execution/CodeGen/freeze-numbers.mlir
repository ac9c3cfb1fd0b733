// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s --pass-pipeline="builtin.module(llvm.func(qbackend-freeze-numbers))" | FileCheck %s

// What all readers see is the same number.
// CHECK-LABEL: @cast
// CHECK: %[[INT:.*]] = llvm.fptosi
// CHECK: %[[FROZEN:.*]] = llvm.freeze %[[INT]] : i64
// CHECK: llvm.add %[[FROZEN]], %[[FROZEN]]
llvm.func @cast(%x: f32) -> i64 {
  %0 = llvm.fptosi %x : f32 to i64
  %1 = llvm.add %0, %0 : i64
  llvm.return %1 : i64
}

// CHECK-LABEL: @shifts
// CHECK: llvm.shl
// CHECK-NEXT: llvm.freeze
// CHECK: llvm.lshr
// CHECK-NEXT: llvm.freeze
llvm.func @shifts(%x: i64, %n: i64) -> i64 {
  %c = llvm.mlir.constant(64 : i64) : i64
  %0 = llvm.shl %x, %n : i64
  %1 = llvm.lshr %0, %c : i64
  llvm.return %1 : i64
}

// CHECK-LABEL: @poison
// CHECK: llvm.mlir.zero : i64
// CHECK-NOT: llvm.mlir.poison : i64
// CHECK: llvm.mlir.poison : !llvm.struct
llvm.func @poison() -> !llvm.struct<(i64)> {
  %0 = llvm.mlir.poison : i64
  %1 = llvm.mlir.poison : !llvm.struct<(i64)>
  %2 = llvm.insertvalue %0, %1[0] : !llvm.struct<(i64)>
  llvm.return %2 : !llvm.struct<(i64)>
}

// Vectors aren't indices, and these shifts are always numbers.
// CHECK-LABEL: @others
// CHECK-NOT: freeze
// CHECK: llvm.return
llvm.func @others(%x: vector<4xf32>, %y: i64) -> vector<4xi32> {
  %c = llvm.mlir.constant(63 : i64) : i64
  %0 = llvm.fptosi %x : vector<4xf32> to vector<4xi32>
  %1 = llvm.ashr %y, %c : i64
  llvm.call @use(%1) : (i64) -> ()
  llvm.return %0 : vector<4xi32>
}
llvm.func @use(i64)
