// RUN: qbackend-opt %s --convert-qbackend-to-linalg -split-input-file -verify-diagnostics | FileCheck %s

// quantize with its dequantize is PyTorch's fake_quantize, on floats.

!u8 = !quant.uniform<u8:f32, 0.5:3>

// CHECK-LABEL: func.func @activation(
// CHECK-DAG: %[[I:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-DAG: %[[Z:.*]] = arith.constant 3.000000e+00 : f32
// CHECK-DAG: %[[S:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<?x4xf32>)
// CHECK: %[[A:.*]] = arith.mulf %in, %[[I]]
// CHECK: %[[B:.*]] = math.roundeven %[[A]]
// CHECK: %[[C:.*]] = arith.addf %[[B]], %[[Z]]
// CHECK: %[[L:.*]] = arith.constant 0.000000e+00
// CHECK: %[[D:.*]] = arith.maximumf %[[C]], %[[L]]
// CHECK: %[[H:.*]] = arith.constant 2.550000e+02
// CHECK: %[[E:.*]] = arith.minimumf %[[D]], %[[H]]
// CHECK: %[[F:.*]] = arith.subf %[[E]], %[[Z]]
// CHECK: %[[G:.*]] = arith.mulf %[[F]], %[[S]]
// CHECK: linalg.yield %[[G]]
// CHECK: return %[[Y]], %[[Y]]
func.func @activation(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %q = qbackend.quantize %x : tensor<?x4xf32> -> tensor<?x4x!u8>
  %0 = qbackend.dequantize %q : tensor<?x4x!u8> -> tensor<?x4xf32>
  %1 = qbackend.dequantize %q : tensor<?x4x!u8> -> tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// A weight has a scale for each channel, and no zero point is left out.
// CHECK-LABEL: func.func @channels(
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{.*}}> : tensor<2x3xf32>
// CHECK-DAG: %[[I:.*]] = arith.constant dense<[4.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[S:.*]] = arith.constant dense<[2.500000e-01, 5.000000e-01]> : tensor<2xf32>
// CHECK: linalg.generic {{.*}} ins(%[[W]], %[[I]], %[[S]] :
// CHECK-NOT: addf
// CHECK: arith.constant -1.280000e+02
func.func @channels() -> tensor<2x3xf32> {
  %w = arith.constant dense<[[1.0, -2.0, 0.3], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %q = qbackend.quantize %w : tensor<2x3xf32> -> tensor<2x3x!quant.uniform<i8:f32:0, {0.25, 0.5}>>
  %0 = qbackend.dequantize %q : tensor<2x3x!quant.uniform<i8:f32:0, {0.25, 0.5}>> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Constant integers stay; bytes are read with the sign of their type.
// CHECK-LABEL: func.func @integers(
// CHECK: linalg.generic
// CHECK: arith.uitofp %in : i8 to f32
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: linalg.generic
// CHECK: arith.sitofp %in : i8 to f32
func.func @integers() -> (tensor<3xf32>, tensor<3xf32>) {
  %c = arith.constant dense<[1, -2, 127]> : tensor<3xi8>
  %q = quant.scast %c : tensor<3xi8> to tensor<3x!u8>
  %0 = qbackend.dequantize %q : tensor<3x!u8> -> tensor<3xf32>
  %s = quant.scast %c : tensor<3xi8> to tensor<3x!quant.uniform<i8:f32, 0.5>>
  %1 = qbackend.dequantize %s : tensor<3x!quant.uniform<i8:f32, 0.5>> -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// What is quantized at run time has its range first.
#dynamic = #qbackend.qconfig<activation = <placeholder, ui8, is_dynamic = true>, weight = <min_max, si8, per_tensor_symmetric>>
// CHECK-LABEL: func.func @run_time(
// CHECK: arith.minimumf
// CHECK: arith.maximumf
// CHECK: arith.constant 2.550000e+02 : f64
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<5x2xf32>)
// CHECK: math.roundeven
// CHECK: qbackend.operator [#qbackend.linear] inputs(%[[X]])
func.func @run_time(%x: tensor<5x2xf32>, %w: tensor<2x2xf32>) -> tensor<5x2xf32> {
  %0 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) qconfig #dynamic : (tensor<5x2xf32>, tensor<2x2xf32>) -> tensor<5x2xf32> {
  ^bb0(%a: tensor<5x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<5x2xf32>
  }
  return %0 : tensor<5x2xf32>
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @leaves(%x: tensor<4xf32>) -> tensor<4x!u8> {
  // expected-error @+1 {{is of integers that stay; only a quantize with its dequantize, and constants, have a float form}}
  %q = qbackend.quantize %x : tensor<4xf32> -> tensor<4x!u8>
  return %q : tensor<4x!u8>
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @enters(%q: tensor<4x!u8>) -> tensor<4xf32> {
  // expected-error @+1 {{is of integers that stay}}
  %x = qbackend.dequantize %q : tensor<4x!u8> -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

#dynamic = #qbackend.qconfig<activation = <placeholder, si8, is_dynamic = true>, weight = <min_max, si8, per_tensor_symmetric>>
func.func @no_formula(%x: tensor<5x2xf32>, %w: tensor<2x2xf32>) -> tensor<5x2xf32> {
  // expected-error @+1 {{quantizes its input at run time to 'si8', expected ui8: only for it there is a formula}}
  %0 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) qconfig #dynamic : (tensor<5x2xf32>, tensor<2x2xf32>) -> tensor<5x2xf32> {
  ^bb0(%a: tensor<5x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<5x2xf32>
  }
  return %0 : tensor<5x2xf32>
}
