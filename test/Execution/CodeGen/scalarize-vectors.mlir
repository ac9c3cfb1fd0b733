// RUN: qbackend-opt %s --qbackend-scalarize-vectors --split-input-file --verify-diagnostics | FileCheck %s

// Each lane is loaded, extended, multiplied and stored by itself.
// CHECK-LABEL: func.func @lanes
// CHECK-SAME: %[[X:.*]]: memref<8xi8>, %[[Y:.*]]: memref<8xi32>, %[[AT:.*]]: index
// CHECK: %[[A:.*]] = memref.load %[[X]][%[[AT]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %{{.*}} : index
// CHECK: %[[B:.*]] = memref.load %[[X]][%[[NEXT]]]
// CHECK: arith.extsi %[[A]] : i8 to i32
// CHECK: arith.extsi %[[B]] : i8 to i32
// CHECK: arith.constant 3 : i32
// CHECK: arith.constant -5 : i32
// CHECK-COUNT-2: arith.muli %{{.*}}, %{{.*}} : i32
// CHECK-COUNT-2: memref.store
// CHECK-NOT: vector
func.func @lanes(%x: memref<8xi8>, %y: memref<8xi32>, %at: index) {
  %v = vector.load %x[%at] : memref<8xi8>, vector<2xi8>
  %w = arith.extsi %v : vector<2xi8> to vector<2xi32>
  %c = arith.constant dense<[3, -5]> : vector<2xi32>
  %p = arith.muli %w, %c : vector<2xi32>
  vector.store %p, %y[%at] : memref<8xi32>, vector<2xi32>
  return
}

// -----

// A loop carries scalars. What moves lanes is no op at all.
// CHECK-LABEL: func.func @carried
// CHECK-SAME: %[[X:.*]]: i32, %[[Y:.*]]: memref<4xi32>
// CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[L:.*]] = %[[X]], %[[R:.*]] = %[[X]]) -> (i32, i32)
// CHECK: %[[S:.*]] = arith.addi %[[L]], %[[R]] : i32
// CHECK: scf.yield %[[S]], %[[L]] : i32, i32
// CHECK: memref.store %[[SUMS]]#1, %[[Y]]
// CHECK: memref.store %[[SUMS]]#0, %[[Y]]
// CHECK: memref.store %[[SUMS]]#1, %[[Y]]
// CHECK-NOT: vector
func.func @carried(%x: i32, %y: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = vector.broadcast %x : i32 to vector<2xi32>
  %sums = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %v) -> (vector<2xi32>) {
    %l = vector.extract %s[0] : i32 from vector<2xi32>
    %r = vector.extract %s[1] : i32 from vector<2xi32>
    %t = arith.addi %l, %r : i32
    %n = vector.insert %t, %s [1] : i32 into vector<2xi32>
    %m = vector.shuffle %n, %n [1, 2] : vector<2xi32>, vector<2xi32>
    scf.yield %m : vector<2xi32>
  }
  %z = arith.constant dense<0> : vector<3xi32>
  %swapped = vector.shuffle %sums, %sums [1, 0] : vector<2xi32>, vector<2xi32>
  %w = vector.insert_strided_slice %swapped, %z {offsets = [0], strides = [1]} : vector<2xi32> into vector<3xi32>
  %o = vector.extract_strided_slice %w {offsets = [0], sizes = [2], strides = [1]} : vector<3xi32> to vector<2xi32>
  %first:2 = vector.to_elements %o : vector<2xi32>
  %again = vector.from_elements %first#0, %first#1 : vector<2xi32>
  vector.store %again, %y[%c0] : memref<4xi32>, vector<2xi32>
  %last = vector.extract %sums[1] : i32 from vector<2xi32>
  memref.store %last, %y[%c1] : memref<4xi32>
  return
}

// -----

// What has no form for lanes is named.
func.func @mask(%x: memref<4xi8>, %m: vector<4xi1>, %p: vector<4xi8>, %y: memref<4xi8>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{failed to legalize operation 'vector.maskedload'}}
  %v = vector.maskedload %x[%c0], %m, %p : memref<4xi8>, vector<4xi1>, vector<4xi8> into vector<4xi8>
  vector.store %v, %y[%c0] : memref<4xi8>, vector<4xi8>
  return
}
