// RUN: qbackend-opt %s --qbackend-lower-to-loops | FileCheck %s

// CHECK-LABEL: func.func @sum
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.load
// CHECK: arith.addi
// CHECK: memref.store
// CHECK-NOT: linalg
func.func @sum(%x: memref<4x?xi32>, %y: memref<4xi32>) {
  linalg.reduce { arith.addi } ins(%x : memref<4x?xi32>) outs(%y : memref<4xi32>) dimensions = [1]
  return
}
