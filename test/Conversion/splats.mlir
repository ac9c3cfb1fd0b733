// Weights of 4 TB that are one number everywhere cost what one number costs.
// RUN: qbackend-opt %s --convert-qnnpack-to-tosa | FileCheck %s --check-prefix=TOSA
// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s --check-prefix=LINALG
// RUN: qbackend-opt %s --convert-qnnpack-to-int8 | FileCheck %s --check-prefix=INT8
// RUN: not qbackend-opt %s --qbackend-verify-accumulators 2>&1 | FileCheck %s --check-prefix=SUMS

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25:1>
!y = !quant.uniform<u8:f32, 1.0:10>

// The sum of 2^40 + 3 elements of w' = 2, in 32 bits: 6. The bias is 7 - 3 * 6.
// TOSA-LABEL: func.func @linear
// TOSA-DAG: "tosa.const"() <{values = dense<3> : tensor<4x1x1x1099511627779xi8>}>
// TOSA-DAG: "tosa.const"() <{values = dense<7> : tensor<4xi32>}>
// TOSA: tosa.conv2d
// LINALG-LABEL: func.func @linear
// LINALG-DAG: arith.constant dense<2> : tensor<1099511627779x4xi8>
// LINALG-DAG: arith.constant dense<-11> : tensor<4xi32>
// LINALG: linalg.generic
// INT8-LABEL: func.func @linear
// INT8-DAG: arith.constant dense<2> : tensor<4x1x1x1099511627779xi8>
// INT8-DAG: arith.constant dense<-11> : tensor<4xi32>
// INT8: int8.conv2d
// SUMS: 'qnnpack.linear' op adds up -6597069766667 to 554153860400623, which takes 50 bits
func.func @linear(%x: tensor<1x1099511627779x!x>) -> tensor<1x4x!y> {
  %c = arith.constant dense<3> : tensor<4x1099511627779xi8>
  %w = quant.scast %c : tensor<4x1099511627779xi8> to tensor<4x1099511627779x!w>
  %b = arith.constant dense<7> : tensor<4xi32>
  %y = qnnpack.linear %x, %w, %b : tensor<1x1099511627779x!x>, tensor<4x1099511627779x!w>, tensor<4xi32> -> tensor<1x4x!y>
  return %y : tensor<1x4x!y>
}

// w' = 130 takes 16 bits in linalg, and has no kernel.
// TOSA-LABEL: func.func @wide
// TOSA: tosa.conv2d
// LINALG-LABEL: func.func @wide
// LINALG-DAG: arith.constant dense<130> : tensor<1099511627776x4xi16>
// LINALG-DAG: arith.constant dense<0> : tensor<4xi32>
// INT8-LABEL: func.func @wide
// INT8: qnnpack.linear
!v = !quant.uniform<i8:f32, 0.25:-10>
func.func @wide(%x: tensor<1x1099511627776x!x>) -> tensor<1x4x!y> {
  %c = arith.constant dense<120> : tensor<4x1099511627776xi8>
  %w = quant.scast %c : tensor<4x1099511627776xi8> to tensor<4x1099511627776x!v>
  %y = qnnpack.linear %x, %w : tensor<1x1099511627776x!x>, tensor<4x1099511627776x!v> -> tensor<1x4x!y>
  return %y : tensor<1x4x!y>
}

// Two groups of 2^40 channels, and four of one with 2^38 taps.
// TOSA-LABEL: func.func @groups
// TOSA: "tosa.const"() <{values = dense<-5> : tensor<2x1x1x1099511627776xi8>}>
// TOSA: tosa.conv2d
// TOSA: tosa.conv2d
// TOSA-NOT: tosa.conv2d
// LINALG-LABEL: func.func @groups
// LINALG: arith.constant dense<-6> : tensor<1x1x2x1099511627776x2xi8>
func.func @groups(%x: tensor<1x2x2x2199023255552x!x>) -> tensor<1x2x2x4x!y> {
  %c = arith.constant dense<-5> : tensor<4x1x1x1099511627776xi8>
  %w = quant.scast %c : tensor<4x1x1x1099511627776xi8> to tensor<4x1x1x1099511627776x!w>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64}
    : tensor<1x2x2x2199023255552x!x>, tensor<4x1x1x1099511627776x!w> -> tensor<1x2x2x4x!y>
  return %y : tensor<1x2x2x4x!y>
}

// TOSA-LABEL: func.func @depthwise
// TOSA: "tosa.const"() <{values = dense<5> : tensor<524288x2097152x4x1xi8>}>
// TOSA: tosa.depthwise_conv2d
// LINALG-LABEL: func.func @depthwise
// LINALG: arith.constant dense<4> : tensor<524288x2097152x4x1x1xi8>
// INT8-LABEL: func.func @depthwise
// INT8: arith.constant dense<4> : tensor<4x524288x2097152x1xi8>
func.func @depthwise(%x: tensor<1x524288x2097152x4x!x>) -> tensor<1x1x1x4x!y> {
  %c = arith.constant dense<5> : tensor<4x524288x2097152x1xi8>
  %w = quant.scast %c : tensor<4x524288x2097152x1xi8> to tensor<4x524288x2097152x1x!w>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 4 : i64}
    : tensor<1x524288x2097152x4x!x>, tensor<4x524288x2097152x1x!w> -> tensor<1x1x1x4x!y>
  return %y : tensor<1x1x1x4x!y>
}

// Other numbers in each channel would have to be written out.
// TOSA-LABEL: func.func @per_channel_of_terabytes
// TOSA: qnnpack.linear
// LINALG-LABEL: func.func @per_channel_of_terabytes
// LINALG: arith.constant dense<3> : tensor<2x1099511627776xi8>
// LINALG: arith.subi
// INT8-LABEL: func.func @per_channel_of_terabytes
// INT8: qnnpack.linear
!c = !quant.uniform<i8:f32:0, {0.25:1,0.5:-2}>
func.func @per_channel_of_terabytes(%x: tensor<1x1099511627776x!x>) -> tensor<1x2x!y> {
  %c = arith.constant dense<3> : tensor<2x1099511627776xi8>
  %w = quant.scast %c : tensor<2x1099511627776xi8> to tensor<2x1099511627776x!c>
  %y = qnnpack.linear %x, %w : tensor<1x1099511627776x!x>, tensor<2x1099511627776x!c> -> tensor<1x2x!y>
  return %y : tensor<1x2x!y>
}

// What subtracts a zero point of each channel is not a splat, and the same as
// if it were written out.
// TOSA-LABEL: func.func @per_channel
// TOSA: dense<{{\[\[\[\[}}2, 2{{\]\]\]}}, {{\[\[\[}}5, 5{{\]\]\]\]}}> : tensor<2x1x1x2xi8>
// LINALG-LABEL: func.func @per_channel
// LINALG-DAG: dense<{{\[\[}}2, 5], [2, 5{{\]\]}}> : tensor<2x2xi8>
// LINALG-DAG: dense<[-12, -30]> : tensor<2xi32>
// INT8-LABEL: func.func @per_channel
// INT8-DAG: dense<{{\[\[\[\[}}2, 2{{\]\]\]}}, {{\[\[\[}}5, 5{{\]\]\]\]}}> : tensor<2x1x1x2xi8>
// INT8-DAG: dense<[-12, -30]> : tensor<2xi32>
func.func @per_channel(%x: tensor<1x2x!x>) -> tensor<1x2x!y> {
  %c = arith.constant dense<3> : tensor<2x2xi8>
  %w = quant.scast %c : tensor<2x2xi8> to tensor<2x2x!c>
  %y = qnnpack.linear %x, %w : tensor<1x2x!x>, tensor<2x2x!c> -> tensor<1x2x!y>
  return %y : tensor<1x2x!y>
}
