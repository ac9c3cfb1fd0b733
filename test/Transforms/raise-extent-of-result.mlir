// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// The destination of a division takes its extent from the sum before it, which is a
// part of the operator: of the input it is the same.

// CHECK-LABEL: func.func @main(
// CHECK: qbackend.operator [#qbackend.avg_pool2d<
// CHECK-NOT: linalg.pooling_nhwc_sum {{.*}} ins(%arg0
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @main(%x: tensor<?x4x4x3xf32>) -> tensor<?x2x2x3xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4x4x3xf32>
  %e = tensor.empty(%n) : tensor<?x2x2x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2x2x3xf32>) -> tensor<?x2x2x3xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %s = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%x, %w : tensor<?x4x4x3xf32>, tensor<2x2xf32>) outs(%f : tensor<?x2x2x3xf32>) -> tensor<?x2x2x3xf32>
  %m = tensor.dim %s, %c0 : tensor<?x2x2x3xf32>
  %d = tensor.empty(%m) : tensor<?x2x2x3xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<?x2x2x3xf32>) outs(%d : tensor<?x2x2x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %four : f32
    linalg.yield %q : f32
  } -> tensor<?x2x2x3xf32>
  return %y : tensor<?x2x2x3xf32>
}
