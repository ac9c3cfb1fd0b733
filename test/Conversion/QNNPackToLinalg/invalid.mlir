// RUN: qbackend-opt %s --convert-qnnpack-to-linalg -verify-diagnostics

!u8 = !quant.uniform<u8:f32, 0.5:2>
!s8 = !quant.uniform<i8:f32, 0.25>
func.func @transposed_dilation(%x: tensor<1x2x1x!u8>, %w: tensor<1x3x1x!s8>) -> tensor<1x2x1x!u8> {
  // expected-error @+2 {{the zeros of stride and dilation make 4.294967e+09 elements of the weight, more than 2^31; use less of them}}
  // expected-error @+1 {{failed to legalize operation 'qnnpack.conv_transpose1d'}}
  %y = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 1>, padding = array<i64: 2147483647, 2147483647>, output_padding = array<i64: 0>, dilation = array<i64: 2147483647>, groups = 1 : i64}
    : tensor<1x2x1x!u8>, tensor<1x3x1x!s8> -> tensor<1x2x1x!u8>
  return %y : tensor<1x2x1x!u8>
}
