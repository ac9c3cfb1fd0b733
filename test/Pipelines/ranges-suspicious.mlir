// RUN: qbackend-opt --apply-backend=qnnpack %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=QB12
// RUN: qbackend-opt --apply-backend=qnnpack lower-to=tosa %s 2>&1 | FileCheck %s --check-prefix=TOSA
// TOSA-NOT: QB122
// TOSA: tosa.avg_pool2d {{.*}}pad = array<i64: 1, 1, 1, 1>

// What an observer has seen that can't be right is said; the averages of the
// kernel, where they are others.

// CHECK-DAG: QB121 | Category:qbackend | Function=main | Operator=add, Reason="its constant has -10000, a mask, so that the scale of @add_0 is {{.*}}: the other numbers are lost in one step"
// CHECK-DAG: QB121 | Category:qbackend | Function=main | Operator=mul, Reason="all that @mul_0 has seen is {{-?}}0"
// CHECK-DAG: QB122 | Category:qbackend | Function=main | Operator=avg_pool2d, Reason="the kernel divides by 9 at the border, too
#m = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<4x6xf32>, %i: tensor<4x8x8x5xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x8x8x5xf32>) {
  %mask = arith.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, -1.0e4]]> : tensor<1x6xf32>
  %none = arith.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, -0.0]]> : tensor<1x6xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %ok = arith.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, -9.0]]> : tensor<1x6xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.add %x, %mask : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  %1 = tosa.add %x, %ok : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  %3 = tosa.mul %x, %none, %s : (tensor<4x6xf32>, tensor<1x6xf32>, tensor<1xi8>) -> tensor<4x6xf32>
  %4 = tosa.avg_pool2d %i, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<4x8x8x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x8x8x5xf32>
  return %0, %1, %3, %4 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x8x8x5xf32>
}
