// RUN: qbackend-opt %s -o %t.mlir
// RUN: qbackend-opt %s --qbackend-raise --qbackend-inline-operators -o %t.raised.mlir
// RUN: cmp %t.mlir %t.raised.mlir
//
// What comes before a reduction that is no operator is part of it, though some
// of it could be one.
// a generic that fuses a "prologue" (relu) into a window sum which is no operator: does the code come back as it came?
#in = affine_map<(n, h, w, c, kh, kw) -> (n, h + kh, w + kw, c)>
#k = affine_map<(n, h, w, c, kh, kw) -> (kh, kw)>
#out = affine_map<(n, h, w, c, kh, kw) -> (n, h, w, c)>
func.func @main(%x: tensor<1x6x6x3xf32>) -> tensor<1x4x4x3xf32> {
  %z = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x3xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %y = linalg.generic {indexing_maps = [#in, #k, #out], iterator_types = ["parallel","parallel","parallel","parallel","reduction","reduction"]}
    ins(%x, %k : tensor<1x6x6x3xf32>, tensor<3x3xf32>) outs(%i : tensor<1x4x4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.maximumf %a, %zero : f32
    %t = math.exp %r : f32
    %m = arith.mulf %t, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x4x4x3xf32>
  return %y : tensor<1x4x4x3xf32>
}
