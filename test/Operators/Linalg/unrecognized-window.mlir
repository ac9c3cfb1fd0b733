// RUN: qbackend-opt %s -o %t.mlir
// RUN: qbackend-opt %s --qbackend-raise --qbackend-inline-operators -o %t.raised.mlir
// RUN: cmp %t.mlir %t.raised.mlir
//
// A sum over windows that is no operator comes back as it came.
#in = affine_map<(h, c, k) -> (h + k, c)>
#k = affine_map<(h, c, k) -> (k)>
#out = affine_map<(h, c, k) -> (h, c)>
func.func @main(%x: tensor<6x3xf32>) -> tensor<4x3xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x3xf32>
  %i = linalg.fill ins(%one : f32) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  %k = tensor.empty() : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [#in, #k, #out], iterator_types = ["parallel","parallel","reduction"]} ins(%x, %k : tensor<6x3xf32>, tensor<3xf32>) outs(%i : tensor<4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = math.exp %a : f32
    %m = arith.mulf %t, %o : f32
    linalg.yield %m : f32
  } -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
