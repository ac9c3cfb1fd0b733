// RUN: qbackend-opt %s --convert-tosa-to-qnnpack | FileCheck %s

// What upstream's tosa-to-linalg passes write is read as the TOSA that it was.

#channel = affine_map<(d0, d1, d2, d3) -> (d3)>
#element = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#row = affine_map<(d0, d1, d2) -> (d2)>
#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#pixel = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>

// The padding is that of the kernel: it is the zero point. 3 - 10 and 120 - 10.
// CHECK-LABEL: func.func @conv2d
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x2x2xi8>) -> tensor<1x3x3x2xi8>
// CHECK-DAG: %[[Q:.*]] = quant.scast %[[X]] : tensor<1x2x2x2xi8> to tensor<1x2x2x2x!quant.uniform<i8:f32, 1.000000e+00:-5>>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[7, -9]> : tensor<2xi32>
// CHECK: %[[C:.*]] = qnnpack.conv2d %[[Q]], %{{.*}}, %[[B]] {{.*}} padding = array<i64: 1, 1, 1, 1>, requantization = #qnnpack.requantization<rounding = double, multiplier = [1073741824, 1073741824], shift = [38, 39]>, stride = array<i64: 1, 1>}
// CHECK-SAME: -> tensor<1x3x3x2x!quant.uniform<i8:f32, 1.000000e+00:10>>
// CHECK: %[[K:.*]] = qnnpack.clamp %[[C]] {max = 1.100000e+02 : f32, min = -7.000000e+00 : f32}
// CHECK: %[[Y:.*]] = quant.scast %[[K]]
// CHECK: return %[[Y]]
// CHECK-NOT: {{linalg|tosa|tensor}}.
func.func @conv2d(%x: tensor<1x2x2x2xi8>) -> tensor<1x3x3x2xi8> {
  %zx = arith.constant -5 : i8
  %zx32 = arith.constant -5 : i32
  %z = arith.constant 0 : i32
  %zy = arith.constant 10 : i32
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  %least = arith.constant 3 : i8
  %most = arith.constant 120 : i8
  %w = arith.constant dense<3> : tensor<2x2x2x2xi8>
  %b = arith.constant dense<[7, -9]> : tensor<2xi32>
  %m = arith.constant dense<1073741824> : tensor<2xi32>
  %s = arith.constant dense<[38, 39]> : tensor<2xi8>
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zx : i8
  } : tensor<1x2x2x2xi8> to tensor<1x4x4x2xi8>
  %e32 = tensor.empty() : tensor<1x3x3x2xi32>
  %e8 = tensor.empty() : tensor<1x3x3x2xi8>
  %bias = linalg.generic {indexing_maps = [#channel, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%b : tensor<2xi32>) outs(%e32 : tensor<1x3x3x2xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<1x3x3x2xi32>
  %sums = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded, %w, %zx32, %z : tensor<1x4x4x2xi8>, tensor<2x2x2x2xi8>, i32, i32) outs(%bias : tensor<1x3x3x2xi32>) -> tensor<1x3x3x2xi32>
  %bytes = linalg.generic {indexing_maps = [#element, #channel, #channel, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sums, %m, %s : tensor<1x3x3x2xi32>, tensor<2xi32>, tensor<2xi8>) outs(%e8 : tensor<1x3x3x2xi8>) {
  ^bb0(%in: i32, %each: i32, %places: i8, %out: i8):
    %0 = tosa.apply_scale %in, %each, %places {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.addi %0, %zy : i32
    %2 = arith.maxsi %1, %lo : i32
    %3 = arith.minsi %2, %hi : i32
    %4 = arith.trunci %3 : i32 to i8
    linalg.yield %4 : i8
  } -> tensor<1x3x3x2xi8>
  %clamped = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%bytes : tensor<1x3x3x2xi8>) outs(%e8 : tensor<1x3x3x2xi8>) {
  ^bb0(%in: i8, %out: i8):
    %0 = arith.maxsi %in, %least : i8
    %1 = arith.minsi %0, %most : i8
    linalg.yield %1 : i8
  } -> tensor<1x3x3x2xi8>
  return %clamped : tensor<1x3x3x2xi8>
}

// Rounding twice as arithmetic of 64 bits, for channels on either side of a shift of
// 31; limits of the body that are narrower than bytes are a clamp.
// CHECK-LABEL: func.func @arithmetic
// CHECK: qnnpack.conv2d {{.*}} groups = 2 : i64, {{.*}}rounding = double, multiplier = [1073741824, 1500000000], shift = [38, 31]
// CHECK: qnnpack.clamp {{.*}}{max = 1.000000e+02 : f32, min = 0.000000e+00 : f32}
// CHECK-NOT: linalg.
func.func @arithmetic(%x: tensor<?x4x4x2xi8>, %e5: tensor<?x4x4x2x1xi32>, %e32: tensor<?x4x4x2xi32>, %e8: tensor<?x4x4x2xi8>) -> tensor<?x4x4x2xi8> {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %up = arith.constant 1073741824 : i64
  %down = arith.constant -1073741824 : i64
  %c31 = arith.constant 31 : i32
  %zy = arith.constant -20 : i32
  %lo = arith.constant -20 : i32
  %hi = arith.constant 80 : i32
  %w = arith.constant dense<[[[[1], [2]]]]> : tensor<1x1x2x1xi8>
  %b = arith.constant dense<[7, -9]> : tensor<2xi32>
  %m = arith.constant dense<[1073741824, 1500000000]> : tensor<2xi32>
  %s = arith.constant dense<[38, 31]> : tensor<2xi8>
  %fill = linalg.fill ins(%z : i32) outs(%e5 : tensor<?x4x4x2x1xi32>) -> tensor<?x4x4x2x1xi32>
  %products = linalg.depthwise_conv_2d_nhwc_hwcm_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %z, %z : tensor<?x4x4x2xi8>, tensor<1x1x2x1xi8>, i32, i32) outs(%fill : tensor<?x4x4x2x1xi32>) -> tensor<?x4x4x2x1xi32>
  %collapsed = tensor.collapse_shape %products [[0], [1], [2], [3, 4]] : tensor<?x4x4x2x1xi32> into tensor<?x4x4x2xi32>
  %sums = linalg.generic {indexing_maps = [#channel, #element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%b, %collapsed : tensor<2xi32>, tensor<?x4x4x2xi32>) outs(%e32 : tensor<?x4x4x2xi32>) {
  ^bb0(%in: i32, %sum: i32, %out: i32):
    %0 = arith.addi %in, %sum : i32
    linalg.yield %0 : i32
  } -> tensor<?x4x4x2xi32>
  %bytes = linalg.generic {indexing_maps = [#element, #channel, #channel, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sums, %m, %s : tensor<?x4x4x2xi32>, tensor<2xi32>, tensor<2xi8>) outs(%e8 : tensor<?x4x4x2xi8>) {
  ^bb0(%in: i32, %each: i32, %places: i8, %out: i8):
    %0 = arith.extui %places : i8 to i32
    %1 = arith.extsi %in : i32 to i64
    %2 = arith.extsi %each : i32 to i64
    %3 = arith.muli %1, %2 : i64
    %4 = arith.extui %places : i8 to i64
    %5 = arith.shli %one, %4 : i64
    %6 = arith.shrui %5, %one : i64
    %7 = arith.addi %3, %6 : i64
    %8 = arith.cmpi sge, %in, %z : i32
    %9 = arith.select %8, %up, %down : i64
    %10 = arith.addi %9, %7 : i64
    %11 = arith.cmpi sgt, %0, %c31 : i32
    %12 = arith.select %11, %10, %7 : i64
    %13 = arith.shrsi %12, %4 : i64
    %14 = arith.trunci %13 : i64 to i32
    %15 = arith.addi %14, %zy : i32
    %16 = arith.maxsi %15, %lo : i32
    %17 = arith.minsi %16, %hi : i32
    %18 = arith.trunci %17 : i32 to i8
    linalg.yield %18 : i8
  } -> tensor<?x4x4x2xi8>
  return %bytes : tensor<?x4x4x2xi8>
}

// CHECK-LABEL: func.func @matmul
// CHECK-DAG: arith.constant dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi8>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[5, 6]> : tensor<2xi32>
// CHECK: qnnpack.linear %{{.*}}, %{{.*}}, %[[B]] {requantization = #qnnpack.requantization<rounding = half_up, multiplier = [1073741824], shift = [33]>}
// CHECK-NOT: linalg.
func.func @matmul(%x: tensor<1x5x2xi8>) -> tensor<1x5x2xi8> {
  %z = arith.constant 0 : i32
  %zw = arith.constant 2 : i32
  %m = arith.constant 1073741824 : i32
  %s = arith.constant 33 : i8
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  %w = arith.constant dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi8>
  %b = arith.constant dense<[5, 6]> : tensor<2xi32>
  %e32 = tensor.empty() : tensor<1x5x2xi32>
  %e8 = tensor.empty() : tensor<1x5x2xi8>
  %fill = linalg.fill ins(%z : i32) outs(%e32 : tensor<1x5x2xi32>) -> tensor<1x5x2xi32>
  %products = linalg.quantized_batch_matmul ins(%x, %w, %z, %zw : tensor<1x5x2xi8>, tensor<1x2x2xi8>, i32, i32) outs(%fill : tensor<1x5x2xi32>) -> tensor<1x5x2xi32>
  %sums = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel", "parallel"]} ins(%products, %b : tensor<1x5x2xi32>, tensor<2xi32>) outs(%e32 : tensor<1x5x2xi32>) {
  ^bb0(%in: i32, %each: i32, %out: i32):
    %0 = arith.addi %in, %each : i32
    linalg.yield %0 : i32
  } -> tensor<1x5x2xi32>
  %bytes = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sums : tensor<1x5x2xi32>) outs(%e8 : tensor<1x5x2xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = tosa.apply_scale %in, %m, %s {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.maxsi %0, %lo : i32
    %2 = arith.minsi %1, %hi : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  } -> tensor<1x5x2xi8>
  return %bytes : tensor<1x5x2xi8>
}

// A product with one number for each channel.
// CHECK-LABEL: func.func @mul
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x2x3xi8>, %[[Y:.*]]: tensor<1x1x1x3xi8>)
// CHECK-DAG: %[[A:.*]] = quant.scast %[[X]] : tensor<1x2x2x3xi8> to tensor<1x2x2x3x!quant.uniform<i8:f32, 1.000000e+00:-7>>
// CHECK-DAG: %[[B:.*]] = quant.scast %[[Y]] : tensor<1x1x1x3xi8> to tensor<1x1x1x3x!quant.uniform<i8:f32, 1.000000e+00>>
// CHECK: qnnpack.mul %[[A]], %[[B]] {requantization = #qnnpack.requantization<rounding = double, multiplier = [1500000000], shift = [38]>}
// CHECK-NOT: linalg.
func.func @mul(%x: tensor<1x2x2x3xi8>, %y: tensor<1x1x1x3xi8>) -> tensor<1x2x2x3xi8> {
  %zx = arith.constant -7 : i32
  %one = arith.constant 1073741824 : i32
  %s30 = arith.constant 30 : i8
  %m = arith.constant 1500000000 : i32
  %s = arith.constant 38 : i8
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  %e = tensor.empty() : tensor<1x2x2x3xi32>
  %f = tensor.empty() : tensor<1x1x1x3xi32>
  %e8 = tensor.empty() : tensor<1x2x2x3xi8>
  %a = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x2x2x3xi8>) outs(%e : tensor<1x2x2x3xi32>) {
  ^bb0(%in: i8, %out: i32):
    %0 = arith.extsi %in : i8 to i32
    %1 = arith.subi %0, %zx : i32
    %2 = tosa.apply_scale %1, %one, %s30 {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
    linalg.yield %2 : i32
  } -> tensor<1x2x2x3xi32>
  %b = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y : tensor<1x1x1x3xi8>) outs(%f : tensor<1x1x1x3xi32>) {
  ^bb0(%in: i8, %out: i32):
    %0 = arith.extsi %in : i8 to i32
    %1 = tosa.apply_scale %0, %one, %s30 {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
    linalg.yield %1 : i32
  } -> tensor<1x1x1x3xi32>
  %p = linalg.generic {indexing_maps = [#element, #pixel, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a, %b : tensor<1x2x2x3xi32>, tensor<1x1x1x3xi32>) outs(%e : tensor<1x2x2x3xi32>) {
  ^bb0(%in: i32, %other: i32, %out: i32):
    %0 = arith.muli %in, %other : i32
    linalg.yield %0 : i32
  } -> tensor<1x2x2x3xi32>
  %bytes = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%p : tensor<1x2x2x3xi32>) outs(%e8 : tensor<1x2x2x3xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = tosa.apply_scale %in, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.maxsi %0, %lo : i32
    %2 = arith.minsi %1, %hi : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  } -> tensor<1x2x2x3xi8>
  return %bytes : tensor<1x2x2x3xi8>
}

// A transposed convolution, as upstream decomposes it: its 4 phases of 2 channels are
// channels of another one, whose bytes are moved. The bias behind the movement is that of
// each phase, and what asks the moved sums for their size asks the bytes.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: (%[[X:.*]]: tensor<?x2x2x2xi8>)
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[7, -9, 7, -9, 7, -9, 7, -9]> : tensor<8xi32>
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[\[\[}}1, 2]]], {{.*}}, {{\[\[\[}}15, 16]]]]> : tensor<8x1x1x2xi8>
// CHECK: %[[C:.*]] = qnnpack.conv2d {{.*}}, %[[B]] {{.*}}multiplier = [1073741824, 1073741825, 1073741824, 1073741825, 1073741824, 1073741825, 1073741824, 1073741825], shift = [38, 39, 38, 39, 38, 39, 38, 39]
// CHECK: %[[K:.*]] = qnnpack.clamp %[[C]]
// CHECK: %[[Y:.*]] = quant.scast %[[K]] : {{.*}} to tensor<?x2x2x8xi8>
// CHECK: %[[N:.*]] = tensor.dim %[[Y]]
// CHECK: %[[E:.*]] = tensor.expand_shape %[[Y]] {{\[}}[0], [1], [2], [3, 4, 5]] output_shape [%[[N]], 2, 2, 2, 2, 2]
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[E]] {{.*}} permutation = [0, 1, 3, 2, 4, 5]
// CHECK: %[[M:.*]] = tensor.collapse_shape %[[T]] {{\[}}[0], [1, 2], [3, 4], [5]] : tensor<?x2x2x2x2x2xi8> into tensor<?x4x4x2xi8>
// CHECK: %[[S:.*]] = tensor.extract_slice %[[M]][0, 1, 0, 0] [%{{.*}}, 3, 4, 2] [1, 1, 1, 1]
// CHECK-NOT: xi32>
// CHECK: tensor.empty(%{{.*}}) : tensor<?x3xi8>
// CHECK: return %[[S]]
func.func @transposed(%x: tensor<?x2x2x2xi8>) -> (tensor<?x3x4x2xi8>, tensor<?x3xi8>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %lo = arith.constant -128 : i32
  %hi = arith.constant 100 : i32
  %w = arith.constant dense<[[[[1, 2]]], [[[3, 4]]], [[[5, 6]]], [[[7, 8]]], [[[9, 10]]], [[[11, 12]]], [[[13, 14]]], [[[15, 16]]]]> : tensor<8x1x1x2xi8>
  %b = arith.constant dense<[[[[7, -9]]]]> : tensor<1x1x1x2xi32>
  %m = arith.constant dense<[1073741824, 1073741825]> : tensor<2xi32>
  %s = arith.constant dense<[38, 39]> : tensor<2xi8>
  %n = tensor.dim %x, %c0 : tensor<?x2x2x2xi8>
  %e = tensor.empty(%n) : tensor<?x2x2x8xi32>
  %zeros = linalg.fill ins(%z : i32) outs(%e : tensor<?x2x2x8xi32>) -> tensor<?x2x2x8xi32>
  %c = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<?x2x2x2xi8>, tensor<8x1x1x2xi8>) outs(%zeros : tensor<?x2x2x8xi32>) -> tensor<?x2x2x8xi32>
  %cn = tensor.dim %c, %c0 : tensor<?x2x2x8xi32>
  %expanded = tensor.expand_shape %c [[0], [1], [2], [3, 4, 5]] output_shape [%cn, 2, 2, 2, 2, 2] : tensor<?x2x2x8xi32> into tensor<?x2x2x2x2x2xi32>
  %te = tensor.empty(%cn) : tensor<?x2x2x2x2x2xi32>
  %t = linalg.transpose ins(%expanded : tensor<?x2x2x2x2x2xi32>) outs(%te : tensor<?x2x2x2x2x2xi32>) permutation = [0, 1, 3, 2, 4, 5]
  %collapsed = tensor.collapse_shape %t [[0], [1, 2], [3, 4], [5]] : tensor<?x2x2x2x2x2xi32> into tensor<?x4x4x2xi32>
  %tn = tensor.dim %collapsed, %c0 : tensor<?x4x4x2xi32>
  %slice = tensor.extract_slice %collapsed[0, 1, 0, 0] [%tn, 3, 4, 2] [1, 1, 1, 1] : tensor<?x4x4x2xi32> to tensor<?x3x4x2xi32>
  %e32 = tensor.empty(%n) : tensor<?x3x4x2xi32>
  %e8 = tensor.empty(%n) : tensor<?x3x4x2xi8>
  %sums = linalg.generic {indexing_maps = [#element, affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%slice, %b : tensor<?x3x4x2xi32>, tensor<1x1x1x2xi32>) outs(%e32 : tensor<?x3x4x2xi32>) {
  ^bb0(%in: i32, %bias: i32, %out: i32):
    %0 = arith.addi %in, %bias : i32
    linalg.yield %0 : i32
  } -> tensor<?x3x4x2xi32>
  %bytes = linalg.generic {indexing_maps = [#element, #channel, #channel, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sums, %m, %s : tensor<?x3x4x2xi32>, tensor<2xi32>, tensor<2xi8>) outs(%e8 : tensor<?x3x4x2xi8>) {
  ^bb0(%in: i32, %mm: i32, %ss: i8, %out: i8):
    %0 = tosa.apply_scale %in, %mm, %ss {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.maxsi %0, %lo : i32
    %2 = arith.minsi %1, %hi : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  } -> tensor<?x3x4x2xi8>
  %sized = tensor.empty(%tn) : tensor<?x3xi8>
  return %bytes, %sized : tensor<?x3x4x2xi8>, tensor<?x3xi8>
}

// Sums of 48 bits are those of 16-bit activations.
// CHECK-LABEL: func.func @sixteen_bits
// CHECK-DAG: %[[B:.*]] = arith.constant dense<9> : tensor<2xi64>
// CHECK: %[[C:.*]] = qnnpack.conv2d %{{.*}}, %{{.*}}, %[[B]] {{.*}} requantization = #qnnpack.requantization<rounding = half_up, multiplier = [16384], shift = [20]>
// CHECK-SAME: -> tensor<1x2x2x2x!quant.uniform<i16:f32, 1.000000e+00>>
// CHECK: qnnpack.clamp %[[C]] {max = 3.276700e+04 : f32, min = -7.000000e+00 : f32}
// CHECK-NOT: {{linalg|tosa|tensor}}.
func.func @sixteen_bits(%x: tensor<1x2x2x2xi16>) -> tensor<1x2x2x2xi16> {
  %b = arith.constant 9 : i48
  %m = arith.constant 16384 : i32
  %s = arith.constant 20 : i8
  %lo = arith.constant -7 : i32
  %hi = arith.constant 32767 : i32
  %w = arith.constant dense<3> : tensor<2x1x1x2xi8>
  %e48 = tensor.empty() : tensor<1x2x2x2xi48>
  %e16 = tensor.empty() : tensor<1x2x2x2xi16>
  %bias = linalg.fill ins(%b : i48) outs(%e48 : tensor<1x2x2x2xi48>) -> tensor<1x2x2x2xi48>
  %sums = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x2x2x2xi16>, tensor<2x1x1x2xi8>) outs(%bias : tensor<1x2x2x2xi48>) -> tensor<1x2x2x2xi48>
  %y = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sums : tensor<1x2x2x2xi48>) outs(%e16 : tensor<1x2x2x2xi16>) {
  ^bb0(%in: i48, %out: i16):
    %0 = tosa.apply_scale %in, %m, %s {rounding_mode = SINGLE_ROUND} : (i48, i32, i8) -> i32
    %1 = arith.maxsi %0, %lo : i32
    %2 = arith.minsi %1, %hi : i32
    %3 = arith.trunci %2 : i32 to i16
    linalg.yield %3 : i16
  } -> tensor<1x2x2x2xi16>
  return %y : tensor<1x2x2x2xi16>
}
