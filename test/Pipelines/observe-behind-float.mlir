// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reshape that raising puts in shares the observer of its input, and is not observed
// again. Where it stays float, what is behind it is observed there: it had an observer
// that saw nothing, and the scale 1.

// RUN: %python -c "import numpy; numpy.savez('%t.npz', x=numpy.linspace(-1, 1.55, 12).reshape(1, 3, 4).astype('f4'))"
// RUN: qbackend-opt %s --apply-backend="qnnpack qconfig=@m data=%t.npz lower-to=reference" \
// RUN:   | FileCheck %s

// 2.55 in 255 steps.
// CHECK: qbackend.operator [#qbackend.reshape]
// CHECK: qbackend.quantize %{{[^ ]*}} : tensor<3x4xf32> -> tensor<3x4x!quant.uniform<u8:f32, 0.0099999997{{[0-9]*}}:100>>

qbackend.qconfig_mapping @m {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8>>
  qbackend.qconfig object_type "reshape" none
}

func.func @main(%x: tensor<1x3x4xf32>) -> tensor<3x2xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]]> : tensor<1x4x2xf32>}> : () -> tensor<1x4x2xf32>
  %y = tosa.matmul %x, %w, %zero, %zero : (tensor<1x3x4xf32>, tensor<1x4x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x2xf32>
  %shape = tosa.const_shape {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %y, %shape : (tensor<1x3x2xf32>, !tosa.shape<2>) -> tensor<3x2xf32>
  %b = "tosa.const"() <{values = dense<[[5.0, 6.0]]> : tensor<1x2xf32>}> : () -> tensor<1x2xf32>
  %s = tosa.add %r, %b : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  return %s : tensor<3x2xf32>
}
