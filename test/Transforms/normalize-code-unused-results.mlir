// RUN: qbackend-opt %s --qbackend-normalize-code | FileCheck %s
// RUN: qbackend-opt %s --qbackend-print-operators -o /dev/null | FileCheck %s --check-prefix=OPS

#v = affine_map<(d0) -> (d0)>
#s = affine_map<(d0) -> ()>
#n = affine_map<() -> ()>

// Where the maximum is, is not read: the op is a maximum, and part of the
// softmax, also where the batch is folded away.

// CHECK-LABEL: func.func @log_softmax
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%{{.*}} : tensor<10xf32>) outs(%{{[^ ]*}} : tensor<f32>) {
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT: %[[R:.*]] = arith.maximumf %[[IN]], %[[OUT]] : f32
// CHECK-NEXT: linalg.yield %[[R]] : f32
// OPS-LABEL: @log_softmax
// OPS-NEXT: 0: linear
// OPS-NEXT: 1: log_softmax<axis = 0> [10] <- 0
// OPS-NEXT: result 1
func.func @log_softmax(%x: tensor<1x8xf32>, %w: tensor<8x10xf32>, %b: tensor<10xf32>) -> tensor<10xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : i64
  %e1 = tensor.empty() : tensor<1x10xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x10xf32>) -> tensor<1x10xf32>
  %p = linalg.matmul ins(%x, %w : tensor<1x8xf32>, tensor<8x10xf32>) outs(%f1 : tensor<1x10xf32>) -> tensor<1x10xf32>
  %c = tensor.collapse_shape %p [[0, 1]] : tensor<1x10xf32> into tensor<10xf32>
  %e = tensor.empty() : tensor<10xf32>
  %y = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%b, %c : tensor<10xf32>, tensor<10xf32>) outs(%e : tensor<10xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %1 = arith.addf %in, %in2 : f32
    linalg.yield %1 : f32
  } -> tensor<10xf32>
  %es = tensor.empty() : tensor<f32>
  %fs = linalg.fill ins(%low : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %ei = tensor.empty() : tensor<i64>
  %fi = linalg.fill ins(%first : i64) outs(%ei : tensor<i64>) -> tensor<i64>
  %max:2 = linalg.generic {indexing_maps = [#v, #s, #s], iterator_types = ["reduction"]} ins(%y : tensor<10xf32>) outs(%fs, %fi : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %out: f32, %where: i64):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.maximumf %in, %out : f32
    %4 = arith.cmpf ogt, %in, %out : f32
    %5 = arith.select %4, %2, %where : i64
    linalg.yield %3, %5 : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  %d = linalg.generic {indexing_maps = [#v, #s, #v], iterator_types = ["parallel"]} ins(%y, %max#0 : tensor<10xf32>, tensor<f32>) outs(%e : tensor<10xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %1 = arith.subf %in, %m : f32
    linalg.yield %1 : f32
  } -> tensor<10xf32>
  %x1 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%d : tensor<10xf32>) outs(%e : tensor<10xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = math.exp %in : f32
    linalg.yield %1 : f32
  } -> tensor<10xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#v, #s], iterator_types = ["reduction"]} ins(%x1 : tensor<10xf32>) outs(%fz : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  %log = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%sum : tensor<f32>) outs(%es : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = math.log %in : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#v, #s, #v], iterator_types = ["parallel"]} ins(%d, %log : tensor<10xf32>, tensor<f32>) outs(%e : tensor<10xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %1 = arith.subf %in, %m : f32
    linalg.yield %1 : f32
  } -> tensor<10xf32>
  return %r : tensor<10xf32>
}

// The index depends on the maximum: only that is dropped which nothing needs.

// CHECK-LABEL: func.func @index_only
// CHECK: %{{.*}}:2 = linalg.generic {{.*}} outs(%{{.*}}, %{{[^ ]*}} : tensor<f32>, tensor<i64>)
func.func @index_only(%y: tensor<10xf32>, %fs: tensor<f32>, %fi: tensor<i64>, %fj: tensor<f32>) -> tensor<i64> {
  %max:3 = linalg.generic {indexing_maps = [#v, #s, #s, #s], iterator_types = ["reduction"]} ins(%y : tensor<10xf32>) outs(%fs, %fj, %fi : tensor<f32>, tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %out: f32, %sum: f32, %where: i64):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.maximumf %in, %out : f32
    %4 = arith.cmpf ogt, %in, %out : f32
    %5 = arith.select %4, %2, %where : i64
    %6 = arith.addf %sum, %in : f32
    linalg.yield %3, %6, %5 : f32, f32, i64
  } -> (tensor<f32>, tensor<f32>, tensor<i64>)
  return %max#2 : tensor<i64>
}

// Only the result that is not read says how many steps there are.

// CHECK-LABEL: func.func @extent
// CHECK: %{{.*}}:2 = linalg.generic
func.func @extent(%a: tensor<f32>, %b: tensor<5xf32>) -> tensor<f32> {
  %r:2 = linalg.generic {indexing_maps = [#s, #v], iterator_types = ["reduction"]} outs(%a, %b : tensor<f32>, tensor<5xf32>) {
  ^bb0(%out: f32, %out2: f32):
    %1 = arith.addf %out, %out : f32
    linalg.yield %1, %out2 : f32, f32
  } -> (tensor<f32>, tensor<5xf32>)
  return %r#0 : tensor<f32>
}
