// RUN: qbackend-opt %s --qbackend-fuse="backend=qnnpack" | FileCheck %s

// PyTorch's ConvBn2d quantizes weight * gamma / sqrt(var + eps), divides the result
// by that, and normalizes: all that is left is a bias, and the weight keeps its
// integers.

!w = !quant.uniform<i8:f32, 0.5>

// 4 / sqrt(3 + 1) / 2 = 1 and 8 / sqrt(3 + 1) / 4 = 1.
// CHECK-LABEL: func.func @cancels
// CHECK: %[[W:.*]] = qbackend.dequantize
// CHECK: %[[B:.*]] = arith.constant dense<[5.000000e-01, -5.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: qbackend.operator [#qbackend.conv2d{{.*}}] inputs(%{{.*}}) weight(%[[W]]) bias(%[[B]])
// CHECK-NOT: #qbackend.{{div|add|batch_norm2d}}
// CHECK: return
func.func @cancels(%x: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %q = arith.constant dense<[[[[1, 2]]], [[[3, -4]]]]> : tensor<2x1x1x2xi8>
  %s = quant.scast %q : tensor<2x1x1x2xi8> to tensor<2x1x1x2x!w>
  %w = qbackend.dequantize %s : tensor<2x1x1x2x!w> -> tensor<2x1x1x2xf32>
  %sf = arith.constant dense<[[[[2.0, 4.0]]]]> : tensor<1x1x1x2xf32>
  %b = arith.constant dense<1.0> : tensor<1x1x1x2xf32>
  %gamma = arith.constant dense<[4.0, 8.0]> : tensor<2xf32>
  %beta = arith.constant dense<[0.5, -1.0]> : tensor<2xf32>
  %mean = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %var = arith.constant dense<3.0> : tensor<2xf32>
  %0 = qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>] inputs(%x) weight(%w) : (tensor<1x2x2x2xf32>, tensor<2x1x1x2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<2x1x1x2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  %1 = qbackend.operator [#qbackend.div] inputs(%0, %sf) : (tensor<1x2x2x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<1x1x1x2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  %2 = qbackend.operator [#qbackend.add] inputs(%1, %b) : (tensor<1x2x2x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<1x1x1x2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  %3 = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 1.0>] inputs(%2) weight(%gamma) bias(%beta) running_mean(%mean) running_var(%var) : (tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<2xf32>, %d: tensor<2xf32>, %e: tensor<2xf32>, %f: tensor<2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  return %3 : tensor<1x2x2x2xf32>
}

// A channel is multiplied by 0.8.
// CHECK-LABEL: func.func @other_factor
// CHECK: #qbackend.div
func.func @other_factor(%x: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %q = arith.constant dense<[[[[1, 2]]], [[[3, -4]]]]> : tensor<2x1x1x2xi8>
  %s = quant.scast %q : tensor<2x1x1x2xi8> to tensor<2x1x1x2x!w>
  %w = qbackend.dequantize %s : tensor<2x1x1x2x!w> -> tensor<2x1x1x2xf32>
  %sf = arith.constant dense<[[[[2.0, 5.0]]]]> : tensor<1x1x1x2xf32>
  %b = arith.constant dense<1.0> : tensor<1x1x1x2xf32>
  %gamma = arith.constant dense<[4.0, 8.0]> : tensor<2xf32>
  %beta = arith.constant dense<[0.5, -1.0]> : tensor<2xf32>
  %mean = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %var = arith.constant dense<3.0> : tensor<2xf32>
  %0 = qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>] inputs(%x) weight(%w) : (tensor<1x2x2x2xf32>, tensor<2x1x1x2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<2x1x1x2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  %1 = qbackend.operator [#qbackend.div] inputs(%0, %sf) : (tensor<1x2x2x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<1x1x1x2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  %2 = qbackend.operator [#qbackend.add] inputs(%1, %b) : (tensor<1x2x2x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<1x1x1x2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  %3 = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 1.0>] inputs(%2) weight(%gamma) bias(%beta) running_mean(%mean) running_var(%var) : (tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<2xf32>, %d: tensor<2xf32>, %e: tensor<2xf32>, %f: tensor<2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  return %3 : tensor<1x2x2x2xf32>
}

// A real weight takes in a batch norm as a whole.
// CHECK-LABEL: func.func @real_weight
// CHECK: #qbackend.div
func.func @real_weight(%x: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %w = arith.constant dense<[[[[1.0, 2.0]]], [[[3.0, -4.0]]]]> : tensor<2x1x1x2xf32>
  %sf = arith.constant dense<[[[[2.0, 4.0]]]]> : tensor<1x1x1x2xf32>
  %b = arith.constant dense<1.0> : tensor<1x1x1x2xf32>
  %gamma = arith.constant dense<[4.0, 8.0]> : tensor<2xf32>
  %beta = arith.constant dense<[0.5, -1.0]> : tensor<2xf32>
  %mean = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %var = arith.constant dense<3.0> : tensor<2xf32>
  %0 = qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>] inputs(%x) weight(%w) : (tensor<1x2x2x2xf32>, tensor<2x1x1x2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<2x1x1x2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  %1 = qbackend.operator [#qbackend.div] inputs(%0, %sf) : (tensor<1x2x2x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<1x1x1x2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  %2 = qbackend.operator [#qbackend.add] inputs(%1, %b) : (tensor<1x2x2x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<1x1x1x2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  %3 = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 1.0>] inputs(%2) weight(%gamma) bias(%beta) running_mean(%mean) running_var(%var) : (tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a: tensor<1x2x2x2xf32>, %c: tensor<2xf32>, %d: tensor<2xf32>, %e: tensor<2xf32>, %f: tensor<2xf32>):
    qbackend.yield %a : tensor<1x2x2x2xf32>
  }
  return %3 : tensor<1x2x2x2xf32>
}
