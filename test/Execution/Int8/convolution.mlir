// RUN: qbackend-opt %s --convert-qnnpack-to-int8 --split-input-file | FileCheck %s

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
!y = !quant.uniform<u8:f32, 1.0:10>

// The zero point of the input is in the bias: 7 - 3 * (1 + 2), 5 - 3 * (3 - 4).
// CHECK-LABEL: func.func @conv2d
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{.*}}> : tensor<2x1x1x2xi8>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[-2, 8]> : tensor<2xi32>
// CHECK-DAG: %[[M:.*]] = arith.constant dense<1.250000e-01> : tensor<2xf32>
// CHECK-DAG: %[[X:.*]] = quant.scast %arg0
// CHECK-DAG: %[[INIT:.*]] = tensor.empty() : tensor<1x3x3x2xi8>
// CHECK: int8.conv2d(%[[X]], %[[W]], %[[B]], %[[M]]) into %[[INIT]]
// CHECK-SAME: pad_value = 3
// CHECK-SAME: requantize = #int8.requantize<zero_point = 10, lo = 10, hi = 255, overflow = 255>
// CHECK-NOT: qnnpack
func.func @conv2d(%x: tensor<1x3x3x2x!x>) -> tensor<1x3x3x2x!y> {
  %0 = arith.constant dense<[[[[1, 2]]], [[[3, -4]]]]> : tensor<2x1x1x2xi8>
  %w = quant.scast %0 : tensor<2x1x1x2xi8> to tensor<2x1x1x2x!w>
  %b = arith.constant dense<[7, 5]> : tensor<2xi32>
  %y = qnnpack.conv2d %x, %w, %b {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, relu}
    : tensor<1x3x3x2x!x>, tensor<2x1x1x2x!w>, tensor<2xi32> -> tensor<1x3x3x2x!y>
  return %y : tensor<1x3x3x2x!y>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25:1>
!y = !quant.uniform<u8:f32, 1.0:10>

// Zero points of weights come off them; rows are pixels.
// CHECK-LABEL: func.func @linear
// CHECK-DAG: dense<{{\[\[\[\[}}0, 1{{\]\]\]}}, {{\[\[\[}}2, -5{{\]\]\]\]}}> : tensor<2x1x1x2xi8>
// CHECK-DAG: dense<[-3, 9]> : tensor<2xi32>
// CHECK-DAG: tensor.expand_shape {{.*}} output_shape [1, 1, 6, 2]
// CHECK: int8.conv2d
// CHECK: tensor.expand_shape {{.*}} output_shape [2, 3, 2]
func.func @linear(%x: tensor<2x3x2x!x>) -> tensor<2x3x2x!y> {
  %0 = arith.constant dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>
  %w = quant.scast %0 : tensor<2x2xi8> to tensor<2x2x!w>
  %y = qnnpack.linear %x, %w : tensor<2x3x2x!x>, tensor<2x2x!w> -> tensor<2x3x2x!y>
  return %y : tensor<2x3x2x!y>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
!y = !quant.uniform<u8:f32, 1.0:10>
!z = !quant.uniform<u8:f32, 2.0:20>

// A clamp, a sum, and a relu behind it are part of the kernel.
// CHECK-LABEL: func.func @epilogue
// CHECK: %[[R:.*]] = quant.scast %arg1
// CHECK: int8.conv2d(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[R]]) into
// CHECK-SAME: add = #int8.add<lhs = 2097152, rhs = 1048576, offset = 24117248, shift = 22, half_up = false, zero_point = 20, lo = 20, hi = 255>
// CHECK-SAME: requantize = #int8.requantize<zero_point = 10, lo = 10, hi = 16, overflow = 16>
// CHECK-NOT: qnnpack
func.func @epilogue(%x: tensor<1x3x3x2x!x>, %r: tensor<1x3x3x2x!x>) -> tensor<1x3x3x2x!z> {
  %0 = arith.constant dense<1> : tensor<2x1x1x2xi8>
  %w = quant.scast %0 : tensor<2x1x1x2xi8> to tensor<2x1x1x2x!w>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x3x2x!x>, tensor<2x1x1x2x!w> -> tensor<1x3x3x2x!y>
  %c = qnnpack.clamp %y {min = 0.0 : f32, max = 6.0 : f32} : tensor<1x3x3x2x!y> -> tensor<1x3x3x2x!y>
  %s = qnnpack.add %r, %c : tensor<1x3x3x2x!x>, tensor<1x3x3x2x!y> -> tensor<1x3x3x2x!z>
  %z = qnnpack.relu %s : tensor<1x3x3x2x!z> -> tensor<1x3x3x2x!z>
  return %z : tensor<1x3x3x2x!z>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
!y = !quant.uniform<u8:f32, 1.0:10>

// What has two uses is there: the sum is an op of its own.
// CHECK-LABEL: func.func @two_uses
// CHECK: int8.conv2d
// CHECK-NOT: add =
// CHECK: qnnpack.add
func.func @two_uses(%x: tensor<1x3x3x2x!x>) -> tensor<1x3x3x2x!y> {
  %0 = arith.constant dense<1> : tensor<2x1x1x2xi8>
  %w = quant.scast %0 : tensor<2x1x1x2xi8> to tensor<2x1x1x2x!w>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x3x2x!x>, tensor<2x1x1x2x!w> -> tensor<1x3x3x2x!y>
  %z = qnnpack.add %y, %y : tensor<1x3x3x2x!y>, tensor<1x3x3x2x!y> -> tensor<1x3x3x2x!y>
  return %z : tensor<1x3x3x2x!y>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
!wide = !quant.uniform<i8:f32, 0.25:100>
!y = !quant.uniform<u8:f32, 1.0:10>

// Weights that are not known, that don't fit a byte without their zero point, or
// rows of rows of a batch that is not known stay for linalg.
// CHECK-LABEL: func.func @others
// CHECK-NOT: int8
// CHECK: qnnpack.conv2d
// CHECK: qnnpack.conv2d
// CHECK: qnnpack.linear
func.func @others(%x: tensor<1x3x3x2x!x>, %w: tensor<2x1x1x2x!w>, %rows: tensor<?x3x3x2x!x>, %v: tensor<2x2x!w>) -> (tensor<1x3x3x2x!y>, tensor<1x3x3x2x!y>, tensor<?x3x3x2x!y>) {
  %a = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x3x2x!x>, tensor<2x1x1x2x!w> -> tensor<1x3x3x2x!y>
  %0 = arith.constant dense<-100> : tensor<2x1x1x2xi8>
  %1 = quant.scast %0 : tensor<2x1x1x2xi8> to tensor<2x1x1x2x!wide>
  %b = qnnpack.conv2d %x, %1 {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x3x2x!x>, tensor<2x1x1x2x!wide> -> tensor<1x3x3x2x!y>
  %2 = arith.constant dense<1> : tensor<2x2xi8>
  %3 = quant.scast %2 : tensor<2x2xi8> to tensor<2x2x!w>
  %c = qnnpack.linear %rows, %3 : tensor<?x3x3x2x!x>, tensor<2x2x!w> -> tensor<?x3x3x2x!y>
  return %a, %b, %c : tensor<1x3x3x2x!y>, tensor<1x3x3x2x!y>, tensor<?x3x3x2x!y>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
!y = !quant.uniform<u8:f32, 1.0:10>

// A batch that is not known is that of the result.
// CHECK-LABEL: func.func @batch
// CHECK: %[[X:.*]] = tensor.expand_shape {{.*}} output_shape [%{{.*}}, 1, 1, 2]
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[INIT:.*]] = tensor.empty(%[[N]]) : tensor<?x1x1x2xi8>
// CHECK: int8.conv2d(%[[X]], {{.*}}) into %[[INIT]]
// CHECK: tensor.collapse_shape {{.*}} : tensor<?x1x1x2xi8> into tensor<?x2xi8>
func.func @batch(%x: tensor<?x2x!x>) -> tensor<?x2x!y> {
  %0 = arith.constant dense<1> : tensor<2x2xi8>
  %w = quant.scast %0 : tensor<2x2xi8> to tensor<2x2x!w>
  %y = qnnpack.linear %x, %w : tensor<?x2x!x>, tensor<2x2x!w> -> tensor<?x2x!y>
  return %y : tensor<?x2x!y>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
!y = !quant.uniform<u8:f32, 1.0:10>

// The phases of a transposed convolution are outputs, each with its taps in the
// bias: -3 * 1, -3 * 2, ... Rows of them are pieces of rows of the result.
// CHECK-LABEL: func.func @transposed
// CHECK-DAG: arith.constant dense<[-3, -6, -9, -12]> : tensor<4xi32>
// CHECK-DAG: arith.constant dense<{{\[\[\[\[}}1{{\]\]\]}}, {{\[\[\[}}2{{\]\]\]}}, {{\[\[\[}}3{{\]\]\]}}, {{\[\[\[}}4{{\]\]\]\]}}> : tensor<4x1x1x1xi8>
// CHECK: int8.conv2d{{.*}} -> tensor<1x3x3x4xi8>
// CHECK: tensor.expand_shape {{.*}} output_shape [1, 3, 3, 2, 2]
// CHECK: linalg.transpose {{.*}} permutation = [0, 1, 3, 2, 4]
// CHECK: tensor.expand_shape {{.*}} output_shape [1, 6, 6, 1]
// CHECK-NOT: qnnpack
func.func @transposed(%x: tensor<1x3x3x1x!x>) -> tensor<1x6x6x1x!y> {
  %0 = arith.constant dense<[[[[1], [2]], [[3], [4]]]]> : tensor<1x2x2x1xi8>
  %w = quant.scast %0 : tensor<1x2x2x1xi8> to tensor<1x2x2x1x!w>
  %y = qnnpack.conv_transpose2d %x, %w {stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, output_padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x3x1x!x>, tensor<1x2x2x1x!w> -> tensor<1x6x6x1x!y>
  return %y : tensor<1x6x6x1x!y>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
!y = !quant.uniform<u8:f32, 1.0:10>

// More zeros than weights stay for linalg, and so do phases of single channels.
// CHECK-LABEL: func.func @left_transposed
// CHECK-NOT: int8.conv2d
// CHECK: qnnpack.conv_transpose2d
// CHECK: qnnpack.conv_transpose2d
func.func @left_transposed(%x: tensor<1x3x3x1x!x>, %z: tensor<1x3x3x2x!x>) -> (tensor<1x7x7x1x!y>, tensor<1x6x6x2x!y>) {
  %0 = arith.constant dense<1> : tensor<1x1x1x1xi8>
  %w = quant.scast %0 : tensor<1x1x1x1xi8> to tensor<1x1x1x1x!w>
  %a = qnnpack.conv_transpose2d %x, %w {stride = array<i64: 3, 3>, padding = array<i64: 0, 0, 0, 0>, output_padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x3x3x1x!x>, tensor<1x1x1x1x!w> -> tensor<1x7x7x1x!y>
  %1 = arith.constant dense<1> : tensor<2x2x2x1xi8>
  %v = quant.scast %1 : tensor<2x2x2x1xi8> to tensor<2x2x2x1x!w>
  %b = qnnpack.conv_transpose2d %z, %v {stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, output_padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64}
    : tensor<1x3x3x2x!x>, tensor<2x2x2x1x!w> -> tensor<1x6x6x2x!y>
  return %a, %b : tensor<1x7x7x1x!y>, tensor<1x6x6x2x!y>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
!y = !quant.uniform<u8:f32, 1.0:10>

// What the third dimension of a window reads are channels of one image.
// CHECK: #[[FROM:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d5, d2, d3, d4 * 2 + d6)>
// CHECK-LABEL: func.func @conv3d
// CHECK: %[[PADDED:.*]] = tensor.pad %{{.*}} low[0, 1, 0, 0, 0] high[0, 1, 0, 0, 0]
// CHECK: tensor.yield %c3_i8
// CHECK: linalg.generic {indexing_maps = [#[[FROM]], {{.*}} ins(%[[PADDED]]
// CHECK: tensor.collapse_shape {{.*}} into tensor<4x3x3x6xi8>
// CHECK-DAG: arith.constant dense<-63> : tensor<1xi32>
// CHECK-DAG: arith.constant dense<{{\[\[\[\[}}1, 2, 3, 4, 5, 6{{\]\]\]\]}}> : tensor<1x1x1x6xi8>
// CHECK: int8.conv2d
// CHECK: tensor.expand_shape {{.*}} output_shape [1, 4, 3, 3, 1]
func.func @conv3d(%x: tensor<1x4x3x3x2x!x>) -> tensor<1x4x3x3x1x!y> {
  %0 = arith.constant dense<[[[[[1, 2]]], [[[3, 4]]], [[[5, 6]]]]]> : tensor<1x3x1x1x2xi8>
  %w = quant.scast %0 : tensor<1x3x1x1x2xi8> to tensor<1x3x1x1x2x!w>
  %y = qnnpack.conv3d %x, %w {stride = array<i64: 1, 1, 1>, padding = array<i64: 1, 1, 0, 0, 0, 0>, dilation = array<i64: 1, 1, 1>, groups = 1 : i64}
    : tensor<1x4x3x3x2x!x>, tensor<1x3x1x1x2x!w> -> tensor<1x4x3x3x1x!y>
  return %y : tensor<1x4x3x3x1x!y>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
!y = !quant.uniform<u8:f32, 1.0:10>

// Small groups are one, with weights of 0 for each other's channels.
// CHECK-LABEL: func.func @small_groups
// CHECK: arith.constant dense<{{\[\[\[\[}}1, 0{{\]\]\]}}, {{\[\[\[}}2, 0{{\]\]\]}}, {{\[\[\[}}0, 3{{\]\]\]}}, {{\[\[\[}}0, 4{{\]\]\]\]}}> : tensor<4x1x1x2xi8>
// CHECK: int8.conv2d{{.*}} groups = 1
func.func @small_groups(%x: tensor<1x3x3x2x!x>) -> tensor<1x3x3x4x!y> {
  %0 = arith.constant dense<[[[[1]]], [[[2]]], [[[3]]], [[[4]]]]> : tensor<4x1x1x1xi8>
  %w = quant.scast %0 : tensor<4x1x1x1xi8> to tensor<4x1x1x1x!w>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64}
    : tensor<1x3x3x2x!x>, tensor<4x1x1x1x!w> -> tensor<1x3x3x4x!y>
  return %y : tensor<1x3x3x4x!y>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
!y = !quant.uniform<u8:f32, 1.0:10>

// Rows of padding are rows of the image where channels don't meet, of one image.
// CHECK-LABEL: func.func @depthwise
// CHECK: %[[ZERO:.*]] = arith.constant 3 : i8
// CHECK: %[[X:.*]] = tensor.pad %{{.*}} low[0, 1, 0, 0] high[0, 2, 0, 0]
// CHECK: tensor.yield %[[ZERO]]
// CHECK: tensor<1x3x3x2xi8> to tensor<1x6x3x2xi8>
// CHECK: int8.conv2d(%[[X]]{{.*}} groups = 2 : i64, pad_value = 3 : i64, padding = array<i64: 0, 0, 1, 0>
// CHECK-NOT: tensor.pad
// CHECK: int8.conv2d{{.*}} padding = array<i64: 1, 2, 1, 0>
func.func @depthwise(%x: tensor<1x3x3x2x!x>, %xs: tensor<2x3x3x2x!x>) -> (tensor<1x5x3x2x!y>, tensor<2x5x3x2x!y>) {
  %0 = arith.constant dense<1> : tensor<2x2x2x1xi8>
  %w = quant.scast %0 : tensor<2x2x2x1xi8> to tensor<2x2x2x1x!w>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 1, 2, 1, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64}
    : tensor<1x3x3x2x!x>, tensor<2x2x2x1x!w> -> tensor<1x5x3x2x!y>
  %ys = qnnpack.conv2d %xs, %w {stride = array<i64: 1, 1>, padding = array<i64: 1, 2, 1, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64}
    : tensor<2x3x3x2x!x>, tensor<2x2x2x1x!w> -> tensor<2x5x3x2x!y>
  return %y, %ys : tensor<1x5x3x2x!y>, tensor<2x5x3x2x!y>
}

// -----

!w = !quant.uniform<i8:f32, 0.25:1>

// Sums of a layer that quantizes its input when it runs: the zero point is not
// known before, and comes off them with the weights' sums, 0 + 1 and 2 - 5.
// CHECK-LABEL: func.func @linear_dynamic
// CHECK: %[[BYTES:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<?x3x2xf32>) outs(%{{[^ ]*}} : tensor<?x3x2xi8>)
// CHECK: %[[ROWS:.*]] = tensor.expand_shape %[[BYTES]] {{.*}} : tensor<?x3x2xi8> into tensor<?x1x3x2xi8>
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[\[\[}}0, 1{{\]\]\]}}, {{\[\[\[}}2, -5{{\]\]\]\]}}> : tensor<2x1x1x2xi8>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<0> : tensor<2xi32>
// CHECK: int8.conv2d(%[[ROWS]], %[[W]], %[[B]]) into %{{.*}} : (tensor<?x1x3x2xi8>, tensor<2x1x1x2xi8>, tensor<2xi32>) into tensor<?x1x3x2xi32>
// CHECK: arith.constant dense<[1, -3]> : tensor<2xi32>
// CHECK: linalg.generic
// CHECK-NOT: qnnpack
func.func @linear_dynamic(%x: tensor<?x3x2xf32>, %b: tensor<2xf32>) -> tensor<?x3x2xf32> {
  %0 = arith.constant dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>
  %w = quant.scast %0 : tensor<2x2xi8> to tensor<2x2x!w>
  %y = qnnpack.linear_dynamic %x, %w, %b : tensor<?x3x2xf32>, tensor<2x2x!w>, tensor<2xf32> -> tensor<?x3x2xf32>
  return %y : tensor<?x3x2xf32>
}

// -----

!w = !quant.uniform<i8:f32, 0.25:-100>

// No kernel: weights that are no constant, w' beyond a byte, rows of rows of
// unknown number.
// CHECK-LABEL: func.func @linear_dynamic_stays
// CHECK-COUNT-3: qnnpack.linear_dynamic
// CHECK-NOT: int8.conv2d
func.func @linear_dynamic_stays(%x: tensor<3x2xf32>, %w: tensor<2x2x!w>, %rows: tensor<?x3x4x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<?x3x4x2xf32>) {
  %0 = arith.constant dense<[[1, 2], [3, 104]]> : tensor<2x2xi8>
  %v = quant.scast %0 : tensor<2x2xi8> to tensor<2x2x!w>
  %1 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %u = quant.scast %1 : tensor<2x2xi8> to tensor<2x2x!w>
  %a = qnnpack.linear_dynamic %x, %w : tensor<3x2xf32>, tensor<2x2x!w> -> tensor<3x2xf32>
  %b = qnnpack.linear_dynamic %x, %v : tensor<3x2xf32>, tensor<2x2x!w> -> tensor<3x2xf32>
  %c = qnnpack.linear_dynamic %rows, %u : tensor<?x3x4x2xf32>, tensor<2x2x!w> -> tensor<?x3x4x2xf32>
  return %a, %b, %c : tensor<3x2xf32>, tensor<3x2xf32>, tensor<?x3x4x2xf32>
}

// -----

!x = !quant.uniform<i8:f32, 1.0:-5>
!w = !quant.uniform<i8:f32:0, {0.00390625, 0.001953125}>
!y = !quant.uniform<i8:f32, 1.0:10>
!z = !quant.uniform<i8:f32, 1.0:3>
#fixed = #qnnpack.requantization<rounding = double, multiplier = [1073741824, 1073741825], shift = [38, 39]>
#operand = #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [11]>
#result = #qnnpack.requantization<rounding = double, multiplier = [1431655765], shift = [50]>

// Fixed-point multipliers are in i64: the shift less 1, 37 and 38, over 2^30. A sum with
// requantizations is part of the kernel, with 2/3 of each operand in 22 bits.
// CHECK-LABEL: func.func @fixed_point
// CHECK-DAG: arith.constant dense<[159987531776, 164282499073]> : tensor<2xi64>
// CHECK: int8.conv2d
// CHECK-SAME: add = #int8.add<lhs = 2796203, rhs = 2796203, offset = 13981015, shift = 22, half_up = true, zero_point = 3, lo = -128, hi = 127>
// CHECK-SAME: requantize = #int8.requantize<zero_point = 10, lo = -128, hi = 127, overflow = 127, rounding = double>
// CHECK-NOT: qnnpack.conv2d
// CHECK-NOT: qnnpack.add
func.func @fixed_point(%x: tensor<1x3x3x2x!x>) -> tensor<1x3x3x2x!z> {
  %0 = arith.constant dense<[[[[1, 2]]], [[[3, -4]]]]> : tensor<2x1x1x2xi8>
  %w = quant.scast %0 : tensor<2x1x1x2xi8> to tensor<2x1x1x2x!w>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, requantization = #fixed}
    : tensor<1x3x3x2x!x>, tensor<2x1x1x2x!w> -> tensor<1x3x3x2x!y>
  %z = qnnpack.add %x, %y {requantization = #result, lhs_requantization = #operand, rhs_requantization = #operand} : tensor<1x3x3x2x!x>, tensor<1x3x3x2x!y> -> tensor<1x3x3x2x!z>
  return %z : tensor<1x3x3x2x!z>
}

// -----

!x = !quant.uniform<i16:f32, 1.0>
!w = !quant.uniform<i8:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>

// Sums of 16-bit activations that fit 32 bits: 32768 * 127 * 512 + 16777215 is
// 2^31 - 1. With one more in the bias they don't, and the layer stays.
// CHECK-LABEL: func.func @sixteen_bits
// CHECK: int8.conv2d({{.*}} pad_value = 0 : i64, {{.*}} requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 30000, overflow = 30000, rounding = half_up>, {{.*}} : (tensor<1x1x1x512xi16>, tensor<2x1x1x512xi8>, tensor<2xi32>, tensor<2xi64>) into tensor<1x1x1x2xi16>
// CHECK-NOT: qnnpack.clamp
// CHECK: qnnpack.linear
func.func @sixteen_bits(%x: tensor<1x512x!x>) -> (tensor<1x2x!x>, tensor<1x2x!x>) {
  %0 = arith.constant dense<-127> : tensor<2x512xi8>
  %w = quant.scast %0 : tensor<2x512xi8> to tensor<2x512x!w>
  %b = arith.constant dense<[3, -16777215]> : tensor<2xi64>
  %y = qnnpack.linear %x, %w, %b {requantization = #wide, relu} : tensor<1x512x!x>, tensor<2x512x!w>, tensor<2xi64> -> tensor<1x2x!x>
  %c = qnnpack.clamp %y {min = -7.0 : f32, max = 30000.0 : f32} : tensor<1x2x!x> -> tensor<1x2x!x>
  %large = arith.constant dense<[16777216, -3]> : tensor<2xi64>
  %d = qnnpack.linear %x, %w, %large {requantization = #wide} : tensor<1x512x!x>, tensor<2x512x!w>, tensor<2xi64> -> tensor<1x2x!x>
  return %c, %d : tensor<1x2x!x>, tensor<1x2x!x>
}
