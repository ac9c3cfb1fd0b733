// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// An image of two dimensions that has no batch, and a window for each of its
// channels: what folding unit dimensions leaves of a depthwise convolution.

// CHECK-LABEL: func.func @main(
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}}groups = 3>]
// CHECK: return
func.func @main(%x: tensor<6x6x3xf32>) -> tensor<4x4x3xf32> {
  %w = arith.constant dense<0.125> : tensor<3x3x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4x3xf32>) -> tensor<4x4x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, w, c, i, j) -> (h + i, w + j, c)>, affine_map<(h, w, c, i, j) -> (i, j, c)>, affine_map<(h, w, c, i, j) -> (h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<6x6x3xf32>, tensor<3x3x3xf32>) outs(%z : tensor<4x4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x4x3xf32>
  return %y : tensor<4x4x3xf32>
}
