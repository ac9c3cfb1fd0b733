// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack qconfig=minmax" 2>/dev/null | FileCheck %s
// RUN: qbackend-opt %s --qbackend-raise-pipeline 2>/dev/null | FileCheck %s --check-prefix=RAISED
// RUN: qbackend-opt %s --qbackend-raise-pipeline --qbackend-inline-operators 2>/dev/null | FileCheck %s

// What is recorded of a function is gone when it was counted, or taken back; code
// that no pass enters has none of it.

// CHECK-NOT: qbackend.moves
// RAISED: @main
// RAISED-SAME: attributes {qbackend.moves = {{\[\[}}"flatten", "#0", "reshape", ""]]}
// RAISED-NOT: qbackend.moves
func.func @main(%x: tensor<1x4x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x4x6xf32> into tensor<4x6xf32> loc("flatten")
  return %0 : tensor<4x6xf32>
}
module @inner {
  func.func @f(%x: tensor<1x4x6xf32>) -> tensor<4x6xf32> {
    %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x4x6xf32> into tensor<4x6xf32> loc("flatten")
    return %0 : tensor<4x6xf32>
  }
}
