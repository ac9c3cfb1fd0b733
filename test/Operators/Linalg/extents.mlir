// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// The batch of a destination is that of another tensor, from which that of the
// image follows.

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d1)>

// CHECK-LABEL: func.func @of_the_argument
// CHECK: qbackend.operator [#qbackend.tanh]
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}}>] inputs(%[[X:.*]]) weight({{.*}}) bias(
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<?x8x8x3xf32>
// CHECK: %[[N:.*]] = qbackend.transpose %[[A]] [0, 3, 1, 2]
// CHECK: tensor.dim %[[N]]
func.func @of_the_argument(%x: tensor<?x3x8x8xf32>) -> tensor<?x6x6x6xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x8x8xf32>
  %w = arith.constant dense<0.5> : tensor<6x3x3x3xf32>
  %b = arith.constant dense<0.5> : tensor<6xf32>
  %e0 = tensor.empty(%n) : tensor<?x3x8x8xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<?x3x8x8xf32>) outs(%e0 : tensor<?x3x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x3x8x8xf32>
  %e = tensor.empty(%n) : tensor<?x6x6x6xf32>
  %i = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<?x6x6x6xf32>) dimensions = [0, 2, 3]
  %r = linalg.conv_2d_nchw_fchw ins(%t, %w : tensor<?x3x8x8xf32>, tensor<6x3x3x3xf32>) outs(%i : tensor<?x6x6x6xf32>) -> tensor<?x6x6x6xf32>
  return %r : tensor<?x6x6x6xf32>
}

// An extent that nothing says is that of the image: no operator.
// CHECK-LABEL: func.func @of_another
// CHECK-NOT: qbackend.conv2d
// CHECK: return
func.func @of_another(%x: tensor<?x3x8x8xf32>, %y: tensor<?x4xf32>) -> tensor<?x6x6x6xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x4xf32>
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<6x3x3x3xf32>
  %e = tensor.empty(%n) : tensor<?x6x6x6xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x6x6x6xf32>) -> tensor<?x6x6x6xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x3x8x8xf32>, tensor<6x3x3x3xf32>) outs(%i : tensor<?x6x6x6xf32>) -> tensor<?x6x6x6xf32>
  return %r : tensor<?x6x6x6xf32>
}
