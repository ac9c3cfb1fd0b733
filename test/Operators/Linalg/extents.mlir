// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// The batch of a destination is that of another tensor, from which that of the
// image follows.

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#c = affine_map<(d0, d1, d2, d3) -> (d1)>

// CHECK-LABEL: func.func @of_the_argument
// CHECK: qbackend.operator [#qbackend.tanh]
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}}>] inputs(%[[X:.*]]) weight({{.*}}) bias(
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<?x8x8x3xf32>
// CHECK: %[[N:.*]] = qbackend.transpose %[[A]] [0, 3, 1, 2]
// CHECK: tensor.dim %[[N]]
func.func @of_the_argument(%x: tensor<?x3x8x8xf32>) -> tensor<?x6x6x6xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x8x8xf32>
  %w = arith.constant dense<0.5> : tensor<6x3x3x3xf32>
  %b = arith.constant dense<0.5> : tensor<6xf32>
  %e0 = tensor.empty(%n) : tensor<?x3x8x8xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<?x3x8x8xf32>) outs(%e0 : tensor<?x3x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x3x8x8xf32>
  %e = tensor.empty(%n) : tensor<?x6x6x6xf32>
  %i = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<?x6x6x6xf32>) dimensions = [0, 2, 3]
  %r = linalg.conv_2d_nchw_fchw ins(%t, %w : tensor<?x3x8x8xf32>, tensor<6x3x3x3xf32>) outs(%i : tensor<?x6x6x6xf32>) -> tensor<?x6x6x6xf32>
  return %r : tensor<?x6x6x6xf32>
}

// TOSA's product and negation keep the extents of what they read, as its other
// elementwise ops do.
// CHECK-LABEL: func.func @through_tosa
// CHECK: qbackend.operator [#qbackend.mul
// CHECK: qbackend.operator [#qbackend.neg]
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [1, 0, 0, 0]
func.func @through_tosa(%x: tensor<?x3x8x8xf32>) -> tensor<?x6x7x6xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x8x8xf32>
  %w = arith.constant dense<0.5> : tensor<6x3x3x3xf32>
  %b = arith.constant dense<0.5> : tensor<6xf32>
  %k = "tosa.const"() <{values = dense<1.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.mul %x, %k, %z : (tensor<?x3x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<?x3x8x8xf32>
  %t = tosa.negate %m, %o, %o : (tensor<?x3x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x3x8x8xf32>
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty(%n) : tensor<?x3x9x8xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x3x9x8xf32>) -> tensor<?x3x9x8xf32>
  %p = tensor.insert_slice %t into %f0[0, 0, 1, 0] [%n, 3, 8, 8] [1, 1, 1, 1] : tensor<?x3x8x8xf32> into tensor<?x3x9x8xf32>
  %e = tensor.empty(%n) : tensor<?x6x7x6xf32>
  %i = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<?x6x7x6xf32>) dimensions = [0, 2, 3]
  %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<?x3x9x8xf32>, tensor<6x3x3x3xf32>) outs(%i : tensor<?x6x7x6xf32>) -> tensor<?x6x7x6xf32>
  return %r : tensor<?x6x7x6xf32>
}

// An extent that nothing says is that of the image: no operator.
// CHECK-LABEL: func.func @of_another
// CHECK-NOT: qbackend.conv2d
// CHECK: return
func.func @of_another(%x: tensor<?x3x8x8xf32>, %y: tensor<?x4xf32>) -> tensor<?x6x6x6xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x4xf32>
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<6x3x3x3xf32>
  %e = tensor.empty(%n) : tensor<?x6x6x6xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x6x6x6xf32>) -> tensor<?x6x6x6xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x3x8x8xf32>, tensor<6x3x3x3xf32>) outs(%i : tensor<?x6x6x6xf32>) -> tensor<?x6x6x6xf32>
  return %r : tensor<?x6x6x6xf32>
}

// So has what was joined, cut, folded or unfolded along other dimensions.
// CHECK-LABEL: func.func @moved
// CHECK-COUNT-4: qbackend.operator [#qbackend.tanh]
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @moved(%x: tensor<?x6xf32>) -> (tensor<?x12xf32>, tensor<?x4xf32>, tensor<?x2x3xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %joined = tensor.concat dim(1) %x, %x : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x12xf32>
  %e0 = tensor.empty(%n) : tensor<?x12xf32>
  %r0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%joined : tensor<?x12xf32>) outs(%e0 : tensor<?x12xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x12xf32>
  %cut = tensor.extract_slice %x[0, 2] [%n, 4] [1, 1] : tensor<?x6xf32> to tensor<?x4xf32>
  %e1 = tensor.empty(%n) : tensor<?x4xf32>
  %r1 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%cut : tensor<?x4xf32>) outs(%e1 : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x4xf32>
  %unfolded = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3] : tensor<?x6xf32> into tensor<?x2x3xf32>
  %e2 = tensor.empty(%n) : tensor<?x2x3xf32>
  %r2 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%unfolded : tensor<?x2x3xf32>) outs(%e2 : tensor<?x2x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x2x3xf32>
  %folded = tensor.collapse_shape %r2 [[0], [1, 2]] : tensor<?x2x3xf32> into tensor<?x6xf32>
  %e3 = tensor.empty(%n) : tensor<?x6xf32>
  %r3 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%folded : tensor<?x6xf32>) outs(%e3 : tensor<?x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x6xf32>
  return %r0, %r1, %r2, %r3 : tensor<?x12xf32>, tensor<?x4xf32>, tensor<?x2x3xf32>, tensor<?x6xf32>
}

// Along the batch itself it has another, and so has a part of it.
// CHECK-LABEL: func.func @moved_along
// CHECK-NOT: qbackend.tanh
// CHECK: return
func.func @moved_along(%x: tensor<?x6xf32>, %m: index) -> (tensor<?x6xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %joined = tensor.concat dim(0) %x, %x : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %r0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%joined : tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x6xf32>
  %cut = tensor.extract_slice %x[0, 0] [%m, 6] [1, 1] : tensor<?x6xf32> to tensor<?x6xf32>
  %r1 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%cut : tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x6xf32>
  return %r0, %r1 : tensor<?x6xf32>, tensor<?x6xf32>
}

// Behind a pad whose amounts are constants.
// CHECK-LABEL: func.func @padded_by_constants
// CHECK: #qbackend.pad
// CHECK: qbackend.operator [#qbackend.tanh]
func.func @padded_by_constants(%x: tensor<?x6xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = arith.constant 0.5 : f32
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %p = tensor.pad %x low[%c0, %c1] high[%c0, %c1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<?x6xf32> to tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// A shape of TOSA has -1 for the batch: it is that of what is reshaped, where the
// other extents multiply to as much. So is the batch of a product, of rows that
// are looked up, and of an image that is resized.
// CHECK-LABEL: func.func @reshaped
// CHECK-COUNT-4: qbackend.operator [#qbackend.tanh]
func.func @reshaped(%x: tensor<?x6xf32>, %table: tensor<?x5x3xf32>) -> (tensor<?x2x3xf32>, tensor<?x3x3xf32>, tensor<?x2x3xf32>, tensor<?x4x4x1xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %s = tosa.const_shape {values = dense<[-1, 2, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %r = tosa.reshape %x, %s : (tensor<?x6xf32>, !tosa.shape<3>) -> tensor<?x2x3xf32>
  %e0 = tensor.empty(%n) : tensor<?x2x3xf32>
  %0 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r : tensor<?x2x3xf32>) outs(%e0 : tensor<?x2x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x2x3xf32>
  %s1 = tosa.const_shape {values = dense<[-1, 3, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %t = tosa.reshape %x, %s1 : (tensor<?x6xf32>, !tosa.shape<3>) -> tensor<?x3x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %t, %r, %z, %z : (tensor<?x3x2xf32>, tensor<?x2x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x3x3xf32>
  %e1 = tensor.empty(%n) : tensor<?x3x3xf32>
  %1 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m : tensor<?x3x3xf32>) outs(%e1 : tensor<?x3x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x3x3xf32>
  %k = tensor.dim %table, %c0 : tensor<?x5x3xf32>
  %indices = "tosa.const"() <{values = dense<[[1, 2]]> : tensor<1x2xi32>}> : () -> tensor<1x2xi32>
  %any = tensor.cast %indices : tensor<1x2xi32> to tensor<?x2xi32>
  %l = tosa.gather %table, %any : (tensor<?x5x3xf32>, tensor<?x2xi32>) -> tensor<?x2x3xf32>
  %e2 = tensor.empty(%k) : tensor<?x2x3xf32>
  %2 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%l : tensor<?x2x3xf32>) outs(%e2 : tensor<?x2x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x2x3xf32>
  %s3 = tosa.const_shape {values = dense<[-1, 2, 3, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %image = tosa.reshape %x, %s3 : (tensor<?x6xf32>, !tosa.shape<4>) -> tensor<?x2x3x1xf32>
  %scale = tosa.const_shape {values = dense<[2, 1, 4, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %u = tosa.resize %image, %scale, %offset, %border {mode = NEAREST_NEIGHBOR} : (tensor<?x2x3x1xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<?x4x4x1xf32>
  %e3 = tensor.empty(%n) : tensor<?x4x4x1xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%u : tensor<?x4x4x1xf32>) outs(%e3 : tensor<?x4x4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x4x4x1xf32>
  return %0, %1, %2, %3 : tensor<?x2x3xf32>, tensor<?x3x3xf32>, tensor<?x2x3xf32>, tensor<?x4x4x1xf32>
}

// What takes more than the batch into it has another extent.
// CHECK-LABEL: func.func @merged
// CHECK-NOT: qbackend.tanh
// CHECK: return
func.func @merged(%x: tensor<?x6xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %s = tosa.const_shape {values = dense<[-1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %x, %s : (tensor<?x6xf32>, !tosa.shape<2>) -> tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %h = math.tanh %a : f32
    linalg.yield %h : f32
  } -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
