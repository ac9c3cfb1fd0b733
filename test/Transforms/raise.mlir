// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s
// RUN: qbackend-opt %s --qbackend-raise > %t.once
// RUN: qbackend-opt %s --qbackend-raise --qbackend-raise | diff %t.once -
// RUN: qbackend-opt %t.once --qbackend-raise | diff %t.once -

// The body is the code as it came, on the operands of the operator: an image
// is NHWC outside, and NCHW for the code.
// CHECK-LABEL: func.func @body
// CHECK-SAME: (%[[X:.*]]: tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32>
// CHECK: %[[IN:.*]] = qbackend.transpose %[[X]] [0, 2, 3, 1] : tensor<1x1x4x4xf32> -> tensor<1x4x4x1xf32>
// CHECK: %[[Y:.*]] = qbackend.operator [#qbackend.max_pool2d<kernel = [2, 2], stride = [2, 2], padding = [0, 0, 0, 0], dilation = [1, 1]>] inputs(%[[IN]]) : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<1x4x4x1xf32>):
// CHECK: %[[ORIGINAL:.*]] = qbackend.transpose %[[A]] [0, 3, 1, 2]
// CHECK: %[[POOLED:.*]] = linalg.pooling_nchw_max {{.*}} ins(%[[ORIGINAL]],
// CHECK: %[[RESULT:.*]] = qbackend.transpose %[[POOLED]] [0, 2, 3, 1]
// CHECK: qbackend.yield %[[RESULT]]
// CHECK: %[[OUT:.*]] = qbackend.transpose %[[Y]] [0, 3, 1, 2]
// CHECK-NOT: linalg
// CHECK: return %[[OUT]]
func.func @body(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x1x2x2xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %k = tensor.empty() : tensor<2x2xf32>
  %p = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %k : tensor<1x1x4x4xf32>, tensor<2x2xf32>) outs(%f : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %p : tensor<1x1x2x2xf32>
}

// A relu whose input has another user is an operator all the same: the input is
// an operand, not a part of it.
// CHECK-LABEL: func.func @input_with_two_users
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.sigmoid]
// CHECK: qbackend.operator [#qbackend.relu] inputs(%[[S]])
// CHECK: qbackend.operator [#qbackend.add] inputs(%[[S]], %{{.*}})
func.func @input_with_two_users(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %s = tosa.sigmoid %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %r = tosa.clamp %s {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %a = tosa.add %s, %r : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %a : tensor<1x4xf32>
}

// The matmul and its bias would be one linear, but the matmul alone is used as
// well: the addition is an operator of its own, and the value computed once.
// CHECK-LABEL: func.func @inner_value_is_used
// CHECK: %[[L:.*]] = qbackend.operator [#qbackend.linear] inputs(%{{.*}}) weight(%{{[^)]*}}) :
// CHECK: tosa.matmul
// CHECK: qbackend.operator [#qbackend.add] inputs(%[[L]], %{{.*}})
// CHECK-NOT: tosa.matmul
// CHECK: return
func.func @inner_value_is_used(%x: tensor<1x1x4xf32>) -> (tensor<1x1x2xf32>, tensor<1x1x2xf32>) {
  %w = "tosa.const"() <{values = dense<0.5> : tensor<1x4x2xf32>}> : () -> tensor<1x4x2xf32>
  %b = "tosa.const"() <{values = dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>}> : () -> tensor<1x1x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %x, %w, %z, %z : (tensor<1x1x4xf32>, tensor<1x4x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2xf32>
  %y = tosa.add %m, %b : (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  return %m, %y : tensor<1x1x2xf32>, tensor<1x1x2xf32>
}

// What no recogniser knows stays, between operators.
// CHECK-LABEL: func.func @unknown_code_stays
// CHECK: %[[T:.*]] = qbackend.operator [#qbackend.tanh]
// CHECK: %[[C:.*]] = tosa.floor %[[T]]
// CHECK: qbackend.operator [#qbackend.tanh] inputs(%[[C]])
func.func @unknown_code_stays(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %t = tosa.tanh %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %c = tosa.floor %t : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %u = tosa.tanh %c : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %u : tensor<1x4xf32>
}

// Integers, f16 and f64 are not PyTorch's float network.
// CHECK-LABEL: func.func @not_f32
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @not_f32(%x: tensor<1x4xf16>, %y: tensor<1x4xi32>) -> (tensor<1x4xf16>, tensor<1x4xi32>) {
  %t = tosa.tanh %x : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %s = tosa.add %y, %y : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
  return %t, %s : tensor<1x4xf16>, tensor<1x4xi32>
}

// In the blocks of control flow, too.
// CHECK-LABEL: func.func @branches
// CHECK: scf.if
// CHECK: qbackend.operator [#qbackend.tanh]
// CHECK: else
// CHECK: qbackend.operator [#qbackend.sigmoid]
func.func @branches(%c: i1, %x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %r = scf.if %c -> tensor<1x4xf32> {
    %t = tosa.tanh %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
    scf.yield %t : tensor<1x4xf32>
  } else {
    %s = tosa.sigmoid %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
    scf.yield %s : tensor<1x4xf32>
  }
  return %r : tensor<1x4xf32>
}

// What only depends on constants has no activation, and isn't an operator.
// CHECK-LABEL: func.func @constants
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @constants() -> tensor<1x4xf32> {
  %k = "tosa.const"() <{values = dense<0.5> : tensor<1x4xf32>}> : () -> tensor<1x4xf32>
  %t = tosa.tanh %k : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %t : tensor<1x4xf32>
}

// Dead code is gone.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: return
func.func @dead(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %t = tosa.tanh %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %x : tensor<1x4xf32>
}

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(tensor<1x4xf32>) -> tensor<1x4xf32>
