// RUN: qbackend-opt %s --convert-qbackend-to-qnnpack | FileCheck %s

// Each kind with the kernel that it becomes: dequantize, operator, quantize is
// one op, and what is around it stays.

!x8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.25:7>
!p8 = !quant.uniform<u8:f32, 0.00390625>
!t8 = !quant.uniform<u8:f32, 0.0078125:128>
#q = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8>>

// CHECK-NOT: qbackend.

// CHECK-LABEL: func.func @add(
// CHECK: qnnpack.add %arg0, %arg1 : tensor
func.func @add(%x0: tensor<4x!x8>, %x1: tensor<4x!x8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %r1 = qbackend.dequantize %x1 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.add] inputs(%r0, %r1) qconfig #q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// CHECK-LABEL: func.func @add_relu(
// CHECK: qnnpack.add %arg0, %arg1 {relu}
func.func @add_relu(%x0: tensor<4x!x8>, %x1: tensor<4x!x8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %r1 = qbackend.dequantize %x1 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.add, #qbackend.relu] inputs(%r0, %r1) qconfig #q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// CHECK-LABEL: func.func @mul(
// CHECK: qnnpack.mul %arg0, %arg1 : tensor
func.func @mul(%x0: tensor<4x!x8>, %x1: tensor<4x!x8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %r1 = qbackend.dequantize %x1 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.mul] inputs(%r0, %r1) qconfig #q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// CHECK-LABEL: func.func @mul_relu(
// CHECK: qnnpack.mul %arg0, %arg1 {relu}
func.func @mul_relu(%x0: tensor<4x!x8>, %x1: tensor<4x!x8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %r1 = qbackend.dequantize %x1 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.mul, #qbackend.relu] inputs(%r0, %r1) qconfig #q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// CHECK-LABEL: func.func @cat(
// CHECK: qnnpack.cat %arg0, %arg1 {axis = 1 : i64}
func.func @cat(%x0: tensor<1x2x!x8>, %x1: tensor<1x3x!x8>) -> tensor<1x5x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x2x!x8> -> tensor<1x2xf32>
  %r1 = qbackend.dequantize %x1 : tensor<1x3x!x8> -> tensor<1x3xf32>
  %o = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%r0, %r1) qconfig #q : (tensor<1x2xf32>, tensor<1x3xf32>) -> tensor<1x5xf32> {
  ^bb0(%a0: tensor<1x2xf32>, %a1: tensor<1x3xf32>):
    %e = tensor.empty() : tensor<1x5xf32>
    qbackend.yield %e : tensor<1x5xf32>
  }
  %y = qbackend.quantize %o : tensor<1x5xf32> -> tensor<1x5x!x8>
  return %y : tensor<1x5x!x8>
}

// CHECK-LABEL: func.func @cat_relu(
// CHECK: qnnpack.cat %arg0, %arg1 {axis = 1 : i64, relu}
func.func @cat_relu(%x0: tensor<1x2x!x8>, %x1: tensor<1x3x!x8>) -> tensor<1x5x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x2x!x8> -> tensor<1x2xf32>
  %r1 = qbackend.dequantize %x1 : tensor<1x3x!x8> -> tensor<1x3xf32>
  %o = qbackend.operator [#qbackend.cat<axis = 1>, #qbackend.relu] inputs(%r0, %r1) qconfig #q : (tensor<1x2xf32>, tensor<1x3xf32>) -> tensor<1x5xf32> {
  ^bb0(%a0: tensor<1x2xf32>, %a1: tensor<1x3xf32>):
    %e = tensor.empty() : tensor<1x5xf32>
    qbackend.yield %e : tensor<1x5xf32>
  }
  %y = qbackend.quantize %o : tensor<1x5xf32> -> tensor<1x5x!x8>
  return %y : tensor<1x5x!x8>
}

// CHECK-LABEL: func.func @max_pool2d(
// CHECK: qnnpack.max_pool2d %arg0 {dilation = array<i64: 1, 1>, kernel = array<i64: 3, 2>, padding = array<i64: 1, 0, 0, 1>, stride = array<i64: 2, 1>}
func.func @max_pool2d(%x0: tensor<1x4x4x2x!x8>) -> tensor<1x2x4x2x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x4x4x2x!x8> -> tensor<1x4x4x2xf32>
  %o = qbackend.operator [#qbackend.max_pool2d<kernel = [3, 2], stride = [2, 1], padding = [1, 0, 0, 1], dilation = [1, 1]>] inputs(%r0) qconfig #q : (tensor<1x4x4x2xf32>) -> tensor<1x2x4x2xf32> {
  ^bb0(%a0: tensor<1x4x4x2xf32>):
    %e = tensor.empty() : tensor<1x2x4x2xf32>
    qbackend.yield %e : tensor<1x2x4x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x2x4x2xf32> -> tensor<1x2x4x2x!x8>
  return %y : tensor<1x2x4x2x!x8>
}

// As many windows as ceil mode has.
// CHECK-LABEL: func.func @max_pool2d_ceil(
// CHECK: qnnpack.max_pool2d %arg0 {ceil_mode, dilation = array<i64: 1, 1>, kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}
func.func @max_pool2d_ceil(%x0: tensor<1x5x5x2x!x8>) -> tensor<1x3x3x2x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x5x5x2x!x8> -> tensor<1x5x5x2xf32>
  %o = qbackend.operator [#qbackend.max_pool2d<kernel = [2, 2], stride = [2, 2], padding = [0, 0, 0, 0], dilation = [1, 1]>] inputs(%r0) qconfig #q : (tensor<1x5x5x2xf32>) -> tensor<1x3x3x2xf32> {
  ^bb0(%a0: tensor<1x5x5x2xf32>):
    %e = tensor.empty() : tensor<1x3x3x2xf32>
    qbackend.yield %e : tensor<1x3x3x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x3x3x2xf32> -> tensor<1x3x3x2x!x8>
  return %y : tensor<1x3x3x2x!x8>
}

// The kernel of the engine, though it reads pixels beside the window.
// CHECK-LABEL: func.func @max_pool2d_dilated(
// CHECK: qnnpack.max_pool2d %arg0 {dilation = array<i64: 2, 2>, kernel = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
func.func @max_pool2d_dilated(%x0: tensor<1x5x5x2x!x8>) -> tensor<1x3x3x2x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x5x5x2x!x8> -> tensor<1x5x5x2xf32>
  %o = qbackend.operator [#qbackend.max_pool2d<kernel = [3, 3], stride = [1, 1], padding = [1, 1, 1, 1], dilation = [2, 2]>] inputs(%r0) qconfig #q : (tensor<1x5x5x2xf32>) -> tensor<1x3x3x2xf32> {
  ^bb0(%a0: tensor<1x5x5x2xf32>):
    %e = tensor.empty() : tensor<1x3x3x2xf32>
    qbackend.yield %e : tensor<1x3x3x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x3x3x2xf32> -> tensor<1x3x3x2x!x8>
  return %y : tensor<1x3x3x2x!x8>
}

// The engine has no such kernel.
// CHECK-LABEL: func.func @max_pool2d_uneven(
// CHECK: qnnpack.max_pool2d %arg0 {dilation = array<i64: 2, 2>, kernel = array<i64: 3, 3>, mathematical, padding = array<i64: 0, 1, 0, 1>, stride = array<i64: 1, 1>}
func.func @max_pool2d_uneven(%x0: tensor<1x5x5x2x!x8>) -> tensor<1x2x2x2x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x5x5x2x!x8> -> tensor<1x5x5x2xf32>
  %o = qbackend.operator [#qbackend.max_pool2d<kernel = [3, 3], stride = [1, 1], padding = [0, 1, 0, 1], dilation = [2, 2]>] inputs(%r0) qconfig #q : (tensor<1x5x5x2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a0: tensor<1x5x5x2xf32>):
    %e = tensor.empty() : tensor<1x2x2x2xf32>
    qbackend.yield %e : tensor<1x2x2x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x2x2x2xf32> -> tensor<1x2x2x2x!x8>
  return %y : tensor<1x2x2x2x!x8>
}

// CHECK-LABEL: func.func @avg_pool2d(
// CHECK: qnnpack.avg_pool2d %arg0 {{.*}}kernel = array<i64: 2, 2>
func.func @avg_pool2d(%x0: tensor<1x4x4x2x!x8>) -> tensor<1x2x2x2x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x4x4x2x!x8> -> tensor<1x4x4x2xf32>
  %o = qbackend.operator [#qbackend.avg_pool2d<kernel = [2, 2], stride = [2, 2], padding = [0, 0, 0, 0]>] inputs(%r0) qconfig #q : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
  ^bb0(%a0: tensor<1x4x4x2xf32>):
    %e = tensor.empty() : tensor<1x2x2x2xf32>
    qbackend.yield %e : tensor<1x2x2x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x2x2x2xf32> -> tensor<1x2x2x2x!x8>
  return %y : tensor<1x2x2x2x!x8>
}

// CHECK-LABEL: func.func @avg_pool2d_options(
// CHECK: qnnpack.avg_pool2d %arg0 {ceil_mode, count_include_pad = false, divisor_override = 7 : i64
func.func @avg_pool2d_options(%x0: tensor<1x4x4x2x!x8>) -> tensor<1x3x3x2x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x4x4x2x!x8> -> tensor<1x4x4x2xf32>
  %o = qbackend.operator [#qbackend.avg_pool2d<kernel = [3, 3], stride = [2, 2], padding = [1, 1, 1, 1], ceil_mode = true, count_exclude_pad = true, divisor_override = 7>] inputs(%r0) qconfig #q : (tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32> {
  ^bb0(%a0: tensor<1x4x4x2xf32>):
    %e = tensor.empty() : tensor<1x3x3x2xf32>
    qbackend.yield %e : tensor<1x3x3x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x3x3x2xf32> -> tensor<1x3x3x2x!x8>
  return %y : tensor<1x3x3x2x!x8>
}

// CHECK-LABEL: func.func @adaptive_avg_pool2d(
// CHECK: qnnpack.adaptive_avg_pool2d %arg0 :
func.func @adaptive_avg_pool2d(%x0: tensor<1x4x4x2x!x8>) -> tensor<1x3x2x2x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x4x4x2x!x8> -> tensor<1x4x4x2xf32>
  %o = qbackend.operator [#qbackend.adaptive_avg_pool2d<output_size = [3, 2]>] inputs(%r0) qconfig #q : (tensor<1x4x4x2xf32>) -> tensor<1x3x2x2xf32> {
  ^bb0(%a0: tensor<1x4x4x2xf32>):
    %e = tensor.empty() : tensor<1x3x2x2xf32>
    qbackend.yield %e : tensor<1x3x2x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x3x2x2xf32> -> tensor<1x3x2x2x!x8>
  return %y : tensor<1x3x2x2x!x8>
}

// CHECK-LABEL: func.func @mean(
// CHECK: qnnpack.mean %arg0 :
func.func @mean(%x0: tensor<1x4x4x2x!x8>) -> tensor<1x2x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x4x4x2x!x8> -> tensor<1x4x4x2xf32>
  %o = qbackend.operator [#qbackend.mean<axes = [1, 2]>] inputs(%r0) qconfig #q : (tensor<1x4x4x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a0: tensor<1x4x4x2xf32>):
    %e = tensor.empty() : tensor<1x2xf32>
    qbackend.yield %e : tensor<1x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x2xf32> -> tensor<1x2x!x8>
  return %y : tensor<1x2x!x8>
}

// CHECK-LABEL: func.func @mean_keepdim(
// CHECK: qnnpack.mean %arg0 {keepdim}
func.func @mean_keepdim(%x0: tensor<1x4x4x2x!x8>) -> tensor<1x1x1x2x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x4x4x2x!x8> -> tensor<1x4x4x2xf32>
  %o = qbackend.operator [#qbackend.mean<axes = [1, 2], keepdim = true>] inputs(%r0) qconfig #q : (tensor<1x4x4x2xf32>) -> tensor<1x1x1x2xf32> {
  ^bb0(%a0: tensor<1x4x4x2xf32>):
    %e = tensor.empty() : tensor<1x1x1x2xf32>
    qbackend.yield %e : tensor<1x1x1x2xf32>
  }
  %y = qbackend.quantize %o : tensor<1x1x1x2xf32> -> tensor<1x1x1x2x!x8>
  return %y : tensor<1x1x1x2x!x8>
}

// CHECK-LABEL: func.func @relu(
// CHECK: qnnpack.relu %arg0
func.func @relu(%x0: tensor<4x!x8>) -> tensor<4x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.relu] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!x8>
  return %y : tensor<4x!x8>
}

// CHECK-LABEL: func.func @relu6(
// CHECK: qnnpack.clamp %arg0 {max = 6.000000e+00 : f32, min = 0.000000e+00 : f32}
func.func @relu6(%x0: tensor<4x!x8>) -> tensor<4x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.relu6] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!x8>
  return %y : tensor<4x!x8>
}

// CHECK-LABEL: func.func @hardtanh(
// CHECK: qnnpack.clamp %arg0 {max = 2.000000e+00 : f32, min = -1.000000e+00 : f32}
func.func @hardtanh(%x0: tensor<4x!x8>) -> tensor<4x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.hardtanh<min = -1.0, max = 2.0>] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!x8>
  return %y : tensor<4x!x8>
}

// CHECK-LABEL: func.func @clamp(
// CHECK: qnnpack.clamp %arg0 {max = 1.500000e+00 : f32, min = -5.000000e-01 : f32}
func.func @clamp(%x0: tensor<4x!x8>) -> tensor<4x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.clamp<min = -0.5, max = 1.5>] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!x8>
  return %y : tensor<4x!x8>
}

// Infinity is where the integers end: 0.5 * (255 - 3) and 0.5 * (0 - 3).
// CHECK-LABEL: func.func @clamp_from_below(
// CHECK: qnnpack.clamp %arg0 {max = 1.260000e+02 : f32, min = 5.000000e-01 : f32}
func.func @clamp_from_below(%x0: tensor<4x!x8>) -> tensor<4x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.clamp<min = 0.5, max = 0x7FF0000000000000>] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!x8>
  return %y : tensor<4x!x8>
}

// CHECK-LABEL: func.func @clamp_from_above(
// CHECK: qnnpack.clamp %arg0 {max = 5.000000e-01 : f32, min = -1.500000e+00 : f32}
func.func @clamp_from_above(%x0: tensor<4x!x8>) -> tensor<4x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.clamp<min = 0xFFF0000000000000, max = 0.5>] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!x8>
  return %y : tensor<4x!x8>
}

// CHECK-LABEL: func.func @clamp_nowhere(
// CHECK: qnnpack.clamp %arg0 {max = 1.260000e+02 : f32, min = -1.500000e+00 : f32}
func.func @clamp_nowhere(%x0: tensor<4x!x8>) -> tensor<4x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.clamp<min = -3.4028234663852886E+38, max = 3.4028234663852886E+38>] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!x8>
  return %y : tensor<4x!x8>
}

// CHECK-LABEL: func.func @sigmoid(
// CHECK: qnnpack.sigmoid %arg0 
func.func @sigmoid(%x0: tensor<4x!x8>) -> tensor<4x!p8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.sigmoid] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!p8>
  return %y : tensor<4x!p8>
}

// CHECK-LABEL: func.func @hardsigmoid(
// CHECK: qnnpack.hardsigmoid %arg0 
func.func @hardsigmoid(%x0: tensor<4x!x8>) -> tensor<4x!p8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.hardsigmoid] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!p8>
  return %y : tensor<4x!p8>
}

// CHECK-LABEL: func.func @hardswish(
// CHECK: qnnpack.hardswish %arg0 
func.func @hardswish(%x0: tensor<4x!x8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.hardswish] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// CHECK-LABEL: func.func @tanh(
// CHECK: qnnpack.tanh %arg0 
func.func @tanh(%x0: tensor<4x!x8>) -> tensor<4x!t8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.tanh] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!t8>
  return %y : tensor<4x!t8>
}

// CHECK-LABEL: func.func @softmax(
// CHECK: qnnpack.softmax %arg0 {axis = 1 : i64}
func.func @softmax(%x0: tensor<1x4x!x8>) -> tensor<1x4x!p8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x4x!x8> -> tensor<1x4xf32>
  %o = qbackend.operator [#qbackend.softmax<axis = 1>] inputs(%r0) qconfig #q : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a0: tensor<1x4xf32>):
    %e = tensor.empty() : tensor<1x4xf32>
    qbackend.yield %e : tensor<1x4xf32>
  }
  %y = qbackend.quantize %o : tensor<1x4xf32> -> tensor<1x4x!p8>
  return %y : tensor<1x4x!p8>
}

// CHECK-LABEL: func.func @leaky_relu(
// CHECK: qnnpack.leaky_relu %arg0 {negative_slope = 1.250000e-01 : f32}
func.func @leaky_relu(%x0: tensor<4x!x8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.leaky_relu<negative_slope = 0.125>] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// CHECK-LABEL: func.func @elu(
// CHECK: qnnpack.elu %arg0 {alpha = 1.500000e+00 : f32}
func.func @elu(%x0: tensor<4x!x8>) -> tensor<4x!y8> {
  %r0 = qbackend.dequantize %x0 : tensor<4x!x8> -> tensor<4xf32>
  %o = qbackend.operator [#qbackend.elu<alpha = 1.5>] inputs(%r0) qconfig #q : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    qbackend.yield %e : tensor<4xf32>
  }
  %y = qbackend.quantize %o : tensor<4xf32> -> tensor<4x!y8>
  return %y : tensor<4x!y8>
}

// CHECK-LABEL: func.func @flatten(
// CHECK: qnnpack.reshape %arg0 :
func.func @flatten(%x0: tensor<1x4x4x2x!x8>) -> tensor<1x32x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x4x4x2x!x8> -> tensor<1x4x4x2xf32>
  %o = qbackend.operator [#qbackend.flatten] inputs(%r0) qconfig #q : (tensor<1x4x4x2xf32>) -> tensor<1x32xf32> {
  ^bb0(%a0: tensor<1x4x4x2xf32>):
    %e = tensor.empty() : tensor<1x32xf32>
    qbackend.yield %e : tensor<1x32xf32>
  }
  %y = qbackend.quantize %o : tensor<1x32xf32> -> tensor<1x32x!x8>
  return %y : tensor<1x32x!x8>
}

// The elements in the order of NCHW.
// CHECK-LABEL: func.func @flatten_nchw(
// CHECK: %[[T:.*]] = qnnpack.transpose %arg0 {permutation = array<i64: 0, 3, 1, 2>}
// CHECK: qnnpack.reshape %[[T]]
func.func @flatten_nchw(%x0: tensor<1x4x4x2x!x8>) -> tensor<1x32x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x4x4x2x!x8> -> tensor<1x4x4x2xf32>
  %o = qbackend.operator [#qbackend.flatten<permutation = [0, 3, 1, 2]>] inputs(%r0) qconfig #q : (tensor<1x4x4x2xf32>) -> tensor<1x32xf32> {
  ^bb0(%a0: tensor<1x4x4x2xf32>):
    %e = tensor.empty() : tensor<1x32xf32>
    qbackend.yield %e : tensor<1x32xf32>
  }
  %y = qbackend.quantize %o : tensor<1x32xf32> -> tensor<1x32x!x8>
  return %y : tensor<1x32x!x8>
}

// Of one pixel the order is the same: nothing moves.
// CHECK-LABEL: func.func @flatten_pixel(
// CHECK: %[[T:.*]] = qnnpack.reshape %arg0
// CHECK: qnnpack.reshape %[[T]]
func.func @flatten_pixel(%x0: tensor<1x1x1x8x!x8>) -> tensor<1x8x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<1x1x1x8x!x8> -> tensor<1x1x1x8xf32>
  %o = qbackend.operator [#qbackend.flatten<permutation = [0, 3, 1, 2]>] inputs(%r0) qconfig #q : (tensor<1x1x1x8xf32>) -> tensor<1x8xf32> {
  ^bb0(%a0: tensor<1x1x1x8xf32>):
    %e = tensor.empty() : tensor<1x8xf32>
    qbackend.yield %e : tensor<1x8xf32>
  }
  %y = qbackend.quantize %o : tensor<1x8xf32> -> tensor<1x8x!x8>
  return %y : tensor<1x8x!x8>
}

// CHECK-LABEL: func.func @reshape(
// CHECK: qnnpack.reshape %arg0 :
func.func @reshape(%x0: tensor<2x6x!x8>) -> tensor<3x4x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<2x6x!x8> -> tensor<2x6xf32>
  %o = qbackend.operator [#qbackend.reshape] inputs(%r0) qconfig #q : (tensor<2x6xf32>) -> tensor<3x4xf32> {
  ^bb0(%a0: tensor<2x6xf32>):
    %e = tensor.empty() : tensor<3x4xf32>
    qbackend.yield %e : tensor<3x4xf32>
  }
  %y = qbackend.quantize %o : tensor<3x4xf32> -> tensor<3x4x!x8>
  return %y : tensor<3x4x!x8>
}

// CHECK-LABEL: func.func @transpose(
// CHECK: qnnpack.transpose %arg0 {permutation = array<i64: 1, 0>}
func.func @transpose(%x0: tensor<2x6x!x8>) -> tensor<6x2x!x8> {
  %r0 = qbackend.dequantize %x0 : tensor<2x6x!x8> -> tensor<2x6xf32>
  %o = qbackend.operator [#qbackend.transpose<permutation = [1, 0]>] inputs(%r0) qconfig #q : (tensor<2x6xf32>) -> tensor<6x2xf32> {
  ^bb0(%a0: tensor<2x6xf32>):
    %e = tensor.empty() : tensor<6x2xf32>
    qbackend.yield %e : tensor<6x2xf32>
  }
  %y = qbackend.quantize %o : tensor<6x2xf32> -> tensor<6x2x!x8>
  return %y : tensor<6x2x!x8>
}
