// RUN: qbackend-opt %s --allow-unregistered-dialect --apply-backend=qnnpack -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=QB001

// A weight that a variable or a buffer holds is one that is not known; what is
// computed from tensors is no weight.

// CHECK: QB106 | {{.*}} Operator=conv2d, OperatorName=conv2d_0, Reason="its weight is not a constant with data"
// CHECK: note: and 1 more with this reason: 1 linear; at {{.*}}.mlir:
func.func @main(%x: tensor<1x6x6x3xf32>, %v: memref<5x108xf32>) -> tensor<1x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %h = "tf.VarHandleOp"() : () -> !tf.resource
  %w = "tf.ReadVariableOp"(%h) : (!tf.resource) -> tensor<3x1x1x3xf32>
  %0 = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x6x6x3xf32>, tensor<3x1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x6x3xf32>
  %1 = tensor.collapse_shape %0 [[0], [1, 2, 3]] : tensor<1x6x6x3xf32> into tensor<1x108xf32>
  %t = bufferization.to_tensor %v : memref<5x108xf32> to tensor<5x108xf32>
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<1x5xf32>) -> tensor<1x5xf32>
  %2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%1, %t : tensor<1x108xf32>, tensor<5x108xf32>) outs(%f : tensor<1x5xf32>) -> tensor<1x5xf32>
  return %2 : tensor<1x5xf32>
}
