// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack keep-float=act_0" --remarks-filter=qbackend 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack keep-float=act" --remarks-filter=qbackend 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack qconfig=@second" --remarks-filter=qbackend 2>&1 | FileCheck %s --check-prefix=MAPPING
// RUN: not qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack keep-float=act_1" 2>&1 | FileCheck %s --check-prefix=NO-NAME

// A module that is called twice: its name selects both operators, and the name by
// which observers and tables tell the second one selects that.
// SECOND: remark: {{.*}}Operator=relu6, OperatorName=act, Reason="keep-float has 'act_0'"
// SECOND-NOT: QB104 |
// SECOND: %1 = qbackend.operator [#qbackend.relu6] {{.*}} qconfig
// SECOND: qbackend.operator [#qbackend.add] {{.*}} qconfig
// SECOND: qbackend.operator [#qbackend.relu6] {{.*}} decision(#qbackend.float<code = "QB104">)
// BOTH: Reason="keep-float has 'act'"
// BOTH: note: {{.*}}and 1 more with this reason: 1 relu6
// MAPPING: Reason="its qconfig is none"
// MAPPING: %1 = qbackend.operator [#qbackend.relu6] {{.*}} qconfig
// MAPPING: qbackend.operator [#qbackend.add] {{.*}} qconfig
// MAPPING: qbackend.operator [#qbackend.relu6] {{.*}} decision(#qbackend.float<code = "QB104">)
// NO-NAME: error: keep-float has 'act_1', which is no operator's name; the nearest are act_0
qbackend.qconfig_mapping @second {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8>>
  qbackend.qconfig module_name "act_0" none
}
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("act")
  %1 = tosa.add %0, %0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("fc")
  %2 = tosa.clamp %1 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("act")
  return %2 : tensor<1x4xf32>
}
