// Functions of vectors are those of double, rounded once.

// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/vector_math.py %t --write
// RUN: qbackend-run %s --input=%t/x.npz -o %t/y.npz
// RUN: %python %S/Inputs/vector_math.py %t | FileCheck %s
// CHECK: exp: 0 of 65536 beyond a neighbour
// CHECK: tanh: 0 of 65536 beyond a neighbour
// CHECK: erf: 0 of 65536 beyond a neighbour

// RUN: qbackend-opt %s -qbackend-lower-to-llvm | FileCheck %s --check-prefix=CALLS
// CALLS-NOT: llvm.call @{{exp|tanh|erf}}

#id = affine_map<(n, i) -> (n, i)>
func.func @main(%x: tensor<1x65536xf32>) -> (tensor<1x65536xf32>, tensor<1x65536xf32>, tensor<1x65536xf32>) {
  %e = tensor.empty() : tensor<1x65536xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xf32>) outs(%e : tensor<1x65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<1x65536xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xf32>) outs(%e : tensor<1x65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  } -> tensor<1x65536xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x65536xf32>) outs(%e : tensor<1x65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.erf %a : f32
    linalg.yield %r : f32
  } -> tensor<1x65536xf32>
  return %0, %1, %2 : tensor<1x65536xf32>, tensor<1x65536xf32>, tensor<1x65536xf32>
}
