// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s --implicit-check-not='?'
//
// What one rewrite knew of a value is nothing to the next op at its address:
// the branch of a residual block that fusion has joined with its addition. The
// zero that its batch norm adds is nothing.

// CHECK: 0: conv2d
// CHECK: : relu
// CHECK: : conv2d
// CHECK: : add
// CHECK: : relu
#i = affine_map<(d0,d1,d2,d3)->(d0,d1,d2,d3)>
#z = affine_map<(d0,d1,d2,d3)->(0,d1,d2,d3)>
func.func @main(%x: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {
  %1 = arith.constant 1.0 : f32
  %0 = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f64
  %w = arith.constant dense_resource<w> : tensor<8x8x1x1xf32>
  %e = tensor.empty() : tensor<1x8x6x6xf32>
  %f = linalg.fill ins(%0 : f32) outs(%e : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) outs(%f : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %r = linalg.generic {indexing_maps=[#z,#i],iterator_types=["parallel","parallel","parallel","parallel"]} ins(%c : tensor<1x8x6x6xf32>) outs(%e : tensor<1x8x6x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %v = arith.addf %t, %1 : f32
    %q = math.rsqrt %v : f32
    %m = arith.mulf %a, %q : f32
    %n = arith.addf %m, %0 : f32
    %p = arith.cmpf ugt, %n, %0 : f32
    %s = arith.select %p, %n, %0 : f32
    linalg.yield %s : f32 } -> tensor<1x8x6x6xf32>
  %d = linalg.conv_2d_nchw_fchw ins(%r, %w : tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) outs(%f : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %y = linalg.generic {indexing_maps=[#z,#z,#i],iterator_types=["parallel","parallel","parallel","parallel"]} ins(%d,%x : tensor<1x8x6x6xf32>,tensor<1x8x6x6xf32>) outs(%e : tensor<1x8x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %v = arith.addf %t, %1 : f32
    %q = math.rsqrt %v : f32
    %m = arith.mulf %a, %q : f32
    %n = arith.addf %m, %0 : f32
    %k = arith.addf %n, %b : f32
    %p = arith.cmpf ugt, %k, %0 : f32
    %s = arith.select %p, %k, %0 : f32
    linalg.yield %s : f32 } -> tensor<1x8x6x6xf32>
  return %y : tensor<1x8x6x6xf32>
}
