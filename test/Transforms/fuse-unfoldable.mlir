// RUN: qbackend-opt %s --qbackend-fuse=backend=@odd --remarks-filter='qbackend.*' -verify-diagnostics | FileCheck %s

// A configuration may ask for what makes no sense: it is refused once, whatever
// number of patterns ask for it.

qbackend.backend_config @odd version 1 default_qconfig @none {
  qbackend.pattern_config [relu, relu, relu] <dtypes = [], fuser_method = "fuse_conv_bn_relu">
  qbackend.pattern_config [relu, relu] <dtypes = [], fuser_method = "fuse_conv_bn">
  qbackend.qconfig_mapping @none {
  }
}

// CHECK-LABEL: func.func @relus
// CHECK-COUNT-2: qbackend.operator [#qbackend.relu] inputs
func.func @relus(%x: tensor<4xf32>) -> tensor<4xf32> {
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
