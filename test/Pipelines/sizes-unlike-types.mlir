// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constant size that is not that of the type: upstream's verifier of tosa has no
// such rule, and the slice would be read behind the end of its source.
//
// RUN: not qbackend-opt %s -split-input-file --apply-backend=qnnpack samples=1 -o %t 2>&1 | FileCheck %s

// CHECK: error: {{.*}}expected type to be 'tensor<1x2x1000x5xf32>' or a rank-reduced version
func.func @main(%x: tensor<1x3x6x5xf32>) -> tensor<1x2x6x5xf32> {
  %0 = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %1 = tosa.const_shape {values = dense<[1, 2, 1000, 5]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %2 = tosa.slice %x, %0, %1 : (tensor<1x3x6x5xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x2x6x5xf32>
  %3 = tosa.clamp %2 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x2x6x5xf32>) -> tensor<1x2x6x5xf32>
  return %3 : tensor<1x2x6x5xf32>
}

// -----

// CHECK: error: {{.*}}expected type to be 'tensor<1x2x9223372036854775807x5xf32>'
func.func @main(%x: tensor<1x3x6x5xf32>) -> tensor<1x2x6x5xf32> {
  %0 = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %1 = tosa.const_shape {values = dense<[1, 2, 9223372036854775807, 5]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %2 = tosa.slice %x, %0, %1 : (tensor<1x3x6x5xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x2x6x5xf32>
  %3 = tosa.clamp %2 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x2x6x5xf32>) -> tensor<1x2x6x5xf32>
  return %3 : tensor<1x2x6x5xf32>
}
