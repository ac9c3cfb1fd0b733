// RUN: qbackend-opt %s --qbackend-print-observers="backend=qnnpack qconfig=minmax" | FileCheck %s

// An argument that some read with channels first, some with channels last, is
// one value with one observer.

// CHECK: 0: relu = relu(x)
// CHECK-NEXT: 1: conv = conv2d(relu)
// CHECK-NEXT: 2: cat = cat(x, conv)
// CHECK-NEXT: 3: tail = relu(x)
// CHECK-NEXT: @x:
// CHECK-NEXT: x -> 0, 2, 3
// CHECK-NEXT: relu -> 1
// CHECK-NEXT: conv -> 2
// CHECK-NEXT: cat -> result 0
// CHECK-NEXT: tail -> result 1
// CHECK-NOT: {{.}}
#id = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @main(%x: tensor<1x2x4x4xf32> loc("x")) -> (tensor<1x4x4x4xf32>, tensor<1x2x4x4xf32>) {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<[[[[1.0]], [[-0.5]]], [[[0.25]], [[2.0]]]]> : tensor<2x2x1x1xf32>
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x2x4x4xf32>) outs(%e : tensor<1x2x4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %z : f32
    linalg.yield %m : f32
  } -> tensor<1x2x4x4xf32> loc("relu")
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%r, %w : tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) outs(%f : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("conv")
  %c = tensor.concat dim(1) %x, %y : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32> loc("cat")
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x2x4x4xf32>) outs(%e : tensor<1x2x4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %z : f32
    linalg.yield %m : f32
  } -> tensor<1x2x4x4xf32> loc("tail")
  return %c, %t : tensor<1x4x4x4xf32>, tensor<1x2x4x4xf32>
}
