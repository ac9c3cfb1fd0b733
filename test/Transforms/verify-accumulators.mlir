// RUN: qbackend-opt %s --qbackend-verify-accumulators --remarks-filter='qbackend.*' -split-input-file -verify-diagnostics | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:3>
!i8 = !quant.uniform<i8:f32, 0.5:3>
!w8 = !quant.uniform<i8:f32, 0.25:1>
!c8 = !quant.uniform<i8:f32:0, {0.25,0.5:-2}>
!s8 = !quant.uniform<i8:f32, 0.25>

// x - 3 is in [-3, 252]. w' of the channels is [0, 1, -3] and [-3, -4, 126], their
// biases are 10 and -20: [10 - 3 - 756, 10 + 252 + 9] and [-20 - 756 - 1008 - 378,
// -20 + 9 + 12 + 31752].
// expected-remark @below {{QB125 | Category:qbackend | bits=16, largest=31753, operators=1, smallest=-2162}}
module {
  // CHECK-LABEL: @linear
  func.func @linear(%x: tensor<?x3x!u8>) -> tensor<?x2x!u8> {
    %c = arith.constant dense<[[1, 2, -2], [-2, -3, 127]]> : tensor<2x3xi8>
    %w = quant.scast %c : tensor<2x3xi8> to tensor<2x3x!w8>
    %b = arith.constant dense<[10, -20]> : tensor<2xi32>
    // expected-remark @below {{QB125 | Category:qbackend | bits=16, largest=31753, smallest=-2162}}
    %y = qnnpack.linear %x, %w, %b : tensor<?x3x!u8>, tensor<2x3x!w8>, tensor<2xi32> -> tensor<?x2x!u8>
    return %y : tensor<?x2x!u8>
  }
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!c8 = !quant.uniform<i8:f32:0, {0.25,0.5:-2}>
!s8 = !quant.uniform<i8:f32, 0.25>
!i8 = !quant.uniform<i8:f32, 0.5:3>

// expected-remark @below {{QB125 | Category:qbackend | bits=19, largest=256032, operators=3, smallest=-258048}}
module {
  // Zero points 0 and -2: w' is 5 and 102.
  func.func @channels(%x: tensor<1x2x2x1x!u8>) -> tensor<1x2x2x2x!u8> {
    %c = arith.constant dense<[[[[5]]], [[[100]]]]> : tensor<2x1x1x1xi8>
    %w = quant.scast %c : tensor<2x1x1x1xi8> to tensor<2x1x1x1x!c8>
    // expected-remark @below {{bits=16, largest=25704, smallest=-306}}
    %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
      : tensor<1x2x2x1x!u8>, tensor<2x1x1x1x!c8> -> tensor<1x2x2x2x!u8>
    return %y : tensor<1x2x2x2x!u8>
  }

  // Signed: x - 3 is in [-131, 124], and w' = -128.
  func.func @signed(%x: tensor<1x1x!i8>) -> tensor<1x1x!i8> {
    %c = arith.constant dense<-128> : tensor<1x1xi8>
    %w = quant.scast %c : tensor<1x1xi8> to tensor<1x1x!s8>
    // expected-remark @below {{bits=16, largest=16768, smallest=-15872}}
    %y = qnnpack.linear %x, %w : tensor<1x1x!i8>, tensor<1x1x!s8> -> tensor<1x1x!i8>
    return %y : tensor<1x1x!i8>
  }

  // An argument: 8 of the bytes that are furthest from 0.
  func.func @unknown(%x: tensor<1x8x!u8>, %w: tensor<1x8x!s8>) -> tensor<1x1x!u8> {
    // expected-remark @below {{bits=19, largest=256032, smallest=-258048}}
    %y = qnnpack.linear %x, %w : tensor<1x8x!u8>, tensor<1x8x!s8> -> tensor<1x1x!u8>
    return %y : tensor<1x1x!u8>
  }
}
