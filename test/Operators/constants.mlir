// A constant is a constant, whatever ops compute it: weights whose numbers are
// found out are in the operator as they are.
// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @negate
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}-1.000000e+00, 2.000000e+00], [-3.000000e+00, -4.000000e+00]]> : tensor<2x2xf32>
// CHECK: [#qbackend.linear] inputs(%{{.*}}) weight(%[[W]])
func.func @negate(%x: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
  %w = "tosa.const"() <{values = dense<[[[1.0, 3.0], [-2.0, 4.0]]]> : tensor<1x2x2xf32>}> : () -> tensor<1x2x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %n = tosa.negate %w, %z, %z : (tensor<1x2x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>
  %y = tosa.matmul %x, %n, %z, %z : (tensor<1x1x2xf32>, tensor<1x2x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2xf32>
  return %y : tensor<1x1x2xf32>
}

// CHECK-LABEL: func.func @compare_and_select
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 5.000000e-01], [-1.500000e+00, -1.000000e+00]]> : tensor<2x2xf32>
// CHECK: [#qbackend.linear] inputs(%arg0) weight(%[[W]])
func.func @compare_and_select(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<[[1.0, -2.0], [0.5, -1.0]]> : tensor<2x2xf32>
  %low = arith.constant dense<-1.5> : tensor<2x2xf32>
  %c = arith.cmpf ogt, %w, %low : tensor<2x2xf32>
  %s = arith.select %c, %w, %low : tensor<2x2xi1>, tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %s : tensor<1x2xf32>, tensor<2x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// Ties go to even.
// CHECK-LABEL: func.func @round
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}2.000000e+00, -0.000000e+00], [4.000000e+00, -2.000000e+00]]> : tensor<2x2xf32>
// CHECK: [#qbackend.linear] inputs(%arg0) weight(%[[W]])
func.func @round(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<[[1.5, 3.5], [-0.5, -1.6]]> : tensor<2x2xf32>
  %r = math.roundeven %w : tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %r : tensor<1x2xf32>, tensor<2x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// Two numbers of 4 bits in a byte, as weights are packed.
// CHECK-LABEL: func.func @packed
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 7.000000e+00], [-1.000000e+00, -8.000000e+00]]> : tensor<2x2xf32>
// CHECK: [#qbackend.linear] inputs(%arg0) weight(%[[W]])
func.func @packed(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<[[-15], [-121]]> : tensor<2x1xi8>
  %e = tensor.empty() : tensor<2x2xf32>
  %u = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<2x1xi8>) outs(%e : tensor<2x2xf32>) {
    ^bb0(%byte: i8, %out: f32):
      %j = linalg.index 1 : index
      %one = arith.constant 1 : index
      %four = arith.constant 4 : i8
      %rest = arith.subi %one, %j : index
      %rest8 = arith.index_cast %rest : index to i8
      %by = arith.muli %rest8, %four : i8
      %high = arith.shli %byte, %by : i8
      %nibble = arith.shrsi %high, %four : i8
      %real = arith.sitofp %nibble : i8 to f32
      linalg.yield %real : f32
  } -> tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<1x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %u : tensor<1x2xf32>, tensor<2x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// A division by 0 has no value: the weight stays an operand that is computed.
// CHECK-LABEL: func.func @undefined
// CHECK: %[[D:.*]] = arith.divsi
// CHECK: %[[W:.*]] = arith.sitofp %[[D]]
// CHECK: weight(%{{.*}})
func.func @undefined(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %n = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %d = arith.constant dense<[[1, 2], [0, 4]]> : tensor<2x2xi32>
  %q = arith.divsi %n, %d : tensor<2x2xi32>
  %w = arith.sitofp %q : tensor<2x2xi32> to tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x2xf32>, tensor<2x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
