// RUN: qbackend-opt %s --convert-qnnpack-to-linalg | FileCheck %s
// RUN: qbackend-opt %s --convert-qnnpack-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize="bufferize-function-boundaries" \
// RUN:       --convert-linalg-to-loops --expand-strided-metadata --lower-affine \
// RUN:   | FileCheck %s --check-prefix=LOOPS

// Rows of several unknown extents stay as they are: stock lowering of LLVM 22 can't
// have them back from one, and crashed.

!x = !quant.uniform<u8:f32, 0.1:3>
!w = !quant.uniform<i8:f32, 0.1>
!y = !quant.uniform<u8:f32, 0.5:1>

// CHECK-NOT: expand_shape
// CHECK: linalg.generic
// LOOPS-COUNT-4: scf.for
func.func @main(%x: tensor<?x?x8x!x>, %w: tensor<4x8x!w>) -> tensor<?x?x4x!y> {
  %y = qnnpack.linear %x, %w : tensor<?x?x8x!x>, tensor<4x8x!w> -> tensor<?x?x4x!y>
  return %y : tensor<?x?x4x!y>
}
