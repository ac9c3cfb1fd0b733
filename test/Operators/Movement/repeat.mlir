// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @tile
// CHECK: qbackend.operator [#qbackend.repeat<multiples = [3, 4]>] inputs(%arg0) : (tensor<2x3xf32>) -> tensor<6x12xf32>
func.func @tile(%x: tensor<2x3xf32>) -> tensor<6x12xf32> {
  %m = tosa.const_shape {values = dense<[3, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.tile %x, %m : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<6x12xf32>
  return %0 : tensor<6x12xf32>
}

// The same as tosa-to-linalg has it.
// CHECK-LABEL: func.func @broadcast_and_collapse
// CHECK: qbackend.operator [#qbackend.repeat<multiples = [3, 4]>] inputs(%arg0) : (tensor<2x3xf32>) -> tensor<6x12xf32>
func.func @broadcast_and_collapse(%x: tensor<2x3xf32>) -> tensor<6x12xf32> {
  %e = tensor.empty() : tensor<3x2x4x3xf32>
  %0 = linalg.broadcast ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2x4x3xf32>) dimensions = [0, 2]
  %1 = tensor.collapse_shape %0 [[0, 1], [2, 3]] : tensor<3x2x4x3xf32> into tensor<6x12xf32>
  return %1 : tensor<6x12xf32>
}

// CHECK-LABEL: func.func @expand
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.reshape] inputs(%arg0) attributes {qbackend.source_values = 0 : i64} : (tensor<?x7xf32>) -> tensor<?x7x1x1xf32>
// CHECK: qbackend.operator [#qbackend.repeat<multiples = [1, 1, 3, 2]>] inputs(%[[R]]) : (tensor<?x7x1x1xf32>) -> tensor<?x7x3x2xf32>
func.func @expand(%x: tensor<?x7xf32>) -> tensor<?x7x3x2xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x7xf32>
  %e = tensor.empty(%d) : tensor<?x7x3x2xf32>
  %0 = linalg.broadcast ins(%x : tensor<?x7xf32>) outs(%e : tensor<?x7x3x2xf32>) dimensions = [2, 3]
  return %0 : tensor<?x7x3x2xf32>
}

// CHECK-LABEL: func.func @expand_generic
// CHECK: qbackend.operator [#qbackend.repeat<multiples = [1, 5, 1]>] inputs(%arg0) : (tensor<2x1x3xf32>) -> tensor<2x5x3xf32>
func.func @expand_generic(%x: tensor<2x1x3xf32>) -> tensor<2x5x3xf32> {
  %e = tensor.empty() : tensor<2x5x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, 0, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x1x3xf32>) outs(%e : tensor<2x5x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}

// What an addition reads again and again is not repeated for it.
// CHECK-LABEL: func.func @taken_in
// CHECK-NOT: #qbackend.repeat
// CHECK: return
func.func @taken_in(%x: tensor<2x5x3xf32>, %y: tensor<2x5x3xf32>, %b: tensor<3xf32>) -> (tensor<2x5x3xf32>, tensor<2x5x3xf32>) {
  %e = tensor.empty() : tensor<2x5x3xf32>
  %r = linalg.broadcast ins(%b : tensor<3xf32>) outs(%e : tensor<2x5x3xf32>) dimensions = [0, 1]
  %s = linalg.add ins(%x, %y : tensor<2x5x3xf32>, tensor<2x5x3xf32>) outs(%e : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  return %s, %r : tensor<2x5x3xf32>, tensor<2x5x3xf32>
}

// Each element three times in a row is no repetition of the tensor.
// CHECK-LABEL: func.func @interleaved
// CHECK-NOT: #qbackend.repeat<multiples = [3]>
// CHECK: return
func.func @interleaved(%x: tensor<2x4xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<2x4x3xf32>
  %0 = linalg.broadcast ins(%x : tensor<2x4xf32>) outs(%e : tensor<2x4x3xf32>) dimensions = [2]
  %1 = tensor.collapse_shape %0 [[0, 1, 2]] : tensor<2x4x3xf32> into tensor<24xf32>
  return %1 : tensor<24xf32>
}

// Fusion has put a relu into what repeats rows and columns: it is in front of it,
// and so is a function that nobody knows.
// CHECK-LABEL: func.func @relu_in_upsampling
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.relu] inputs(%arg0) : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
// CHECK: %[[T:.*]] = qbackend.transpose %[[R]] [0, 2, 3, 1]
// CHECK: qbackend.operator [#qbackend.interpolate<mode = nearest>] inputs(%[[T]])
// CHECK-LABEL: func.func @unknown_in_upsampling
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<1x2x3x2xf32>)
// CHECK: math.atan
// CHECK: qbackend.operator [#qbackend.interpolate<mode = nearest>]
#rows = affine_map<(n, c, h, i, w, j) -> (n, c, h, w)>
#id6 = affine_map<(n, c, h, i, w, j) -> (n, c, h, i, w, j)>
func.func @relu_in_upsampling(%x: tensor<1x2x3x2xf32>) -> tensor<1x2x6x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x3x2x2x2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #id6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x2x3x2xf32>) outs(%e : tensor<1x2x3x2x2x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %z : f32
    linalg.yield %0 : f32
  } -> tensor<1x2x3x2x2x2xf32>
  %y = tensor.collapse_shape %r [[0], [1], [2, 3], [4, 5]] : tensor<1x2x3x2x2x2xf32> into tensor<1x2x6x4xf32>
  return %y : tensor<1x2x6x4xf32>
}
func.func @unknown_in_upsampling(%x: tensor<1x2x3x2xf32>) -> tensor<1x2x6x4xf32> {
  %e = tensor.empty() : tensor<1x2x3x2x2x2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #id6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x2x3x2xf32>) outs(%e : tensor<1x2x3x2x2x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.atan %a : f32
    linalg.yield %0 : f32
  } -> tensor<1x2x3x2x2x2xf32>
  %y = tensor.collapse_shape %r [[0], [1], [2, 3], [4, 5]] : tensor<1x2x3x2x2x2xf32> into tensor<1x2x6x4xf32>
  return %y : tensor<1x2x6x4xf32>
}
