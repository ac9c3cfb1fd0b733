// RUN: qbackend-opt %s --qbackend-fuse | FileCheck %s

!image = tensor<1x2x2x2xf32>
!kernel = tensor<2x1x1x2xf32>
#conv = #qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>

// The body is the one of the first on the operands of the joined operator, then
// the one of the second on what that yields.
// CHECK-LABEL: func.func @conv_relu
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x2x2xf32>, %[[W:.*]]: tensor<2x1x1x2xf32>, %[[B:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[Y:.*]] = qbackend.operator [#qbackend.conv2d<{{.*}}>, #qbackend.relu] inputs(%[[X]]) weight(%[[W]]) bias(%[[B]]) :
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<1x2x2x2xf32>, %{{.*}}: tensor<2x1x1x2xf32>, %{{.*}}: tensor<2xf32>):
// CHECK-NEXT: %[[E:.*]] = math.exp %[[A]]
// CHECK-NEXT: %[[F:.*]] = math.absf %[[E]]
// CHECK-NEXT: qbackend.yield %[[F]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[Y]]
func.func @conv_relu(%x: !image, %w: !kernel, %b: tensor<2xf32>) -> !image {
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) bias(%b) : (!image, !kernel, tensor<2xf32>) -> !image {
  ^bb0(%a: !image, %v: !kernel, %d: tensor<2xf32>):
    %e = math.exp %a : !image
    qbackend.yield %e : !image
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%c) : (!image) -> !image {
  ^bb0(%a: !image):
    %e = math.absf %a : !image
    qbackend.yield %e : !image
  }
  return %r : !image
}

// The result of a fused module has the name of its first part.
// CHECK-LABEL: func.func @linear_relu
// CHECK: qbackend.operator [#qbackend.linear, #qbackend.relu]
func.func @linear_relu(%x: tensor<1x2xf32>, %w: tensor<2x2xf32>) -> tensor<1x2xf32> {
  %l = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%l) : (tensor<1x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  return %r : tensor<1x2xf32>
}

// A sum keeps both of its activations; so does one of a value with itself.
// CHECK-LABEL: func.func @add_relu
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[S:.*]] = qbackend.operator [#qbackend.add, #qbackend.relu] inputs(%[[X]], %[[Y]]) :
// CHECK: qbackend.operator [#qbackend.mul, #qbackend.relu] inputs(%[[S]], %[[S]]) :
func.func @add_relu(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %s = qbackend.operator [#qbackend.add] inputs(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    qbackend.yield %b : tensor<4xf32>
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%s) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  %p = qbackend.operator [#qbackend.mul] inputs(%r, %r) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    qbackend.yield %b : tensor<4xf32>
  }
  %q = qbackend.operator [#qbackend.relu] inputs(%p) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return %q : tensor<4xf32>
}

// gamma = [2, 3], var = [4, 16] and eps = 0: gamma * r = [1, 3/4].
// w' = [[1, 2], [3, 4]] * gamma * r = [[1, 2], [2.25, 3]].
// b' = (b - mean) * gamma * r + beta = [(10 - 2) + 1, (20 - 4) * 3/4 + 2].
// The result has both names; the relu joins what was folded.
// CHECK-LABEL: func.func @conv_batch_norm_relu
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[\[\[}}1.000000e+00, 2.000000e+00]]], {{\[\[\[}}2.250000e+00, 3.000000e+00]]]]> : tensor<2x1x1x2xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[9.000000e+00, 1.400000e+01]> : tensor<2xf32>
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}}>, #qbackend.relu] inputs(%arg0) weight(%[[W]]) bias(%[[B]])
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @conv_batch_norm_relu(%x: !image) -> !image {
  %w = arith.constant dense<[[[[1.0, 2.0]]], [[[3.0, 4.0]]]]> : !kernel
  %b = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %gamma = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %beta = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %mean = arith.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %var = arith.constant dense<[4.0, 16.0]> : tensor<2xf32>
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) bias(%b) : (!image, !kernel, tensor<2xf32>) -> !image {
  ^bb0(%a: !image, %v: !kernel, %d: tensor<2xf32>):
    qbackend.yield %a : !image
  }
  %n = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 0.0>] inputs(%c) weight(%gamma) bias(%beta) running_mean(%mean) running_var(%var)
      : (!image, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> !image {
  ^bb0(%a: !image, %g: tensor<2xf32>, %d: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>):
    qbackend.yield %a : !image
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%n) : (!image) -> !image {
  ^bb0(%a: !image):
    qbackend.yield %a : !image
  }
  return %r : !image
}

// Missing gamma is 1, missing beta and bias 0; -1 * 1/2 and (0 - 3) * 1/2.
// CHECK-LABEL: func.func @linear_batch_norm_without_affine
// CHECK-DAG: %[[W:.*]] = arith.constant dense<-5.000000e-01> : tensor<1x1xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<-1.500000e+00> : tensor<1xf32>
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%[[W]]) bias(%[[B]])
func.func @linear_batch_norm_without_affine(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %w = arith.constant dense<-1.0> : tensor<1x1xf32>
  %mean = arith.constant dense<3.0> : tensor<1xf32>
  %var = arith.constant dense<4.0> : tensor<1xf32>
  %l = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (tensor<?x1xf32>, tensor<1x1xf32>) -> tensor<?x1xf32> {
  ^bb0(%a: tensor<?x1xf32>, %v: tensor<1x1xf32>):
    qbackend.yield %a : tensor<?x1xf32>
  }
  %n = qbackend.operator [#qbackend.batch_norm1d<axis = 1, eps = 0.0>] inputs(%l) running_mean(%mean) running_var(%var)
      : (tensor<?x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x1xf32> {
  ^bb0(%a: tensor<?x1xf32>, %m: tensor<1xf32>, %v: tensor<1xf32>):
    qbackend.yield %a : tensor<?x1xf32>
  }
  return %n : tensor<?x1xf32>
}

// Batch norm alone, with a relu, is a pattern, too; nothing is folded.
// CHECK-LABEL: func.func @batch_norm_relu
// CHECK: qbackend.operator [#qbackend.batch_norm2d<{{.*}}>, #qbackend.relu] inputs(%arg0) running_mean(%arg1) running_var(%arg1)
func.func @batch_norm_relu(%x: !image, %m: tensor<2xf32>) -> !image {
  %n = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 0.0>] inputs(%x) running_mean(%m) running_var(%m)
      : (!image, tensor<2xf32>, tensor<2xf32>) -> !image {
  ^bb0(%a: !image, %b: tensor<2xf32>, %v: tensor<2xf32>):
    qbackend.yield %a : !image
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%n) : (!image) -> !image {
  ^bb0(%a: !image):
    qbackend.yield %a : !image
  }
  return %r : !image
}

//===----------------------------------------------------------------------===//
// What must not be joined
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @conv_with_two_users
// CHECK: %[[C:.*]] = qbackend.operator [#qbackend.conv2d<{{[^,]*}}, {{[^>]*}}>] inputs
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.relu] inputs(%[[C]])
// CHECK: return %[[C]], %[[R]]
func.func @conv_with_two_users(%x: !image, %w: !kernel) -> (!image, !image) {
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) : (!image, !kernel) -> !image {
  ^bb0(%a: !image, %v: !kernel):
    qbackend.yield %a : !image
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%c) : (!image) -> !image {
  ^bb0(%a: !image):
    qbackend.yield %a : !image
  }
  return %c, %r : !image, !image
}

// The relu has two users: it is the anchor, which may.
// CHECK-LABEL: func.func @anchor_with_two_users
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.conv2d<{{.*}}>, #qbackend.relu]
// CHECK: return %[[R]], %[[R]]
func.func @anchor_with_two_users(%x: !image, %w: !kernel) -> (!image, !image) {
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) : (!image, !kernel) -> !image {
  ^bb0(%a: !image, %v: !kernel):
    qbackend.yield %a : !image
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%c) : (!image) -> !image {
  ^bb0(%a: !image):
    qbackend.yield %a : !image
  }
  return %r, %r : !image, !image
}

// CHECK-LABEL: func.func @batch_norm_of_arguments
// CHECK: qbackend.operator [#qbackend.conv2d
// CHECK: qbackend.operator [#qbackend.batch_norm2d<{{.*}}>] inputs
func.func @batch_norm_of_arguments(%x: !image, %m: tensor<2xf32>) -> !image {
  %w = arith.constant dense<1.0> : !kernel
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) : (!image, !kernel) -> !image {
  ^bb0(%a: !image, %v: !kernel):
    qbackend.yield %a : !image
  }
  %n = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 0.0>] inputs(%c) running_mean(%m) running_var(%m)
      : (!image, tensor<2xf32>, tensor<2xf32>) -> !image {
  ^bb0(%a: !image, %b: tensor<2xf32>, %v: tensor<2xf32>):
    qbackend.yield %a : !image
  }
  return %n : !image
}

// The backend has no pattern of these two.
// CHECK-LABEL: func.func @no_pattern
// CHECK: qbackend.operator [#qbackend.linear] inputs
// CHECK: qbackend.operator [#qbackend.sigmoid] inputs
// CHECK: qbackend.operator [#qbackend.relu] inputs
func.func @no_pattern(%x: tensor<1x2xf32>, %w: tensor<2x2xf32>) -> tensor<1x2xf32> {
  %l = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %s = qbackend.operator [#qbackend.sigmoid] inputs(%l) : (tensor<1x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%s) : (tensor<1x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  return %r : tensor<1x2xf32>
}

// Each operator is in one pattern: the second relu is left.
// CHECK-LABEL: func.func @relu_of_relu
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.add<scalar = 1.0{{.*}}>, #qbackend.relu]
// CHECK: qbackend.operator [#qbackend.relu] inputs(%[[S]])
func.func @relu_of_relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = qbackend.operator [#qbackend.add<scalar = 1.0>] inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%s) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  %q = qbackend.operator [#qbackend.relu] inputs(%r) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return %q : tensor<4xf32>
}

// Two channels and height two: the norm is over the height, not to be taken
// for the channels.
// CHECK-LABEL: func.func @batch_norm_of_another_dimension
// CHECK: qbackend.operator [#qbackend.conv2d
// CHECK: qbackend.operator [#qbackend.batch_norm2d<axis = 1,
func.func @batch_norm_of_another_dimension(%x: !image) -> !image {
  %w = arith.constant dense<1.0> : !kernel
  %m = arith.constant dense<1.0> : tensor<2xf32>
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) : (!image, !kernel) -> !image {
  ^bb0(%a: !image, %v: !kernel):
    qbackend.yield %a : !image
  }
  %n = qbackend.operator [#qbackend.batch_norm2d<axis = 1, eps = 0.0>] inputs(%c) running_mean(%m) running_var(%m)
      : (!image, tensor<2xf32>, tensor<2xf32>) -> !image {
  ^bb0(%a: !image, %b: tensor<2xf32>, %v: tensor<2xf32>):
    qbackend.yield %a : !image
  }
  return %n : !image
}

// Dynamic extents of the folded convolution: (h + 1 + 1 - 5) / 2 + 1 with a
// kernel of 3, dilated by 2, and stride 2.
// CHECK-LABEL: func.func @dynamic_image
// CHECK: ^bb0(%[[A:.*]]: tensor<?x?x4x1xf32>
// CHECK: %[[H:.*]] = tensor.dim %[[A]], %c1
// CHECK: %[[M:.*]] = arith.addi %[[H]], %c-3
// CHECK: %[[D:.*]] = arith.divui %[[M]], %c2
// CHECK: %[[S:.*]] = arith.addi %[[D]], %c1
// CHECK: tensor.pad %[[A]] low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: tensor<?x?x4x1xf32> to tensor<?x?x6x1xf32>
// CHECK: tensor.empty(%{{.*}}, %[[S]])
func.func @dynamic_image(%x: tensor<?x?x4x1xf32>) -> tensor<?x?x1x1xf32> {
  %w = arith.constant dense<1.0> : tensor<1x3x3x1xf32>
  %m = arith.constant dense<1.0> : tensor<1xf32>
  %c = qbackend.operator [#qbackend.conv2d<stride = [2, 2], padding = [1, 1, 1, 1], dilation = [2, 2], groups = 1>]
      inputs(%x) weight(%w) : (tensor<?x?x4x1xf32>, tensor<1x3x3x1xf32>) -> tensor<?x?x1x1xf32> {
  ^bb0(%a: tensor<?x?x4x1xf32>, %v: tensor<1x3x3x1xf32>):
    %e = tensor.cast %a : tensor<?x?x4x1xf32> to tensor<?x?x?x1xf32>
    %f = tensor.cast %e : tensor<?x?x?x1xf32> to tensor<?x?x1x1xf32>
    qbackend.yield %f : tensor<?x?x1x1xf32>
  }
  %n = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 0.0>] inputs(%c) running_mean(%m) running_var(%m)
      : (tensor<?x?x1x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x1x1xf32> {
  ^bb0(%a: tensor<?x?x1x1xf32>, %b: tensor<1xf32>, %v: tensor<1xf32>):
    qbackend.yield %a : tensor<?x?x1x1xf32>
  }
  return %n : tensor<?x?x1x1xf32>
}
