// Each law family: what is emitted is the formula, for every input.
// REQUIRES: z3
// RUN: qbackend-prove %s | FileCheck %s
// RUN: qbackend-prove %s --form=linalg-unsigned-bytes | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED: form linalg-unsigned-bytes
// UNSIGNED: 0 open, 0 counterexamples
// RUN: qbackend-prove %s --form=kernels --target=scalar | FileCheck %s --check-prefix=KERNELS
// Of a layer the conversion to a kernel, and the kernel's code.
// KERNELS: form kernels
// KERNELS: qnnpack.conv2d in @convolution: proven
// KERNELS: the sums of the kernel: proven, by each product once
// KERNELS: the result of the kernel: proven
// KERNELS: 0 open, 0 counterexamples
// RUN: not qbackend-prove %s --form=tosa --timeout=20 | FileCheck %s --check-prefix=TOSA
// What TOSA has no op for, and averages, are open there.
// TOSA: form tosa
// TOSA: qnnpack.conv2d in @signed: proven
// TOSA: qnnpack.conv2d in @depthwise: proven
// TOSA: the result: proven, by all sums
// Its sums wrap, so that their bounds say nothing.
// TOSA: qnnpack.linear in @linear: open
// TOSA: may be no sum of these constants
// TOSA: qnnpack.add in @add: proven
// TOSA: qnnpack.add in @add_signed: proven
// TOSA: qnnpack.add in @add_aten: bounded
// TOSA: qnnpack.mul in @mul: bounded
// TOSA: the result: bounded, by all inputs, at most 1 apart at 253 of 65536
// TOSA: qnnpack.hardswish in @hardswish: proven
// TOSA: qnnpack.max_pool2d in @max_pool: proven
// TOSA: qnnpack.cat in @cat: proven
// TOSA: qnnpack.pad in @pad: proven
// Of 16 taps a sum of 8 more than 16 k is a tie, which is up here: of k from -120 to 134
// each even one differs.
// TOSA: qnnpack.mean in @mean: bounded
// TOSA: the result: bounded, by all sums, at most 1 apart at 128 of 4081
// TOSA: qnnpack.transpose in @transpose: proven
// TOSA: 0 counterexamples
// RUN: not qbackend-prove %s --form=onnx --timeout=2 | FileCheck %s --check-prefix=ONNX
// Between quantized values ONNX is its definitions; a tie may be another one. The counts
// are also NumPy's, of f32 arithmetic by these definitions.
// ONNX: form onnx
// ONNX: qnnpack.quantize in @quantize: open
// ONNX-NEXT: floats: ONNX divides by the scale
// ONNX: qnnpack.dequantize in @dequantize: proven
// ONNX: qnnpack.dequantize in @dequantize_channels: bounded
// ONNX: by all inputs, at most 1 apart at 272 of 1024
// ONNX: qnnpack.conv2d in @signed: proven
// ONNX: a step of the sum: proven, by all 256 inputs, 8 cases of constants
// ONNX: what the sum begins with: proven
// ONNX: qnnpack.conv2d in @grouped: proven
// ONNX: qnnpack.conv2d in @depthwise: proven
// ONNX: qnnpack.add in @add: bounded
// ONNX: by all inputs, at most 1 apart at 1687 of 65536
// ONNX: qnnpack.mul in @mul: bounded
// ONNX: by all inputs, at most 1 apart at 220 of 65536
// ONNX: qnnpack.relu in @relu: proven
// ONNX: qnnpack.hardswish in @hardswish: proven
// ONNX: qnnpack.max_pool2d in @max_pool: proven
// ONNX: qnnpack.avg_pool2d in @avg_pool: open
// ONNX-NEXT: 'AveragePool' of ONNX is of floats, in an order that ONNX leaves open
// ONNX: qnnpack.cat in @cat_batch: proven
// ONNX: qnnpack.pad in @pad: proven
// ONNX: qnnpack.transpose in @transpose: proven
// ONNX: qnnpack.reshape in @reshape: proven
// ONNX: qnnpack.channel_shuffle in @shuffle: proven
// ONNX: qnnpack.repeat in @repeat: proven
// ONNX: qnnpack.celu in @celu: proven
// ONNX: 0 counterexamples
// RUN: qbackend-prove %s --format=json | FileCheck %s --check-prefix=JSON
// RUN: qbackend-prove %s -o %t.1 && qbackend-prove %s -o %t.2 && cmp %t.1 %t.2

// CHECK: module sha256:{{[0-9a-f]+$}}
// CHECK: form linalg
// JSON: "module": "sha256:
// JSON: "verdict": "proven"

!x = !quant.uniform<u8:f32, 0.05:120>
!y = !quant.uniform<u8:f32, 0.1:30>
!z = !quant.uniform<u8:f32, 0.03:7>
!xs = !quant.uniform<i8:f32, 0.05:-3>
!ys = !quant.uniform<i8:f32, 0.1:5>
!zs = !quant.uniform<i8:f32, 0.03:100>
!w = !quant.uniform<i8:f32:0, {0.01, 0.02, 0.03, 0.005}>
!ws = !quant.uniform<i8:f32, 0.02>
!wz = !quant.uniform<i8:f32, 0.02:-7>
!channels = !quant.uniform<i8:f32:0, {0.1, 0.3, 0.7, 0.013}>
!wide = !quant.uniform<i8:f32, 50.0>

// CHECK: 1. qnnpack.quantize in @quantize: proven
// CHECK-NEXT: formula: clamp(z + rne(f32(x * f32(1 / s))), qmin, qmax)
// CHECK-NEXT: the result: proven, by z3
// JSON: "op": "qnnpack.quantize"
// JSON-NEXT: "function": "quantize"
// JSON-NEXT: "verdict": "proven"
func.func @quantize(%x: tensor<?x5xf32>) -> tensor<?x5x!x> {
  %y = qnnpack.quantize %x : tensor<?x5xf32> -> tensor<?x5x!x>
  return %y : tensor<?x5x!x>
}

// CHECK: 2. qnnpack.quantize in @quantize_channels: proven
// CHECK: the result: proven, by z3, 4 cases of constants
func.func @quantize_channels(%x: tensor<4x5xf32>) -> tensor<4x5x!w> {
  %y = qnnpack.quantize %x : tensor<4x5xf32> -> tensor<4x5x!w>
  return %y : tensor<4x5x!w>
}

// CHECK: 3. qnnpack.dequantize in @dequantize: proven
func.func @dequantize(%x: tensor<?x5x!x>) -> tensor<?x5xf32> {
  %y = qnnpack.dequantize %x : tensor<?x5x!x> -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// CHECK: qnnpack.dequantize in @dequantize_channels: proven
// CHECK: the result: proven, by all 256 inputs, 4 cases of constants
func.func @dequantize_channels(%x: tensor<4x5x!channels>) -> tensor<4x5xf32> {
  %y = qnnpack.dequantize %x : tensor<4x5x!channels> -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// Channels, padding, a stride, a fused relu.
// CHECK: qnnpack.conv2d in @convolution: proven
// CHECK-NEXT: formula: acc = bias[o] + sum (x - zx) (w - zw)
// CHECK-NEXT: a step of the sum: proven
// CHECK-NEXT: what the sum begins with: proven, by all constants
// CHECK-NEXT: the result: proven
// CHECK-NEXT: sums: {{-?[0-9]+}} to {{[0-9]+}}, {{[0-9]+}} bits of 32
// JSON: "accumulator": 32
func.func @convolution(%x: tensor<?x6x6x2x!x>) -> tensor<?x3x3x4x!y> {
  %b = arith.constant dense<"0x0A00000014000000FBFFFFFF00000080"> : tensor<4xi32>
  %wi = arith.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F40414243444546F8"> : tensor<4x3x3x2xi8>
  %w = quant.scast %wi : tensor<4x3x3x2xi8> to tensor<4x3x3x2x!w>
  %y = qnnpack.conv2d %x, %w, %b {stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, relu}
    : tensor<?x6x6x2x!x>, tensor<4x3x3x2x!w>, tensor<4xi32> -> tensor<?x3x3x4x!y>
  return %y : tensor<?x3x3x4x!y>
}

// CHECK: qnnpack.conv2d in @signed: proven
// CHECK-NEXT: formula: {{.*}} max(clamp(cvt(min(v, f32(hi - zy)))
func.func @signed(%x: tensor<1x4x4x2x!xs>) -> tensor<1x2x2x2x!ys> {
  %wi = arith.constant dense<[[[[1, -2]], [[3, 127]]], [[[5, 6]], [[-128, 8]]]]> : tensor<2x2x1x2xi8>
  %w = quant.scast %wi : tensor<2x2x1x2xi8> to tensor<2x2x1x2x!ws>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x4x4x2x!xs>, tensor<2x2x1x2x!ws> -> tensor<1x2x2x2x!ys>
  return %y : tensor<1x2x2x2x!ys>
}

// Groups of two channels in and out: the channel of the result is cut.
// CHECK: qnnpack.conv2d in @grouped: proven
func.func @grouped(%x: tensor<1x4x4x4x!x>) -> tensor<1x4x4x4x!y> {
  %wi = arith.constant dense<[[[[1, -2]], [[3, 127]]], [[[5, 6]], [[-128, 8]]], [[[9, 10]], [[11, 12]]], [[[13, 14]], [[15, 16]]]]> : tensor<4x2x1x2xi8>
  %w = quant.scast %wi : tensor<4x2x1x2xi8> to tensor<4x2x1x2x!wz>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 1, 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64}
    : tensor<1x4x4x4x!x>, tensor<4x2x1x2x!wz> -> tensor<1x4x4x4x!y>
  return %y : tensor<1x4x4x4x!y>
}

// CHECK: qnnpack.conv2d in @depthwise: proven
func.func @depthwise(%x: tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!y> {
  %wi = arith.constant dense<[[[[1], [-2], [3]]], [[[5], [6], [-128]]]]> : tensor<2x1x3x1xi8>
  %w = quant.scast %wi : tensor<2x1x3x1xi8> to tensor<2x1x3x1x!wz>
  %y = qnnpack.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 1, 1>, dilation = array<i64: 1, 1>, groups = 2 : i64}
    : tensor<1x4x4x2x!x>, tensor<2x1x3x1x!wz> -> tensor<1x4x4x2x!y>
  return %y : tensor<1x4x4x2x!y>
}

// A multiplier above 1: products of 2^31 and more, where QNNPACK saturates
// to the smallest integer.
// CHECK: qnnpack.linear in @linear: proven
func.func @linear(%x: tensor<?x3x!x>) -> tensor<?x2x!y> {
  %b = arith.constant dense<[2147483647, -2147483648]> : tensor<2xi32>
  %wi = arith.constant dense<[[1, 2, 3], [-4, 5, -6]]> : tensor<2x3xi8>
  %w = quant.scast %wi : tensor<2x3xi8> to tensor<2x3x!wide>
  %y = qnnpack.linear %x, %w, %b : tensor<?x3x!x>, tensor<2x3x!wide>, tensor<2xi32> -> tensor<?x2x!y>
  return %y : tensor<?x2x!y>
}

// CHECK: qnnpack.add in @add: proven
// CHECK-NEXT: formula: {{.*}} ties away from zero
func.func @add(%a: tensor<2x3x!x>, %b: tensor<2x3x!z>) -> tensor<2x3x!y> {
  %y = qnnpack.add %a, %b {relu} : tensor<2x3x!x>, tensor<2x3x!z> -> tensor<2x3x!y>
  return %y : tensor<2x3x!y>
}

// CHECK: qnnpack.add in @add_signed: proven
// CHECK-NEXT: formula: {{.*}}floor(
func.func @add_signed(%a: tensor<2x3x!xs>, %b: tensor<3x!zs>) -> tensor<2x3x!ys> {
  %y = qnnpack.add %a, %b : tensor<2x3x!xs>, tensor<3x!zs> -> tensor<2x3x!ys>
  return %y : tensor<2x3x!ys>
}

// CHECK: qnnpack.add in @add_aten: proven
// CHECK-NEXT: formula: quantize(f32(dequantize(a) + dequantize(b)))
func.func @add_aten(%a: tensor<2x3x!x>, %b: tensor<3x!z>) -> tensor<2x3x!y> {
  %y = qnnpack.add %a, %b : tensor<2x3x!x>, tensor<3x!z> -> tensor<2x3x!y>
  return %y : tensor<2x3x!y>
}

// CHECK: qnnpack.mul in @mul: proven
func.func @mul(%a: tensor<2x3x!x>, %b: tensor<2x1x!z>) -> tensor<2x3x!y> {
  %y = qnnpack.mul %a, %b : tensor<2x3x!x>, tensor<2x1x!z> -> tensor<2x3x!y>
  return %y : tensor<2x3x!y>
}

// CHECK: qnnpack.prelu in @prelu: proven
func.func @prelu(%a: tensor<2x3x!x>, %w: tensor<3x!z>) -> tensor<2x3x!y> {
  %y = qnnpack.prelu %a, %w : tensor<2x3x!x>, tensor<3x!z> -> tensor<2x3x!y>
  return %y : tensor<2x3x!y>
}

// CHECK: qnnpack.relu in @relu: proven
// CHECK-NEXT: formula: max(q, z)
// CHECK-NEXT: the result: proven, by all 256 inputs
func.func @relu(%a: tensor<4x!x>) -> tensor<4x!x> {
  %y = qnnpack.relu %a : tensor<4x!x> -> tensor<4x!x>
  return %y : tensor<4x!x>
}

// CHECK: qnnpack.clamp in @clamp: proven
func.func @clamp(%a: tensor<4x!x>) -> tensor<4x!x> {
  %y = qnnpack.clamp %a {min = 0.0 : f32, max = 6.0 : f32} : tensor<4x!x> -> tensor<4x!x>
  return %y : tensor<4x!x>
}

// CHECK: qnnpack.hardswish in @hardswish: proven
// CHECK: all 256 inputs
func.func @hardswish(%a: tensor<4x!x>) -> tensor<4x!y> {
  %y = qnnpack.hardswish %a : tensor<4x!x> -> tensor<4x!y>
  return %y : tensor<4x!y>
}

// CHECK: qnnpack.requantize in @requantize: proven
func.func @requantize(%a: tensor<4x!x>) -> tensor<4x!y> {
  %y = qnnpack.requantize %a : tensor<4x!x> -> tensor<4x!y>
  return %y : tensor<4x!y>
}

// CHECK: qnnpack.max_pool2d in @max_pool: proven
// CHECK: what the fold begins with: proven
// CHECK-NEXT: a step of the fold: proven
func.func @max_pool(%a: tensor<1x4x4x3x!x>) -> tensor<1x3x3x3x!x> {
  %y = qnnpack.max_pool2d %a {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>}
    : tensor<1x4x4x3x!x> -> tensor<1x3x3x3x!x>
  return %y : tensor<1x3x3x3x!x>
}

// CHECK: qnnpack.avg_pool2d in @avg_pool: proven
func.func @avg_pool(%a: tensor<1x4x4x3x!x>) -> tensor<1x2x2x3x!x> {
  %y = qnnpack.avg_pool2d %a {kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
    : tensor<1x4x4x3x!x> -> tensor<1x2x2x3x!x>
  return %y : tensor<1x2x2x3x!x>
}

// A divisor for each pixel.
// CHECK: qnnpack.avg_pool2d in @avg_pool_signed: proven
// CHECK: the result: proven, by z3, {{[0-9]}} cases of constants
func.func @avg_pool_signed(%a: tensor<1x4x4x3x!xs>) -> tensor<1x2x2x3x!xs> {
  %y = qnnpack.avg_pool2d %a {kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, count_include_pad = false}
    : tensor<1x4x4x3x!xs> -> tensor<1x2x2x3x!xs>
  return %y : tensor<1x2x2x3x!xs>
}

// CHECK: qnnpack.cat in @cat: proven
// CHECK: the result of input 0: proven, by all 256 inputs
// CHECK: the result of input 1: proven, by
func.func @cat(%a: tensor<1x2x2x3x!x>, %b: tensor<1x2x2x2x!z>) -> tensor<1x2x2x5x!x> {
  %y = qnnpack.cat %a, %b {axis = 3 : i64} : tensor<1x2x2x3x!x>, tensor<1x2x2x2x!z> -> tensor<1x2x2x5x!x>
  return %y : tensor<1x2x2x5x!x>
}

// An unknown extent, which is that of all inputs.
// CHECK: qnnpack.cat in @cat_batch: proven
func.func @cat_batch(%a: tensor<?x2x3x!x>, %b: tensor<?x2x2x!z>) -> tensor<?x2x5x!x> {
  %y = qnnpack.cat %a, %b {axis = 2 : i64} : tensor<?x2x3x!x>, tensor<?x2x2x!z> -> tensor<?x2x5x!x>
  return %y : tensor<?x2x5x!x>
}

// CHECK: qnnpack.pad in @pad: proven
func.func @pad(%a: tensor<2x3x!x>) -> tensor<2x6x!x> {
  %y = qnnpack.pad %a {low = array<i64: 0, 1>, high = array<i64: 0, 2>, value = 0.5 : f32} : tensor<2x3x!x> -> tensor<2x6x!x>
  return %y : tensor<2x6x!x>
}

// CHECK: qnnpack.mean in @mean: proven
func.func @mean(%a: tensor<?x4x4x3x!x>) -> tensor<?x3x!x> {
  %y = qnnpack.mean %a : tensor<?x4x4x3x!x> -> tensor<?x3x!x>
  return %y : tensor<?x3x!x>
}

// Moved: rows are cut, so that the element is followed.
// CHECK: qnnpack.transpose in @transpose: proven
func.func @transpose(%a: tensor<2x3x4x!x>) -> tensor<4x2x3x!x> {
  %y = qnnpack.transpose %a {permutation = array<i64: 2, 0, 1>} : tensor<2x3x4x!x> -> tensor<4x2x3x!x>
  return %y : tensor<4x2x3x!x>
}

// CHECK: qnnpack.reshape in @reshape: proven
func.func @reshape(%a: tensor<2x3x4x!x>) -> tensor<2x12x!x> {
  %y = qnnpack.reshape %a : tensor<2x3x4x!x> -> tensor<2x12x!x>
  return %y : tensor<2x12x!x>
}

// CHECK: qnnpack.channel_shuffle in @shuffle: proven
func.func @shuffle(%a: tensor<?x2x6x!x>) -> tensor<?x2x6x!x> {
  %y = qnnpack.channel_shuffle %a {groups = 2 : i64} : tensor<?x2x6x!x> -> tensor<?x2x6x!x>
  return %y : tensor<?x2x6x!x>
}

// CHECK: qnnpack.repeat in @repeat: proven
func.func @repeat(%a: tensor<2x3x!x>) -> tensor<2x12x!x> {
  %y = qnnpack.repeat %a {multiples = array<i64: 1, 4>} : tensor<2x3x!x> -> tensor<2x12x!x>
  return %y : tensor<2x12x!x>
}

// CHECK: qnnpack.celu in @celu: proven
func.func @celu(%a: tensor<4x!x>) -> tensor<4x!y> {
  %y = qnnpack.celu %a {alpha = 0.7 : f32} : tensor<4x!x> -> tensor<4x!y>
  return %y : tensor<4x!y>
}

// CHECK: qnnpack.threshold in @threshold: proven
func.func @threshold(%a: tensor<4x!x>) -> tensor<4x!x> {
  %y = qnnpack.threshold %a {threshold = 0.3 : f32, value = -1.1 : f32} : tensor<4x!x> -> tensor<4x!x>
  return %y : tensor<4x!x>
}

// CHECK: qnnpack.batch_norm in @batch_norm: proven
// CHECK: the result: proven, by all 256 inputs, 3 cases of constants
func.func @batch_norm(%a: tensor<?x4x3x!x>) -> tensor<?x4x3x!y> {
  %w = arith.constant dense<[0.7, -1.3, 40.0]> : tensor<3xf32>
  %b = arith.constant dense<[0.1, 2.5, -3.0]> : tensor<3xf32>
  %m = arith.constant dense<[-0.4, 0.2, 1.0]> : tensor<3xf32>
  %v = arith.constant dense<[0.9, 0.01, 2.0]> : tensor<3xf32>
  %y = qnnpack.batch_norm %a, %w, %b, %m, %v {eps = 1.0e-5 : f64, relu}
    : tensor<?x4x3x!x>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<?x4x3x!y>
  return %y : tensor<?x4x3x!y>
}

// CHECK: 0 open, 0 counterexamples
// JSON: "laws":
