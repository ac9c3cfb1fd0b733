// RUN: qbackend-opt %s -qbackend-parallelize-calls | FileCheck %s
// RUN: qbackend-opt %s -qbackend-parallelize-calls | mlir-translate --mlir-to-llvmir > /dev/null

// The operands but for the range are a structure, in memory of the beginning of
// the function; both calls share the task.
// CHECK-LABEL: llvm.func internal @layer(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr, %[[N:.*]]: f32, %[[FOR:.*]]: !llvm.ptr, %[[POOL:.*]]: !llvm.ptr)
// CHECK: %[[OTHER:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, f32)>
// CHECK: %[[MEMORY:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, f32)>
// CHECK: llvm.br
// CHECK: %[[UNDEF:.*]] = llvm.mlir.undef : !llvm.struct<(ptr, f32)>
// CHECK: %[[FIRST:.*]] = llvm.insertvalue %[[X]], %[[UNDEF]][0]
// CHECK: %[[BOTH:.*]] = llvm.insertvalue %[[N]], %[[FIRST]][1]
// CHECK: llvm.store %[[BOTH]], %[[MEMORY]]
// CHECK: %[[NONE:.*]] = llvm.icmp "eq" %[[FOR]], %{{[^ ]*}} : !llvm.ptr
// CHECK: %[[SERIAL:.*]] = llvm.mlir.addressof @serial_for : !llvm.ptr
// CHECK: %[[CHOSEN:.*]] = llvm.select %[[NONE]], %[[SERIAL]], %[[FOR]]
// CHECK: %[[TASK:.*]] = llvm.mlir.addressof @part_task : !llvm.ptr
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(14 : i64) : i64
// CHECK: llvm.call %[[CHOSEN]](%[[POOL]], %[[TASK]], %[[MEMORY]], %[[COUNT]])
// CHECK: llvm.mlir.addressof @part_task : !llvm.ptr
// CHECK-NOT: llvm.call @part(
llvm.func internal @layer(%x: !llvm.ptr, %n: f32) attributes {sym_visibility = "private"} {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %units = llvm.mlir.constant(14 : i64) : i64
  llvm.br ^next
^next:
  llvm.call @part(%x, %n, %zero, %units) {qbackend.units = 14 : i64} : (!llvm.ptr, f32, i64, i64) -> ()
  llvm.call @part(%x, %n, %zero, %units) {qbackend.units = 14 : i64} : (!llvm.ptr, f32, i64, i64) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func internal @part(
// CHECK-SAME: %{{[^,]*}}: !llvm.ptr, %{{[^,]*}}: f32, %{{[^,]*}}: i64, %{{[^,]*}}: i64)
llvm.func internal @part(%x: !llvm.ptr, %n: f32, %begin: i64, %end: i64) attributes {sym_visibility = "private"} {
  llvm.return
}

// Whoever calls it, up to what is public, passes on what it was given.
// CHECK-LABEL: llvm.func @main(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr {llvm.noalias}, %[[FOR:.*]]: !llvm.ptr, %[[POOL:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.call @layer(%[[X]], %{{.*}}, %[[FOR]], %[[POOL]])
// CHECK: llvm.call @other(%[[X]])
llvm.func @main(%x: !llvm.ptr {llvm.noalias}) -> i32 {
  %n = llvm.mlir.constant(1.0 : f32) : f32
  llvm.call @layer(%x, %n) : (!llvm.ptr, f32) -> ()
  llvm.call @other(%x) : (!llvm.ptr) -> ()
  %result = llvm.mlir.constant(0 : i32) : i32
  llvm.return %result : i32
}

// A public function has the arguments though there is nothing to cut.
// CHECK-LABEL: llvm.func @small(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
llvm.func @small() {
  llvm.return
}

// CHECK: llvm.func @other(!llvm.ptr)
llvm.func @other(!llvm.ptr)

// CHECK-LABEL: llvm.func internal @part_task(
// CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK: %[[FIELDS:.*]] = llvm.load %[[CONTEXT]] : !llvm.ptr -> !llvm.struct<(ptr, f32)>
// CHECK: %[[X:.*]] = llvm.extractvalue %[[FIELDS]][0]
// CHECK: %[[N:.*]] = llvm.extractvalue %[[FIELDS]][1]
// CHECK: llvm.call @part(%[[X]], %[[N]], %[[BEGIN]], %[[END]])

// CHECK-LABEL: llvm.func internal @serial_for(
// CHECK-SAME: %{{[^,]*}}: !llvm.ptr, %[[TASK:.*]]: !llvm.ptr, %[[CONTEXT:.*]]: !llvm.ptr, %[[COUNT:.*]]: i64)
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64) : i64
// CHECK: llvm.call %[[TASK]](%[[CONTEXT]], %[[ZERO]], %[[COUNT]])
