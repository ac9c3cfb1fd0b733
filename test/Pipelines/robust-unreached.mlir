// RUN: qbackend-opt %s --apply-backend=qnnpack lower-to=reference -o /dev/null 2>&1 | FileCheck %s

// Code that calibration never reaches is said to be so. Messages about the
// module don't print it.

// CHECK: warning: calibrated on synthetic inputs
// CHECK-NOT: see current operation
// CHECK: [[#@LINE + 6]]:{{.*}}warning: observer @arg0_0 saw no values, so that its scale is 1
// CHECK: operators=2, quantized=2
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
func.func @other(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
