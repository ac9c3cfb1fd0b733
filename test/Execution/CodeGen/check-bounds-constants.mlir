// RUN: qbackend-opt %s -qbackend-check-bounds | FileCheck %s
// RUN: qbackend-opt %s -qbackend-check-bounds -canonicalize | FileCheck %s --check-prefix=FOLDED

// Constants that are operands are no attributes, which the verifier looks at: those
// that are outside are asserted like other numbers.

// CHECK-LABEL: func.func @elements
// CHECK: cf.assert {{.*}}dimension 0 of tensor<4xf32>
// CHECK-NEXT: tensor.extract %arg0[%c-1]
// CHECK: cf.assert {{.*}}dimension 0 of tensor<4xf32>
// CHECK-NEXT: tensor.extract %arg0[%c4]
func.func @elements(%x: tensor<4xf32>) -> (f32, f32) {
  %below = arith.constant -1 : index
  %behind = arith.constant 4 : index
  %0 = tensor.extract %x[%below] : tensor<4xf32>
  %1 = tensor.extract %x[%behind] : tensor<4xf32>
  return %0, %1 : f32, f32
}

// Elements -1; 5; 0 and -1.
// CHECK-LABEL: func.func @slices
// CHECK: cf.assert {{.*}}is outside of dimension 0
// CHECK-NEXT: tensor.extract_slice %arg0[%c-1]
// CHECK: cf.assert {{.*}}is outside of dimension 0
// CHECK-NEXT: tensor.extract_slice %arg0[%c5]
// CHECK: cf.assert {{.*}}is outside of dimension 0
// CHECK-NEXT: tensor.extract_slice %arg0[0] [2] [%c-1]
func.func @slices(%x: tensor<4xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<2xf32>) {
  %below = arith.constant -1 : index
  %c3 = arith.constant 3 : index
  %behind = arith.constant 5 : index
  %0 = tensor.extract_slice %x[%below] [1] [1] : tensor<4xf32> to tensor<1xf32>
  %1 = tensor.extract_slice %x[%behind] [1] [%c3] : tensor<4xf32> to tensor<1xf32>
  %2 = tensor.extract_slice %x[0] [2] [%below] : tensor<4xf32> to tensor<2xf32>
  return %0, %1, %2 : tensor<1xf32>, tensor<1xf32>, tensor<2xf32>
}

// Nothing times less than nothing is 0 elements.
// FOLDED-LABEL: func.func @extents
// FOLDED: cf.assert %false{{.*}}, "{{.*}}makes a tensor with a negative extent
func.func @extents() -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %negative = arith.constant -2 : index
  %0 = tensor.empty(%c0, %negative) : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// FOLDED-LABEL: func.func @reshaped
// FOLDED: cf.assert %false{{.*}}, "{{.*}}has another number of elements than tensor<4xf32>
func.func @reshaped(%x: tensor<4xf32>) -> tensor<?xf32> {
  %shape = arith.constant dense<2> : tensor<1xindex>
  %0 = tensor.reshape %x(%shape) : (tensor<4xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Where nothing is left, one extent is 0, whatever the others are.
// FOLDED-LABEL: func.func @nothing
// FOLDED-NOT: cf.assert
// FOLDED: return
func.func @nothing(%x: tensor<0xf32>) -> tensor<?x?xf32> {
  %shape = arith.constant dense<[0, 5]> : tensor<2xindex>
  %0 = tensor.reshape %x(%shape) : (tensor<0xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @expanded
// CHECK: cf.assert {{.*}}has another number of elements than dimension 0
// CHECK-NEXT: tensor.expand_shape
func.func @expanded(%x: tensor<?xf32>) -> tensor<?x3xf32> {
  %c2 = arith.constant 2 : index
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%c2, 3] : tensor<?xf32> into tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// FOLDED-LABEL: func.func @dimension
// FOLDED: cf.assert %false{{.*}}, "{{.*}}has no such dimension in tensor<?xf32>
func.func @dimension(%x: tensor<?xf32>) -> index {
  %c1 = arith.constant 1 : index
  %0 = tensor.dim %x, %c1 : tensor<?xf32>
  return %0 : index
}

// FOLDED-LABEL: func.func @divided
// FOLDED: cf.assert %false{{.*}}, "{{.*}}divides by zero
func.func @divided(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = arith.divsi %x, %c0 : i32
  return %0 : i32
}
