// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stem: relu, then a convolution with relu. block1: relu(convolution + shortcut).
// head1: a sigmoid, which the accelerator does not have.

func.func @main(%x: tensor<1x4x4x2xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<1x4x4x2xf32> {
  %w0 = arith.constant dense<[[[[1.0, -0.5]]], [[[0.25, 0.75]]]]> : tensor<2x1x1x2xf32>
  %b0 = arith.constant dense<[0.5, -0.25]> : tensor<2xf32>
  %w1 = arith.constant dense<[[[[0.5, 0.5]]], [[[-1.0, 2.0]]]]> : tensor<2x1x1x2xf32>
  %b1 = arith.constant dense<0.0> : tensor<2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %p = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("stem.relu")
  %s = tosa.conv2d %p, %w0, %b0, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x2xf32> loc("stem.conv")
  %r = tosa.clamp %s {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("stem.conv_relu")
  %c = tosa.conv2d %r, %w1, %b1, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x2xf32> loc("block1.conv")
  %a = tosa.add %c, %r : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("block1.add")
  %y = tosa.clamp %a {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("block1.relu")
  %h = tosa.sigmoid %y : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("head1.sigmoid")
  return %h : tensor<1x4x4x2xf32>
}
