// A value that two types are made of has two observers. A table's statistics of
// it are for both, and parameters are for each by its name.
// RUN: rm -rf %t && mkdir %t
// RUN: echo '{"version": 2, "entries": [{"name": "x", "min": -1.0, "max": 1.0}, {"name": "a", "min": -1.0, "max": 1.0}, {"name": "b", "min": -1.0, "max": 1.0}]}' > %t/ranges.json
// RUN: echo '{"version": 2, "entries": [{"name": "x", "scale": 0.5, "zero_point": 140}, {"name": "x_0", "scale": 0.25, "zero_point": 5}, {"name": "a", "scale": 0.125, "zero_point": 129}, {"name": "b", "scale": 0.0625, "zero_point": 3}]}' > %t/both.json
// RUN: qbackend-opt --apply-backend=qnnpack qconfig=@mixed calibration=%t/ranges.json %s 2>/dev/null | FileCheck %s --check-prefix=RANGES
// RUN: qbackend-opt --apply-backend=qnnpack qconfig=@mixed calibration=%t/both.json %s 2>/dev/null | FileCheck %s
// RUN: qbackend-opt --qbackend-print-observers="backend=qnnpack qconfig=@mixed" %s | FileCheck %s --check-prefix=NAMES

// NAMES-DAG: @x: min_max ui8
// NAMES-DAG: @x_0: min_max si8

// RANGES-LABEL: func.func @main
// RANGES-DAG: qnnpack.quantize %arg0 {{.*}}!quant.uniform<u8:f32, 0.0078431377187371254:127>
// RANGES-DAG: qnnpack.quantize %arg0 {{.*}}!quant.uniform<i8:f32, 0.0078431377187371254:-1>

// CHECK-LABEL: func.func @main
// CHECK-DAG: qnnpack.quantize %arg0 {{.*}}!quant.uniform<u8:f32, 5.000000e-01:140>
// CHECK-DAG: qnnpack.quantize %arg0 {{.*}}!quant.uniform<i8:f32, 2.500000e-01:5>
func.func @main(%x: tensor<1x4xf32> loc("x")) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %w = arith.constant dense<[[1.0, -2.0], [3.0, 4.0], [0.5, 0.25], [-1.0, 2.0]]> : tensor<4x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32> loc("a")
  %z = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32> loc("b")
  return %y, %z : tensor<1x2xf32>, tensor<1x2xf32>
}

qbackend.qconfig_mapping @mixed {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  qbackend.qconfig module_name "b" <activation = <min_max, si8, eps = 2.44140625E-4>, weight = <min_max, si8, per_tensor_symmetric, quant_min = -127, quant_max = 127, eps = 2.44140625E-4>>
}
