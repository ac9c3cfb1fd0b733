// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack keep-float=head,sigmoid_0" --remarks-filter=qbackend 2>&1 | FileCheck %s --implicit-check-not="QB104 |"
// RUN: not qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack keep-float=heads,sigmoid_0" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack qconfig=@one" --remarks-filter=qbackend 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not="QB104 |"
// RUN: not qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack qconfig=@none" 2>&1 | FileCheck %s --check-prefix=NO-NAME

// Operators that stay float by name: of a module in the code, or that of an
// operator without one, which counts its kind.
// CHECK-DAG: QB104 {{.*}}Operator=tanh, OperatorName=head.act, Reason="keep-float has 'head'"
// CHECK-DAG: QB104 {{.*}}Operator=sigmoid, OperatorName=sigmoid_0, Reason="keep-float has 'sigmoid_0'"
// NONE: error: keep-float has 'heads', which is no operator's name; the nearest are head, head.act, sigmoid_0

// ONE: QB104 {{.*}}Operator=sigmoid, OperatorName=sigmoid_1, Reason="its qconfig is none"
qbackend.qconfig_mapping @one {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8>>
  qbackend.qconfig module_name "sigmoid_1" none
}
// NO-NAME: error: {{.*}}selects "sigmoid_2", which is no operator's name; the nearest are sigmoid_0, sigmoid_1, head
qbackend.qconfig_mapping @none {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8>>
  qbackend.qconfig module_name "sigmoid_2" none
}
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.sigmoid %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = tosa.tanh %0 : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("head.act")
  %2 = tosa.sigmoid %1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %2 : tensor<1x4xf32>
}
