// RUN: qbackend-opt %s --qbackend-raise --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: qbackend-opt %s --qbackend-print-observers="backend=qnnpack qconfig=@m" | FileCheck %s --check-prefix=SELECTED

// An operator has the name of what it computes, whatever that of a move behind it is.
// CHECK-LABEL: func.func @moved
// CHECK: qbackend.operator [#qbackend.linear]
// CHECK: qbackend.yield
// CHECK-NEXT: } loc("layer")
// SELECTED: layer = linear(x); float
qbackend.qconfig_mapping @m {
  qbackend.qconfig global <activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  qbackend.qconfig module_name "layer" none
}
func.func @moved(%x: tensor<1x4x3xf32> loc("x")) -> tensor<1x4x2xf32> {
  %w = "tosa.const"() <{values = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %x, %w, %z, %z : (tensor<1x4x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x2xf32> loc("layer")
  %e = tensor.empty() : tensor<1x4x2xf32>
  %t = linalg.transpose ins(%m : tensor<1x4x2xf32>) outs(%e : tensor<1x4x2xf32>) permutation = [0, 1, 2]
  return %t : tensor<1x4x2xf32>
}

// CHECK-LABEL: func.func @named_move
// CHECK: qbackend.operator [#qbackend.linear]
// CHECK: qbackend.yield
// CHECK-NEXT: } loc("other")
func.func @named_move(%x: tensor<1x4x3xf32>) -> tensor<1x4x2xf32> {
  %w = "tosa.const"() <{values = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %x, %w, %z, %z : (tensor<1x4x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x2xf32> loc("other")
  %e = tensor.empty() : tensor<1x4x2xf32>
  %t = linalg.transpose ins(%m : tensor<1x4x2xf32>) outs(%e : tensor<1x4x2xf32>) permutation = [0, 1, 2] loc("move")
  return %t : tensor<1x4x2xf32>
}
