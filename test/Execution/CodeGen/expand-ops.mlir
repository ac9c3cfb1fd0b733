// RUN: qbackend-opt %s --qbackend-expand-ops | FileCheck %s

// CHECK-NOT: ml_program.global private @weight
// CHECK: ml_program.global private mutable @state
ml_program.global private @weight(dense<2.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @state(dense<0.0> : tensor<4xf32>) : tensor<4xf32>

// CHECK-LABEL: func.func @constant
// CHECK: arith.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK: ml_program.global_load @state
func.func @constant() -> (tensor<4xf32>, tensor<4xf32>) {
  %weight = ml_program.global_load_const @weight : tensor<4xf32>
  %state = ml_program.global_load @state : tensor<4xf32>
  return %weight, %state : tensor<4xf32>, tensor<4xf32>
}

// The maximum, the exponentials, their sum and the quotient.
// CHECK-LABEL: func.func @softmax
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK-NOT: linalg.softmax
func.func @softmax(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @pack
// CHECK: tensor.expand_shape
// CHECK: linalg.transpose
// CHECK-NOT: linalg.pack
func.func @pack(%x: tensor<8x4xf32>) -> tensor<2x2x4x2xf32> {
  %e = tensor.empty() : tensor<2x2x4x2xf32>
  %y = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %e : tensor<8x4xf32> -> tensor<2x2x4x2xf32>
  return %y : tensor<2x2x4x2xf32>
}
