// RUN: qbackend-opt %s --apply-backend=qnnpack lower-to=qnnpack 2>&1 | FileCheck %s

// torch-mlir pads a ceil-mode pool by stride - 1 more, whether or not a window
// gets there: rows (4 - 1) * 2 + 3 = 9 are read of 9 + 2.

// CHECK-NOT: QB108
// CHECK: qnnpack.max_pool2d
// CHECK-SAME: padding = array<i64: 0, 0, 0, 0>
// CHECK-SAME: tensor<1x9x9x2x
// CHECK-SAME: tensor<1x4x4x2x
// CHECK-NOT: QB108
func.func @main(%x: tensor<1x2x9x9xf32> {qbackend.range = array<f64: 0.0, 2.55>}) -> tensor<1x2x4x4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 2, 2] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %lowest : f32
  } : tensor<1x2x9x9xf32> to tensor<1x2x11x11xf32>
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nchw_max {strides = dense<2> : vector<2xi64>}
    ins(%p, %window : tensor<1x2x11x11xf32>, tensor<3x3xf32>)
    outs(%f : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %r : tensor<1x2x4x4xf32>
}
