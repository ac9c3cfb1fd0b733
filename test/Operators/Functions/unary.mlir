// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s

// Functions of one tensor that networks have and engines don't, in one op or
// several, of either dialect: one operator each.

#n = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: @rope
// CHECK-NEXT: 0: neg [4, 6] <- input0
// CHECK-NEXT: 1: sin [4, 6] <- input0
// CHECK-NEXT: 2: cos [4, 6] <- input0
// CHECK-NEXT: result 0, 1, 2
func.func @rope(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.negate %x, %z, %z : (tensor<4x6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x6xf32>
  %1 = tosa.sin %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = math.cos %x : tensor<4x6xf32>
  return %0, %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: @powers
// CHECK-NEXT: 0: square [4, 6] <- input0
// CHECK-NEXT: 1: pow<exponent = 3.000000e+00> [4, 6] <- input0
// CHECK-NEXT: 2: rsqrt [4, 6] <- input0
// CHECK-NEXT: 3: pow<exponent = 2.500000e+00> [4, 6] <- input0
// CHECK-NEXT: result 0, 1, 2, 3
func.func @powers(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %one = arith.constant 1.0 : f32
  %k = arith.constant dense<2.5> : tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = arith.mulf %x, %x : tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.mulf %i, %i : f32
    %c = arith.mulf %i, %s : f32
    linalg.yield %c : f32
  } -> tensor<4x6xf32>
  %2 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.sqrt %i : f32
    %r = arith.divf %one, %s : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  %3 = math.powf %x, %k : tensor<4x6xf32>
  return %0, %1, %2, %3 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: @sums
// CHECK-NEXT: 0: sum<axes = [1]> [4] <- input0
// CHECK-NEXT: 1: sum<axes = [0]> [6] <- input0
// CHECK-NEXT: result 0, 1
func.func @sums(%x: tensor<4x6xf32>) -> (tensor<4x1xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %1 = linalg.reduce { arith.addf } ins(%x : tensor<4x6xf32>) outs(%f : tensor<6xf32>) dimensions = [0]
  return %0, %1 : tensor<4x1xf32>, tensor<6xf32>
}

// CHECK-LABEL: @softplus
// CHECK-NEXT: 0: softplus<beta = 1.000000e+00> [4, 6] <- input0
// CHECK-NEXT: 1: softplus<beta = 2.000000e+00> [4, 6] <- input0
// CHECK-NEXT: 2: mish [4, 6] <- input0
// CHECK-NEXT: result 0, 1, 2
func.func @softplus(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %one = "tosa.const"() <{values = dense<1.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %two = arith.constant 2.0 : f32
  %limit = arith.constant 20.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = tosa.exp %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %b = tosa.add %a, %one : (tensor<4x6xf32>, tensor<1x1xf32>) -> tensor<4x6xf32>
  %0 = tosa.log %b : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // As torch-mlir has it, with PyTorch's threshold.
  %1 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.mulf %i, %two : f32
    %x1 = math.exp %m : f32
    %l = math.log1p %x1 : f32
    %d = arith.divf %l, %two : f32
    %g = arith.cmpf ogt, %m, %limit : f32
    %r = arith.select %g, %i, %d : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  %c = tosa.exp %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %d = tosa.add %c, %one : (tensor<4x6xf32>, tensor<1x1xf32>) -> tensor<4x6xf32>
  %f = tosa.log %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = tosa.tanh %f : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = tosa.mul %x, %t, %s : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<1xi8>) -> tensor<4x6xf32>
  return %0, %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: @scaled
// CHECK-NEXT: 0: quick_gelu [4, 6] <- input0
// CHECK-NEXT: 1: selu [4, 6] <- input0
// CHECK-NEXT: result 0, 1
func.func @scaled(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %k = arith.constant 1.702 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %l = arith.constant 1.05070102 : f32
  %la = arith.constant 1.75809932 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.mulf %i, %k : f32
    %g = arith.negf %m : f32
    %h = math.exp %g : f32
    %p = arith.addf %h, %one : f32
    %s = arith.divf %one, %p : f32
    %r = arith.mulf %i, %s : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %g = arith.cmpf ogt, %i, %zero : f32
    %p = arith.mulf %i, %l : f32
    %h = math.expm1 %i : f32
    %n = arith.mulf %h, %la : f32
    %r = arith.select %g, %p, %n : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// The root itself, the inverse, and other functions have no kind; nor is what
// a variance needs taken for a power.
// CHECK-LABEL: @others
// CHECK-NEXT: 0: math.sqrt ? [4, 6] <- input0
// CHECK-NEXT: 1: math.atan ? [4, 6] <- input0
// CHECK-NEXT: 2: math.exp ? [4, 6] <- input0
// CHECK-NEXT: result 0, 1, 2
func.func @others(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = math.sqrt %x : tensor<4x6xf32>
  %1 = math.atan %x : tensor<4x6xf32>
  %2 = math.exp %x : tensor<4x6xf32>
  return %0, %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// Two leaky relus are two, though both together look like one.
// CHECK-LABEL: @leaky
// CHECK-NEXT: 0: leaky_relu<negative_slope = 1.000000e-01> [4, 6] <- input0
// CHECK-NEXT: 1: leaky_relu<negative_slope = 1.000000e-01> [4, 6] <- 0
// CHECK-NEXT: result 1
func.func @leaky(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %k = "tosa.const"() <{values = dense<0.1> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %0 = tosa.mul %x, %k, %s : (tensor<4x6xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<4x6xf32>
  %1 = tosa.maximum %x, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = tosa.mul %1, %k, %s : (tensor<4x6xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<4x6xf32>
  %3 = tosa.maximum %1, %2 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// What JAX's logaddexp guards its result with says nothing of numbers.
// CHECK-LABEL: @guarded
// CHECK-NEXT: 0: softplus<beta = 1.000000e+00> [4, 6] <- input0
// CHECK-NEXT: 1: linalg.generic ? [4, 6] <- input0, input1
// CHECK-NEXT: result 0, 1
func.func @guarded(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %t = tensor.empty() : tensor<4x6xi1>
  %guard = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%t : tensor<4x6xi1>) {
  ^bb0(%i: f32, %o: i1):
    %d = arith.subf %i, %zero : f32
    %c = arith.cmpf une, %d, %d : f32
    linalg.yield %c : i1
  } -> tensor<4x6xi1>
  %0 = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%guard, %x : tensor<4x6xi1>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%g: i1, %i: f32, %o: f32):
    %m = arith.maximumf %i, %zero : f32
    %a = math.absf %i : f32
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %l = math.log1p %p : f32
    %s = arith.addf %m, %l : f32
    %r = arith.select %g, %i, %s : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  // Of two tensors it does.
  %1 = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %c = arith.cmpf une, %i, %j : f32
    %r = arith.select %c, %i, %zero : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// JAX's gelu, (x + |x|) / 2, and a comparison as a factor.
// CHECK-LABEL: @spelled
// CHECK-NEXT: 0: gelu [4, 6] <- input0
// CHECK-NEXT: 1: relu [4, 6] <- input0
// CHECK-NEXT: 2: relu [4, 6] <- input0
// CHECK-NEXT: result 0, 1, 2
func.func @spelled(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %k = arith.constant 0.707106769 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %h = arith.mulf %i, %half : f32
    %n = arith.negf %i : f32
    %s = arith.mulf %n, %k : f32
    %c = math.erfc %s : f32
    %r = arith.mulf %h, %c : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %a = math.absf %i : f32
    %s = arith.addf %i, %a : f32
    %r = arith.mulf %s, %half : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  %2 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %c = arith.cmpf ogt, %i, %zero : f32
    %f = arith.uitofp %c : i1 to f32
    %r = arith.mulf %i, %f : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0, %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
