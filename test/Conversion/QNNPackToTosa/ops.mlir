// RUN: qbackend-opt %s --convert-qnnpack-to-tosa | FileCheck %s
// RUN: qbackend-opt %s --convert-qnnpack-to-tosa | mlir-opt --tosa-attach-target=profiles=pro_int --tosa-validate=strict-op-spec-alignment -o %t

!x8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.25:7>
!s8 = !quant.uniform<i8:f32, 0.5>
!i8 = !quant.uniform<i8:f32, 0.5:-5>
!p8 = !quant.uniform<u8:f32, 0.00390625>

// The bytes of an unsigned type are moved by 128 on the way in and out; m = 1.
// CHECK-LABEL: func.func @relu_unsigned
// CHECK-SAME: (%[[X:.*]]: tensor<4x!quant.uniform<u8:f32, 5.000000e-01:3>>)
// CHECK-DAG: %[[BYTES:.*]] = quant.scast %[[X]] : tensor<4x!quant.uniform<u8:f32, 5.000000e-01:3>> to tensor<4xi8>
// CHECK-DAG: %[[ONE:.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}>
// CHECK-DAG: %[[SHIFT:.*]] = "tosa.const"() <{values = dense<30> : tensor<1xi8>}>
// CHECK-DAG: %[[OFFSET:.*]] = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}>
// CHECK-DAG: %[[ZERO:.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}>
// CHECK-DAG: %[[IN:.*]] = tosa.rescale %[[BYTES]], %[[ONE]], %[[SHIFT]], %[[OFFSET]], %[[ZERO]] {input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true}
// 3 - 128
// CHECK-DAG: %[[RELU:.*]] = tosa.clamp %[[IN]] {max_val = 127 : i8, min_val = -125 : i8}
// CHECK-DAG: %[[OUT:.*]] = tosa.rescale %[[RELU]], %[[ONE]], %[[SHIFT]], %[[ZERO]], %[[OFFSET]] {input_unsigned = false, output_unsigned = true,
// CHECK-DAG: quant.scast %[[OUT]]
func.func @relu_unsigned(%x: tensor<4x!x8>) -> tensor<4x!x8> {
  %0 = qnnpack.relu %x : tensor<4x!x8> -> tensor<4x!x8>
  return %0 : tensor<4x!x8>
}

// CHECK-LABEL: func.func @relu_signed
// CHECK-NOT: tosa.rescale
// CHECK: tosa.clamp {{.*}} {max_val = 127 : i8, min_val = -5 : i8}
// CHECK-NOT: tosa.rescale
func.func @relu_signed(%x: tensor<4x!i8>) -> tensor<4x!i8> {
  %0 = qnnpack.relu %x : tensor<4x!i8> -> tensor<4x!i8>
  return %0 : tensor<4x!i8>
}

// Q(0) = 3 and Q(6) = 15, less 128.
// CHECK-LABEL: func.func @clamp
// CHECK: tosa.clamp {{.*}} {max_val = -113 : i8, min_val = -125 : i8}
func.func @clamp(%x: tensor<4x!x8>) -> tensor<4x!x8> {
  %0 = qnnpack.clamp %x {min = 0.0 : f32, max = 6.0 : f32} : tensor<4x!x8> -> tensor<4x!x8>
  return %0 : tensor<4x!x8>
}

// m = 0.5 * 0.5 / 0.25 = 1 = 2^30 / 2^30. The 5 rows are cut to the 4 that
// windows read, and the padding on the right to what they need.
// CHECK-LABEL: func.func @conv2d
// CHECK-DAG: %[[ZX:.*]] = "tosa.const"() <{values = dense<-125> : tensor<1xi8>}>
// CHECK-DAG: %[[ZY:.*]] = "tosa.const"() <{values = dense<-121> : tensor<1xi8>}>
// CHECK-DAG: %[[ZW:.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}>
// CHECK-DAG: %[[BIAS:.*]] = "tosa.const"() <{values = dense<[9, -9, 0]> : tensor<3xi32>}>
// CHECK-DAG: %[[W:.*]] = "tosa.const"() <{values = dense<2> : tensor<3x2x2x2xi8>}>
// CHECK-DAG: %[[CUT:.*]] = tosa.slice {{.*}} -> tensor<1x4x5x2xi8>
// CHECK-DAG: %[[SUM:.*]] = tosa.conv2d %[[CUT]], %[[W]], %[[BIAS]], %[[ZX]], %[[ZW]] {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 1, 0>, stride = array<i64: 2, 2>} : {{.*}} -> tensor<1x2x3x3xi32>
// CHECK-DAG: tosa.rescale %[[SUM]], %{{.*}}, %{{.*}}, %{{.*}}, %[[ZY]] {{{.*}}per_channel = false
// CHECK-DAG: tosa.clamp {{.*}} {max_val = 127 : i8, min_val = -121 : i8}
func.func @conv2d(%x: tensor<1x5x5x2x!x8>) -> tensor<1x2x3x3x!y8> {
  %c = arith.constant dense<2> : tensor<3x2x2x2xi8>
  %w = quant.scast %c : tensor<3x2x2x2xi8> to tensor<3x2x2x2x!s8>
  %b = arith.constant dense<[9, -9, 0]> : tensor<3xi32>
  %0 = qnnpack.conv2d %x, %w, %b {stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, relu} : tensor<1x5x5x2x!x8>, tensor<3x2x2x2x!s8>, tensor<3xi32> -> tensor<1x2x3x3x!y8>
  return %0 : tensor<1x2x3x3x!y8>
}

// Scales per channel: m = [1/4, 2] = [2^30 / 2^32, 2^30 / 2^29]. Two zero points
// of the weight: they are subtracted from it, 2 - [0, 1].
// CHECK-LABEL: func.func @conv2d_per_channel
// CHECK-DAG: "tosa.const"() <{values = dense<{{\[\[\[\[}}2]]], {{\[\[\[}}1]]]]> : tensor<2x1x1x1xi8>}>
// CHECK-DAG: %[[M:.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<2xi32>}>
// CHECK-DAG: %[[SHIFT:.*]] = "tosa.const"() <{values = dense<[32, 29]> : tensor<2xi8>}>
// CHECK-DAG: tosa.rescale {{.*}}, %[[M]], %[[SHIFT]], {{.*}}per_channel = true
func.func @conv2d_per_channel(%x: tensor<1x2x2x1x!x8>) -> tensor<1x2x2x2x!y8> {
  %c = arith.constant dense<2> : tensor<2x1x1x1xi8>
  %w = quant.scast %c : tensor<2x1x1x1xi8> to tensor<2x1x1x1x!quant.uniform<i8:f32:0, {0.125, 1.0:1}>>
  %0 = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x2x2x1x!x8>, tensor<2x1x1x1x!quant.uniform<i8:f32:0, {0.125, 1.0:1}>> -> tensor<1x2x2x2x!y8>
  return %0 : tensor<1x2x2x2x!y8>
}

// -100 - 100 is no byte: two convolutions, with -128 and with -72.
// CHECK-LABEL: func.func @conv2d_wide_zero_points
// CHECK: %[[A:.*]] = "tosa.const"() <{values = dense<{{.*}}-128{{.*}}> : tensor<2x1x1x1xi8>}>
// CHECK: tosa.conv2d %{{.*}}, %[[A]],
// CHECK: %[[B:.*]] = "tosa.const"() <{values = dense<{{.*}}-72{{.*}}> : tensor<2x1x1x1xi8>}>
// CHECK: tosa.conv2d %{{.*}}, %[[B]],
// CHECK: tosa.add
func.func @conv2d_wide_zero_points(%x: tensor<1x2x2x1x!x8>) -> tensor<1x2x2x2x!y8> {
  %c = arith.constant dense<-100> : tensor<2x1x1x1xi8>
  %w = quant.scast %c : tensor<2x1x1x1xi8> to tensor<2x1x1x1x!quant.uniform<i8:f32:0, {0.125:100, 1.0:1}>>
  %0 = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x2x2x1x!x8>, tensor<2x1x1x1x!quant.uniform<i8:f32:0, {0.125:100, 1.0:1}>> -> tensor<1x2x2x2x!y8>
  return %0 : tensor<1x2x2x2x!y8>
}

// [out, height, width, 1] -> [height, width, in, out / in]
// CHECK-LABEL: func.func @depthwise
// CHECK-DAG: %[[W:.*]] = "tosa.const"() <{values = dense<{{\[\[\[\[}}1, 3], [5, 7]], {{\[\[}}2, 4], [6, 8]]]]> : tensor<1x2x2x2xi8>}>
// CHECK-DAG: tosa.depthwise_conv2d %{{.*}}, %[[W]],
func.func @depthwise(%x: tensor<1x2x2x2x!x8>) -> tensor<1x2x1x4x!y8> {
  %c = arith.constant dense<[[[[1], [2]]], [[[3], [4]]], [[[5], [6]]], [[[7], [8]]]]> : tensor<4x1x2x1xi8>
  %w = quant.scast %c : tensor<4x1x2x1xi8> to tensor<4x1x2x1x!s8>
  %0 = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64} : tensor<1x2x2x2x!x8>, tensor<4x1x2x1x!s8> -> tensor<1x2x1x4x!y8>
  return %0 : tensor<1x2x1x4x!y8>
}

// CHECK-LABEL: func.func @groups
// CHECK-COUNT-2: tosa.conv2d {{.*}}tensor<3x1x1x2xi8>
// CHECK: tosa.concat {{.*}} {axis = 3 : i32} : {{.*}} -> tensor<1x2x2x6xi32>
func.func @groups(%x: tensor<1x2x2x4x!x8>) -> tensor<1x2x2x6x!y8> {
  %c = arith.constant dense<1> : tensor<6x1x1x2xi8>
  %w = quant.scast %c : tensor<6x1x1x2xi8> to tensor<6x1x1x2x!s8>
  %0 = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64} : tensor<1x2x2x4x!x8>, tensor<6x1x1x2x!s8> -> tensor<1x2x2x6x!y8>
  return %0 : tensor<1x2x2x6x!y8>
}

// Weights that are not known: the layout is changed by ops.
// CHECK-LABEL: func.func @weight_at_run_time
// CHECK: tosa.transpose {{.*}} {perms = array<i32: 2, 3, 0, 1>}
// CHECK: tosa.depthwise_conv2d
func.func @weight_at_run_time(%x: tensor<1x4x4x2x!x8>, %w: tensor<2x3x3x1x!s8>, %b: tensor<2xi32>) -> tensor<1x2x2x2x!y8> {
  %0 = qnnpack.conv2d %x, %w, %b {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64} : tensor<1x4x4x2x!x8>, tensor<2x3x3x1x!s8>, tensor<2xi32> -> tensor<1x2x2x2x!y8>
  return %0 : tensor<1x2x2x2x!y8>
}

// CHECK-LABEL: func.func @linear
// CHECK: tosa.reshape {{.*}} -> tensor<6x1x1x4xi8>
// CHECK: tosa.conv2d {{.*}} -> tensor<6x1x1x5xi32>
// CHECK: tosa.reshape {{.*}} -> tensor<2x3x5xi8>
func.func @linear(%x: tensor<2x3x4x!x8>) -> tensor<2x3x5x!y8> {
  %c = arith.constant dense<1> : tensor<5x4xi8>
  %w = quant.scast %c : tensor<5x4xi8> to tensor<5x4x!s8>
  %0 = qnnpack.linear %x, %w : tensor<2x3x4x!x8>, tensor<5x4x!s8> -> tensor<2x3x5x!y8>
  return %0 : tensor<2x3x5x!y8>
}

// A multiplier of 2^30: TOSA leaves products undefined that don't fit, so sums
// are limited to 1 in magnitude, which saturates as well.
// CHECK-LABEL: func.func @large_multiplier
// CHECK: tosa.minimum
// CHECK: tosa.maximum
// CHECK: tosa.rescale
func.func @large_multiplier(%x: tensor<1x4x!quant.uniform<u8:f32, 1048576.0>>) -> tensor<1x2x!quant.uniform<u8:f32, 0.0009765625>> {
  %c = arith.constant dense<1> : tensor<2x4xi8>
  %w = quant.scast %c : tensor<2x4xi8> to tensor<2x4x!quant.uniform<i8:f32, 1.0>>
  %0 = qnnpack.linear %x, %w : tensor<1x4x!quant.uniform<u8:f32, 1048576.0>>, tensor<2x4x!quant.uniform<i8:f32, 1.0>> -> tensor<1x2x!quant.uniform<u8:f32, 0.0009765625>>
  return %0 : tensor<1x2x!quant.uniform<u8:f32, 0.0009765625>>
}

// Ratios 2 and 1, shift = 21 - 1: the multipliers are 2^21 and 2^20, in units of
// 2^-9. Ties go away from zero, with the sign of the sum.
// CHECK-LABEL: func.func @add_unsigned
// CHECK-DAG: %[[MA:.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}>
// CHECK-DAG: %[[MB:.*]] = "tosa.const"() <{values = dense<536870912> : tensor<1xi32>}>
// CHECK-DAG: %[[NINE:.*]] = "tosa.const"() <{values = dense<9> : tensor<1xi8>}>
// CHECK-DAG: %[[FIFTY:.*]] = "tosa.const"() <{values = dense<50> : tensor<1xi8>}>
// CHECK-DAG: %[[A:.*]] = tosa.rescale %{{.*}}, %[[MA]], %[[NINE]],
// CHECK-DAG: %[[B:.*]] = tosa.rescale %{{.*}}, %[[MB]], %[[NINE]],
// CHECK-DAG: %[[SUM:.*]] = tosa.add %[[A]], %[[B]]
// CHECK-DAG: %[[SIGN:.*]] = tosa.arithmetic_right_shift %[[SUM]], %{{.*}} {round = false}
// CHECK-DAG: %[[MOVED:.*]] = tosa.add %[[SUM]], %[[SIGN]]
// CHECK-DAG: tosa.rescale %[[MOVED]], %[[MA]], %[[FIFTY]],
func.func @add_unsigned(%a: tensor<4x!x8>, %b: tensor<4x!y8>) -> tensor<4x!y8> {
  %0 = qnnpack.add %a, %b : tensor<4x!x8>, tensor<4x!y8> -> tensor<4x!y8>
  return %0 : tensor<4x!y8>
}

// CHECK-LABEL: func.func @add_signed
// CHECK-NOT: tosa.arithmetic_right_shift
func.func @add_signed(%a: tensor<4x!i8>, %b: tensor<4x!i8>) -> tensor<4x!i8> {
  %0 = qnnpack.add %a, %b {relu} : tensor<4x!i8>, tensor<4x!i8> -> tensor<4x!i8>
  return %0 : tensor<4x!i8>
}

// CHECK-LABEL: func.func @mul_broadcast
// CHECK: tosa.reshape {{.*}} -> tensor<1x3xi8>
// CHECK: tosa.mul {{.*}} (tensor<2x3xi32>, tensor<1x3xi32>, tensor<1xi8>) -> tensor<2x3xi32>
func.func @mul_broadcast(%a: tensor<2x3x!x8>, %b: tensor<3x!y8>) -> tensor<2x3x!y8> {
  %0 = qnnpack.mul %a, %b : tensor<2x3x!x8>, tensor<3x!y8> -> tensor<2x3x!y8>
  return %0 : tensor<2x3x!y8>
}

// Integers stay; or they are mirrored, by a table.
// CHECK-LABEL: func.func @scalars
// CHECK-NOT: tosa.table
// CHECK: return
// CHECK-LABEL: func.func @mirror
// CHECK: tosa.table
func.func @scalars(%x: tensor<4x!x8>) -> tensor<4x!quant.uniform<u8:f32, 1.0:3>> {
  %0 = qnnpack.mul_scalar %x, 2.0 : tensor<4x!x8> -> tensor<4x!quant.uniform<u8:f32, 1.0:3>>
  return %0 : tensor<4x!quant.uniform<u8:f32, 1.0:3>>
}
func.func @mirror(%x: tensor<4x!x8>) -> tensor<4x!quant.uniform<u8:f32, 1.0:252>> {
  %0 = qnnpack.mul_scalar %x, -2.0 : tensor<4x!x8> -> tensor<4x!quant.uniform<u8:f32, 1.0:252>>
  return %0 : tensor<4x!quant.uniform<u8:f32, 1.0:252>>
}

// Only the input with other parameters goes through a table.
// CHECK-LABEL: func.func @cat
// CHECK-COUNT-1: tosa.table
// CHECK-NOT: tosa.table
// CHECK: tosa.concat {{.*}} {axis = 1 : i32}
// CHECK: tosa.clamp {{.*}} min_val = -121
func.func @cat(%a: tensor<2x3x!x8>, %b: tensor<2x4x!y8>) -> tensor<2x7x!y8> {
  %0 = qnnpack.cat %a, %b {axis = 1 : i64, relu} : tensor<2x3x!x8>, tensor<2x4x!y8> -> tensor<2x7x!y8>
  return %0 : tensor<2x7x!y8>
}

// CHECK-LABEL: func.func @shapes
// CHECK: tosa.transpose {{.*}} {perms = array<i32: 0, 2, 1>}
// CHECK: tosa.reshape {{.*}} -> tensor<2x12xi8>
func.func @shapes(%x: tensor<2x3x4x!x8>) -> tensor<2x12x!x8> {
  %0 = qnnpack.transpose %x {permutation = array<i64: 0, 2, 1>} : tensor<2x3x4x!x8> -> tensor<2x4x3x!x8>
  %1 = qnnpack.reshape %0 : tensor<2x4x3x!x8> -> tensor<2x12x!x8>
  return %1 : tensor<2x12x!x8>
}

// CHECK-LABEL: func.func @max_pool2d
// CHECK: tosa.max_pool2d {{.*}} {kernel = array<i64: 2, 2>, pad = array<i64: 1, 0, 0, 1>, stride = array<i64: 2, 2>} : (tensor<1x5x5x2xi8>) -> tensor<1x3x3x2xi8>
func.func @max_pool2d(%x: tensor<1x5x5x2x!x8>) -> tensor<1x3x3x2x!x8> {
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 0, 0, 1>, dilation = array<i64: 1, 1>} : tensor<1x5x5x2x!x8> -> tensor<1x3x3x2x!x8>
  return %0 : tensor<1x3x3x2x!x8>
}

// Padding counts in floor mode: it is written out.
// CHECK-LABEL: func.func @avg_pool2d
// CHECK-COUNT-2: tosa.pad {{.*}} !tosa.shape<6>
// CHECK: tosa.avg_pool2d {{.*}} {acc_type = i32, kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
func.func @avg_pool2d(%x: tensor<1x4x4x2x!x8>) -> tensor<1x4x4x2x!x8> {
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>} : tensor<1x4x4x2x!x8> -> tensor<1x4x4x2x!x8>
  return %0 : tensor<1x4x4x2x!x8>
}

// CHECK-LABEL: func.func @avg_pool2d_exclude_padding
// CHECK-NOT: tosa.pad
// CHECK: tosa.avg_pool2d {{.*}}pad = array<i64: 1, 2, 1, 2>
func.func @avg_pool2d_exclude_padding(%x: tensor<1x4x4x2x!x8>) -> tensor<1x3x3x2x!x8> {
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, ceil_mode, count_include_pad = false} : tensor<1x4x4x2x!x8> -> tensor<1x3x3x2x!x8>
  return %0 : tensor<1x3x3x2x!x8>
}

// What the operator means, in floor mode: padding doesn't count.
// CHECK-LABEL: func.func @avg_pool2d_mathematical
// CHECK-NOT: tosa.pad
// CHECK: tosa.avg_pool2d {{.*}}pad = array<i64: 1, 1, 1, 1>
func.func @avg_pool2d_mathematical(%x: tensor<1x4x4x2x!x8>) -> tensor<1x4x4x2x!x8> {
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, mathematical, count_include_pad = false} : tensor<1x4x4x2x!x8> -> tensor<1x4x4x2x!x8>
  return %0 : tensor<1x4x4x2x!x8>
}

// ATen's formula heeds it for signed integers.
// CHECK-LABEL: func.func @avg_pool2d_signed
// CHECK-NOT: tosa.pad
// CHECK: tosa.avg_pool2d {{.*}}pad = array<i64: 1, 1, 1, 1>
func.func @avg_pool2d_signed(%x: tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, count_include_pad = false} : tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>> -> tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>
}

// CHECK-LABEL: func.func @avg_pool2d_divisor
// CHECK: tosa.depthwise_conv2d
// CHECK: tosa.rescale
func.func @avg_pool2d_divisor(%x: tensor<1x4x4x2x!x8>) -> tensor<1x2x2x2x!x8> {
  %0 = qnnpack.avg_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, ceil_mode, divisor_override = 3 : i64} : tensor<1x4x4x2x!x8> -> tensor<1x2x2x2x!x8>
  return %0 : tensor<1x2x2x2x!x8>
}

// CHECK-LABEL: func.func @adaptive_avg_pool2d
// CHECK-COUNT-4: tosa.avg_pool2d {{.*}}kernel = array<i64: 2, 2>
func.func @adaptive_avg_pool2d(%x: tensor<1x3x3x2x!x8>) -> tensor<1x2x2x2x!x8> {
  %0 = qnnpack.adaptive_avg_pool2d %x : tensor<1x3x3x2x!x8> -> tensor<1x2x2x2x!x8>
  return %0 : tensor<1x2x2x2x!x8>
}

// CHECK-LABEL: func.func @mean
// CHECK: tosa.avg_pool2d {{.*}}kernel = array<i64: 3, 4>
// CHECK: tosa.reshape {{.*}} -> tensor<1x2xi8>
func.func @mean(%x: tensor<1x3x4x2x!x8>) -> tensor<1x2x!x8> {
  %0 = qnnpack.mean %x : tensor<1x3x4x2x!x8> -> tensor<1x2x!x8>
  return %0 : tensor<1x2x!x8>
}

// CHECK-LABEL: func.func @requantize
// CHECK: tosa.table
func.func @requantize(%x: tensor<4x!x8>) -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>> {
  %0 = qnnpack.requantize %x : tensor<4x!x8> -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
}

// CHECK-LABEL: func.func @sigmoid
// CHECK: tosa.table {{.*}} : (tensor<4xi8>, tensor<256xi8>) -> tensor<4xi8>
func.func @sigmoid(%x: tensor<4x!x8>) -> tensor<4x!p8> {
  %0 = qnnpack.sigmoid %x : tensor<4x!x8> -> tensor<4x!p8>
  return %0 : tensor<4x!p8>
}

// CHECK-LABEL: func.func @softmax
// CHECK: tosa.reduce_max {{.*}} {axis = 1 : i32}
// CHECK-COUNT-3: tosa.table
// CHECK: tosa.reduce_sum {{.*}} {axis = 1 : i32}
// CHECK-COUNT-5: tosa.intdiv
func.func @softmax(%x: tensor<2x10x!x8>) -> tensor<2x10x!p8> {
  %0 = qnnpack.softmax %x {axis = 1 : i64} : tensor<2x10x!x8> -> tensor<2x10x!p8>
  return %0 : tensor<2x10x!p8>
}

// CHECK-LABEL: func.func @slice
// CHECK: tosa.slice
func.func @slice(%x: tensor<2x9x!x8>) -> tensor<2x3x!x8> {
  %0 = qnnpack.slice %x {offsets = array<i64: 0, 2>, strides = array<i64: 1, 1>} : tensor<2x9x!x8> -> tensor<2x3x!x8>
  return %0 : tensor<2x3x!x8>
}

// CHECK-LABEL: func.func @pad
// CHECK: tosa.pad {{.*}} -> tensor<2x12xi8>
func.func @pad(%x: tensor<2x9x!x8>) -> tensor<2x12x!x8> {
  %0 = qnnpack.pad %x {low = array<i64: 0, 2>, high = array<i64: 0, 1>, value = 0.0 : f32} : tensor<2x9x!x8> -> tensor<2x12x!x8>
  return %0 : tensor<2x12x!x8>
}

// CHECK-LABEL: func.func @repeat
// CHECK: tosa.tile {{.*}} -> tensor<4x27xi8>
func.func @repeat(%x: tensor<2x9x!x8>) -> tensor<4x27x!x8> {
  %0 = qnnpack.repeat %x {multiples = array<i64: 2, 3>} : tensor<2x9x!x8> -> tensor<4x27x!x8>
  return %0 : tensor<4x27x!x8>
}

// A number that moves the zero point alone changes no byte: the result is the
// input with another type, and both have other users.
// CHECK-LABEL: func.func @add_scalar_moves_zero_point
// CHECK: %[[A:.*]] = quant.scast %{{[^ ]*}} : tensor<4xi8> to tensor<4x!quant.uniform<u8:f32, 5.000000e-01:127>>
// CHECK-NOT: quant.scast %[[A]]
// CHECK: %[[B:.*]] = quant.scast %{{[^ ]*}} : tensor<4xi8> to tensor<4x!quant.uniform<u8:f32, 5.000000e-01:120>>
// CHECK: return %[[A]], %[[B]]
func.func @add_scalar_moves_zero_point(%x: tensor<4x!quant.uniform<u8:f32, 0.25:127>>)
    -> (tensor<4x!quant.uniform<u8:f32, 0.5:127>>, tensor<4x!quant.uniform<u8:f32, 0.5:120>>) {
  %a = qnnpack.mul_scalar %x, 2.0 : tensor<4x!quant.uniform<u8:f32, 0.25:127>> -> tensor<4x!quant.uniform<u8:f32, 0.5:127>>
  %b = qnnpack.add_scalar %a, 3.5 : tensor<4x!quant.uniform<u8:f32, 0.5:127>> -> tensor<4x!quant.uniform<u8:f32, 0.5:120>>
  return %a, %b : tensor<4x!quant.uniform<u8:f32, 0.5:127>>, tensor<4x!quant.uniform<u8:f32, 0.5:120>>
}
