// RUN: qbackend-opt %s --qbackend-verify-integer-only --remarks-filter='qbackend.*' -verify-diagnostics -o %t

!a8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.25:7>

// Quantized are %1 and %2; float %x, %0, %3 and %4.
// expected-remark @below {{QB120 | Category:qbackend | float=4, quantized=2}}
module {
  func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %0 = math.exp %x : tensor<?x4xf32>
    %1 = qnnpack.quantize %0 : tensor<?x4xf32> -> tensor<?x4x!a8>
    %2 = qnnpack.add %1, %1 : tensor<?x4x!a8>, tensor<?x4x!a8> -> tensor<?x4x!y8>
    %3 = qnnpack.dequantize %2 : tensor<?x4x!y8> -> tensor<?x4xf32>
    %4 = math.absf %3 : tensor<?x4xf32>
    return %4 : tensor<?x4xf32>
  }
}
