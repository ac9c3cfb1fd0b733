// RUN: qbackend-opt %s --qbackend-normalize-layout | FileCheck %s

!nchw = tensor<1x3x4x5xf32>
!nhwc = tensor<1x4x5x3xf32>

// A transpose sinks through operators that work in any layout, and meets its
// inverse.
// CHECK-LABEL: func.func @sink
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x5x3xf32>)
// CHECK-NEXT: %[[R:.*]] = qbackend.operator [#qbackend.relu] inputs(%[[X]]) : (tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<1x4x5x3xf32>):
// CHECK-NEXT: %[[NCHW:.*]] = qbackend.transpose %[[A]] [0, 3, 1, 2]
// CHECK-NEXT: %[[F:.*]] = math.absf %[[NCHW]]
// CHECK-NEXT: %[[BACK:.*]] = qbackend.transpose %[[F]] [0, 2, 3, 1]
// CHECK-NEXT: qbackend.yield %[[BACK]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]
func.func @sink(%x: !nhwc) -> !nhwc {
  %t = qbackend.transpose %x [0, 3, 1, 2] : !nhwc -> !nchw
  %r = qbackend.operator [#qbackend.relu] inputs(%t) : (!nchw) -> !nchw {
  ^bb0(%a: !nchw):
    %f = math.absf %a : !nchw
    qbackend.yield %f : !nchw
  }
  %b = qbackend.transpose %r [0, 2, 3, 1] : !nchw -> !nhwc
  return %b : !nhwc
}

// A residual: both sides come transposed, and the sum is as they are.
// CHECK-LABEL: func.func @residual
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x5x3xf32>, %[[Y:.*]]: tensor<1x4x5x3xf32>)
// CHECK-NEXT: %[[S:.*]] = qbackend.operator [#qbackend.add] inputs(%[[X]], %[[Y]]) : (tensor<1x4x5x3xf32>, tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32>
// CHECK: return %[[S]]
func.func @residual(%x: !nhwc, %y: !nhwc) -> !nhwc {
  %t = qbackend.transpose %x [0, 3, 1, 2] : !nhwc -> !nchw
  %u = qbackend.transpose %y [0, 3, 1, 2] : !nhwc -> !nchw
  %s = qbackend.operator [#qbackend.add] inputs(%t, %u) : (!nchw, !nchw) -> !nchw {
  ^bb0(%a: !nchw, %b: !nchw):
    %f = arith.addf %a, %b : !nchw
    qbackend.yield %f : !nchw
  }
  %b = qbackend.transpose %s [0, 2, 3, 1] : !nchw -> !nhwc
  return %b : !nhwc
}

// Only one side does: the other one gets the inverse, at the edge.
// CHECK-LABEL: func.func @one_side
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x5x3xf32>, %[[Y:.*]]: tensor<1x3x4x5xf32>)
// CHECK-NEXT: %[[T:.*]] = qbackend.transpose %[[Y]] [0, 2, 3, 1]
// CHECK-NEXT: %[[S:.*]] = qbackend.operator [#qbackend.add] inputs(%[[X]], %[[T]])
// CHECK: return %[[S]]
func.func @one_side(%x: !nhwc, %y: !nchw) -> !nhwc {
  %t = qbackend.transpose %x [0, 3, 1, 2] : !nhwc -> !nchw
  %s = qbackend.operator [#qbackend.add] inputs(%t, %y) : (!nchw, !nchw) -> !nchw {
  ^bb0(%a: !nchw, %b: !nchw):
    %f = arith.addf %a, %b : !nchw
    qbackend.yield %f : !nchw
  }
  %b = qbackend.transpose %s [0, 2, 3, 1] : !nchw -> !nhwc
  return %b : !nhwc
}

// A constant operand is transposed itself.
// CHECK-LABEL: func.func @constant_operand
// CHECK-SAME: (%[[X:.*]]: tensor<1x1x2x3xf32>)
// CHECK: %[[C:.*]] = arith.constant dense<{{\[\[\[\[}}1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00]]]]> : tensor<1x1x2x3xf32>
// CHECK: qbackend.operator [#qbackend.mul] inputs(%[[X]], %[[C]])
// CHECK-NOT: qbackend.transpose %[[C]]
func.func @constant_operand(%x: tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32> {
  %c = arith.constant dense<[[[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]]> : tensor<1x3x1x2xf32>
  %t = qbackend.transpose %x [0, 3, 1, 2] : tensor<1x1x2x3xf32> -> tensor<1x3x1x2xf32>
  %s = qbackend.operator [#qbackend.mul] inputs(%t, %c) : (tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32> {
  ^bb0(%a: tensor<1x3x1x2xf32>, %b: tensor<1x3x1x2xf32>):
    %f = arith.mulf %a, %b : tensor<1x3x1x2xf32>
    qbackend.yield %f : tensor<1x3x1x2xf32>
  }
  %b = qbackend.transpose %s [0, 2, 3, 1] : tensor<1x3x1x2xf32> -> tensor<1x1x2x3xf32>
  return %b : tensor<1x1x2x3xf32>
}

// Axes move with the layout: channels 1 of NCHW are 3 of NHWC.
// CHECK-LABEL: func.func @axes
// CHECK: qbackend.operator [#qbackend.cat<axis = 3>] {{.*}} -> tensor<1x4x5x6xf32>
// CHECK: qbackend.operator [#qbackend.softmax<axis = 3>]
// CHECK: qbackend.operator [#qbackend.mean<axes = [1, 2], keepdim = true>] {{.*}} -> tensor<1x1x1x6xf32>
// CHECK: qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = {{.*}}>]
// CHECK-NOT: qbackend.operator [#qbackend.transpose
// CHECK: return
func.func @axes(%x: !nhwc, %g: tensor<6xf32>) -> tensor<1x1x1x6xf32> {
  %t = qbackend.transpose %x [0, 3, 1, 2] : !nhwc -> !nchw
  %c = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%t, %t) : (!nchw, !nchw) -> tensor<1x6x4x5xf32> {
  ^bb0(%a: !nchw, %b: !nchw):
    %f = tensor.concat dim(1) %a, %b : (!nchw, !nchw) -> tensor<1x6x4x5xf32>
    qbackend.yield %f : tensor<1x6x4x5xf32>
  }
  %s = qbackend.operator [#qbackend.softmax<axis = 1>] inputs(%c) : (tensor<1x6x4x5xf32>) -> tensor<1x6x4x5xf32> {
  ^bb0(%a: tensor<1x6x4x5xf32>):
    qbackend.yield %a : tensor<1x6x4x5xf32>
  }
  %m = qbackend.operator [#qbackend.mean<axes = [2, 3], keepdim = true>] inputs(%s) : (tensor<1x6x4x5xf32>) -> tensor<1x6x1x1xf32> {
  ^bb0(%a: tensor<1x6x4x5xf32>):
    %e = tensor.empty() : tensor<1x6x1x1xf32>
    qbackend.yield %e : tensor<1x6x1x1xf32>
  }
  %n = qbackend.operator [#qbackend.batch_norm2d<axis = 1, eps = 1.0e-5>] inputs(%m) running_mean(%g) running_var(%g)
      : (tensor<1x6x1x1xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x1x1xf32> {
  ^bb0(%a: tensor<1x6x1x1xf32>, %b: tensor<6xf32>, %v: tensor<6xf32>):
    qbackend.yield %a : tensor<1x6x1x1xf32>
  }
  %b = qbackend.transpose %n [0, 2, 3, 1] : tensor<1x6x1x1xf32> -> tensor<1x1x1x6xf32>
  return %b : tensor<1x1x1x6xf32>
}

// A mean that drops the image's dimensions leaves [batch, channels] either way.
// CHECK-LABEL: func.func @mean_without_dimensions
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x5x3xf32>)
// CHECK-NEXT: %[[M:.*]] = qbackend.operator [#qbackend.mean<axes = [1, 2]>] inputs(%[[X]]) : (tensor<1x4x5x3xf32>) -> tensor<1x3xf32>
// CHECK: return %[[M]]
func.func @mean_without_dimensions(%x: !nhwc) -> tensor<1x3xf32> {
  %t = qbackend.transpose %x [0, 3, 1, 2] : !nhwc -> !nchw
  %m = qbackend.operator [#qbackend.mean<axes = [2, 3]>] inputs(%t) : (!nchw) -> tensor<1x3xf32> {
  ^bb0(%a: !nchw):
    %e = tensor.empty() : tensor<1x3xf32>
    qbackend.yield %e : tensor<1x3xf32>
  }
  return %m : tensor<1x3xf32>
}

// A mean of channels leaves [batch, height, width], in another order than
// [batch, width, height].
// CHECK-LABEL: func.func @mean_whose_rest_moves
// CHECK: %[[T:.*]] = qbackend.transpose
// CHECK: qbackend.operator [#qbackend.mean<axes = [1]>] inputs(%[[T]])
func.func @mean_whose_rest_moves(%x: tensor<1x5x4x3xf32>) -> tensor<1x4x5xf32> {
  %t = qbackend.transpose %x [0, 3, 2, 1] : tensor<1x5x4x3xf32> -> !nchw
  %m = qbackend.operator [#qbackend.mean<axes = [1]>] inputs(%t) : (!nchw) -> tensor<1x4x5xf32> {
  ^bb0(%a: !nchw):
    %e = tensor.empty() : tensor<1x4x5xf32>
    qbackend.yield %e : tensor<1x4x5xf32>
  }
  return %m : tensor<1x4x5xf32>
}

// Flatten and reshape take the transpose in: the elements keep their order.
// CHECK-LABEL: func.func @reshape_absorbs
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x5x3xf32>)
// CHECK-NEXT: %[[F:.*]] = qbackend.operator [#qbackend.flatten<permutation = [0, 3, 1, 2]>] inputs(%[[X]]) : (tensor<1x4x5x3xf32>) -> tensor<1x60xf32> {
// CHECK: qbackend.transpose %{{.*}} [0, 3, 1, 2]
// CHECK: tensor.collapse_shape
// CHECK: return %[[F]]
func.func @reshape_absorbs(%x: !nhwc) -> tensor<1x60xf32> {
  %t = qbackend.transpose %x [0, 3, 1, 2] : !nhwc -> !nchw
  %f = qbackend.operator [#qbackend.flatten] inputs(%t) : (!nchw) -> tensor<1x60xf32> {
  ^bb0(%a: !nchw):
    %r = tensor.collapse_shape %a [[0], [1, 2, 3]] : !nchw into tensor<1x60xf32>
    qbackend.yield %r : tensor<1x60xf32>
  }
  return %f : tensor<1x60xf32>
}

// One that had a permutation composes them; the two here undo each other.
// CHECK-LABEL: func.func @reshape_composes
// CHECK: qbackend.operator [#qbackend.reshape] inputs(%arg0)
func.func @reshape_composes(%x: !nhwc) -> tensor<60xf32> {
  %t = qbackend.transpose %x [0, 3, 1, 2] : !nhwc -> !nchw
  %f = qbackend.operator [#qbackend.reshape<permutation = [0, 2, 3, 1]>] inputs(%t) : (!nchw) -> tensor<60xf32> {
  ^bb0(%a: !nchw):
    %u = qbackend.transpose %a [0, 2, 3, 1] : !nchw -> !nhwc
    %r = tensor.collapse_shape %u [[0, 1, 2, 3]] : !nhwc into tensor<60xf32>
    qbackend.yield %r : tensor<60xf32>
  }
  return %f : tensor<60xf32>
}

// A convolution has one layout: the transpose in front of it stays.
// CHECK-LABEL: func.func @convolution_stays
// CHECK: %[[T:.*]] = qbackend.transpose %arg0
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}}>] inputs(%[[T]])
func.func @convolution_stays(%x: !nchw, %w: tensor<2x1x1x3xf32>) -> tensor<1x4x5x2xf32> {
  %t = qbackend.transpose %x [0, 2, 3, 1] : !nchw -> !nhwc
  %c = qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>]
      inputs(%t) weight(%w) : (!nhwc, tensor<2x1x1x3xf32>) -> tensor<1x4x5x2xf32> {
  ^bb0(%a: !nhwc, %b: tensor<2x1x1x3xf32>):
    %e = tensor.empty() : tensor<1x4x5x2xf32>
    qbackend.yield %e : tensor<1x4x5x2xf32>
  }
  return %c : tensor<1x4x5x2xf32>
}

// Between two operators, it moves data of the network, and is an operator.
// CHECK-LABEL: func.func @between_operators
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.sigmoid]
// CHECK: %[[T:.*]] = qbackend.operator [#qbackend.transpose<permutation = [1, 0]>] inputs(%[[S]]) attributes {qbackend.source_values = 0 : i64} : (tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: qbackend.operator [#qbackend.linear] inputs(%[[T]])
func.func @between_operators(%x: tensor<3x2xf32>, %w: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %s = qbackend.operator [#qbackend.sigmoid] inputs(%x) : (tensor<3x2xf32>) -> tensor<3x2xf32> {
  ^bb0(%a: tensor<3x2xf32>):
    qbackend.yield %a : tensor<3x2xf32>
  }
  %t = qbackend.transpose %s [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %l = qbackend.operator [#qbackend.linear] inputs(%t) weight(%w) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<2x2xf32>
    qbackend.yield %e : tensor<2x2xf32>
  }
  return %l : tensor<2x2xf32>
}

// Two equal transposes are one: both users observe the same value.
// CHECK-LABEL: func.func @equal_transposes
// CHECK: %[[T:.*]] = qbackend.transpose
// CHECK-NOT: qbackend.transpose
// CHECK: inputs(%[[T]])
// CHECK: inputs(%[[T]])
func.func @equal_transposes(%x: !nchw, %w: tensor<2x3xf32>) -> (tensor<1x4x5x2xf32>, tensor<1x4x5x2xf32>) {
  %t = qbackend.transpose %x [0, 2, 3, 1] : !nchw -> !nhwc
  %u = qbackend.transpose %x [0, 2, 3, 1] : !nchw -> !nhwc
  %c = qbackend.operator [#qbackend.linear] inputs(%t) weight(%w) : (!nhwc, tensor<2x3xf32>) -> tensor<1x4x5x2xf32> {
  ^bb0(%a: !nhwc, %b: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<1x4x5x2xf32>
    qbackend.yield %e : tensor<1x4x5x2xf32>
  }
  %d = qbackend.operator [#qbackend.linear] inputs(%u) weight(%w) : (!nhwc, tensor<2x3xf32>) -> tensor<1x4x5x2xf32> {
  ^bb0(%a: !nhwc, %b: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<1x4x5x2xf32>
    qbackend.yield %e : tensor<1x4x5x2xf32>
  }
  return %c, %d : tensor<1x4x5x2xf32>, tensor<1x4x5x2xf32>
}

// Casts that forget sizes and know them again are in nobody's way.
// CHECK-LABEL: func.func @casts
// CHECK: %[[A:.*]] = qbackend.operator [#qbackend.relu] inputs(%arg0) : (tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32>
// CHECK: %[[B:.*]] = qbackend.operator [#qbackend.relu] inputs(%[[A]]) : (tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32>
// CHECK: return %[[B]]
func.func @casts(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32> {
  %t = qbackend.transpose %x [0, 3, 1, 2] : tensor<1x4x5x3xf32> -> tensor<1x3x4x5xf32>
  %0 = qbackend.operator [#qbackend.relu] inputs(%t) : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> {
  ^bb0(%a: tensor<1x3x4x5xf32>):
    qbackend.yield %a : tensor<1x3x4x5xf32>
  }
  %d = tensor.cast %0 : tensor<1x3x4x5xf32> to tensor<?x?x?x?xf32>
  %s = tensor.cast %d : tensor<?x?x?x?xf32> to tensor<1x3x4x5xf32>
  %1 = qbackend.operator [#qbackend.relu] inputs(%s) : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> {
  ^bb0(%a: tensor<1x3x4x5xf32>):
    qbackend.yield %a : tensor<1x3x4x5xf32>
  }
  %u = qbackend.transpose %1 [0, 2, 3, 1] : tensor<1x3x4x5xf32> -> tensor<1x4x5x3xf32>
  return %u : tensor<1x4x5x3xf32>
}
