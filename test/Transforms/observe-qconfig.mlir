// RUN: qbackend-opt %s '--qbackend-observe=qconfig=@m' -split-input-file | FileCheck %s

// The qconfig of an operator: by name, by regex, by kind, else global; none
// turns it off.

!t = tensor<1x4xf32>
#default = #qbackend.qconfig<activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
#minmax = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
#signed = #qbackend.qconfig<activation = <min_max, si8, eps = 2.44140625E-4>,
  weight = <min_max, si8, per_tensor_symmetric, quant_min = -127, quant_max = 127, eps = 2.44140625E-4>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #default
  qbackend.qconfig object_type "relu" none
  qbackend.qconfig object_type "hardswish" #minmax
  qbackend.qconfig module_name_regex "layer[12]" none
  qbackend.qconfig module_name "layer1.keep" #default
  qbackend.qconfig module_name "head" #signed
}

// CHECK-LABEL: func.func @precedence
// CHECK: #qbackend.relu] inputs(%{{.*}}) decision(#qbackend.float<code = "QB104">) :
// CHECK: #qbackend.hardswish] inputs(%{{.*}}) qconfig <activation = <min_max, ui8>,
// CHECK: #qbackend.hardswish] inputs(%{{.*}}) decision(#qbackend.float<code = "QB104">) :
// CHECK: #qbackend.hardswish] inputs(%{{.*}}) qconfig <activation = <histogram, ui8>,
// CHECK: #qbackend.elu<{{.*}}>] inputs(%{{.*}}) qconfig <activation = <histogram, ui8>,
func.func @precedence(%x: !t) -> !t {
  %0 = qbackend.operator [#qbackend.relu] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("act")
  %1 = qbackend.operator [#qbackend.hardswish] inputs(%0) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("act2")
  %2 = qbackend.operator [#qbackend.hardswish] inputs(%1) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("layer1.drop")
  %3 = qbackend.operator [#qbackend.hardswish] inputs(%2) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("layer1.keep.inner")
  %4 = qbackend.operator [#qbackend.elu<alpha = 1.0>] inputs(%3) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("xlayer1")
  return %4 : !t
}

// From ui8 to si8: a second observer on what was observed.
// CHECK-LABEL: func.func @mixed_dtype_boundary
// CHECK: %[[E:.*]] = qbackend.operator [#qbackend.elu
// CHECK: %[[U8:.*]] = qbackend.observe %[[E]] by @[[FIRST:.*]] :
// CHECK: %[[S8:.*]] = qbackend.observe %[[U8]] by @[[SECOND:.*]] :
// CHECK: qbackend.operator [#qbackend.hardswish] inputs(%[[S8]]) qconfig <activation = <min_max, si8,
// CHECK: qbackend.operator [#qbackend.elu{{.*}}] inputs(%[[U8]])
func.func @mixed_dtype_boundary(%x: !t) -> (!t, !t) {
  %0 = qbackend.operator [#qbackend.elu<alpha = 1.0>] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %1 = qbackend.operator [#qbackend.hardswish] inputs(%0) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("head")
  %2 = qbackend.operator [#qbackend.elu<alpha = 1.0>] inputs(%0) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %1, %2 : !t, !t
}

// Two observer kinds on one real value: one each.
// CHECK-LABEL: func.func @two_kinds
// CHECK-DAG: %[[H:.*]] = qbackend.observe %arg0 by
// CHECK-DAG: %[[M:.*]] = qbackend.observe %arg0 by
// CHECK: qbackend.operator [#qbackend.hardswish]
// CHECK: return
func.func @two_kinds(%x: !t) -> (!t, !t) {
  %1 = qbackend.operator [#qbackend.hardswish] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %2 = qbackend.operator [#qbackend.elu<alpha = 1.0>] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %1, %2 : !t, !t
}

// -----

// Operators of one pattern. Modules would need one entry for all of them, so
// entries that differ are those of functions, where the last one says.
!t = tensor<1x4xf32>
qbackend.qconfig_mapping @m {
  qbackend.qconfig object_type "linear" <activation = <min_max, ui8>, weight = <min_max, si8>>
  qbackend.qconfig object_type "relu" <activation = <histogram, ui8>, weight = <min_max, si8>>
}
// CHECK-LABEL: func.func @parts_differ
// CHECK: [#qbackend.linear, #qbackend.relu] inputs({{.*}}) weight({{.*}}) qconfig <activation = <histogram, ui8>
func.func @parts_differ(%x: !t) -> !t {
  %w = arith.constant dense<1.0> : tensor<4x4xf32>
  %0 = qbackend.operator [#qbackend.linear, #qbackend.relu] inputs(%x) weight(%w) : (!t, tensor<4x4xf32>) -> !t {
  ^bb0(%a: !t, %b: tensor<4x4xf32>):
    qbackend.yield %a : !t
  }
  return %0 : !t
}

// -----

// The last one has no entry, and there is no global one.
!t = tensor<1x4xf32>
qbackend.qconfig_mapping @m {
  qbackend.qconfig object_type "linear" <activation = <min_max, ui8>, weight = <min_max, si8>>
}
// CHECK-LABEL: func.func @last_part_has_none
// CHECK: [#qbackend.linear, #qbackend.relu] inputs({{.*}}) weight({{.*}}) decision(#qbackend.float<code = "QB104">) :
func.func @last_part_has_none(%x: !t) -> !t {
  %w = arith.constant dense<1.0> : tensor<4x4xf32>
  %0 = qbackend.operator [#qbackend.linear, #qbackend.relu] inputs(%x) weight(%w) : (!t, tensor<4x4xf32>) -> !t {
  ^bb0(%a: !t, %b: tensor<4x4xf32>):
    qbackend.yield %a : !t
  }
  return %0 : !t
}
