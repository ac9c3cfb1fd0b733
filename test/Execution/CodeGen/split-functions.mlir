// RUN: qbackend-opt %s --qbackend-split-functions="max-ops=2 open-entries" | FileCheck %s

// Five calls in parts of two. What one part gives to another, or to the end, is in
// a struct; constants and addresses are made again.
// CHECK-LABEL: llvm.func @long(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr) -> i64
// CHECK: %[[FRAME:.*]] = llvm.alloca {{.*}} x !llvm.struct<(i64, i64, i64)>
// CHECK-NEXT: llvm.call @long_part(%[[FRAME]], %[[X]])
// CHECK-NEXT: llvm.call @long_part_0(%[[FRAME]])
// CHECK-NEXT: llvm.call @long_part_1(%[[FRAME]], %[[X]])
// CHECK-NEXT: %[[PLACE:.*]] = llvm.getelementptr %[[FRAME]][0, {{[01]}}]
// CHECK-NEXT: %[[LAST:.*]] = llvm.load %[[PLACE]]
// CHECK-NEXT: llvm.return %[[LAST]]
llvm.func @f(!llvm.ptr, i64) -> i64
llvm.func @long(%x: !llvm.ptr) -> i64 {
  %c = llvm.mlir.constant(4 : i64) : i64
  %p = llvm.getelementptr %x[%c] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %0 = llvm.call @f(%p, %c) : (!llvm.ptr, i64) -> i64
  %1 = llvm.call @f(%x, %0) : (!llvm.ptr, i64) -> i64
  %z = llvm.mlir.zero : !llvm.ptr
  %2 = llvm.call @f(%z, %1) : (!llvm.ptr, i64) -> i64
  %3 = llvm.call @f(%z, %c) : (!llvm.ptr, i64) -> i64
  %4 = llvm.call @f(%p, %2) : (!llvm.ptr, i64) -> i64
  llvm.return %4 : i64
}

// As long as it may be.
// CHECK-LABEL: llvm.func @short(
// CHECK-COUNT-4: llvm.call @f
llvm.func @short(%x: !llvm.ptr) {
  %c = llvm.mlir.constant(4 : i64) : i64
  %0 = llvm.call @f(%x, %c) : (!llvm.ptr, i64) -> i64
  %1 = llvm.call @f(%x, %c) : (!llvm.ptr, i64) -> i64
  %2 = llvm.call @f(%x, %c) : (!llvm.ptr, i64) -> i64
  %3 = llvm.call @f(%x, %c) : (!llvm.ptr, i64) -> i64
  llvm.return
}

// An entry with many fields is moved to its wrapper; each is read where it is used,
// and each result is written where it is made.
// CHECK-NOT: llvm.func @entry(
// CHECK-LABEL: llvm.func @_mlir_ciface_entry(
// CHECK-SAME: %[[R:.*]]: !llvm.ptr, %[[A:.*]]: !llvm.ptr, %[[B:.*]]: !llvm.ptr)
// CHECK-NOT: llvm.load %[[A]] : !llvm.ptr -> !llvm.struct
// CHECK: llvm.getelementptr %[[A]][0, 1]
// CHECK-NEXT: llvm.load
// CHECK: llvm.getelementptr %[[R]][0, 1]
// CHECK-NEXT: llvm.store
// CHECK-NEXT: llvm.call @f
// CHECK-NEXT: llvm.getelementptr %[[R]][0, 0]
// CHECK-NEXT: llvm.store
llvm.func @entry(%a0: !llvm.ptr, %a1: !llvm.ptr, %b0: !llvm.ptr, %b1: !llvm.ptr) -> !llvm.struct<(i64, i64)> {
  %c = llvm.mlir.constant(4 : i64) : i64
  %0 = llvm.call @f(%a1, %c) : (!llvm.ptr, i64) -> i64
  %p = llvm.mlir.poison : !llvm.struct<(i64, i64)>
  %1 = llvm.insertvalue %0, %p[0] : !llvm.struct<(i64, i64)>
  %2 = llvm.insertvalue %c, %1[1] : !llvm.struct<(i64, i64)>
  llvm.return %2 : !llvm.struct<(i64, i64)>
}
llvm.func @_mlir_ciface_entry(%r: !llvm.ptr, %a: !llvm.ptr, %b: !llvm.ptr) {
  %0 = llvm.load %a : !llvm.ptr -> !llvm.struct<(ptr, ptr)>
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(ptr, ptr)>
  %2 = llvm.extractvalue %0[1] : !llvm.struct<(ptr, ptr)>
  %3 = llvm.load %b : !llvm.ptr -> !llvm.struct<(ptr, ptr)>
  %4 = llvm.extractvalue %3[0] : !llvm.struct<(ptr, ptr)>
  %5 = llvm.extractvalue %3[1] : !llvm.struct<(ptr, ptr)>
  %6 = llvm.call @entry(%1, %2, %4, %5) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.struct<(i64, i64)>
  llvm.store %6, %r : !llvm.struct<(i64, i64)>, !llvm.ptr
  llvm.return
}

// CHECK: llvm.func internal @long_part(%[[FRAME:.*]]: !llvm.ptr, %[[X:.*]]: !llvm.ptr)
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: %[[C:.*]] = llvm.mlir.constant(4 : i64)
// CHECK: %[[P:.*]] = llvm.getelementptr %[[X]][%[[C]]]
// CHECK: %[[Y:.*]] = llvm.call @f(%[[P]], %[[C]])
// CHECK: %[[Z:.*]] = llvm.call @f(%[[X]], %[[Y]])
// CHECK: llvm.store %[[Z]]
