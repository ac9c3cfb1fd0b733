// RUN: qbackend-opt %s --qbackend-print-observers=qconfig=@m | FileCheck %s --match-full-lines --strict-whitespace
// RUN: qbackend-opt %s --qbackend-raise --qbackend-observe=qconfig=@m --qbackend-print-observers | FileCheck %s --match-full-lines --strict-whitespace
// RUN: qbackend-opt %s --qbackend-print-observers=qconfig=@m > %t.1
// RUN: qbackend-opt %s --qbackend-print-observers=qconfig=@m | diff - %t.1
// RUN: qbackend-opt %s --qbackend-print-observers=qconfig=@m -o %t.mlir
// RUN: FileCheck %s --check-prefix=MODULE < %t.mlir
// RUN: qbackend-opt %s "--qbackend-print-observers=qconfig=@m format=dot" | FileCheck %s --check-prefix=DOT
// RUN: not qbackend-opt %s --qbackend-print-observers=backend=none 2>&1 | FileCheck %s --check-prefix=ERROR

// The module that is printed is the one that was read.
// MODULE-NOT: qbackend.observe
// ERROR: error: no backend 'none'

qbackend.qconfig_mapping @m {
  qbackend.qconfig global <activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  qbackend.qconfig object_type "sigmoid" <activation = <fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>, weight = <min_max, si8, per_tensor_symmetric>>
  qbackend.qconfig module_name "low" <activation = <placeholder, ui8, is_dynamic = true>, weight = <min_max, si8, per_tensor_symmetric>>
  qbackend.qconfig module_name "real" none
  qbackend.qconfig module_name "signed" <activation = <min_max, si8, eps = 2.44140625E-4>,
    weight = <min_max, si8, per_tensor_symmetric, quant_min = -127, quant_max = 127, eps = 2.44140625E-4>>
}

//      CHECK:0: fc = linear(x); weight min_max si8 [-128, 127] per_tensor_symmetric eps 1.1920929e-07
// CHECK-NEXT:1: act = clamp(fc)
// CHECK-NEXT:2: gate = sigmoid(act)
// CHECK-NEXT:3: real = hardswish(act); float
// CHECK-NEXT:4: signed = hardswish(act)
// CHECK-NEXT:5: low = linear(real); activations placeholder ui8 dynamic [0, 255] per_tensor_affine eps 1.1920929e-07; weight min_max si8 [-128, 127] per_tensor_symmetric eps 1.1920929e-07
// CHECK-NEXT:@x: histogram ui8 [0, 255] per_tensor_affine eps 1.1920929e-07
// CHECK-NEXT:  x -> 0
// CHECK-NEXT:@fc: histogram ui8 [0, 255] per_tensor_affine eps 1.1920929e-07
// CHECK-NEXT:  fc -> 1
// CHECK-NEXT:  act -> 2, 3, tosa.abs
// CHECK-NEXT:@gate: fixed_qparams ui8 [0, 255] per_tensor_affine scale 0.00390625 zero_point 0
// CHECK-NEXT:  gate -> result 0
// CHECK-NEXT:@act: min_max si8 [-128, 127] per_tensor_affine eps 0.000244140625
// CHECK-NEXT:  act after @fc -> 4
// CHECK-NEXT:@signed: min_max si8 [-128, 127] per_tensor_affine eps 0.000244140625
// CHECK-NEXT:  signed -> result 1
//  CHECK-NOT:{{.}}

//      DOT: digraph observers {
//      DOT: op3 [label="3: hardswish", style=dashed];
//      DOT: subgraph cluster1 {
// DOT-NEXT:   label="@fc: histogram ui8 [0, 255] per_tensor_affine eps 1.1920929e-07";
// DOT-NEXT:   "fc by @fc" [shape=ellipse, label="fc"];
// DOT-NEXT:   "act by @fc" [shape=ellipse, label="act"];
// DOT-NEXT: }
//      DOT: "tosa.abs" [shape=plaintext];
//      DOT: "x by @x" -> op0;
// DOT-NEXT: op0 -> "fc by @fc";
//      DOT: "act by @fc" -> "act by @act";
// DOT-NEXT: "act by @act" -> op4;
func.func @main(%x: tensor<1x4xf32> loc("x")) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %w = arith.constant dense<0.5> : tensor<4x4xf32>
  %0 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>, %b: tensor<4x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  } loc("fc")
  %1 = qbackend.operator [#qbackend.clamp<min = 0.0, max = 4.0>] inputs(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  } loc("act")
  %2 = qbackend.operator [#qbackend.sigmoid] inputs(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  } loc("gate")
  %3 = qbackend.operator [#qbackend.hardswish] inputs(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  } loc("real")
  %4 = qbackend.operator [#qbackend.hardswish] inputs(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  } loc("signed")
  %5 = qbackend.operator [#qbackend.linear] inputs(%3) weight(%w) : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>, %b: tensor<4x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  } loc("low")
  %6 = tosa.abs %1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %2, %4, %5, %6 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}
