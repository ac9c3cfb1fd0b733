// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @flatten
// CHECK: qbackend.operator [#qbackend.flatten] inputs(%arg0)
func.func @flatten(%x: tensor<2x4x4x3xf32>) -> tensor<2x48xf32> {
  %s = tosa.const_shape {values = dense<[2, 48]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %x, %s : (tensor<2x4x4x3xf32>, !tosa.shape<2>) -> tensor<2x48xf32>
  return %0 : tensor<2x48xf32>
}

// CHECK-LABEL: func.func @reshape
// CHECK: qbackend.operator [#qbackend.reshape] inputs(%arg0)
func.func @reshape(%x: tensor<2x4x4x3xf32>) -> tensor<8x12xf32> {
  %s = tosa.const_shape {values = dense<[8, 12]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %x, %s : (tensor<2x4x4x3xf32>, !tosa.shape<2>) -> tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
}

// CHECK-LABEL: func.func @transpose
// CHECK: qbackend.transpose %arg0 [0, 3, 1, 2]
func.func @transpose(%x: tensor<?x4x4x3xf32>) -> tensor<?x3x4x4xf32> {
  %0 = tosa.transpose %x {perms = array<i32: 0, 3, 1, 2>} : (tensor<?x4x4x3xf32>) -> tensor<?x3x4x4xf32>
  return %0 : tensor<?x3x4x4xf32>
}

// Constants are evaluated where they are used, not wrapped.
// CHECK-LABEL: func.func @constant
// CHECK-NOT: qbackend
// CHECK: return
func.func @constant() -> tensor<2x2xf32> {
  %c = "tosa.const"() <{values = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
  %0 = tosa.transpose %c {perms = array<i32: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
