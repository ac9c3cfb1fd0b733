// RUN: qbackend-opt %s --qbackend-expand-strided-copies | FileCheck %s

// CHECK-LABEL: func.func @strided
// CHECK: linalg.generic
// CHECK-NOT: memref.copy
func.func @strided(%x: memref<4x4xi8, strided<[8, 1]>>, %y: memref<4x4xi8>) {
  memref.copy %x, %y : memref<4x4xi8, strided<[8, 1]>> to memref<4x4xi8>
  return
}

// CHECK-LABEL: func.func @contiguous
// CHECK: memref.copy
func.func @contiguous(%x: memref<4x?xi8>, %y: memref<4x?xi8>) {
  memref.copy %x, %y : memref<4x?xi8> to memref<4x?xi8>
  return
}
