// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

#x = affine_map<(d0, d1) -> (d0, d1)>
#u = affine_map<(d0, d1) -> (0, d1)>
#b = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @transposed_weight
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: #qbackend.add
func.func @transposed_weight(%x: tensor<1x8xf32>, %w: tensor<4x8xf32>, %bias: tensor<4xf32>) -> tensor<1x4xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x4xf32>
  %wt = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e0 : tensor<8x4xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<1x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %m = linalg.matmul ins(%x, %wt : tensor<1x8xf32>, tensor<8x4xf32>) outs(%f : tensor<1x4xf32>) -> tensor<1x4xf32>
  %r = linalg.generic {indexing_maps = [#b, #u, #x], iterator_types = ["parallel", "parallel"]}
    ins(%bias, %m : tensor<4xf32>, tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<1x4xf32>
  return %r : tensor<1x4xf32>
}

// The weight comes broadcast to the batch, the bias in the destination.
// CHECK-LABEL: func.func @rank3
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%arg2) : (tensor<2x3x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
func.func @rank3(%x: tensor<2x3x8xf32>, %wt: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<2x8x4xf32>
  %wb = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                        iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%wt : tensor<8x4xf32>) outs(%e : tensor<2x8x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<2x8x4xf32>
  %e1 = tensor.empty() : tensor<2x3x4xf32>
  %i = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e1 : tensor<2x3x4xf32>) dimensions = [0, 1]
  %m = linalg.batch_matmul ins(%x, %wb : tensor<2x3x8xf32>, tensor<2x8x4xf32>) outs(%i : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %m : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @transposed_by_map
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%arg1) :
func.func @transposed_by_map(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>) -> tensor<?x4xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%d) : tensor<?x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %m : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @zero_constant_init
// CHECK: #qbackend.linear
func.func @zero_constant_init(%x: tensor<1x8xf32>) -> tensor<1x4xf32> {
  %w = arith.constant dense<0.5> : tensor<8x4xf32>
  %f = arith.constant dense<0.0> : tensor<1x4xf32>
  %m = linalg.matmul {cast = #linalg.type_fn<cast_signed>} ins(%x, %w : tensor<1x8xf32>, tensor<8x4xf32>) outs(%f : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %m : tensor<1x4xf32>
}

// Attention: no operand is a parameter.
// CHECK-LABEL: func.func @two_activations
// CHECK-NOT: #qbackend.linear
func.func @two_activations(%q: tensor<2x3x8xf32>, %k: tensor<2x8x3xf32>) -> tensor<2x3x3xf32> {
  %z = arith.constant 0.0 : f32
  %a = math.floor %q : tensor<2x3x8xf32>
  %b = math.floor %k : tensor<2x8x3xf32>
  %e = tensor.empty() : tensor<2x3x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %m = linalg.batch_matmul ins(%a, %b : tensor<2x3x8xf32>, tensor<2x8x3xf32>) outs(%f : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %m : tensor<2x3x3xf32>
}

// Folding has left a loop of one step in the sum, which the weight doesn't
// have: its dimension of 1 was added behind its transposition.
// CHECK-LABEL: func.func @unit_in_sum
// CHECK: qbackend.operator [#qbackend.linear] inputs(%{{.*}}) weight(%{{.*}}) : (tensor<{{.*}}8xf32>, tensor<4x8xf32>) -> tensor<1x1x4xf32>
func.func @unit_in_sum(%x: tensor<1x1x1x8xf32>) -> tensor<1x1x4xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<4x1x8xf32>
  %e0 = tensor.empty() : tensor<1x8x4xf32>
  %wt = linalg.transpose ins(%w : tensor<4x1x8xf32>) outs(%e0 : tensor<1x8x4xf32>) permutation = [1, 2, 0]
  %we = tensor.expand_shape %wt [[0], [1, 2], [3]] output_shape [1, 1, 8, 4] : tensor<1x8x4xf32> into tensor<1x1x8x4xf32>
  %e = tensor.empty() : tensor<1x1x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e) -> (a, b, d, e)>, affine_map<(a, b, c, d, e) -> (a, d, e, c)>,
                                        affine_map<(a, b, c, d, e) -> (a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %we : tensor<1x1x1x8xf32>, tensor<1x1x8x4xf32>) outs(%f : tensor<1x1x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x1x4xf32>
  return %r : tensor<1x1x4xf32>
}

// The same with rows behind the features: the layer reads rows of features
// without the dimension of 1, as its kernel does.
// CHECK-LABEL: func.func @unit_in_sum_of_rows
// CHECK: qbackend.operator [#qbackend.linear] inputs(%{{.*}}) weight(%{{.*}}) : (tensor<3x5x8xf32>, tensor<4x8xf32>) -> tensor<3x5x4xf32>
func.func @unit_in_sum_of_rows(%x: tensor<1x8x3x5xf32>) -> tensor<4x3x5xf32> {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<4x1x8xf32>
  %e = tensor.empty() : tensor<4x3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e) -> (d, e, b, c)>, affine_map<(a, b, c, d, e) -> (a, d, e)>,
                                        affine_map<(a, b, c, d, e) -> (a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x8x3x5xf32>, tensor<4x1x8xf32>) outs(%f : tensor<4x3x5xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x3x5xf32>
  return %r : tensor<4x3x5xf32>
}

// Pixels without features are no rows of anything.
// CHECK-LABEL: func.func @no_features(
// CHECK-NOT: #qbackend.linear
// CHECK: return
func.func @no_features(%x: tensor<4x3xf32>, %w: tensor<0x1x1x3xf32>) -> tensor<4x0xf32> {
  %e = tensor.empty() : tensor<4x1x1x0xf32>
  %c = arith.constant 0.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4x1x1x0xf32>) -> tensor<4x1x1x0xf32>
  %x4 = tensor.expand_shape %x [[0], [1, 2, 3]] output_shape [4, 1, 1, 3] : tensor<4x3xf32> into tensor<4x1x1x3xf32>
  %y = linalg.conv_2d_nhwc_fhwc ins(%x4, %w : tensor<4x1x1x3xf32>, tensor<0x1x1x3xf32>) outs(%f : tensor<4x1x1x0xf32>) -> tensor<4x1x1x0xf32>
  %r = tensor.collapse_shape %y [[0, 1, 2], [3]] : tensor<4x1x1x0xf32> into tensor<4x0xf32>
  return %r : tensor<4x0xf32>
}
