// RUN: qbackend-opt %s --apply-backend="backend=qnnpack calibration=ranges" --remarks-filter='qbackend.*' -o /dev/null 2>&1 | FileCheck %s

// 2^63 - 1 rows of two pixels: their number is no 64-bit integer, and is counted
// as the largest one.
// CHECK: QB000: quantized {{.*}} of 9223372036854775807 multiply-accumulates
// CHECK: all {{ *}}1 9223372036854775807 {{ *}}100.0%
// CHECK-NEXT: 9223372036854775807 MACs stand for that many or more
func.func @f(%x: tensor<1x9223372036854775807x2x1xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<1x9223372036854775807x2x1xf32> {
  %w = "tosa.const"() <{values = dense<1.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %b = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x9223372036854775807x2x1xf32>, tensor<1x1x1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9223372036854775807x2x1xf32>
  return %0 : tensor<1x9223372036854775807x2x1xf32>
}
