// RUN: qbackend-opt %s --qbackend-raise --qbackend-normalize-layout --remarks-filter='qbackend.*' -verify-diagnostics -o %t

// Heads of attention: a product of matrices has one layout.
func.func @heads(%x: tensor<2x4x3x8xf32>, %y: tensor<2x3x8x5xf32>) -> tensor<2x3x4x5xf32> {
  %r = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  ^bb0(%a: tensor<2x4x3x8xf32>):
    %0 = tosa.clamp %a {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
    qbackend.yield %0 : tensor<2x4x3x8xf32>
  }
  // expected-remark @+1 {{[Missed] QB003 | Category:qbackend | Function=heads | Operator=transpose, Reason="'matmul' can't be computed in the layout before it"}}
  %t = qbackend.transpose %r [0, 2, 1, 3] : tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  %z = arith.constant dense<0.0> : tensor<2x3x4x5xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, k) -> (b, h, i, k)>, affine_map<(b, h, i, j, k) -> (b, h, k, j)>, affine_map<(b, h, i, j, k) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%t, %y : tensor<2x3x4x8xf32>, tensor<2x3x8x5xf32>) outs(%z : tensor<2x3x4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x3x4x5xf32>
  return %m : tensor<2x3x4x5xf32>
}

// At the module's edge, and through what works in any layout: no remark.
func.func @edge(%x: tensor<2x4x3x8xf32>) -> tensor<2x3x4x8xf32> {
  %t = qbackend.transpose %x [0, 2, 1, 3] : tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  %r = qbackend.operator [#qbackend.relu] inputs(%t) : (tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32> {
  ^bb0(%a: tensor<2x3x4x8xf32>):
    %0 = tosa.clamp %a {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32>
    qbackend.yield %0 : tensor<2x3x4x8xf32>
  }
  return %r : tensor<2x3x4x8xf32>
}
