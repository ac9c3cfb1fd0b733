// RUN: qbackend-opt %s --qbackend-observe=backend=@b --remarks-filter=qbackend -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir

// What a network calls its operators in PyTorch, and numbers that are observed.

!t = tensor<2x4xf32>
!v = tensor<8xf32>
#types = #qbackend.dtype_config<input = <si8>, output = <si8>>
#chain = #qbackend.edges<inputs = [shared producer], output = shared input0, if = [spelled]>
#binary = #qbackend.edges<inputs = [own, own], output = own, if = [spelled]>

module attributes {qbackend.torch_names = {view = "torch.ops.aten.view_copy.default", reshape = "torch.ops.aten.reshape.default", mul = "torch.ops.aten.mul.Tensor", mul_ = "torch.ops.aten.mul_.Tensor", sub = "torch.ops.aten.sub.Tensor"}} {

qbackend.backend_config @b version 2 default_qconfig @m {
  qbackend.pattern_config [reshape] <dtypes = [#types], torch = ["torch.ops.aten.view.default"]> {qbackend.edges = #chain}
  qbackend.pattern_config [mul] <dtypes = [#types], torch = ["torch.ops.aten.mul.Tensor"]> {qbackend.edges = #binary}
  qbackend.pattern_config [add] <dtypes = [#types], torch = ["torch.ops.aten.add.Tensor"]> {qbackend.edges = #binary}
  qbackend.qconfig_mapping @m {
    qbackend.qconfig global <activation = <histogram, si8>, weight = <min_max, si8>>
  }
}

// REMARK: QB103 {{.*}} OperatorName=reshape, Reason="the network calls it otherwise than its pattern's 'torch'", Suggestion="add a pattern with that name, or one without 'spelled'"
// REMARK: note: this pattern
// REMARK: QB103 {{.*}} OperatorName=sub

// A number is a tensor with an observer, unless the product works in place. A view that
// flattens is the kind flatten, and goes by its name; so does one that copies. A
// difference from a number is a sum here, and none there; what the network doesn't say
// is what it looks like.
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK: %[[N:.*]] = qbackend.observe %[[C]] by @mul.number
// CHECK: %[[M:.*]] = qbackend.operator [#qbackend.mul] inputs(%{{.*}}, %[[N]]) qconfig
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<2x4xf32>, %[[Y:.*]]: tensor<f32>):
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[Y]] : tensor<2x4xf32>, tensor<f32>)
// CHECK: arith.mulf
// CHECK: qbackend.operator [#qbackend.mul<scalar = 2.000000e+00>] inputs(%{{[^,]*}}) qconfig
// CHECK: qbackend.operator [#qbackend.flatten{{.*}} qconfig
// CHECK: qbackend.operator [#qbackend.reshape] {{.*}}decision({{.*}}QB103
// CHECK: qbackend.operator [#qbackend.add<{{.*}}decision({{.*}}QB103
// CHECK: qbackend.operator [#qbackend.add] {{.*}} qconfig
func.func @main(%x: !t loc("x")) -> (!v, !v, !t) {
  %0 = qbackend.operator [#qbackend.mul<scalar = 0.5>] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("mul")
  %1 = qbackend.operator [#qbackend.mul<scalar = 2.0>] inputs(%0) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("mul_")
  %2 = qbackend.operator [#qbackend.flatten] inputs(%1) : (!t) -> !v {
  ^bb0(%a: !t):
    %r = tensor.collapse_shape %a [[0, 1]] : !t into !v
    qbackend.yield %r : !v
  } loc("view")
  %3 = qbackend.operator [#qbackend.reshape] inputs(%1) : (!t) -> !v {
  ^bb0(%a: !t):
    %r = tensor.collapse_shape %a [[0, 1]] : !t into !v
    qbackend.yield %r : !v
  } loc("reshape")
  %4 = qbackend.operator [#qbackend.add<scalar = -1.0>] inputs(%1) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("sub")
  %5 = qbackend.operator [#qbackend.add] inputs(%4, %x) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  } loc("unknown")
  return %2, %3, %5 : !v, !v, !t
}
}
