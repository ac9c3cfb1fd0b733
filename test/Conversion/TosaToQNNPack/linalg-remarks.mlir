// RUN: qbackend-opt %s -split-input-file --convert-tosa-to-qnnpack --remarks-filter='qbackend.*' -verify-diagnostics | FileCheck %s

// What in linalg is no rescale, or has no kernel, stays as it came.

#element = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// CHECK-LABEL: @weight
// CHECK: linalg.conv_2d_nhwc_fhwc_q
// CHECK: tosa.apply_scale
// CHECK-NOT: qnnpack
func.func @weight(%x: tensor<1x2x2x2xi8>, %w: tensor<2x1x1x2xi8>) -> tensor<1x2x2x2xi8> {
  %z = arith.constant 0 : i32
  %m = arith.constant 1073741824 : i32
  %s = arith.constant 33 : i8
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  %e32 = tensor.empty() : tensor<1x2x2x2xi32>
  %e8 = tensor.empty() : tensor<1x2x2x2xi8>
  %bias = linalg.fill ins(%z : i32) outs(%e32 : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  // expected-remark @+1 {{QB147 | Category:qbackend | Function=weight | Operator=linalg.conv_2d_nhwc_fhwc_q, Reason="stays integer code: its weight is not a constant of bytes"}}
  %sums = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %z, %z : tensor<1x2x2x2xi8>, tensor<2x1x1x2xi8>, i32, i32) outs(%bias : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  %bytes = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sums : tensor<1x2x2x2xi32>) outs(%e8 : tensor<1x2x2x2xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = tosa.apply_scale %in, %m, %s {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.maxsi %0, %lo : i32
    %2 = arith.minsi %1, %hi : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  } -> tensor<1x2x2x2xi8>
  return %bytes : tensor<1x2x2x2xi8>
}

// -----

#element = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// Channels change places, ...
// CHECK-LABEL: @transposed_channels
// CHECK: linalg.conv_2d_nhwc_fhwc_q
// CHECK-NOT: qnnpack
func.func @transposed_channels(%x: tensor<1x2x2x2xi8>) -> tensor<1x2x2x2xi8> {
  %z = arith.constant 0 : i32
  %m = arith.constant 1073741824 : i32
  %s = arith.constant 33 : i8
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  %w = arith.constant dense<3> : tensor<2x1x1x2xi8>
  %e32 = tensor.empty() : tensor<1x2x2x2xi32>
  %e8 = tensor.empty() : tensor<1x2x2x2xi8>
  %bias = linalg.fill ins(%z : i32) outs(%e32 : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  // expected-remark @+1 {{QB147 | Category:qbackend | Function=transposed_channels | Operator=linalg.conv_2d_nhwc_fhwc_q, Reason="stays integer code: its sums are moved otherwise than pixel by pixel before they are rescaled"}}
  %products = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %z, %z : tensor<1x2x2x2xi8>, tensor<2x1x1x2xi8>, i32, i32) outs(%bias : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  %i32 = tensor.empty() : tensor<1x2x2x2xi32>
  %sums = linalg.transpose ins(%products : tensor<1x2x2x2xi32>) outs(%i32 : tensor<1x2x2x2xi32>) permutation = [0, 1, 3, 2]
  %bytes = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sums : tensor<1x2x2x2xi32>) outs(%e8 : tensor<1x2x2x2xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = tosa.apply_scale %in, %m, %s {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.maxsi %0, %lo : i32
    %2 = arith.minsi %1, %hi : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  } -> tensor<1x2x2x2xi8>
  return %bytes : tensor<1x2x2x2xi8>
}

// -----

#element = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// ... are left out, ...
// CHECK-LABEL: @sliced_channels
// CHECK: linalg.conv_2d_nhwc_fhwc_q
// CHECK-NOT: qnnpack
func.func @sliced_channels(%x: tensor<1x2x2x2xi8>) -> tensor<1x2x2x1xi8> {
  %z = arith.constant 0 : i32
  %m = arith.constant 1073741824 : i32
  %s = arith.constant 33 : i8
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  %w = arith.constant dense<3> : tensor<2x1x1x2xi8>
  %e32 = tensor.empty() : tensor<1x2x2x2xi32>
  %e8 = tensor.empty() : tensor<1x2x2x1xi8>
  %bias = linalg.fill ins(%z : i32) outs(%e32 : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  // expected-remark @+1 {{QB147 | Category:qbackend | Function=sliced_channels | Operator=linalg.conv_2d_nhwc_fhwc_q, Reason="stays integer code: its sums are moved otherwise than pixel by pixel before they are rescaled"}}
  %products = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %z, %z : tensor<1x2x2x2xi8>, tensor<2x1x1x2xi8>, i32, i32) outs(%bias : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  %sums = tensor.extract_slice %products[0, 0, 0, 1] [1, 2, 2, 1] [1, 1, 1, 1] : tensor<1x2x2x2xi32> to tensor<1x2x2x1xi32>
  %bytes = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sums : tensor<1x2x2x1xi32>) outs(%e8 : tensor<1x2x2x1xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = tosa.apply_scale %in, %m, %s {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.maxsi %0, %lo : i32
    %2 = arith.minsi %1, %hi : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  } -> tensor<1x2x2x1xi8>
  return %bytes : tensor<1x2x2x1xi8>
}

// -----

#element = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// ... become pixels, ...
// CHECK-LABEL: @collapsed_channels
// CHECK: linalg.conv_2d_nhwc_fhwc_q
// CHECK-NOT: qnnpack
func.func @collapsed_channels(%x: tensor<1x2x2x2xi8>) -> tensor<1x1x2x4xi8> {
  %z = arith.constant 0 : i32
  %m = arith.constant 1073741824 : i32
  %s = arith.constant 33 : i8
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  %w = arith.constant dense<3> : tensor<2x1x1x2xi8>
  %e32 = tensor.empty() : tensor<1x2x2x2xi32>
  %e8 = tensor.empty() : tensor<1x1x2x4xi8>
  %bias = linalg.fill ins(%z : i32) outs(%e32 : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  // expected-remark @+1 {{QB147 | Category:qbackend | Function=collapsed_channels | Operator=linalg.conv_2d_nhwc_fhwc_q, Reason="stays integer code: its sums are moved otherwise than pixel by pixel before they are rescaled"}}
  %products = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %z, %z : tensor<1x2x2x2xi8>, tensor<2x1x1x2xi8>, i32, i32) outs(%bias : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  %rows = tensor.collapse_shape %products [[0], [1], [2, 3]] : tensor<1x2x2x2xi32> into tensor<1x2x4xi32>
  %sums = tensor.expand_shape %rows [[0], [1, 2], [3]] output_shape [1, 1, 2, 4] : tensor<1x2x4xi32> into tensor<1x1x2x4xi32>
  %bytes = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sums : tensor<1x1x2x4xi32>) outs(%e8 : tensor<1x1x2x4xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = tosa.apply_scale %in, %m, %s {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.maxsi %0, %lo : i32
    %2 = arith.minsi %1, %hi : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  } -> tensor<1x1x2x4xi8>
  return %bytes : tensor<1x1x2x4xi8>
}

// -----

#element = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// ... or are somewhere that is found at run time.
// CHECK-LABEL: @sliced_anywhere
// CHECK: linalg.conv_2d_nhwc_fhwc_q
// CHECK-NOT: qnnpack
func.func @sliced_anywhere(%x: tensor<1x2x2x2xi8>, %i: index) -> tensor<1x1x2x2xi8> {
  %z = arith.constant 0 : i32
  %m = arith.constant 1073741824 : i32
  %s = arith.constant 33 : i8
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  %w = arith.constant dense<3> : tensor<2x1x1x2xi8>
  %e32 = tensor.empty() : tensor<1x2x2x2xi32>
  %e8 = tensor.empty() : tensor<1x1x2x2xi8>
  %bias = linalg.fill ins(%z : i32) outs(%e32 : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  // expected-remark @+1 {{QB147 | Category:qbackend | Function=sliced_anywhere | Operator=linalg.conv_2d_nhwc_fhwc_q, Reason="stays integer code: its sums are moved otherwise than pixel by pixel before they are rescaled"}}
  %products = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %z, %z : tensor<1x2x2x2xi8>, tensor<2x1x1x2xi8>, i32, i32) outs(%bias : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  %sums = tensor.extract_slice %products[0, %i, 0, 0] [1, 1, 2, 2] [1, 1, 1, 1] : tensor<1x2x2x2xi32> to tensor<1x1x2x2xi32>
  %bytes = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sums : tensor<1x1x2x2xi32>) outs(%e8 : tensor<1x1x2x2xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = tosa.apply_scale %in, %m, %s {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.maxsi %0, %lo : i32
    %2 = arith.minsi %1, %hi : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  } -> tensor<1x1x2x2xi8>
  return %bytes : tensor<1x1x2x2xi8>
}

// -----

#element = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// Bodies that are none of TOSA's: the first one wraps around where it has no limits, the
// second one adds 1 less than half.
// CHECK-LABEL: @others
// CHECK: linalg.conv_2d_nhwc_fhwc_q
// CHECK: linalg.conv_2d_nhwc_fhwc_q
// CHECK-NOT: qnnpack
func.func @others(%x: tensor<1x2x2x2xi8>) -> (tensor<1x2x2x2xi8>, tensor<1x2x2x2xi8>) {
  %z = arith.constant 0 : i32
  %m = arith.constant 1073741824 : i32
  %s = arith.constant 33 : i8
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  %wide = arith.constant 1073741824 : i64
  %half = arith.constant 4294967295 : i64
  %places = arith.constant 33 : i64
  %w = arith.constant dense<3> : tensor<2x1x1x2xi8>
  %e32 = tensor.empty() : tensor<1x2x2x2xi32>
  %e8 = tensor.empty() : tensor<1x2x2x2xi8>
  %bias = linalg.fill ins(%z : i32) outs(%e32 : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  // expected-remark @+1 {{Function=others | Operator=linalg.conv_2d_nhwc_fhwc_q, Reason="stays integer code: what makes 8 or 16 bits of its sums is no rescale of TOSA's to signed integers"}}
  %sums = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %z, %z : tensor<1x2x2x2xi8>, tensor<2x1x1x2xi8>, i32, i32) outs(%bias : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  %bytes = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sums : tensor<1x2x2x2xi32>) outs(%e8 : tensor<1x2x2x2xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = tosa.apply_scale %in, %m, %s {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.maxsi %0, %lo : i32
    %2 = arith.trunci %1 : i32 to i8
    linalg.yield %2 : i8
  } -> tensor<1x2x2x2xi8>
  // expected-remark @+1 {{Function=others | Operator=linalg.conv_2d_nhwc_fhwc_q, Reason="stays integer code: what makes 8 or 16 bits of its sums is no rescale of TOSA's to signed integers"}}
  %again = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%bytes, %w, %z, %z : tensor<1x2x2x2xi8>, tensor<2x1x1x2xi8>, i32, i32) outs(%bias : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  %others = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%again : tensor<1x2x2x2xi32>) outs(%e8 : tensor<1x2x2x2xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = arith.extsi %in : i32 to i64
    %1 = arith.muli %0, %wide : i64
    %2 = arith.addi %1, %half : i64
    %3 = arith.shrsi %2, %places : i64
    %4 = arith.trunci %3 : i64 to i32
    %5 = arith.maxsi %4, %lo : i32
    %6 = arith.minsi %5, %hi : i32
    %7 = arith.trunci %6 : i32 to i8
    linalg.yield %7 : i8
  } -> tensor<1x2x2x2xi8>
  return %bytes, %others : tensor<1x2x2x2xi8>, tensor<1x2x2x2xi8>
}

// -----

#element = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// CHECK-LABEL: @wide_multiplier
// CHECK: linalg.conv_2d_nhwc_fhwc
// CHECK: tosa.apply_scale
// CHECK-NOT: qnnpack
func.func @wide_multiplier(%x: tensor<1x2x2x2xi16>) -> tensor<1x2x2x2xi16> {
  %b = arith.constant 9 : i48
  %m = arith.constant 32768 : i32
  %s = arith.constant 20 : i8
  %lo = arith.constant -7 : i32
  %hi = arith.constant 32767 : i32
  %w = arith.constant dense<3> : tensor<2x1x1x2xi8>
  %e48 = tensor.empty() : tensor<1x2x2x2xi48>
  %e16 = tensor.empty() : tensor<1x2x2x2xi16>
  %bias = linalg.fill ins(%b : i48) outs(%e48 : tensor<1x2x2x2xi48>) -> tensor<1x2x2x2xi48>
  // expected-remark @+1 {{QB147 | Category:qbackend | Function=wide_multiplier | Operator=linalg.conv_2d_nhwc_fhwc, Reason="stays integer code: its rescale of 48 bits has multipliers of more than 16"}}
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

// -----

#element = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: @wide_sums_of_bytes
// CHECK: linalg.batch_matmul
// CHECK-NOT: qnnpack
func.func @wide_sums_of_bytes(%x: tensor<1x2x2xi8>) -> tensor<1x2x2xi8> {
  %b = arith.constant 0 : i48
  %m = arith.constant 16384 : i32
  %s = arith.constant 20 : i8
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  %w = arith.constant dense<3> : tensor<1x2x2xi8>
  %e48 = tensor.empty() : tensor<1x2x2xi48>
  %e8 = tensor.empty() : tensor<1x2x2xi8>
  %bias = linalg.fill ins(%b : i48) outs(%e48 : tensor<1x2x2xi48>) -> tensor<1x2x2xi48>
  // expected-remark @+1 {{QB147 | Category:qbackend | Function=wide_sums_of_bytes | Operator=linalg.batch_matmul, Reason="stays integer code: it adds up in another type than i32"}}
  %sums = linalg.batch_matmul ins(%x, %w : tensor<1x2x2xi8>, tensor<1x2x2xi8>) outs(%bias : tensor<1x2x2xi48>) -> tensor<1x2x2xi48>
  %y = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sums : tensor<1x2x2xi48>) outs(%e8 : tensor<1x2x2xi8>) {
  ^bb0(%in: i48, %out: i8):
    %0 = tosa.apply_scale %in, %m, %s {rounding_mode = SINGLE_ROUND} : (i48, i32, i8) -> i32
    %1 = arith.maxsi %0, %lo : i32
    %2 = arith.minsi %1, %hi : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  } -> tensor<1x2x2xi8>
  return %y : tensor<1x2x2xi8>
}

// -----

#element = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// A rescale to unsigned bytes, limited to [0, 255], is none that is read here: no
// rescale leads to the sums, so that these are asked what becomes of them.
// CHECK-LABEL: @unsigned_bytes
// CHECK: linalg.conv_2d_nhwc_fhwc_q
// CHECK-NOT: qnnpack
func.func @unsigned_bytes(%x: tensor<1x2x2x2xi8>) -> tensor<1x2x2x2xi8> {
  %z = arith.constant 0 : i32
  %m = arith.constant 1073741824 : i32
  %s = arith.constant 33 : i8
  %hi = arith.constant 255 : i32
  %w = arith.constant dense<3> : tensor<2x1x1x2xi8>
  %e32 = tensor.empty() : tensor<1x2x2x2xi32>
  %e8 = tensor.empty() : tensor<1x2x2x2xi8>
  %bias = linalg.fill ins(%z : i32) outs(%e32 : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  // expected-remark @+1 {{QB147 | Category:qbackend | Function=unsigned_bytes | Operator=linalg.conv_2d_nhwc_fhwc_q, Reason="stays integer code: what makes 8 or 16 bits of its sums is no rescale of TOSA's to signed integers"}}
  %sums = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %z, %z : tensor<1x2x2x2xi8>, tensor<2x1x1x2xi8>, i32, i32) outs(%bias : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  %bytes = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sums : tensor<1x2x2x2xi32>) outs(%e8 : tensor<1x2x2x2xi8>) {
  ^bb0(%in: i32, %out: i8):
    %0 = tosa.apply_scale %in, %m, %s {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.maxsi %0, %z : i32
    %2 = arith.minsi %1, %hi : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  } -> tensor<1x2x2x2xi8>
  return %bytes : tensor<1x2x2x2xi8>
}

// -----

// Sums that are results, and none of 8 or 16 bits, are nothing that was missed.
// CHECK-LABEL: @sums
func.func @sums(%x: tensor<2x4xi8>, %w: tensor<4x3xi8>) -> tensor<2x3xi32> {
  %z = arith.constant dense<0> : tensor<2x3xi32>
  %0 = linalg.matmul ins(%x, %w : tensor<2x4xi8>, tensor<4x3xi8>) outs(%z : tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
