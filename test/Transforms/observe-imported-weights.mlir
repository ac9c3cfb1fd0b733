// RUN: qbackend-opt %s --qbackend-observe="backend=@b" --remarks-filter='qbackend.*' -o - 2>&1 | FileCheck %s

// Weights that come as integers have to satisfy the backend, too. Unsigned ones
// become signed, if that is what it has.

// CHECK-DAG: QB105 {{.*}}Operator=linear{{.*}}with the weight that the module comes with: dtypes[0]: its weight needs the scheme per_tensor_symmetric, the qconfig has per_tensor_affine
// CHECK-DAG: QB105 {{.*}}Operator=linear{{.*}}its weight needs integers in [-127, 127], the qconfig has [-128, 127]
// CHECK-DAG: QB141 {{.*}}Operator=linear{{.*}}its weight is not quantized in the module

qbackend.backend_config @b version 2 default_qconfig @q {
  qbackend.pattern_config [linear] <dtypes = [#qbackend.dtype_config<input = <ui8>, output = <ui8>, weight = <si8, quant_min = -127, quant_max = 127, qschemes = ["per_tensor_symmetric"]>, bias = f32>]>
  qbackend.qconfig_mapping @q {
    qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric, quant_min = -127, quant_max = 127>>
  }
}
!x8 = !quant.uniform<u8:f32, 0.5>

// CHECK-LABEL: func.func @moved(
// CHECK: %[[C:.*]] = arith.constant dense<{{\[}}[-127, 0], [72, 127]]> : tensor<2x2xi8>
// CHECK: %[[S:.*]] = quant.scast %[[C]] : tensor<2x2xi8> to tensor<2x2x!quant.uniform<i8:f32, 2.500000e-01>>
// CHECK: %[[W:.*]] = qbackend.dequantize %[[S]]
// CHECK: qbackend.operator [#qbackend.linear] inputs(%{{.*}}) weight(%[[W]]) qconfig
func.func @moved(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %q = qbackend.quantize %x : tensor<1x2xf32> -> tensor<1x2x!x8>
  %d = qbackend.dequantize %q : tensor<1x2x!x8> -> tensor<1x2xf32>
  %c = arith.constant dense<[[1, -128], [-56, -1]]> : tensor<2x2xi8>
  %s = quant.scast %c : tensor<2x2xi8> to tensor<2x2x!quant.uniform<u8:f32, 0.25:128>>
  %w = qbackend.dequantize %s : tensor<2x2x!quant.uniform<u8:f32, 0.25:128>> -> tensor<2x2xf32>
  %0 = qbackend.operator [#qbackend.linear] inputs(%d) weight(%w) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %q0 = qbackend.quantize %0 : tensor<1x2xf32> -> tensor<1x2x!x8>
  %d0 = qbackend.dequantize %q0 : tensor<1x2x!x8> -> tensor<1x2xf32>
  return %d0 : tensor<1x2xf32>
}

// CHECK-LABEL: func.func @asymmetric(
// CHECK-NOT: qconfig #
func.func @asymmetric(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %q = qbackend.quantize %x : tensor<1x2xf32> -> tensor<1x2x!x8>
  %d = qbackend.dequantize %q : tensor<1x2x!x8> -> tensor<1x2xf32>
  %c = arith.constant dense<[[1, -3], [5, -7]]> : tensor<2x2xi8>
  %s = quant.scast %c : tensor<2x2xi8> to tensor<2x2x!quant.uniform<i8:f32, 0.25:3>>
  %w = qbackend.dequantize %s : tensor<2x2x!quant.uniform<i8:f32, 0.25:3>> -> tensor<2x2xf32>
  %0 = qbackend.operator [#qbackend.linear] inputs(%d) weight(%w) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %q0 = qbackend.quantize %0 : tensor<1x2xf32> -> tensor<1x2x!x8>
  %d0 = qbackend.dequantize %q0 : tensor<1x2x!x8> -> tensor<1x2xf32>
  return %d0 : tensor<1x2xf32>
}

// CHECK-LABEL: func.func @too_small(
func.func @too_small(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %q = qbackend.quantize %x : tensor<1x2xf32> -> tensor<1x2x!x8>
  %d = qbackend.dequantize %q : tensor<1x2x!x8> -> tensor<1x2xf32>
  %c = arith.constant dense<[[1, -3], [5, -128]]> : tensor<2x2xi8>
  %s = quant.scast %c : tensor<2x2xi8> to tensor<2x2x!quant.uniform<i8:f32, 0.25>>
  %w = qbackend.dequantize %s : tensor<2x2x!quant.uniform<i8:f32, 0.25>> -> tensor<2x2xf32>
  %0 = qbackend.operator [#qbackend.linear] inputs(%d) weight(%w) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %q0 = qbackend.quantize %0 : tensor<1x2xf32> -> tensor<1x2x!x8>
  %d0 = qbackend.dequantize %q0 : tensor<1x2x!x8> -> tensor<1x2xf32>
  return %d0 : tensor<1x2xf32>
}

// One that the module leaves real is not quantized either.
// CHECK-LABEL: func.func @real(
// CHECK: qbackend.operator [#qbackend.linear] inputs(%{{.*}}) weight(%{{.*}}) decision(#qbackend.float<code = "QB141">)
func.func @real(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %q = qbackend.quantize %x : tensor<1x2xf32> -> tensor<1x2x!x8>
  %d = qbackend.dequantize %q : tensor<1x2x!x8> -> tensor<1x2xf32>
  %w = arith.constant dense<[[0.5, -0.25], [0.75, 1.0]]> : tensor<2x2xf32>
  %0 = qbackend.operator [#qbackend.linear] inputs(%d) weight(%w) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %q0 = qbackend.quantize %0 : tensor<1x2xf32> -> tensor<1x2x!x8>
  %d0 = qbackend.dequantize %q0 : tensor<1x2x!x8> -> tensor<1x2xf32>
  return %d0 : tensor<1x2xf32>
}
