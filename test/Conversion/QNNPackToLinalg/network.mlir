// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s
// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s --check-prefix=TYPES

// A network with a dynamic batch, from reals to reals.

!x8 = !quant.uniform<u8:f32, 0.5:2>
!s8 = !quant.uniform<i8:f32, 0.25>
!y8 = !quant.uniform<u8:f32, 1.0:7>

// Between the two boundaries there is no f32 tensor but constants.
// TYPES-LABEL: @network
// TYPES: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x4x4x1xf32>) outs(%{{[^ ]*}} : tensor<?x4x4x1xi8>)
// TYPES-NOT: xf32>
// TYPES: tensor.empty(%{{.*}}) : tensor<?x2xf32>
// TYPES: linalg.generic {{.*}} outs(%{{[^ ]*}} : tensor<?x2xf32>)

// CHECK-LABEL: func.func @network
// CHECK-SAME: (%[[X:.*]]: tensor<?x4x4x1xf32>) -> tensor<?x2xf32>
func.func @network(%x: tensor<?x4x4x1xf32>) -> tensor<?x2xf32> {
  %q = qnnpack.quantize %x : tensor<?x4x4x1xf32> -> tensor<?x4x4x1x!x8>
  // The weight is [kh, kw, in, out], and its sum (1 + 2 + 3 + 4 = 10 and -4),
  // times the zero point 2, is taken off the bias.
  // CHECK-DAG: dense<{{.*}}> : tensor<2x2x1x2xi8>
  // CHECK-DAG: dense<[80, 208]> : tensor<2xi32>
  %wi = arith.constant dense<[[[[1], [2]], [[3], [4]]], [[[-1], [-1]], [[-1], [-1]]]]> : tensor<2x2x2x1xi8>
  %w = quant.scast %wi : tensor<2x2x2x1xi8> to tensor<2x2x2x1x!s8>
  %b = arith.constant dense<[100, 200]> : tensor<2xi32>
  // CHECK: tensor.pad
  // CHECK: linalg.generic
  // CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "parallel"]
  // CHECK: arith.extui
  // CHECK: arith.extsi
  // CHECK: linalg.generic
  // CHECK: arith.sitofp
  // CHECK: arith.mulf
  // CHECK: math.roundeven
  // CHECK: arith.fptosi
  // CHECK: arith.trunci
  %c = qnnpack.conv2d %q, %w, %b {stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, relu}
    : tensor<?x4x4x1x!x8>, tensor<2x2x2x1x!s8>, tensor<2xi32> -> tensor<?x3x3x2x!y8>
  // CHECK: arith.maxui
  %p = qnnpack.max_pool2d %c {kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>}
    : tensor<?x3x3x2x!y8> -> tensor<?x1x1x2x!y8>
  // CHECK: tensor.collapse_shape
  %r = qnnpack.reshape %p : tensor<?x1x1x2x!y8> -> tensor<?x2x!y8>
  // CHECK-NOT: qnnpack
  // CHECK-NOT: quant
  %y = qnnpack.dequantize %r : tensor<?x2x!y8> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// Signatures, calls and control flow carry integers.
// CHECK-LABEL: func.func private @callee(tensor<4xi8>) -> tensor<4xi8>
func.func private @callee(tensor<4x!x8>) -> tensor<4x!x8>

// CHECK-LABEL: func.func @caller
// CHECK-SAME: (%{{.*}}: tensor<4xi8>, %{{.*}}: i1) -> tensor<4xi8>
func.func @caller(%x: tensor<4x!x8>, %c: i1) -> tensor<4x!x8> {
  // CHECK: scf.if %{{.*}} -> (tensor<4xi8>)
  %0 = scf.if %c -> tensor<4x!x8> {
    // CHECK: call @callee(%{{.*}}) : (tensor<4xi8>) -> tensor<4xi8>
    %1 = func.call @callee(%x) : (tensor<4x!x8>) -> tensor<4x!x8>
    scf.yield %1 : tensor<4x!x8>
  } else {
    scf.yield %x : tensor<4x!x8>
  }
  return %0 : tensor<4x!x8>
}
