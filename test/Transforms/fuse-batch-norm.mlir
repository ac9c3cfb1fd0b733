// RUN: qbackend-opt %s --qbackend-fuse | FileCheck %s

// Batch norm in the weights of each convolution. mean 0, var 0.25: the weights
// of each output channel, dimension 0, are doubled, times gamma, 1 and 2.
// Numbers are checked by running them, in test/Integration/folding.test.

// CHECK-LABEL: func.func @conv1d
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}[2.000000e+00], [2.000000e+00]], {{\[\[}}4.000000e+00], [4.000000e+00]]]> : tensor<2x2x1xf32>
// CHECK-NEXT: %[[B:.*]] = arith.constant dense<[0.000000e+00, 1.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: qbackend.operator [#qbackend.conv1d<{{.*}}>, #qbackend.relu] inputs(%arg0) weight(%[[W]]) bias(%[[B]])
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]
func.func @conv1d(%x: tensor<1x4x1xf32>) -> tensor<1x3x2xf32> {
  %w = arith.constant dense<1.0> : tensor<2x2x1xf32>
  %mean = arith.constant dense<0.0> : tensor<2xf32>
  %var = arith.constant dense<0.25> : tensor<2xf32>
  %gamma = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %beta = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %c = qbackend.operator [#qbackend.conv1d<stride = [1], padding = [0, 0], dilation = [1], groups = 1>] inputs(%x) weight(%w) : (tensor<1x4x1xf32>, tensor<2x2x1xf32>) -> tensor<1x3x2xf32> {
  ^bb0(%a: tensor<1x4x1xf32>, %v: tensor<2x2x1xf32>):
    %e = tensor.empty() : tensor<1x3x2xf32>
    qbackend.yield %e : tensor<1x3x2xf32>
  }
  %n = qbackend.operator [#qbackend.batch_norm1d<axis = 2, eps = 0.0>] inputs(%c) weight(%gamma) bias(%beta) running_mean(%mean) running_var(%var) : (tensor<1x3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x3x2xf32> {
  ^bb0(%a: tensor<1x3x2xf32>, %g: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>):
    qbackend.yield %a : tensor<1x3x2xf32>
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%n) : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32> {
  ^bb0(%a: tensor<1x3x2xf32>):
    qbackend.yield %a : tensor<1x3x2xf32>
  }
  return %r : tensor<1x3x2xf32>
}

// A transposed one is a plain one on pixels that are spread over zeros.
// CHECK-LABEL: func.func @conv_transpose2d
// CHECK: qbackend.operator [#qbackend.conv_transpose2d<{{.*}}>] inputs(%arg0)
// CHECK: %[[Z:.*]] = linalg.fill
// CHECK: tensor.insert_slice %{{.*}} into %[[Z]][0, 0, 1, 0] [1, 3, 3, 1] [1, 2, 1, 1] : tensor<1x3x3x1xf32> into tensor<1x6x5x1xf32>
func.func @conv_transpose2d(%x: tensor<1x3x3x1xf32>) -> tensor<1x5x4x2xf32> {
  %w = arith.constant dense<1.0> : tensor<2x2x2x1xf32>
  %mean = arith.constant dense<0.0> : tensor<2xf32>
  %c = qbackend.operator [#qbackend.conv_transpose2d<stride = [2, 1], padding = [1, 1, 0, 0], output_padding = [1, 0], dilation = [1, 1], groups = 1>] inputs(%x) weight(%w) : (tensor<1x3x3x1xf32>, tensor<2x2x2x1xf32>) -> tensor<1x5x4x2xf32> {
  ^bb0(%a: tensor<1x3x3x1xf32>, %v: tensor<2x2x2x1xf32>):
    %e = tensor.empty() : tensor<1x5x4x2xf32>
    qbackend.yield %e : tensor<1x5x4x2xf32>
  }
  %n = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 1.0>] inputs(%c) running_mean(%mean) running_var(%mean) : (tensor<1x5x4x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x5x4x2xf32> {
  ^bb0(%a: tensor<1x5x4x2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>):
    qbackend.yield %a : tensor<1x5x4x2xf32>
  }
  return %n : tensor<1x5x4x2xf32>
}

// Relu's longest pattern is the one with batch norm, which is then no longer
// the convolution's: PyTorch, too, matches from the end.
// CHECK-LABEL: func.func @conv_transpose2d_relu
// CHECK: qbackend.operator [#qbackend.conv_transpose2d<{{.*}}>] inputs(%arg0)
// CHECK: qbackend.operator [#qbackend.batch_norm2d<{{.*}}>, #qbackend.relu]
func.func @conv_transpose2d_relu(%x: tensor<1x3x3x1xf32>) -> tensor<1x3x3x2xf32> {
  %w = arith.constant dense<1.0> : tensor<2x1x1x1xf32>
  %mean = arith.constant dense<0.0> : tensor<2xf32>
  %c = qbackend.operator [#qbackend.conv_transpose2d<stride = [1, 1], padding = [0, 0, 0, 0], output_padding = [0, 0], dilation = [1, 1], groups = 1>] inputs(%x) weight(%w) : (tensor<1x3x3x1xf32>, tensor<2x1x1x1xf32>) -> tensor<1x3x3x2xf32> {
  ^bb0(%a: tensor<1x3x3x1xf32>, %v: tensor<2x1x1x1xf32>):
    %e = tensor.empty() : tensor<1x3x3x2xf32>
    qbackend.yield %e : tensor<1x3x3x2xf32>
  }
  %n = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 1.0>] inputs(%c) running_mean(%mean) running_var(%mean) : (tensor<1x3x3x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x3x3x2xf32> {
  ^bb0(%a: tensor<1x3x3x2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>):
    qbackend.yield %a : tensor<1x3x3x2xf32>
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%n) : (tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32> {
  ^bb0(%a: tensor<1x3x3x2xf32>):
    qbackend.yield %a : tensor<1x3x3x2xf32>
  }
  return %r : tensor<1x3x3x2xf32>
}
