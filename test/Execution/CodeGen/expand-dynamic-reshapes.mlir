// RUN: qbackend-opt %s --qbackend-expand-dynamic-reshapes | FileCheck %s

// A row of the first is as long as what is behind it.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK: %[[BASE:[^,]*]], %{{.*}}, %{{.*}}, %[[STRIDE:.*]] = memref.extract_strided_metadata %[[X]]
// CHECK: %[[ROW:.*]] = arith.muli %[[STRIDE]], %[[B]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[A]], %[[B]]], strides: [%[[ROW]], 1]
func.func @rows(%x: memref<?xf32>, %a: index, %b: index) -> memref<?x?xf32> {
  %y = memref.expand_shape %x [[0, 1]] output_shape [%a, %b] : memref<?xf32> into memref<?x?xf32>
  return %y : memref<?x?xf32>
}

// CHECK-LABEL: func.func @known
// CHECK: memref.expand_shape
func.func @known(%x: memref<?xf32>, %a: index) -> memref<?x4xf32> {
  %y = memref.expand_shape %x [[0, 1]] output_shape [%a, 4] : memref<?xf32> into memref<?x4xf32>
  return %y : memref<?x4xf32>
}
