// RUN: qbackend-opt %s --qbackend-observe=qconfig=@m --remarks-filter='qbackend.*' -verify-diagnostics -o %t
// RUN: FileCheck %s < %t

// The scales of a weight are those of its output channels: another axis is
// refused. In PyTorch's layout it is the second one of a transposed convolution.
!x = tensor<1x2xf32>
!y = tensor<1x3xf32>
qbackend.qconfig_mapping @m {
  // expected-note @+1 {{its qconfig}}
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <per_channel_min_max, si8, per_channel_symmetric, ch_axis = 1>>
  qbackend.qconfig module_name "first" <activation = <min_max, ui8>, weight = <per_channel_min_max, si8, per_channel_symmetric, ch_axis = 0>>
}

// CHECK-LABEL: func.func @linear
// CHECK: qbackend.operator [#qbackend.linear] inputs(%{{[^ ]*}}) weight(%{{[^ ]*}}) qconfig
// CHECK: qbackend.operator [#qbackend.linear] inputs(%{{[^ ]*}}) weight(%{{[^ ]*}}) decision
// CHECK: qbackend.operator [#qbackend.conv_transpose1d<{{.*}}>] inputs(%{{[^ ]*}}) weight(%{{[^ ]*}}) qconfig
func.func @linear(%x: !x, %i: tensor<1x3x1xf32>) -> (!y, !y, tensor<1x3x2xf32>) {
  %w = arith.constant dense<[[1.0, 100.0], [0.5, 50.0], [0.25, 25.0]]> : tensor<3x2xf32>
  %v = arith.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %0 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (!x, tensor<3x2xf32>) -> !y {
  ^bb0(%a: !x, %b: tensor<3x2xf32>):
    %e = tensor.empty() : !y
    qbackend.yield %e : !y
  } loc("first")
  // expected-remark @+1 {{[Missed] QB107 | Category:qbackend | Function=linear | Operator=linear, OperatorName=linear_0, Reason="its weight has a scale for each output channel, which is axis 0, the qconfig has ch_axis = 1", Suggestion="choose another qconfig for it, or none"}}
  %1 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (!x, tensor<3x2xf32>) -> !y {
  ^bb0(%a: !x, %b: tensor<3x2xf32>):
    %e = tensor.empty() : !y
    qbackend.yield %e : !y
  }
  %2 = qbackend.operator [#qbackend.conv_transpose1d<stride = [1], padding = [0, 0], output_padding = [0], dilation = [1], groups = 1>] inputs(%i) weight(%v) : (tensor<1x3x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x2xf32> {
  ^bb0(%a: tensor<1x3x1xf32>, %b: tensor<2x1x1xf32>):
    %e = tensor.empty() : tensor<1x3x2xf32>
    qbackend.yield %e : tensor<1x3x2xf32>
  }
  return %0, %1, %2 : !y, !y, tensor<1x3x2xf32>
}
