// RUN: qbackend-opt %s --qbackend-fuse=backend=@odd --remarks-filter='qbackend.*' -verify-diagnostics | FileCheck %s

// A configuration may ask for what makes no sense: it is refused once, whatever
// number of patterns ask for it.

qbackend.backend_config @odd version 2 default_qconfig @none {
  qbackend.pattern_config [relu, relu, relu] <dtypes = [], fused_operator = ["relu", "relu"]>
  // expected-note @+1 {{folded by this pattern}}
  qbackend.pattern_config [relu, relu] <dtypes = [], fused_operator = ["relu"]>
  // expected-note @+1 {{this pattern}}
  qbackend.pattern_config [relu, batch_norm2d] <dtypes = []>
  qbackend.qconfig_mapping @none {
  }
}

// CHECK-LABEL: func.func @relus
// CHECK-COUNT-2: qbackend.operator [#qbackend.relu] inputs
func.func @relus(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{into this relu}}
  %a = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<4xf32>):
    qbackend.yield %i : tensor<4xf32>
  }
  // expected-remark @+1 {{not folded: the backend asks to fold relu into relu}}
  %b = qbackend.operator [#qbackend.relu] inputs(%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<4xf32>):
    qbackend.yield %i : tensor<4xf32>
  }
  return %b : tensor<4xf32>
}

// An operator has the parameters of its root, and of no other.
// CHECK-LABEL: func.func @norm_of_relu
// CHECK: qbackend.operator [#qbackend.relu] inputs
// CHECK: qbackend.operator [#qbackend.batch_norm2d
func.func @norm_of_relu(%x: tensor<1x1x1x4xf32>, %w: tensor<4xf32>) -> tensor<1x1x1x4xf32> {
  %a = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32> {
  ^bb0(%i: tensor<1x1x1x4xf32>):
    qbackend.yield %i : tensor<1x1x1x4xf32>
  }
  // expected-remark @+1 {{not fused: it has parameters of its own, relu is the operator of the pattern that has them}}
  %b = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 1.0e-5>] inputs(%a) weight(%w) : (tensor<1x1x1x4xf32>, tensor<4xf32>) -> tensor<1x1x1x4xf32> {
  ^bb0(%i: tensor<1x1x1x4xf32>, %v: tensor<4xf32>):
    qbackend.yield %i : tensor<1x1x1x4xf32>
  }
  return %b : tensor<1x1x1x4xf32>
}
