// RUN: qbackend-opt %s --qbackend-import-quantization --remarks-filter=qbackend -o - 2>&1 | FileCheck %s

// Sums of products of integers are those of the numbers again: torch-mlir's
// fusion of quantized ops, back. The weight keeps its integers; its scale is that
// of the sums by that of the input.

#id = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (b)>
#id4 = affine_map<(a, b, c, d) -> (a, b, c, d)>
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// CHECK-DAG: QB140 {{.*}}it subtracts -4 of integers whose zero point is -5
// CHECK-DAG: QB140 {{.*}}its bias has an integer beyond 2097152

// CHECK-LABEL: func.func @named(
// CHECK: %[[Q:.*]] = qbackend.quantize %arg0 : tensor<1x4xf32> -> tensor<1x4x!quant.uniform<i8:f32, 5.000000e-01:-5>>
// CHECK: %[[X:.*]] = qbackend.dequantize %[[Q]]
// CHECK: %[[W:.*]] = qbackend.dequantize %{{[^ ]*}} : tensor<4x2x!quant.uniform<i8:f32, 1.250000e-01>> -> tensor<4x2xf32>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] : tensor<1x4xf32>, tensor<4x2xf32>)
// CHECK-NOT: i32
// CHECK: return %[[Y]]
func.func @named(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %ex = tensor.empty() : tensor<1x4xi8>
  %qx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) outs(%ex : tensor<1x4xi8>) {
  ^bb0(%a: f32, %o: i8):
    %s = arith.constant 5.000000e-01 : f32
    %z = arith.constant -5.0 : f32
    %lo = arith.constant -128.0 : f32
    %hi = arith.constant 127.0 : f32
    %0 = arith.divf %a, %s : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %z : f32
    %3 = arith.maximumf %2, %lo : f32
    %4 = arith.minimumf %3, %hi : f32
    %5 = arith.fptosi %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<1x4xi8>
  %w = arith.constant dense<[[1, -2], [3, -4], [5, -6], [7, -8]]> : tensor<4x2xi8>
  %zx = arith.constant -5 : i32
  %zw = arith.constant 0 : i32
  %b = arith.constant dense<[16, -32]> : tensor<2xi32>
  %eb = tensor.empty() : tensor<1x2xi32>
  %i = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<2xi32>) outs(%eb : tensor<1x2xi32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  } -> tensor<1x2xi32>
  %y = linalg.quantized_matmul ins(%qx, %w, %zx, %zw : tensor<1x4xi8>, tensor<4x2xi8>, i32, i32) outs(%i : tensor<1x2xi32>) -> tensor<1x2xi32>
  %fy = tensor.empty() : tensor<1x2xf32>
  %dy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<1x2xi32>) outs(%fy : tensor<1x2xf32>) {
  ^bb0(%a: i32, %o: f32):
    %s = arith.constant 0.0625 : f32
    %0 = arith.sitofp %a : i32 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<1x2xf32>
  return %dy : tensor<1x2xf32>
}

// After generalization and canonicalization, with unsigned numbers less 128 and
// nothing added.
// CHECK-LABEL: func.func @generalized(
// CHECK: qbackend.quantize %arg0 : tensor<1x4xf32> -> tensor<1x4x!quant.uniform<i8:f32, 5.000000e-01:-28>>
// CHECK: qbackend.dequantize %{{[^ ]*}} : tensor<4x2x!quant.uniform<i8:f32, 1.250000e-01:2>> -> tensor<4x2xf32>
// CHECK: linalg.generic {{.*}} tensor<4x2xf32>)
// CHECK-NOT: i32
func.func @generalized(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %ex = tensor.empty() : tensor<1x4xi8>
  %qx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) outs(%ex : tensor<1x4xi8>) {
  ^bb0(%a: f32, %o: i8):
    %s = arith.constant 5.000000e-01 : f32
    %z = arith.constant 100.0 : f32
    %lo = arith.constant 0.0 : f32
    %hi = arith.constant 255.0 : f32
    %0 = arith.divf %a, %s : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %z : f32
    %3 = arith.maximumf %2, %lo : f32
    %4 = arith.minimumf %3, %hi : f32
    %5 = arith.fptoui %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<1x4xi8>
  %c = arith.constant -128 : i8
  %qs = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%qx : tensor<1x4xi8>) outs(%ex : tensor<1x4xi8>) {
  ^bb0(%a: i8, %o: i8):
    %0 = arith.addi %a, %c : i8
    linalg.yield %0 : i8
  } -> tensor<1x4xi8>
  %w = arith.constant dense<[[1, -2], [3, -4], [5, -6], [7, -8]]> : tensor<4x2xi8>
  %zero = arith.constant 0 : i32
  %ei = tensor.empty() : tensor<1x2xi32>
  %i = linalg.fill ins(%zero : i32) outs(%ei : tensor<1x2xi32>) -> tensor<1x2xi32>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%qs, %w : tensor<1x4xi8>, tensor<4x2xi8>) outs(%i : tensor<1x2xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %zx = arith.constant 28 : i32
    %zw = arith.constant 2 : i32
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.addi %0, %zx : i32
    %2 = arith.extsi %b : i8 to i32
    %3 = arith.subi %2, %zw : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %o, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<1x2xi32>
  %fy = tensor.empty() : tensor<1x2xf32>
  %dy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<1x2xi32>) outs(%fy : tensor<1x2xf32>) {
  ^bb0(%a: i32, %o: f32):
    %s = arith.constant 0.0625 : f32
    %0 = arith.sitofp %a : i32 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<1x2xf32>
  return %dy : tensor<1x2xf32>
}

// A pad with the zero point is one with zeros; TOSA adds the bias itself, and what
// moves the sums moves the numbers.
// CHECK-LABEL: func.func @padded(
// CHECK: %[[P:.*]] = tensor.pad %{{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0] {
// CHECK: tensor.yield %{{[^ ]*}} : f32
// CHECK: tosa.conv2d %[[P]], %{{.*}} {acc_type = f32, {{.*}} (tensor<1x4x4x1xf32>, tensor<2x3x3x1xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2x2xf32>
// CHECK: linalg.transpose ins(%{{[^ ]*}} : tensor<1x2x2x2xf32>)
// CHECK-NOT: i32>
func.func @padded(%x: tensor<1x2x2x1xf32>) -> tensor<1x2x2x2xf32> {
  %ex = tensor.empty() : tensor<1x2x2x1xi8>
  %qx = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x2x2x1xf32>) outs(%ex : tensor<1x2x2x1xi8>) {
  ^bb0(%a: f32, %o: i8):
    %s = arith.constant 5.000000e-01 : f32
    %z = arith.constant -5.0 : f32
    %lo = arith.constant -128.0 : f32
    %hi = arith.constant 127.0 : f32
    %0 = arith.divf %a, %s : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %z : f32
    %3 = arith.maximumf %2, %lo : f32
    %4 = arith.minimumf %3, %hi : f32
    %5 = arith.fptosi %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<1x2x2x1xi8>
  %c = arith.constant -5 : i8
  %p = tensor.pad %qx low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %d: index, %f: index):
    tensor.yield %c : i8
  } : tensor<1x2x2x1xi8> to tensor<1x4x4x1xi8>
  %w = "tosa.const"() <{values = dense<3> : tensor<2x3x3x1xi8>}> : () -> tensor<2x3x3x1xi8>
  %b = "tosa.const"() <{values = dense<[7, -9]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %zx = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.conv2d %p, %w, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x1xi8>, tensor<2x3x3x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
  %et = tensor.empty() : tensor<1x2x2x2xi32>
  %t = linalg.transpose ins(%y : tensor<1x2x2x2xi32>) outs(%et : tensor<1x2x2x2xi32>) permutation = [0, 3, 1, 2]
  %fy = tensor.empty() : tensor<1x2x2x2xf32>
  %dy = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%t : tensor<1x2x2x2xi32>) outs(%fy : tensor<1x2x2x2xf32>) {
  ^bb0(%a: i32, %o: f32):
    %s = arith.constant 0.0625 : f32
    %0 = arith.sitofp %a : i32 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<1x2x2x2xf32>
  return %dy : tensor<1x2x2x2xf32>
}

// Other integers than those of the quantize stay, and so does what no real number
// holds.
// CHECK-LABEL: func.func @other_zero_point(
// CHECK-NOT: qbackend.
// CHECK: linalg.quantized_matmul
func.func @other_zero_point(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %ex = tensor.empty() : tensor<1x4xi8>
  %qx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) outs(%ex : tensor<1x4xi8>) {
  ^bb0(%a: f32, %o: i8):
    %s = arith.constant 5.000000e-01 : f32
    %z = arith.constant -5.0 : f32
    %lo = arith.constant -128.0 : f32
    %hi = arith.constant 127.0 : f32
    %0 = arith.divf %a, %s : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %z : f32
    %3 = arith.maximumf %2, %lo : f32
    %4 = arith.minimumf %3, %hi : f32
    %5 = arith.fptosi %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<1x4xi8>
  %w = arith.constant dense<[[1, -2], [3, -4], [5, -6], [7, -8]]> : tensor<4x2xi8>
  %zx = arith.constant -4 : i32
  %zw = arith.constant 0 : i32
  %b = arith.constant dense<[16, -32]> : tensor<2xi32>
  %eb = tensor.empty() : tensor<1x2xi32>
  %i = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<2xi32>) outs(%eb : tensor<1x2xi32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  } -> tensor<1x2xi32>
  %y = linalg.quantized_matmul ins(%qx, %w, %zx, %zw : tensor<1x4xi8>, tensor<4x2xi8>, i32, i32) outs(%i : tensor<1x2xi32>) -> tensor<1x2xi32>
  %fy = tensor.empty() : tensor<1x2xf32>
  %dy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<1x2xi32>) outs(%fy : tensor<1x2xf32>) {
  ^bb0(%a: i32, %o: f32):
    %s = arith.constant 0.0625 : f32
    %0 = arith.sitofp %a : i32 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<1x2xf32>
  return %dy : tensor<1x2xf32>
}

// CHECK-LABEL: func.func @large_bias(
// CHECK-NOT: qbackend.
// CHECK: linalg.quantized_matmul
func.func @large_bias(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %ex = tensor.empty() : tensor<1x4xi8>
  %qx = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) outs(%ex : tensor<1x4xi8>) {
  ^bb0(%a: f32, %o: i8):
    %s = arith.constant 5.000000e-01 : f32
    %z = arith.constant -5.0 : f32
    %lo = arith.constant -128.0 : f32
    %hi = arith.constant 127.0 : f32
    %0 = arith.divf %a, %s : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %z : f32
    %3 = arith.maximumf %2, %lo : f32
    %4 = arith.minimumf %3, %hi : f32
    %5 = arith.fptosi %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<1x4xi8>
  %w = arith.constant dense<[[1, -2], [3, -4], [5, -6], [7, -8]]> : tensor<4x2xi8>
  %zx = arith.constant -5 : i32
  %zw = arith.constant 0 : i32
  %b = arith.constant dense<[2097153, 0]> : tensor<2xi32>
  %eb = tensor.empty() : tensor<1x2xi32>
  %i = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<2xi32>) outs(%eb : tensor<1x2xi32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  } -> tensor<1x2xi32>
  %y = linalg.quantized_matmul ins(%qx, %w, %zx, %zw : tensor<1x4xi8>, tensor<4x2xi8>, i32, i32) outs(%i : tensor<1x2xi32>) -> tensor<1x2xi32>
  %fy = tensor.empty() : tensor<1x2xf32>
  %dy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<1x2xi32>) outs(%fy : tensor<1x2xf32>) {
  ^bb0(%a: i32, %o: f32):
    %s = arith.constant 0.0625 : f32
    %0 = arith.sitofp %a : i32 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<1x2xf32>
  return %dy : tensor<1x2xf32>
}

// Integers that are no sums of products are nobody's quantization.
// CHECK-LABEL: func.func @positions(
// CHECK: arith.sitofp
func.func @positions(%x: tensor<1x4xi32>) -> tensor<1x4xf32> {
  %fy = tensor.empty() : tensor<1x4xf32>
  %dy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xi32>) outs(%fy : tensor<1x4xf32>) {
  ^bb0(%a: i32, %o: f32):
    %s = arith.constant 0.0625 : f32
    %0 = arith.sitofp %a : i32 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<1x4xf32>
  return %dy : tensor<1x4xf32>
}
