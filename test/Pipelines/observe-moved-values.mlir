// RUN: qbackend-opt %s -split-input-file --qbackend-prepare-pipeline="backend=qnnpack qconfig=minmax sharing=fx" --qbackend-print-observers="backend=qnnpack qconfig=minmax" -o /dev/null | FileCheck %s

// An observer is updated as often as PyTorch 2.6 updates it, whatever passes make
// of what only moves values (counts of `prepare_fx` on the networks beside it).

// b.permute(0, 2, 3, 1).permute(0, 3, 1, 2) into two activations: 3 updates of the
// argument; the permutes cancel each other.
// CHECK-LABEL: 0: leaky_relu = leaky_relu(b)
// CHECK: @b:
// CHECK-NEXT: b 3 times -> 0
func.func @cancelled(%b: tensor<1x3x4x4xf32> loc("b")) -> tensor<1x3x4x4xf32> {
  %0 = tosa.transpose %b {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x3x4x4xf32>) -> tensor<1x4x4x3xf32> loc("permute")
  %1 = tosa.transpose %0 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x4x3xf32>) -> tensor<1x3x4x4xf32> loc("permute_1")
  %a = "tosa.const"() <{values = dense<1.250000e-01> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32> loc("leaky_relu")
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8> loc("leaky_relu")
  %2 = tosa.mul %1, %a, %s : (tensor<1x3x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x3x4x4xf32> loc("leaky_relu")
  %3 = tosa.maximum %1, %2 : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> loc("leaky_relu")
  return %3 : tensor<1x3x4x4xf32>
}

// -----

// relu(x.flatten(2).unsqueeze(1)): 4 updates of one observer; the two changes of
// shape are one operator.
// CHECK-LABEL: 0: unsqueeze = reshape(x)
// CHECK: @x:
// CHECK-NEXT: x 2 times -> 0
// CHECK-NEXT: unsqueeze -> 1
// CHECK-NEXT: relu -> result 0
func.func @merged(%x: tensor<1x2x4x6xf32> loc("x")) -> tensor<1x1x2x24xf32> {
  %0 = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<1x2x4x6xf32> into tensor<1x2x24xf32> loc("flatten")
  %1 = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [1, 1, 2, 24] : tensor<1x2x24xf32> into tensor<1x1x2x24xf32> loc("unsqueeze")
  %2 = tosa.clamp %1 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x1x2x24xf32>) -> tensor<1x1x2x24xf32> loc("relu")
  return %2 : tensor<1x1x2x24xf32>
}

// -----

// Twice x.flatten(1): 3 updates and that of the relu; one is left of them.
// CHECK-LABEL: 0: flatten = flatten(x)
// CHECK: @x:
// CHECK-NEXT: x 2 times -> 0
// CHECK-NEXT: flatten -> 1, result 0
// CHECK-NEXT: relu -> result 1
func.func @equal(%x: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x48xf32>, tensor<1x48xf32>) {
  %0 = tensor.collapse_shape %x [[0], [1, 2, 3]] : tensor<1x2x4x6xf32> into tensor<1x48xf32> loc("flatten")
  %1 = tensor.collapse_shape %x [[0], [1, 2, 3]] : tensor<1x2x4x6xf32> into tensor<1x48xf32> loc("flatten_1")
  %2 = tosa.clamp %1 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x48xf32>) -> tensor<1x48xf32> loc("relu")
  return %0, %2 : tensor<1x48xf32>, tensor<1x48xf32>
}

// -----

// Two pools that read an argument in two layouts have one observer, which sees
// the argument, its transpose and both results: 4 updates.
// CHECK-LABEL: 0: pool = max_pool2d(x)
// CHECK: @x:
// CHECK-NOT: @
// CHECK: x 2 times -> 0
// CHECK-NEXT: pool -> result 0
// CHECK-NEXT: x again -> 1
// CHECK-NEXT: pool_1 -> result 1
func.func @layouts(%x: tensor<1x4x6x2xf32> loc("x")) -> (tensor<1x2x3x2xf32>, tensor<1x2x1x6xf32>) {
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x3x2xf32> loc("pool")
  %1 = tosa.transpose %x {perms = array<i32: 0, 1, 3, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x4x2x6xf32> loc("transpose")
  %2 = tosa.max_pool2d %1 {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x2x6xf32>) -> tensor<1x2x1x6xf32> loc("pool_1")
  return %0, %2 : tensor<1x2x3x2xf32>, tensor<1x2x1x6xf32>
}

// -----

// What code that is no operator gives, and is transposed: 2 updates.
// CHECK-LABEL: 0: add = add(
// CHECK: 2 times -> 0
func.func @behind_code(%x: tensor<1x4x6xf32> loc("x"), %y: tensor<1x6x4xf32> loc("y")) -> tensor<1x6x4xf32> {
  %0 = tosa.exp %x : (tensor<1x4x6xf32>) -> tensor<1x4x6xf32> loc("exp")
  %1 = tosa.transpose %0 {perms = array<i32: 0, 2, 1>} : (tensor<1x4x6xf32>) -> tensor<1x6x4xf32> loc("permute")
  %2 = tosa.add %1, %y : (tensor<1x6x4xf32>, tensor<1x6x4xf32>) -> tensor<1x6x4xf32> loc("add")
  return %2 : tensor<1x6x4xf32>
}
