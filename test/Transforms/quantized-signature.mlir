// RUN: qbackend-opt %s "--qbackend-observe=quantized-inputs=0,1 quantized-outputs=0,1" | FileCheck %s --check-prefix=OBSERVE
// RUN: qbackend-opt %s "--qbackend-observe=quantized-inputs=0,1 quantized-outputs=0,1 sharing=fx" | FileCheck %s --check-prefix=FX
// RUN: qbackend-opt %s "--apply-backend=qnnpack quantized-inputs=0,1 quantized-outputs=0,1 calibration=ranges lower-to=reference" 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: qbackend-opt %s --apply-backend=qnnpack quantized-inputs=0,1 quantized-outputs=0,1 calibration=ranges 2>/dev/null | FileCheck %s --check-prefix=QNNPACK
// RUN: qbackend-opt %s --apply-backend=qnnpack quantized-inputs=0,1 quantized-outputs=0,1 calibration=ranges lower-to=linalg 2>/dev/null | FileCheck %s --check-prefix=LINALG

// Of what is integers for the caller nothing is quantized or dequantized inside,
// layouts are those of the integers; real readers read the numbers.

// OBSERVE-LABEL: func.func @main
// OBSERVE-SAME: %arg0: tensor<1x2x3xf32> {qbackend.quantized, qbackend.range = array<f64: 0.000000e+00, 1.000000e+00>}
// OBSERVE-SAME: %arg1: tensor<4xf32> {qbackend.quantized}
// OBSERVE-SAME: -> (tensor<1x3x2xf32> {qbackend.quantized}, tensor<1x2x3xf32> {qbackend.quantized})
// OBSERVE: qbackend.observe %{{.*}} by @x
// OBSERVE: [#qbackend.relu]
// OBSERVE: qbackend.observe %{{.*}} by @x

// FX doesn't share with an argument that is quantized.
// FX: [#qbackend.relu]
// FX: qbackend.observe %{{.*}} by @act

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<1x2x3x!quant.uniform<u8:f32, 0.0039215688593685627>>
// CHECK-SAME: %[[Y:.*]]: tensor<4xf32>
// CHECK-SAME: -> (tensor<1x3x2x!quant.uniform<u8:f32, 0.0039215688593685627>>, tensor<1x2x3xf32>)
// CHECK: %[[D:.*]] = qbackend.dequantize %[[X]]
// CHECK: %[[R:.*]] = qbackend.dequantize %[[X]]
// CHECK: [#qbackend.relu] inputs(%[[R]])
// CHECK: %[[Q:.*]] = qbackend.quantize
// CHECK: %[[T:.*]] = qbackend.transpose %[[Q]] [0, 2, 1] : tensor<1x2x3x!quant
// CHECK: tosa.abs %[[D]]
// CHECK: return %[[T]], %{{[^ ]*}} : tensor<1x3x2x!quant.uniform<u8:f32, 0.0039215688593685627>>, tensor<1x2x3xf32>

// REMARK-DAG: QB115{{.*}}Operator="argument 1 of @main"{{.*}}no quantized operator reads it
// REMARK-DAG: QB115{{.*}}Operator="result 1 of @main"{{.*}}what gives it is float
// REMARK-DAG: QB116{{.*}}argument 0 of @main has integers of scale 0.00392156886 and zero point 0
// REMARK-DAG: QB116{{.*}}result 0 of @main has integers of scale 0.00392156886 and zero point 0

// QNNPACK: %[[R:.*]] = qnnpack.relu %arg0
// QNNPACK: %[[T:.*]] = qnnpack.transpose %[[R]]
// QNNPACK: return %[[T]]

// LINALG: func.func @main(%arg0: tensor<1x2x3xi8>
// LINALG-SAME: -> (tensor<1x3x2xi8>, tensor<1x2x3xf32>)
func.func @main(%x: tensor<1x2x3xf32> {qbackend.range = array<f64: 0.0, 1.0>} loc("x"), %y: tensor<4xf32>) -> (tensor<1x3x2xf32>, tensor<1x2x3xf32>) {
  %t = qbackend.transpose %x [0, 2, 1] : tensor<1x2x3xf32> -> tensor<1x3x2xf32>
  %0 = qbackend.operator [#qbackend.relu] inputs(%t) : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32> {
  ^bb0(%a: tensor<1x3x2xf32>):
    %z = arith.constant dense<0.0> : tensor<1x3x2xf32>
    %m = arith.maximumf %a, %z : tensor<1x3x2xf32>
    qbackend.yield %m : tensor<1x3x2xf32>
  } loc("act")
  %1 = tosa.abs %x : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  return %0, %1 : tensor<1x3x2xf32>, tensor<1x2x3xf32>
}
