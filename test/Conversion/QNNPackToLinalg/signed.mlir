// Unsigned bytes are held less 128, as signed ones: zero points say so, and the
// top bit flips where a function takes and gives them.
// RUN: qbackend-opt %s --convert-qnnpack-to-linalg -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: not grep extui %t.mlir

// Upstream names each contraction and each window.
// RUN: mlir-opt %t.mlir --linalg-specialize-generic-ops | FileCheck %s --check-prefix=NAMED
// RUN: mlir-opt %t.mlir --linalg-morph-ops=generic-to-named | FileCheck %s --check-prefix=NAMED

!u8 = !quant.uniform<u8:f32, 0.5:2>
!s8 = !quant.uniform<i8:f32, 0.25>
!y8 = !quant.uniform<u8:f32, 1.0:7>

// The zero point is 2 - 128 = -126, and the biases 10 + 126 * 3 and 20 + 126 * 7.
// The result is in [-128, 127], with zero point 7 - 128 = -121.
// CHECK-LABEL: @conv1d(
// CHECK-SAME: tensor<?x8x1xi8>) -> tensor<?x4x2xi8>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: arith.xori %{{.*}}, %c-128_i8
// CHECK-DAG: dense<{{\[\[\[}}1, 3]], {{\[\[}}2, 4]]]> : tensor<2x1x2xi8>
// CHECK-DAG: dense<[388, 902]> : tensor<2xi32>
// CHECK: tensor.pad %{{.*}} low[0, 1, 0] high[0, 2, 0]
// CHECK-NEXT: ^bb0
// CHECK-NEXT: tensor.yield %c-126_i8
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]
// CHECK: arith.extsi
// CHECK: arith.extsi
// CHECK: arith.muli
// CHECK: %[[LO:.*]] = arith.constant -7 : i32
// CHECK: arith.maxsi %{{.*}}, %[[LO]]
// CHECK: %[[HI:.*]] = arith.constant 248 : i32
// CHECK: arith.minsi %{{.*}}, %[[HI]]
// CHECK: %[[ZERO:.*]] = arith.constant -121 : i32
// CHECK: arith.addi %{{.*}}, %[[ZERO]]
// CHECK: arith.xori
// NAMED-LABEL: @conv1d(
// NAMED: linalg.conv_1d_nwc_wcf
func.func @conv1d(%x: tensor<?x8x1x!u8>) -> tensor<?x4x2x!y8> {
  %wi = arith.constant dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi8>
  %w = quant.scast %wi : tensor<2x2x1xi8> to tensor<2x2x1x!s8>
  %b = arith.constant dense<[10, 20]> : tensor<2xi32>
  %y = qnnpack.conv1d %x, %w, %b {stride = array<i64: 2>, padding = array<i64: 1, 2>, dilation = array<i64: 3>, groups = 1 : i64}
    : tensor<?x8x1x!u8>, tensor<2x2x1x!s8>, tensor<2xi32> -> tensor<?x4x2x!y8>
  return %y : tensor<?x4x2x!y8>
}

// NAMED-LABEL: @conv2d(
// NAMED: linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 2]> : {{.*}}, strides = dense<[2, 1]>
func.func @conv2d(%x: tensor<1x7x7x3x!u8>, %w: tensor<4x3x2x3x!s8>) -> tensor<1x3x5x4x!y8> {
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 2, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 2>, groups = 1 : i64}
    : tensor<1x7x7x3x!u8>, tensor<4x3x2x3x!s8> -> tensor<1x3x5x4x!y8>
  return %y : tensor<1x3x5x4x!y8>
}

// NAMED-LABEL: @grouped(
// NAMED: linalg.conv_2d_nhwgc_gfhwc
func.func @grouped(%x: tensor<1x7x7x4x!u8>) -> tensor<1x5x5x6x!y8> {
  %wi = arith.constant dense<3> : tensor<6x3x3x2xi8>
  %w = quant.scast %wi : tensor<6x3x3x2xi8> to tensor<6x3x3x2x!s8>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64}
    : tensor<1x7x7x4x!u8>, tensor<6x3x3x2x!s8> -> tensor<1x5x5x6x!y8>
  return %y : tensor<1x5x5x6x!y8>
}

// NAMED-LABEL: @grouped_argument(
// NAMED: linalg.conv_2d_nhwgc_gfhwc
func.func @grouped_argument(%x: tensor<1x7x7x4x!u8>, %w: tensor<6x3x3x2x!s8>) -> tensor<1x5x5x6x!y8> {
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64}
    : tensor<1x7x7x4x!u8>, tensor<6x3x3x2x!s8> -> tensor<1x5x5x6x!y8>
  return %y : tensor<1x5x5x6x!y8>
}

// NAMED-LABEL: @depthwise(
// NAMED: linalg.depthwise_conv_2d_nhwc_hwc
func.func @depthwise(%x: tensor<1x7x7x4x!u8>, %w: tensor<4x3x3x1x!s8>) -> tensor<1x5x5x4x!y8> {
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 4 : i64}
    : tensor<1x7x7x4x!u8>, tensor<4x3x3x1x!s8> -> tensor<1x5x5x4x!y8>
  return %y : tensor<1x5x5x4x!y8>
}

// NAMED-LABEL: @conv3d(
// NAMED: linalg.conv_3d_ndhwc_dhwcf
func.func @conv3d(%x: tensor<1x4x4x4x2x!u8>, %w: tensor<3x2x2x2x2x!s8>) -> tensor<1x3x3x3x3x!y8> {
  %y = qnnpack.conv3d %x, %w {stride = array<i64: 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0>, dilation = array<i64: 1, 1, 1>, groups = 1 : i64}
    : tensor<1x4x4x4x2x!u8>, tensor<3x2x2x2x2x!s8> -> tensor<1x3x3x3x3x!y8>
  return %y : tensor<1x3x3x3x3x!y8>
}

// NAMED-LABEL: @transposed(
// NAMED: linalg.conv_2d_nhwc_hwcf
func.func @transposed(%x: tensor<1x4x4x2x!u8>) -> tensor<1x8x8x3x!y8> {
  %wi = arith.constant dense<3> : tensor<3x3x3x2xi8>
  %w = quant.scast %wi : tensor<3x3x3x2xi8> to tensor<3x3x3x2x!s8>
  %y = qnnpack.conv_transpose2d %x, %w {stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x4x4x2x!u8>, tensor<3x3x3x2x!s8> -> tensor<1x8x8x3x!y8>
  return %y : tensor<1x8x8x3x!y8>
}

// A square weight: its rows stay its rows.
// CHECK-LABEL: @linear(
// CHECK-DAG: dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi8>
// NAMED-LABEL: @linear(
// NAMED: dense<{{\[\[}}1, 3], [2, 4]]>
// NAMED: tensor.collapse_shape
// NAMED: linalg.matmul ins({{.*}} : tensor<?x2xi8>, tensor<2x2xi8>)
// NAMED: tensor.expand_shape
func.func @linear(%x: tensor<?x3x2x!u8>) -> tensor<?x3x2x!y8> {
  %wi = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %w = quant.scast %wi : tensor<2x2xi8> to tensor<2x2x!s8>
  %y = qnnpack.linear %x, %w : tensor<?x3x2x!u8>, tensor<2x2x!s8> -> tensor<?x3x2x!y8>
  return %y : tensor<?x3x2x!y8>
}

// CHECK-LABEL: @linear_argument(
// CHECK: linalg.transpose {{.*}} outs(%{{[^ ]*}} : tensor<1x4x5xi8>) permutation = [0, 2, 1]
// NAMED-LABEL: @linear_argument(
// NAMED: linalg.matmul
func.func @linear_argument(%x: tensor<4x!u8>, %w: tensor<5x4x!s8>) -> tensor<5x!y8> {
  %y = qnnpack.linear %x, %w : tensor<4x!u8>, tensor<5x4x!s8> -> tensor<5x!y8>
  return %y : tensor<5x!y8>
}

// NAMED-LABEL: @linear_dynamic(
// NAMED: linalg.matmul
func.func @linear_dynamic(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %wi = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %w = quant.scast %wi : tensor<2x2xi8> to tensor<2x2x!s8>
  %y = qnnpack.linear_dynamic %x, %w : tensor<?x2xf32>, tensor<2x2x!s8> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// NAMED-LABEL: @pools(
// NAMED: linalg.pooling_nhwc_max
// NAMED: linalg.pooling_nhwc_sum
func.func @pools(%x: tensor<1x4x4x2x!u8>) -> tensor<1x1x1x2x!u8> {
  %0 = qnnpack.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>}
    : tensor<1x4x4x2x!u8> -> tensor<1x3x3x2x!u8>
  %1 = qnnpack.avg_pool2d %0 {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>}
    : tensor<1x3x3x2x!u8> -> tensor<1x1x1x2x!u8>
  return %1 : tensor<1x1x1x2x!u8>
}

// A storage cast, and a call of what may be of anyone, are where bytes change; a
// constant changes here. The storage of 5 and 200 is 5 - 128 and 200 - 128 inside.
// CHECK-LABEL: @edges(
// CHECK: dense<[-123, 72]> : tensor<2xi8>
// CHECK: arith.xori
// CHECK: call @other(%{{.*}}) : (tensor<2xi8>) -> tensor<2xi8>
// CHECK: arith.xori
// CHECK: arith.xori
func.func private @other(tensor<2x!u8>) -> tensor<2x!u8>
func.func @edges() -> tensor<2x!u8> {
  %bytes = arith.constant dense<[5, 200]> : tensor<2xi8>
  %x = quant.scast %bytes : tensor<2xi8> to tensor<2x!u8>
  %r = qnnpack.relu %x : tensor<2x!u8> -> tensor<2x!u8>
  %y = call @other(%r) : (tensor<2x!u8>) -> tensor<2x!u8>
  %z = qnnpack.relu %y : tensor<2x!u8> -> tensor<2x!u8>
  return %z : tensor<2x!u8>
}
