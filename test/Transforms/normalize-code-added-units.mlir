// RUN: qbackend-opt %s --qbackend-normalize-code --canonicalize | FileCheck %s

// Dimensions of 1 that ops get from a change of shape, and that all readers lose
// again, are not there: fusion leaves them where it moves a change of shape.

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#row4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>

// Two readers, of which one passes it on, and a transpose.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[A:.*]]: tensor<2x7x8xf32>, %[[R:.*]]: tensor<2x7x1xf32>)
// CHECK-NOT: expand_shape
// CHECK: %[[S:.*]] = tensor.collapse_shape %[[R]] {{\[}}[0], [1, 2]] : tensor<2x7x1xf32> into tensor<2x7xf32>
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ID]]]{{.*}} ins(%[[A]], %[[S]] : tensor<2x7x8xf32>, tensor<2x7xf32>)
// CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<2x7x8xf32>)
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[N]] : tensor<2x7x8xf32>) outs(%{{[^ ]*}} : tensor<2x8x7xf32>) permutation = [0, 2, 1]
// CHECK: return %[[P]], %[[T]]
func.func @chain(%x: tensor<2x7x8xf32>, %r: tensor<2x7x1xf32>) -> (tensor<2x7x8xf32>, tensor<2x8x7xf32>) {
  %0 = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [2, 7, 1, 8] : tensor<2x7x8xf32> into tensor<2x7x1x8xf32>
  %e = tensor.empty() : tensor<2x7x1x8xf32>
  %1 = linalg.generic {indexing_maps = [#id4, #row4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %r : tensor<2x7x1x8xf32>, tensor<2x7x1xf32>) outs(%e : tensor<2x7x1x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<2x7x1x8xf32>
  %2 = tensor.collapse_shape %1 [[0], [1, 2], [3]] : tensor<2x7x1x8xf32> into tensor<2x7x8xf32>
  %3 = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<2x7x1x8xf32>) outs(%e : tensor<2x7x1x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.negf %a : f32
    linalg.yield %m : f32
  } -> tensor<2x7x1x8xf32>
  %f = tensor.empty() : tensor<2x8x7x1xf32>
  %4 = linalg.transpose ins(%3 : tensor<2x7x1x8xf32>) outs(%f : tensor<2x8x7x1xf32>) permutation = [0, 3, 1, 2]
  %5 = tensor.collapse_shape %4 [[0], [1], [2, 3]] : tensor<2x8x7x1xf32> into tensor<2x8x7xf32>
  return %2, %5 : tensor<2x7x8xf32>, tensor<2x8x7xf32>
}

// A product, which sums over a dimension of 1, too; its zeros and its weight are in
// the smaller shape.
// CHECK-LABEL: func.func @product
// CHECK-SAME: (%[[A:.*]]: tensor<2x7x8xf32>)
// CHECK: %[[C:.*]] = arith.constant dense<5.000000e-01> : tensor<3x8xf32>
// CHECK: %[[Z:.*]] = linalg.fill {{.*}} outs(%{{[^ ]*}} : tensor<2x7x3xf32>)
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[A]], %[[C]] : tensor<2x7x8xf32>, tensor<3x8xf32>) outs(%[[Z]] : tensor<2x7x3xf32>)
// CHECK: return %[[P]]
func.func @product(%x: tensor<2x7x8xf32>) -> tensor<2x7x3xf32> {
  %w = arith.constant dense<0.5> : tensor<3x8x1xf32>
  %z = arith.constant 0.0 : f32
  %0 = tensor.expand_shape %x [[0], [1, 2], [3, 4]] output_shape [2, 7, 1, 8, 1] : tensor<2x7x8xf32> into tensor<2x7x1x8x1xf32>
  %e = tensor.empty() : tensor<2x7x3xf32>
  %l = tensor.expand_shape %e [[0], [1, 2], [3]] output_shape [2, 7, 1, 3] : tensor<2x7x3xf32> into tensor<2x7x1x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%l : tensor<2x7x1x3xf32>) -> tensor<2x7x1x3xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%0, %w : tensor<2x7x1x8x1xf32>, tensor<3x8x1xf32>) outs(%f : tensor<2x7x1x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x7x1x3xf32>
  %2 = tensor.collapse_shape %1 [[0], [1, 2], [3]] : tensor<2x7x1x3xf32> into tensor<2x7x3xf32>
  return %2 : tensor<2x7x3xf32>
}

// A batch stays, and so does what somebody reads in the larger shape, or by
// position, and what no change of shape has added.
// CHECK-LABEL: func.func @stays
// CHECK: } -> tensor<1x7x8xf32>
// CHECK: } -> tensor<7x1x8xf32>
// CHECK: } -> tensor<7x1x8xf32>
// CHECK: } -> tensor<7x1x8xf32>
func.func @stays(%x: tensor<7x8xf32>, %y: tensor<7x1x8xf32>) -> (tensor<7x8xf32>, tensor<7x8xf32>, tensor<7x1x8xf32>, tensor<7x8xf32>, tensor<7x8xf32>) {
  %0 = tensor.expand_shape %x [[0, 1], [2]] output_shape [1, 7, 8] : tensor<7x8xf32> into tensor<1x7x8xf32>
  %e = tensor.empty() : tensor<1x7x8xf32>
  %1 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0 : tensor<1x7x8xf32>) outs(%e : tensor<1x7x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.negf %a : f32
    linalg.yield %m : f32
  } -> tensor<1x7x8xf32>
  %2 = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<1x7x8xf32> into tensor<7x8xf32>

  %3 = tensor.expand_shape %x [[0, 1], [2]] output_shape [7, 1, 8] : tensor<7x8xf32> into tensor<7x1x8xf32>
  %f = tensor.empty() : tensor<7x1x8xf32>
  %4 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<7x1x8xf32>) outs(%f : tensor<7x1x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<7x1x8xf32>
  %5 = tensor.collapse_shape %4 [[0, 1], [2]] : tensor<7x1x8xf32> into tensor<7x8xf32>

  %6 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<7x1x8xf32>) outs(%f : tensor<7x1x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %m = arith.addf %a, %k : f32
    linalg.yield %m : f32
  } -> tensor<7x1x8xf32>
  %7 = tensor.collapse_shape %6 [[0, 1], [2]] : tensor<7x1x8xf32> into tensor<7x8xf32>

  %8 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<7x1x8xf32>) outs(%f : tensor<7x1x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = math.absf %a : f32
    linalg.yield %m : f32
  } -> tensor<7x1x8xf32>
  %9 = tensor.collapse_shape %8 [[0, 1], [2]] : tensor<7x1x8xf32> into tensor<7x8xf32>
  return %2, %5, %4, %7, %9 : tensor<7x8xf32>, tensor<7x8xf32>, tensor<7x1x8xf32>, tensor<7x8xf32>, tensor<7x8xf32>
}

// The rows of a linear layer have the dimension in PyTorch, and what is between two layers.
// CHECK-LABEL: func.func @linear_rows
// CHECK: linalg.matmul
// CHECK: tensor.expand_shape {{.*}} : tensor<3x6xf32> into tensor<1x3x1x6xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x3x1x6xf32>)
// CHECK: tensor.collapse_shape {{.*}} : tensor<1x3x1x6xf32> into tensor<3x6xf32>
// CHECK: linalg.matmul
#four = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @linear_rows(%x: tensor<1x3x1x4xf32>) -> tensor<1x3x1x3xf32> {
  %w = arith.constant dense<0.5> : tensor<4x6xf32>
  %v = arith.constant dense<0.25> : tensor<6x3xf32>
  %z = arith.constant 0.0 : f32
  %c = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<1x3x1x4xf32> into tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x6xf32>) -> tensor<3x6xf32>
  %m = linalg.matmul ins(%c, %w : tensor<3x4xf32>, tensor<4x6xf32>) outs(%f : tensor<3x6xf32>) -> tensor<3x6xf32>
  %y = tensor.expand_shape %m [[0, 1], [2, 3]] output_shape [1, 3, 1, 6] : tensor<3x6xf32> into tensor<1x3x1x6xf32>
  %o = tensor.empty() : tensor<1x3x1x6xf32>
  %r = linalg.generic {indexing_maps = [#four, #four], iterator_types = ["parallel","parallel","parallel","parallel"]} ins(%y : tensor<1x3x1x6xf32>) outs(%o : tensor<1x3x1x6xf32>) {
  ^bb0(%i: f32, %q: f32):
    %p = arith.maximumf %i, %z : f32
    linalg.yield %p : f32
  } -> tensor<1x3x1x6xf32>
  %c2 = tensor.collapse_shape %r [[0, 1], [2, 3]] : tensor<1x3x1x6xf32> into tensor<3x6xf32>
  %e2 = tensor.empty() : tensor<3x3xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %m2 = linalg.matmul ins(%c2, %v : tensor<3x6xf32>, tensor<6x3xf32>) outs(%f2 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %y2 = tensor.expand_shape %m2 [[0, 1], [2, 3]] output_shape [1, 3, 1, 3] : tensor<3x3xf32> into tensor<1x3x1x3xf32>
  return %y2 : tensor<1x3x1x3xf32>
}

// A bias is added on either side.
// CHECK-LABEL: func.func @turned_sum
// CHECK: linalg.matmul
// CHECK: tensor.expand_shape {{.*}} : tensor<3x6xf32> into tensor<1x3x1x6xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x3x1x6xf32>)
// CHECK: tensor.collapse_shape {{.*}} : tensor<1x3x1x6xf32> into tensor<3x6xf32>
// CHECK: linalg.matmul
func.func @turned_sum(%x: tensor<3x4xf32>) -> tensor<3x3xf32> {
  %w = arith.constant dense<0.5> : tensor<4x6xf32>
  %v = arith.constant dense<0.25> : tensor<6x3xf32>
  %bias = arith.constant dense<[0.5, 1.0, 1.5, 2.0, 2.5, 3.0]> : tensor<6xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x6xf32>) -> tensor<3x6xf32>
  %m = linalg.matmul ins(%x, %w : tensor<3x4xf32>, tensor<4x6xf32>) outs(%f : tensor<3x6xf32>) -> tensor<3x6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b) -> (b)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%bias, %m : tensor<6xf32>, tensor<3x6xf32>) outs(%e : tensor<3x6xf32>) {
  ^bb0(%i: f32, %j: f32, %q: f32):
    %p = arith.addf %i, %j : f32
    linalg.yield %p : f32
  } -> tensor<3x6xf32>
  %y = tensor.expand_shape %s [[0, 1], [2, 3]] output_shape [1, 3, 1, 6] : tensor<3x6xf32> into tensor<1x3x1x6xf32>
  %o = tensor.empty() : tensor<1x3x1x6xf32>
  %r = linalg.generic {indexing_maps = [#four, #four], iterator_types = ["parallel","parallel","parallel","parallel"]} ins(%y : tensor<1x3x1x6xf32>) outs(%o : tensor<1x3x1x6xf32>) {
  ^bb0(%i: f32, %q: f32):
    %p = arith.maximumf %i, %z : f32
    linalg.yield %p : f32
  } -> tensor<1x3x1x6xf32>
  %c = tensor.collapse_shape %r [[0, 1], [2, 3]] : tensor<1x3x1x6xf32> into tensor<3x6xf32>
  %e2 = tensor.empty() : tensor<3x3xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %m2 = linalg.matmul ins(%c, %v : tensor<3x6xf32>, tensor<6x3xf32>) outs(%f2 : tensor<3x3xf32>) -> tensor<3x3xf32>
  return %m2 : tensor<3x3xf32>
}
