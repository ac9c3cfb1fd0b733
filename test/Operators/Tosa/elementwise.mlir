// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @add
// CHECK: qbackend.operator [#qbackend.add] inputs(%arg0, %arg1)
func.func @add(%x: tensor<?x4x8x8xf32>, %y: tensor<?x4x1x1xf32>) -> tensor<?x4x8x8xf32> {
  %0 = tosa.add %x, %y : (tensor<?x4x8x8xf32>, tensor<?x4x1x1xf32>) -> tensor<?x4x8x8xf32>
  return %0 : tensor<?x4x8x8xf32>
}

// CHECK-LABEL: func.func @subtracted_number
// CHECK: qbackend.operator [#qbackend.add<scalar = -2.0{{.*}}>] inputs(%arg0)
func.func @subtracted_number(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %c = "tosa.const"() <{values = dense<2.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %0 = tosa.sub %x, %c : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// torch.add(x, y, alpha=1)
// CHECK-LABEL: func.func @alpha_of_one
// CHECK: qbackend.operator [#qbackend.add] inputs(%arg0, %arg1)
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @alpha_of_one(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %c = "tosa.const"() <{values = dense<1.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %y, %c, %s : (tensor<1x4xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x4xf32>
  %1 = tosa.add %x, %0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// CHECK-LABEL: func.func @mul
// CHECK: qbackend.operator [#qbackend.mul] inputs(%arg0, %arg1)
// CHECK: qbackend.operator [#qbackend.mul<scalar = 3.0{{.*}}>]
func.func @mul(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %c = "tosa.const"() <{values = dense<3.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %x, %y, %s : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1xi8>) -> tensor<1x4xf32>
  %1 = tosa.mul %c, %0, %s : (tensor<1x1xf32>, tensor<1x4xf32>, tensor<1xi8>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// CHECK-LABEL: func.func @cat
// CHECK: qbackend.operator [#qbackend.cat<axis = 1>] inputs(%arg0, %arg1, %arg0)
func.func @cat(%x: tensor<1x4xf32>, %y: tensor<1x2xf32>) -> tensor<1x10xf32> {
  %0 = tosa.concat %x, %y, %x {axis = 1 : i32} : (tensor<1x4xf32>, tensor<1x2xf32>, tensor<1x4xf32>) -> tensor<1x10xf32>
  return %0 : tensor<1x10xf32>
}

// CHECK-LABEL: func.func @difference
// CHECK: qbackend.operator [#qbackend.sub] inputs(%arg0, %arg1)
func.func @difference(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.sub %x, %y : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// CHECK-LABEL: func.func @integers
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @integers(%x: tensor<1x4xi32>, %y: tensor<1x4xi32>) -> tensor<1x4xi32> {
  %0 = tosa.add %x, %y : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
  return %0 : tensor<1x4xi32>
}

// Zeros that are added change nothing, but where they have more rows: what the
// activation reads is the sum then.
// CHECK-LABEL: func.func @zeros
// CHECK-NOT: add
// CHECK: return %arg0
// CHECK-LABEL: func.func @rows_of_zeros
// CHECK: %[[SUM:.*]] = {{.*}}add
// CHECK: return %[[SUM]]
func.func @zeros(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1x4xf32>}> : () -> tensor<1x4xf32>
  %0 = tosa.add %x, %zero : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @rows_of_zeros(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<8x4xf32>}> : () -> tensor<8x4xf32>
  %0 = tosa.add %x, %zero : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A division is a product with a reciprocal.
// CHECK-LABEL: func.func @quotient
// CHECK: qbackend.operator [#qbackend.div] inputs(%arg0, %arg1)
// CHECK-NOT: qbackend.operator
func.func @quotient(%x: tensor<1x4x3xf32>, %y: tensor<1x1x3xf32>) -> tensor<1x4x3xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.reciprocal %y : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  %0 = tosa.mul %x, %r, %s : (tensor<1x4x3xf32>, tensor<1x1x3xf32>, tensor<1xi8>) -> tensor<1x4x3xf32>
  return %0 : tensor<1x4x3xf32>
}

// As it is lowered.
// CHECK-LABEL: func.func @lowered_quotient
// CHECK: qbackend.operator [#qbackend.div] inputs(%arg0, %arg1)
// CHECK-NOT: qbackend.operator
func.func @lowered_quotient(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %one = arith.constant dense<1.0> : tensor<4x3xf32>
  %r = arith.divf %one, %y : tensor<4x3xf32>
  %0 = arith.mulf %r, %x : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// That of a sigmoid is one.
// CHECK-LABEL: func.func @gate
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.sigmoid] inputs(%arg1)
// CHECK: qbackend.operator [#qbackend.mul] inputs(%arg0, %[[S]])
func.func @gate(%x: tensor<1x4x3xf32>, %y: tensor<1x4x3xf32>) -> tensor<1x4x3xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %one = "tosa.const"() <{values = dense<1.0> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %n = tosa.negate %y, %z, %z : (tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3xf32>
  %e = tosa.exp %n : (tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
  %a = tosa.add %e, %one : (tensor<1x4x3xf32>, tensor<1x1x1xf32>) -> tensor<1x4x3xf32>
  %r = tosa.reciprocal %a : (tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
  %0 = tosa.mul %x, %r, %s : (tensor<1x4x3xf32>, tensor<1x4x3xf32>, tensor<1xi8>) -> tensor<1x4x3xf32>
  return %0 : tensor<1x4x3xf32>
}

// What else reads the reciprocal keeps it outside.
// CHECK-LABEL: func.func @reciprocal_read_twice
// CHECK: %[[R:.*]] = tosa.reciprocal %arg1
// CHECK: qbackend.operator [#qbackend.mul] inputs(%arg0, %[[R]])
func.func @reciprocal_read_twice(%x: tensor<1x4x3xf32>, %y: tensor<1x4x3xf32>) -> (tensor<1x4x3xf32>, tensor<1x4x3xf32>) {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.reciprocal %y : (tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
  %0 = tosa.mul %x, %r, %s : (tensor<1x4x3xf32>, tensor<1x4x3xf32>, tensor<1xi8>) -> tensor<1x4x3xf32>
  return %0, %r : tensor<1x4x3xf32>, tensor<1x4x3xf32>
}
