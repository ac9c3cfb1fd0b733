// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s
// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s --check-prefix=PLAIN

// PLAIN-NOT: qnnpack.
// PLAIN-NOT: quant.
// PLAIN-NOT: unrealized_conversion_cast

!u8 = !quant.uniform<u8:f32, 0.5:3>
!i8 = !quant.uniform<i8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 1.0:7>

// Sums of integers; the root in double; one rounding for the last product and
// sum.
// CHECK-LABEL: @layer_norm
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: arith.addi %{{[^ ]*}}, %{{[^ ]*}} : i32
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: arith.muli
// CHECK: arith.addi %{{[^ ]*}}, %{{[^ ]*}} : i32
// CHECK: arith.divf
// CHECK: arith.subf
// CHECK: math.fma %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : f32
// CHECK: arith.maximumf
// CHECK: math.sqrt %{{[^ ]*}} : f64
// CHECK: arith.divf %{{[^ ]*}}, %{{[^ ]*}} : f64
// CHECK: arith.truncf
// CHECK: linalg.generic
// CHECK: arith.subf
// CHECK: %[[SCALED:.*]] = arith.mulf
// CHECK: math.fma %[[SCALED]]
// CHECK: math.roundeven
func.func @layer_norm(%x: tensor<?x16x!u8>, %w: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<?x16x!y8> {
  %0 = qnnpack.layer_norm %x, %w, %b {normalized_shape = array<i64: 16>, eps = 1.0e-5 : f64}
    : tensor<?x16x!u8>, tensor<16xf32>, tensor<16xf32> -> tensor<?x16x!y8>
  return %0 : tensor<?x16x!y8>
}

// 300 * 200 squares of 255 exceed 31 bits.
// CHECK-LABEL: @wide_sums
// CHECK-SAME: -> tensor<300x200xi8>
// CHECK: linalg.fill {{.*}} -> tensor<i64>
// CHECK: arith.muli %{{[^ ]*}}, %{{[^ ]*}} : i32
// CHECK: arith.extsi %{{[^ ]*}} : i32 to i64
func.func @wide_sums(%x: tensor<300x200x!i8>) -> tensor<300x200x!i8> {
  %0 = qnnpack.layer_norm %x {normalized_shape = array<i64: 300, 200>, eps = 1.0e-5 : f64}
    : tensor<300x200x!i8> -> tensor<300x200x!i8>
  return %0 : tensor<300x200x!i8>
}

// CHECK-LABEL: @group_norm
// CHECK: tensor.expand_shape {{.*}} : tensor<?x4x4x6xi8> into tensor<?x4x4x2x3xi8>
// CHECK: linalg.generic {{.*}}["parallel", "reduction", "reduction", "parallel", "reduction"]
// CHECK: tensor.collapse_shape
func.func @group_norm(%x: tensor<?x4x4x6x!u8>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<?x4x4x6x!y8> {
  %0 = qnnpack.group_norm %x, %w, %b {num_groups = 2 : i64, eps = 1.0e-5 : f64}
    : tensor<?x4x4x6x!u8>, tensor<6xf32>, tensor<6xf32> -> tensor<?x4x4x6x!y8>
  return %0 : tensor<?x4x4x6x!y8>
}

// Two fused products where the contiguous formula has a difference and one.
// CHECK-LABEL: @channels_last
// CHECK: math.sqrt
// CHECK: linalg.generic
// CHECK: %[[G:.*]] = arith.mulf
// CHECK: %[[N:.*]] = arith.negf %[[G]]
// CHECK: %[[H:.*]] = math.fma %[[N]]
// CHECK-NOT: arith.subf
// CHECK: math.fma %{{.*}}, %[[G]], %[[H]]
func.func @channels_last(%x: tensor<?x4x4x6x!u8>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<?x4x4x6x!y8> {
  %0 = qnnpack.instance_norm %x, %w, %b {eps = 1.0e-5 : f64, channels_last}
    : tensor<?x4x4x6x!u8>, tensor<6xf32>, tensor<6xf32> -> tensor<?x4x4x6x!y8>
  return %0 : tensor<?x4x4x6x!y8>
}

// r = 1 / sqrt(3 + 1), slope r * 3 * (0.5 / 1.0), offset (1 - 2 * r * 3) / 1.0.
// CHECK-LABEL: @batch_norm
// CHECK-DAG: arith.constant dense<7.500000e-01> : tensor<2xf32>
// CHECK-DAG: arith.constant dense<-2.000000e+00> : tensor<2xf32>
// CHECK-NOT: math.sqrt
// CHECK: math.fma
// CHECK: math.roundeven
func.func @batch_norm(%x: tensor<?x?x2x!u8>) -> tensor<?x?x2x!y8> {
  %w = arith.constant dense<3.0> : tensor<2xf32>
  %b = arith.constant dense<1.0> : tensor<2xf32>
  %m = arith.constant dense<2.0> : tensor<2xf32>
  %0 = qnnpack.batch_norm %x, %w, %b, %m, %w {eps = 1.0 : f64}
    : tensor<?x?x2x!u8>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<?x?x2x!y8>
  return %0 : tensor<?x?x2x!y8>
}

// Parameters that are no constants: the same in the program.
// CHECK-LABEL: @batch_norm_values
// CHECK: math.sqrt %{{[^ ]*}} : f32
// CHECK: arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : f64
// CHECK: arith.divf %{{[^ ]*}}, %{{[^ ]*}} : f64
func.func @batch_norm_values(%x: tensor<4x2x!u8>, %w: tensor<2xf32>) -> tensor<4x2x!y8> {
  %0 = qnnpack.batch_norm %x, %w, %w, %w, %w {eps = 1.0 : f64, relu}
    : tensor<4x2x!u8>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<4x2x!y8>
  return %0 : tensor<4x2x!y8>
}
