// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s

// A number that a region extracts from a tensor of one number, which an op
// computes.

#n = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: @relu6
// CHECK-NEXT: 0: relu6 [4, 8] <- input0
// CHECK-NEXT: result 0
func.func @relu6(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6 : i64
  %e0 = tensor.empty() : tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%e0 : tensor<f32>) {
  ^bb0(%o: f32):
    %f = arith.sitofp %six : i64 to f32
    linalg.yield %f : f32
  } -> tensor<f32>
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %k = tensor.extract %s[] : tensor<f32>
    %m = arith.maximumf %a, %zero : f32
    %q = arith.minimumf %m, %k : f32
    linalg.yield %q : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: @activation
// CHECK-NEXT: 0: linalg.generic ? [4, 8] <- input0
func.func @activation(%x: tensor<4x8xf32>, %s: tensor<f32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %k = tensor.extract %s[] : tensor<f32>
    %q = arith.minimumf %a, %k : f32
    linalg.yield %q : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
