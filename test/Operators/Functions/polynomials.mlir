// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s

// Functions as polynomials, in which one value is read at each step.

#n = affine_map<(d0, d1) -> (d0, d1)>

// With XLA's erf.
// CHECK-LABEL: @gelu
// CHECK-NEXT: 0: gelu [4, 6] <- input0
// CHECK-NEXT: result 0
func.func @gelu(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c0 = arith.constant 7.071067690e-01 : f32
  %c1 = arith.constant -3.743921160e+00 : f32
  %c2 = arith.constant 3.743921160e+00 : f32
  %c3 = arith.constant 2.290506530e-04 : f32
  %c4 = arith.constant 3.408290910e-03 : f32
  %c5 = arith.constant 5.095569420e-02 : f32
  %c6 = arith.constant 1.852083210e-01 : f32
  %c7 = arith.constant 1.128379110e+00 : f32
  %c8 = arith.constant -1.179160310e-07 : f32
  %c9 = arith.constant 2.354796570e-05 : f32
  %c10 = arith.constant 1.017962580e-03 : f32
  %c11 = arith.constant 1.407046990e-02 : f32
  %c12 = arith.constant 1.109850500e-01 : f32
  %c13 = arith.constant 4.974692460e-01 : f32
  %c14 = arith.constant 1.000000000e+00 : f32
  %c15 = arith.constant 5.000000000e-01 : f32
  %c16 = arith.constant 1.000000000e+00 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v1 = arith.mulf %i, %c0 : f32
    %v2 = arith.maximumf %v1, %c1 : f32
    %v3 = arith.minimumf %v2, %c2 : f32
    %v4 = arith.mulf %v3, %v3 : f32
    %v5 = arith.mulf %c3, %v4 : f32
    %v6 = arith.addf %v5, %c4 : f32
    %v7 = arith.mulf %v6, %v4 : f32
    %v8 = arith.addf %v7, %c5 : f32
    %v9 = arith.mulf %v8, %v4 : f32
    %v10 = arith.addf %v9, %c6 : f32
    %v11 = arith.mulf %v10, %v4 : f32
    %v12 = arith.addf %v11, %c7 : f32
    %v13 = arith.mulf %v3, %v12 : f32
    %v14 = arith.mulf %c8, %v4 : f32
    %v15 = arith.addf %v14, %c9 : f32
    %v16 = arith.mulf %v15, %v4 : f32
    %v17 = arith.addf %v16, %c10 : f32
    %v18 = arith.mulf %v17, %v4 : f32
    %v19 = arith.addf %v18, %c11 : f32
    %v20 = arith.mulf %v19, %v4 : f32
    %v21 = arith.addf %v20, %c12 : f32
    %v22 = arith.mulf %v21, %v4 : f32
    %v23 = arith.addf %v22, %c13 : f32
    %v24 = arith.mulf %v23, %v4 : f32
    %v25 = arith.addf %v24, %c14 : f32
    %v26 = arith.divf %v13, %v25 : f32
    %v27 = arith.mulf %i, %c15 : f32
    %v28 = arith.addf %v26, %c16 : f32
    %v29 = arith.mulf %v27, %v28 : f32
    linalg.yield %v29 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Nothing of this is an operator: what is tried to find one is bounded.
// CHECK-LABEL: @unknown
// CHECK-NEXT: 0: linalg.generic ? [4, 6] <- input0, constant
// CHECK-NEXT: result 0
func.func @unknown(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c0 = arith.constant 6.000000000e-01 : f32
  %c1 = arith.constant -3.743921160e+00 : f32
  %c2 = arith.constant 3.743921160e+00 : f32
  %c3 = arith.constant 2.290506530e-04 : f32
  %c4 = arith.constant 3.408290910e-03 : f32
  %c5 = arith.constant 5.095569420e-02 : f32
  %c6 = arith.constant 1.852083210e-01 : f32
  %c7 = arith.constant 1.128379110e+00 : f32
  %c8 = arith.constant -1.179160310e-07 : f32
  %c9 = arith.constant 2.354796570e-05 : f32
  %c10 = arith.constant 1.017962580e-03 : f32
  %c11 = arith.constant 1.407046990e-02 : f32
  %c12 = arith.constant 1.109850500e-01 : f32
  %c13 = arith.constant 4.974692460e-01 : f32
  %c14 = arith.constant 1.000000000e+00 : f32
  %c15 = arith.constant 5.000000000e-01 : f32
  %c16 = arith.constant 1.000000000e+00 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#n, #n], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v1 = arith.mulf %i, %c0 : f32
    %v2 = arith.maximumf %v1, %c1 : f32
    %v3 = arith.minimumf %v2, %c2 : f32
    %v4 = arith.mulf %v3, %v3 : f32
    %v5 = arith.mulf %c3, %v4 : f32
    %v6 = arith.addf %v5, %c4 : f32
    %v7 = arith.mulf %v6, %v4 : f32
    %v8 = arith.addf %v7, %c5 : f32
    %v9 = arith.mulf %v8, %v4 : f32
    %v10 = arith.addf %v9, %c6 : f32
    %v11 = arith.mulf %v10, %v4 : f32
    %v12 = arith.addf %v11, %c7 : f32
    %v13 = arith.mulf %v3, %v12 : f32
    %v14 = arith.mulf %c8, %v4 : f32
    %v15 = arith.addf %v14, %c9 : f32
    %v16 = arith.mulf %v15, %v4 : f32
    %v17 = arith.addf %v16, %c10 : f32
    %v18 = arith.mulf %v17, %v4 : f32
    %v19 = arith.addf %v18, %c11 : f32
    %v20 = arith.mulf %v19, %v4 : f32
    %v21 = arith.addf %v20, %c12 : f32
    %v22 = arith.mulf %v21, %v4 : f32
    %v23 = arith.addf %v22, %c13 : f32
    %v24 = arith.mulf %v23, %v4 : f32
    %v25 = arith.addf %v24, %c14 : f32
    %v26 = arith.divf %v13, %v25 : f32
    %v27 = arith.mulf %i, %c15 : f32
    %v28 = arith.addf %v26, %c16 : f32
    %v29 = arith.mulf %v27, %v28 : f32
    linalg.yield %v29 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
