// RUN: qbackend-opt %s -split-input-file --qbackend-prepare-pipeline="backend=qnnpack qconfig=minmax" --qbackend-print-observers="backend=qnnpack qconfig=minmax" -o /dev/null | FileCheck %s
// RUN: qbackend-opt %s -split-input-file --qbackend-prepare-pipeline="backend=qnnpack qconfig=minmax" --remarks-filter=qbackend -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// PyTorch rounds a sum before it is transposed, and then the relu of it, and so does
// what has lost the transpose: it only changed in which layout the relu is computed.

#nchw = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// REMARK: QB112 {{.*}} Function=moved | Operator=add+relu, OperatorName=relu, Reason="not fused: the network reshapes or transposes the result of add before relu", Suggestion="move what relu gives instead"
// REMARK-NOT: QB112
// CHECK-LABEL: 0: add = add(x, y)
// CHECK-NEXT: 1: relu = relu(add)
// CHECK: @add:
// CHECK-NEXT: add 2 times -> 1
// CHECK-NEXT: relu -> result 0
func.func @moved(%x: tensor<1x2x3x4xf32> loc("x"), %y: tensor<1x2x3x4xf32> loc("y")) -> tensor<1x4x3x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x3x4xf32>
  %0 = linalg.add ins(%x, %y : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) outs(%e : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("add")
  %f = tensor.empty() : tensor<1x4x3x2xf32>
  %1 = linalg.transpose ins(%0 : tensor<1x2x3x4xf32>) outs(%f : tensor<1x4x3x2xf32>) permutation = [0, 3, 2, 1] loc("permute")
  %2 = linalg.generic {indexing_maps = [#nchw, #nchw], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x4x3x2xf32>) outs(%f : tensor<1x4x3x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x4x3x2xf32> loc("relu")
  return %2 : tensor<1x4x3x2xf32>
}

// -----

// A change of layout that a producer has put in is none of the network's.

#nchw = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: 0: relu = add+relu(x, y)
func.func @layout(%x: tensor<1x2x3x4xf32> loc("x"), %y: tensor<1x2x3x4xf32> loc("y")) -> tensor<1x4x3x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x3x4xf32>
  %0 = linalg.add ins(%x, %y : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) outs(%e : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("add")
  %f = tensor.empty() : tensor<1x4x3x2xf32>
  %1 = linalg.transpose ins(%0 : tensor<1x2x3x4xf32>) outs(%f : tensor<1x4x3x2xf32>) permutation = [0, 3, 2, 1] loc("add")
  %2 = linalg.generic {indexing_maps = [#nchw, #nchw], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x4x3x2xf32>) outs(%f : tensor<1x4x3x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x4x3x2xf32> loc("relu")
  return %2 : tensor<1x4x3x2xf32>
}
