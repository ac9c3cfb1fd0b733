// RUN: qbackend-opt %s --qbackend-raise --remarks-filter=qbackend -o /dev/null 2>&1 | FileCheck %s

// torch-mlir's EmbeddingBag with offsets: a loop over all indices for each bag,
// of which those between its offset and the next one are summed.
// CHECK: QB001 {{.*}}Operator="linalg.generic with bags of an embedding that begin at offsets", Reason="not recognised as an operator"
#indices = affine_map<(b, i, e) -> (i)>
#out = affine_map<(b, i, e) -> (b, e)>
func.func @main(%table: tensor<10x4xf32>, %indices: tensor<6xi64>, %offsets: tensor<2xi64>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %six = arith.constant 6 : i64
  %e = tensor.empty() : tensor<2x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = linalg.generic {indexing_maps = [#indices, #out], iterator_types = ["parallel", "reduction", "parallel"]} ins(%indices : tensor<6xi64>) outs(%f : tensor<2x4xf32>) {
  ^bb0(%index: i64, %sum: f32):
    %bag = linalg.index 0 : index
    %i = linalg.index 1 : index
    %column = linalg.index 2 : index
    %next = arith.addi %bag, %one : index
    %isLast = arith.cmpi eq, %next, %two : index
    %clamped = arith.select %isLast, %bag, %next : index
    %begin = tensor.extract %offsets[%bag] : tensor<2xi64>
    %following = tensor.extract %offsets[%clamped] : tensor<2xi64>
    %end = arith.select %isLast, %six, %following : i64
    %at = arith.index_cast %i : index to i64
    %after = arith.cmpi sge, %at, %begin : i64
    %before = arith.cmpi slt, %at, %end : i64
    %inside = arith.andi %after, %before : i1
    %row = arith.index_cast %index : i64 to index
    %number = tensor.extract %table[%row, %column] : tensor<10x4xf32>
    %more = arith.addf %number, %sum : f32
    %y = arith.select %inside, %more, %sum : f32
    linalg.yield %y : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
