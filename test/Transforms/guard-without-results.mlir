// RUN: qbackend-opt %s --qbackend-import-quantization | FileCheck %s
// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s
// RUN: qbackend-opt %s --qbackend-print-operators -o /dev/null
// RUN: qbackend-opt %s --apply-backend=qnnpack samples=1 2>/dev/null | FileCheck %s

// A guard is all that fusion has left of an op: it has no results, and stays. It
// was a segmentation fault.

// CHECK-LABEL: func.func @main(
// CHECK: linalg.generic
// CHECK: cf.assert
// CHECK: return
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f64
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) {
  ^bb0(%a: f32):
    %t = arith.truncf %eps : f64 to f32
    %c = arith.cmpf one, %t, %zero : f32
    cf.assert %c, "zero"
    linalg.yield
  }
  %y = tosa.tanh %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
