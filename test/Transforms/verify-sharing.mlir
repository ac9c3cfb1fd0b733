// RUN: qbackend-opt %s --qbackend-observe --qbackend-verify-sharing | FileCheck %s
// RUN: qbackend-opt %s --qbackend-observe=qconfig=dynamic "--qbackend-verify-sharing=backend=qnnpack" | FileCheck %s

// A pool of what a pool and an addition with itself gave: the addition of two
// tensors has an observer of its own. What is not static has none.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  %0 = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  ^bb0(%a: tensor<1x2x2x1xf32>):
    qbackend.yield %a : tensor<1x2x2x1xf32>
  }
  %1 = qbackend.operator [#qbackend.add] inputs(%0, %0) : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  ^bb0(%a: tensor<1x2x2x1xf32>, %b: tensor<1x2x2x1xf32>):
    qbackend.yield %a : tensor<1x2x2x1xf32>
  }
  return %1 : tensor<1x2x2x1xf32>
}
