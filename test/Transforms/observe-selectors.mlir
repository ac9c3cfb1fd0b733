// RUN: split-file %s %t
// RUN: qbackend-opt %t/order.mlir --qbackend-observe=qconfig=@m --remarks-filter='qbackend.*' -o - 2>&1 | FileCheck %t/order.mlir
// RUN: not qbackend-opt %t/invalid.mlir --qbackend-observe=qconfig=@m 2>&1 | FileCheck %t/invalid.mlir
// RUN: qbackend-opt %t/schemes.mlir --qbackend-observe=backend=@npu --remarks-filter='qbackend.*' -o - 2>&1 | FileCheck %t/schemes.mlir

//--- order.mlir
// The number of an operator counts those of its kind in its module; it beats
// the name of the module, which beats the kind.
qbackend.qconfig_mapping @m {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  qbackend.qconfig object_type "hardswish" none
  qbackend.qconfig module_name "head" <activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  qbackend.qconfig module_name_object_type_order "head", "hardswish", 1 none
}
// CHECK: head.c{{.*}}QB104
// CHECK: body{{.*}}QB104
// CHECK: qbackend.observer @head.a <histogram, ui8>
// CHECK-NOT: qbackend.observer @head.c
func.func @f(%x: tensor<4xf32> loc("x")) -> tensor<4xf32> {
  %a = qbackend.operator [#qbackend.hardswish] inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<4xf32>):
    qbackend.yield %i : tensor<4xf32>
  } loc("head.a")
  %c = qbackend.operator [#qbackend.hardswish] inputs(%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<4xf32>):
    qbackend.yield %i : tensor<4xf32>
  } loc("head.c")
  %d = qbackend.operator [#qbackend.hardswish] inputs(%c) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<4xf32>):
    qbackend.yield %i : tensor<4xf32>
  } loc("body")
  return %d : tensor<4xf32>
}

//--- invalid.mlir
qbackend.qconfig_mapping @m {
  // CHECK: error: 'qbackend.qconfig' op selects the kind "rellu", which does not exist; the nearest are relu, elu
  qbackend.qconfig object_type "rellu" none
  // CHECK: error: 'qbackend.qconfig' op selects "layer1.conv", which is no operator's name; the nearest are layer1.conv1, layer1
  qbackend.qconfig module_name "layer1.conv" none
  qbackend.qconfig module_name "layer1" none
  // CHECK: error: 'qbackend.qconfig' op has the expression "laier.*", which matches no operator's name; the nearest are layer1.conv1
  qbackend.qconfig module_name_regex "laier.*" none
  // CHECK: error: 'qbackend.qconfig' op selects number 1 of "relu" in "layer1", which has 1
  qbackend.qconfig module_name_object_type_order "layer1", "relu", 1 none
  // CHECK: error: 'qbackend.qconfig' op selects number 0 of "relu" in "layer", which has 0; the nearest are layer1, layer1.conv1
  qbackend.qconfig module_name_object_type_order "layer", "relu", 0 none
  // CHECK-NOT: error
}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<4xf32>):
    qbackend.yield %i : tensor<4xf32>
  } loc("layer1.conv1")
  return %a : tensor<4xf32>
}

//--- schemes.mlir
// The schemes that a role supports, and counts of tensors without an entry.
qbackend.backend_config @npu version 2 default_qconfig @m {
  qbackend.pattern_config [hardswish] <dtypes = [#qbackend.dtype_config<input = <si8, qschemes = ["per_tensor_symmetric"]>>]>
  qbackend.pattern_config [add] <dtypes = [#qbackend.dtype_config<input = <si8>>], num_tensor_args_to_observation_type = {"1" = "output_share_observer_with_input"}>
  qbackend.qconfig_mapping @m {
    qbackend.qconfig global <activation = <min_max, si8>, weight = <min_max, si8, per_tensor_symmetric>>
  }
}
// CHECK-DAG: QB105{{.*}}its input needs the scheme per_tensor_symmetric, the qconfig has per_tensor_affine
// CHECK-DAG: QB111{{.*}}num_tensor_args_to_observation_type of its pattern has no entry for 2 tensors
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = qbackend.operator [#qbackend.hardswish] inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<4xf32>):
    qbackend.yield %i : tensor<4xf32>
  }
  %b = qbackend.operator [#qbackend.add] inputs(%a, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<4xf32>, %j: tensor<4xf32>):
    qbackend.yield %i : tensor<4xf32>
  }
  return %b : tensor<4xf32>
}
