// RUN: qbackend-opt %s --qbackend-fuse="backend=@exported qconfig=@linear" -o %t.mlir --remarks-filter=qbackend 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=APART < %t.mlir
// RUN: qbackend-opt %s --qbackend-fuse="backend=@exported qconfig=@name" | FileCheck %s --check-prefix=APART
// RUN: qbackend-opt %s --qbackend-fuse="backend=@exported qconfig=@block" | FileCheck %s --check-prefix=UNIT
// RUN: qbackend-opt %s --qbackend-fuse="backend=@exported qconfig=@kind" | FileCheck %s --check-prefix=UNIT
// RUN: qbackend-opt %s --qbackend-fuse="backend=@exported" | FileCheck %s --check-prefix=UNIT
// RUN: qbackend-opt %s --qbackend-fuse="backend=@modules qconfig=@linear" | FileCheck %s --check-prefix=UNIT
// RUN: qbackend-opt %s --qbackend-fuse="backend=@modules:@name,@others" | FileCheck %s --check-prefix=UNIT
// RUN: not qbackend-opt %s --qbackend-fuse="backend=@exported qconfig=none" 2>&1 | FileCheck %s --check-prefix=NONE

// Quantizers of exported programs look for patterns among what one of their
// filters selects: XNNPACKQuantizer of PyTorch 2.6 with set_module_type(Linear)
// annotates the linear layer alone. FX fuses modules before it has qconfigs.

// REMARK: QB112 {{.*}}not fused: the qconfig mapping has different entries for linear and relu{{.*}}select both by one entry, or by that of a module around them
// REMARK: note: this pattern
// REMARK: note: this mapping
// APART: qbackend.operator [#qbackend.linear] inputs
// APART: qbackend.operator [#qbackend.relu] inputs
// UNIT: qbackend.operator [#qbackend.linear, #qbackend.relu] inputs
// NONE: error: no qconfig 'none': backend 'exported' has q

#i8 = #qbackend.dtype_config<input = <si8>, output = <si8>, weight = <si8>, bias = f32>
module attributes {qbackend.module_types = {block = "net.Block", "block.fc" = "torch.nn.modules.linear.Linear", "block.act" = "torch.nn.modules.activation.ReLU"}} {
qbackend.backend_config @exported version 2 default_qconfig @q {
  qbackend.pattern_config [linear, relu] <dtypes = [#i8], torch = ["torch.ops.aten.relu.default", "torch.ops.aten.linear.default"]>
  qbackend.pattern_config [linear] <dtypes = [#i8], torch = ["torch.ops.aten.linear.default"]>
  qbackend.qconfig_mapping @q {
    qbackend.qconfig global <activation = <min_max, si8>, weight = <min_max, si8>>
  }
}
qbackend.backend_config @modules version 2 default_qconfig @q {
  qbackend.pattern_config [linear, relu] <dtypes = [#i8]>
  qbackend.qconfig_mapping @q {
    qbackend.qconfig global none
  }
}
qbackend.backend_config @others version 2 default_qconfig @q {
  qbackend.pattern_config [tanh] <dtypes = [#i8]>
  qbackend.qconfig_mapping @q {
    qbackend.qconfig global none
  }
}
qbackend.qconfig_mapping @linear {
  qbackend.qconfig module_type "torch.nn.modules.linear.Linear" <activation = <min_max, si8>, weight = <min_max, si8>>
}
qbackend.qconfig_mapping @name {
  qbackend.qconfig module_name "block.fc" <activation = <min_max, si8>, weight = <min_max, si8>>
  qbackend.qconfig global <activation = <histogram, si8>, weight = <min_max, si8>>
}
qbackend.qconfig_mapping @block {
  qbackend.qconfig module_type "net.Block" <activation = <min_max, si8>, weight = <min_max, si8>>
}
qbackend.qconfig_mapping @kind {
  qbackend.qconfig object_type "linear" <activation = <min_max, si8>, weight = <min_max, si8>>
}
func.func @main(%x: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %0 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>, %b: tensor<4x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  } loc("block.fc")
  %1 = qbackend.operator [#qbackend.relu] inputs(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  } loc("block.act")
  return %1 : tensor<1x4xf32>
}
}
