// RUN: qbackend-opt %s --split-input-file --apply-backend=qnnpack lower-to=reference --remarks-filter='qbackend.*' 2>&1 | FileCheck %s

// What no kernel has the numbers for stays as the module has it, and says so.

!q = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 1.0e-9>

// CHECK: QB146 {{.*}}Operator=linear{{.*}}Reason="2 numbers of its bias have no integer of 32 bits at the scale of its input times that of its weight"
func.func @bias(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %0 = quant.qcast %x : tensor<1x2xf32> to tensor<1x2x!q>
  %1 = quant.dcast %0 : tensor<1x2x!q> to tensor<1x2xf32>
  %c = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %s = quant.scast %c : tensor<2x2xi8> to tensor<2x2x!w>
  %w = quant.dcast %s : tensor<2x2x!w> to tensor<2x2xf32>
  %b = arith.constant dense<[[7.0, -2.5]]> : tensor<1x2xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<1x2xf32>, tensor<2x2xf32>) outs(%b : tensor<1x2xf32>) -> tensor<1x2xf32>
  %3 = quant.qcast %2 : tensor<1x2xf32> to tensor<1x2x!q>
  %4 = quant.dcast %3 : tensor<1x2x!q> to tensor<1x2xf32>
  return %4 : tensor<1x2xf32>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 1.0e+3>

// CHECK: QB108 {{.*}}Operator=linear{{.*}}Reason="input scale * weight scale / output scale is 1.000E+03, expected a number in [2^-32, 2^8)"
func.func @factor(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %z = arith.constant dense<0.0> : tensor<1x2xf32>
  %0 = quant.qcast %x : tensor<1x2xf32> to tensor<1x2x!q>
  %1 = quant.dcast %0 : tensor<1x2x!q> to tensor<1x2xf32>
  %c = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %s = quant.scast %c : tensor<2x2xi8> to tensor<2x2x!w>
  %w = quant.dcast %s : tensor<2x2x!w> to tensor<2x2xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<1x2xf32>, tensor<2x2xf32>) outs(%z : tensor<1x2xf32>) -> tensor<1x2xf32>
  %3 = quant.qcast %2 : tensor<1x2xf32> to tensor<1x2x!q>
  %4 = quant.dcast %3 : tensor<1x2x!q> to tensor<1x2xf32>
  return %4 : tensor<1x2xf32>
}
