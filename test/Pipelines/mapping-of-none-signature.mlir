// RUN: qbackend-opt %s --apply-backend=qnnpack qconfig=@none samples=1 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: qbackend-opt %s --apply-backend=qnnpack qconfig=@none samples=1 lower-to=linalg 2>/dev/null | FileCheck %s --check-prefix=STRIPPED

// Where nothing is quantized, neither are arguments and results: the float code
// that comes back doesn't say so any more. What the engine's caller may ask for
// is kept.

// CHECK: func.func @main(%arg0: tensor<2x6xf32> {qbackend.range = {{[^}]*}}}) -> tensor<2x6xf32> {
// STRIPPED: func.func @main(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
// REMARK: QB115{{.*}}argument 0 of @main
// REMARK: QB115{{.*}}result 0 of @main
qbackend.qconfig_mapping @none {
  qbackend.qconfig global none
}
func.func @main(%x: tensor<2x6xf32> {qbackend.quantized, qbackend.range = array<f64: -1.0, 1.0>}) -> (tensor<2x6xf32> {qbackend.quantized}) {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
