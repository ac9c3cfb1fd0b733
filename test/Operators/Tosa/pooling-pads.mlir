// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s

// Padding in front of a pool, also in front of the transposition of its image,
// is the pool's.

// CHECK-LABEL: @lowest
// CHECK-NEXT: 0: max_pool2d<kernel = [3, 3], stride = [2, 2], padding = [1, 1, 1, 1], dilation = [1, 1]> [6, 7, 4] <- input0
// CHECK-NEXT: result 0
func.func @lowest(%x: tensor<1x11x13x4xf32>) -> tensor<1x6x7x4xf32> {
  %a = tosa.const_shape {values = dense<[0, 0, 1, 1, 1, 1, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %l = "tosa.const"() <{values = dense<-3.40282347E+38> : tensor<1xf32>}> : () -> tensor<1xf32>
  %p = tosa.pad %x, %a, %l : (tensor<1x11x13x4xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<1x13x15x4xf32>
  %r = tosa.max_pool2d %p {kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x13x15x4xf32>) -> tensor<1x6x7x4xf32>
  return %r : tensor<1x6x7x4xf32>
}

// CHECK-LABEL: @nchw
// CHECK-NEXT: 0: max_pool2d<kernel = [3, 3], stride = [2, 2], padding = [1, 1, 1, 1], dilation = [1, 1]> [6, 7, 4] <- input0
// CHECK-NEXT: 1: avg_pool2d<kernel = [3, 3], stride = [2, 2], padding = [1, 1, 1, 1]> [6, 7, 4] <- input0
// CHECK-NEXT: result 0, 1
func.func @nchw(%x: tensor<1x4x11x13xf32>) -> (tensor<1x6x7x4xf32>, tensor<1x6x7x4xf32>) {
  %a = tosa.const_shape {values = dense<[0, 0, 0, 0, 1, 1, 1, 1]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %l = "tosa.const"() <{values = dense<0xFF800000> : tensor<1xf32>}> : () -> tensor<1xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %p = tosa.pad %x, %a, %l : (tensor<1x4x11x13xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<1x4x13x15xf32>
  %t = tosa.transpose %p {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x13x15xf32>) -> tensor<1x13x15x4xf32>
  %q = tosa.pad %x, %a, %z : (tensor<1x4x11x13xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<1x4x13x15xf32>
  %u = tosa.transpose %q {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x4x13x15xf32>) -> tensor<1x13x15x4xf32>
  %r = tosa.max_pool2d %t {kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x13x15x4xf32>) -> tensor<1x6x7x4xf32>
  %s = tosa.avg_pool2d %u, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x13x15x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x6x7x4xf32>
  return %r, %s : tensor<1x6x7x4xf32>, tensor<1x6x7x4xf32>
}

// Zeros are no padding of a maximum, unless nothing is below 0; nor is what a
// window takes.
// CHECK-LABEL: @zeros
// CHECK-NEXT: 0: pad<{{.*}}, value = 0.000000e+00>
// CHECK-NEXT: 1: max_pool2d<kernel = [3, 3], stride = [2, 2], padding = [0, 0, 0, 0]
// CHECK-NEXT: 2: relu
// CHECK-NEXT: 3: max_pool2d<kernel = [3, 3], stride = [2, 2], padding = [1, 1, 1, 1], dilation = [1, 1]> [6, 7, 4] <- 2
// CHECK-NEXT: 4: pad<{{.*}}, value = 1.000000e+00>
// CHECK-NEXT: 5: max_pool2d<kernel = [3, 3], stride = [2, 2], padding = [0, 0, 0, 0]
func.func @zeros(%x: tensor<1x11x13x4xf32>) -> (tensor<1x6x7x4xf32>, tensor<1x6x7x4xf32>, tensor<1x6x7x4xf32>) {
  %a = tosa.const_shape {values = dense<[0, 0, 1, 1, 1, 1, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %o = "tosa.const"() <{values = dense<1.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %p = tosa.pad %x, %a, %z : (tensor<1x11x13x4xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<1x13x15x4xf32>
  %0 = tosa.max_pool2d %p {kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x13x15x4xf32>) -> tensor<1x6x7x4xf32>
  %c = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x11x13x4xf32>) -> tensor<1x11x13x4xf32>
  %q = tosa.pad %c, %a, %z : (tensor<1x11x13x4xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<1x13x15x4xf32>
  %1 = tosa.max_pool2d %q {kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x13x15x4xf32>) -> tensor<1x6x7x4xf32>
  %r = tosa.pad %x, %a, %o : (tensor<1x11x13x4xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<1x13x15x4xf32>
  %2 = tosa.max_pool2d %r {kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x13x15x4xf32>) -> tensor<1x6x7x4xf32>
  return %0, %1, %2 : tensor<1x6x7x4xf32>, tensor<1x6x7x4xf32>, tensor<1x6x7x4xf32>
}
