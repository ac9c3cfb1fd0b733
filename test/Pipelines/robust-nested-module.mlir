// RUN: qbackend-opt %s --allow-unregistered-dialect --apply-backend=qnnpack \
// RUN:   lower-to=reference 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// Code that can't refer to the module's observers stays as it is.

// REMARK: QB002{{.*}}Operator=builtin.module
// REMARK: QB002{{.*}}Operator=foo.region
// REMARK: QB000: quantized 0 of 0 operators

// CHECK-LABEL: module @inner
module @inner {
  // CHECK: tosa.clamp
  func.func @f(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
    %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    return %0 : tensor<1x4xf32>
  }
}

// CHECK-LABEL: func.func @g
// CHECK: tosa.clamp
// CHECK: foo.yield
func.func @g(%x: tensor<1x4xf32>) {
  "foo.region"() ({
    %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    "foo.yield"(%0) : (tensor<1x4xf32>) -> ()
  }) : () -> ()
  return
}
