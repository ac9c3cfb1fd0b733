// RUN: qbackend-opt %s --convert-tosa-to-qnnpack | FileCheck %s

// Multipliers and shifts are kept, also as the scale of the weight; 3 - 10 and 120 - 10.
// CHECK-LABEL: func.func @conv2d
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x4x2xi8>) -> tensor<1x3x3x2xi8>
// CHECK-DAG: %[[Q:.*]] = quant.scast %[[X]] : tensor<1x4x4x2xi8> to tensor<1x4x4x2x!quant.uniform<i8:f32, 1.000000e+00:-5>>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[7, -9]> : tensor<2xi32>
// CHECK-DAG: %[[W:.*]] = quant.scast %{{.*}} : tensor<2x2x2x2xi8> to tensor<2x2x2x2x!quant.uniform<i8:f32:0, {3.906250e-03,0.001953125}>>
// CHECK: %[[C:.*]] = qnnpack.conv2d %[[Q]], %[[W]], %[[B]] {dilation = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0, 0, 0>, requantization = #qnnpack.requantization<rounding = double, multiplier = [1073741824, 1073741824], shift = [38, 39]>, stride = array<i64: 1, 1>}
// CHECK-SAME: -> tensor<1x3x3x2x!quant.uniform<i8:f32, 1.000000e+00:10>>
// CHECK: %[[K:.*]] = qnnpack.clamp %[[C]] {max = 1.100000e+02 : f32, min = -7.000000e+00 : f32}
// CHECK: %[[Y:.*]] = quant.scast %[[K]]
// CHECK: return %[[Y]]
// CHECK-NOT: tosa
func.func @conv2d(%x: tensor<1x4x4x2xi8>) -> tensor<1x3x3x2xi8> {
  %w = "tosa.const"() <{values = dense<3> : tensor<2x2x2x2xi8>}> : () -> tensor<2x2x2x2xi8>
  %b = "tosa.const"() <{values = dense<[7, -9]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %zx = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zy = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zs = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<2xi32>}> : () -> tensor<2xi32>
  %s = "tosa.const"() <{values = dense<[38, 39]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %0 = tosa.conv2d %x, %w, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<2x2x2x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x2xi32>
  %1 = tosa.rescale %0, %m, %s, %zs, %zy {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x3x3x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x3x2xi8>
  %2 = tosa.clamp %1 {min_val = 3 : i8, max_val = 120 : i8} : (tensor<1x3x3x2xi8>) -> tensor<1x3x3x2xi8>
  return %2 : tensor<1x3x3x2xi8>
}

// [height, width, in, multiplier] becomes [in * multiplier, height, width, 1]; one
// number of the bias is that of all channels.
// CHECK-LABEL: func.func @depthwise
// CHECK-DAG: arith.constant dense<{{\[\[\[\[}}1], [5]]], {{\[\[\[}}2], [6]]], {{\[\[\[}}3], [7]]], {{\[\[\[}}4], [8]]]]> : tensor<4x1x2x1xi8>
// CHECK-DAG: arith.constant dense<7> : tensor<4xi32>
// CHECK: qnnpack.conv2d {{.*}} groups = 2 : i64, {{.*}}rounding = half_up, multiplier = [1073741824], shift = [33]
func.func @depthwise(%x: tensor<?x4x4x2xi8>) -> tensor<?x4x3x4xi8> {
  %w = "tosa.const"() <{values = dense<[[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]]> : tensor<1x2x2x2xi8>}> : () -> tensor<1x2x2x2xi8>
  %b = "tosa.const"() <{values = dense<7> : tensor<1xi32>}> : () -> tensor<1xi32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zs = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.depthwise_conv2d %x, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<?x4x4x2xi8>, tensor<1x2x2x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<?x4x3x4xi32>
  %1 = tosa.rescale %0, %m, %s, %zs, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<?x4x3x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x4x3x4xi8>
  return %1 : tensor<?x4x3x4xi8>
}

// What is cut off the result is padding; what is added at its end is output padding.
// CHECK-LABEL: func.func @transposed
// CHECK: qnnpack.conv_transpose2d {{.*}} output_padding = array<i64: 1, 0>, padding = array<i64: 1, 0, 0, 2>
func.func @transposed(%x: tensor<1x4x4x2xi8>) -> tensor<1x9x7x3xi8> {
  %w = "tosa.const"() <{values = dense<3> : tensor<3x3x3x2xi8>}> : () -> tensor<3x3x3x2xi8>
  %b = "tosa.const"() <{values = dense<[1, 2, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zs = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = i32, out_pad = array<i64: -1, 1, 0, -2>, stride = array<i64: 2, 2>} : (tensor<1x4x4x2xi8>, tensor<3x3x3x2xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x9x7x3xi32>
  %1 = tosa.rescale %0, %m, %s, %zs, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x9x7x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x9x7x3xi8>
  return %1 : tensor<1x9x7x3xi8>
}

// The constant matrix is turned, and keeps its zero point.
// CHECK-LABEL: func.func @matmul
// CHECK-DAG: arith.constant dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi8>
// CHECK-DAG: !quant.uniform<i8:f32, {{[^:>]*}}:2>
// CHECK: qnnpack.linear
// CHECK-NOT: tosa.matmul
func.func @matmul(%x: tensor<1x5x2xi8>) -> tensor<1x5x2xi8> {
  %w = "tosa.const"() <{values = dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi8>}> : () -> tensor<1x2x2xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zs = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.matmul %x, %w, %z, %zw : (tensor<1x5x2xi8>, tensor<1x2x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x5x2xi32>
  %1 = tosa.rescale %0, %m, %s, %zs, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x5x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x5x2xi8>
  return %1 : tensor<1x5x2xi8>
}

// CHECK-LABEL: func.func @arithmetic
// CHECK-DAG: %[[A:.*]] = quant.scast %arg0 : tensor<1x4xi8> to tensor<1x4x!quant.uniform<i8:f32, 1.000000e+00:-5>>
// CHECK-DAG: %[[B:.*]] = quant.scast %arg1 : tensor<1x4xi8> to tensor<1x4x!quant.uniform<i8:f32, 1.000000e+00:3>>
// CHECK: qnnpack.add %[[A]], %[[B]] {lhs_requantization = #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [11]>, requantization = #qnnpack.requantization<rounding = double, multiplier = [1431655765], shift = [50]>, rhs_requantization = #qnnpack.requantization<rounding = double, multiplier = [1431655765], shift = [12]>}
// CHECK: qnnpack.mul %{{.*}}, %{{.*}} {requantization = #qnnpack.requantization<rounding = double, multiplier = [1431655765], shift = [50]>}
// CHECK-NOT: tosa.mul
func.func @arithmetic(%a: tensor<1x4xi8>, %b: tensor<1x4xi8>) -> (tensor<1x4xi8>, tensor<1x4xi8>) {
  %za = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zb = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zs = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %one = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s11 = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s12 = "tosa.const"() <{values = dense<12> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s30 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s50 = "tosa.const"() <{values = dense<50> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.rescale %a, %one, %s11, %za, %zs {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x4xi32>
  %1 = tosa.rescale %b, %m, %s12, %zb, %zs {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x4xi32>
  %2 = tosa.add %0, %1 : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
  %3 = tosa.rescale %2, %m, %s50, %zs, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4xi8>
  %4 = tosa.rescale %a, %one, %s30, %za, %zs {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x4xi32>
  %5 = tosa.rescale %b, %one, %s30, %zb, %zs {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x4xi32>
  %6 = tosa.mul %4, %5, %z : (tensor<1x4xi32>, tensor<1x4xi32>, tensor<1xi8>) -> tensor<1x4xi32>
  %7 = tosa.rescale %6, %m, %s50, %zs, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4xi8>
  return %3, %7 : tensor<1x4xi8>, tensor<1x4xi8>
}

// What is between two kernels on bytes stays TOSA; a clamp of what comes from outside,
// and sums that give i32, too.
// CHECK-LABEL: func.func @others
// CHECK: tosa.clamp
// CHECK: tosa.max_pool2d
// CHECK: tosa.rescale {{.*}} -> tensor<1x2x2x2xi32>
// CHECK-NOT: qnnpack
func.func @others(%x: tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zs = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.clamp %x {min_val = 3 : i8, max_val = 120 : i8} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  %1 = tosa.max_pool2d %0 {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
  %2 = tosa.rescale %1, %m, %s, %z, %zs {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x2x2x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x2x2x2xi32>
  return %2 : tensor<1x2x2x2xi32>
}

// 16-bit activations have sums of 48 bits, here of 64, and limits of their own.
// CHECK-LABEL: func.func @sixteen_bits
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x4x2xi16>)
// CHECK-DAG: %[[Q:.*]] = quant.scast %[[X]] : tensor<1x4x4x2xi16> to tensor<1x4x4x2x!quant.uniform<i16:f32, 1.000000e+00>>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[-35184372088832, 9]> : tensor<2xi64>
// CHECK-DAG: %[[W:.*]] = quant.scast %{{.*}} to tensor<2x1x1x2x!quant.uniform<i8:f32:0, {1.562500e-02,7.812500e-03}>>
// CHECK: %[[C:.*]] = qnnpack.conv2d %[[Q]], %[[W]], %[[B]] {{.*}} requantization = #qnnpack.requantization<rounding = half_up, multiplier = [16384, 16384], shift = [20, 21]>
// CHECK-SAME: tensor<2xi64> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 1.000000e+00>>
// CHECK: qnnpack.clamp %[[C]] {max = 3.000000e+04 : f32, min = -7.000000e+00 : f32}
// CHECK-NOT: tosa
func.func @sixteen_bits(%x: tensor<1x4x4x2xi16>) -> tensor<1x4x4x2xi16> {
  %w = "tosa.const"() <{values = dense<1> : tensor<2x1x1x2xi8>}> : () -> tensor<2x1x1x2xi8>
  %b = "tosa.const"() <{values = dense<[-35184372088832, 9]> : tensor<2xi48>}> : () -> tensor<2xi48>
  %zx = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zs = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
  %m = "tosa.const"() <{values = dense<16384> : tensor<2xi16>}> : () -> tensor<2xi16>
  %s = "tosa.const"() <{values = dense<[20, 21]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %0 = tosa.conv2d %x, %w, %b, %zx, %zw {acc_type = i48, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi16>, tensor<2x1x1x2xi8>, tensor<2xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<1x4x4x2xi48>
  %1 = tosa.rescale %0, %m, %s, %zs, %zx {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = false} : (tensor<1x4x4x2xi48>, tensor<2xi16>, tensor<2xi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<1x4x4x2xi16>
  %2 = tosa.clamp %1 {min_val = -7 : i16, max_val = 30000 : i16} : (tensor<1x4x4x2xi16>) -> tensor<1x4x4x2xi16>
  return %2 : tensor<1x4x4x2xi16>
}
