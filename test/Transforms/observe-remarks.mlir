// RUN: qbackend-opt %s '--qbackend-observe=backend=@b qconfig=@m' --remarks-filter='qbackend.*' -verify-diagnostics -o %t

!t = tensor<1x4xf32>
#ui8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>>
#weighted = #qbackend.dtype_config<input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>
#si8 = #qbackend.dtype_config<input = <si8, scale_min = 2.44140625E-4>, output = <si8>>
#dynamic = #qbackend.dtype_config<input = <ui8>, output = <f32>, is_dynamic = true>
// expected-note @+1 {{this backend}}
qbackend.backend_config @b version 2 default_qconfig @m {
  qbackend.pattern_config [linear] <dtypes = [#weighted]>
  qbackend.pattern_config [relu] <dtypes = [#ui8]>
  // expected-note @+1 {{the dtype configs of this pattern}}
  qbackend.pattern_config [elu] <dtypes = [#si8, #dynamic]>
  qbackend.pattern_config [tanh] <dtypes = [#dynamic]>
  qbackend.qconfig_mapping @m {
    qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8>>
  }
}
qbackend.qconfig_mapping @m {
  // expected-note @+1 {{its qconfig}}
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8>>
  // expected-note @+1 {{this entry}}
  qbackend.qconfig object_type "relu" none
  // expected-note @+1 {{its qconfig}}
  qbackend.qconfig object_type "tanh" <activation = <placeholder, ui8, is_dynamic = true>, weight = <min_max, si8>>
}

func.func @qb103(%x: !t) -> !t {
  // expected-remark @+1 {{[Missed] QB103 | Category:qbackend | Function=qb103 | Operator=sigmoid, OperatorName=sigmoid_0, Reason="backend 'b' has no pattern for it", Suggestion="add a qbackend.pattern_config to the backend"}}
  %0 = qbackend.operator [#qbackend.sigmoid] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %0 : !t
}

func.func @qb104(%x: !t) -> !t {
  // expected-remark @+1 {{[Missed] QB104 | Category:qbackend | Function=qb104 | Operator=relu, OperatorName=relu_0, Reason="its qconfig is none", Suggestion="change the qconfig mapping"}}
  %0 = qbackend.operator [#qbackend.relu] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %0 : !t
}

func.func @qb105(%x: !t) -> !t {
  // expected-remark @+1 {{QB105 | Category:qbackend | Function=qb105 | Operator=elu, OperatorName=elu_0, Reason="backend 'b' does not support its qconfig: dtypes[0]: its input is si8, the qconfig observes ui8; dtypes[1]: its input is quantized dynamically, the qconfig is static", Suggestion="choose another qconfig"}}
  %0 = qbackend.operator [#qbackend.elu<alpha = 1.0>] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %0 : !t
}

// expected-note @+1 {{this is its weight}}
func.func @qb106_weight(%x: !t, %w: tensor<4x4xf32>) -> !t {
  // expected-remark @+1 {{QB106 | Category:qbackend | Function=qb106_weight | Operator=linear, OperatorName=linear_0, Reason="its weight is not a constant with data", Suggestion="bind it by name with weights=FILE.safetensors, or pass the trained parameters as dense constants"}}
  %0 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (!t, tensor<4x4xf32>) -> !t {
  ^bb0(%a: !t, %b: tensor<4x4xf32>):
    qbackend.yield %a : !t
  }
  return %0 : !t
}

// expected-note @+1 {{this is its bias}}
func.func @qb106_bias(%x: !t, %c: tensor<4xf32>) -> !t {
  %w = arith.constant dense<1.0> : tensor<4x4xf32>
  // expected-remark @+1 {{QB106 | Category:qbackend | Function=qb106_bias | Operator=linear, OperatorName=linear_1, Reason="its bias is not a constant with data"}}
  %0 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) bias(%c) : (!t, tensor<4x4xf32>, tensor<4xf32>) -> !t {
  ^bb0(%a: !t, %b: tensor<4x4xf32>, %d: tensor<4xf32>):
    qbackend.yield %a : !t
  }
  return %0 : !t
}

func.func @qb107(%x: !t) -> !t {
  // expected-remark @+1 {{[Missed] QB107 | Category:qbackend | Function=qb107 | Operator=tanh, OperatorName=tanh_0, Reason="only convolutions and linear layers are quantized dynamically", Suggestion="choose another qconfig for it, or none"}}
  %0 = qbackend.operator [#qbackend.tanh] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %0 : !t
}
