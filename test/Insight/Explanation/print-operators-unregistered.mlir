// RUN: qbackend-opt %s --allow-unregistered-dialect --qbackend-print-operators | FileCheck %s

// An op of no dialect is a line with a question mark, and none of the network's
// operations are known to be in it.
// CHECK: 0: vendor.swish ? [4] <- input0
// CHECK-NEXT: 1: tanh [4] <- 0
// CHECK-NEXT: result 1
// CHECK-NEXT: float operations outside of operators: {{.*}} of
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "vendor.swish"(%x) ({
    %c = "vendor.inner"() : () -> f32
    "vendor.yield"(%c) : (f32) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
