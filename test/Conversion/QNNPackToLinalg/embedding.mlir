// RUN: qbackend-opt %s --convert-qnnpack-to-linalg | FileCheck %s

// CHECK-LABEL: @byte
// CHECK: arith.index_castui %{{[^ ]*}} : i64 to index
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult
// CHECK: cf.assert %[[EXISTS]], "an index of the embedding is outside of its 2 rows"
// CHECK: arith.uitofp
// CHECK: math.fma
func.func @byte(%i: tensor<?x3xi64>, %t: tensor<2x4xi8>, %s: tensor<2xf32>, %z: tensor<2xf32>) -> tensor<?x3x4xf32> {
  %0 = qnnpack.embedding_byte %i, %t, %s, %z : tensor<?x3xi64>, tensor<2x4xi8>, tensor<2xf32>, tensor<2xf32> -> tensor<?x3x4xf32>
  return %0 : tensor<?x3x4xf32>
}

// As 16-bit floats: 1 + 2^-11 is a tie, and 3 * (1 + 2^-11), where the step is
// 2^-9, is 3 + 0.75 steps.
// CHECK-LABEL: @constant_rows
// CHECK-DAG: dense<1.000000e+00> : tensor<1xf32>
// CHECK-DAG: dense<-3.00195313> : tensor<1xf32>
// CHECK-NOT: f16
// CHECK: arith.shrui %{{[^ ]*}}, %{{[^ ]*}} : i8
// CHECK: arith.andi %{{[^ ]*}}, %{{[^ ]*}} : i8
func.func @constant_rows(%i: tensor<3xi32>, %t: tensor<1x2xi8>) -> tensor<3x4xf32> {
  %s = arith.constant dense<1.00048828125> : tensor<1xf32>
  %z = arith.constant dense<3.0> : tensor<1xf32>
  %0 = qnnpack.embedding_4bit %i, %t, %s, %z : tensor<3xi32>, tensor<1x2xi8>, tensor<1xf32>, tensor<1xf32> -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: @rows
// CHECK-COUNT-2: arith.truncf %{{[^ ]*}} : f32 to f16
func.func @rows(%i: tensor<i32>, %t: tensor<1x2xi8>, %s: tensor<1xf32>) -> tensor<4xf32> {
  %0 = qnnpack.embedding_4bit %i, %t, %s, %s : tensor<i32>, tensor<1x2xi8>, tensor<1xf32>, tensor<1xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
