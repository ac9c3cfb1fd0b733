// RUN: qbackend-opt %s --apply-backend=qnnpack qconfig=@none samples=1 2>/dev/null | FileCheck %s
// RUN: qbackend-opt %s --apply-backend=qnnpack qconfig=@none samples=1 mode=fake-quant 2>/dev/null | FileCheck %s

// Where nothing is to be quantized, code comes back as it came: no batch norm is
// folded, no private function inlined, no layout changed.

// CHECK: module @kept {
// CHECK-NOT: qbackend.
// CHECK: func.func @main(
// CHECK-NEXT: %[[W:.*]] = arith.constant dense<{{.*}}> : tensor<2x2x1x1xf32>
// CHECK-NEXT: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<1x2x4x4xf32>
// CHECK-NEXT: %[[C:.*]] = linalg.conv_2d_nchw_fchw ins(%arg0, %[[W]] : {{.*}}) outs(%[[Z]] : {{.*}})
// CHECK-NEXT: %[[Y:.*]] = call @norm(%[[C]])
// CHECK-NEXT: return %[[Y]]
// CHECK: func.func private @norm(
// CHECK: linalg.generic
// CHECK: math.rsqrt
module @kept {
qbackend.qconfig_mapping @none {
  qbackend.qconfig global none
}
func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = arith.constant dense<[[[[0.5]], [[-0.25]]], [[[1.0]], [[0.125]]]]> : tensor<2x2x1x1xf32>
  %z = arith.constant dense<0.0> : tensor<1x2x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) outs(%z : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %y = func.call @norm(%c) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}
func.func private @norm(%c: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %g = arith.constant dense<[1.5, 0.75]> : tensor<2xf32>
  %b = arith.constant dense<[0.25, -0.5]> : tensor<2xf32>
  %m = arith.constant dense<[0.1, 0.2]> : tensor<2xf32>
  %v = arith.constant dense<[0.9, 1.1]> : tensor<2xf32>
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c, %g, %b, %m, %v : tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<1x2x4x4xf32>) {
  ^bb0(%i: f32, %gi: f32, %bi: f32, %mi: f32, %vi: f32, %o: f32):
    %0 = arith.addf %vi, %eps : f32
    %1 = math.rsqrt %0 : f32
    %2 = arith.subf %i, %mi : f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.mulf %3, %gi : f32
    %5 = arith.addf %4, %bi : f32
    linalg.yield %5 : f32
  } -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}
}
