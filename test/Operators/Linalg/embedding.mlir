// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

#i = affine_map<(a, b, c) -> (a, b)>
#o = affine_map<(a, b, c) -> (a, b, c)>

// PyTorch's export checks the bounds; the guards go with it.
// CHECK-LABEL: func.func @guarded
// CHECK: qbackend.operator [#qbackend.embedding] inputs(%arg0) weight(%arg1) : (tensor<2x?xi64>, tensor<50x8xf32>) -> tensor<2x?x8xf32>
// CHECK: cf.assert
// CHECK: qbackend.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @guarded(%i: tensor<2x?xi64>, %table: tensor<50x8xf32>) -> tensor<2x?x8xf32> {
  %c1 = arith.constant 1 : index
  %c0_i64 = arith.constant 0 : i64
  %c50_i64 = arith.constant 50 : i64
  %n = tensor.dim %i, %c1 : tensor<2x?xi64>
  %e = tensor.empty(%n) : tensor<2x?x8xf32>
  %r = linalg.generic {indexing_maps = [#i, #o], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%i : tensor<2x?xi64>) outs(%e : tensor<2x?x8xf32>) {
  ^bb0(%in: i64, %out: f32):
    %row = arith.index_cast %in : i64 to index
    %column = linalg.index 2 : index
    %below = arith.cmpi slt, %in, %c50_i64 : i64
    cf.assert %below, "index must be smaller than dim size"
    %above = arith.cmpi sge, %in, %c0_i64 : i64
    cf.assert %above, "index must be larger or equal to 0"
    %v = tensor.extract %table[%row, %column] : tensor<50x8xf32>
    linalg.yield %v : f32
  } -> tensor<2x?x8xf32>
  return %r : tensor<2x?x8xf32>
}

// Indices clamped, and counted from the end where they are negative, are the
// same rows; the table has a dimension in front, as tosa.gather wants it.
// CHECK-LABEL: func.func @wrapped
// CHECK: %[[T:.*]] = arith.constant dense<{{.*}}> : tensor<3x2xf32>
// CHECK: qbackend.operator [#qbackend.embedding] inputs(%arg0) weight(%[[T]]) : (tensor<1x6xi32>, tensor<3x2xf32>) -> tensor<1x6x2xf32>
func.func @wrapped(%i: tensor<1x6xi32>) -> tensor<1x6x2xf32> {
  %t = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c2_i32 = arith.constant 2 : i32
  %c3_i32 = arith.constant 3 : i32
  %e = tensor.empty() : tensor<1x6x2xf32>
  %r = linalg.generic {indexing_maps = [#i, #o], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%i : tensor<1x6xi32>) outs(%e : tensor<1x6x2xf32>) {
  ^bb0(%in: i32, %out: f32):
    %negative = arith.cmpi slt, %in, %c0_i32 : i32
    %end = arith.addi %in, %c3_i32 : i32
    %index = arith.select %negative, %end, %in : i32
    %inside = arith.minsi %index, %c2_i32 : i32
    %row = arith.index_cast %inside : i32 to index
    %column = linalg.index 2 : index
    %v = tensor.extract %t[%c0, %row, %column] : tensor<1x3x2xf32>
    linalg.yield %v : f32
  } -> tensor<1x6x2xf32>
  return %r : tensor<1x6x2xf32>
}

// CHECK-LABEL: func.func @gather
// CHECK: qbackend.operator [#qbackend.embedding] inputs(%arg0) weight(%arg1) : (tensor<1x6xi64>, tensor<50x8xf32>) -> tensor<1x6x8xf32>
func.func @gather(%i: tensor<1x6xi64>, %table: tensor<50x8xf32>) -> tensor<1x6x8xf32> {
  %0 = tensor.expand_shape %i [[0], [1, 2]] output_shape [1, 6, 1] : tensor<1x6xi64> into tensor<1x6x1xi64>
  %1 = tensor.gather %table[%0] gather_dims([0]) : (tensor<50x8xf32>, tensor<1x6x1xi64>) -> tensor<1x6x8xf32>
  return %1 : tensor<1x6x8xf32>
}

// Rows that arithmetic changes, rows of an activation, columns by index.
// CHECK-LABEL: func.func @others
// CHECK-NOT: #qbackend.embedding
// CHECK: return
func.func @others(%i: tensor<2x6xi64>, %table: tensor<50x8xf32>) -> (tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x6x50xf32>) {
  %c1_i64 = arith.constant 1 : i64
  %e = tensor.empty() : tensor<2x6x8xf32>
  %0 = linalg.generic {indexing_maps = [#i, #o], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%i : tensor<2x6xi64>) outs(%e : tensor<2x6x8xf32>) {
  ^bb0(%in: i64, %out: f32):
    %next = arith.addi %in, %c1_i64 : i64
    %row = arith.index_cast %next : i64 to index
    %column = linalg.index 2 : index
    %v = tensor.extract %table[%row, %column] : tensor<50x8xf32>
    linalg.yield %v : f32
  } -> tensor<2x6x8xf32>
  %a = math.floor %table : tensor<50x8xf32>
  %1 = linalg.generic {indexing_maps = [#i, #o], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%i : tensor<2x6xi64>) outs(%e : tensor<2x6x8xf32>) {
  ^bb0(%in: i64, %out: f32):
    %row = arith.index_cast %in : i64 to index
    %column = linalg.index 2 : index
    %v = tensor.extract %a[%row, %column] : tensor<50x8xf32>
    linalg.yield %v : f32
  } -> tensor<2x6x8xf32>
  %f = tensor.empty() : tensor<2x6x50xf32>
  %2 = linalg.generic {indexing_maps = [#i, #o], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%i : tensor<2x6xi64>) outs(%f : tensor<2x6x50xf32>) {
  ^bb0(%in: i64, %out: f32):
    %column = arith.index_cast %in : i64 to index
    %row = linalg.index 2 : index
    %v = tensor.extract %table[%row, %column] : tensor<50x8xf32>
    linalg.yield %v : f32
  } -> tensor<2x6x50xf32>
  return %0, %1, %2 : tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x6x50xf32>
}
