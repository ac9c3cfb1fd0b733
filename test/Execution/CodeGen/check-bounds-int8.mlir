// RUN: qbackend-opt %s -qbackend-check-bounds -canonicalize | FileCheck %s

// A kernel writes as many images as it reads.
// CHECK-LABEL: func.func @batches
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: %[[M:.*]] = tensor.dim %arg4
// CHECK: %[[EQUAL:.*]] = arith.cmpi eq, %[[N]], %[[M]]
// CHECK: cf.assert %[[EQUAL]], "{{.*}}'int8.conv2d' op has operands of different batches"
func.func @batches(%x: tensor<?x1x1x4xi8>, %w: tensor<8x1x1x4xi8>, %b: tensor<8xi32>, %m: tensor<8xf32>, %init: tensor<?x1x1x8xi8>) -> tensor<?x1x1x8xi8> {
  %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
    : (tensor<?x1x1x4xi8>, tensor<8x1x1x4xi8>, tensor<8xi32>, tensor<8xf32>) into tensor<?x1x1x8xi8> -> tensor<?x1x1x8xi8>
  return %y : tensor<?x1x1x8xi8>
}
