// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack qconfig=minmax" --remarks-filter='qbackend.*' -verify-diagnostics -o %t
// RUN: FileCheck %s < %t

// Sums and products with a number in the middle of a function that is not
// recognised stay float, in one op or several; at its ends they are the
// network's.

// CHECK-LABEL: func.func @main
// CHECK: [#qbackend.mul<scalar = 2.000000e+00>] {{.*}} qconfig
// CHECK: tosa.exp
// CHECK: [#qbackend.add<scalar = 1.000000e+00>] inputs({{.*}}) decision(#qbackend.float<code = "QB118">)
// CHECK: [#qbackend.mul<scalar = 5.000000e-01>] inputs({{.*}}) decision(#qbackend.float<code = "QB118">)
// CHECK: tosa.floor
// CHECK: [#qbackend.add<scalar = 3.000000e+00>] {{.*}} qconfig
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %one = "tosa.const"() <{values = dense<1.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %two = "tosa.const"() <{values = dense<2.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %three = "tosa.const"() <{values = dense<3.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %half = "tosa.const"() <{values = dense<0.5> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %x, %two, %s : (tensor<1x4xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x4xf32>
  // expected-remark @+1 {{QB001}}
  %1 = tosa.exp %0 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  // expected-remark @+1 {{QB118 | Category:qbackend | Function=main | Operator=add, OperatorName=add_0, Reason="it is part of a function that is not recognised"}}
  %2 = tosa.add %1, %one : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
  // expected-remark @+1 {{QB118}}
  %3 = tosa.mul %2, %half, %s : (tensor<1x4xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x4xf32>
  // expected-remark @+1 {{QB001}}
  %4 = tosa.floor %3 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %5 = tosa.add %4, %three : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
  return %5 : tensor<1x4xf32>
}
