// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: qbackend-opt %s -canonicalize | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:3>
!other = !quant.uniform<u8:f32, 0.25:3>

// transpose(x, identity) -> x
// CHECK-LABEL: func @transpose_identity
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @transpose_identity(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = qbackend.transpose %x [0, 1, 2]
    : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// transpose(transpose(x, p), q) -> transpose(x, p then q): dimension i of the
// result is p[q[i]] of x; p = [1, 2, 0], q = [1, 0, 2] give [2, 1, 0].
// CHECK-LABEL: func @transpose_twice
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT: %[[Y:.*]] = qbackend.transpose %[[X]] [2, 1, 0]
// CHECK-SAME: tensor<2x3x4xf32> -> tensor<4x3x2xf32>
// CHECK-NEXT: return %[[Y]]
func.func @transpose_twice(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %y = qbackend.transpose %x [1, 2, 0]
    : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %z = qbackend.transpose %y [1, 0, 2]
    : tensor<3x4x2xf32> -> tensor<4x3x2xf32>
  return %z : tensor<4x3x2xf32>
}

// CHECK-LABEL: func @transpose_there_and_back
// CHECK-SAME: (%[[X:.*]]: tensor<1x3x8x?xf32>)
// CHECK-NEXT: return %[[X]]
func.func @transpose_there_and_back(%x: tensor<1x3x8x?xf32>)
    -> tensor<1x3x8x?xf32> {
  %y = qbackend.transpose %x [0, 2, 3, 1]
    : tensor<1x3x8x?xf32> -> tensor<1x8x?x3xf32>
  %z = qbackend.transpose %y [0, 3, 1, 2]
    : tensor<1x8x?x3xf32> -> tensor<1x3x8x?xf32>
  return %z : tensor<1x3x8x?xf32>
}

// The first of the two stays for its other user.
// CHECK-LABEL: func @transpose_twice_shared
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-DAG: %[[Y:.*]] = qbackend.transpose %[[X]] [1, 2, 0]
// CHECK-DAG: %[[Z:.*]] = qbackend.transpose %[[X]] [2, 1, 0]
// CHECK: return %[[Y]], %[[Z]]
func.func @transpose_twice_shared(%x: tensor<2x3x4xf32>)
    -> (tensor<3x4x2xf32>, tensor<4x3x2xf32>) {
  %y = qbackend.transpose %x [1, 2, 0]
    : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %z = qbackend.transpose %y [1, 0, 2]
    : tensor<3x4x2xf32> -> tensor<4x3x2xf32>
  return %y, %z : tensor<3x4x2xf32>, tensor<4x3x2xf32>
}

// transpose(constant) -> constant. Element [i, j] is 10 * i + j, and has to be
// at [j, i].
// CHECK-LABEL: func @transpose_constant
// CHECK-NEXT: arith.constant
// CHECK-SAME{LITERAL}: dense<[[0.000000e+00, 1.000000e+01], [1.000000e+00, 1.100000e+01], [2.000000e+00, 1.200000e+01]]>
// CHECK-SAME: tensor<3x2xf32>
// CHECK-NEXT: return
func.func @transpose_constant() -> tensor<3x2xf32> {
  %c = arith.constant dense<[[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]>
    : tensor<2x3xf32>
  %y = qbackend.transpose %c [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Element [i, j, k] is 100 * i + 10 * j + k; with [2, 0, 1] that of the result
// is 100 * j + 10 * k + i.
// CHECK-LABEL: func @transpose_constant_bytes
// CHECK-NEXT: arith.constant
// CHECK-SAME{LITERAL}: dense<[[[0, 10, 20], [100, 110, 120]], [[1, 11, 21], [101, 111, 121]]]>
// CHECK-SAME: tensor<2x2x3xi8>
// CHECK-NEXT: return
func.func @transpose_constant_bytes() -> tensor<2x2x3xi8> {
  %c = arith.constant dense<[[[0, 1], [10, 11], [20, 21]],
                             [[100, 101], [110, 111], [120, 121]]]>
    : tensor<2x3x2xi8>
  %y = qbackend.transpose %c [2, 0, 1] : tensor<2x3x2xi8> -> tensor<2x2x3xi8>
  return %y : tensor<2x2x3xi8>
}

// CHECK-LABEL: func @transpose_splat
// CHECK-NEXT: arith.constant dense<5.000000e-01> : tensor<3x2xf32>
// CHECK-NEXT: return
func.func @transpose_splat() -> tensor<3x2xf32> {
  %c = arith.constant dense<0.5> : tensor<2x3xf32>
  %y = qbackend.transpose %c [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// 1.0 is 0x3F800000, 2.0 is 0x40000000, stored with the lowest byte first.
// CHECK-LABEL: func @transpose_resource
// CHECK-NEXT: arith.constant
// CHECK-SAME{LITERAL}: dense<[[1.000000e+00], [2.000000e+00]]>
// CHECK-NEXT: return
func.func @transpose_resource() -> tensor<2x1xf32> {
  %c = arith.constant dense_resource<weight> : tensor<1x2xf32>
  %y = qbackend.transpose %c [1, 0] : tensor<1x2xf32> -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}

// An elided constant has no data to fold.
// CHECK-LABEL: func @transpose_elided
// CHECK: qbackend.transpose
func.func @transpose_elided() -> tensor<2x1xf32> {
  %c = arith.constant dense_resource<__elided__> : tensor<1x2xf32>
  %y = qbackend.transpose %c [1, 0] : tensor<1x2xf32> -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}

// quantize(dequantize(q)) -> q, same type
// CHECK-LABEL: func @quantize_of_dequantize
// CHECK-SAME: (%[[Q:.*]]: tensor<4x!quant
// CHECK-NEXT: return %[[Q]]
func.func @quantize_of_dequantize(%q: tensor<4x!u8>) -> tensor<4x!u8> {
  %x = qbackend.dequantize %q : tensor<4x!u8> -> tensor<4xf32>
  %r = qbackend.quantize %x : tensor<4xf32> -> tensor<4x!u8>
  return %r : tensor<4x!u8>
}

// To another type it is a requantization.
// CHECK-LABEL: func @quantize_of_dequantize_to_another_type
// CHECK-NEXT: qbackend.dequantize
// CHECK-NEXT: qbackend.quantize
func.func @quantize_of_dequantize_to_another_type(%q: tensor<4x!u8>)
    -> tensor<4x!other> {
  %x = qbackend.dequantize %q : tensor<4x!u8> -> tensor<4xf32>
  %r = qbackend.quantize %x : tensor<4xf32> -> tensor<4x!other>
  return %r : tensor<4x!other>
}

// dequantize(quantize(x)) is not x: the difference is what quantization costs.
// CHECK-LABEL: func @dequantize_of_quantize
// CHECK-NEXT: qbackend.quantize
// CHECK-NEXT: qbackend.dequantize
func.func @dequantize_of_quantize(%x: tensor<4xf32>) -> tensor<4xf32> {
  %q = qbackend.quantize %x : tensor<4xf32> -> tensor<4x!u8>
  %r = qbackend.dequantize %q : tensor<4x!u8> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// An observer records even if nobody uses what it passes on.
// CHECK-LABEL: func @observe_unused
// CHECK-NEXT: qbackend.observe
qbackend.observer @act <min_max, ui8>
func.func @observe_unused(%x: tensor<4xf32>) {
  %y = qbackend.observe %x by @act : tensor<4xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F00000040"
    }
  }
#-}
