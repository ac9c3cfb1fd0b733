// RUN: qbackend-opt %s -split-input-file -qbackend-raise | FileCheck %s
// RUN: qbackend-opt %s -split-input-file -qbackend-normalize-code | FileCheck %s

// Values in blocks that nothing leads to, which are made of themselves, are gone.
// CHECK-LABEL: func.func @slices
// CHECK-NOT: tensor.extract_slice
func.func @slices(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %e = tensor.empty() : tensor<1x2xf32>
  return %e : tensor<1x2xf32>
^bb1:
  %w = arith.constant dense<1.0> : tensor<4x2xf32>
  %a = tensor.extract_slice %b[0, 0] [1, 2] [1, 1] : tensor<1x2xf32> to tensor<1x2xf32>
  %b = tensor.extract_slice %a[0, 0] [1, 2] [1, 1] : tensor<1x2xf32> to tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x2xf32>) outs(%a : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

// CHECK-LABEL: func.func @casts
// CHECK-NOT: tensor.cast
func.func @casts(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %e = tensor.empty() : tensor<1x2xf32>
  return %e : tensor<1x2xf32>
^bb1:
  %w = arith.constant dense<1.0> : tensor<4x2xf32>
  %a = tensor.cast %b : tensor<1x2xf32> to tensor<1x2xf32>
  %b = tensor.cast %a : tensor<1x2xf32> to tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x2xf32>) outs(%a : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
