// RUN: qbackend-opt %s --qbackend-observe="backend=qnnpack" --remarks-filter='qbackend.*' -o - 2>&1 | FileCheck %s

// A module that comes quantized: its parameters are kept, and what it leaves
// real stays so.

// CHECK-DAG: QB141 {{.*}}Operator=hardswish{{.*}}its result is not quantized in the module
// CHECK-DAG: QB141 {{.*}}Operator=add{{.*}}not all of its inputs are quantized in the module

// Signed numbers become unsigned ones, as the qconfig wants them: they are the
// same.
// CHECK: qbackend.observer @x <fixed_qparams, ui8, scale = 5.000000e-01, zero_point = 123>
// CHECK-NEXT: qbackend.observer @relu_0 <fixed_qparams, ui8, scale = 2.500000e-01, zero_point = 0>
// CHECK-NEXT: qbackend.observer
!i8 = !quant.uniform<i8:f32, 0.5:-5>
!u8 = !quant.uniform<u8:f32, 0.25>

// What moves numbers is observed like what is before it.
// CHECK-LABEL: func.func @kept(
// CHECK: %[[X:.*]] = qbackend.observe %arg0 by @x
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.relu] inputs(%[[X]]) qconfig {{.*}} decision(#qbackend.quantized<{{.*}}imported = true>)
// CHECK: %[[O:.*]] = qbackend.observe %[[R]] by @relu_0
// CHECK: %[[F:.*]] = qbackend.operator [#qbackend.flatten] inputs(%[[O]]) qconfig
// CHECK: %[[G:.*]] = qbackend.observe %[[F]] by @relu_0
// CHECK: %[[H:.*]] = qbackend.operator [#qbackend.hardswish] inputs(%[[G]]) decision(#qbackend.float<code = "QB141">)
// CHECK: qbackend.operator [#qbackend.add] inputs(%[[H]], %[[G]]) decision(#qbackend.float<code = "QB141">)
func.func @kept(%x: tensor<1x2x2x1xf32> loc("x")) -> tensor<1x4xf32> {
  %q = qbackend.quantize %x : tensor<1x2x2x1xf32> -> tensor<1x2x2x1x!i8>
  %d = qbackend.dequantize %q : tensor<1x2x2x1x!i8> -> tensor<1x2x2x1xf32>
  %0 = qbackend.operator [#qbackend.relu] inputs(%d) : (tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  ^bb0(%a: tensor<1x2x2x1xf32>):
    qbackend.yield %a : tensor<1x2x2x1xf32>
  }
  %q0 = qbackend.quantize %0 : tensor<1x2x2x1xf32> -> tensor<1x2x2x1x!u8>
  %d0 = qbackend.dequantize %q0 : tensor<1x2x2x1x!u8> -> tensor<1x2x2x1xf32>
  %1 = qbackend.operator [#qbackend.flatten] inputs(%d0) : (tensor<1x2x2x1xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x2x2x1xf32>):
    %r = tensor.collapse_shape %a [[0], [1, 2, 3]] : tensor<1x2x2x1xf32> into tensor<1x4xf32>
    qbackend.yield %r : tensor<1x4xf32>
  }
  %2 = qbackend.operator [#qbackend.hardswish] inputs(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  %3 = qbackend.operator [#qbackend.add] inputs(%2, %1) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  %q3 = qbackend.quantize %3 : tensor<1x4xf32> -> tensor<1x4x!u8>
  %d3 = qbackend.dequantize %q3 : tensor<1x4x!u8> -> tensor<1x4xf32>
  return %d3 : tensor<1x4xf32>
}

// And before what selects from it, here the largest.
// CHECK-LABEL: func.func @before(
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.hardswish]
// CHECK: %[[O:.*]] = qbackend.observe %[[R]] by @[[N:.*]] :
// CHECK: %[[P:.*]] = qbackend.operator [#qbackend.max_pool2d{{.*}} inputs(%[[O]]) qconfig
// CHECK: qbackend.observe %[[P]] by @[[N]] :
func.func @before(%x: tensor<1x2x2x1xf32>) -> tensor<1x1x1x1xf32> {
  %q = qbackend.quantize %x : tensor<1x2x2x1xf32> -> tensor<1x2x2x1x!u8>
  %d = qbackend.dequantize %q : tensor<1x2x2x1x!u8> -> tensor<1x2x2x1xf32>
  %0 = qbackend.operator [#qbackend.hardswish] inputs(%d) : (tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  ^bb0(%a: tensor<1x2x2x1xf32>):
    qbackend.yield %a : tensor<1x2x2x1xf32>
  }
  %1 = qbackend.operator [#qbackend.max_pool2d<kernel = [2, 2], stride = [2, 2], padding = [0, 0, 0, 0], dilation = [1, 1]>] inputs(%0) : (tensor<1x2x2x1xf32>) -> tensor<1x1x1x1xf32> {
  ^bb0(%a: tensor<1x2x2x1xf32>):
    %e = tensor.empty() : tensor<1x1x1x1xf32>
    qbackend.yield %e : tensor<1x1x1x1xf32>
  }
  %q1 = qbackend.quantize %1 : tensor<1x1x1x1xf32> -> tensor<1x1x1x1x!u8>
  %d1 = qbackend.dequantize %q1 : tensor<1x1x1x1x!u8> -> tensor<1x1x1x1xf32>
  return %d1 : tensor<1x1x1x1xf32>
}
