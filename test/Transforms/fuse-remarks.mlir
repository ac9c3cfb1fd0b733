// RUN: qbackend-opt %s --qbackend-fuse=backend=@b --remarks-filter='qbackend.*' -verify-diagnostics -o %t

!image = tensor<1x2x2x2xf32>
!kernel = tensor<2x1x1x2xf32>
#conv = #qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>

#relu = #qbackend.dtype_config<input = <ui8>, output = <ui8>>
qbackend.backend_config @b version 2 default_qconfig @none {
  // expected-note @+1 {{this pattern}}
  qbackend.pattern_config [conv2d, relu] <dtypes = [#relu], fuser_method = "sequential_wrapper2">
  qbackend.pattern_config [conv2d, batch_norm2d] <dtypes = [#relu], fuser_method = "fuse_conv_bn">
  // expected-note @+1 {{not this pattern}}
  qbackend.pattern_config [conv_transpose2d, batch_norm2d] <dtypes = [#relu], fuser_method = "fuse_convtranspose_bn">
  // expected-note @+1 {{but this one}}
  qbackend.pattern_config [batch_norm2d, relu] <dtypes = [#relu], fuser_method = "sequential_wrapper2">
  // expected-note @+1 {{folded by this pattern}}
  qbackend.pattern_config [conv2d, batch_norm2d, relu] <dtypes = [#relu], fuser_method = "fuse_conv_bn_relu">
  qbackend.pattern_config [linear, sigmoid] <dtypes = [#relu]>
  // expected-note @+1 {{this pattern}}
  qbackend.pattern_config [linear, sigmoid, tanh] <dtypes = [#relu]>
  // expected-note @+1 {{this pattern}}
  qbackend.pattern_config add(conv2d, _) <dtypes = [#relu], root = [0]>
  // expected-note @+1 {{this pattern}}
  qbackend.pattern_config [linear, layer_norm] <dtypes = [#relu]>
  qbackend.qconfig_mapping @none {
  }
}

func.func @qb101(%x: !image, %w: !kernel) -> (!image, !image) {
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) : (!image, !kernel) -> !image {
  ^bb0(%a: !image, %v: !kernel):
    qbackend.yield %a : !image
  }
  // expected-remark @+1 {{[Missed] QB101 | Category:qbackend | Function=qb101 | Operator=conv2d+relu, Reason="not fused: the result of conv2d has other users", Suggestion="give each user its own copy, or accept a quantization step between the two"}}
  %r = qbackend.operator [#qbackend.relu] inputs(%c) : (!image) -> !image {
  ^bb0(%a: !image):
    qbackend.yield %a : !image
  }
  // expected-note @+1 {{another user}}
  return %c, %r : !image, !image
}

// Said once, although a pattern of three and one of two are tried.
func.func @qb102(%x: !image, %m: tensor<2xf32>) -> !image {
  %w = arith.constant dense<1.0> : !kernel
  // expected-note @+1 {{into this conv2d}}
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) : (!image, !kernel) -> !image {
  ^bb0(%a: !image, %v: !kernel):
    qbackend.yield %a : !image
  }
  // expected-remark @+1 {{[Missed] QB102 | Category:qbackend | Function=qb102 | Operator=batch_norm2d, Reason="not folded: the parameters are not constants with data", Suggestion="give the weights as dense constants"}}
  %n = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 0.0>] inputs(%c) running_mean(%m) running_var(%m)
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

// A layer norm has parameters of its own.
func.func @qb110(%x: tensor<1x2xf32>, %w: tensor<2x2xf32>, %g: tensor<2xf32>) -> tensor<1x2xf32> {
  %l = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  // expected-remark @+1 {{[Missed] QB110 | Category:qbackend | Function=qb110 | Operator=layer_norm, Reason="not fused: it has parameters of its own, linear is the operator of the pattern that has them", Suggestion="make it the root of the pattern"}}
  %n = qbackend.operator [#qbackend.layer_norm<axes = [1], eps = 1.0e-5>] inputs(%l) weight(%g) : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  return %n : tensor<1x2xf32>
}

// Something between two operators of a pattern.
func.func @qb112_between(%x: !image, %w: !kernel) -> !image {
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) : (!image, !kernel) -> !image {
  ^bb0(%a: !image, %v: !kernel):
    qbackend.yield %a : !image
  }
  // expected-note @+1 {{the difference}}
  %t = qbackend.transpose %c [0, 2, 1, 3] : !image -> !image
  // expected-remark @+1 {{[Missed] QB112 | Category:qbackend | Function=qb112_between | Operator=conv2d+relu, Reason="not fused: qbackend.transpose stands between conv2d and relu"}}
  %r = qbackend.operator [#qbackend.relu] inputs(%t) : (!image) -> !image {
  ^bb0(%a: !image):
    qbackend.yield %a : !image
  }
  return %r : !image
}

// The pattern has the convolution first.
func.func @qb112_order(%x: !image, %w: !kernel) -> !image {
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) : (!image, !kernel) -> !image {
  ^bb0(%a: !image, %v: !kernel):
    qbackend.yield %a : !image
  }
  // expected-note @+2 {{the difference}}
  // expected-remark @+1 {{QB112 | Category:qbackend | Function=qb112_order | Operator=conv2d+add, Reason="not fused: conv2d is argument 1 of add, the pattern has it as 0"}}
  %s = qbackend.operator [#qbackend.add] inputs(%x, %c) : (!image, !image) -> !image {
  ^bb0(%a: !image, %b: !image):
    qbackend.yield %a : !image
  }
  return %s : !image
}

// Two of three are there; of two, one always is: the sigmoid gets no remark.
// expected-note @+1 {{the difference}}
func.func @qb112_missing(%x: !image) -> !image {
  %s = qbackend.operator [#qbackend.sigmoid] inputs(%x) : (!image) -> !image {
  ^bb0(%a: !image):
    qbackend.yield %a : !image
  }
  // expected-remark @+1 {{QB112 | Category:qbackend | Function=qb112_missing | Operator=linear+sigmoid+tanh, Reason="not fused: there is no operator in the place of linear"}}
  %t = qbackend.operator [#qbackend.tanh] inputs(%s) : (!image) -> !image {
  ^bb0(%a: !image):
    qbackend.yield %a : !image
  }
  return %t : !image
}

// The relu is the last one in the code, and takes the batch norm.
func.func @qb113(%x: !image, %w: !kernel, %m: tensor<2xf32>) -> !image {
  %c = qbackend.operator [#qbackend.conv_transpose2d<stride = [1, 1], padding = [0, 0, 0, 0], output_padding = [0, 0], dilation = [1, 1], groups = 1>] inputs(%x) weight(%w) : (!image, !kernel) -> !image {
  ^bb0(%a: !image, %v: !kernel):
    qbackend.yield %a : !image
  }
  // expected-remark @+1 {{[Missed] QB113 | Category:qbackend | Function=qb113 | Operator=conv_transpose2d+batch_norm2d, Reason="not fused: batch_norm2d is part of batch_norm2d+relu, which ends later", Suggestion="add a qbackend.pattern_config of all of them: longer patterns go first"}}
  %n = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 0.0>] inputs(%c) running_mean(%m) running_var(%m)
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
