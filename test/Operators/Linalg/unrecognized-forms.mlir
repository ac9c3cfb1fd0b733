// RUN: qbackend-opt %s --split-input-file -o %t.mlir
// RUN: qbackend-opt %s --split-input-file --qbackend-raise --qbackend-inline-operators -o %t.raised.mlir
// RUN: cmp %t.mlir %t.raised.mlir
//
// What prepares code for recognition is undone where nothing is recognised:
// here a leading dimension that was dropped, a transposed operand, an op with
// two results, a named op, and a reduction over cut loops.

#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @leading_dimension(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %empty = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x5xf32>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = math.atan2 %in, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
func.func @transposed(%x: tensor<4x5xf32>, %y: tensor<5x4xf32>) -> tensor<4x5xf32> {
  %empty = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<4x5xf32>, tensor<5x4xf32>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %1 = math.atan2 %in, %other : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @two_results(%x: tensor<4x5xf32>, %y: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %empty = tensor.empty() : tensor<4x5xf32>
  %0:2 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<4x5xf32>, tensor<4x5xf32>) outs(%empty, %empty : tensor<4x5xf32>, tensor<4x5xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32, %out2: f32):
    %1 = math.atan2 %in, %other : f32
    %2 = math.atan2 %other, %1 : f32
    linalg.yield %1, %2 : f32, f32
  } -> (tensor<4x5xf32>, tensor<4x5xf32>)
  return %0#0, %0#1 : tensor<4x5xf32>, tensor<4x5xf32>
}

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @dropped_batch(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32> {
  %collapsed = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x4x5x3xf32> into tensor<4x5x3xf32>
  %empty = tensor.empty() : tensor<4x5x3xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed : tensor<4x5x3xf32>) outs(%empty : tensor<4x5x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = math.atan2 %in, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x5x3xf32>
  %expanded = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [1, 4, 5, 3] : tensor<4x5x3xf32> into tensor<1x4x5x3xf32>
  return %expanded : tensor<1x4x5x3xf32>
}
