// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s

// What only moves elements is part of each operator that reads it.

#m3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: @pad
// CHECK-NEXT: 0: conv2d<stride = [1, 1], padding = [1, 1, 1, 1]{{.*}} [8, 8, 4] <- input0
// CHECK-NEXT: 1: conv2d<stride = [1, 1], padding = [1, 1, 1, 1]{{.*}} [8, 8, 4] <- input0
// CHECK-NEXT: 2: max_pool2d<kernel = [3, 3], stride = [1, 1], padding = [1, 1, 1, 1]{{.*}} [8, 8, 4] <- input0
// CHECK-NEXT: 3: max_pool2d<kernel = [3, 3], stride = [1, 1], padding = [1, 1, 1, 1]{{.*}} [8, 8, 4] <- input0
// CHECK-NEXT: result 0, 1, 2, 3
func.func @pad(%x: tensor<1x4x8x8xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %low = arith.constant -3.40282347E+38 : f32
  %w = arith.constant dense<0.1> : tensor<4x4x3x3xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %c0 : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %q = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %l = linalg.fill ins(%low : f32) outs(%e : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x4x10x10xf32>, tensor<4x4x3x3xf32>) outs(%z : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %1 = linalg.pooling_nchw_max ins(%q, %k : tensor<1x4x10x10xf32>, tensor<3x3xf32>) outs(%l : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %2 = linalg.pooling_nchw_max ins(%q, %k : tensor<1x4x10x10xf32>, tensor<3x3xf32>) outs(%l : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %3 = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x4x10x10xf32>, tensor<4x4x3x3xf32>) outs(%z : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0, %3, %1, %2 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>
}

// CHECK-LABEL: @copy
// CHECK-NEXT: 0: linear weight[8, 8] [12, 8] <- input0
// CHECK-NEXT: 1: linear weight[8, 8] [12, 8] <- input0
// CHECK-NEXT: result 0, 1
func.func @copy(%x: tensor<1x12x8xf32>) -> (tensor<1x12x8xf32>, tensor<1x12x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %w = arith.constant dense<0.1> : tensor<8x8xf32>
  %e = tensor.empty() : tensor<1x12x8xf32>
  %ew = tensor.empty() : tensor<1x8x8xf32>
  %xc = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (0, d1, d2)>, #m3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x12x8xf32>) outs(%e : tensor<1x12x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<1x12x8xf32>
  %wc = linalg.broadcast ins(%w : tensor<8x8xf32>) outs(%ew : tensor<1x8x8xf32>) dimensions = [0]
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<1x12x8xf32>) -> tensor<1x12x8xf32>
  %0 = linalg.batch_matmul ins(%xc, %wc : tensor<1x12x8xf32>, tensor<1x8x8xf32>) outs(%z : tensor<1x12x8xf32>) -> tensor<1x12x8xf32>
  %1 = linalg.batch_matmul ins(%xc, %wc : tensor<1x12x8xf32>, tensor<1x8x8xf32>) outs(%z : tensor<1x12x8xf32>) -> tensor<1x12x8xf32>
  return %0, %1 : tensor<1x12x8xf32>, tensor<1x12x8xf32>
}

// What computes is not repeated, though a move is behind it: relu and a minimum,
// no relu6.
// CHECK-LABEL: @computed
// CHECK-NEXT: 0: relu [4, 6] <- input0
// CHECK-NEXT: 1: math.floor ? [6, 4] <- 0
// CHECK-NEXT: 2: clamp<min = -3.4{{[0-9]*}}E+38, max = 6.000000e+00> [4, 6] <- 0
func.func @computed(%x: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4x6xf32>
  %six = arith.constant dense<6.0> : tensor<6x4xf32>
  %e = tensor.empty() : tensor<6x4xf32>
  %r = arith.maximumf %x, %zero : tensor<4x6xf32>
  %t = linalg.transpose ins(%r : tensor<4x6xf32>) outs(%e : tensor<6x4xf32>) permutation = [1, 0]
  %0 = math.floor %t : tensor<6x4xf32>
  %1 = arith.minimumf %t, %six : tensor<6x4xf32>
  return %0, %1 : tensor<6x4xf32>, tensor<6x4xf32>
}
