// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -f %t/out
// RUN: split-file %s %t
// RUN: qbackend-opt --qbackend-print-operators %t/resource.mlir | FileCheck %s
// RUN: qbackend-opt --qbackend-print-operators %t/dense.mlir | FileCheck %s
// RUN: qbackend-opt --qbackend-raise %t/resource.mlir -o /dev/null
// RUN: qbackend-opt --qbackend-raise %t/dense.mlir -o /dev/null
// RUN: qbackend-opt --qbackend-raise %t/broadcast.mlir -o /dev/null
// RUN: qbackend-opt --qbackend-raise %t/zero.mlir -o /dev/null
// RUN: not qbackend-opt --apply-backend=qnnpack samples=1 %t/resource.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=TOOLARGE
// RUN: not qbackend-opt --apply-backend=qnnpack samples=1 %t/dense.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=TOOLARGE
// RUN: not qbackend-translate --qbackend-to-onnx %t/resource.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=ONNX
// RUN: not qbackend-translate --qbackend-to-onnx %t/dense.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=ONNX
// RUN: not qbackend-translate --qbackend-to-onnx %t/splat.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=SPLAT
// RUN: not ls %t/out

// 2^62 rows of 4 elements are 2^64 of them, which is 0 where the product wraps: no
// bytes are the right number then, and whoever reads an element reads something else.
// The number of the other one is 4. Elements of a broadcast were written where 4 have
// room, and the reshape of no elements had no end.
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

//--- broadcast.mlir
func.func @main(%x: tensor<4611686018427387905x4xf32>) -> tensor<4611686018427387905x4xf32> {
  %b = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4611686018427387905x4xf32>
  %c = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<4611686018427387905x4xf32>)
    dimensions = [0]
  %0 = tosa.add %x, %c : (tensor<4611686018427387905x4xf32>, tensor<4611686018427387905x4xf32>)
    -> tensor<4611686018427387905x4xf32>
  return %0 : tensor<4611686018427387905x4xf32>
}

//--- zero.mlir
func.func @main(%x: tensor<1x5x5x2xf32>, %wc: tensor<0x3x3x2xf32>, %p: tensor<700xf32>, %w2: tensor<5x6xf32>) -> tensor<5xf32> {
  %z = arith.constant 0.0 : f32
  %w1 = arith.constant dense<0.5> : tensor<6x0x3x3xf32>
  %b = tensor.extract_slice %p[128] [6] [1] : tensor<700xf32> to tensor<6xf32>
  %x3 = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x5x5x2xf32> into tensor<5x5x2xf32>
  %e3 = tensor.empty() : tensor<3x3x0xf32>
  %f3 = linalg.fill ins(%z : f32) outs(%e3 : tensor<3x3x0xf32>) -> tensor<3x3x0xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(h, w, o, r, s, c) -> (h + r, w + s, c)>, affine_map<(h, w, o, r, s, c) -> (o, r, s, c)>,
                                        affine_map<(h, w, o, r, s, c) -> (h, w, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x3, %wc : tensor<5x5x2xf32>, tensor<0x3x3x2xf32>) outs(%f3 : tensor<3x3x0xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x3x0xf32>
  %e6 = tensor.empty() : tensor<6xf32>
  %f6 = linalg.fill ins(%z : f32) outs(%e6 : tensor<6xf32>) -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(o, c, h, w) -> (h, w, c)>, affine_map<(o, c, h, w) -> (o, c, h, w)>,
                                        affine_map<(o, c, h, w) -> (o)>],
                       iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
    ins(%c, %w1 : tensor<3x3x0xf32>, tensor<6x0x3x3xf32>) outs(%f6 : tensor<6xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6xf32>
  %e5 = tensor.empty() : tensor<5xf32>
  %f5 = linalg.fill ins(%z : f32) outs(%e5 : tensor<5xf32>) -> tensor<5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(o, i) -> (i)>, affine_map<(o, i) -> (i)>, affine_map<(o, i) -> (o, i)>, affine_map<(o, i) -> (o)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%b, %y, %w2 : tensor<6xf32>, tensor<6xf32>, tensor<5x6xf32>) outs(%f5 : tensor<5xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %o: f32):
    %0 = arith.addf %i, %j : f32
    %1 = arith.maximumf %0, %z : f32
    %2 = arith.mulf %1, %k : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
