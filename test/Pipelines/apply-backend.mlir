// RUN: split-file %s %t

// The key of the backend may be left out, and keys need no quotes.
// RUN: qbackend-opt --apply-backend=qnnpack %t/net.mlir | FileCheck %t/net.mlir
// RUN: qbackend-opt --apply-backend=backend=qnnpack %t/net.mlir | FileCheck %t/net.mlir
// RUN: qbackend-opt --apply-backend %t/net.mlir | FileCheck %t/net.mlir
// RUN: qbackend-opt --apply-backend=qnnpack qconfig=minmax lower-to=qnnpack %t/net.mlir | FileCheck %t/net.mlir
// RUN: qbackend-opt '--apply-backend=qnnpack qconfig=minmax lower-to=qnnpack' %t/net.mlir | FileCheck %t/net.mlir

// The forms to stop at.
// RUN: qbackend-opt --apply-backend=qnnpack lower-to=reference %t/net.mlir | FileCheck %s --check-prefix=REFERENCE
// RUN: qbackend-opt --apply-backend=qnnpack lower-to=linalg %t/net.mlir | FileCheck %s --check-prefix=LINALG

// REFERENCE: qbackend.quantize
// REFERENCE: qbackend.dequantize
// REFERENCE: qbackend.operator [#qbackend.linear, #qbackend.relu]
// REFERENCE-NOT: qnnpack.
// LINALG-NOT: qnnpack.
// LINALG-NOT: qbackend.
// LINALG-NOT: quant.
// LINALG: linalg.generic

// The range of the argument is enough for what shares its observer: no data,
// and no warning. The linear layer has no range: a warning.
// RUN: qbackend-opt --apply-backend=qnnpack %t/range.mlir 2>&1 | FileCheck %t/range.mlir --implicit-check-not=warning
// RUN: qbackend-opt --apply-backend=qnnpack %t/net.mlir 2>&1 >%t/out | FileCheck %s --check-prefix=WARNING
// WARNING: warning: calibrated on synthetic inputs: the ranges are made up, and so is the accuracy; pass data=FILE.npz with real samples, or calibration=TABLE

// How much is quantized is said without being asked.
// RUN: qbackend-opt --apply-backend=qnnpack %t/net.mlir 2>&1 >%t/out | FileCheck %s --check-prefix=COUNT
// COUNT: QB000: quantized 1 of 1 operators

// A backend and a qconfig in the module, and a backend in a file.
// RUN: qbackend-opt --apply-backend=@mine qconfig=@tens %t/symbols.mlir | FileCheck %t/symbols.mlir
// RUN: qbackend-opt --apply-backend=%t/backend.mlir %t/net.mlir | FileCheck %s --check-prefix=FILE
// FILE: qbackend.operator [#qbackend.linear] inputs
// FILE: qbackend.operator [#qbackend.relu] inputs
// FILE-NOT: qnnpack.

// A symbol of the qconfig with a built-in backend.
// RUN: qbackend-opt --apply-backend=qnnpack qconfig=@off %t/off.mlir 2>&1 | FileCheck %t/off.mlir

//--- net.mlir
// CHECK: qnnpack.quantize
// CHECK-NOT: qbackend.
// CHECK: qnnpack.linear {{.*}}relu
// CHECK: qnnpack.dequantize
func.func @main(%x: tensor<1x1x4xf32>) -> tensor<1x1x2xf32> {
  %w = "tosa.const"() <{values = dense<[[[1.0, -1.0], [0.5, 0.25], [-0.5, 2.0], [0.0, 1.0]]]> : tensor<1x4x2xf32>}> : () -> tensor<1x4x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %x, %w, %z, %z : (tensor<1x1x4xf32>, tensor<1x4x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2xf32>
  %r = tosa.clamp %m {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  return %r : tensor<1x1x2xf32>
}

//--- range.mlir
// The scale of [-1, 1] in 255 steps, and its middle.
// CHECK: qnnpack.quantize %{{.*}} -> tensor<1x4x!quant.uniform<u8:f32, 0.0078431377{{[0-9]*}}:127>>
// CHECK: qnnpack.relu
func.func @main(%x: tensor<1x4xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<1x4xf32> {
  %r = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %r : tensor<1x4xf32>
}

//--- symbols.mlir
// CHECK: qbackend.quantize %{{.*}} -> tensor<1x4x!quant.uniform<i8:f32, 1.000000e+01>>
// CHECK: qbackend.operator [#qbackend.relu]
// CHECK-NOT: qnnpack.
qbackend.backend_config @mine version 2 default_qconfig @m {
  qbackend.pattern_config [relu] <observation = output_share_observer_with_input, dtypes = [#qbackend.dtype_config<input = <si8>, output = <si8>>]>
  qbackend.qconfig_mapping @m {
  }
}
qbackend.qconfig_mapping @tens {
  qbackend.qconfig global <activation = <fixed_qparams, si8, scale = 10.0, zero_point = 0>, weight = <min_max, si8>>
}
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %r : tensor<1x4xf32>
}

//--- backend.mlir
qbackend.backend_config @only_linear version 2 default_qconfig @m {
  qbackend.pattern_config [linear] <dtypes = [#qbackend.dtype_config<input = <ui8>, output = <ui8>, weight = <si8>>]>
  qbackend.qconfig_mapping @m {
    qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  }
}

//--- off.mlir
// CHECK: QB104
// CHECK-NOT: qnnpack.
// CHECK: tosa.clamp
qbackend.qconfig_mapping @off {
  qbackend.qconfig global none
}
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %r : tensor<1x4xf32>
}
