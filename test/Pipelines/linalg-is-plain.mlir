// The linalg form has nothing of qbackend in it: a stock mlir-opt reads it.
// RUN: qbackend-opt --apply-backend='@npu lower-to=linalg' %s -o %t.mlir
// RUN: mlir-opt %t.mlir | FileCheck %s
// RUN: FileCheck --check-prefix=NONE %s < %t.mlir

// CHECK-LABEL: func.func @main
// NONE-NOT: qbackend

#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>>
qbackend.backend_config @npu version 2 default_qconfig @default lowering ["qnnpack", "reference", "linalg"] {
  qbackend.pattern_config [relu] <observation = output_share_observer_with_input, dtypes = [#u8]>
  qbackend.qconfig_mapping @default {
    qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  }
}
func.func @main(%x: tensor<1x4xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<1x4xf32> {
  %y = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
