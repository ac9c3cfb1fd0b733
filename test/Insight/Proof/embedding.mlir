// Rows that are looked up in a table of bytes, or of halves of bytes.
// REQUIRES: z3
// RUN: qbackend-prove %s | FileCheck %s
// RUN: qbackend-prove %s --form=linalg-unsigned-bytes | FileCheck %s
// RUN: qbackend-prove %s --form=kernels --target=scalar | FileCheck %s
// RUN: not qbackend-prove %s --form=onnx | FileCheck %s --check-prefix=ONNX
// ONNX: qnnpack.embedding_byte in @rows: open

// CHECK: qnnpack.embedding_byte in @rows: proven
// CHECK-NEXT: formula: fma(s[i], t[i, j], -f32(z[i] * s[i]))
// CHECK-NEXT: the result: proven, by all constants
func.func @rows(%i: tensor<?x3xi64>) -> tensor<?x3x4xf32> {
  %t = arith.constant dense<[[1, -2, 3, 4], [5, 60, -7, 8], [9, 10, 110, 12]]> : tensor<3x4xi8>
  %s = arith.constant dense<[0.1, 0.3, 0.7]> : tensor<3xf32>
  %z = arith.constant dense<[3.0, 100.0, 17.0]> : tensor<3xf32>
  %y = qnnpack.embedding_byte %i, %t, %s, %z : tensor<?x3xi64>, tensor<3x4xi8>, tensor<3xf32>, tensor<3xf32> -> tensor<?x3x4xf32>
  return %y : tensor<?x3x4xf32>
}

// CHECK: qnnpack.embedding_byte in @row_arguments: proven
// CHECK-NEXT: formula:
// CHECK-NEXT: the result: proven, by the same term
func.func @row_arguments(%i: tensor<2xi32>, %t: tensor<5x4xi8>, %s: tensor<5xf32>, %z: tensor<5xf32>) -> tensor<2x4xf32> {
  %y = qnnpack.embedding_byte %i, %t, %s, %z : tensor<2xi32>, tensor<5x4xi8>, tensor<5xf32>, tensor<5xf32> -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK: qnnpack.embedding_4bit in @halves: proven
// CHECK-NEXT: formula: fma(f16(s[i]), t[i, j], -f16(f32(z[i] * s[i])))
// CHECK-NEXT: the result: proven, by all constants
func.func @halves(%i: tensor<3xi32>) -> tensor<3x4xf32> {
  %t = arith.constant dense<[[18, -20], [92, 127]]> : tensor<2x2xi8>
  %s = arith.constant dense<[1.00048828125, 0.3]> : tensor<2xf32>
  %z = arith.constant dense<[3.0, 7.3]> : tensor<2xf32>
  %y = qnnpack.embedding_4bit %i, %t, %s, %z : tensor<3xi32>, tensor<2x2xi8>, tensor<2xf32>, tensor<2xf32> -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK: qnnpack.embedding_4bit in @table_argument: proven
// CHECK-NEXT: formula:
// CHECK-NEXT: the result: proven, by {{.*}}, 4 cases of constants
func.func @table_argument(%i: tensor<i32>, %t: tensor<2x2xi8>) -> tensor<4xf32> {
  %s = arith.constant dense<[1.0, 0.3]> : tensor<2xf32>
  %z = arith.constant dense<[3.0, 7.3]> : tensor<2xf32>
  %y = qnnpack.embedding_4bit %i, %t, %s, %z : tensor<i32>, tensor<2x2xi8>, tensor<2xf32>, tensor<2xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK: 4 operators: 4 proven, 0 bounded, 0 open, 0 counterexamples
