// RUN: qbackend-opt %s --apply-backend=qnnpack lower-to=reference -o /dev/null 2>&1 | FileCheck %s

// Batch norm after a convolution without output channels: nothing to fold.

// CHECK: QB000: quantized {{[0-2]}} of 2 operators
func.func @main(%x: tensor<1x2x8x8xf32>) -> tensor<1x0x8x8xf32> {
  %w = arith.constant dense<> : tensor<0x2x1x1xf32>
  %p = arith.constant dense<> : tensor<0xf32>
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<1x0x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x0x8x8xf32>) -> tensor<1x0x8x8xf32>
  %0 = linalg.conv_2d_nchw_fchw
    ins(%x, %w : tensor<1x2x8x8xf32>, tensor<0x2x1x1xf32>)
    outs(%f : tensor<1x0x8x8xf32>) -> tensor<1x0x8x8xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>,
                       affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (c)>,
                       affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %p, %p, %p, %p : tensor<1x0x8x8xf32>, tensor<0xf32>, tensor<0xf32>, tensor<0xf32>, tensor<0xf32>)
      outs(%e : tensor<1x0x8x8xf32>) {
  ^bb0(%in: f32, %gamma: f32, %beta: f32, %mean: f32, %var: f32, %out: f32):
    %2 = arith.addf %var, %eps : f32
    %3 = math.rsqrt %2 : f32
    %4 = arith.subf %in, %mean : f32
    %5 = arith.mulf %4, %3 : f32
    %6 = arith.mulf %5, %gamma : f32
    %7 = arith.addf %6, %beta : f32
    linalg.yield %7 : f32
  } -> tensor<1x0x8x8xf32>
  return %1 : tensor<1x0x8x8xf32>
}
