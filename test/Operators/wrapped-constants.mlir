// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -f %t.out
// RUN: split-file %s %t
// RUN: qbackend-opt --qbackend-print-operators %t/resource.mlir | FileCheck %s
// RUN: qbackend-opt --qbackend-print-operators %t/dense.mlir | FileCheck %s
// RUN: qbackend-opt --qbackend-raise %t/resource.mlir -o /dev/null
// RUN: qbackend-opt --qbackend-raise %t/dense.mlir -o /dev/null
// RUN: not qbackend-opt --apply-backend=qnnpack samples=1 %t/resource.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=TOOLARGE
// RUN: not qbackend-opt --apply-backend=qnnpack samples=1 %t/dense.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=TOOLARGE
// RUN: not qbackend-translate --qbackend-to-onnx %t/resource.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=ONNX
// RUN: not qbackend-translate --qbackend-to-onnx %t/dense.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=ONNX
// RUN: not qbackend-translate --qbackend-to-onnx %t/splat.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=SPLAT
// RUN: not ls %t.out

// 2^62 rows of 4 elements are 2^64 of them, which is 0 where the product wraps: no
// bytes are the right number then, and whoever reads an element reads something else.
// The number of the other one is 4.
// CHECK: 0: add [4] <- constant, input0
// TOOLARGE: error: {{.*}}tensor of more than 2147483648 elements, too many to run on
// ONNX: error: an operand of {{.*}} is no constant whose data is there, as ONNX needs it
// SPLAT: error: a constant of type 'tensor<4611686018427387904x4xf32>' has no data

//--- resource.mlir
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %w = arith.constant dense_resource<w> : tensor<4611686018427387904x4xf32>
  %r = tensor.extract_slice %w[1000000, 0] [1, 4] [1, 1]
    : tensor<4611686018427387904x4xf32> to tensor<1x4xf32>
  %0 = tosa.add %x, %r : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
{-# dialect_resources: { builtin: { w: "0x04000000" } } #-}

//--- dense.mlir
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %w = "tosa.const"() <{values = dense<"0x00000000000000000000000000000000">
    : tensor<4611686018427387905x4xf32>}> : () -> tensor<4611686018427387905x4xf32>
  %r = tensor.extract_slice %w[1000000, 0] [1, 4] [1, 1]
    : tensor<4611686018427387905x4xf32> to tensor<1x4xf32>
  %0 = tosa.add %x, %r : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

//--- splat.mlir
func.func @main(%x: tensor<1x4xf32>) -> tensor<4611686018427387904x4xf32> {
  %w = arith.constant dense<1.0> : tensor<4611686018427387904x4xf32>
  return %w : tensor<4611686018427387904x4xf32>
}
