// RUN: qbackend-opt %s --qbackend-normalize-code --split-input-file | FileCheck %s
// RUN: qbackend-opt %s --qbackend-normalize-code --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=NAMES

// Private functions are part of their callers, as often as they are called,
// and keep the names that their ops have.

// CHECK-NOT: func.func private @layer
// NAMES: tosa.tanh {{.*}} loc("layer.tanh")
// NAMES: tosa.tanh {{.*}} loc("layer.tanh")
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<1x4xf32>
// CHECK-NEXT: %[[A:.*]] = tosa.tanh %[[X]]
// CHECK-NEXT: %[[B:.*]] = tosa.sigmoid %[[A]]
// CHECK-NEXT: %[[C:.*]] = tosa.tanh %[[B]]
// CHECK-NEXT: %[[D:.*]] = tosa.sigmoid %[[C]]
// CHECK-NEXT: return %[[D]]
// CHECK-NOT: func.func private @inner
func.func private @layer(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = func.call @inner(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = tosa.sigmoid %0 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = func.call @layer(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = func.call @layer(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
func.func private @inner(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.tanh %x : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("layer.tanh")
  return %0 : tensor<1x4xf32>
}

// -----

// What is public, calls itself, says something of its arguments, has no body or
// is not to be inlined is called as before.

// CHECK: func.func @public
// CHECK: func.func private @loop
// CHECK: func.func private @ranged
// CHECK: func.func private @never
// CHECK: func.func private @outside
// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @public
// CHECK-NEXT: call @loop
// CHECK-NEXT: call @ranged
// CHECK-NEXT: call @never
// CHECK-NEXT: call @outside
// CHECK-NEXT: return
func.func @public(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @loop(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @ranged(%x: tensor<4xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @never(%x: tensor<4xf32>) -> tensor<4xf32> attributes {no_inline} {
  return %x : tensor<4xf32>
}
func.func private @outside(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @public(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @loop(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = func.call @ranged(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = func.call @never(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = func.call @outside(%3) : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// Extents that a cast hides come through, in tensor, linalg and tosa.

// CHECK-LABEL: func.func @hidden
// CHECK-NOT: ?
// CHECK: } -> tensor<4x8xf32>
// CHECK: tosa.tanh {{.*}} -> tensor<4x8xf32>
// CHECK: return
func.func @hidden(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.cast %x : tensor<4x8xf32> to tensor<?x?xf32>
  %d0 = tensor.dim %d, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %d, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%d : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %1 = tosa.tanh %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = tensor.cast %1 : tensor<?x?xf32> to tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// What is dynamic stays so, and code without such casts stays as it is.

// CHECK-LABEL: func.func @dynamic
// CHECK: tensor.empty(%{{.*}}) : tensor<?x8xf32>
func.func @dynamic(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %0 = linalg.tanh ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Slices of all there is, in another rank, are changes of shape; and equal
// changes of shape are one.

// CHECK-LABEL: func.func @slices
// CHECK: %[[C:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1], [2, 3]] : tensor<1x4x1x6xf32> into tensor<4x6xf32>
// CHECK: %[[E:.*]] = tensor.expand_shape %[[C]] {{\[}}[0, 1], [2]] output_shape [1, 4, 6]
// CHECK: %[[P:.*]] = tensor.extract_slice %[[C]][0, 0] [1, 6] [1, 1]
// CHECK: return %[[E]], %[[E]], %[[P]]
func.func @slices(%x: tensor<1x4x1x6xf32>) -> (tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<6xf32>) {
  %0 = tensor.extract_slice %x[0, 0, 0, 0] [1, 4, 1, 6] [1, 1, 1, 1] : tensor<1x4x1x6xf32> to tensor<4x6xf32>
  %e = tensor.empty() : tensor<1x4x6xf32>
  %1 = tensor.insert_slice %0 into %e[0, 0, 0] [1, 4, 6] [1, 1, 1] : tensor<4x6xf32> into tensor<1x4x6xf32>
  %2 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [1, 4, 6] : tensor<4x6xf32> into tensor<1x4x6xf32>
  %3 = tensor.extract_slice %0[0, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
  return %1, %2, %3 : tensor<1x4x6xf32>, tensor<1x4x6xf32>, tensor<6xf32>
}

// -----

// Dimensions that are moved and moved back have not moved, whatever moves them.

// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME: %[[X:.*]]: tensor<1x2x3x4xf32>
// CHECK-NOT: transpose
// CHECK: %[[A:.*]] = tosa.exp %[[X]]
// CHECK-NOT: transpose
// CHECK: %[[B:.*]] = tosa.tanh %[[A]]
// CHECK: return %[[B]]
#in = affine_map<(a, b, c, d) -> (d, a, c, b)>
#out = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @there_and_back(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = tosa.transpose %x {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %e1 = tensor.empty() : tensor<1x4x3x2xf32>
  %1 = linalg.transpose ins(%0 : tensor<1x3x4x2xf32>) outs(%e1 : tensor<1x4x3x2xf32>) permutation = [0, 2, 1, 3]
  %2 = tosa.transpose %1 {perms = array<i32: 0, 3, 2, 1>} : (tensor<1x4x3x2xf32>) -> tensor<1x2x3x4xf32>
  %3 = tosa.exp %2 : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  // [b, d, c, a] of [a, b, c, d], as a loop over the result.
  %e4 = tensor.empty() : tensor<2x4x3x1xf32>
  %4 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<1x2x3x4xf32>) outs(%e4 : tensor<2x4x3x1xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<2x4x3x1xf32>
  %5 = tosa.transpose %4 {perms = array<i32: 3, 0, 2, 1>} : (tensor<2x4x3x1xf32>) -> tensor<1x2x3x4xf32>
  %6 = tosa.tanh %5 : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %6 : tensor<1x2x3x4xf32>
}

// -----

// What ends elsewhere stays, and so does one of a pair that others read.

// CHECK-LABEL: func.func @elsewhere
// CHECK-SAME: %[[X:.*]]: tensor<2x2x2xf32>
// CHECK: %[[A:.*]] = tosa.transpose %[[X]] {perms = array<i32: 1, 2, 0>}
// CHECK: %[[B:.*]] = tosa.transpose %[[A]] {perms = array<i32: 1, 2, 0>}
// CHECK: %[[C:.*]] = tosa.add %[[B]], %[[X]]
// CHECK: return %[[C]], %[[A]]
func.func @elsewhere(%x: tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>) {
  %0 = tosa.transpose %x {perms = array<i32: 1, 2, 0>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 1, 2, 0>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %2 = tosa.transpose %1 {perms = array<i32: 1, 2, 0>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %3 = tosa.add %1, %2 : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  return %3, %0 : tensor<2x2x2xf32>, tensor<2x2x2xf32>
}

// -----

// However deep calls are in calls: the body of what is called once is moved, and
// of what is called twice, copied.

// CHECK-LABEL: func.func @nested
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[A:.*]] = tosa.tanh %[[X]]
// CHECK-NEXT: %[[B:.*]] = tosa.tanh %[[A]]
// CHECK-NEXT: %[[C:.*]] = tosa.sigmoid %[[B]]
// CHECK-NEXT: return %[[C]], %[[X]]
// CHECK-NOT: func.func private
func.func @nested(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = call @once(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @once(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = call @inside(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.sigmoid %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %x : tensor<4xf32>, tensor<4xf32>
}
func.func private @inside(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Dimensions of 1 that come after padding come in front of it, and meet those
// that were dropped there.

// CHECK-LABEL: func.func @units_before_pad
// CHECK-NOT: tensor.collapse_shape
// CHECK: %[[P:.*]] = tensor.pad %arg0 low[0, 0, 1, 0] high[0, 0, 2, 0]
// CHECK: tensor<1x1x6x4xf32> to tensor<1x1x9x4xf32>
// CHECK: return %[[P]]
func.func @units_before_pad(%x: tensor<1x1x6x4xf32>) -> tensor<1x1x9x4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %0 = tensor.collapse_shape %x [[0, 1, 2], [3]] : tensor<1x1x6x4xf32> into tensor<6x4xf32>
  %1 = tensor.pad %0 low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %low : f32
  } : tensor<6x4xf32> to tensor<9x4xf32>
  %2 = tensor.expand_shape %1 [[0, 1, 2], [3]] output_shape [1, 1, 9, 4] : tensor<9x4xf32> into tensor<1x1x9x4xf32>
  return %2 : tensor<1x1x9x4xf32>
}

// -----

// Each beside the one that it comes from: groups are cut from channels, not from the
// row that is padded.
// CHECK-LABEL: func.func @groups_before_pad
// CHECK: %[[E:.*]] = tensor.expand_shape %arg0 {{\[}}[0], [1, 2], [3], [4]] output_shape [1, 3, 1, 1, 1]
// CHECK: tensor.pad %[[E]] low[0, 0, 0, 0, 1] high[0, 0, 0, 0, 2]
func.func @groups_before_pad(%x: tensor<1x3x1x1xf32>) -> tensor<1x3x1x1x4xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 1] high[0, 0, 0, 2] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<1x3x1x1xf32> to tensor<1x3x1x4xf32>
  %e = tensor.expand_shape %p [[0], [1, 2], [3], [4]] output_shape [1, 3, 1, 1, 4] : tensor<1x3x1x4xf32> into tensor<1x3x1x1x4xf32>
  return %e : tensor<1x3x1x1x4xf32>
}

// -----

// A number that no convolution or pool pads with: an operator of its own.
// CHECK-LABEL: func.func @number_before_groups
// CHECK: %[[P:.*]] = tensor.pad %arg0 low[0, 0, 0, 1] high[0, 0, 0, 2]
// CHECK: tensor.expand_shape %[[P]]
func.func @number_before_groups(%x: tensor<1x3x1x1xf32>) -> tensor<1x3x1x1x4xf32> {
  %z = arith.constant -5.000000e-01 : f32
  %p = tensor.pad %x low[0, 0, 0, 1] high[0, 0, 0, 2] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<1x3x1x1xf32> to tensor<1x3x1x4xf32>
  %e = tensor.expand_shape %p [[0], [1, 2], [3], [4]] output_shape [1, 3, 1, 1, 4] : tensor<1x3x1x4xf32> into tensor<1x3x1x1x4xf32>
  return %e : tensor<1x3x1x1x4xf32>
}

// -----

// What is read otherwise, too, and what is cut, stays behind it.
// CHECK-LABEL: func.func @pad_read_twice
// CHECK: tensor.pad %arg0 low[1, 0] high[2, 0]
// CHECK: tensor.expand_shape
func.func @pad_read_twice(%x: tensor<6x4xf32>) -> (tensor<9x4xf32>, tensor<1x9x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %1 = tensor.pad %x low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<6x4xf32> to tensor<9x4xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [1, 9, 4] : tensor<9x4xf32> into tensor<1x9x4xf32>
  return %1, %2 : tensor<9x4xf32>, tensor<1x9x4xf32>
}

// -----

// CHECK-LABEL: func.func @pad_cut
// CHECK: tensor.pad %arg0 low[1, 0] high[2, 0]
// CHECK: tensor.expand_shape
func.func @pad_cut(%x: tensor<6x4xf32>) -> tensor<3x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %1 = tensor.pad %x low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<6x4xf32> to tensor<9x4xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [3, 3, 4] : tensor<9x4xf32> into tensor<3x3x4xf32>
  return %2 : tensor<3x3x4xf32>
}

// -----

// The number of padding may be in its region.
// CHECK-LABEL: func.func @number_inside
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: tensor.pad %{{.*}} low[0, 2, 0, 0] high[0, 2, 0, 0] {
// CHECK: tensor.yield %[[ZERO]] : f32
// CHECK: tensor<1x4x1x6xf32> to tensor<1x8x1x6xf32>
func.func @number_inside(%x: tensor<4x6xf32>) -> tensor<1x8x1x6xf32> {
  %p = tensor.pad %x low[2, 0] high[2, 0] {
  ^bb0(%a: index, %b: index):
    %c = arith.constant 0.0 : f32
    tensor.yield %c : f32
  } : tensor<4x6xf32> to tensor<8x6xf32>
  %e = tensor.expand_shape %p [[0, 1], [2, 3]] output_shape [1, 8, 1, 6] : tensor<8x6xf32> into tensor<1x8x1x6xf32>
  return %e : tensor<1x8x1x6xf32>
}

// -----

// CHECK-LABEL: func.func @number_inside_without_batch
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: tensor.pad %{{.*}} low[2, 0] high[2, 0]
// CHECK: tensor.yield %[[ZERO]] : f32
func.func @number_inside_without_batch(%x: tensor<1x4x6xf32>) -> tensor<8x6xf32> {
  %y = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x4x6xf32> into tensor<4x6xf32>
  %p = tensor.pad %y low[2, 0] high[2, 0] {
  ^bb0(%a: index, %b: index):
    %c = arith.constant 0.0 : f32
    tensor.yield %c : f32
  } : tensor<4x6xf32> to tensor<8x6xf32>
  return %p : tensor<8x6xf32>
}
