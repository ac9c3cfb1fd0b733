// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @max_pool
// CHECK: qbackend.operator [#qbackend.max_pool2d<kernel = [3, 3], stride = [2, 2], padding = [1, 0, 1, 0], dilation = [1, 1]>] inputs(%arg0)
func.func @max_pool(%x: tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// CHECK-LABEL: func.func @whole_map
// CHECK: qbackend.operator [#qbackend.adaptive_avg_pool2d<output_size = [1, 1]>] inputs(%arg0)
func.func @whole_map(%x: tensor<?x4x4x3xf32>) -> tensor<?x1x1x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 4, 4>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<?x4x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x1x1x3xf32>
  return %0 : tensor<?x1x1x3xf32>
}

// The padding of TOSA does not count, zeros in front do.
// CHECK-LABEL: func.func @padding
// CHECK: qbackend.operator [#qbackend.avg_pool2d<kernel = [2, 2], stride = [2, 2], padding = [1, 1, 1, 1]{{(, ceil_mode = false)?}}, count_exclude_pad = true
// CHECK: qbackend.operator [#qbackend.avg_pool2d<kernel = [2, 2], stride = [1, 1], padding = [1, 0, 0, 0]{{(, ceil_mode = false)?(, count_exclude_pad = false)?}}>]
// CHECK: return
func.func @padding(%x: tensor<1x6x6x3xf32>) -> tensor<1x4x3x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = tosa.const_shape {values = dense<[0, 0, 1, 0, 0, 0, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 2, 2>} : (tensor<1x6x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x3xf32>
  %p = tosa.pad %0, %s, %z : (tensor<1x4x4x3xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<1x5x4x3xf32>
  %1 = tosa.avg_pool2d %p, %z, %z {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x5x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xf32>
  return %1 : tensor<1x4x3x3xf32>
}

// CHECK-LABEL: func.func @mean
// CHECK: qbackend.operator [#qbackend.mean<axes = [1, 2]{{(, keepdim = false)?}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @mean(%x: tensor<1x4x4x3xf32>) -> tensor<1x3xf32> {
  %c = "tosa.const"() <{values = dense<0.0625> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<1x4x4x3xf32>) -> tensor<1x1x4x3xf32>
  %1 = tosa.reduce_sum %0 {axis = 2 : i32} : (tensor<1x1x4x3xf32>) -> tensor<1x1x1x3xf32>
  %2 = tosa.reshape %1, %s : (tensor<1x1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32>
  %3 = tosa.mul %2, %c, %z : (tensor<1x3xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x3xf32>
  return %3 : tensor<1x3xf32>
}

// Another factor than one over the number of elements.
// CHECK-LABEL: func.func @scaled_sum
// CHECK-NOT: qbackend.mean
// CHECK: return
func.func @scaled_sum(%x: tensor<1x4x4x3xf32>) -> tensor<1x1x4x3xf32> {
  %c = "tosa.const"() <{values = dense<0.125> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<1x4x4x3xf32>) -> tensor<1x1x4x3xf32>
  %3 = tosa.mul %0, %c, %z : (tensor<1x1x4x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x4x3xf32>
  return %3 : tensor<1x1x4x3xf32>
}
