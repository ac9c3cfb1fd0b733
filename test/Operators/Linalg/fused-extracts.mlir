// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// An upsampling takes elements by their positions; what fusion has put it into
// is taken apart there.

#n = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// CHECK-LABEL: func.func @upsampled_add
// CHECK: %[[U:.*]] = qbackend.operator [#qbackend.interpolate<mode = nearest
// CHECK-SAME: (tensor<1x3x2x4xf32>) -> tensor<1x6x4x4xf32>
// CHECK: %[[A:.*]] = qbackend.operator [#qbackend.add] inputs(%arg0, %[[U]])
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.relu] inputs(%[[A]])
// CHECK: return %[[R]]
func.func @upsampled_add(%x: tensor<1x6x4x4xf32>, %y: tensor<1x3x2x4xf32>) -> tensor<1x6x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %two = arith.constant 2 : index
  %e = tensor.empty() : tensor<1x6x4x4xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x6x4x4xf32>) outs(%e : tensor<1x6x4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %b = linalg.index 0 : index
    %h = linalg.index 1 : index
    %w = linalg.index 2 : index
    %c = linalg.index 3 : index
    %row = arith.divui %h, %two : index
    %column = arith.divui %w, %two : index
    %u = tensor.extract %y[%b, %row, %column, %c] : tensor<1x3x2x4xf32>
    %s = arith.addf %i, %u : f32
    %r = arith.maximumf %s, %z : f32
    linalg.yield %r : f32
  } -> tensor<1x6x4x4xf32>
  return %0 : tensor<1x6x4x4xf32>
}

// A function of the element before this one is no operator, though what reads it is.
// CHECK-LABEL: func.func @earlier
// CHECK: %[[E:.*]] = linalg.generic
// CHECK: tensor.extract %arg1
// CHECK: qbackend.operator [#qbackend.add] inputs(%arg0, %[[E]])
func.func @earlier(%x: tensor<1x6x4x4xf32>, %y: tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xf32> {
  %four = arith.constant 4 : index
  %three = arith.constant 3 : index
  %e = tensor.empty() : tensor<1x6x4x4xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x6x4x4xf32>) outs(%e : tensor<1x6x4x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %b = linalg.index 0 : index
    %h = linalg.index 1 : index
    %w = linalg.index 2 : index
    %c = linalg.index 3 : index
    %before = arith.addi %w, %three : index
    %column = arith.remui %before, %four : index
    %u = tensor.extract %y[%b, %h, %column, %c] : tensor<1x6x4x4xf32>
    %m = math.atan %u : f32
    %s = arith.addf %i, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x6x4x4xf32>
  return %0 : tensor<1x6x4x4xf32>
}
