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
