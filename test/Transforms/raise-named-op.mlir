// RUN: qbackend-opt %s --allow-unregistered-dialect --qbackend-raise=backend=@b | FileCheck %s
// RUN: qbackend-opt %s --allow-unregistered-dialect --qbackend-raise | FileCheck %s --check-prefix=PLAIN

// An op that a pattern names is an operator; what is weight and bias is said by
// the pattern. Without the backend it is not touched.
qbackend.backend_config @b version 2 {
  qbackend.pattern_config ["vendor.swish"] <dtypes = []>
  qbackend.pattern_config ["vendor.fc"] <dtypes = [], input_type_to_index = {weight = 1, bias = 2}>
}

// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[X:.*]]: tensor<1x4xf32>, %[[W:.*]]: tensor<4x4xf32>)
// CHECK: %[[B:.*]] = arith.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[F:.*]] = qbackend.operator [#qbackend.op<"vendor.fc">] inputs(%[[X]]) weight(%[[W]]) bias(%[[B]])
// CHECK: "vendor.fc"(%{{.*}}, %{{.*}}, %{{.*}}) {alpha = 2 : i64}
// CHECK: qbackend.operator [#qbackend.op<"vendor.swish">] inputs(%[[F]])
// CHECK: "vendor.swish"
// CHECK: "vendor.other"
// PLAIN-NOT: qbackend.operator
func.func @f(%x: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %b = arith.constant dense<1.0> : tensor<4xf32>
  %y = "vendor.fc"(%x, %w, %b) {alpha = 2 : i64} : (tensor<1x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
  %z = "vendor.swish"(%y) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %o = "vendor.other"(%z) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %o : tensor<1x4xf32>
}
