// RUN: qbackend-opt %s -o %t.mlir
// RUN: qbackend-opt %s --qbackend-raise --qbackend-inline-operators -o %t.raised.mlir
// RUN: cmp %t.mlir %t.raised.mlir
//
// Without its weights nothing says how far the loops of the window go.
// A weighted sum over windows of one pixel, onto a tensor that is no fill.
#pixel = affine_map<(n, h, w, c, kh, kw) -> (n, h + kh, w + kw, c)>
#window = affine_map<(n, h, w, c, kh, kw) -> (kh, kw)>
#result = affine_map<(n, h, w, c, kh, kw) -> (n, h, w, c)>
func.func @main(%x: tensor<1x5x6x1xf32>, %start: tensor<1x5x6x1xf32>) -> tensor<1x5x6x1xf32> {
  %weights = arith.constant dense<1.0> : tensor<1x1xf32>
  %sum = linalg.generic {indexing_maps = [#pixel, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %weights : tensor<1x5x6x1xf32>, tensor<1x1xf32>) outs(%start : tensor<1x5x6x1xf32>) {
  ^bb0(%a: f32, %b: f32, %so_far: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %so_far, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x5x6x1xf32>
  return %sum : tensor<1x5x6x1xf32>
}
