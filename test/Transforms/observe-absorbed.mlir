// RUN: qbackend-opt %s -split-input-file --qbackend-prepare-pipeline="backend=qnnpack qconfig=default sharing=fx" --remarks-filter='qbackend.*' -o %t 2> %t.remarks
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=QB128 < %t.remarks

// FX goes by a network's calls, each of which has a name, and not by what they compute.

// CHECK-LABEL: func.func @silu
func.func @silu(%x: tensor<1x2x4xf32> loc("x")) -> tensor<1x2x4xf32> {
  %0 = tosa.tanh %x : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("tanh")
  %1 = tosa.sigmoid %0 : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("sigmoid")
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  // REMARK: loc({{.*}}): [Analysis] QB128 | Category:qbackend | Function=silu | Operator=silu, OperatorName=mul, Reason="it is also what the network calls 'sigmoid', which FX observes for itself", Suggestion="leave sharing=fx out, or call one function that does the same"
  %2 = tosa.mul %0, %1, %shift : (tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1xi8>) -> tensor<1x2x4xf32> loc("mul")
  return %2 : tensor<1x2x4xf32>
}

// -----

// One call.

// CHECK-LABEL: func.func @one_call
func.func @one_call(%x: tensor<1x2x4xf32> loc("x")) -> tensor<1x2x4xf32> {
  %0 = tosa.tanh %x : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("tanh")
  %1 = tosa.sigmoid %0 : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("silu")
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %2 = tosa.mul %0, %1, %shift : (tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1xi8>) -> tensor<1x2x4xf32> loc("silu")
  return %2 : tensor<1x2x4xf32>
}

// -----

// Something is between a layer and its relu.

// CHECK-LABEL: func.func @between
// CHECK: qbackend.operator [#qbackend.linear, #qbackend.relu]
func.func @between(%x: tensor<2x3xf32> loc("x")) -> tensor<4x2xf32> {
  %w = arith.constant dense<0.5> : tensor<3x4xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x4xf32>) outs(%fill : tensor<2x4xf32>) -> tensor<2x4xf32> loc("linear")
  %1 = tosa.transpose %0 {perms = array<i32: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32> loc("permute")
  // REMARK: loc({{.*}}): [Analysis] QB128 | Category:qbackend | Function=between | Operator=linear+relu, OperatorName=linear, Reason="it is also what the network calls 'permute', which FX observes for itself"
  %2 = tosa.clamp %1 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("relu")
  return %2 : tensor<4x2xf32>
}

// -----

// Together they do nothing; each of them has a value.

// CHECK-LABEL: func.func @there_and_back
// CHECK: qbackend.operator [#qbackend.add]
// CHECK: qbackend.operator [#qbackend.mul<scalar = 5.000000e-01>]
func.func @there_and_back(%x: tensor<1x2x4xf32> loc("x")) -> tensor<1x2x4xf32> {
  %half = "tosa.const"() {values = dense<0.5> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.add %x, %x : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("add")
  %1 = tosa.mul %0, %half, %shift : (tensor<1x2x4xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x2x4xf32> loc("mul")
  return %1 : tensor<1x2x4xf32>
}

// -----

// The last one alone does nothing, either.

// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: return %arg0
func.func @nothing(%x: tensor<1x2x4xf32> loc("x")) -> tensor<1x2x4xf32> {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
  %0 = tosa.identity %x : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("identity")
  %1 = tosa.add %0, %zero : (tensor<1x2x4xf32>, tensor<1x1x1xf32>) -> tensor<1x2x4xf32> loc("add")
  return %1 : tensor<1x2x4xf32>
}

// -----

// What moves a value is no operator here, and quantized there.

// CHECK-LABEL: func.func @moved
func.func @moved(%x: tensor<1x2x4xf32> loc("x")) -> (tensor<1x4x2xf32>, tensor<1x2x4xf32>) {
  %0 = tosa.transpose %x {perms = array<i32: 0, 2, 1>} : (tensor<1x2x4xf32>) -> tensor<1x4x2xf32> loc("permute")
  // REMARK: loc({{.*}}): [Analysis] QB128 | Category:qbackend | Function=moved | Operator=tosa.exp, OperatorName=exp, Reason="it reads 'x' in float, which the network moves; FX quantizes what is moved", Suggestion="leave sharing=fx out"
  %1 = tosa.exp %0 : (tensor<1x4x2xf32>) -> tensor<1x4x2xf32> loc("exp")
  %2 = tosa.add %x, %x : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("add")
  return %1, %2 : tensor<1x4x2xf32>, tensor<1x2x4xf32>
}

// -----

// The input of a sigmoid has its fixed parameters, unless something gives it others.

// CHECK-LABEL: func.func @fixed
// CHECK: %[[A:.*]] = qbackend.observe %{{.*}} by @x :
// CHECK: qbackend.operator [#qbackend.sigmoid] inputs(%[[A]])
// CHECK: %[[B:.*]] = qbackend.observe %{{.*}} by @add :
// CHECK: qbackend.operator [#qbackend.sigmoid] inputs(%[[B]])
func.func @fixed(%x: tensor<1x2x4xf32> loc("x"), %y: tensor<1x2x4xf32> loc("y")) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %0 = tosa.sigmoid %x : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("sigmoid")
  %1 = tosa.add %y, %y : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("add")
  %2 = tosa.sigmoid %1 : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32> loc("sigmoid_1")
  return %0, %2 : tensor<1x2x4xf32>, tensor<1x2x4xf32>
}
