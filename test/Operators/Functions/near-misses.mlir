// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s

// Functions that are almost others: conditions on what is computed, and bends at
// other places.

#n = affine_map<(d0, d1) -> (d0, d1)>

// A logarithm is no number of negative ones.
// CHECK-LABEL: @nan_of_log
// CHECK-NOT: tanh [
// CHECK: result
func.func @nan_of_log(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %y = math.log %i : f32
    %c = arith.cmpf ord, %y, %y : f32
    %t = math.tanh %i : f32
    %r = arith.select %c, %t, %z : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @nan_of_sqrt
// CHECK-NOT: add [4, 6] <- input0, input1
// CHECK: result
func.func @nan_of_sqrt(%x: tensor<4x6xf32>, %w: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x, %w : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %y = math.sqrt %i : f32
    %c = arith.cmpf uno, %y, %y : f32
    %t = arith.select %c, %z, %i : f32
    %r = arith.addf %t, %j : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A quotient is infinite of 0.
// CHECK-LABEL: @infinite_quotient
// CHECK-NOT: sigmoid [
// CHECK: result
func.func @infinite_quotient(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %inf = arith.constant 0x7F800000 : f32
    %y = arith.divf %one, %i : f32
    %a = math.absf %y : f32
    %c = arith.cmpf oeq, %a, %inf : f32
    %m = arith.negf %i : f32
    %x1 = math.exp %m : f32
    %x2 = arith.addf %x1, %one : f32
    %q = arith.divf %one, %x2 : f32
    %r = arith.select %c, %z, %q : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// In fewer bits a number is infinite that is none.
// CHECK-LABEL: @infinite_half
// CHECK-NOT: tanh [
// CHECK: result
func.func @infinite_half(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %inf = arith.constant 0x7C00 : f16
    %h = arith.truncf %i : f32 to f16
    %a = math.absf %h : f16
    %c = arith.cmpf oeq, %a, %inf : f16
    %t = math.tanh %i : f32
    %r = arith.select %c, %z, %t : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A number is equal to itself.
// CHECK-LABEL: @not_less_than_itself
// CHECK-NEXT: 0: sigmoid [4, 6] <- input0
func.func @not_less_than_itself(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %c = arith.cmpf uge, %i, %i : f32
    %t = math.tanh %i : f32
    %m = arith.negf %i : f32
    %x1 = math.exp %m : f32
    %x2 = arith.addf %x1, %one : f32
    %q = arith.divf %one, %x2 : f32
    %r = arith.select %c, %q, %t : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @less_than_itself
// CHECK-NEXT: 0: tanh [4, 6] <- input0
func.func @less_than_itself(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %c = arith.cmpf olt, %i, %i : f32
    %t = math.tanh %i : f32
    %m = arith.negf %i : f32
    %x1 = math.exp %m : f32
    %x2 = arith.addf %x1, %one : f32
    %q = arith.divf %one, %x2 : f32
    %r = arith.select %c, %q, %t : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A signed bit is -1.
// CHECK-LABEL: @sign_of_true
// CHECK-NEXT: 0: mul<scalar = -1.000000e+00> [4, 6] <- input0
// CHECK-NEXT: 1: sigmoid [4, 6] <- 0
func.func @sign_of_true(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %c = arith.cmpf oeq, %i, %i : f32
    %s = arith.sitofp %c : i1 to f32
    %one = arith.constant 1.0 : f32
    %p = arith.mulf %i, %s : f32
    %m = arith.negf %p : f32
    %x1 = math.exp %m : f32
    %x2 = arith.addf %x1, %one : f32
    %r = arith.divf %one, %x2 : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A threshold that is not 0.
// CHECK-LABEL: @threshold_a
// CHECK-NOT: relu [
// CHECK: result
func.func @threshold_a(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %k = arith.constant 0.05 : f32
    %c = arith.cmpf ogt, %i, %k : f32
    %s = arith.uitofp %c : i1 to f32
    %r = arith.mulf %i, %s : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @threshold_b
// CHECK-NOT: relu [
// CHECK: result
func.func @threshold_b(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %k = arith.constant 0.001 : f32
    %c = arith.cmpf ogt, %i, %k : f32
    %s = arith.uitofp %c : i1 to f32
    %r = arith.mulf %i, %s : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @threshold_c
// CHECK-NOT: relu [
// CHECK: result
func.func @threshold_c(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %k = arith.constant -0.05 : f32
    %c = arith.cmpf ogt, %i, %k : f32
    %s = arith.uitofp %c : i1 to f32
    %r = arith.mulf %i, %s : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @threshold_d
// CHECK-NOT: relu [
// CHECK: result
func.func @threshold_d(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %k = arith.constant 0.3 : f32
    %c = arith.cmpf ogt, %i, %k : f32
    %s = arith.uitofp %c : i1 to f32
    %r = arith.mulf %i, %s : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @threshold_of_two
// CHECK-NOT: relu [
// CHECK: result
func.func @threshold_of_two(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %two = arith.constant 2.0 : f32
    %k = arith.constant 0.13 : f32
    %z = arith.constant 0.0 : f32
    %d = arith.mulf %i, %two : f32
    %c = arith.cmpf ogt, %d, %k : f32
    %r = arith.select %c, %i, %z : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A bound far away.
// CHECK-LABEL: @bounded_silu
// CHECK-NEXT: 0: silu [4, 6] <- input0
// CHECK-NEXT: 1: clamp<min = {{.*}}, max = 5.000000e+01> [4, 6] <- 0
func.func @bounded_silu(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %k = arith.constant 50.0 : f32
    %m = arith.negf %i : f32
    %x1 = math.exp %m : f32
    %x2 = arith.addf %x1, %one : f32
    %q = arith.divf %one, %x2 : f32
    %u = arith.mulf %i, %q : f32
    %r = arith.minimumf %u, %k : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A guard of something else than the maximum.
// CHECK-LABEL: @other_guard
// CHECK-NOT: relu [
// CHECK: result
func.func @other_guard(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %y = math.log %i : f32
    %c = arith.cmpf uno, %y, %y : f32
    %m = arith.maximumf %i, %z : f32
    %r = arith.select %c, %one, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A root that negative numbers have.
// CHECK-LABEL: @root_of_absolute
// CHECK-NOT: rsqrt [4, 6] <- input0
// CHECK: result
func.func @root_of_absolute(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %a = math.absf %i : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// The diagonal of a matrix is none of its columns: the norm has no such weight.
// CHECK-LABEL: @diagonal
// CHECK-NEXT: 0: layer_norm<axes = [1], eps = 1.000000e-05> [3, 4] <- input0
// CHECK-NEXT: 1: linalg.generic ?
func.func @diagonal(%x: tensor<1x3x4xf32>) -> tensor<1x3x4xf32> {
  %w = arith.constant dense<[[0.1257302165031433, -0.13210485875606537, 0.6404226422309875, 0.10490011423826218], [-0.5356693863868713, 0.3615950644016266, 1.3040000200271606, 0.9470809698104858], [-0.7037352323532104, -1.2654215097427368, -0.6232744455337524, 0.04132597893476486], [-2.32503080368042, -0.218791663646698, -1.2459110021591187, -0.7322673797607422]]> : tensor<4x4xf32>
  %z = arith.constant 0.0 : f32
  %n = arith.constant 0.25 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<1x3x4xf32>
  %e1 = tensor.empty() : tensor<1x3x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<1x3x4xf32>) outs(%f : tensor<1x3x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.addf %i, %o : f32
    linalg.yield %p : f32
  } -> tensor<1x3x1xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, 0)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %s : tensor<1x3x4xf32>, tensor<1x3x1xf32>) outs(%e : tensor<1x3x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %j, %n : f32
    %p = arith.subf %i, %m : f32
    linalg.yield %p : f32
  } -> tensor<1x3x4xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%d : tensor<1x3x4xf32>) outs(%f : tensor<1x3x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %q = arith.mulf %i, %i : f32
    %p = arith.addf %q, %o : f32
    linalg.yield %p : f32
  } -> tensor<1x3x1xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, 0)>, affine_map<(a, b, c) -> (c, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d, %v, %w : tensor<1x3x4xf32>, tensor<1x3x1xf32>, tensor<4x4xf32>) outs(%e : tensor<1x3x4xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %o: f32):
    %m = arith.mulf %j, %n : f32
    %a = arith.addf %m, %eps : f32
    %r = math.rsqrt %a : f32
    %p = arith.mulf %i, %r : f32
    %q = arith.mulf %p, %k : f32
    linalg.yield %q : f32
  } -> tensor<1x3x4xf32>
  return %y : tensor<1x3x4xf32>
}

// One row of several, which is no transposition of all there is.
// CHECK-LABEL: @row
// CHECK-NEXT: 0: linalg.generic ? [4] <- input0, input1, constant
// CHECK-NEXT: result 0
func.func @row(%x: tensor<5x4xf32>, %z: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %e = tensor.empty() : tensor<4x1xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (3, d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %z : tensor<5x4xf32>, tensor<4x1xf32>) outs(%e : tensor<4x1xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %y = arith.addf %i, %j : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// A slice that others read without its dimensions of 1 is one slice.
// CHECK-LABEL: @slice_of_three
// CHECK-NEXT: 0: narrow<
// CHECK-NEXT: 1: tanh [4, 3] <- 0
// CHECK-NEXT: 2: tanh [4, 3] <- 0
// CHECK-NEXT: 3: tosa.exp ? [4, 3] <- 0
func.func @slice_of_three(%x: tensor<1x4x1x6xf32>) -> (tensor<4x3xf32>, tensor<1x4x1x3xf32>, tensor<1x4x1x3xf32>) {
  %s = tensor.extract_slice %x[0, 0, 0, 1] [1, 4, 1, 3] [1, 1, 1, 1] : tensor<1x4x1x6xf32> to tensor<4x3xf32>
  %e = tensor.expand_shape %s [[0, 1], [2, 3]] output_shape [1, 4, 1, 3] : tensor<4x3xf32> into tensor<1x4x1x3xf32>
  %e2 = tensor.expand_shape %s [[0, 1], [2, 3]] output_shape [1, 4, 1, 3] : tensor<4x3xf32> into tensor<1x4x1x3xf32>
  %t = tosa.tanh %s : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %u = tosa.tanh %e : (tensor<1x4x1x3xf32>) -> tensor<1x4x1x3xf32>
  %v = tosa.exp %e2 : (tensor<1x4x1x3xf32>) -> tensor<1x4x1x3xf32>
  return %t, %u, %v : tensor<4x3xf32>, tensor<1x4x1x3xf32>, tensor<1x4x1x3xf32>
}

// The largest of what isn't a number is none.
// CHECK-LABEL: @from_nan
// CHECK-NOT: amax
// CHECK: result
func.func @from_nan(%x: tensor<1x3x4xf32>) -> tensor<1x3xf32> {
  %z = arith.constant 0x7FC00000 : f32
  %e = tensor.empty() : tensor<1x3xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x3xf32>) -> tensor<1x3xf32>
  %0 = linalg.reduce { arith.maximumf } ins(%x : tensor<1x3x4xf32>) outs(%i : tensor<1x3xf32>) dimensions = [2]
  return %0 : tensor<1x3xf32>
}
