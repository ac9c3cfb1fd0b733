// RUN: qbackend-opt %s --qbackend-place-buffers | FileCheck %s
// RUN: qbackend-opt %s --qbackend-place-buffers=as-argument | FileCheck %s --check-prefix=ARGUMENT
// RUN: qbackend-opt %s --qbackend-place-buffers="as-argument fast-bytes=100" | FileCheck %s --check-prefix=FAST

// Of three, two are in use at a time. A buffer takes whole cache lines: 100 bytes
// are 128, 16 floats 64.
// CHECK-LABEL: func.func @chain
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<192xi8>
// CHECK-DAG: %[[A:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[ARENA]][%{{.*}}][] : memref<192xi8> to memref<100xi8>
// CHECK: %[[AT:.*]] = arith.constant 128 : index
// CHECK: memref.view %[[ARENA]][%[[AT]]][] : memref<192xi8> to memref<16xf32>
// CHECK: %[[AGAIN:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[ARENA]][%[[AGAIN]]][] : memref<192xi8> to memref<100xi8>
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NOT: memref.dealloc
// ARGUMENT-LABEL: func.func @chain(
// ARGUMENT-SAME: %[[ARENA:arg[0-9]+]]: memref<192xi8>) attributes {passthrough = {{\[\["qbackend-arena-bytes", "192"\], \["qbackend-live-bytes", "164"\]\]}}}
// A second arena has what fits: the 64 bytes of floats; of 100 bytes, two buffers take
// turns in the first one.
// FAST-LABEL: func.func @chain(
// FAST-SAME: %[[SLOW:arg[0-9]+]]: memref<128xi8>, %[[FAST:arg[0-9]+]]: memref<64xi8>) attributes {passthrough = {{\[\["qbackend-arena-bytes", "128"\], \["qbackend-live-bytes", "100"\], \["qbackend-fast-arena-bytes", "64"\]\]}}}
// FAST: memref.view %[[SLOW]][%{{.*}}][] : memref<128xi8> to memref<100xi8>
// FAST: memref.view %[[FAST]][%{{.*}}][] : memref<64xi8> to memref<16xf32>
// FAST: memref.view %[[SLOW]][%{{.*}}][] : memref<128xi8> to memref<100xi8>
// ARGUMENT: memref.view %[[ARENA]]
// ARGUMENT-NOT: memref.alloc
func.func @chain(%x: memref<100xi8>, %y: memref<100xi8>) {
  %a = memref.alloc() : memref<100xi8>
  memref.copy %x, %a : memref<100xi8> to memref<100xi8>
  %b = memref.alloc() : memref<16xf32>
  func.call @use(%a, %b) : (memref<100xi8>, memref<16xf32>) -> ()
  %c = memref.alloc() : memref<100xi8>
  func.call @use(%c, %b) : (memref<100xi8>, memref<16xf32>) -> ()
  memref.copy %c, %y : memref<100xi8> to memref<100xi8>
  memref.dealloc %a : memref<100xi8>
  memref.dealloc %b : memref<16xf32>
  memref.dealloc %c : memref<100xi8>
  return
}

// A view of a buffer is a use of it, and so is one in a loop.
// CHECK-LABEL: func.func @views
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<128xi8>
// CHECK: arith.constant 0 : index
// CHECK: memref.view
// CHECK: arith.constant 64 : index
// CHECK: memref.view
func.func @views(%x: memref<64xi8>, %n: index, %c0: index, %c1: index) {
  %a = memref.alloc() : memref<8x8xi8>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<8x8xi8> into memref<64xi8>
  %b = memref.alloc() : memref<64xi8>
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %b, %flat : memref<64xi8> to memref<64xi8>
  }
  memref.dealloc %a : memref<8x8xi8>
  memref.dealloc %b : memref<64xi8>
  return
}

// A buffer begins with its first use, not where it is allocated: all three are
// allocated first, two are in use at a time. A view of one is no use.
// CHECK-LABEL: func.func @first_use
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<128xi8>
// CHECK: arith.constant 0 : index
// CHECK: arith.constant 64 : index
// CHECK: arith.constant 0 : index
func.func @first_use(%x: memref<64xi8>, %y: memref<64xi8>) {
  %a = memref.alloc() : memref<64xi8>
  %b = memref.alloc() : memref<64xi8>
  %c = memref.alloc() : memref<8x8xi8>
  %flat = memref.collapse_shape %c [[0, 1]] : memref<8x8xi8> into memref<64xi8>
  memref.copy %x, %a : memref<64xi8> to memref<64xi8>
  memref.copy %a, %b : memref<64xi8> to memref<64xi8>
  memref.copy %b, %flat : memref<64xi8> to memref<64xi8>
  memref.copy %flat, %y : memref<64xi8> to memref<64xi8>
  memref.dealloc %a : memref<64xi8>
  memref.dealloc %b : memref<64xi8>
  memref.dealloc %c : memref<8x8xi8>
  return
}

// In the order of their first uses, %small is behind %first, whose place is too small
// for %large, so that it ends at 512. The largest one first, all are in the 384 bytes
// that are in use at the same time.
// CHECK-LABEL: func.func @largest_first
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<384xi8>
// ARGUMENT-LABEL: func.func @largest_first
// ARGUMENT-SAME: {{\[\["qbackend-arena-bytes", "384"\], \["qbackend-live-bytes", "384"\]\]}}
func.func @largest_first(%x: memref<128xi8>, %y: memref<320xi8>) {
  %first = memref.alloc() : memref<128xi8>
  %small = memref.alloc() : memref<64xi8>
  %large = memref.alloc() : memref<320xi8>
  memref.copy %x, %first : memref<128xi8> to memref<128xi8>
  func.call @small(%first, %small) : (memref<128xi8>, memref<64xi8>) -> ()
  func.call @large(%small, %large) : (memref<64xi8>, memref<320xi8>) -> ()
  memref.copy %large, %y : memref<320xi8> to memref<320xi8>
  memref.dealloc %first : memref<128xi8>
  memref.dealloc %small : memref<64xi8>
  memref.dealloc %large : memref<320xi8>
  return
}
func.func private @small(memref<128xi8>, memref<64xi8>)
func.func private @large(memref<64xi8>, memref<320xi8>)

// What is returned, dynamic, in a loop, or may be either of two stays.
// CHECK-LABEL: func.func @others
// CHECK-NOT: memref.view
// ARGUMENT-LABEL: func.func @others
// ARGUMENT-SAME: memref<0xi8>) -> memref<4xi8> attributes {passthrough = {{\[\["qbackend-arena-bytes", "0"\], \["qbackend-live-bytes", "0"\]\]}}}
func.func @others(%n: index, %c0: index, %c1: index, %which: i1) -> memref<4xi8> {
  %result = memref.alloc() : memref<4xi8>
  %dynamic = memref.alloc(%n) : memref<?xi8>
  memref.dealloc %dynamic : memref<?xi8>
  scf.for %i = %c0 to %n step %c1 {
    %inner = memref.alloc() : memref<4xi8>
    memref.dealloc %inner : memref<4xi8>
  }
  %a = memref.alloc() : memref<4xi8>
  %b = memref.alloc() : memref<4xi8>
  %either = arith.select %which, %a, %b : memref<4xi8>
  memref.copy %either, %result : memref<4xi8> to memref<4xi8>
  memref.dealloc %a : memref<4xi8>
  memref.dealloc %b : memref<4xi8>
  return %result : memref<4xi8>
}

// A function that others of the module call has its own.
// CHECK-LABEL: func.func @called
// ARGUMENT-LABEL: func.func @called(%{{.*}}: memref<4xi8>) {
// ARGUMENT: memref.alloc() {alignment = 64 : i64} : memref<64xi8>
func.func @called(%x: memref<4xi8>) {
  %a = memref.alloc() : memref<4xi8>
  memref.copy %a, %x : memref<4xi8> to memref<4xi8>
  memref.dealloc %a : memref<4xi8>
  return
}
func.func private @use(%a: memref<100xi8>, %b: memref<16xf32>)
func.func private @caller(%x: memref<4xi8>) {
  func.call @called(%x) : (memref<4xi8>) -> ()
  return
}
