// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @layer_norm(
// CHECK: qbackend.operator [#qbackend.layer_norm<axes = [2], eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @layer_norm(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>, %b: tensor<12xf32>) -> tensor<2x5x12xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = "tosa.const"() <{values = dense<0.08333333333333333> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %1 = "tosa.const"() <{values = dense<1.0e-05> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %2 = tosa.reduce_sum %x {axis = 2 : i32} : (tensor<2x5x12xf32>) -> tensor<2x5x1xf32>
  %3 = tosa.mul %2, %0, %s : (tensor<2x5x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x5x1xf32>
  %4 = tosa.sub %x, %3 : (tensor<2x5x12xf32>, tensor<2x5x1xf32>) -> tensor<2x5x12xf32>
  %5 = tosa.mul %4, %4, %s : (tensor<2x5x12xf32>, tensor<2x5x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %6 = tosa.reduce_sum %5 {axis = 2 : i32} : (tensor<2x5x12xf32>) -> tensor<2x5x1xf32>
  %7 = tosa.mul %6, %0, %s : (tensor<2x5x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x5x1xf32>
  %8 = tosa.add %7, %1 : (tensor<2x5x1xf32>, tensor<1x1x1xf32>) -> tensor<2x5x1xf32>
  %9 = tosa.rsqrt %8 : (tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %10 = tosa.mul %4, %9, %s : (tensor<2x5x12xf32>, tensor<2x5x1xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %11 = tosa.const_shape {values = dense<[1, 1, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %12 = tosa.reshape %w, %11 : (tensor<12xf32>, !tosa.shape<3>) -> tensor<1x1x12xf32>
  %13 = tosa.mul %10, %12, %s : (tensor<2x5x12xf32>, tensor<1x1x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %14 = tosa.const_shape {values = dense<[1, 1, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %15 = tosa.reshape %b, %14 : (tensor<12xf32>, !tosa.shape<3>) -> tensor<1x1x12xf32>
  %16 = tosa.add %13, %15 : (tensor<2x5x12xf32>, tensor<1x1x12xf32>) -> tensor<2x5x12xf32>
  return %16 : tensor<2x5x12xf32>
}

// Scale and shift are computed first.
// CHECK-LABEL: func.func @layer_norm_folded(
// CHECK: qbackend.operator [#qbackend.layer_norm<axes = [2], eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @layer_norm_folded(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>, %b: tensor<12xf32>) -> tensor<2x5x12xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = "tosa.const"() <{values = dense<0.08333333333333333> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %1 = "tosa.const"() <{values = dense<1.0e-05> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %2 = tosa.reduce_sum %x {axis = 2 : i32} : (tensor<2x5x12xf32>) -> tensor<2x5x1xf32>
  %3 = tosa.mul %2, %0, %s : (tensor<2x5x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x5x1xf32>
  %4 = tosa.sub %x, %3 : (tensor<2x5x12xf32>, tensor<2x5x1xf32>) -> tensor<2x5x12xf32>
  %5 = tosa.mul %4, %4, %s : (tensor<2x5x12xf32>, tensor<2x5x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %6 = tosa.reduce_sum %5 {axis = 2 : i32} : (tensor<2x5x12xf32>) -> tensor<2x5x1xf32>
  %7 = tosa.mul %6, %0, %s : (tensor<2x5x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x5x1xf32>
  %8 = tosa.add %7, %1 : (tensor<2x5x1xf32>, tensor<1x1x1xf32>) -> tensor<2x5x1xf32>
  %9 = tosa.rsqrt %8 : (tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %10 = tosa.const_shape {values = dense<[1, 1, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %11 = tosa.reshape %w, %10 : (tensor<12xf32>, !tosa.shape<3>) -> tensor<1x1x12xf32>
  %12 = tosa.const_shape {values = dense<[1, 1, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %13 = tosa.reshape %b, %12 : (tensor<12xf32>, !tosa.shape<3>) -> tensor<1x1x12xf32>
  %14 = tosa.mul %9, %11, %s : (tensor<2x5x1xf32>, tensor<1x1x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %15 = tosa.mul %x, %14, %s : (tensor<2x5x12xf32>, tensor<2x5x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %16 = tosa.mul %3, %14, %s : (tensor<2x5x1xf32>, tensor<2x5x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %17 = tosa.sub %13, %16 : (tensor<1x1x12xf32>, tensor<2x5x12xf32>) -> tensor<2x5x12xf32>
  %18 = tosa.add %15, %17 : (tensor<2x5x12xf32>, tensor<2x5x12xf32>) -> tensor<2x5x12xf32>
  return %18 : tensor<2x5x12xf32>
}

// CHECK-LABEL: func.func @layer_norm_of_two_dimensions(
// CHECK: qbackend.operator [#qbackend.layer_norm<axes = [1, 2], eps = 1.0{{0*}}e-05>] inputs(%arg0
// CHECK-NOT: qbackend.operator
func.func @layer_norm_of_two_dimensions(%x: tensor<2x5x12xf32>) -> tensor<2x5x12xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = "tosa.const"() <{values = dense<0.016666666666666666> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %1 = "tosa.const"() <{values = dense<1.0e-05> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %2 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<2x5x12xf32>) -> tensor<2x1x12xf32>
  %3 = tosa.reduce_sum %2 {axis = 2 : i32} : (tensor<2x1x12xf32>) -> tensor<2x1x1xf32>
  %4 = tosa.mul %3, %0, %s : (tensor<2x1x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x1x1xf32>
  %5 = tosa.sub %x, %4 : (tensor<2x5x12xf32>, tensor<2x1x1xf32>) -> tensor<2x5x12xf32>
  %6 = tosa.mul %5, %5, %s : (tensor<2x5x12xf32>, tensor<2x5x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %7 = tosa.reduce_sum %6 {axis = 1 : i32} : (tensor<2x5x12xf32>) -> tensor<2x1x12xf32>
  %8 = tosa.reduce_sum %7 {axis = 2 : i32} : (tensor<2x1x12xf32>) -> tensor<2x1x1xf32>
  %9 = tosa.mul %8, %0, %s : (tensor<2x1x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x1x1xf32>
  %10 = tosa.add %9, %1 : (tensor<2x1x1xf32>, tensor<1x1x1xf32>) -> tensor<2x1x1xf32>
  %11 = tosa.rsqrt %10 : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  %12 = tosa.mul %5, %11, %s : (tensor<2x5x12xf32>, tensor<2x1x1xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  return %12 : tensor<2x5x12xf32>
}

// CHECK-LABEL: func.func @instance_norm2d(
// CHECK: qbackend.operator [#qbackend.instance_norm2d<axis = 1, eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @instance_norm2d(%x: tensor<2x3x4x5xf32>, %w: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3x4x5xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = "tosa.const"() <{values = dense<0.05> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %1 = "tosa.const"() <{values = dense<1.0e-05> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %2 = tosa.reduce_sum %x {axis = 2 : i32} : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x5xf32>
  %3 = tosa.reduce_sum %2 {axis = 3 : i32} : (tensor<2x3x1x5xf32>) -> tensor<2x3x1x1xf32>
  %4 = tosa.mul %3, %0, %s : (tensor<2x3x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<2x3x1x1xf32>
  %5 = tosa.sub %x, %4 : (tensor<2x3x4x5xf32>, tensor<2x3x1x1xf32>) -> tensor<2x3x4x5xf32>
  %6 = tosa.mul %5, %5, %s : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<1xi8>) -> tensor<2x3x4x5xf32>
  %7 = tosa.reduce_sum %6 {axis = 2 : i32} : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x5xf32>
  %8 = tosa.reduce_sum %7 {axis = 3 : i32} : (tensor<2x3x1x5xf32>) -> tensor<2x3x1x1xf32>
  %9 = tosa.mul %8, %0, %s : (tensor<2x3x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<2x3x1x1xf32>
  %10 = tosa.add %9, %1 : (tensor<2x3x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<2x3x1x1xf32>
  %11 = tosa.rsqrt %10 : (tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  %12 = tosa.mul %5, %11, %s : (tensor<2x3x4x5xf32>, tensor<2x3x1x1xf32>, tensor<1xi8>) -> tensor<2x3x4x5xf32>
  %13 = tosa.const_shape {values = dense<[1, 3, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %14 = tosa.reshape %w, %13 : (tensor<3xf32>, !tosa.shape<4>) -> tensor<1x3x1x1xf32>
  %15 = tosa.mul %12, %14, %s : (tensor<2x3x4x5xf32>, tensor<1x3x1x1xf32>, tensor<1xi8>) -> tensor<2x3x4x5xf32>
  %16 = tosa.const_shape {values = dense<[1, 3, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %17 = tosa.reshape %b, %16 : (tensor<3xf32>, !tosa.shape<4>) -> tensor<1x3x1x1xf32>
  %18 = tosa.add %15, %17 : (tensor<2x3x4x5xf32>, tensor<1x3x1x1xf32>) -> tensor<2x3x4x5xf32>
  return %18 : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: func.func @instance_norm2d_reshaped(
// CHECK: qbackend.operator [#qbackend.instance_norm2d<axis = 1, eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @instance_norm2d_reshaped(%x: tensor<2x6x4x5xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x4x5xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.const_shape {values = dense<[2, 6, 20]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %1 = tosa.reshape %x, %0 : (tensor<2x6x4x5xf32>, !tosa.shape<3>) -> tensor<2x6x20xf32>
  %2 = "tosa.const"() <{values = dense<0.05> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %3 = "tosa.const"() <{values = dense<1.0e-05> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %4 = tosa.reduce_sum %1 {axis = 2 : i32} : (tensor<2x6x20xf32>) -> tensor<2x6x1xf32>
  %5 = tosa.mul %4, %2, %s : (tensor<2x6x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x6x1xf32>
  %6 = tosa.sub %1, %5 : (tensor<2x6x20xf32>, tensor<2x6x1xf32>) -> tensor<2x6x20xf32>
  %7 = tosa.mul %6, %6, %s : (tensor<2x6x20xf32>, tensor<2x6x20xf32>, tensor<1xi8>) -> tensor<2x6x20xf32>
  %8 = tosa.reduce_sum %7 {axis = 2 : i32} : (tensor<2x6x20xf32>) -> tensor<2x6x1xf32>
  %9 = tosa.mul %8, %2, %s : (tensor<2x6x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x6x1xf32>
  %10 = tosa.add %9, %3 : (tensor<2x6x1xf32>, tensor<1x1x1xf32>) -> tensor<2x6x1xf32>
  %11 = tosa.rsqrt %10 : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %12 = tosa.mul %6, %11, %s : (tensor<2x6x20xf32>, tensor<2x6x1xf32>, tensor<1xi8>) -> tensor<2x6x20xf32>
  %13 = tosa.const_shape {values = dense<[2, 6, 4, 5]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %14 = tosa.reshape %12, %13 : (tensor<2x6x20xf32>, !tosa.shape<4>) -> tensor<2x6x4x5xf32>
  %15 = tosa.const_shape {values = dense<[1, 6, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %16 = tosa.reshape %w, %15 : (tensor<6xf32>, !tosa.shape<4>) -> tensor<1x6x1x1xf32>
  %17 = tosa.mul %14, %16, %s : (tensor<2x6x4x5xf32>, tensor<1x6x1x1xf32>, tensor<1xi8>) -> tensor<2x6x4x5xf32>
  %18 = tosa.const_shape {values = dense<[1, 6, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %19 = tosa.reshape %b, %18 : (tensor<6xf32>, !tosa.shape<4>) -> tensor<1x6x1x1xf32>
  %20 = tosa.add %17, %19 : (tensor<2x6x4x5xf32>, tensor<1x6x1x1xf32>) -> tensor<2x6x4x5xf32>
  return %20 : tensor<2x6x4x5xf32>
}

// CHECK-LABEL: func.func @group_norm(
// CHECK: qbackend.operator [#qbackend.group_norm<axis = 1, num_groups = 3, eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @group_norm(%x: tensor<2x6x4x5xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x4x5xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.const_shape {values = dense<[2, 3, 40]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %1 = tosa.reshape %x, %0 : (tensor<2x6x4x5xf32>, !tosa.shape<3>) -> tensor<2x3x40xf32>
  %2 = "tosa.const"() <{values = dense<0.025> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %3 = "tosa.const"() <{values = dense<1.0e-05> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %4 = tosa.reduce_sum %1 {axis = 2 : i32} : (tensor<2x3x40xf32>) -> tensor<2x3x1xf32>
  %5 = tosa.mul %4, %2, %s : (tensor<2x3x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x3x1xf32>
  %6 = tosa.sub %1, %5 : (tensor<2x3x40xf32>, tensor<2x3x1xf32>) -> tensor<2x3x40xf32>
  %7 = tosa.mul %6, %6, %s : (tensor<2x3x40xf32>, tensor<2x3x40xf32>, tensor<1xi8>) -> tensor<2x3x40xf32>
  %8 = tosa.reduce_sum %7 {axis = 2 : i32} : (tensor<2x3x40xf32>) -> tensor<2x3x1xf32>
  %9 = tosa.mul %8, %2, %s : (tensor<2x3x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x3x1xf32>
  %10 = tosa.add %9, %3 : (tensor<2x3x1xf32>, tensor<1x1x1xf32>) -> tensor<2x3x1xf32>
  %11 = tosa.rsqrt %10 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %12 = tosa.mul %6, %11, %s : (tensor<2x3x40xf32>, tensor<2x3x1xf32>, tensor<1xi8>) -> tensor<2x3x40xf32>
  %13 = tosa.const_shape {values = dense<[2, 6, 4, 5]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %14 = tosa.reshape %12, %13 : (tensor<2x3x40xf32>, !tosa.shape<4>) -> tensor<2x6x4x5xf32>
  %15 = tosa.const_shape {values = dense<[1, 6, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %16 = tosa.reshape %w, %15 : (tensor<6xf32>, !tosa.shape<4>) -> tensor<1x6x1x1xf32>
  %17 = tosa.mul %14, %16, %s : (tensor<2x6x4x5xf32>, tensor<1x6x1x1xf32>, tensor<1xi8>) -> tensor<2x6x4x5xf32>
  %18 = tosa.const_shape {values = dense<[1, 6, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %19 = tosa.reshape %b, %18 : (tensor<6xf32>, !tosa.shape<4>) -> tensor<1x6x1x1xf32>
  %20 = tosa.add %17, %19 : (tensor<2x6x4x5xf32>, tensor<1x6x1x1xf32>) -> tensor<2x6x4x5xf32>
  return %20 : tensor<2x6x4x5xf32>
}

// CHECK-LABEL: func.func @group_norm_channels_last(
// CHECK: qbackend.operator [#qbackend.group_norm<axis = 3, num_groups = 3, {{.*}}>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @group_norm_channels_last(%x: tensor<2x4x5x6xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x4x5x6xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.const_shape {values = dense<[2, 4, 5, 3, 2]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %1 = tosa.reshape %x, %0 : (tensor<2x4x5x6xf32>, !tosa.shape<5>) -> tensor<2x4x5x3x2xf32>
  %2 = "tosa.const"() <{values = dense<0.025> : tensor<1x1x1x1x1xf32>}> : () -> tensor<1x1x1x1x1xf32>
  %3 = "tosa.const"() <{values = dense<1.0e-03> : tensor<1x1x1x1x1xf32>}> : () -> tensor<1x1x1x1x1xf32>
  %4 = tosa.reduce_sum %1 {axis = 1 : i32} : (tensor<2x4x5x3x2xf32>) -> tensor<2x1x5x3x2xf32>
  %5 = tosa.reduce_sum %4 {axis = 2 : i32} : (tensor<2x1x5x3x2xf32>) -> tensor<2x1x1x3x2xf32>
  %6 = tosa.reduce_sum %5 {axis = 4 : i32} : (tensor<2x1x1x3x2xf32>) -> tensor<2x1x1x3x1xf32>
  %7 = tosa.mul %6, %2, %s : (tensor<2x1x1x3x1xf32>, tensor<1x1x1x1x1xf32>, tensor<1xi8>) -> tensor<2x1x1x3x1xf32>
  %8 = tosa.sub %1, %7 : (tensor<2x4x5x3x2xf32>, tensor<2x1x1x3x1xf32>) -> tensor<2x4x5x3x2xf32>
  %9 = tosa.mul %8, %8, %s : (tensor<2x4x5x3x2xf32>, tensor<2x4x5x3x2xf32>, tensor<1xi8>) -> tensor<2x4x5x3x2xf32>
  %10 = tosa.reduce_sum %9 {axis = 1 : i32} : (tensor<2x4x5x3x2xf32>) -> tensor<2x1x5x3x2xf32>
  %11 = tosa.reduce_sum %10 {axis = 2 : i32} : (tensor<2x1x5x3x2xf32>) -> tensor<2x1x1x3x2xf32>
  %12 = tosa.reduce_sum %11 {axis = 4 : i32} : (tensor<2x1x1x3x2xf32>) -> tensor<2x1x1x3x1xf32>
  %13 = tosa.mul %12, %2, %s : (tensor<2x1x1x3x1xf32>, tensor<1x1x1x1x1xf32>, tensor<1xi8>) -> tensor<2x1x1x3x1xf32>
  %14 = tosa.add %13, %3 : (tensor<2x1x1x3x1xf32>, tensor<1x1x1x1x1xf32>) -> tensor<2x1x1x3x1xf32>
  %15 = tosa.rsqrt %14 : (tensor<2x1x1x3x1xf32>) -> tensor<2x1x1x3x1xf32>
  %16 = tosa.mul %8, %15, %s : (tensor<2x4x5x3x2xf32>, tensor<2x1x1x3x1xf32>, tensor<1xi8>) -> tensor<2x4x5x3x2xf32>
  %17 = tosa.const_shape {values = dense<[2, 4, 5, 6]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %18 = tosa.reshape %16, %17 : (tensor<2x4x5x3x2xf32>, !tosa.shape<4>) -> tensor<2x4x5x6xf32>
  %19 = tosa.const_shape {values = dense<[1, 1, 1, 6]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %20 = tosa.reshape %w, %19 : (tensor<6xf32>, !tosa.shape<4>) -> tensor<1x1x1x6xf32>
  %21 = tosa.mul %18, %20, %s : (tensor<2x4x5x6xf32>, tensor<1x1x1x6xf32>, tensor<1xi8>) -> tensor<2x4x5x6xf32>
  %22 = tosa.const_shape {values = dense<[1, 1, 1, 6]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %23 = tosa.reshape %b, %22 : (tensor<6xf32>, !tosa.shape<4>) -> tensor<1x1x1x6xf32>
  %24 = tosa.add %21, %23 : (tensor<2x4x5x6xf32>, tensor<1x1x1x6xf32>) -> tensor<2x4x5x6xf32>
  return %24 : tensor<2x4x5x6xf32>
}

// CHECK-LABEL: func.func @rms_norm(
// CHECK: qbackend.operator [#qbackend.rms_norm<axes = [2], eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1)
// CHECK-NOT: qbackend.operator
func.func @rms_norm(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>) -> tensor<2x5x12xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = "tosa.const"() <{values = dense<2.0> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %1 = tosa.pow %x, %0 : (tensor<2x5x12xf32>, tensor<1x1x1xf32>) -> tensor<2x5x12xf32>
  %2 = tosa.reduce_sum %1 {axis = 2 : i32} : (tensor<2x5x12xf32>) -> tensor<2x5x1xf32>
  %3 = "tosa.const"() <{values = dense<0.08333333333333333> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %4 = tosa.mul %2, %3, %s : (tensor<2x5x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x5x1xf32>
  %5 = "tosa.const"() <{values = dense<1.0e-06> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %6 = tosa.add %4, %5 : (tensor<2x5x1xf32>, tensor<1x1x1xf32>) -> tensor<2x5x1xf32>
  %7 = tosa.rsqrt %6 : (tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %8 = tosa.mul %x, %7, %s : (tensor<2x5x12xf32>, tensor<2x5x1xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %9 = tosa.const_shape {values = dense<[1, 1, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %10 = tosa.reshape %w, %9 : (tensor<12xf32>, !tosa.shape<3>) -> tensor<1x1x12xf32>
  %11 = tosa.mul %8, %10, %s : (tensor<2x5x12xf32>, tensor<1x1x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  return %11 : tensor<2x5x12xf32>
}

// Not by the number of elements.
// CHECK-LABEL: func.func @unbiased_variance(
// CHECK-NOT: layer_norm
func.func @unbiased_variance(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>, %b: tensor<12xf32>) -> tensor<2x5x12xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = "tosa.const"() <{values = dense<0.09090909090909091> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %1 = "tosa.const"() <{values = dense<1.0e-05> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %2 = tosa.reduce_sum %x {axis = 2 : i32} : (tensor<2x5x12xf32>) -> tensor<2x5x1xf32>
  %3 = tosa.mul %2, %0, %s : (tensor<2x5x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x5x1xf32>
  %4 = tosa.sub %x, %3 : (tensor<2x5x12xf32>, tensor<2x5x1xf32>) -> tensor<2x5x12xf32>
  %5 = tosa.mul %4, %4, %s : (tensor<2x5x12xf32>, tensor<2x5x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %6 = tosa.reduce_sum %5 {axis = 2 : i32} : (tensor<2x5x12xf32>) -> tensor<2x5x1xf32>
  %7 = tosa.mul %6, %0, %s : (tensor<2x5x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x5x1xf32>
  %8 = tosa.add %7, %1 : (tensor<2x5x1xf32>, tensor<1x1x1xf32>) -> tensor<2x5x1xf32>
  %9 = tosa.rsqrt %8 : (tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %10 = tosa.mul %4, %9, %s : (tensor<2x5x12xf32>, tensor<2x5x1xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %11 = tosa.const_shape {values = dense<[1, 1, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %12 = tosa.reshape %w, %11 : (tensor<12xf32>, !tosa.shape<3>) -> tensor<1x1x12xf32>
  %13 = tosa.mul %10, %12, %s : (tensor<2x5x12xf32>, tensor<1x1x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %14 = tosa.const_shape {values = dense<[1, 1, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %15 = tosa.reshape %b, %14 : (tensor<12xf32>, !tosa.shape<3>) -> tensor<1x1x12xf32>
  %16 = tosa.add %13, %15 : (tensor<2x5x12xf32>, tensor<1x1x12xf32>) -> tensor<2x5x12xf32>
  return %16 : tensor<2x5x12xf32>
}

// A vector of length 1.
// CHECK-LABEL: func.func @unit_length(
// CHECK-NOT: rms_norm
func.func @unit_length(%x: tensor<2x5x12xf32>) -> tensor<2x5x12xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = "tosa.const"() <{values = dense<2.0> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %1 = tosa.pow %x, %0 : (tensor<2x5x12xf32>, tensor<1x1x1xf32>) -> tensor<2x5x12xf32>
  %2 = tosa.reduce_sum %1 {axis = 2 : i32} : (tensor<2x5x12xf32>) -> tensor<2x5x1xf32>
  %3 = "tosa.const"() <{values = dense<1.0e-06> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %4 = tosa.add %2, %3 : (tensor<2x5x1xf32>, tensor<1x1x1xf32>) -> tensor<2x5x1xf32>
  %5 = tosa.rsqrt %4 : (tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %6 = tosa.mul %x, %5, %s : (tensor<2x5x12xf32>, tensor<2x5x1xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  return %6 : tensor<2x5x12xf32>
}

// CHECK-LABEL: func.func @negative_eps(
// CHECK-NOT: layer_norm
func.func @negative_eps(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>, %b: tensor<12xf32>) -> tensor<2x5x12xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = "tosa.const"() <{values = dense<0.08333333333333333> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %1 = "tosa.const"() <{values = dense<-1.0e-05> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %2 = tosa.reduce_sum %x {axis = 2 : i32} : (tensor<2x5x12xf32>) -> tensor<2x5x1xf32>
  %3 = tosa.mul %2, %0, %s : (tensor<2x5x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x5x1xf32>
  %4 = tosa.sub %x, %3 : (tensor<2x5x12xf32>, tensor<2x5x1xf32>) -> tensor<2x5x12xf32>
  %5 = tosa.mul %4, %4, %s : (tensor<2x5x12xf32>, tensor<2x5x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %6 = tosa.reduce_sum %5 {axis = 2 : i32} : (tensor<2x5x12xf32>) -> tensor<2x5x1xf32>
  %7 = tosa.mul %6, %0, %s : (tensor<2x5x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x5x1xf32>
  %8 = tosa.add %7, %1 : (tensor<2x5x1xf32>, tensor<1x1x1xf32>) -> tensor<2x5x1xf32>
  %9 = tosa.rsqrt %8 : (tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %10 = tosa.mul %4, %9, %s : (tensor<2x5x12xf32>, tensor<2x5x1xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %11 = tosa.const_shape {values = dense<[1, 1, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %12 = tosa.reshape %w, %11 : (tensor<12xf32>, !tosa.shape<3>) -> tensor<1x1x12xf32>
  %13 = tosa.mul %10, %12, %s : (tensor<2x5x12xf32>, tensor<1x1x12xf32>, tensor<1xi8>) -> tensor<2x5x12xf32>
  %14 = tosa.const_shape {values = dense<[1, 1, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %15 = tosa.reshape %b, %14 : (tensor<12xf32>, !tosa.shape<3>) -> tensor<1x1x12xf32>
  %16 = tosa.add %13, %15 : (tensor<2x5x12xf32>, tensor<1x1x12xf32>) -> tensor<2x5x12xf32>
  return %16 : tensor<2x5x12xf32>
}
