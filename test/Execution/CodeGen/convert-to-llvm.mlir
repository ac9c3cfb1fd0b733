// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s -qbackend-convert-to-llvm | FileCheck %s
// RUN: qbackend-opt %s -qbackend-convert-to-llvm="index-bits=32 bare-pointers" | \
// RUN:   FileCheck %s --check-prefix=BARE
// RUN: qbackend-opt %s -qbackend-convert-to-llvm -canonicalize | \
// RUN:   FileCheck %s --check-prefix=KERNELS

// Buffers, indices, scalars, branches and calls at once: no cast is left between them.
// CHECK-LABEL: llvm.func @sum(
// CHECK-SAME: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64,
// CHECK-SAME: %{{[^:]*}}: i64, %{{[^:]*}}: i64) -> i32
// CHECK-NOT: unrealized_conversion_cast
// CHECK: llvm.call @aligned_alloc
// CHECK: llvm.cond_br
// CHECK: llvm.call @next(%{{[^)]*}}) : (i64) -> i64
// CHECK: llvm.return %{{.*}} : i32
// BARE-LABEL: llvm.func @sum(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i32) -> i32
// BARE-NOT: unrealized_conversion_cast
// BARE: llvm.call @aligned_alloc
// BARE: llvm.call @next(%{{[^)]*}}) : (i32) -> i32
func.func @sum(%from: memref<16xi32>, %end: index) -> i32 {
  %zero = arith.constant 0 : i32
  %first = arith.constant 0 : index
  %buffer = memref.alloc() {alignment = 64 : i64} : memref<1xi32>
  memref.store %zero, %buffer[%first] : memref<1xi32>
  cf.br ^loop(%first : index)
^loop(%i: index):
  %more = index.cmp slt(%i, %end)
  cf.cond_br %more, ^body, ^end
^body:
  %element = memref.load %from[%i] : memref<16xi32>
  %sum = memref.load %buffer[%first] : memref<1xi32>
  %new = arith.addi %sum, %element : i32
  memref.store %new, %buffer[%first] : memref<1xi32>
  %following = func.call @next(%i) : (index) -> index
  cf.br ^loop(%following : index)
^end:
  %result = memref.load %buffer[%first] : memref<1xi32>
  memref.dealloc %buffer : memref<1xi32>
  return %result : i32
}

// CHECK: llvm.func @next(%{{[^:]*}}: i64) -> i64
// BARE: llvm.func @next(%{{[^:]*}}: i32) -> i32
func.func private @next(%i: index) -> index {
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  return %next : index
}

// What has no pattern here stays, with casts to what it takes.
// CHECK-LABEL: llvm.func @vectors
// CHECK: %[[INDEX:.*]] = builtin.unrealized_conversion_cast %{{.*}} : i64 to index
// CHECK: vector.broadcast %[[INDEX]] : index to vector<4xindex>
func.func @vectors(%i: index) {
  %0 = vector.broadcast %i : index to vector<4xindex>
  return
}

// Divisions that round down have no op of the llvm dialect.
// CHECK-LABEL: llvm.func @floordiv
// CHECK-NOT: floordivsi
// CHECK: llvm.sdiv
func.func @floordiv(%i: index, %by: index) -> index {
  %0 = arith.floordivsi %i, %by : index
  return %0 : index
}

// Kernels, also those that call others, are converted beside one another; what makes
// a buffer is not.
// KERNELS-LABEL: llvm.func @kernel(
// KERNELS-NOT: unrealized_conversion_cast
// KERNELS: %[[I:.*]] = llvm.add %{{.*}} : i64
// KERNELS: llvm.call @other_kernel(%[[I]]) : (i64) -> i64
// BARE-LABEL: llvm.func @kernel(
// BARE: %[[I:.*]] = llvm.add %{{.*}} : i32
// BARE: llvm.call @other_kernel(%[[I]]) : (i32) -> i32
func.func @kernel(%i: index) -> index attributes {passthrough = ["qbackend-kernel"]} {
  %0 = arith.addi %i, %i : index
  %1 = call @other_kernel(%0) : (index) -> index
  return %1 : index
}

// KERNELS-LABEL: llvm.func @other_kernel(
// KERNELS-NOT: unrealized_conversion_cast
// KERNELS: llvm.cond_br
func.func @other_kernel(%i: index) -> index attributes {passthrough = ["qbackend-kernel"]} {
  %c = index.cmp slt(%i, %i)
  cf.cond_br %c, ^a(%i : index), ^b
^a(%0: index):
  return %0 : index
^b:
  %1 = arith.muli %i, %i : index
  return %1 : index
}

// KERNELS-LABEL: llvm.func @buffer_kernel(
// KERNELS: llvm.call @aligned_alloc
func.func @buffer_kernel(%n: index) attributes {passthrough = ["qbackend-kernel"]} {
  %0 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xi32>
  return
}
