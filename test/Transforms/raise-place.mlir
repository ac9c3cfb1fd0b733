// RUN: qbackend-opt %s -qbackend-raise | FileCheck %s

// An operator is where it computes, not where its result is moved: observers see
// values in the order of the network.
// CHECK-LABEL: func.func @moved_later
// CHECK: qbackend.operator [#qbackend.relu]
// CHECK: qbackend.operator [#qbackend.tanh]
// CHECK: return
func.func @moved_later(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %turned = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%turned : tensor<3x2xf32>) permutation = [1, 0]
  %relu = linalg.generic
    {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
     iterator_types = ["parallel", "parallel"]}
    ins(%t : tensor<3x2xf32>) outs(%turned : tensor<3x2xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<3x2xf32>
  %empty = tensor.empty() : tensor<2x3xf32>
  %tanh = linalg.tanh ins(%x : tensor<2x3xf32>) outs(%empty : tensor<2x3xf32>) -> tensor<2x3xf32>
  %back = linalg.transpose ins(%relu : tensor<3x2xf32>) outs(%empty : tensor<2x3xf32>) permutation = [1, 0]
  return %tanh, %back : tensor<2x3xf32>, tensor<2x3xf32>
}
