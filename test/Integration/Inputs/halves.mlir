// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
func.func @main(%x: tensor<8xf64>) -> tensor<8xf64> {
  %a = arith.truncf %x : tensor<8xf64> to tensor<8xbf16>
  %b = math.sqrt %a : tensor<8xbf16>
  %c = arith.extf %b : tensor<8xbf16> to tensor<8xf64>
  %h = arith.truncf %c : tensor<8xf64> to tensor<8xf16>
  %r = arith.extf %h : tensor<8xf16> to tensor<8xf64>
  return %r : tensor<8xf64>
}
