// RUN: qbackend-opt --apply-backend=qnnpack --verify-diagnostics %s -o /dev/null

// What an observer has seen that can't be right is said; the averages of the
// kernel, where they are others.

// expected-warning @-5 {{calibrated on synthetic inputs}}
// expected-remark @-6 {{QB000}}
#m = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<4x6xf32>, %i: tensor<4x8x8x5xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x8x8x5xf32>) {
  %mask = arith.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, -1.0e4]]> : tensor<1x6xf32>
  %tiny = "tosa.const"() <{values = dense<-100.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %ok = arith.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, -9.0]]> : tensor<1x6xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  // expected-remark @+1 {{QB121 | Category:qbackend | Function=main | Operator=add, Reason="its constant has -10000, a mask, so that the scale of @add_0 is}}
  %0 = tosa.add %x, %mask : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  %1 = tosa.add %x, %ok : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  %2 = tosa.add %x, %tiny : (tensor<4x6xf32>, tensor<1x1xf32>) -> tensor<4x6xf32>
  // expected-remark @+1 {{QB121 | Category:qbackend | Function=main | Operator=relu, Reason="all that}}
  %3 = tosa.clamp %2 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-remark @+1 {{QB122 | Category:qbackend | Function=main | Operator=avg_pool2d, Reason="the kernel divides by 9 at the border, too}}
  %4 = tosa.avg_pool2d %i, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<4x8x8x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x8x8x5xf32>
  return %0, %1, %3, %4 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x8x8x5xf32>
}
