// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// q, k and v from one reshaped input, then q k^T with the map transposed.
// CHECK-LABEL: func.func @attention(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<2x3x8xf32>, tensor<4x8xf32>) -> tensor<2x3x4xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<2x3x8xf32>, tensor<4x8xf32>) -> tensor<2x3x4xf32>
// CHECK: %[[R2:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<2x3x8xf32>, tensor<4x8xf32>) -> tensor<2x3x4xf32>
// CHECK: %[[R3:.*]] = qbackend.operator [#qbackend.matmul] inputs(%[[R0]], %{{.*}}) : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
// CHECK: %[[R4:.*]] = qbackend.operator [#qbackend.matmul] inputs(%[[R3]], %[[R2]]) : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @attention(%x: tensor<2x3x8xf32>) -> tensor<2x3x4xf32> {
  %z = arith.constant 0.0 : f32
  %wq = arith.constant dense<0.5> : tensor<8x4xf32>
  %wk = arith.constant dense<0.25> : tensor<8x4xf32>
  %wv = arith.constant dense<0.125> : tensor<8x4xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %e = tensor.empty() : tensor<6x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
  %q = linalg.matmul ins(%c, %wq : tensor<6x8xf32>, tensor<8x4xf32>) outs(%f : tensor<6x4xf32>) -> tensor<6x4xf32>
  %k = linalg.matmul ins(%c, %wk : tensor<6x8xf32>, tensor<8x4xf32>) outs(%f : tensor<6x4xf32>) -> tensor<6x4xf32>
  %v = linalg.matmul ins(%c, %wv : tensor<6x8xf32>, tensor<8x4xf32>) outs(%f : tensor<6x4xf32>) -> tensor<6x4xf32>
  %q3 = tensor.expand_shape %q [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %k3 = tensor.expand_shape %k [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %v3 = tensor.expand_shape %v [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %es = tensor.empty() : tensor<2x3x3xf32>
  %fs = linalg.fill ins(%z : f32) outs(%es : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>] ins(%q3, %k3 : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%fs : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %eo = tensor.empty() : tensor<2x3x4xf32>
  %fo = linalg.fill ins(%z : f32) outs(%eo : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %o = linalg.batch_matmul ins(%s, %v3 : tensor<2x3x3xf32>, tensor<2x3x4xf32>) outs(%fo : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @attn(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.matmul] inputs(%arg0, %{{.*}}) : (tensor<2x4x3xf32>, tensor<2x3x4xf32>) -> tensor<2x4x4xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @attn(%x: tensor<2x4x3xf32>) -> tensor<2x4x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %k = tosa.tanh %x : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %t = tosa.transpose %k {perms = array<i32: 0, 2, 1>} : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  %m = tosa.matmul %x, %t, %z, %z : (tensor<2x4x3xf32>, tensor<2x3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x4xf32>
  return %m : tensor<2x4x4xf32>
}

// A weight that differs by batch.
// CHECK-LABEL: func.func @grouped(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.matmul] inputs(%arg0, %{{.*}}) : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @grouped(%x: tensor<2x3x4xf32>) -> tensor<2x3x5xf32> {
  %w = arith.constant dense<[[[1.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0]],[[7.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0]]]> : tensor<2x4x5xf32>
  %f = arith.constant dense<0.0> : tensor<2x3x5xf32>
  %m = linalg.batch_matmul ins(%x, %w : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%f : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %m : tensor<2x3x5xf32>
}

// Two arguments as they came: neither is known to be a parameter.
// CHECK-LABEL: func.func @mm(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.matmul] inputs(%arg0, %arg1) : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @mm(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %f = arith.constant dense<0.0> : tensor<4x5xf32>
  %m = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %m : tensor<4x5xf32>
}

// Keys look like queries.
// CHECK-LABEL: func.func @qk(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.matmul] inputs(%arg0, %{{.*}}) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @qk(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %f = arith.constant dense<0.0> : tensor<4x4xf32>
  %m = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%q, %k : tensor<4x8xf32>, tensor<4x8xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

// The second argument is data of another product.
// CHECK-LABEL: func.func @gram(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.matmul] inputs(%arg0, %{{.*}}) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @gram(%x: tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x5xf32>) {
  %w = arith.constant dense<0.25> : tensor<8x5xf32>
  %f = arith.constant dense<0.0> : tensor<4x5xf32>
  %f2 = arith.constant dense<0.0> : tensor<4x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  %g = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%f2 : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %g, %m : tensor<4x4xf32>, tensor<4x5xf32>
}

// Batch and heads, merged for the product and cut again, are its batch.
// CHECK-LABEL: func.func @heads(
// CHECK: qbackend.operator [#qbackend.matmul] inputs(%arg0, %arg1) : (tensor<2x3x4x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x4x4xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @heads(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x8x4xf32>) -> tensor<2x3x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %qc = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x3x4x8xf32> into tensor<6x4x8xf32>
  %kc = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<2x3x8x4xf32> into tensor<6x8x4xf32>
  %e = tensor.empty() : tensor<6x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6x4x4xf32>) -> tensor<6x4x4xf32>
  %m = linalg.batch_matmul ins(%qc, %kc : tensor<6x4x8xf32>, tensor<6x8x4xf32>) outs(%f : tensor<6x4x4xf32>) -> tensor<6x4x4xf32>
  %r = tensor.expand_shape %m [[0, 1], [2], [3]] output_shape [2, 3, 4, 4] : tensor<6x4x4xf32> into tensor<2x3x4x4xf32>
  return %r : tensor<2x3x4x4xf32>
}

// The same with the keys transposed by the product.
// CHECK-LABEL: func.func @heads_transposed(
// CHECK: %[[K:.*]] = qbackend.transpose %arg1 [0, 1, 3, 2]
// CHECK: qbackend.operator [#qbackend.matmul] inputs(%arg0, %[[K]]) : (tensor<2x3x4x8xf32>, tensor<2x3x8x5xf32>) -> tensor<2x3x4x5xf32>
// CHECK: return
func.func @heads_transposed(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>) -> tensor<2x3x4x5xf32> {
  %z = arith.constant 0.0 : f32
  %qc = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x3x4x8xf32> into tensor<6x4x8xf32>
  %kc = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<2x3x5x8xf32> into tensor<6x5x8xf32>
  %e = tensor.empty() : tensor<6x4x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  %m = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>] ins(%qc, %kc : tensor<6x4x8xf32>, tensor<6x5x8xf32>) outs(%f : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  %r = tensor.expand_shape %m [[0, 1], [2], [3]] output_shape [2, 3, 4, 5] : tensor<6x4x5xf32> into tensor<2x3x4x5xf32>
  return %r : tensor<2x3x4x5xf32>
}

// Rows that are cut are no batch.
// CHECK-LABEL: func.func @rows(
// CHECK: qbackend.operator [#qbackend.matmul] inputs(%arg0, %arg1) : (tensor<2x6x8xf32>, tensor<2x8x4xf32>) -> tensor<2x6x4xf32>
// CHECK: qbackend.operator [#qbackend.reshape]
// CHECK: return
func.func @rows(%q: tensor<2x6x8xf32>, %k: tensor<2x8x4xf32>) -> tensor<2x3x2x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %m = linalg.batch_matmul ins(%q, %k : tensor<2x6x8xf32>, tensor<2x8x4xf32>) outs(%f : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %r = tensor.expand_shape %m [[0], [1, 2], [3]] output_shape [2, 3, 2, 4] : tensor<2x6x4xf32> into tensor<2x3x2x4xf32>
  return %r : tensor<2x3x2x4xf32>
}

// Queries and keys in one argument.
// CHECK-LABEL: func.func @qkv_packed(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.matmul] inputs(%{{.*}}, %{{.*}}) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @qkv_packed(%p: tensor<2x4x8xf32>) -> tensor<4x4xf32> {
  %f = arith.constant dense<0.0> : tensor<4x4xf32>
  %q = tensor.extract_slice %p[0, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<2x4x8xf32> to tensor<4x8xf32>
  %k = tensor.extract_slice %p[1, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<2x4x8xf32> to tensor<4x8xf32>
  %m = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%q, %k : tensor<4x8xf32>, tensor<4x8xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

// One head of keys for several heads of queries, which fusion has put into the
// product: it is repeated in front of it.
// CHECK-LABEL: func.func @shared_head(
// CHECK: %[[Q:.*]] = qbackend.operator [#qbackend.tanh] inputs(%arg0)
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.repeat<multiples = [2, 1, 1]>]
// CHECK: %[[T:.*]] = qbackend.transpose %[[R]] [0, 2, 1]
// CHECK: qbackend.operator [#qbackend.matmul] inputs(%[[Q]], %[[T]]) : (tensor<2x5x4xf32>, tensor<2x4x3xf32>) -> tensor<2x5x3xf32>
func.func @shared_head(%q: tensor<2x5x4xf32>, %k: tensor<3x4xf32>) -> tensor<2x5x3xf32> {
  %z = arith.constant 0.0 : f32
  %qt = math.tanh %q : tensor<2x5x4xf32>
  %kt = math.tanh %k : tensor<3x4xf32>
  %e = tensor.empty() : tensor<2x5x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, t, s, d) -> (h, t, d)>, affine_map<(h, t, s, d) -> (s, d)>, affine_map<(h, t, s, d) -> (h, t, s)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%qt, %kt : tensor<2x5x4xf32>, tensor<3x4xf32>) outs(%f : tensor<2x5x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x5x3xf32>
  return %y : tensor<2x5x3xf32>
}

#wp = affine_map<(b, h, r, s, c, u, v) -> (b, h, r, s, u, v)>
#wv = affine_map<(b, h, r, s, c, u, v) -> (b, u, v, h, c)>
#wy = affine_map<(b, h, r, s, c, u, v) -> (b, h, r, s, c)>
#wz = affine_map<(b, h, r, s, c, u, v) -> (b, r, h, s, c)>

// The windows of an image, two dimensions each, as rows and as what is summed.
// CHECK-LABEL: func.func @windows
// CHECK-DAG: %[[P:.*]] = qbackend.operator [#qbackend.reshape] inputs(%arg0) attributes {qbackend.source_values = 0 : i64} : (tensor<4x2x2x3x2x3xf32>) -> tensor<4x2x6x6xf32>
// CHECK-DAG: qbackend.transpose %arg1 [0, 3, 1, 2, 4] : tensor<4x2x3x2x5xf32> -> tensor<4x2x2x3x5xf32>
// CHECK: qbackend.operator [#qbackend.matmul] inputs(%[[P]], %{{.*}}) : (tensor<4x2x6x6xf32>, tensor<4x2x6x5xf32>) -> tensor<4x2x6x5xf32>
func.func @windows(%p: tensor<4x2x2x3x2x3xf32>, %v: tensor<4x2x3x2x5xf32>) -> tensor<4x2x2x3x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2x2x3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x2x2x3x5xf32>) -> tensor<4x2x2x3x5xf32>
  %0 = linalg.generic {indexing_maps = [#wp, #wv, #wy], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %v : tensor<4x2x2x3x2x3xf32>, tensor<4x2x3x2x5xf32>) outs(%f : tensor<4x2x2x3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2x2x3x5xf32>
  return %0 : tensor<4x2x2x3x5xf32>
}

// Rows with a dimension of the batch between them are no rows of one matrix.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: qbackend.matmul
// CHECK: return
func.func @apart(%p: tensor<4x2x2x3x2x3xf32>, %v: tensor<4x2x3x2x5xf32>) -> tensor<4x2x2x3x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2x2x3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x2x2x3x5xf32>) -> tensor<4x2x2x3x5xf32>
  %0 = linalg.generic {indexing_maps = [#wp, #wv, #wz], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %v : tensor<4x2x2x3x2x3xf32>, tensor<4x2x3x2x5xf32>) outs(%f : tensor<4x2x2x3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2x2x3x5xf32>
  return %0 : tensor<4x2x2x3x5xf32>
}
