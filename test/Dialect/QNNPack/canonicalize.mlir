// RUN: qbackend-opt %s --canonicalize | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:3>

// transpose(x), identity -> x
// CHECK-LABEL: @identity_transpose
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x
// CHECK-NEXT: return %[[X]]
func.func @identity_transpose(%x: tensor<2x3x!u8>) -> tensor<2x3x!u8> {
  %0 = qnnpack.transpose %x {permutation = array<i64: 0, 1>} : tensor<2x3x!u8> -> tensor<2x3x!u8>
  return %0 : tensor<2x3x!u8>
}

// Dimension i of the result is p[q[i]] of x: p = [2, 0, 1], q = [1, 0, 2].
// CHECK-LABEL: @compose_transposes
// CHECK-NEXT: %[[Y:.*]] = qnnpack.transpose %{{.*}} {permutation = array<i64: 0, 2, 1>} : tensor<2x3x4x{{.*}} -> tensor<2x4x3x
// CHECK-NEXT: return %[[Y]]
func.func @compose_transposes(%x: tensor<2x3x4x!u8>) -> tensor<2x4x3x!u8> {
  %0 = qnnpack.transpose %x {permutation = array<i64: 2, 0, 1>} : tensor<2x3x4x!u8> -> tensor<4x2x3x!u8>
  %1 = qnnpack.transpose %0 {permutation = array<i64: 1, 0, 2>} : tensor<4x2x3x!u8> -> tensor<2x4x3x!u8>
  return %1 : tensor<2x4x3x!u8>
}

// CHECK-LABEL: @inverse_transposes
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4x
// CHECK-NEXT: return %[[X]]
func.func @inverse_transposes(%x: tensor<2x3x4x!u8>) -> tensor<2x3x4x!u8> {
  %0 = qnnpack.transpose %x {permutation = array<i64: 2, 0, 1>} : tensor<2x3x4x!u8> -> tensor<4x2x3x!u8>
  %1 = qnnpack.transpose %0 {permutation = array<i64: 1, 2, 0>} : tensor<4x2x3x!u8> -> tensor<2x3x4x!u8>
  return %1 : tensor<2x3x4x!u8>
}

// reshape(reshape(x)) -> reshape(x), and -> x if it is back.
// CHECK-LABEL: @reshapes
// CHECK-SAME: (%[[X:.*]]: tensor<?x6x
// CHECK-NEXT: %[[Y:.*]] = qnnpack.reshape %[[X]] : tensor<?x6x{{.*}} -> tensor<?x3x2x
// CHECK-NEXT: return %[[Y]], %[[X]]
func.func @reshapes(%x: tensor<?x6x!u8>) -> (tensor<?x3x2x!u8>, tensor<?x6x!u8>) {
  %0 = qnnpack.reshape %x : tensor<?x6x!u8> -> tensor<?x2x3x!u8>
  %1 = qnnpack.reshape %0 : tensor<?x2x3x!u8> -> tensor<?x3x2x!u8>
  %2 = qnnpack.reshape %1 : tensor<?x3x2x!u8> -> tensor<?x6x!u8>
  return %1, %2 : tensor<?x3x2x!u8>, tensor<?x6x!u8>
}

// Another shape is not folded away.
// CHECK-LABEL: @reshape_stays
// CHECK: qnnpack.reshape
func.func @reshape_stays(%x: tensor<2x3x!u8>) -> tensor<6x!u8> {
  %0 = qnnpack.reshape %x : tensor<2x3x!u8> -> tensor<6x!u8>
  return %0 : tensor<6x!u8>
}
