// RUN: qbackend-opt %s -qbackend-split-reductions | FileCheck %s

#rows = affine_map<(n, k) -> (n, k)>
#sums = affine_map<(n, k) -> (n)>
#weight = affine_map<(n, k) -> (k)>

// CHECK-LABEL: func.func @sum
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{\[}}[0], [1, 2]{{\]}} output_shape [4, 6, 16]
// CHECK: %[[W:.*]] = tensor.expand_shape %arg1 {{\[}}[0, 1]{{\]}} output_shape [6, 16]
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<4x16xi32>
// CHECK: %[[LANES:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[ZEROS]]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[LANES]] : tensor<4x16xi32>) outs(%arg2 : tensor<4xi32>)
func.func @sum(%x: tensor<4x96xi8>, %w: tensor<96xi8>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = linalg.generic {indexing_maps = [#rows, #weight, #sums], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<4x96xi8>, tensor<96xi8>) outs(%y : tensor<4xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %c = arith.extsi %a : i8 to i32
    %d = arith.extsi %b : i8 to i32
    %p = arith.muli %c, %d : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// What 16 doesn't divide comes before; the least signed byte is no extremum.
// CHECK-LABEL: func.func @largest
// CHECK: %[[TAIL:.*]] = tensor.extract_slice %arg0[0, 96] [4, 4] [1, 1]
// CHECK: %[[FIRST:.*]] = linalg.generic {{.*}} ins(%[[TAIL]] : tensor<4x4xi8>) outs(%arg1
// CHECK: %[[WHOLE:.*]] = tensor.extract_slice %arg0[0, 0] [4, 96] [1, 1]
// CHECK: %[[LEAST:.*]] = arith.constant -128 : i8
// CHECK: linalg.fill ins(%[[LEAST]] : i8) {{.*}} -> tensor<4x16xi8>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} {{.*}} outs(%[[FIRST]] : tensor<4xi8>)
func.func @largest(%x: tensor<4x100xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %r = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x100xi8>) outs(%y : tensor<4xi8>) {
  ^bb0(%a: i8, %s: i8):
    %t = arith.maxsi %s, %a : i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  return %r : tensor<4xi8>
}

// Floats are added in their order.
// CHECK-LABEL: func.func @real
// CHECK-NOT: expand_shape
func.func @real(%x: tensor<4x96xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x96xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A sum that is used for something else on its way.
// CHECK-LABEL: func.func @chained
// CHECK-NOT: expand_shape
func.func @chained(%x: tensor<4x96xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x96xi32>) outs(%y : tensor<4xi32>) {
  ^bb0(%a: i32, %s: i32):
    %d = arith.addi %s, %a : i32
    %c = arith.constant 2 : i32
    %t = arith.muli %d, %c : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// Few; neighbours along another loop; a position that is asked for; an unknown
// number.
// CHECK-LABEL: func.func @others
// CHECK-NOT: expand_shape
func.func @others(%few: tensor<4x63xi32>, %x: tensor<96x4xi32>, %z: tensor<4x96xi32>, %u: tensor<?x96xi32>, %y: tensor<4xi32>, %v: tensor<?xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<?xi32>) {
  %0 = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]} ins(%few : tensor<4x63xi32>) outs(%y : tensor<4xi32>) {
  ^bb0(%a: i32, %s: i32):
    %t = arith.addi %s, %a : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k, n)>, #sums], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<96x4xi32>) outs(%y : tensor<4xi32>) {
  ^bb0(%a: i32, %s: i32):
    %t = arith.addi %s, %a : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  %2 = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]} ins(%z : tensor<4x96xi32>) outs(%y : tensor<4xi32>) {
  ^bb0(%a: i32, %s: i32):
    %k = linalg.index 1 : index
    %i = arith.index_cast %k : index to i32
    %p = arith.muli %a, %i : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  %3 = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]} ins(%u : tensor<?x96xi32>) outs(%v : tensor<?xi32>) {
  ^bb0(%a: i32, %s: i32):
    %t = arith.addi %s, %a : i32
    linalg.yield %t : i32
  } -> tensor<?xi32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<?xi32>
}

// Results that are not at each position of their loops.
// CHECK-LABEL: func.func @column
// CHECK-NOT: expand_shape
// CHECK: return
func.func @column(%x: tensor<4x96xi32>, %y: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %r = linalg.generic {indexing_maps = [#rows, affine_map<(n, k) -> (n, 0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x96xi32>) outs(%y : tensor<4x4xi32>) {
  ^bb0(%a: i32, %s: i32):
    %t = arith.addi %s, %a : i32
    linalg.yield %t : i32
  } -> tensor<4x4xi32>
  return %r : tensor<4x4xi32>
}

// CHECK-LABEL: func.func @every_second
// CHECK-NOT: expand_shape
// CHECK: return
func.func @every_second(%x: tensor<4x96xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %r = linalg.generic {indexing_maps = [#rows, affine_map<(n, k) -> (n * 2)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x96xi32>) outs(%y : tensor<8xi32>) {
  ^bb0(%a: i32, %s: i32):
    %t = arith.addi %s, %a : i32
    linalg.yield %t : i32
  } -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// CHECK-LABEL: func.func @not_reduced
// CHECK-NOT: expand_shape
// CHECK: return
func.func @not_reduced(%x: tensor<4x96xi32>, %y: tensor<4x96xi32>) -> tensor<4x96xi32> {
  %r = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x96xi32>) outs(%y : tensor<4x96xi32>) {
  ^bb0(%a: i32, %s: i32):
    %t = arith.addi %s, %a : i32
    linalg.yield %t : i32
  } -> tensor<4x96xi32>
  return %r : tensor<4x96xi32>
}

// Nothing at all.
// CHECK-LABEL: func.func @empty
// CHECK-NOT: expand_shape
// CHECK: return
func.func @empty(%x: tensor<0x100xi32>, %y: tensor<0xi32>) -> tensor<0xi32> {
  %r = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<0x100xi32>) outs(%y : tensor<0xi32>) {
  ^bb0(%a: i32, %s: i32):
    %t = arith.addi %s, %a : i32
    linalg.yield %t : i32
  } -> tensor<0xi32>
  return %r : tensor<0xi32>
}

// A sum that does not overflow in its order.
// CHECK-LABEL: func.func @promise
// CHECK-NOT: expand_shape
// CHECK: return
func.func @promise(%x: tensor<4x96xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x96xi32>) outs(%y : tensor<4xi32>) {
  ^bb0(%a: i32, %s: i32):
    %t = arith.addi %s, %a overflow<nsw> : i32
    linalg.yield %t : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// More results than a lane each is worth.
// CHECK-LABEL: func.func @product
// CHECK-NOT: expand_shape
// CHECK: return
func.func @product(%x: tensor<64x64xi32>, %w: tensor<64x64xi32>, %y: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, m, k) -> (n, k)>, affine_map<(n, m, k) -> (m, k)>, affine_map<(n, m, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<64x64xi32>, tensor<64x64xi32>) outs(%y : tensor<64x64xi32>) {
  ^bb0(%a: i32, %b: i32, %s: i32):
    %p = arith.muli %a, %b : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  } -> tensor<64x64xi32>
  return %r : tensor<64x64xi32>
}
