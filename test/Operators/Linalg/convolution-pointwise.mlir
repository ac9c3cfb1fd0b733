// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// A product over the channels of an image may be a convolution or a linear layer:
// what normalizes its result by channels tells.

#x = affine_map<(a, b, c, o, i) -> (a, b, c, i)>
#w = affine_map<(a, b, c, o, i) -> (i, o)>
#y = affine_map<(a, b, c, o, i) -> (a, b, c, o)>
#id = affine_map<(a, b, c, d) -> (a, b, c, d)>
#ch = affine_map<(a, b, c, d) -> (d)>

// CHECK-LABEL: func.func @normalized(
// CHECK: qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>] inputs(%arg0)
// CHECK: qbackend.operator [#qbackend.batch_norm2d
func.func @normalized(%x: tensor<2x3x3x4xf32>, %g: tensor<5xf32>, %b: tensor<5xf32>, %m: tensor<5xf32>, %v: tensor<5xf32>) -> tensor<2x3x3x5xf32> {
  %w = arith.constant dense<0.25> : tensor<4x5xf32>
  %z = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<2x3x3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x3x5xf32>) -> tensor<2x3x3x5xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x3x3x4xf32>, tensor<4x5xf32>) outs(%f : tensor<2x3x3x5xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x3x3x5xf32>
  %1 = linalg.generic {indexing_maps = [#id, #ch, #ch, #ch, #ch, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %g, %b, %m, %v : tensor<2x3x3x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<2x3x3x5xf32>) {
  ^bb0(%i: f32, %gi: f32, %bi: f32, %mi: f32, %vi: f32, %o: f32):
    %ve = arith.addf %vi, %eps : f32
    %rs = math.rsqrt %ve : f32
    %d = arith.subf %i, %mi : f32
    %n = arith.mulf %d, %rs : f32
    %s = arith.mulf %n, %gi : f32
    %r = arith.addf %s, %bi : f32
    linalg.yield %r : f32
  } -> tensor<2x3x3x5xf32>
  return %1 : tensor<2x3x3x5xf32>
}

// CHECK-LABEL: func.func @alone(
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0)
func.func @alone(%x: tensor<2x3x3x4xf32>) -> tensor<2x3x3x5xf32> {
  %w = arith.constant dense<0.25> : tensor<4x5xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x3x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x3x5xf32>) -> tensor<2x3x3x5xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x3x3x4xf32>, tensor<4x5xf32>) outs(%f : tensor<2x3x3x5xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x3x3x5xf32>
  return %0 : tensor<2x3x3x5xf32>
}
