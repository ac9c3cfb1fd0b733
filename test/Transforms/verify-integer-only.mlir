// What is not between integers may be float.
// RUN: qbackend-opt %s --qbackend-verify-integer-only -split-input-file -verify-diagnostics | FileCheck %s
// RUN: qbackend-opt %s --convert-qnnpack-to-linalg --qbackend-verify-integer-only -split-input-file -o %t

!a8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.25:7>

// Before the first quantize and after the last dequantize.
// CHECK-LABEL: func.func @edges
func.func @edges(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = math.exp %x : tensor<?x4xf32>
  %1 = qnnpack.quantize %0 : tensor<?x4xf32> -> tensor<?x4x!a8>
  %2 = qnnpack.add %1, %1 : tensor<?x4x!a8>, tensor<?x4x!a8> -> tensor<?x4x!y8>
  %3 = qnnpack.dequantize %2 : tensor<?x4x!y8> -> tensor<?x4xf32>
  // CHECK: math.absf
  %4 = math.absf %3 : tensor<?x4xf32>
  return %4 : tensor<?x4xf32>
}

// -----

!a8 = !quant.uniform<u8:f32, 0.5:3>
!s8 = !quant.uniform<i8:f32, 0.5>

// A weight that is dequantized is no data: what it is used by is before the
// first quantize.
func.func @weight_of_a_real_valued_operator(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c = arith.constant dense<3> : tensor<4x4xi8>
  %w = quant.scast %c : tensor<4x4xi8> to tensor<4x4x!s8>
  %0 = qnnpack.dequantize %w : tensor<4x4x!s8> -> tensor<4x4xf32>
  %1 = arith.mulf %x, %0 : tensor<4x4xf32>
  %2 = qnnpack.quantize %1 : tensor<4x4xf32> -> tensor<4x4x!a8>
  %3 = qnnpack.dequantize %2 : tensor<4x4x!a8> -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

!a8 = !quant.uniform<u8:f32, 0.5:3>

// The size of a tensor of integers is no data.
func.func @size(%q: tensor<?x4x!a8>, %z: f32) -> tensor<?x4x!a8> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %q, %c0 : tensor<?x4x!a8>
  %0 = tensor.splat %z[%size] : tensor<?x4xf32>
  %1 = qnnpack.quantize %0 : tensor<?x4xf32> -> tensor<?x4x!a8>
  return %1 : tensor<?x4x!a8>
}

// -----

// Real scalars requantize an accumulator; indices of 32 bits are no activation.
#id = affine_map<(d0) -> (d0)>
func.func @requantize_and_gather(%x: tensor<4xi8>, %table: tensor<8xf32>, %i: tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi8>) {
  %wide = tensor.empty() : tensor<4xi32>
  %byte = tensor.empty() : tensor<4xi8>
  %real = tensor.empty() : tensor<4xf32>
  %m = arith.constant 0.25 : f32
  %acc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi8>) outs(%wide : tensor<4xi32>) {
  ^bb0(%a: i8, %o: i32):
    %e = arith.extsi %a : i8 to i32
    linalg.yield %e : i32
  } -> tensor<4xi32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%acc : tensor<4xi32>) outs(%byte : tensor<4xi8>) {
  ^bb0(%a: i32, %o: i8):
    %f = arith.sitofp %a : i32 to f32
    %s = arith.mulf %f, %m : f32
    %t = arith.fptosi %s : f32 to i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  %rows = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%i : tensor<4xi32>) outs(%real : tensor<4xf32>) {
  ^bb0(%a: i32, %o: f32):
    %p = arith.index_cast %a : i32 to index
    %f = tensor.extract %table[%p] : tensor<8xf32>
    linalg.yield %f : f32
  } -> tensor<4xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%rows : tensor<4xf32>) outs(%byte : tensor<4xi8>) {
  ^bb0(%a: f32, %o: i8):
    %s = arith.mulf %a, %m : f32
    %t = arith.fptosi %s : f32 to i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  return %y, %z : tensor<4xi8>, tensor<4xi8>
}

// -----

// Dynamic quantization: two layers whose activations are quantized by a scale
// found at run time. Their inputs are float by definition.
#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
func.func private @scale_of(%x: tensor<4xf32>) -> tensor<f32>
func.func @dynamic(%q: tensor<4xi8>) -> tensor<4xf32> {
  %byte = tensor.empty() : tensor<4xi8>
  %real = tensor.empty() : tensor<4xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%q : tensor<4xi8>) outs(%real : tensor<4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    linalg.yield %f : f32
  } -> tensor<4xf32>
  %s = call @scale_of(%x) : (tensor<4xf32>) -> tensor<f32>
  // As an operand ...
  %0 = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<4xf32>, tensor<f32>) outs(%byte : tensor<4xi8>) {
  ^bb0(%a: f32, %m: f32, %o: i8):
    %p = arith.mulf %a, %m : f32
    %t = arith.fptosi %p : f32 to i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  %1 = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]}
      ins(%0, %s : tensor<4xi8>, tensor<f32>) outs(%real : tensor<4xf32>) {
  ^bb0(%a: i8, %m: f32, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    %p = arith.mulf %f, %m : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  // ... and as a scalar from outside.
  %s1 = call @scale_of(%1) : (tensor<4xf32>) -> tensor<f32>
  %m1 = tensor.extract %s1[] : tensor<f32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%1 : tensor<4xf32>) outs(%byte : tensor<4xi8>) {
  ^bb0(%a: f32, %o: i8):
    %p = arith.mulf %a, %m1 : f32
    %t = arith.fptosi %p : f32 to i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%2 : tensor<4xi8>) outs(%real : tensor<4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    linalg.yield %f : f32
  } -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
