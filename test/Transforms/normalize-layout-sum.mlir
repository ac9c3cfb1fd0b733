// RUN: qbackend-opt %s --qbackend-normalize-layout | FileCheck %s

// A sum that drops a dimension takes in the transpose before it, and has none after.
// CHECK: qbackend.operator [#qbackend.sum<axes = [1]>] inputs(%arg0)
// CHECK-NOT: qbackend.transpose {{.*}}tensor<2x3xf32>
func.func @main(%x: tensor<2x4x3xf32>) -> tensor<2x3xf32> {
  %t = qbackend.transpose %x [0, 2, 1] : tensor<2x4x3xf32> -> tensor<2x3x4xf32>
  %0 = qbackend.operator [#qbackend.sum<axes = [2], keepdim = false>] inputs(%t) : (tensor<2x3x4xf32>) -> tensor<2x3xf32> {
  ^bb0(%a: tensor<2x3x4xf32>):
    %zero = arith.constant dense<0.0> : tensor<2x3xf32>
    %s = linalg.reduce ins(%a : tensor<2x3x4xf32>) outs(%zero : tensor<2x3xf32>) dimensions = [2]
      (%in: f32, %sum: f32) {
        %r = arith.addf %in, %sum : f32
        linalg.yield %r : f32
      }
    qbackend.yield %s : tensor<2x3xf32>
  }
  return %0 : tensor<2x3xf32>
}
