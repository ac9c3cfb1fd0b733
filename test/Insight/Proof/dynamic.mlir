// Layers that quantize their input when they run: the range, the scale, the zero
// point, the bytes, their sums and the floats that come out.
// REQUIRES: z3
// RUN: qbackend-prove %s | FileCheck %s --check-prefixes=CHECK,SIGNED
// RUN: qbackend-prove %s --form=linalg-unsigned-bytes | FileCheck %s --check-prefixes=CHECK,SAME
// RUN: qbackend-prove %s --form=kernels --target=scalar | FileCheck %s --check-prefixes=CHECK,SAME,KERNELS
// RUN: not qbackend-prove %s --form=onnx | FileCheck %s --check-prefix=ONNX
// ONNX: qnnpack.linear_dynamic in @dynamic: open

// CHECK: qnnpack.linear_dynamic in @dynamic: proven
// CHECK-NEXT: formula: s, z of the range of x in double; q = quantize(x); acc = {{.*}}, at least 0
// CHECK-NEXT: the zero point: proven, by z3
// CHECK-NEXT: a quantized input: proven, by z3
// SIGNED-NEXT: a step of the sum: proven, by all 256 inputs, 6 cases of constants
// SAME-NEXT: a step of the sum: proven, by the same term, 6 cases of constants
// CHECK-NEXT: what the sum begins with: proven, by all constants
// CHECK-NEXT: the result: proven, by the same term, 2 cases of constants
// KERNELS-NEXT: the sums of the kernel: proven
// KERNELS-NEXT: the result of the kernel: proven
// 255 * (128 + 5 + 6) is the largest.
// CHECK-NEXT: sums: -35445 to 35445, 17 bits of 32
func.func @dynamic(%x: tensor<?x3xf32>) -> tensor<?x2xf32> {
  %i = arith.constant dense<[[1, -2, 127], [-128, 5, 6]]> : tensor<2x3xi8>
  %w = quant.scast %i : tensor<2x3xi8> to tensor<2x3x!quant.uniform<i8:f32:0, {0.02, 0.03}>>
  %b = arith.constant dense<[0.5, -1.25]> : tensor<2xf32>
  %y = qnnpack.linear_dynamic %x, %w, %b {relu} : tensor<?x3xf32>, tensor<2x3x!quant.uniform<i8:f32:0, {0.02, 0.03}>>, tensor<2xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// Rows of rows, a zero point of the weight, and a bias that is an argument.
// CHECK: qnnpack.linear_dynamic in @dynamic_rows: proven
func.func @dynamic_rows(%x: tensor<?x3x2xf32>, %b: tensor<2xf32>) -> tensor<?x3x2xf32> {
  %i = arith.constant dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>
  %w = quant.scast %i : tensor<2x2xi8> to tensor<2x2x!quant.uniform<i8:f32, 0.25:1>>
  %y = qnnpack.linear_dynamic %x, %w, %b : tensor<?x3x2xf32>, tensor<2x2x!quant.uniform<i8:f32, 0.25:1>>, tensor<2xf32> -> tensor<?x3x2xf32>
  return %y : tensor<?x3x2xf32>
}

// Without a bias 0 is added, which makes 0 of -0.
// CHECK: qnnpack.linear_dynamic in @dynamic_plain: proven
func.func @dynamic_plain(%x: tensor<4x30xf32>) -> tensor<4x1xf32> {
  %i = arith.constant dense<3> : tensor<1x30xi8>
  %w = quant.scast %i : tensor<1x30xi8> to tensor<1x30x!quant.uniform<i8:f32, 0.25>>
  %y = qnnpack.linear_dynamic %x, %w : tensor<4x30xf32>, tensor<1x30x!quant.uniform<i8:f32, 0.25>> -> tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}

// CHECK: 3 operators: 3 proven, 0 bounded, 0 open, 0 counterexamples
