// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @whole
// CHECK-DAG: %[[W:.*]] = arith.constant dense<[5.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[7.000000e+00, 8.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[M:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[V:.*]] = arith.constant dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK: qbackend.operator [#qbackend.batch_norm2d<axis = 1, eps = {{9.99999974.*|1.0.*}}>] inputs(%arg0) weight(%[[W]]) bias(%[[B]]) running_mean(%[[M]]) running_var(%[[V]])
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @whole(%x: tensor<?x2x4x4xf32>) -> tensor<?x2x4x4xf32> {
  %m = "tosa.const"() <{values = dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32>
  %v = "tosa.const"() <{values = dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32>}> : () -> tensor<2x1x1xf32>
  %w = "tosa.const"() <{values = dense<[[[[5.0]], [[6.0]]]]> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32>
  %b = "tosa.const"() <{values = dense<[[[[7.0]], [[8.0]]]]> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32>
  %eps = "tosa.const"() <{values = dense<9.99999974E-6> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s = tosa.const_shape {values = dense<[1, 2, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.sub %x, %m : (tensor<?x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<?x2x4x4xf32>
  %1 = tosa.add %v, %eps : (tensor<2x1x1xf32>, tensor<1x1x1xf32>) -> tensor<2x1x1xf32>
  %2 = tosa.rsqrt %1 : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  %3 = tosa.reshape %2, %s : (tensor<2x1x1xf32>, !tosa.shape<4>) -> tensor<1x2x1x1xf32>
  %4 = tosa.mul %0, %3, %z : (tensor<?x2x4x4xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<?x2x4x4xf32>
  %5 = tosa.mul %4, %w, %z : (tensor<?x2x4x4xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<?x2x4x4xf32>
  %6 = tosa.add %5, %b : (tensor<?x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<?x2x4x4xf32>
  return %6 : tensor<?x2x4x4xf32>
}

// The deviation is folded: weight is 3 * [5, 6], the variance 1.
// CHECK-LABEL: func.func @folded
// CHECK-DAG: %[[W:.*]] = arith.constant dense<[1.500000e+01, 1.800000e+01]> : tensor<2xf32>
// CHECK-DAG: %[[V:.*]] = arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK: qbackend.operator [#qbackend.batch_norm2d<axis = 1, eps = 0.0{{.*}}>] inputs(%arg0) weight(%[[W]]) bias(%{{.*}}) running_mean(%{{.*}}) running_var(%[[V]])
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @folded(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %m = "tosa.const"() <{values = dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32>
  %d = "tosa.const"() <{values = dense<3.0> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32>
  %w = "tosa.const"() <{values = dense<[[[[5.0]], [[6.0]]]]> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.sub %x, %m : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %4 = tosa.mul %0, %d, %z : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4x4xf32>
  %5 = tosa.mul %4, %w, %z : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4x4xf32>
  %6 = tosa.add %5, %m : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %6 : tensor<1x2x4x4xf32>
}

// What TFLite's converter leaves: NHWC, a scale and a shift.
// CHECK-LABEL: func.func @scale_and_shift
// CHECK: qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 0.0{{.*}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @scale_and_shift(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> {
  %w = "tosa.const"() <{values = dense<[[[[5.0, 6.0]]]]> : tensor<1x1x1x2xf32>}> : () -> tensor<1x1x1x2xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = tosa.mul %w, %x, %z : (tensor<1x1x1x2xf32>, tensor<1x4x4x2xf32>, tensor<1xi8>) -> tensor<1x4x4x2xf32>
  %6 = tosa.add %5, %w : (tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x4x4x2xf32>
  return %6 : tensor<1x4x4x2xf32>
}

// Parameters without data keep their values.
// CHECK-LABEL: func.func @elided
// CHECK: qbackend.operator [#qbackend.batch_norm2d<axis = 1
func.func @elided(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = "tosa.const"() <{values = dense_resource<__elided__> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = tosa.mul %x, %w, %z : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4x4xf32>
  %6 = tosa.add %5, %w : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %6 : tensor<1x2x4x4xf32>
}

// Single numbers are a product and a sum.
// CHECK-LABEL: func.func @scalars
// CHECK-NOT: batch_norm
// CHECK: #qbackend.mul<scalar = 2
// CHECK: #qbackend.add<scalar = 2
// CHECK-NOT: batch_norm
// CHECK: return
func.func @scalars(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = "tosa.const"() <{values = dense<2.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = tosa.mul %x, %w, %z : (tensor<1x2x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4x4xf32>
  %6 = tosa.add %5, %w : (tensor<1x2x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %6 : tensor<1x2x4x4xf32>
}

// Constants of different dimensions are no channels, but operands.
// CHECK-LABEL: func.func @mixed_dimensions
// CHECK: %[[W:.*]] = arith.constant {{.*}} : tensor<1x1x1x2xf32>
// CHECK: %[[M:.*]] = qbackend.operator [#qbackend.mul] inputs(%arg0, %[[W]])
// CHECK: %[[B:.*]] = arith.constant {{.*}} : tensor<1x2x1x1xf32>
// CHECK: qbackend.operator [#qbackend.add] inputs(%[[M]], %[[B]])
// CHECK: return
func.func @mixed_dimensions(%x: tensor<1x2x4x2xf32>) -> tensor<1x2x4x2xf32> {
  %w = "tosa.const"() <{values = dense<[[[[5.0, 6.0]]]]> : tensor<1x1x1x2xf32>}> : () -> tensor<1x1x1x2xf32>
  %b = "tosa.const"() <{values = dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = tosa.mul %x, %w, %z : (tensor<1x2x4x2xf32>, tensor<1x1x1x2xf32>, tensor<1xi8>) -> tensor<1x2x4x2xf32>
  %6 = tosa.add %5, %b : (tensor<1x2x4x2xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x2xf32>
  return %6 : tensor<1x2x4x2xf32>
}
