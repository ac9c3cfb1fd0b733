// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op of a dialect that nobody but the vendor has.

func.func @main(%x: tensor<1x4xf32> {qbackend.range = array<f64: -4.0, 3.0>}) -> tensor<1x4xf32> {
  %y = "vendor.swish"(%x) {beta = 1.5 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("act")
  return %y : tensor<1x4xf32>
}
