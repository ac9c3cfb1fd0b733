// RUN: qbackend-opt %s -split-input-file -qbackend-place-sum-stages | FileCheck %s

// The bias stands before its sum, the last sum before what adds both.
// CHECK-LABEL: func.func @residual
// CHECK: linalg.broadcast
// CHECK-NEXT: linalg.matmul
// CHECK: math.absf
// CHECK: linalg.broadcast
// CHECK-NEXT: linalg.matmul
// CHECK-NEXT: linalg.add
func.func @residual(%x: tensor<4x6xf32>, %w: tensor<6x5xf32>, %b: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4x6xf32>) {
  %e = tensor.empty() : tensor<4x5xf32>
  %i = linalg.broadcast ins(%b : tensor<5xf32>) outs(%e : tensor<4x5xf32>) dimensions = [0]
  %s = linalg.matmul ins(%x, %w : tensor<4x6xf32>, tensor<6x5xf32>) outs(%i : tensor<4x5xf32>) -> tensor<4x5xf32>
  %t = linalg.matmul ins(%x, %w : tensor<4x6xf32>, tensor<6x5xf32>) outs(%i : tensor<4x5xf32>) -> tensor<4x5xf32>
  %a = math.absf %x : tensor<4x6xf32>
  %y = linalg.add ins(%s, %t : tensor<4x5xf32>, tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %y, %a : tensor<4x5xf32>, tensor<4x6xf32>
}

// -----

// Nothing is moved over a call, or if others read it, too.
// CHECK-LABEL: func.func @stays
// CHECK: linalg.matmul
// CHECK-NEXT: call @clock
// CHECK: linalg.exp
// CHECK: linalg.matmul
// CHECK-NEXT: math.absf
func.func private @clock()
func.func @stays(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%i : tensor<4x4xf32>) -> tensor<4x4xf32>
  func.call @clock() : () -> ()
  %y = linalg.exp ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.matmul ins(%y, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%i : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = math.absf %x : tensor<4x4xf32>
  %z = linalg.exp ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %z, %t, %a : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
