// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s -qbackend-narrow-indices | FileCheck %s --implicit-check-not=unrealized

// A buffer that is cast to one of a dynamic extent before its descriptor is cast to that of
// 64 bits: fields come from the first descriptor.
// CHECK-LABEL: llvm.func @through_buffers
// CHECK-SAME: (%[[NARROW:.*]]: !llvm.struct<(ptr, ptr, i32, array<1 x i32>, array<1 x i32>)>)
// CHECK: %[[POINTER:.*]] = llvm.extractvalue %[[NARROW]][1]
// CHECK: %[[FIELD:.*]] = llvm.extractvalue %[[NARROW]][3, 0]
// CHECK: %[[EXTENT:.*]] = llvm.sext %[[FIELD]] : i32 to i64
// CHECK: llvm.getelementptr %[[POINTER]][%[[EXTENT]]]
llvm.func @through_buffers(%narrow: !llvm.struct<(ptr, ptr, i32, array<1 x i32>, array<1 x i32>)>) -> !llvm.ptr {
  %0 = builtin.unrealized_conversion_cast %narrow : !llvm.struct<(ptr, ptr, i32, array<1 x i32>, array<1 x i32>)> to memref<8xf32, strided<[1]>>
  %1 = builtin.unrealized_conversion_cast %0 : memref<8xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  %2 = builtin.unrealized_conversion_cast %1 : memref<?xf32, strided<[1]>> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %pointer = llvm.extractvalue %2[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %extent = llvm.extractvalue %2[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %end = llvm.getelementptr %pointer[%extent] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.return %end : !llvm.ptr
}
