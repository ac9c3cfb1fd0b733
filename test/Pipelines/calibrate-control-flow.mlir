// RUN: qbackend-opt --apply-backend=qnnpack %s -o - 2>&1 | FileCheck %s

// Control flow of TOSA, and packed layouts, run in calibration.

// CHECK-NOT: error
// CHECK-LABEL: func.func @main
// CHECK: tosa.cond_if
// CHECK: linalg.pack
// CHECK: linalg.unpack
func.func @main(%x: tensor<1x6xf32>, %flag: tensor<i1>) -> (tensor<1x6xf32>, tensor<1x6xf32>) {
  %curve = tosa.sigmoid %x : (tensor<1x6xf32>) -> tensor<1x6xf32>
  %y = tosa.cond_if %flag : tensor<i1> -> tensor<1x6xf32> {
    %twice = tosa.add %curve, %curve : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<1x6xf32>
    tosa.yield %twice : tensor<1x6xf32>
  } else {
    tosa.yield %curve : tensor<1x6xf32>
  }
  %e = tensor.empty() : tensor<1x3x1x2xf32>
  %p = linalg.pack %curve inner_dims_pos = [0, 1] inner_tiles = [1, 2] into %e : tensor<1x6xf32> -> tensor<1x3x1x2xf32>
  %f = tensor.empty() : tensor<1x6xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [1, 2] into %f : tensor<1x3x1x2xf32> -> tensor<1x6xf32>
  return %y, %u : tensor<1x6xf32>, tensor<1x6xf32>
}
