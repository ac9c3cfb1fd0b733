// RUN: qbackend-opt %s --qbackend-lower-tosa | FileCheck %s

// What is in a branch is lowered, too.
// CHECK-LABEL: func.func @branch
// CHECK: scf.if
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-NOT: tosa
func.func @branch(%condition: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tosa.cond_if %condition (%a = %x) : tensor<i1> (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%b: tensor<4xf32>):
    %sum = tosa.add %b, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tosa.yield %sum : tensor<4xf32>
  } else {
  ^bb0(%b: tensor<4xf32>):
    %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %square = tosa.mul %b, %b, %shift : (tensor<4xf32>, tensor<4xf32>, tensor<1xi8>) -> tensor<4xf32>
    tosa.yield %square : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// Pixels of 16 bits are moved apart before upstream's passes see them.
// CHECK-LABEL: func.func @transposed_16_bits
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<?x3x2x2xi16>
// CHECK: %[[SPREAD:.*]] = tensor.insert_slice %{{.*}} into %[[ZEROS]][0, 0, 0, 0] [%{{.*}}, 2, 2, 2] [1, 2, 1, 1] : tensor<?x2x2x2xi16> into tensor<?x3x2x2xi16>
// CHECK: tensor.pad %[[SPREAD]]
// CHECK: linalg.conv_2d
// CHECK-NOT: tosa
func.func @transposed_16_bits(%x: tensor<?x2x2x2xi16>) -> tensor<?x5x3x1xi48> {
  %w = "tosa.const"() <{values = dense<3> : tensor<1x3x2x2xi8>}> : () -> tensor<1x3x2x2xi8>
  %b = "tosa.const"() <{values = dense<5> : tensor<1xi48>}> : () -> tensor<1xi48>
  %xz = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %wz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.transpose_conv2d %x, %w, %b, %xz, %wz {acc_type = i48, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 1>} : (tensor<?x2x2x2xi16>, tensor<1x3x2x2xi8>, tensor<1xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<?x5x3x1xi48>
  return %y : tensor<?x5x3x1xi48>
}
