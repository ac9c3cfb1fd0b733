// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:2>
!s8 = !quant.uniform<i8:f32, 0.25>
!z8 = !quant.uniform<i8:f32, 0.25:-100>
!y8 = !quant.uniform<u8:f32, 1.0:7>

// CHECK-DAG: #[[$X1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2 + d2 * 3, d3)>
// CHECK-DAG: #[[$X3:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 * 2 + d4, d2 + d5, d3 + d6 * 2, d7)>
// CHECK-DAG: #[[$XT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d2, d3)>
// CHECK-DAG: #[[$WT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>

// The weight is [taps, in, out]. Its sums, 3 and 7, times the zero point 2 are
// taken off the bias.
// CHECK-LABEL: @conv1d
// CHECK-DAG: dense<{{\[\[\[}}1, 3]], {{\[\[}}2, 4]]]> : tensor<2x1x2xi8>
// CHECK-DAG: dense<[4, 6]> : tensor<2xi32>
// CHECK-DAG: %[[Z:.*]] = arith.constant 2 : i8
// CHECK: tensor.pad %{{.*}} low[0, 1, 0] high[0, 2, 0]
// CHECK: tensor.yield %[[Z]]
// CHECK: tensor<?x8x1xi8> to tensor<?x11x1xi8>
// CHECK: linalg.generic {indexing_maps = [#[[$X1]],
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction", "reduction", "parallel"]
func.func @conv1d(%x: tensor<?x8x1x!u8>) -> tensor<?x4x2x!y8> {
  %wi = arith.constant dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi8>
  %w = quant.scast %wi : tensor<2x2x1xi8> to tensor<2x2x1x!s8>
  %b = arith.constant dense<[10, 20]> : tensor<2xi32>
  %y = qnnpack.conv1d %x, %w, %b {stride = array<i64: 2>, padding = array<i64: 1, 2>, dilation = array<i64: 3>, groups = 1 : i64}
    : tensor<?x8x1x!u8>, tensor<2x2x1x!s8>, tensor<2xi32> -> tensor<?x4x2x!y8>
  return %y : tensor<?x4x2x!y8>
}

// CHECK-LABEL: @conv3d
// CHECK-NOT: tensor.pad
// CHECK: linalg.generic {indexing_maps = [#[[$X3]],
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "parallel"]
func.func @conv3d(%x: tensor<?x4x5x6x3x!u8>, %w: tensor<3x2x2x2x1x!s8>) -> tensor<?x2x4x4x3x!y8> {
  %y = qnnpack.conv3d %x, %w {stride = array<i64: 2, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0>, dilation = array<i64: 1, 1, 2>, groups = 3 : i64}
    : tensor<?x4x5x6x3x!u8>, tensor<3x2x2x2x1x!s8> -> tensor<?x2x4x4x3x!y8>
  return %y : tensor<?x2x4x4x3x!y8>
}

// Stride 2 has two phases: taps 2 and 0, and a zero and tap 1. They are two output
// channels, which are pixels afterwards. Their sums are 1 + 3 = 4 and 2, and their
// biases 100 - 2 * 4 and 100 - 2 * 2. Pixels that only the zero reaches hold
// 100 - 2 * 2 + 2 * 2.
// CHECK-LABEL: @transposed
// CHECK-DAG: dense<{{\[\[\[}}3, 0]], {{\[\[}}1, 2]]]> : tensor<2x1x2xi8>
// CHECK-DAG: dense<[92, 96]> : tensor<2xi32>
// CHECK: tensor.pad %{{.*}} low[0, 1, 0] high[0, 1, 0]
// CHECK: linalg.broadcast ins(%{{.*}} : tensor<2xi32>) outs(%{{[^ ]*}} : tensor<?x5x2xi32>) dimensions = [0, 1]
// CHECK: linalg.generic {indexing_maps = [#[[$XT]], #[[$WT]],
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction", "reduction", "parallel"]
// CHECK: linalg.transpose {{.*}} outs(%{{[^ ]*}} : tensor<?x5x2x1x1xi32>) permutation = [0, 1, 3, 2, 4]
// CHECK: tensor.collapse_shape %{{.*}} : tensor<?x5x2x1x1xi32> into tensor<?x10x1xi32>
// CHECK: tensor.extract_slice %{{.*}}[0, 1, 0] [%{{.*}}, 8, 1] [1, 1, 1]
func.func @transposed(%x: tensor<?x4x1x!u8>) -> tensor<?x8x1x!y8> {
  %wi = arith.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi8>
  %w = quant.scast %wi : tensor<1x3x1xi8> to tensor<1x3x1x!s8>
  %b = arith.constant dense<[100]> : tensor<1xi32>
  %y = qnnpack.conv_transpose1d %x, %w, %b {stride = array<i64: 2>, padding = array<i64: 1, 1>, output_padding = array<i64: 1>, dilation = array<i64: 1>, groups = 1 : i64}
    : tensor<?x4x1x!u8>, tensor<1x3x1x!s8>, tensor<1xi32> -> tensor<?x8x1x!y8>
  return %y : tensor<?x8x1x!y8>
}

// A stride of 1 has one phase, all of which is the result.
// CHECK-LABEL: @transposed_stride1
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @transposed_stride1(%x: tensor<1x4x1x!u8>) -> tensor<1x6x1x!y8> {
  %wi = arith.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi8>
  %w = quant.scast %wi : tensor<1x3x1xi8> to tensor<1x3x1x!s8>
  %y = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64}
    : tensor<1x4x1x!u8>, tensor<1x3x1x!s8> -> tensor<1x6x1x!y8>
  return %y : tensor<1x6x1x!y8>
}

// A weight that is not a constant: its zero point goes first, so that the
// zeros between the taps are none of its integers.
// CHECK-LABEL: @transposed_argument
// CHECK: arith.subi %{{.*}}, %{{[^ ]*}} : i16
// CHECK: linalg.fill {{.*}} outs(%{{[^ ]*}} : tensor<1x4x1xi16>)
// CHECK: tensor.insert_slice {{.*}} : tensor<1x3x1xi16> into tensor<1x4x1xi16>
// CHECK: tensor.expand_shape {{.*}} : tensor<1x4x1xi16> into tensor<1x2x2x1xi16>
// CHECK: tensor.extract %{{.*}} : tensor<1x2x2x1xi16>
// CHECK: linalg.transpose {{.*}} outs(%{{[^ ]*}} : tensor<2x1x1x2x1xi16>) permutation = [2, 0, 4, 3, 1]
// CHECK: tensor.collapse_shape {{.*}} : tensor<2x1x1x2x1xi16> into tensor<2x1x2xi16>
// CHECK: linalg.generic {indexing_maps = [#[[$XT]], #[[$WT]],
func.func @transposed_argument(%x: tensor<?x4x1x!u8>, %w: tensor<1x3x1x!z8>) -> tensor<?x8x1x!y8> {
  %y = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 2>, padding = array<i64: 1, 1>, output_padding = array<i64: 1>, dilation = array<i64: 1>, groups = 1 : i64}
    : tensor<?x4x1x!u8>, tensor<1x3x1x!z8> -> tensor<?x8x1x!y8>
  return %y : tensor<?x8x1x!y8>
}

// 1 - (-100) doesn't fit a byte.
// CHECK-LABEL: @weight_zero_point
// CHECK-DAG: dense<{{.*}}> : tensor<1x1x2xi16>
// CHECK-DAG: dense<[-202, -440]> : tensor<2xi32>
func.func @weight_zero_point(%x: tensor<?x8x1x!u8>) -> tensor<?x8x2x!y8> {
  %wi = arith.constant dense<[[[1]], [[120]]]> : tensor<2x1x1xi8>
  %w = quant.scast %wi : tensor<2x1x1xi8> to tensor<2x1x1x!z8>
  %y = qnnpack.conv1d %x, %w {stride = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>, groups = 1 : i64}
    : tensor<?x8x1x!u8>, tensor<2x1x1x!z8> -> tensor<?x8x2x!y8>
  return %y : tensor<?x8x2x!y8>
}

// A multiplier of 4: products can exceed 2^31. The engine gives 0 - 7 for these,
// the operator 255 - 7.
!big = !quant.uniform<u8:f32, 16.0:2>
// CHECK-LABEL: @overflow
// CHECK: %[[BOUND:.*]] = arith.constant 2.14748365E+9 : f32
// CHECK: arith.cmpf olt, %{{.*}}, %[[BOUND]]
// CHECK: %[[LO:.*]] = arith.constant -7.000000e+00 : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[LO]]
// CHECK: return
func.func @overflow(%x: tensor<1x4x!big>, %w: tensor<5x4x!s8>) -> tensor<1x5x!y8> {
  %y = qnnpack.linear %x, %w : tensor<1x4x!big>, tensor<5x4x!s8> -> tensor<1x5x!y8>
  return %y : tensor<1x5x!y8>
}

// CHECK-LABEL: @overflow_mathematical
// CHECK: arith.cmpf olt
// CHECK: %[[HI:.*]] = arith.constant 2.480000e+02 : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[HI]]
// CHECK: return
func.func @overflow_mathematical(%x: tensor<1x4x!big>, %w: tensor<5x4x!s8>) -> tensor<1x5x!y8> {
  %y = qnnpack.linear %x, %w {mathematical} : tensor<1x4x!big>, tensor<5x4x!s8> -> tensor<1x5x!y8>
  return %y : tensor<1x5x!y8>
}

// The range in two reductions, the parameters in double, and the sums of the
// constant weight, 1 + 2 and 3 + 4, times the zero point.
// CHECK-LABEL: @linear_dynamic
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%{{.*}} : tensor<?x2xf32>) outs(%{{[^ ]*}} : tensor<f32>)
// CHECK: arith.minimumf
// CHECK: arith.maximumf
// CHECK: arith.divf %{{.*}}, %{{[^ ]*}} : f64
// CHECK: math.roundeven %{{[^ ]*}} : f64
// CHECK: %[[ZP:.*]] = arith.fptosi %{{[^ ]*}} : f64 to i32
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x2xf32>) outs(%{{[^ ]*}} : tensor<?x2xi8>)
// CHECK: %[[WEIGHTS:.*]] = arith.constant dense<[3, 7]> : tensor<2xi32>
// CHECK: arith.extui
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[WEIGHTS]], %{{.*}}, %{{[^ ]*}} : tensor<?x2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>)
// CHECK: arith.muli %{{.*}}, %[[ZP]] : i32
// CHECK: arith.subi
// CHECK: arith.sitofp
// CHECK-NOT: fma
// CHECK: arith.mulf
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @linear_dynamic(%x: tensor<?x2xf32>, %b: tensor<2xf32>) -> tensor<?x2xf32> {
  %wi = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %w = quant.scast %wi : tensor<2x2xi8> to tensor<2x2x!s8>
  %y = qnnpack.linear_dynamic %x, %w, %b : tensor<?x2xf32>, tensor<2x2x!s8>, tensor<2xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// One pixel: as many phases as the kernel has taps, however long the stride.
// CHECK-LABEL: @transposed_pixel
// CHECK-DAG: tensor<1x1x2xi8>
// CHECK-NOT: tensor.pad
// CHECK: return
func.func @transposed_pixel(%x: tensor<1x1x1x!u8>) -> tensor<1x2x1x!y8> {
  %wi = arith.constant dense<[[[1], [2]]]> : tensor<1x2x1xi8>
  %w = quant.scast %wi : tensor<1x2x1xi8> to tensor<1x2x1x!s8>
  %y = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 2147483647>, padding = array<i64: 0, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 1 : i64}
    : tensor<1x1x1x!u8>, tensor<1x2x1x!s8> -> tensor<1x2x1x!y8>
  return %y : tensor<1x2x1x!y8>
}

// Sums of 16-bit activations are in 64 bits, and so is the bias.
!x16 = !quant.uniform<i16:f32, 1.0>
#wide = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>
// CHECK-LABEL: @sixteen_bits
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[-35184372088832, 9]> : tensor<2xi64>
// CHECK-DAG: arith.constant 0 : i16
// CHECK: tensor.pad
// CHECK: linalg.broadcast ins(%[[B]] : tensor<2xi64>)
// CHECK: linalg.generic
// CHECK: arith.extsi %{{.*}} : i16 to i64
// CHECK: arith.extsi %{{.*}} : i8 to i64
// CHECK: arith.muli %{{.*}} : i64
// CHECK: linalg.generic
// CHECK-NOT: extsi
// CHECK: arith.muli %{{.*}} : i64
// CHECK: arith.shrsi %{{.*}} : i64
// CHECK: arith.trunci %{{.*}} : i64 to i32
// CHECK: arith.maxsi
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: linalg.generic
// CHECK: arith.minsi %{{.*}} : i16
func.func @sixteen_bits(%x: tensor<?x8x1x!x16>) -> tensor<?x8x2x!x16> {
  %wi = arith.constant dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi8>
  %w = quant.scast %wi : tensor<2x2x1xi8> to tensor<2x2x1x!s8>
  %b = arith.constant dense<[-35184372088832, 9]> : tensor<2xi64>
  %y = qnnpack.conv1d %x, %w, %b {stride = array<i64: 1>, padding = array<i64: 1, 0>, dilation = array<i64: 1>, groups = 1 : i64, requantization = #wide}
    : tensor<?x8x1x!x16>, tensor<2x2x1x!s8>, tensor<2xi64> -> tensor<?x8x2x!x16>
  %c = qnnpack.clamp %y {min = -40000.0 : f32, max = 30000.0 : f32} : tensor<?x8x2x!x16> -> tensor<?x8x2x!x16>
  return %c : tensor<?x8x2x!x16>
}
