// RUN: qbackend-opt %s -qbackend-outline-loops=bare-pointers | FileCheck %s
// RUN: qbackend-opt %s -qbackend-outline-loops | FileCheck %s --check-prefix=DESCRIPTORS

memref.global "private" constant @a : memref<8xf32> = dense<1.0>
memref.global "private" constant @b : memref<8xf32> = dense<2.0>

// Equal nests are one function, whichever constants they read.
// CHECK-LABEL: func.func @equal
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>)
// CHECK: %[[A:.*]] = memref.get_global @a
// CHECK: call @[[LOOPS:loops]](%[[X]], %[[A]], %[[Y]]) : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> ()
// CHECK: %[[B:.*]] = memref.get_global @b
// CHECK: call @[[LOOPS]](%[[Y]], %[[B]], %[[X]])
// CHECK: call @[[OTHER:loops_.*]](%[[X]])
// CHECK-NEXT: return
func.func @equal(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.get_global @a : memref<8xf32>
    %0 = memref.load %x[%i] : memref<8xf32>
    %1 = memref.load %a[%i] : memref<8xf32>
    %2 = arith.addf %0, %1 : f32
    memref.store %2, %y[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.get_global @b : memref<8xf32>
    %0 = memref.load %y[%i] : memref<8xf32>
    %1 = memref.load %b[%i] : memref<8xf32>
    %2 = arith.addf %0, %1 : f32
    memref.store %2, %x[%i] : memref<8xf32>
  }
  // Another number of steps is another nest.
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c7 step %c1 {
    %0 = memref.load %x[%i] : memref<8xf32>
    %1 = arith.addf %0, %0 : f32
    memref.store %1, %x[%i] : memref<8xf32>
  }
  return
}

// Numbers that are told don't make a call another one.
// CHECK-LABEL: func.func @told
// CHECK-SAME: (%[[X:.*]]: memref<2x4xf32>, %[[Y:.*]]: memref<2x4xf32>, %[[Z:.*]]: memref<?xf32>)
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: call @[[CALL:call]](%[[ONE]], %[[X]]) : (index, memref<2x4xf32>) -> ()
// CHECK: call @[[CALL]](%[[TWO]], %[[Y]])
// Where the shape isn't known, it stays with bare pointers.
// CHECK: call @tell(%[[ONE]], %{{.*}}) : (index, memref<*xf32>) -> ()
// CHECK: call @[[CALL]](%[[ONE]], %[[Y]])
// CHECK-NEXT: return
// DESCRIPTORS-LABEL: func.func @told
// DESCRIPTORS-COUNT-2: call @call(
// DESCRIPTORS: call @[[DYNAMIC:call_.*]](%{{.*}}, %{{.*}}) : (index, memref<?xf32>) -> ()
// DESCRIPTORS: call @call(
func.func private @tell(index, memref<*xf32>)
func.func @told(%x: memref<2x4xf32>, %y: memref<2x4xf32>, %z: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x0 = memref.cast %x : memref<2x4xf32> to memref<*xf32>
  call @tell(%c1, %x0) : (index, memref<*xf32>) -> ()
  %y0 = memref.cast %y : memref<2x4xf32> to memref<*xf32>
  call @tell(%c2, %y0) : (index, memref<*xf32>) -> ()
  %z0 = memref.cast %z : memref<?xf32> to memref<*xf32>
  call @tell(%c1, %z0) : (index, memref<*xf32>) -> ()
  call @tell(%c1, %y0) : (index, memref<*xf32>) -> ()
  return
}

// Views are made where they are read.
// CHECK-LABEL: func.func @views
// CHECK: call @[[VIEWS:loops_.*]](%{{.*}}) : (memref<2x4xf32>) -> ()
// CHECK-NEXT: return
func.func @views(%x: memref<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %flat = memref.reinterpret_cast %x to offset: [0], sizes: [%c8], strides: [1] : memref<2x4xf32> to memref<?xf32, strided<[1]>>
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = memref.load %flat[%i] : memref<?xf32, strided<[1]>>
    %1 = arith.mulf %0, %0 : f32
    memref.store %1, %flat[%i] : memref<?xf32, strided<[1]>>
  }
  return
}

// Results stay, and strides that aren't known if a pointer is all that is passed.
// CHECK-LABEL: func.func @left
// CHECK-COUNT-2: scf.for
// CHECK: return
// DESCRIPTORS-LABEL: func.func @left
// DESCRIPTORS: scf.for
// DESCRIPTORS: call @{{.*}} : (memref<8xf32, strided<[?]>>, memref<?xf32>) -> ()
// DESCRIPTORS-NEXT: return
func.func @left(%x: memref<8xf32>, %y: memref<?xf32>, %z: memref<8xf32, strided<[?]>>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> f32 {
    %0 = memref.load %x[%i] : memref<8xf32>
    %1 = arith.addf %sum, %0 : f32
    scf.yield %1 : f32
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = memref.load %z[%i] : memref<8xf32, strided<[?]>>
    memref.store %0, %y[%i] : memref<?xf32>
  }
  return %s : f32
}

// A large nest whose turns are independent takes which of them to do.
// RUN: qbackend-opt %s -qbackend-outline-loops=parallel | FileCheck %s --check-prefix=PARALLEL
// PARALLEL-LABEL: func.func @shared
// PARALLEL: call @[[SHARED:loops.*]](%{{.*}}, %c0{{.*}}, %c3{{.*}}) {qbackend.units = 3 : i64}
// PARALLEL: call @[[OWN:loops.*]](%{{[a-z0-9]*}}) :
// PARALLEL: func.func private @[[SHARED]](%{{.*}}: memref<16xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// PARALLEL: %[[B:.*]] = arith.muli %[[BEGIN]], %c4
// PARALLEL: %[[FROM:.*]] = arith.addi %c2{{.*}}, %[[B]]
// PARALLEL: %[[E:.*]] = arith.muli %[[END]], %c4
// PARALLEL: %[[TO:.*]] = arith.addi %c2{{.*}}, %[[E]]
// PARALLEL: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c4
// CHECK-LABEL: func.func @shared
// CHECK-NOT: qbackend.
// CHECK: return
func.func @shared(%x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c14 = arith.constant 14 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c2 to %c14 step %c4 {
    memref.store %v, %x[%i] : memref<16xf32>
  } {qbackend.parallel}
  // The last turn isn't a whole one.
  scf.for %i = %c1 to %c14 step %c4 {
    memref.store %v, %x[%i] : memref<16xf32>
  } {qbackend.parallel}
  return
}

// CHECK: func.func private @[[LOOPS]]({{.*}}) attributes {llvm.bareptr, passthrough = ["noinline"]}
// CHECK-NOT: memref.get_global
// CHECK: scf.for
// CHECK: func.func private @[[OTHER]](
// CHECK: func.func private @[[VIEWS]](%[[BUFFER:.*]]: memref<2x4xf32>)
// CHECK: memref.reinterpret_cast %[[BUFFER]]
