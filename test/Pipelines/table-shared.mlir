// A table written by hand has the range of each tensor: those that share an observer
// have the range of all, also where one is called as the observer is.
// RUN: rm -rf %t && mkdir %t
// RUN: echo '{"version": 2, "entries": [{"name": "x", "min": -1.0, "max": 1.0}, {"name": "a", "min": 0.0, "max": 1.0}, {"name": "b", "min": 0.0, "max": 2.55}, {"name": "cat", "min": 0.0, "max": 2.0}]}' > %t/ranges.json
// RUN: echo '{"version": 2, "entries": [{"name": "x", "min": -1.0, "max": 1.0}, {"name": "a", "min": 0.0, "max": 5.1}]}' > %t/observers.json
// RUN: qbackend-opt --apply-backend=qnnpack calibration=%t/ranges.json %s 2>/dev/null | FileCheck %s
// RUN: qbackend-opt --apply-backend=qnnpack calibration=%t/observers.json %s 2>/dev/null | FileCheck %s --check-prefix=OBSERVERS
// RUN: qbackend-opt --qbackend-print-observers=backend=qnnpack %s | FileCheck %s --check-prefix=NAMES

// NAMES: @a: {{.*}}
// NAMES-NOT: @{{b|cat}}:

// CHECK: qnnpack.cat {{.*}}!quant.uniform<u8:f32, 0.0099999997{{[0-9]*}}>> -> {{.*}}!quant.uniform<u8:f32, 0.0099999997{{[0-9]*}}>>
// What names observers only is of those.
// OBSERVERS: qnnpack.cat {{.*}}!quant.uniform<u8:f32, 0.0199999995{{[0-9]*}}>> -> {{.*}}!quant.uniform<u8:f32, 0.0199999995{{[0-9]*}}>>
func.func @main(%x: tensor<1x4xf32> loc("x")) -> tensor<1x4xf32> {
  %w = arith.constant dense<[[1.0, -2.0], [3.0, 4.0], [0.5, 0.25], [-1.0, 2.0]]> : tensor<4x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %a = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32> loc("a")
  %b = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32> loc("b")
  %c = tensor.concat dim(1) %a, %b : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32> loc("cat")
  return %c : tensor<1x4xf32>
}
