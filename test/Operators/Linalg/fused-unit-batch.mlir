// RUN: qbackend-opt %s --qbackend-print-operators -o /dev/null | FileCheck %s

// Fusion has put bias and relu into the next product, folding has taken away the
// batch, which the image that is flattened gives back: the bias, the first
// thing that the product reads, has none.

// CHECK: 0: conv2d
// CHECK-NEXT: 1: reshape
// CHECK-NEXT: 2: linear weight[6, 36] bias [6] <- 1
// CHECK-NEXT: 3: relu [6] <- 2
// CHECK-NEXT: 4: linear weight[5, 6] [5] <- 3
// CHECK-NEXT: result 4
func.func @main(%x: tensor<1x5x5x2xf32>, %wc: tensor<4x3x3x2xf32>, %p: tensor<700xf32>, %w2: tensor<5x6xf32>) -> tensor<5xf32> {
  %z = arith.constant 0.0 : f32
  %w1 = arith.constant dense<0.5> : tensor<6x4x3x3xf32>
  %b = tensor.extract_slice %p[128] [6] [1] : tensor<700xf32> to tensor<6xf32>
  %x3 = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x5x5x2xf32> into tensor<5x5x2xf32>
  %e3 = tensor.empty() : tensor<3x3x4xf32>
  %f3 = linalg.fill ins(%z : f32) outs(%e3 : tensor<3x3x4xf32>) -> tensor<3x3x4xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(h, w, o, r, s, c) -> (h + r, w + s, c)>, affine_map<(h, w, o, r, s, c) -> (o, r, s, c)>,
                                        affine_map<(h, w, o, r, s, c) -> (h, w, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x3, %wc : tensor<5x5x2xf32>, tensor<4x3x3x2xf32>) outs(%f3 : tensor<3x3x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x3x4xf32>
  %e6 = tensor.empty() : tensor<6xf32>
  %f6 = linalg.fill ins(%z : f32) outs(%e6 : tensor<6xf32>) -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(o, c, h, w) -> (h, w, c)>, affine_map<(o, c, h, w) -> (o, c, h, w)>,
                                        affine_map<(o, c, h, w) -> (o)>],
                       iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
    ins(%c, %w1 : tensor<3x3x4xf32>, tensor<6x4x3x3xf32>) outs(%f6 : tensor<6xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.mulf %i, %j : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6xf32>
  %e5 = tensor.empty() : tensor<5xf32>
  %f5 = linalg.fill ins(%z : f32) outs(%e5 : tensor<5xf32>) -> tensor<5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(o, i) -> (i)>, affine_map<(o, i) -> (i)>, affine_map<(o, i) -> (o, i)>, affine_map<(o, i) -> (o)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%b, %y, %w2 : tensor<6xf32>, tensor<6xf32>, tensor<5x6xf32>) outs(%f5 : tensor<5xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %o: f32):
    %0 = arith.addf %i, %j : f32
    %1 = arith.maximumf %0, %z : f32
    %2 = arith.mulf %1, %k : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
