// RUN: qbackend-opt %s --qbackend-print-operators -o /dev/null | FileCheck %s
// RUN: qbackend-opt %s --qbackend-raise --qbackend-normalize-layout --qbackend-fuse=backend=qnnpack | FileCheck %s --check-prefix=FUSED

// Convolutions of rows in groups, each of them one of images of height 1, between
// two changes of shape: of one dimension, so that batch norm is folded into them.
// CHECK-LABEL: @rows
// CHECK-NEXT: 0: conv1d<stride = [2], padding = [1, 1], dilation = [1], groups = 2> weight[6, 3, 2] bias [5, 6] <- input0
// CHECK-NEXT: 1: batch_norm1d [5, 6] <- 0
// CHECK-NEXT: result 1
// FUSED-LABEL: func.func @rows
// FUSED-NOT: batch_norm1d
// FUSED: return
func.func @rows(%x: tensor<1x9x4xf32>) -> tensor<1x5x6xf32> {
  %w = "tosa.const"() <{values = dense<0.25> : tensor<3x1x3x2xf32>}> : () -> tensor<3x1x3x2xf32>
  %b = "tosa.const"() <{values = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>}> : () -> tensor<3xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m = "tosa.const"() <{values = dense<[[[0.5, 1.0, 1.5, 2.0, 2.5, 3.0]]]> : tensor<1x1x6xf32>}> : () -> tensor<1x1x6xf32>
  %image = tosa.const_shape {values = dense<[1, 1, 9, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %rows = tosa.const_shape {values = dense<[1, 5, 6]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %size = tosa.const_shape {values = dense<[1, 1, 9, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %first = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %second = tosa.const_shape {values = dense<[0, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %i = tosa.reshape %x, %image : (tensor<1x9x4xf32>, !tosa.shape<4>) -> tensor<1x1x9x4xf32>
  %0 = tosa.slice %i, %first, %size : (tensor<1x1x9x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x9x2xf32>
  %1 = tosa.conv2d %0, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 2>, dilation = array<i64: 1, 1>} : (tensor<1x1x9x2xf32>, tensor<3x1x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x5x3xf32>
  %2 = tosa.slice %i, %second, %size : (tensor<1x1x9x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x9x2xf32>
  %3 = tosa.conv2d %2, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 2>, dilation = array<i64: 1, 1>} : (tensor<1x1x9x2xf32>, tensor<3x1x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x5x3xf32>
  %4 = tosa.concat %1, %3 {axis = 3 : i32} : (tensor<1x1x5x3xf32>, tensor<1x1x5x3xf32>) -> tensor<1x1x5x6xf32>
  %5 = tosa.reshape %4, %rows : (tensor<1x1x5x6xf32>, !tosa.shape<3>) -> tensor<1x5x6xf32>
  %6 = tosa.sub %5, %m : (tensor<1x5x6xf32>, tensor<1x1x6xf32>) -> tensor<1x5x6xf32>
  %7 = tosa.mul %6, %m, %s : (tensor<1x5x6xf32>, tensor<1x1x6xf32>, tensor<1xi8>) -> tensor<1x5x6xf32>
  %8 = tosa.mul %7, %m, %s : (tensor<1x5x6xf32>, tensor<1x1x6xf32>, tensor<1xi8>) -> tensor<1x5x6xf32>
  %9 = tosa.add %8, %m : (tensor<1x5x6xf32>, tensor<1x1x6xf32>) -> tensor<1x5x6xf32>
  return %9 : tensor<1x5x6xf32>
}

// CHECK-LABEL: @any_number_of_rows
// CHECK-NEXT: 0: conv1d<stride = [2], padding = [1, 1], dilation = [1], groups = 2> weight[6, 3, 2] bias [?, 5, 6] <- input0
// CHECK-NEXT: result 0
func.func @any_number_of_rows(%x: tensor<?x9x4xf32>) -> tensor<?x5x6xf32> {
  %w = "tosa.const"() <{values = dense<0.25> : tensor<3x1x3x2xf32>}> : () -> tensor<3x1x3x2xf32>
  %b = "tosa.const"() <{values = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>}> : () -> tensor<3xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %image = tosa.const_shape {values = dense<[-1, 1, 9, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %rows = tosa.const_shape {values = dense<[-1, 5, 6]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %size = tosa.const_shape {values = dense<[-1, 1, 9, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %first = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %second = tosa.const_shape {values = dense<[0, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %i = tosa.reshape %x, %image : (tensor<?x9x4xf32>, !tosa.shape<4>) -> tensor<?x1x9x4xf32>
  %0 = tosa.slice %i, %first, %size : (tensor<?x1x9x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<?x1x9x2xf32>
  %1 = tosa.conv2d %0, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 2>, dilation = array<i64: 1, 1>} : (tensor<?x1x9x2xf32>, tensor<3x1x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x1x5x3xf32>
  %2 = tosa.slice %i, %second, %size : (tensor<?x1x9x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<?x1x9x2xf32>
  %3 = tosa.conv2d %2, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 2>, dilation = array<i64: 1, 1>} : (tensor<?x1x9x2xf32>, tensor<3x1x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x1x5x3xf32>
  %4 = tosa.concat %1, %3 {axis = 3 : i32} : (tensor<?x1x5x3xf32>, tensor<?x1x5x3xf32>) -> tensor<?x1x5x6xf32>
  %5 = tosa.reshape %4, %rows : (tensor<?x1x5x6xf32>, !tosa.shape<3>) -> tensor<?x5x6xf32>
  return %5 : tensor<?x5x6xf32>
}

// Windows that are higher than the image are of two dimensions.
// CHECK-LABEL: @images
// CHECK-NEXT: 0: conv2d<{{.*}} groups = 2> weight[6, 3, 3, 2] bias [5, 6] <- input0
// CHECK-NEXT: 1: batch_norm1d [5, 6] <- 0
func.func @images(%x: tensor<1x9x4xf32>) -> tensor<1x5x6xf32> {
  %w = "tosa.const"() <{values = dense<0.25> : tensor<3x3x3x2xf32>}> : () -> tensor<3x3x3x2xf32>
  %b = "tosa.const"() <{values = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>}> : () -> tensor<3xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m = "tosa.const"() <{values = dense<[[[0.5, 1.0, 1.5, 2.0, 2.5, 3.0]]]> : tensor<1x1x6xf32>}> : () -> tensor<1x1x6xf32>
  %image = tosa.const_shape {values = dense<[1, 1, 9, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %rows = tosa.const_shape {values = dense<[1, 5, 6]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %size = tosa.const_shape {values = dense<[1, 1, 9, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %first = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %second = tosa.const_shape {values = dense<[0, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %i = tosa.reshape %x, %image : (tensor<1x9x4xf32>, !tosa.shape<4>) -> tensor<1x1x9x4xf32>
  %0 = tosa.slice %i, %first, %size : (tensor<1x1x9x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x9x2xf32>
  %1 = tosa.conv2d %0, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 2>, dilation = array<i64: 1, 1>} : (tensor<1x1x9x2xf32>, tensor<3x3x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x5x3xf32>
  %2 = tosa.slice %i, %second, %size : (tensor<1x1x9x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x1x9x2xf32>
  %3 = tosa.conv2d %2, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 2>, dilation = array<i64: 1, 1>} : (tensor<1x1x9x2xf32>, tensor<3x3x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x5x3xf32>
  %4 = tosa.concat %1, %3 {axis = 3 : i32} : (tensor<1x1x5x3xf32>, tensor<1x1x5x3xf32>) -> tensor<1x1x5x6xf32>
  %5 = tosa.reshape %4, %rows : (tensor<1x1x5x6xf32>, !tosa.shape<3>) -> tensor<1x5x6xf32>
  %6 = tosa.sub %5, %m : (tensor<1x5x6xf32>, tensor<1x1x6xf32>) -> tensor<1x5x6xf32>
  %7 = tosa.mul %6, %m, %s : (tensor<1x5x6xf32>, tensor<1x1x6xf32>, tensor<1xi8>) -> tensor<1x5x6xf32>
  %8 = tosa.mul %7, %m, %s : (tensor<1x5x6xf32>, tensor<1x1x6xf32>, tensor<1xi8>) -> tensor<1x5x6xf32>
  %9 = tosa.add %8, %m : (tensor<1x5x6xf32>, tensor<1x1x6xf32>) -> tensor<1x5x6xf32>
  return %9 : tensor<1x5x6xf32>
}
