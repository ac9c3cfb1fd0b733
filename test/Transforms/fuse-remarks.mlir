// RUN: qbackend-opt %s --qbackend-fuse --remarks-filter='qbackend.*' -verify-diagnostics -o %t

!image = tensor<1x2x2x2xf32>
!kernel = tensor<2x1x1x2xf32>
#conv = #qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>

func.func @qb101(%x: !image, %w: !kernel) -> (!image, !image) {
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) : (!image, !kernel) -> !image {
  ^bb0(%a: !image, %v: !kernel):
    qbackend.yield %a : !image
  }
  // expected-remark @+1 {{[Missed] QB101 | Category:qbackend | Reason="not fused: the result of conv2d has other users", Remark=conv2d+relu, Suggestion="give each user its own copy, or accept a quantization step between the two"}}
  %r = qbackend.operator [#qbackend.relu] inputs(%c) : (!image) -> !image {
  ^bb0(%a: !image):
    qbackend.yield %a : !image
  }
  return %c, %r : !image, !image
}

// Said once, although a pattern of three and one of two are tried.
func.func @qb102(%x: !image, %m: tensor<2xf32>) -> !image {
  %w = arith.constant dense<1.0> : !kernel
  %c = qbackend.operator [#conv] inputs(%x) weight(%w) : (!image, !kernel) -> !image {
  ^bb0(%a: !image, %v: !kernel):
    qbackend.yield %a : !image
  }
  // expected-remark @+1 {{[Missed] QB102 | Category:qbackend | Reason="not folded: the parameters are not constants with data", Remark=batch_norm2d, Suggestion="give the weights as dense constants"}}
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
