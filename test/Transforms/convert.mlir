// RUN: qbackend-opt %s --qbackend-convert | FileCheck %s

!t = tensor<1x4xf32>
#ui8 = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
#channel = #qbackend.qconfig<activation = <min_max, ui8>, weight = <per_channel_min_max, si8, per_channel_symmetric>>
#si8 = #qbackend.qconfig<activation = <min_max, si8>, weight = <min_max, si8, per_tensor_symmetric, quant_min = -127, quant_max = 127>>

// What shares its input's observer.
#relu = #qbackend.quantized<pattern = <relu>, dtypes = <input = <ui8>>, observation = output_share_observer_with_input>
#cat = #qbackend.quantized<pattern = <cat>, dtypes = <input = <ui8>>, observation = output_share_observer_with_input>
#mul = #qbackend.quantized<pattern = <mul>, dtypes = <input = <ui8>>, observation = output_share_observer_with_input>

// CHECK-NOT: qbackend.observer
qbackend.observer @half <min_max, ui8> range [-1.0, 126.5] scale 0.5 zero_point 2
qbackend.observer @quarter <min_max, ui8> range [0.0, 63.75] scale 0.25 zero_point 0
qbackend.observer @signed <min_max, si8> range [-32.0, 31.75] scale 0.25 zero_point 0

// The integers of a weight: [-2, 2] in si8, symmetric, has the scale 2 / 127.5,
// which as a float is a little more: 2 is 127.499..., 127, and 1 is 63.75. The
// bias has the scale of weight times activation: 1 is 1 / (0.5 * 2 / 127.5), a
// little less than 127.5.
// CHECK-LABEL: func.func @linear
// CHECK: %[[Q:.*]] = qbackend.quantize %{{[^ ]*}} : tensor<1x4xf32> -> tensor<1x4x!quant.uniform<u8:f32, 5.000000e-01:2>>
// CHECK: %[[X:.*]] = qbackend.dequantize %[[Q]]
// CHECK: %[[WI:.*]] = arith.constant dense<{{\[\[}}0, 64, 127, -127]]> : tensor<1x4xi8>
// CHECK: %[[WQ:.*]] = quant.scast %[[WI]] : tensor<1x4xi8> to tensor<1x4x!quant.uniform<i8:f32, 0.015686275437474251>>
// CHECK: %[[W:.*]] = qbackend.dequantize %[[WQ]]
// CHECK: %[[BI:.*]] = arith.constant dense<127> : tensor<1xi32>
// CHECK: %[[BQ:.*]] = quant.scast %[[BI]] : tensor<1xi32> to tensor<1x!quant.uniform<i32:f32, 0.0078431377187371254>>
// CHECK: %[[B:.*]] = qbackend.dequantize %[[BQ]]
// CHECK: %[[L:.*]] = qbackend.operator [#qbackend.linear] inputs(%[[X]]) weight(%[[W]]) bias(%[[B]])
// CHECK: %[[R:.*]] = qbackend.quantize %[[L]] : tensor<1x1xf32> -> tensor<1x1x!quant.uniform<u8:f32, 2.500000e-01>>
// CHECK: %[[Y:.*]] = qbackend.dequantize %[[R]]
// CHECK: return %[[Y]]
func.func @linear(%x: !t) -> tensor<1x1xf32> {
  %w = arith.constant dense<[[0.0, 1.0, 2.0, -2.0]]> : !t
  %b = arith.constant dense<[1.0]> : tensor<1xf32>
  %0 = qbackend.observe %x by @half : !t
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) bias(%b) qconfig #ui8 : (!t, !t, tensor<1xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: !t, %v: !t, %c: tensor<1xf32>):
    %e = tensor.empty() : tensor<1x1xf32>
    qbackend.yield %e : tensor<1x1xf32>
  }
  %2 = qbackend.observe %1 by @quarter : tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// A scale for each row. A row of zeros has the smallest scale, eps = 2^-23.
// CHECK-LABEL: func.func @per_channel
// CHECK: arith.constant dense<{{\[\[}}127, 0], [0, 0]]> : tensor<2x2xi8>
// CHECK: quant.scast %{{[^ ]*}} : tensor<2x2xi8> to tensor<2x2x!quant.uniform<i8:f32:0, {0.0078431377187371254,1.1920928955078125E-7}>>
func.func @per_channel(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<[[1.0, 0.0], [0.0, 0.0]]> : tensor<2x2xf32>
  %0 = qbackend.observe %x by @half : tensor<1x2xf32>
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) qconfig #channel : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %2 = qbackend.observe %1 by @quarter : tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}

// Without -128 the scale of [-2, 2] is 2 / 127, and the integers are symmetric.
// CHECK-LABEL: func.func @narrow_weight
// CHECK: qbackend.quantize %{{.*}} -> tensor<1x2x!quant.uniform<i8:f32, 2.500000e-01>>
// CHECK: arith.constant dense<{{\[\[}}127, -127]]> : tensor<1x2xi8>
func.func @narrow_weight(%x: tensor<1x2xf32>) -> tensor<1x1xf32> {
  %w = arith.constant dense<[[2.0, -2.0]]> : tensor<1x2xf32>
  %0 = qbackend.observe %x by @signed : tensor<1x2xf32>
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) qconfig #si8 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: tensor<1x2xf32>, %v: tensor<1x2xf32>):
    %e = tensor.empty() : tensor<1x1xf32>
    qbackend.yield %e : tensor<1x1xf32>
  }
  %2 = qbackend.observe %1 by @signed : tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// A value is quantized once for all of its users, float ones included.
// CHECK-LABEL: func.func @fan_out
// CHECK: %[[Q:.*]] = qbackend.quantize
// CHECK: %[[X:.*]] = qbackend.dequantize %[[Q]]
// CHECK: math.floor %[[X]]
// CHECK: inputs(%[[X]])
// CHECK: inputs(%[[X]])
func.func @fan_out(%x: !t) -> (!t, !t, !t) {
  %0 = qbackend.observe %x by @half : !t
  %c = math.floor %0 : !t
  %1 = qbackend.operator [#qbackend.hardswish] inputs(%0) qconfig #ui8 : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %2 = qbackend.observe %1 by @quarter : !t
  %3 = qbackend.operator [#qbackend.elu<alpha = 1.0>] inputs(%0) qconfig #ui8 : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %4 = qbackend.observe %3 by @quarter : !t
  return %c, %2, %4 : !t, !t, !t
}

// x * -2 on integers of scale 1/2 and zero point 2: the same integers, mirrored,
// with scale 1 and zero point 255 - 2.
// CHECK-LABEL: func.func @scalar
// CHECK: qbackend.quantize %{{.*}} -> tensor<1x4x!quant.uniform<u8:f32, 5.000000e-01:2>>
// CHECK: qbackend.operator [#qbackend.mul<scalar = -2.0{{.*}}>]
// CHECK: qbackend.quantize %{{.*}} -> tensor<1x4x!quant.uniform<u8:f32, 1.000000e+00:253>>
func.func @scalar(%x: !t) -> !t {
  %0 = qbackend.observe %x by @half : !t
  %1 = qbackend.operator [#qbackend.mul<scalar = -2.0>] inputs(%0) qconfig #ui8 decision(#mul) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %2 = qbackend.observe %1 by @half : !t
  return %2 : !t
}

// What wasn't observed stays as it is.
// CHECK-LABEL: func.func @real
// CHECK-NEXT: qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%arg1) :
func.func @real(%x: !t, %w: tensor<4x4xf32>) -> !t {
  %1 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (!t, tensor<4x4xf32>) -> !t {
  ^bb0(%a: !t, %v: tensor<4x4xf32>):
    qbackend.yield %a : !t
  }
  return %1 : !t
}

// The weight of a batch norm is not what the qconfig means by weight.
// CHECK-LABEL: func.func @batch_norm
// CHECK: %[[X:.*]] = qbackend.dequantize
// CHECK: qbackend.operator [#qbackend.batch_norm1d<{{.*}}>] inputs(%[[X]]) weight(%cst) bias(%cst)
func.func @batch_norm(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<[1.0, 0.5]> : tensor<2xf32>
  %0 = qbackend.observe %x by @half : tensor<1x2xf32>
  %1 = qbackend.operator [#qbackend.batch_norm1d<axis = 1, eps = 0.0>] inputs(%0) weight(%w) bias(%w) running_mean(%w) running_var(%w)
      qconfig #ui8 : (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %g: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %2 = qbackend.observe %1 by @half : tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}

// Where an operator that shares its input's observer has another one on its
// result, the result of its kernel is requantized; only a cat does that itself.
// CHECK-LABEL: func.func @broken_sharing
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.relu]
// CHECK: %[[K:.*]] = qbackend.quantize %[[R]] : tensor<1x4xf32> -> tensor<1x4x!quant.uniform<u8:f32, 5.000000e-01:2>>
// CHECK: %[[D:.*]] = qbackend.dequantize %[[K]]
// CHECK: qbackend.quantize %[[D]] : tensor<1x4xf32> -> tensor<1x4x!quant.uniform<u8:f32, 2.500000e-01>>
// CHECK: %[[C:.*]] = qbackend.operator [#qbackend.cat
// CHECK: %[[Q:.*]] = qbackend.quantize %[[C]] : tensor<1x8xf32> -> tensor<1x8x!quant.uniform<u8:f32, 5.000000e-01:2>>
// CHECK: %[[E:.*]] = qbackend.dequantize %[[Q]]
// CHECK: return %[[E]]
func.func @broken_sharing(%x: !t) -> tensor<1x8xf32> {
  %0 = qbackend.observe %x by @half : !t
  %1 = qbackend.operator [#qbackend.relu] inputs(%0) qconfig #ui8 decision(#relu) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %2 = qbackend.observe %1 by @quarter : !t
  %3 = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%2, %2) qconfig #ui8 decision(#cat) : (!t, !t) -> tensor<1x8xf32> {
  ^bb0(%a: !t, %b: !t):
    %e = tensor.empty() : tensor<1x8xf32>
    qbackend.yield %e : tensor<1x8xf32>
  }
  %4 = qbackend.observe %3 by @half : tensor<1x8xf32>
  return %4 : tensor<1x8xf32>
}

// The result of a sigmoid has the parameters of its kernel, also where an
// operator has it share those of another value.
// CHECK-LABEL: func.func @fixed
// CHECK: %[[S:.*]] = qbackend.operator [#qbackend.sigmoid]
// CHECK: %[[Q:.*]] = qbackend.quantize %[[S]] : tensor<1x4xf32> -> tensor<1x4x!quant.uniform<u8:f32, 3.906250e-03>>
// CHECK: %[[D:.*]] = qbackend.dequantize %[[Q]]
// CHECK: %[[QX:.*]] = qbackend.quantize %[[D]] : {{.*}} -> tensor<1x4x!quant.uniform<u8:f32, 5.000000e-01:2>>
// CHECK: %[[DX:.*]] = qbackend.dequantize %[[QX]]
// CHECK: qbackend.operator [#qbackend.cat<axis = 1>] inputs(%{{.*}}, %[[DX]])
func.func @fixed(%x: !t) -> tensor<1x8xf32> {
  %0 = qbackend.observe %x by @half : !t
  %1 = qbackend.operator [#qbackend.sigmoid] inputs(%0) qconfig <activation = <fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>, weight = <min_max, si8>> : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %2 = qbackend.observe %1 by @half : !t
  %3 = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%0, %2) qconfig #ui8 decision(#cat) : (!t, !t) -> tensor<1x8xf32> {
  ^bb0(%a: !t, %b: !t):
    %e = tensor.empty() : tensor<1x8xf32>
    qbackend.yield %e : tensor<1x8xf32>
  }
  %4 = qbackend.observe %3 by @half : tensor<1x8xf32>
  return %4 : tensor<1x8xf32>
}

// The engine's sigmoid has a scale of 1/256, its tanh of 1/128, whatever was
// observed.
// CHECK-LABEL: func.func @fixed_by_engine
// CHECK: qbackend.operator [#qbackend.sigmoid]
// CHECK-NEXT: ^bb0
// CHECK: qbackend.quantize %{{.*}} -> tensor<1x4x!quant.uniform<i8:f32, 3.906250e-03:-128>>
// CHECK: qbackend.operator [#qbackend.tanh]
// CHECK: qbackend.quantize %{{.*}} -> tensor<1x4x!quant.uniform<i8:f32, 7.812500e-03>>
func.func @fixed_by_engine(%x: !t) -> !t {
  %0 = qbackend.observe %x by @signed : !t
  %1 = qbackend.operator [#qbackend.sigmoid] inputs(%0) qconfig #si8 : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %2 = qbackend.observe %1 by @signed : !t
  %3 = qbackend.operator [#qbackend.tanh] inputs(%2) qconfig #si8 : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %4 = qbackend.observe %3 by @signed : !t
  return %4 : !t
}

// A relu gives the parameters of its input, whatever its qconfig has.
// CHECK-LABEL: func.func @fixed_shared
// CHECK: qbackend.operator [#qbackend.relu]
// CHECK: qbackend.quantize {{.*}} -> tensor<1x4x!quant.uniform<u8:f32, 5.000000e-01:2>>
// CHECK-NOT: qbackend.quantize
// CHECK: return
func.func @fixed_shared(%x: !t) -> !t {
  %0 = qbackend.observe %x by @half : !t
  %1 = qbackend.operator [#qbackend.relu] inputs(%0) qconfig <activation = <fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>, weight = <min_max, si8>> decision(#relu) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %2 = qbackend.observe %1 by @half : !t
  return %2 : !t
}
