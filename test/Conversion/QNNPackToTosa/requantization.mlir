// RUN: qbackend-opt %s --convert-qnnpack-to-tosa | FileCheck %s
// RUN: qbackend-opt %s --convert-qnnpack-to-tosa | mlir-opt --tosa-attach-target="profiles=pro_int extensions=doubleround,int16,int4" --tosa-validate=strict-op-spec-alignment -o %t

!u8 = !quant.uniform<i8:f32, 1.0:-5>
!k8 = !quant.uniform<i8:f32:0, {0.00390625, 0.001953125}>
#each = #qnnpack.requantization<rounding = double, multiplier = [1073741824, 1073741825], shift = [38, 39]>
#operand = #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [11]>
#result = #qnnpack.requantization<rounding = half_up, multiplier = [1431655765], shift = [50]>

// A requantization is a rescale as it is.
// CHECK-LABEL: func.func @requantization
// CHECK-DAG: %[[M:.*]] = "tosa.const"() <{values = dense<[1073741824, 1073741825]> : tensor<2xi32>}>
// CHECK-DAG: %[[S:.*]] = "tosa.const"() <{values = dense<[38, 39]> : tensor<2xi8>}>
// CHECK-DAG: %[[C:.*]] = tosa.conv2d
// CHECK-DAG: tosa.rescale %[[C]], %[[M]], %[[S]], %{{.*}}, %{{.*}} {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = DOUBLE_ROUND, scale32 = true}
// CHECK-DAG: %[[T:.*]] = tosa.transpose_conv2d {{.*}} out_pad = array<i64: -1, 0, 0, -1>
// CHECK-DAG: tosa.rescale %[[T]], %[[M]], %[[S]],
// CHECK-DAG: %[[ADD:.*]] = tosa.add
// CHECK-DAG: tosa.rescale %[[ADD]], {{.*}} rounding_mode = SINGLE_ROUND
// CHECK-DAG: %[[MUL:.*]] = tosa.mul
// CHECK-DAG: tosa.rescale %[[MUL]], {{.*}} rounding_mode = SINGLE_ROUND
func.func @requantization(%x: tensor<1x3x3x2x!u8>) -> (tensor<1x3x3x2x!u8>, tensor<1x6x6x2x!u8>, tensor<1x3x3x2x!u8>, tensor<1x3x3x2x!u8>) {
  %0 = arith.constant dense<[[[[1, 2]]], [[[3, -4]]]]> : tensor<2x1x1x2xi8>
  %w = quant.scast %0 : tensor<2x1x1x2xi8> to tensor<2x1x1x2x!k8>
  %1 = arith.constant dense<3> : tensor<2x3x3x2xi8>
  %k = quant.scast %1 : tensor<2x3x3x2xi8> to tensor<2x3x3x2x!k8>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, requantization = #each}
    : tensor<1x3x3x2x!u8>, tensor<2x1x1x2x!k8> -> tensor<1x3x3x2x!u8>
  %t = qnnpack.conv_transpose2d %x, %k {stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 0, 1>, output_padding = array<i64: 1, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, requantization = #each}
    : tensor<1x3x3x2x!u8>, tensor<2x3x3x2x!k8> -> tensor<1x6x6x2x!u8>
  %a = qnnpack.add %x, %y {requantization = #result, lhs_requantization = #operand, rhs_requantization = #operand} : tensor<1x3x3x2x!u8>, tensor<1x3x3x2x!u8> -> tensor<1x3x3x2x!u8>
  %m = qnnpack.mul %x, %y {requantization = #result} : tensor<1x3x3x2x!u8>, tensor<1x3x3x2x!u8> -> tensor<1x3x3x2x!u8>
  return %y, %t, %a, %m : tensor<1x3x3x2x!u8>, tensor<1x6x6x2x!u8>, tensor<1x3x3x2x!u8>, tensor<1x3x3x2x!u8>
}

// Operands that are moved to the left first.
// CHECK-LABEL: func.func @moved_operands
// CHECK: %[[WIDE:.*]] = tosa.rescale {{.*}} rounding_mode = SINGLE_ROUND, {{.*}} -> tensor<1x4xi32>
// CHECK: %[[TWENTY:.*]] = "tosa.const"() <{values = dense<20> : tensor<1x1xi32>}>
// CHECK: %[[MOVED:.*]] = tosa.logical_left_shift %[[WIDE]], %[[TWENTY]]
// CHECK: tosa.rescale %[[MOVED]], {{.*}} rounding_mode = DOUBLE_ROUND
!i8 = !quant.uniform<i8:f32, 1.0:-3>
#moved = #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [32], left_shift = 20>
#sum = #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [48]>
func.func @moved_operands(%x: tensor<1x4x!i8>) -> tensor<1x4x!i8> {
  %0 = qnnpack.add %x, %x {requantization = #sum, lhs_requantization = #moved, rhs_requantization = #moved} : tensor<1x4x!i8>, tensor<1x4x!i8> -> tensor<1x4x!i8>
  return %0 : tensor<1x4x!i8>
}

// 16-bit activations have sums of 48 bits, and multipliers of 16.
// CHECK-LABEL: func.func @sixteen_bits
// CHECK-DAG: %[[M:.*]] = "tosa.const"() <{values = dense<[16384, 20000]> : tensor<2xi16>}>
// CHECK-DAG: %[[B:.*]] = "tosa.const"() <{values = dense<[-35184372088832, 9]> : tensor<2xi48>}>
// CHECK-DAG: %[[C:.*]] = tosa.conv2d %{{.*}}, %{{.*}}, %[[B]], %{{.*}} {acc_type = i48, {{.*}} -> tensor<1x3x3x2xi48>
// CHECK-DAG: %[[R:.*]] = tosa.rescale %[[C]], %[[M]], {{.*}} per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = false} {{.*}} -> tensor<1x3x3x2xi16>
// CHECK-DAG: tosa.clamp %[[R]] {max_val = 30000 : i16, min_val = -7 : i16}
// CHECK-DAG: %[[D:.*]] = tosa.depthwise_conv2d {{.*}} {acc_type = i48, {{.*}} -> tensor<1x3x3x2xi48>
// CHECK-DAG: %[[E:.*]] = tosa.rescale %[[D]],
// CHECK-DAG: tosa.clamp %[[E]] {max_val = 32767 : i16, min_val = 0 : i16}
!x16 = !quant.uniform<i16:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384, 20000], shift = [20, 21]>
func.func @sixteen_bits(%x: tensor<1x3x3x2x!x16>) -> (tensor<1x3x3x2x!x16>, tensor<1x3x3x2x!x16>) {
  %0 = arith.constant dense<[[[[1, 2]]], [[[3, -4]]]]> : tensor<2x1x1x2xi8>
  %w = quant.scast %0 : tensor<2x1x1x2xi8> to tensor<2x1x1x2x!k8>
  %1 = arith.constant dense<[[[[1]]], [[[3]]]]> : tensor<2x1x1x1xi8>
  %k = quant.scast %1 : tensor<2x1x1x1xi8> to tensor<2x1x1x1x!k8>
  %b = arith.constant dense<[-35184372088832, 9]> : tensor<2xi64>
  %y = qnnpack.conv2d %x, %w, %b {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, requantization = #wide}
    : tensor<1x3x3x2x!x16>, tensor<2x1x1x2x!k8>, tensor<2xi64> -> tensor<1x3x3x2x!x16>
  %c = qnnpack.clamp %y {min = -7.0 : f32, max = 30000.0 : f32} : tensor<1x3x3x2x!x16> -> tensor<1x3x3x2x!x16>
  %d = qnnpack.conv2d %c, %k {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64, requantization = #wide, relu}
    : tensor<1x3x3x2x!x16>, tensor<2x1x1x1x!k8> -> tensor<1x3x3x2x!x16>
  return %c, %d : tensor<1x3x3x2x!x16>, tensor<1x3x3x2x!x16>
}

// Weights whose type has 4 bits are those of EXT-INT4, in any kind of convolution of
// bytes; of 16-bit activations TOSA has none.
// CHECK-LABEL: func.func @four_bits
// CHECK-DAG: %[[W:.*]] = "tosa.const"() <{values = dense<{{.*}}1, 7{{.*}}-7, -4{{.*}}> : tensor<2x1x1x2xi4>}>
// CHECK-DAG: tosa.conv2d %{{.*}}, %[[W]], {{.*}} : (tensor<1x3x3x2xi8>, tensor<2x1x1x2xi4>, tensor<2xi32>, tensor<1xi8>, tensor<1xi4>)
// CHECK-DAG: tosa.depthwise_conv2d {{.*}} : (tensor<1x3x3x2xi8>, tensor<3x3x2x1xi4>, tensor<2xi32>, tensor<1xi8>, tensor<1xi4>)
// CHECK-DAG: tosa.transpose_conv2d {{.*}} : (tensor<1x3x3x2xi8>, tensor<2x3x3x2xi4>, tensor<2xi32>, tensor<1xi8>, tensor<1xi4>)
// CHECK-DAG: tosa.conv2d {{.*}} : (tensor<1x3x3x2xi16>, tensor<2x1x1x2xi8>, tensor<2xi48>, tensor<1xi16>, tensor<1xi8>)
!k4 = !quant.uniform<i8<-7:7>:f32:0, {0.00390625, 0.001953125}>
func.func @four_bits(%x: tensor<1x3x3x2x!u8>, %z: tensor<1x3x3x2x!x16>) -> (tensor<1x3x3x2x!u8>, tensor<1x3x3x2x!u8>, tensor<1x6x6x2x!u8>, tensor<1x3x3x2x!x16>) {
  %0 = arith.constant dense<[[[[1, 7]]], [[[-7, -4]]]]> : tensor<2x1x1x2xi8>
  %w = quant.scast %0 : tensor<2x1x1x2xi8> to tensor<2x1x1x2x!k4>
  %1 = arith.constant dense<3> : tensor<2x3x3x2xi8>
  %k = quant.scast %1 : tensor<2x3x3x2xi8> to tensor<2x3x3x2x!k4>
  %2 = arith.constant dense<2> : tensor<2x3x3x1xi8>
  %d = quant.scast %2 : tensor<2x3x3x1xi8> to tensor<2x3x3x1x!k4>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, requantization = #each}
    : tensor<1x3x3x2x!u8>, tensor<2x1x1x2x!k4> -> tensor<1x3x3x2x!u8>
  %v = qnnpack.conv2d %x, %d {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 2 : i64, requantization = #each}
    : tensor<1x3x3x2x!u8>, tensor<2x3x3x1x!k4> -> tensor<1x3x3x2x!u8>
  %t = qnnpack.conv_transpose2d %x, %k {stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 0, 1>, output_padding = array<i64: 1, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, requantization = #each}
    : tensor<1x3x3x2x!u8>, tensor<2x3x3x2x!k4> -> tensor<1x6x6x2x!u8>
  %q = qnnpack.conv2d %z, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, requantization = #wide}
    : tensor<1x3x3x2x!x16>, tensor<2x1x1x2x!k4> -> tensor<1x3x3x2x!x16>
  return %y, %v, %t, %q : tensor<1x3x3x2x!u8>, tensor<1x3x3x2x!u8>, tensor<1x6x6x2x!u8>, tensor<1x3x3x2x!x16>
}
