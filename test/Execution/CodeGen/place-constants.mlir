// RUN: qbackend-opt %s --qbackend-place-constants | FileCheck %s

// CHECK-NOT: @unread
// CHECK: memref.global "private" constant @read : memref<2xi8> = dense<[1, 2]>
memref.global "private" constant @unread : memref<2xi8> = dense<[3, 4]>
memref.global "private" constant @read : memref<2xi8> = dense<[1, 2]>
func.func @main() -> memref<2xi8> {
  %read = memref.get_global @read : memref<2xi8>
  return %read : memref<2xi8>
}
