// RUN: qbackend-opt %s --apply-backend=qnnpack 2>&1 | FileCheck %s
// RUN: qbackend-opt %s --apply-backend=qnnpack lower-to=reference -o /dev/null
// RUN: qbackend-opt %s --apply-backend=qnnpack lower-to=linalg -o /dev/null

// A network whose weights are arguments comes back float: what has no
// weight isn't quantized on its own, and there is nothing to run it for.

// CHECK: warning: nothing is quantized: a weight or bias is not a constant with data (QB106, 1 of 2)
// CHECK-NOT: {{error|warning}}
// CHECK-DAG: QB106{{.*}}Operator=conv2d
// CHECK-DAG: QB109{{.*}}Operator=max_pool2d
// CHECK: QB000: quantized 0 of 2 operators
// CHECK: func.func @main
// CHECK: linalg.conv_2d_nhwc_fhwc
// CHECK: linalg.pooling_nhwc_max
// CHECK-NOT: qbackend
func.func @main(%x: tensor<1x6x6x2xf32>, %w: tensor<4x3x3x2xf32>) -> tensor<1x2x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x4x4x4xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %0 = linalg.conv_2d_nhwc_fhwc
    ins(%x, %w : tensor<1x6x6x2xf32>, tensor<4x3x3x2xf32>)
    outs(%f0 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %e1 = tensor.empty() : tensor<1x2x2x4xf32>
  %f1 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %1 = linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>}
    ins(%0, %window : tensor<1x4x4x4xf32>, tensor<2x2xf32>)
    outs(%f1 : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %1 : tensor<1x2x2x4xf32>
}
