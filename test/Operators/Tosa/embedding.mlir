// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @embedding
// CHECK: qbackend.operator [#qbackend.embedding] inputs(%arg0) weight(%arg1) : (tensor<2x6xi64>, tensor<50x8xf32>) -> tensor<2x6x8xf32>
// CHECK: tosa.gather
func.func @embedding(%i: tensor<2x6xi64>, %table: tensor<50x8xf32>) -> tensor<2x6x8xf32> {
  %s = tosa.const_shape {values = dense<[1, 50, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %t = tosa.const_shape {values = dense<[1, 12]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %u = tosa.const_shape {values = dense<[2, 6, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %0 = tosa.reshape %table, %s : (tensor<50x8xf32>, !tosa.shape<3>) -> tensor<1x50x8xf32>
  %1 = tosa.cast %i : (tensor<2x6xi64>) -> tensor<2x6xi32>
  %2 = tosa.reshape %1, %t : (tensor<2x6xi32>, !tosa.shape<2>) -> tensor<1x12xi32>
  %3 = tosa.gather %0, %2 : (tensor<1x50x8xf32>, tensor<1x12xi32>) -> tensor<1x12x8xf32>
  %4 = tosa.reshape %3, %u : (tensor<1x12x8xf32>, !tosa.shape<3>) -> tensor<2x6x8xf32>
  return %4 : tensor<2x6x8xf32>
}

// CHECK-LABEL: func.func @plain
// CHECK: %[[T:.*]] = arith.constant dense<{{.*}}> : tensor<3x2xf32>
// CHECK: qbackend.operator [#qbackend.embedding] inputs(%arg0) weight(%[[T]]) : (tensor<1x6xi32>, tensor<3x2xf32>) -> tensor<1x6x2xf32>
func.func @plain(%i: tensor<1x6xi32>) -> tensor<1x6x2xf32> {
  %t = "tosa.const"() <{values = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32>
  %0 = tosa.gather %t, %i : (tensor<1x3x2xf32>, tensor<1x6xi32>) -> tensor<1x6x2xf32>
  return %0 : tensor<1x6x2xf32>
}

// A table for each sample, and pixels of an image.
// CHECK-LABEL: func.func @others
// CHECK-NOT: #qbackend.embedding
// CHECK: return
func.func @others(%x: tensor<2x5x8xf32>, %i: tensor<2x6xi32>, %y: tensor<1x5x8xf32>, %j: tensor<1x6xi32>) -> (tensor<2x6x8xf32>, tensor<1x6x8xf32>) {
  %0 = tosa.gather %x, %i : (tensor<2x5x8xf32>, tensor<2x6xi32>) -> tensor<2x6x8xf32>
  %1 = tosa.gather %y, %j : (tensor<1x5x8xf32>, tensor<1x6xi32>) -> tensor<1x6x8xf32>
  return %0, %1 : tensor<2x6x8xf32>, tensor<1x6x8xf32>
}
