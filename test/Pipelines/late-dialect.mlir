// A dialect that tensor loads: its op was unregistered, and its name was freed
// under it when tensor came ("'complex.cos' op requires one result").
// RUN: qbackend-opt %s --allow-unregistered-dialect | FileCheck %s
// RUN: qbackend-opt --show-dialects | FileCheck %s --check-prefix=LIST
// RUN: qbackend-opt --list-passes | FileCheck %s --check-prefix=PASSES
// LIST: Available Dialects: {{.*}}complex{{.*}}qbackend
// PASSES: --qbackend-fuse

// CHECK: %[[C:.*]] = complex.constant [1.000000e+00 : f32, 2.000000e+00 : f32] : complex<f32>
// CHECK: "elsewhere.op"(%[[C]])
func.func @main() -> tensor<4xf32> {
  %0 = "complex.constant"() {value = [1.0 : f32, 2.0 : f32]} : () -> complex<f32>
  "elsewhere.op"(%0) : (complex<f32>) -> ()
  %1 = tensor.empty() : tensor<4xf32>
  return %1 : tensor<4xf32>
}
