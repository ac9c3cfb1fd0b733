// RUN: qbackend-opt %s --qbackend-free-buffers | FileCheck %s

// Two that are freed in any case; a view is the same buffer.
// CHECK-LABEL: func.func @sure
// CHECK: memref.dealloc
// CHECK: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func @sure() -> i8 {
  %true = arith.constant true
  %zero = arith.constant 0 : index
  %a = memref.alloc() : memref<4xi8>
  %b = memref.alloc() : memref<8xi8>
  %v = memref.subview %a[0] [2] [1] : memref<4xi8> to memref<2xi8>
  %n = memref.load %v[%zero] : memref<2xi8>
  bufferization.dealloc (%a, %b : memref<4xi8>, memref<8xi8>) if (%true, %true)
  return %n : i8
}

// A condition, and a buffer that a call may have made an alias of.
// CHECK-LABEL: func.func @unsure
// CHECK-NOT: memref.dealloc
// CHECK: bufferization.dealloc (%{{.*}}, %{{.*}} : memref<4xi8>, memref<8xi8>)
func.func @unsure(%condition: i1) {
  %true = arith.constant true
  %a = memref.alloc() : memref<4xi8>
  %b = memref.alloc() : memref<8xi8>
  %c = func.call @same(%b) : (memref<8xi8>) -> memref<8xi8>
  bufferization.dealloc (%a, %b : memref<4xi8>, memref<8xi8>) if (%condition, %true)
  return
}
func.func private @same(memref<8xi8>) -> memref<8xi8>
