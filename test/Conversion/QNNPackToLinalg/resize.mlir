// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s
// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s --check-prefix=PLAIN

// PLAIN-NOT: qnnpack.
// PLAIN-NOT: quant.
// PLAIN-NOT: unrealized_conversion_cast

!u8 = !quant.uniform<u8:f32, 0.5:3>

// Pixels are copied: no float but in nothing.
// CHECK-LABEL: @nearest
// CHECK-DAG: dense<[0, 0, 1, 1]> : tensor<4xi32>
// CHECK-DAG: dense<[0, 1]> : tensor<2xi32>
// CHECK: tensor.extract
// CHECK-NOT: f32
// CHECK: return
func.func @nearest(%x: tensor<?x2x3x5x!u8>) -> tensor<?x4x2x5x!u8> {
  %0 = qnnpack.upsample_nearest2d %x : tensor<?x2x3x5x!u8> -> tensor<?x4x2x5x!u8>
  return %0 : tensor<?x4x2x5x!u8>
}

// CHECK-LABEL: @same_size
// CHECK-SAME: (%[[X:.*]]: tensor<?x2x3x5xi8>)
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @same_size(%x: tensor<?x2x3x5x!u8>) -> (tensor<?x2x3x5x!u8>, tensor<?x2x3x5x!u8>) {
  %0 = qnnpack.upsample_nearest2d %x {scale_factors = array<f64: 1.1, 1.1>} : tensor<?x2x3x5x!u8> -> tensor<?x2x3x5x!u8>
  %1 = qnnpack.upsample_bilinear2d %x : tensor<?x2x3x5x!u8> -> tensor<?x2x3x5x!u8>
  return %0, %1 : tensor<?x2x3x5x!u8>, tensor<?x2x3x5x!u8>
}

// CHECK-LABEL: @bilinear
// CHECK-DAG: dense<[1.000000e+00, 7.500000e-01, 2.500000e-01, 7.500000e-01]> : tensor<4xf32>
// CHECK-DAG: dense<[0, 0, 0, 1]> : tensor<4xi32>
// CHECK-DAG: dense<1> : tensor<4xi32>
// CHECK-NOT: math.fma
// CHECK: arith.addf
// CHECK: arith.subf
// CHECK: math.roundeven
// CHECK: return
func.func @bilinear(%x: tensor<?x2x2x5x!u8>) -> tensor<?x4x4x5x!u8> {
  %0 = qnnpack.upsample_bilinear2d %x {scale_factors = array<f64: 2.0, 2.0>} : tensor<?x2x2x5x!u8> -> tensor<?x4x4x5x!u8>
  return %0 : tensor<?x4x4x5x!u8>
}

// 12 channels: 8 of the vector code, 4 of the scalar one.
// CHECK-LABEL: @bilinear_channels_last
// CHECK: linalg.index 3
// CHECK: arith.constant 8 : index
// CHECK-COUNT-6: math.fma
// CHECK: arith.select
func.func @bilinear_channels_last(%x: tensor<?x2x2x12x!u8>) -> tensor<?x4x4x12x!u8> {
  %0 = qnnpack.upsample_bilinear2d %x {channels_last} : tensor<?x2x2x12x!u8> -> tensor<?x4x4x12x!u8>
  return %0 : tensor<?x4x4x12x!u8>
}

// CHECK-LABEL: @channel_shuffle
// CHECK: tensor.expand_shape {{.*}} into tensor<?x4x4x3x2xi8>
// CHECK: linalg.transpose {{.*}} permutation = [0, 1, 2, 4, 3]
// CHECK: tensor.collapse_shape {{.*}} into tensor<?x4x4x6xi8>
func.func @channel_shuffle(%x: tensor<?x4x4x6x!u8>) -> tensor<?x4x4x6x!u8> {
  %0 = qnnpack.channel_shuffle %x {groups = 3 : i64} : tensor<?x4x4x6x!u8> -> tensor<?x4x4x6x!u8>
  return %0 : tensor<?x4x4x6x!u8>
}
