// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s

// A lookup that fusion has put into a sum, as that of a bag of words, comes out
// of it; a lookup with guards keeps them, and stays.

// CHECK-LABEL: @bag
// CHECK-NEXT: 0: embedding weight[4, 3] [5, 3] <- input0
// CHECK-NEXT: 1: sum<axes = [0]> [3] <- 0
// CHECK-NEXT: result 1
func.func @bag(%i: tensor<1x5xi64>) -> tensor<1x1x3xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [-1.0, -2.0, -3.0]]> : tensor<4x3xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, 0, c)>], iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%i : tensor<1x5xi64>) outs(%f : tensor<1x1x3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %column = linalg.index 2 : index
    %row = arith.index_cast %in : i64 to index
    %x = tensor.extract %w[%row, %column] : tensor<4x3xf32>
    %s = arith.addf %x, %out : f32
    linalg.yield %s : f32
  } -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

// CHECK-LABEL: @guarded
// CHECK-NEXT: 0: linalg.generic
func.func @guarded(%i: tensor<1x5xi64>) -> tensor<1x1x3xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [-1.0, -2.0, -3.0]]> : tensor<4x3xf32>
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<1x1x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, 0, c)>], iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%i : tensor<1x5xi64>) outs(%f : tensor<1x1x3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %column = linalg.index 2 : index
    %ok = arith.cmpi sge, %in, %c0 : i64
    cf.assert %ok, "index must not be negative"
    %row = arith.index_cast %in : i64 to index
    %x = tensor.extract %w[%row, %column] : tensor<4x3xf32>
    %s = arith.addf %x, %out : f32
    linalg.yield %s : f32
  } -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}
