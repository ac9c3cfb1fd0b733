// RUN: qbackend-opt %s --qbackend-print-operators -o /dev/null | FileCheck %s

// What is a batch norm, and what isn't, of functions a * x + b.

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#last = affine_map<(n, c, h, w) -> (w)>
#channel = affine_map<(n, c, h, w) -> (c)>
#zero = affine_map<(n, c, h, w) -> (0)>

// The scores of an attention: one number for all, and a mask along the last
// dimension. In two ops and in one.
// CHECK-LABEL: @mask
// CHECK-NEXT: 0: mul<scalar = 5.000000e-01> [2, 3, 4] <- input0
// CHECK-NEXT: 1: add [2, 3, 4] <- 0, constant
// CHECK-NEXT: 2: mul<scalar = 5.000000e-01> [2, 3, 4] <- input0
// CHECK-NEXT: 3: add [2, 3, 4] <- 2, constant
// CHECK-NEXT: result 1, 3
func.func @mask(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) {
  %half = "tosa.const"() <{values = dense<0.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %mask = "tosa.const"() <{values = dense<[[[[0.0, 0.0, -100.0, -100.0]]]]> : tensor<1x1x1x4xf32>}> : () -> tensor<1x1x1x4xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = tosa.mul %x, %half, %s : (tensor<1x2x3x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x3x4xf32>
  %0 = tosa.add %a, %mask : (tensor<1x2x3x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x2x3x4xf32>
  %number = arith.constant 0.5 : f32
  %row = arith.constant dense<[0.0, 0.0, -100.0, -100.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<1x2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #last, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %row : tensor<1x2x3x4xf32>, tensor<4xf32>) outs(%e : tensor<1x2x3x4xf32>) {
  ^bb0(%i: f32, %m: f32, %o: f32):
    %p = arith.mulf %i, %number : f32
    %q = arith.addf %p, %m : f32
    linalg.yield %q : f32
  } -> tensor<1x2x3x4xf32>
  return %0, %1 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
}

// One number for each channel, though all are equal.
// CHECK-LABEL: @equal
// CHECK-NEXT: 0: batch_norm2d [4, 2, 3] <- input0
// CHECK-NEXT: result 0
func.func @equal(%x: tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32> {
  %a = arith.constant dense<0.5> : tensor<4xf32>
  %b = arith.constant dense<[0.0, 1.0, -2.0, 3.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<1x4x2x3xf32>
  %0 = linalg.generic {indexing_maps = [#id, #channel, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %a, %b : tensor<1x4x2x3xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<1x4x2x3xf32>) {
  ^bb0(%i: f32, %f: f32, %m: f32, %o: f32):
    %p = arith.mulf %i, %f : f32
    %q = arith.addf %p, %m : f32
    linalg.yield %q : f32
  } -> tensor<1x4x2x3xf32>
  return %0 : tensor<1x4x2x3xf32>
}

// The norm of one channel, whose parameters are read like numbers: a mean, a
// deviation, a factor and a bias. A factor and a bias alone are numbers.
// CHECK-LABEL: @one
// CHECK-NEXT: 0: conv2d
// CHECK-NEXT: 1: batch_norm2d [2, 3] <- 0
// CHECK-NEXT: 2: mul<scalar = 2.000000e+00> [2, 3] <- 0
// CHECK-NEXT: 3: add<scalar = 3.000000e+00> [2, 3] <- 2
// CHECK-NEXT: result 1, 3
func.func @one(%image: tensor<1x3x4x5xf32>) -> (tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) {
  %k = arith.constant dense<0.25> : tensor<1x3x3x3xf32>
  %zero = arith.constant 0.0 : f32
  %n = tensor.empty() : tensor<1x1x2x3xf32>
  %g = linalg.fill ins(%zero : f32) outs(%n : tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32>
  %x = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%image, %k : tensor<1x3x4x5xf32>, tensor<1x3x3x3xf32>) outs(%g : tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32>
  %mean = arith.constant dense<0.5> : tensor<1xf32>
  %var = arith.constant dense<1.5> : tensor<1xf32>
  %a = arith.constant dense<2.0> : tensor<1xf32>
  %b = arith.constant dense<3.0> : tensor<1xf32>
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<1x1x2x3xf32>
  %0 = linalg.generic {indexing_maps = [#id, #zero, #zero, #zero, #zero, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %a, %b, %mean, %var : tensor<1x1x2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) outs(%e : tensor<1x1x2x3xf32>) {
  ^bb0(%i: f32, %f: f32, %m: f32, %c: f32, %v: f32, %o: f32):
    %d = arith.addf %v, %eps : f32
    %r = math.rsqrt %d : f32
    %p = arith.subf %i, %c : f32
    %q = arith.mulf %p, %r : f32
    %s = arith.mulf %q, %f : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<1x1x2x3xf32>
  %1 = linalg.generic {indexing_maps = [#id, #zero, #zero, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %a, %b : tensor<1x1x2x3xf32>, tensor<1xf32>, tensor<1xf32>) outs(%e : tensor<1x1x2x3xf32>) {
  ^bb0(%i: f32, %f: f32, %m: f32, %o: f32):
    %p = arith.mulf %i, %f : f32
    %q = arith.addf %p, %m : f32
    linalg.yield %q : f32
  } -> tensor<1x1x2x3xf32>
  return %0, %1 : tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>
}

// The bias of a layer stays with it, also where a change of shape is in between;
// what multiplies afterwards is no norm.
// CHECK-LABEL: @bias
// CHECK-NEXT: 0: reshape [4, 5, 3] <- input0
// CHECK-NEXT: 1: linear weight[2, 3] bias [4, 5, 2] <- 0
// CHECK-NEXT: 2: mul [4, 5, 2] <- constant, 1
// CHECK-NEXT: result 2
func.func @bias(%x: tensor<1x20x3xf32>) -> tensor<1x4x5x2xf32> {
  %w = "tosa.const"() <{values = dense<0.25> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32>
  %b = "tosa.const"() <{values = dense<[[[[1.0, 2.0]]]]> : tensor<1x1x1x2xf32>}> : () -> tensor<1x1x1x2xf32>
  %g = "tosa.const"() <{values = dense<[[[[0.5, 0.75]]]]> : tensor<1x1x1x2xf32>}> : () -> tensor<1x1x1x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %shape = tosa.const_shape {values = dense<[1, 4, 5, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.matmul %x, %w, %z, %z : (tensor<1x20x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x20x2xf32>
  %1 = tosa.reshape %0, %shape : (tensor<1x20x2xf32>, !tosa.shape<4>) -> tensor<1x4x5x2xf32>
  %2 = tosa.add %1, %b : (tensor<1x4x5x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x4x5x2xf32>
  %3 = tosa.mul %2, %g, %s : (tensor<1x4x5x2xf32>, tensor<1x1x1x2xf32>, tensor<1xi8>) -> tensor<1x4x5x2xf32>
  return %3 : tensor<1x4x5x2xf32>
}

// Four numbers behind a convolution with one channel are its norm; with four, whose
// height is one, and without a convolution they are numbers.
// CHECK-LABEL: @channel_of_one
// CHECK-NEXT: 0: conv2d
// CHECK-NEXT: 1: batch_norm2d
func.func @channel_of_one(%x: tensor<1x5x6x3xf32>) -> tensor<1x3x4x1xf32> {
  %f = "tosa.const"() <{values = dense<0.25> : tensor<1x3x3x3xf32>}> : () -> tensor<1x3x3x3xf32>
  %b = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %f, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x5x6x3xf32>, tensor<1x3x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x4x1xf32>
  %c0 = "tosa.const"() <{values = dense<0.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %c1 = "tosa.const"() <{values = dense<3.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %c2 = "tosa.const"() <{values = dense<1.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %c3 = "tosa.const"() <{values = dense<2.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r0 = tosa.sub %0, %c0 : (tensor<1x3x4x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x3x4x1xf32>
  %r1 = tosa.mul %r0, %c1, %s : (tensor<1x3x4x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x3x4x1xf32>
  %r2 = tosa.mul %r1, %c2, %s : (tensor<1x3x4x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x3x4x1xf32>
  %r3 = tosa.add %r2, %c3 : (tensor<1x3x4x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x3x4x1xf32>
  return %r3 : tensor<1x3x4x1xf32>
}

// CHECK-LABEL: @height_of_one
// CHECK-NEXT: 0: conv2d
// CHECK-NOT: batch_norm
// CHECK: result
func.func @height_of_one(%x: tensor<1x3x6x3xf32>) -> tensor<1x1x4x4xf32> {
  %f = "tosa.const"() <{values = dense<0.25> : tensor<4x3x3x3xf32>}> : () -> tensor<4x3x3x3xf32>
  %b = "tosa.const"() <{values = dense<0.5> : tensor<4xf32>}> : () -> tensor<4xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %f, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x3x6x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x4x4xf32>
  %c0 = "tosa.const"() <{values = dense<0.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %c1 = "tosa.const"() <{values = dense<3.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %c2 = "tosa.const"() <{values = dense<1.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %c3 = "tosa.const"() <{values = dense<2.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r0 = tosa.sub %0, %c0 : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
  %r1 = tosa.mul %r0, %c1, %s : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x4x4xf32>
  %r2 = tosa.mul %r1, %c2, %s : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x4x4xf32>
  %r3 = tosa.add %r2, %c3 : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
  return %r3 : tensor<1x1x4x4xf32>
}

// CHECK-LABEL: @grayscale
// CHECK-NOT: batch_norm
// CHECK: result
func.func @grayscale(%x: tensor<1x4x5x1xf32>) -> tensor<1x4x5x1xf32> {
  %c0 = "tosa.const"() <{values = dense<0.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %c1 = "tosa.const"() <{values = dense<3.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %c2 = "tosa.const"() <{values = dense<1.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %c3 = "tosa.const"() <{values = dense<2.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r0 = tosa.sub %x, %c0 : (tensor<1x4x5x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x5x1xf32>
  %r1 = tosa.mul %r0, %c1, %s : (tensor<1x4x5x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x4x5x1xf32>
  %r2 = tosa.mul %r1, %c2, %s : (tensor<1x4x5x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x4x5x1xf32>
  %r3 = tosa.add %r2, %c3 : (tensor<1x4x5x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x5x1xf32>
  return %r3 : tensor<1x4x5x1xf32>
}

// CHECK-LABEL: @vector
// CHECK-NOT: batch_norm
// CHECK: result
func.func @vector(%x: tensor<1x6x1xf32>) -> tensor<1x6x1xf32> {
  %c0 = "tosa.const"() <{values = dense<0.5> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %c1 = "tosa.const"() <{values = dense<3.0> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %c2 = "tosa.const"() <{values = dense<1.5> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %c3 = "tosa.const"() <{values = dense<2.0> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r0 = tosa.sub %x, %c0 : (tensor<1x6x1xf32>, tensor<1x1x1xf32>) -> tensor<1x6x1xf32>
  %r1 = tosa.mul %r0, %c1, %s : (tensor<1x6x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x6x1xf32>
  %r2 = tosa.mul %r1, %c2, %s : (tensor<1x6x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x6x1xf32>
  %r3 = tosa.add %r2, %c3 : (tensor<1x6x1xf32>, tensor<1x1x1xf32>) -> tensor<1x6x1xf32>
  return %r3 : tensor<1x6x1xf32>
}

// CHECK-LABEL: @number
// CHECK-NOT: batch_norm
// CHECK: result
func.func @number(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %c0 = "tosa.const"() <{values = dense<0.5> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %c1 = "tosa.const"() <{values = dense<3.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %c2 = "tosa.const"() <{values = dense<1.5> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %c3 = "tosa.const"() <{values = dense<2.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r0 = tosa.sub %x, %c0 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %r1 = tosa.mul %r0, %c1, %s : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32>
  %r2 = tosa.mul %r1, %c2, %s : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32>
  %r3 = tosa.add %r2, %c3 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r3 : tensor<1x1xf32>
}

// Behind a convolution with any batch: its bias is added to it through a broadcast
// whose extents aren't known, and what moves the channel is a generic.
// CHECK-LABEL: @one_with_any_batch
// CHECK-NEXT: 0: conv2d{{.*}} bias
// CHECK-NEXT: 1: batch_norm2d [?, 2, 3] <- 0
// CHECK-NEXT: result 1
#rotated = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
func.func @one_with_any_batch(%image: tensor<?x4x5x3xf32>) -> tensor<?x1x2x3xf32> {
  %k = arith.constant dense<0.25> : tensor<3x3x3x1xf32>
  %bias = arith.constant dense<0.75> : tensor<1xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %image, %c0 : tensor<?x4x5x3xf32>
  %zero = arith.constant 0.0 : f32
  %n = tensor.empty(%d) : tensor<?x2x3x1xf32>
  %g = linalg.fill ins(%zero : f32) outs(%n : tensor<?x2x3x1xf32>) -> tensor<?x2x3x1xf32>
  %x = linalg.conv_2d_nhwc_hwcf ins(%image, %k : tensor<?x4x5x3xf32>, tensor<3x3x3x1xf32>) outs(%g : tensor<?x2x3x1xf32>) -> tensor<?x2x3x1xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%bias : tensor<1xf32>) outs(%n : tensor<?x2x3x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<?x2x3x1xf32>
  %biased = arith.addf %x, %wide : tensor<?x2x3x1xf32>
  %e = tensor.empty(%d) : tensor<?x1x2x3xf32>
  %moved = linalg.generic {indexing_maps = [#rotated, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%biased : tensor<?x2x3x1xf32>) outs(%e : tensor<?x1x2x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<?x1x2x3xf32>
  %mean = arith.constant dense<0.5> : tensor<1xf32>
  %scale = arith.constant dense<1.5> : tensor<1xf32>
  %a = arith.constant dense<2.0> : tensor<1xf32>
  %b = arith.constant dense<3.0> : tensor<1xf32>
  %0 = linalg.generic {indexing_maps = [#id, #zero, #zero, #zero, #zero, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%moved, %a, %b, %mean, %scale : tensor<?x1x2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) outs(%e : tensor<?x1x2x3xf32>) {
  ^bb0(%i: f32, %f: f32, %m: f32, %c: f32, %v: f32, %o: f32):
    %p = arith.subf %i, %c : f32
    %q = arith.mulf %p, %v : f32
    %s = arith.mulf %q, %f : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x1x2x3xf32>
  return %0 : tensor<?x1x2x3xf32>
}

// A norm with a number behind it, and in front of it: operators of their own, each of
// which has its range.
// CHECK-LABEL: @number_behind
// CHECK-NEXT: 0: batch_norm2d [4, 2, 3] <- input0
// CHECK-NEXT: 1: mul<scalar = 3.000000e+00> [4, 2, 3] <- 0
// CHECK-NEXT: result 1
func.func @number_behind(%x: tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32> {
  %a = arith.constant dense<[0.5, 1.5, 2.5, 3.5]> : tensor<4xf32>
  %b = arith.constant dense<[0.0, 1.0, -2.0, 3.0]> : tensor<4xf32>
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<1x4x2x3xf32>
  %0 = linalg.generic {indexing_maps = [#id, #channel, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %a, %b : tensor<1x4x2x3xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<1x4x2x3xf32>) {
  ^bb0(%i: f32, %f: f32, %m: f32, %o: f32):
    %p = arith.mulf %i, %f : f32
    %q = arith.addf %p, %m : f32
    linalg.yield %q : f32
  } -> tensor<1x4x2x3xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0 : tensor<1x4x2x3xf32>) outs(%e : tensor<1x4x2x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.mulf %i, %three : f32
    linalg.yield %p : f32
  } -> tensor<1x4x2x3xf32>
  return %1 : tensor<1x4x2x3xf32>
}

// CHECK-LABEL: @number_before
// CHECK-NEXT: 0: add<scalar = 3.000000e+00> [4, 2, 3] <- input0
// CHECK-NEXT: 1: batch_norm2d [4, 2, 3] <- 0
// CHECK-NEXT: result 1
func.func @number_before(%x: tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32> {
  %a = arith.constant dense<[0.5, 1.5, 2.5, 3.5]> : tensor<4xf32>
  %b = arith.constant dense<[0.0, 1.0, -2.0, 3.0]> : tensor<4xf32>
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<1x4x2x3xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x4x2x3xf32>) outs(%e : tensor<1x4x2x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.addf %i, %three : f32
    linalg.yield %p : f32
  } -> tensor<1x4x2x3xf32>
  %1 = linalg.generic {indexing_maps = [#id, #channel, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %a, %b : tensor<1x4x2x3xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<1x4x2x3xf32>) {
  ^bb0(%i: f32, %f: f32, %m: f32, %o: f32):
    %p = arith.mulf %i, %f : f32
    %q = arith.addf %p, %m : f32
    linalg.yield %q : f32
  } -> tensor<1x4x2x3xf32>
  return %1 : tensor<1x4x2x3xf32>
}

// One channel: the four numbers of a norm, behind a convolution, and one more.
// CHECK-LABEL: @one_channel
// CHECK-NEXT: 0: conv2d
// CHECK-NEXT: 1: batch_norm2d [2, 3] <- 0
// CHECK-NEXT: 2: mul<scalar = 3.000000e+00> [2, 3] <- 1
// CHECK-NEXT: result 2
func.func @one_channel(%x: tensor<1x2x3x2xf32>) -> tensor<1x2x3x1xf32> {
  %w = "tosa.const"() <{values = dense<[[[[0.5, 0.25]]]]> : tensor<1x1x1x2xf32>}> : () -> tensor<1x1x1x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %mean = "tosa.const"() <{values = dense<0.75> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %inverse = "tosa.const"() <{values = dense<1.25> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %gamma = "tosa.const"() <{values = dense<0.875> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %beta = "tosa.const"() <{values = dense<0.125> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %three = "tosa.const"() <{values = dense<3.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %c = tosa.conv2d %x, %w, %z, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x3x2xf32>, tensor<1x1x1x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x3x1xf32>
  %0 = tosa.sub %c, %mean : (tensor<1x2x3x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x3x1xf32>
  %1 = tosa.mul %0, %inverse, %s : (tensor<1x2x3x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x3x1xf32>
  %2 = tosa.mul %1, %gamma, %s : (tensor<1x2x3x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x3x1xf32>
  %3 = tosa.add %2, %beta : (tensor<1x2x3x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x3x1xf32>
  %4 = tosa.mul %3, %three, %s : (tensor<1x2x3x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x3x1xf32>
  return %4 : tensor<1x2x3x1xf32>
}
