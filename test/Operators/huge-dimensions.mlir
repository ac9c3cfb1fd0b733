// What recognising costs doesn't depend on how large dimensions are: 2^32
// numbers of each would be 64 GB.
// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @add
// CHECK: [#qbackend.add] inputs(%arg0, %arg1)
func.func @add(%a: tensor<4294967296x4294967296xf32>, %b: tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32> {
  %0 = tosa.add %a, %b : (tensor<4294967296x4294967296xf32>, tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32>
  return %0 : tensor<4294967296x4294967296xf32>
}

// CHECK-LABEL: func.func @scale_and_shift
// CHECK: [#qbackend.mul<scalar = 3.000000e+00>] inputs(%arg0)
// CHECK: [#qbackend.add<scalar = 5.000000e-01>]
func.func @scale_and_shift(%a: tensor<1x4294967296xf32>) -> tensor<1x4294967296xf32> {
  %three = arith.constant dense<3.0> : tensor<1x4294967296xf32>
  %half = arith.constant dense<0.5> : tensor<1x4294967296xf32>
  %0 = arith.mulf %a, %three : tensor<1x4294967296xf32>
  %1 = arith.addf %0, %half : tensor<1x4294967296xf32>
  return %1 : tensor<1x4294967296xf32>
}
