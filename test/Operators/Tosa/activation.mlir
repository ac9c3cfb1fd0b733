// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @relu(
// CHECK: qbackend.operator [#qbackend.relu] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @relu(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @relu_to_infinity(
// CHECK: qbackend.operator [#qbackend.relu] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @relu_to_infinity(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 0x7F800000 : f32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @relu_as_maximum(
// CHECK: qbackend.operator [#qbackend.relu] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @relu_as_maximum(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1x4x8x8xf32>}> : () -> tensor<1x4x8x8xf32>
  %0 = tosa.maximum %z, %x : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @relu6(
// CHECK: qbackend.operator [#qbackend.relu6] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @relu6(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @hardtanh(
// CHECK: qbackend.operator [#qbackend.hardtanh<min = -1.0{{.*}}, max = 1.0{{.*}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @hardtanh(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %l = "tosa.const"() <{values = dense<-1.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %h = "tosa.const"() <{values = dense<1.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %0 = tosa.maximum %x, %l : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = tosa.minimum %0, %h : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @clamp(
// CHECK: qbackend.operator [#qbackend.clamp<min = -2.0{{.*}}, max = 3.0{{.*}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @clamp(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = tosa.clamp %x {min_val = -2.0 : f32, max_val = 3.0 : f32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// A clamp to all numbers is none.
// CHECK-LABEL: func.func @unbounded(
// CHECK-NOT: qbackend.operator
// CHECK: tosa.clamp
func.func @unbounded(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = tosa.clamp %x {min_val = -3.40282347E+38 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// The inner bound is needed elsewhere, so it stays an operator.
// CHECK-LABEL: func.func @relu_then_minimum(
// CHECK: [#qbackend.relu]
// CHECK: [#qbackend.clamp<
func.func @relu_then_minimum(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %h = "tosa.const"() <{values = dense<6.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %1 = tosa.minimum %0, %h : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = tosa.add %0, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @sigmoid(
// CHECK: qbackend.operator [#qbackend.sigmoid] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @sigmoid(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = tosa.sigmoid %x : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @tanh(
// CHECK: qbackend.operator [#qbackend.tanh] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @tanh(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = tosa.tanh %x : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @hardsigmoid(
// CHECK: qbackend.operator [#qbackend.hardsigmoid] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @hardsigmoid(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %three = "tosa.const"() <{values = dense<3.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %sixth = "tosa.const"() <{values = dense<0.166666672> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.add %x, %three : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %2 = tosa.mul %1, %sixth, %s : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @hardsigmoid_scaled_first(
// CHECK: qbackend.operator [#qbackend.hardsigmoid] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @hardsigmoid_scaled_first(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %three = "tosa.const"() <{values = dense<3.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %sixth = "tosa.const"() <{values = dense<0.166666672> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.add %x, %three : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = tosa.mul %0, %sixth, %s : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x4x8x8xf32>
  %2 = tosa.clamp %1 {min_val = 0.0 : f32, max_val = 1.0 : f32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @hardswish(
// CHECK: qbackend.operator [#qbackend.hardswish] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @hardswish(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %three = "tosa.const"() <{values = dense<3.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %sixth = "tosa.const"() <{values = dense<0.166666672> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.add %x, %three : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %2 = tosa.mul %1, %sixth, %s : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x4x8x8xf32>
  %4 = tosa.mul %2, %x, %s : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1xi8>) -> tensor<1x4x8x8xf32>
  return %4 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @hardswish_scaled_last(
// CHECK: qbackend.operator [#qbackend.hardswish] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @hardswish_scaled_last(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %three = "tosa.const"() <{values = dense<3.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %sixth = "tosa.const"() <{values = dense<0.166666672> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.add %x, %three : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %2 = tosa.mul %x, %1, %s : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1xi8>) -> tensor<1x4x8x8xf32>
  %4 = tosa.mul %2, %sixth, %s : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x4x8x8xf32>
  return %4 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @softmax(
// CHECK: qbackend.operator [#qbackend.softmax<axis = 3>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @softmax(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.reduce_max %x {axis = 3 : i32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x1xf32>
  %1 = tosa.sub %x, %0 : (tensor<1x4x8x8xf32>, tensor<1x4x8x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = tosa.exp %1 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %3 = tosa.reduce_sum %2 {axis = 3 : i32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x1xf32>
  %4 = tosa.reciprocal %3 : (tensor<1x4x8x1xf32>) -> tensor<1x4x8x1xf32>
  %5 = tosa.mul %2, %4, %s : (tensor<1x4x8x8xf32>, tensor<1x4x8x1xf32>, tensor<1xi8>) -> tensor<1x4x8x8xf32>
  return %5 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @leaky_relu(
// CHECK: qbackend.operator [#qbackend.leaky_relu<negative_slope = {{1.0*e-01|0.1}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @leaky_relu(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %a = "tosa.const"() <{values = dense<0.1> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %c = tosa.greater_equal %x, %z : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x8x8xi1>
  %0 = tosa.mul %x, %a, %s : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x4x8x8xf32>
  %1 = tosa.select %c, %x, %0 : (tensor<1x4x8x8xi1>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @leaky_relu_as_maximum(
// CHECK: qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.5|5.0.*E-1|5.0.*e-01}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @leaky_relu_as_maximum(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %a = "tosa.const"() <{values = dense<0.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %x, %a, %s : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x4x8x8xf32>
  %1 = tosa.maximum %0, %x : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

// Above 1 the slope counts on the other side.
// CHECK-LABEL: func.func @steep_maximum(
// CHECK-NOT: leaky_relu
// CHECK: return
func.func @steep_maximum(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %a = "tosa.const"() <{values = dense<2.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %x, %a, %s : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x4x8x8xf32>
  %1 = tosa.maximum %0, %x : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @elu(
// CHECK: qbackend.operator [#qbackend.elu<alpha = 1.0{{.*}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @elu(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %a = "tosa.const"() <{values = dense<1.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %c = tosa.greater_equal %x, %z : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x8x8xi1>
  %0 = tosa.exp %x : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %1 = tosa.sub %0, %a : (tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = tosa.select %c, %x, %1 : (tensor<1x4x8x8xi1>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @integers(
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @integers(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = tosa.clamp %x {min_val = 0 : i8, max_val = 127 : i8} : (tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func.func @erf(
// CHECK-NOT: qbackend.operator
// CHECK: tosa.erf
func.func @erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.erf %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
