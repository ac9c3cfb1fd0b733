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

// Weight norm: the rows (3, 4) and (6, 8) have the norms 5 and 10, and are to
// have 10 and 5.
// CHECK-LABEL: func.func @weight_norm
// CHECK: arith.constant dense<{{\[\[}}6.000000e+00, 8.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK: qbackend.operator [#qbackend.linear]
func.func @weight_norm(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %v = arith.constant dense<[[3.0, 4.0], [6.0, 8.0]]> : tensor<2x2xf32>
  %g = arith.constant dense<[10.0, 5.0]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%v : tensor<2x2xf32>) outs(%z : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  %e2 = tensor.empty() : tensor<2x2xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j, i)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%v, %s, %g : tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%e2 : tensor<2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %n = math.sqrt %b : f32
    %d = arith.divf %a, %n : f32
    %t = arith.mulf %d, %c : f32
    linalg.yield %t : f32
  } -> tensor<2x2xf32>
  %e1 = tensor.empty() : tensor<1x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x2xf32>, tensor<2x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// A sum along the first dimension, and a product, neither of which begins with
// what changes nothing: 1 + 3 - 3 = 1, 2 + 4 - 4 = 2, and 2 * 3 * 5 = 30.
// CHECK-LABEL: func.func @reductions
// CHECK: %[[B:.*]] = arith.constant dense<[3.000000e+01, 6.000000e+01]> : tensor<2xf32>
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%[[B]])
func.func @reductions(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %v = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %n = arith.constant dense<[3.0, 5.0]> : tensor<2xf32>
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 5.0]]> : tensor<2x2xf32>
  %init = arith.constant dense<[-3.0, -4.0]> : tensor<2xf32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%v : tensor<2x2xf32>) outs(%init : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%n : tensor<2xf32>) outs(%two : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %e2 = tensor.empty() : tensor<2xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s, %p : tensor<2xf32>, tensor<f32>) outs(%e2 : tensor<2xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %t = arith.mulf %a, %c : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  %e1 = tensor.empty() : tensor<1x2xf32>
  %i = linalg.broadcast ins(%b : tensor<2xf32>) outs(%e1 : tensor<1x2xf32>) dimensions = [0]
  %y = linalg.matmul ins(%x, %w : tensor<1x2xf32>, tensor<2x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// The same in TOSA, with the sums and the largest elements of the rows: 7 and 4, 14 and 8.
// CHECK-LABEL: func.func @tosa_reductions
// CHECK: arith.constant dense<{{\[\[}}1.750000e+00, 2.000000e+00], [1.750000e+00, 1.500000e+00]]> : tensor<2x2xf32>
// CHECK: qbackend.operator [#qbackend.linear]
func.func @tosa_reductions(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %v = arith.constant dense<[[3.0, 4.0], [8.0, 6.0]]> : tensor<2x2xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // The sums of the rows: 7 and 14.
  %s = tosa.reduce_sum %v {axis = 1 : i32} : (tensor<2x2xf32>) -> tensor<2x1xf32>
  %m = tosa.reduce_max %v {axis = 1 : i32} : (tensor<2x2xf32>) -> tensor<2x1xf32>
  %r = tosa.reciprocal %m : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %q = tosa.mul %s, %r, %shift : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<1xi8>) -> tensor<2x1xf32>
  // 7 / 4 and 14 / 8, and a quarter more or less in the second column.
  %one = "tosa.const"() <{values = dense<[[0.0, 0.25], [0.0, -0.25]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
  %w = tosa.add %one, %q : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %wt = linalg.transpose ins(%w : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) permutation = [1, 0]
  %e1 = tensor.empty() : tensor<1x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %wt : tensor<1x2xf32>, tensor<2x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// NaN may count or not, and a maximum begins with the least finite number: with these
// in it, a reduction is what it is when it runs.
// CHECK-LABEL: func.func @tosa_not_finite
// CHECK: tosa.reduce_max
// CHECK: tosa.reduce_min
func.func @tosa_not_finite(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %v = arith.constant dense<[[0xFF800000, 0xFF800000], [1.0, 2.0]]> : tensor<2x2xf32>
  %n = arith.constant dense<[[0x7FC00000, 3.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %m = tosa.reduce_max %v {axis = 1 : i32} : (tensor<2x2xf32>) -> tensor<2x1xf32>
  %l = tosa.reduce_min %n {axis = 1 : i32} : (tensor<2x2xf32>) -> tensor<2x1xf32>
  %a = tosa.add %x, %m : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %b = tosa.add %x, %l : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %a, %b : tensor<2x1xf32>, tensor<2x1xf32>
}
