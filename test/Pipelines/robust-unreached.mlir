// RUN: qbackend-opt %s --apply-backend=qnnpack lower-to=reference -o /dev/null 2>&1 | FileCheck %s
// RUN: qbackend-opt %s --apply-backend=qnnpack lower-to=reference entry=other -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER

// Of code that the network doesn't call, nothing is known.

// CHECK-DAG: warning: calibrated on synthetic inputs
// CHECK-DAG: [[#@LINE + 10]]:{{.*}}QB117{{.*}}'main' doesn't call 'other', so that nothing is known of its values
// CHECK: QB000: quantized 2 of 3 operators
// OTHER: QB117{{.*}}'other' doesn't call 'main'
// OTHER: QB000: quantized 1 of 3 operators
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = call @helper(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
func.func @other(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
func.func private @helper(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
