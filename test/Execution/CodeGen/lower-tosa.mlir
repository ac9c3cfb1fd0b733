// RUN: qbackend-opt %s --qbackend-lower-tosa | FileCheck %s

// What is in a branch is lowered, too.
// CHECK-LABEL: func.func @branch
// CHECK: scf.if
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-NOT: tosa
func.func @branch(%condition: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tosa.cond_if %condition (%a = %x) : tensor<i1> (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%b: tensor<4xf32>):
    %sum = tosa.add %b, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tosa.yield %sum : tensor<4xf32>
  } else {
  ^bb0(%b: tensor<4xf32>):
    %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %square = tosa.mul %b, %b, %shift : (tensor<4xf32>, tensor<4xf32>, tensor<1xi8>) -> tensor<4xf32>
    tosa.yield %square : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
