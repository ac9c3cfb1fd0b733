// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack qconfig=@add_real" | FileCheck %s --check-prefix=REAL
// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack qconfig=@relu_only" | FileCheck %s --check-prefix=REAL
// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack qconfig=@both" | FileCheck %s --check-prefix=BOTH
// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack qconfig=@reuse" | FileCheck %s --check-prefix=REUSE

// Of functions in a row none is quantized if one of them is to stay float; and
// what takes the observer of its input has none behind what is real.

// REAL-LABEL: func.func @main
// REAL: [#qbackend.add, #qbackend.relu] inputs({{.*}}) decision(#qbackend.float<code = "QB104">)
// BOTH-LABEL: func.func @main
// BOTH: [#qbackend.add, #qbackend.relu] inputs({{.*}}) qconfig
// REUSE-LABEL: func.func @main
// REUSE: [#qbackend.sin]
// REUSE: [#qbackend.reshape] inputs({{.*}}) decision(#qbackend.float<code = "QB104">)
// REUSE: [#qbackend.add, #qbackend.relu] inputs({{.*}}) qconfig
// REUSE: [#qbackend.reshape] inputs({{.*}}) qconfig

qbackend.qconfig_mapping @add_real {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  qbackend.qconfig object_type "add" none
}
qbackend.qconfig_mapping @relu_only {
  qbackend.qconfig object_type "relu" <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
}
qbackend.qconfig_mapping @both {
  qbackend.qconfig object_type "add" <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  qbackend.qconfig object_type "relu" <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
}
qbackend.qconfig_mapping @reuse {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  qbackend.qconfig object_type "reshape" <activation = <reuse_input, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
}
func.func @main(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> (tensor<1x2x2xf32>, tensor<1x2x2xf32>) {
  %s = tosa.const_shape {values = dense<[1, 2, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %0 = tosa.sin %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = tosa.reshape %0, %s : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x2x2xf32>
  %2 = tosa.add %x, %y : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %3 = tosa.clamp %2 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %4 = tosa.reshape %3, %s : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x2x2xf32>
  return %1, %4 : tensor<1x2x2xf32>, tensor<1x2x2xf32>
}
