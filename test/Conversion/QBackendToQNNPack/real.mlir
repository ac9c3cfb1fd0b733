// RUN: qbackend-opt %s --convert-qbackend-to-qnnpack --remarks-filter='qbackend.*' 2>&1 | FileCheck %s

// Kernels with real activations. What has none stays, and says so.

#dynamic = #qbackend.qconfig<activation = <placeholder, ui8, is_dynamic = true>, weight = <min_max, si8>>
#dynamic_signed = #qbackend.qconfig<activation = <placeholder, si8, is_dynamic = true>, weight = <min_max, si8>>
#byte = #qbackend.qconfig<activation = <placeholder, f32>, weight = <per_channel_min_max, ui8, per_channel_affine_float_qparams>>
#nibble = #qbackend.qconfig<activation = <placeholder, f32>, weight = <per_channel_min_max, ui4, per_channel_affine_float_qparams>>
#f16 = #qbackend.qconfig<activation = <placeholder, f16>, weight = <placeholder, f16>>
!w = tensor<3x2x!quant.uniform<i8:f32, 0.25>>
#rows = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// CHECK-DAG: QB108 {{.*}}Operator=linear,{{.*}}the kernel quantizes its input to ui8
// CHECK-DAG: QB108 {{.*}}Operator=embedding,{{.*}}two columns of a 4-bit table share a byte, and it has 3
// CHECK-DAG: QB108 {{.*}}Operator=relu,{{.*}}no kernel computes with 16-bit floats

// CHECK-LABEL: func.func @linear(
// CHECK: %[[B:.*]] = arith.constant dense<2.0
// CHECK: qnnpack.linear_dynamic %arg0, %arg1, %[[B]] {relu} : tensor<1x2xf32>, tensor<3x2x!quant.uniform<i8:f32, 2.500000e-01>>, tensor<3xf32> -> tensor<1x3xf32>
func.func @linear(%x: tensor<1x2xf32>, %q: !w) -> tensor<1x3xf32> {
  %w = qbackend.dequantize %q : !w -> tensor<3x2xf32>
  %b = arith.constant dense<2.0> : tensor<3xf32>
  %y = qbackend.operator [#qbackend.linear, #qbackend.relu] inputs(%x) weight(%w) bias(%b) qconfig #dynamic : (tensor<1x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<1x3xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<3x2xf32>, %c: tensor<3xf32>):
    %e = tensor.empty() : tensor<1x3xf32>
    qbackend.yield %e : tensor<1x3xf32>
  }
  return %y : tensor<1x3xf32>
}

// CHECK-LABEL: func.func @linear_signed(
// CHECK: qbackend.operator [#qbackend.linear]
func.func @linear_signed(%x: tensor<1x2xf32>, %q: !w) -> tensor<1x3xf32> {
  %w = qbackend.dequantize %q : !w -> tensor<3x2xf32>
  %y = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) qconfig #dynamic_signed : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<1x3xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<3x2xf32>):
    %e = tensor.empty() : tensor<1x3xf32>
    qbackend.yield %e : tensor<1x3xf32>
  }
  return %y : tensor<1x3xf32>
}

// CHECK-LABEL: func.func @byte(
// CHECK: linalg.generic
// CHECK-DAG: %[[T:.*]] = arith.constant dense<{{\[\[}}1, 2], [-1, 4]]> : tensor<2x2xi8>
// CHECK-DAG: %[[S:.*]] = arith.constant dense<5.000000e-01> : tensor<2xf32>
// CHECK-DAG: %[[Z:.*]] = arith.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK: qnnpack.embedding_byte %arg0, %[[T]], %[[S]], %[[Z]] : tensor<5xi64>,
func.func @byte(%i: tensor<5xi64>) -> tensor<5x2xf32> {
  %t = arith.constant dense<[[1, 2], [-1, 4]]> : tensor<2x2xi8>
  %s = arith.constant dense<0.5> : tensor<2xf32>
  %z = arith.constant dense<3.0> : tensor<2xf32>
  %n = tensor.empty() : tensor<2x2xf32>
  %w = linalg.generic {indexing_maps = [#all, #rows, #rows, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %s, %z : tensor<2x2xi8>, tensor<2xf32>, tensor<2xf32>) outs(%n : tensor<2x2xf32>) {
  ^bb0(%q: i8, %scale: f32, %zero: f32, %o: f32):
    linalg.yield %scale : f32
  } -> tensor<2x2xf32>
  %y = qbackend.operator [#qbackend.embedding] inputs(%i) weight(%w) qconfig #byte : (tensor<5xi64>, tensor<2x2xf32>) -> tensor<5x2xf32> {
  ^bb0(%a: tensor<5xi64>, %v: tensor<2x2xf32>):
    %e = tensor.empty() : tensor<5x2xf32>
    qbackend.yield %e : tensor<5x2xf32>
  }
  return %y : tensor<5x2xf32>
}

// 1 + 2 * 16 and 15 + 4 * 16.
// CHECK-LABEL: func.func @nibble(
// CHECK: linalg.generic
// CHECK: %[[T:.*]] = arith.constant dense<{{\[\[}}33], [79]]> : tensor<2x1xi8>
// CHECK: qnnpack.embedding_4bit %arg0, %[[T]],
func.func @nibble(%i: tensor<5xi64>) -> tensor<5x2xf32> {
  %t = arith.constant dense<[[1, 2], [15, 4]]> : tensor<2x2xi8>
  %s = arith.constant dense<0.5> : tensor<2xf32>
  %n = tensor.empty() : tensor<2x2xf32>
  %w = linalg.generic {indexing_maps = [#all, #rows, #rows, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %s, %s : tensor<2x2xi8>, tensor<2xf32>, tensor<2xf32>) outs(%n : tensor<2x2xf32>) {
  ^bb0(%q: i8, %scale: f32, %zero: f32, %o: f32):
    linalg.yield %scale : f32
  } -> tensor<2x2xf32>
  %y = qbackend.operator [#qbackend.embedding] inputs(%i) weight(%w) qconfig #nibble : (tensor<5xi64>, tensor<2x2xf32>) -> tensor<5x2xf32> {
  ^bb0(%a: tensor<5xi64>, %v: tensor<2x2xf32>):
    %e = tensor.empty() : tensor<5x2xf32>
    qbackend.yield %e : tensor<5x2xf32>
  }
  return %y : tensor<5x2xf32>
}

// CHECK-LABEL: func.func @odd(
// CHECK: qbackend.operator [#qbackend.embedding]
func.func @odd(%i: tensor<5xi64>) -> tensor<5x3xf32> {
  %t = arith.constant dense<1> : tensor<2x3xi8>
  %s = arith.constant dense<0.5> : tensor<2xf32>
  %n = tensor.empty() : tensor<2x3xf32>
  %w = linalg.generic {indexing_maps = [#all, #rows, #rows, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %s, %s : tensor<2x3xi8>, tensor<2xf32>, tensor<2xf32>) outs(%n : tensor<2x3xf32>) {
  ^bb0(%q: i8, %scale: f32, %zero: f32, %o: f32):
    linalg.yield %scale : f32
  } -> tensor<2x3xf32>
  %y = qbackend.operator [#qbackend.embedding] inputs(%i) weight(%w) qconfig #nibble : (tensor<5xi64>, tensor<2x3xf32>) -> tensor<5x3xf32> {
  ^bb0(%a: tensor<5xi64>, %v: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<5x3xf32>
    qbackend.yield %e : tensor<5x3xf32>
  }
  return %y : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @half(
// CHECK: qbackend.operator [#qbackend.relu]
func.func @half(%x: tensor<4xf32>) -> tensor<4xf32> {
  %o = qbackend.operator [#qbackend.relu] inputs(%x) qconfig #f16 : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return %o : tensor<4xf32>
}
