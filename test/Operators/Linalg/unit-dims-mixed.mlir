// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// What has lost its batch meets what has one: the shapes differ in dimensions
// of 1.

#n = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
#y = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#x = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#w = affine_map<(d0, d1, d2, d3) -> (d2, d3)>

// The maximum is taken of the image with a batch, and subtracted from the one
// without.
// CHECK-LABEL: func.func @attention
// CHECK-NOT: qbackend.sub
// CHECK: [[X:%.*]] = qbackend.operator [#qbackend.reshape] inputs(%arg0) attributes {qbackend.source_values = 0 : i64} : (tensor<2x12x12xf32>) -> tensor<1x2x12x12xf32>
// CHECK: qbackend.operator [#qbackend.softmax<axis = 3>] inputs([[X]])
// CHECK-COUNT-2: linalg.reduce
// CHECK-NOT: linalg.reduce
func.func @attention(%x: tensor<2x12x12xf32>) -> tensor<2x12x12xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %batch = tensor.expand_shape %x [[0, 1], [2], [3]] output_shape [1, 2, 12, 12] : tensor<2x12x12xf32> into tensor<1x2x12x12xf32>
    %e3 = tensor.empty() : tensor<1x2x12xf32>
    %lowest = linalg.fill ins(%low : f32) outs(%e3 : tensor<1x2x12xf32>) -> tensor<1x2x12xf32>
    %max = linalg.reduce ins(%batch : tensor<1x2x12x12xf32>) outs(%lowest : tensor<1x2x12xf32>) dimensions = [3] 
      (%i: f32, %acc: f32) {
        %v = arith.maximumf %i, %acc : f32
        linalg.yield %v : f32
      }
    %max3 = tensor.collapse_shape %max [[0, 1], [2]] : tensor<1x2x12xf32> into tensor<2x12xf32>
    %e = tensor.empty() : tensor<2x12x12xf32>
    %shifted = linalg.generic {indexing_maps = [#n, #row, #n], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max3 : tensor<2x12x12xf32>, tensor<2x12xf32>) outs(%e : tensor<2x12x12xf32>) {
    ^bb0(%i: f32, %j: f32, %out: f32):
      %v = arith.subf %i, %j : f32
      linalg.yield %v : f32
    } -> tensor<2x12x12xf32>
    %exp = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel"]} ins(%shifted : tensor<2x12x12xf32>) outs(%e : tensor<2x12x12xf32>) {
    ^bb0(%i: f32, %out: f32):
      %v = math.exp %i : f32
      linalg.yield %v : f32
    } -> tensor<2x12x12xf32>
    %exp4 = tensor.expand_shape %exp [[0, 1], [2], [3]] output_shape [1, 2, 12, 12] : tensor<2x12x12xf32> into tensor<1x2x12x12xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x2x12xf32>) -> tensor<1x2x12xf32>
    %sum = linalg.reduce ins(%exp4 : tensor<1x2x12x12xf32>) outs(%zeros : tensor<1x2x12xf32>) dimensions = [3] 
      (%i: f32, %acc: f32) {
        %v = arith.addf %i, %acc : f32
        linalg.yield %v : f32
      }
    %sum3 = tensor.collapse_shape %sum [[0, 1], [2]] : tensor<1x2x12xf32> into tensor<2x12xf32>
    %r = linalg.generic {indexing_maps = [#n, #row, #n], iterator_types = ["parallel", "parallel", "parallel"]} ins(%exp, %sum3 : tensor<2x12x12xf32>, tensor<2x12xf32>) outs(%e : tensor<2x12x12xf32>) {
    ^bb0(%i: f32, %j: f32, %out: f32):
      %v = arith.divf %i, %j : f32
      linalg.yield %v : f32
    } -> tensor<2x12x12xf32>
  return %r : tensor<2x12x12xf32>
}

// A bias that was broadcast with the batch.
// CHECK-LABEL: func.func @linear
// CHECK: qbackend.operator [#qbackend.linear] inputs({{.*}}) weight(%arg2) bias(%arg1)
func.func @linear(%x: tensor<1x4x6x8xf32>, %b: tensor<12xf32>, %w: tensor<12x8xf32>) -> tensor<1x4x6x12xf32> {
    %e = tensor.empty() : tensor<1x4x6x12xf32>
    %bias = linalg.broadcast ins(%b : tensor<12xf32>) outs(%e : tensor<1x4x6x12xf32>) dimensions = [0, 1, 2] 
    %rows = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x4x6x8xf32> into tensor<4x6x8xf32>
    %init = tensor.collapse_shape %bias [[0, 1], [2], [3]] : tensor<1x4x6x12xf32> into tensor<4x6x12xf32>
    %p = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%rows, %w : tensor<4x6x8xf32>, tensor<12x8xf32>) outs(%init : tensor<4x6x12xf32>) {
    ^bb0(%i: f32, %j: f32, %out: f32):
      %m = arith.mulf %i, %j : f32
      %s = arith.addf %out, %m : f32
      linalg.yield %s : f32
    } -> tensor<4x6x12xf32>
    %r = tensor.expand_shape %p [[0, 1], [2], [3]] output_shape [1, 4, 6, 12] : tensor<4x6x12xf32> into tensor<1x4x6x12xf32>
  return %r : tensor<1x4x6x12xf32>
}

// One that was broadcast to another order of dimensions varies along the rows.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: qbackend.linear
// CHECK: return
func.func @rows(%x: tensor<1x4x6x8xf32>, %b: tensor<4xf32>, %w: tensor<12x8xf32>) -> tensor<1x4x6x12xf32> {
    %e = tensor.empty() : tensor<1x4x6x12xf32>
    %bias = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<1x4x6x12xf32>) dimensions = [0, 2, 3] 
    %rows = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x4x6x8xf32> into tensor<4x6x8xf32>
    %init = tensor.collapse_shape %bias [[0, 1], [2], [3]] : tensor<1x4x6x12xf32> into tensor<4x6x12xf32>
    %p = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%rows, %w : tensor<4x6x8xf32>, tensor<12x8xf32>) outs(%init : tensor<4x6x12xf32>) {
    ^bb0(%i: f32, %j: f32, %out: f32):
      %m = arith.mulf %i, %j : f32
      %s = arith.addf %out, %m : f32
      linalg.yield %s : f32
    } -> tensor<4x6x12xf32>
    %r = tensor.expand_shape %p [[0, 1], [2], [3]] output_shape [1, 4, 6, 12] : tensor<4x6x12xf32> into tensor<1x4x6x12xf32>
  return %r : tensor<1x4x6x12xf32>
}

// A bias that was cut into heads with the features, and broadcast to them.
// CHECK-LABEL: func.func @heads
// CHECK: qbackend.operator [#qbackend.linear] inputs({{.*}}) weight({{.*}}) bias(%arg1)
#hb = affine_map<(d0, d1, d2) -> (d1, d2)>
#hy = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#hx = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#hw = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
func.func @heads(%x: tensor<5x8xf32>, %b: tensor<6xf32>, %w: tensor<6x8xf32>) -> tensor<5x2x3xf32> {
  %bh = tensor.expand_shape %b [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  %wh = tensor.expand_shape %w [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  %e = tensor.empty() : tensor<5x2x3xf32>
  %init = linalg.generic {indexing_maps = [#hb, #n], iterator_types = ["parallel", "parallel", "parallel"]} ins(%bh : tensor<2x3xf32>) outs(%e : tensor<5x2x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<5x2x3xf32>
  %p = linalg.generic {indexing_maps = [#hx, #hw, #hy], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %wh : tensor<5x8xf32>, tensor<2x3x8xf32>) outs(%init : tensor<5x2x3xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<5x2x3xf32>
  return %p : tensor<5x2x3xf32>
}

// One that differs by row and head has another order than the features.
// CHECK-LABEL: func.func @other_heads
// CHECK-NOT: bias(
// CHECK: return
#ob = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func @other_heads(%x: tensor<2x8xf32>, %b: tensor<6xf32>, %w: tensor<6x8xf32>) -> tensor<2x2x3xf32> {
  %bh = tensor.expand_shape %b [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  %wh = tensor.expand_shape %w [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  %e = tensor.empty() : tensor<2x2x3xf32>
  %init = linalg.generic {indexing_maps = [#ob, #n], iterator_types = ["parallel", "parallel", "parallel"]} ins(%bh : tensor<2x3xf32>) outs(%e : tensor<2x2x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<2x2x3xf32>
  %p = linalg.generic {indexing_maps = [#hx, #hw, #hy], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %wh : tensor<2x8xf32>, tensor<2x3x8xf32>) outs(%init : tensor<2x2x3xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x2x3xf32>
  return %p : tensor<2x2x3xf32>
}
