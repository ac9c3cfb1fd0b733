// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: qbackend-opt %s | qbackend-opt | FileCheck %s
// RUN: qbackend-opt %s -emit-bytecode | qbackend-opt | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:3>
!channels = !quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>

//===----------------------------------------------------------------------===//
// Attributes: each field at its default, then not. The names are those of the
// holders.
//===----------------------------------------------------------------------===//

// CHECK-LABEL: module attributes {test.attributes}
module attributes {test.attributes} {
  // CHECK: @dtypes
  // CHECK-SAME: #qbackend.dtype<ui8>, #qbackend.dtype<si8>, #qbackend.dtype<ui4>, #qbackend.dtype<si32>, #qbackend.dtype<f16>, #qbackend.dtype<f32>
  func.func private @dtypes() attributes {test.a = [
    #qbackend.dtype<ui8>, #qbackend.dtype<si8>, #qbackend.dtype<ui4>,
    #qbackend.dtype<si32>, #qbackend.dtype<f16>, #qbackend.dtype<f32>]}
  // CHECK: @dtype_fields
  // CHECK-SAME: #qbackend.dtype<si8, quant_min = 0, quant_max = 127, scale_min = 2.44140625E-4, scale_max = 5.000000e-01, scale_exact_match = 3.906250e-03, zero_point_exact_match = 0>
  func.func private @dtype_fields() attributes {test.a =
    #qbackend.dtype<si8, quant_min = 0, quant_max = 127,
      scale_min = 2.44140625E-4, scale_max = 0.5,
      scale_exact_match = 0.00390625, zero_point_exact_match = 0>}
  // CHECK: @dtype_configs
  // CHECK-SAME: #qbackend.dtype_config<input = <ui8>>
  // CHECK-SAME: #qbackend.dtype_config<input = <ui8>, output = <f32>, weight = <si8, quant_min = -127, quant_max = 127>, bias = f32, is_dynamic = true>
  func.func private @dtype_configs() attributes {test.a = [
    #qbackend.dtype_config<input = <ui8>, is_dynamic = false>,
    #qbackend.dtype_config<input = <ui8>, output = <f32>,
      weight = <si8, quant_min = -127, quant_max = 127>, bias = f32,
      is_dynamic = true>]}

  // CHECK: @specs
  // CHECK-SAME: #qbackend.spec<own>, #qbackend.spec<own by <fixed_qparams, si8, scale = 3.906250e-03, zero_point = -128>>
  // CHECK-SAME: #qbackend.spec<none>, #qbackend.spec<shared input2>, #qbackend.spec<shared producer>, #qbackend.spec<shared_or_own producer>
  // CHECK-SAME: #qbackend.spec<derived scale_product(input0, weight) as <si32, quant_min = -5, quant_max = 5>>
  func.func private @specs() attributes {test.a = [
    #qbackend.spec<own>,
    #qbackend.spec<own by <fixed_qparams, si8, scale = 0.00390625, zero_point = -128>>,
    #qbackend.spec<none>, #qbackend.spec<shared input2>,
    #qbackend.spec<shared producer>, #qbackend.spec<shared_or_own producer>,
    #qbackend.spec<derived scale_product(input0, weight) as <si32, quant_min = -5, quant_max = 5>>]}
  // CHECK: @edges
  // CHECK-SAME: #qbackend.edges<inputs = []>
  // CHECK-SAME: #qbackend.edges<inputs = [own, none, shared input0], weight = own by <min_max, si8>, bias = derived scale_product(input0, weight) as <si32>, output = shared input2, if = [inputs_quantized, user_quantized]>
  func.func private @edges() attributes {test.a = [
    #qbackend.edges<>,
    #qbackend.edges<if = [inputs_quantized, user_quantized],
      inputs = [own, none, shared input0], output = shared input2,
      bias = derived scale_product(input0, weight) as <si32>,
      weight = own by <min_max, si8>>]}

  // CHECK: @requantization
  // CHECK-SAME: #qbackend.requantization<rounding = nearest_even, multiplier = f32>
  // CHECK-SAME: #qbackend.requantization<rounding = half_up, multiplier = fixed_point>
  // CHECK-SAME: #qbackend.requantization<rounding = half_away, multiplier = fixed_point, quotient = f32>
  // CHECK-SAME: #qbackend.requantization<rounding = double, multiplier = fixed_point, quotient = f32_product>
  func.func private @requantization() attributes {test.a = [
    #qbackend.requantization<multiplier = f32, rounding = nearest_even>,
    #qbackend.requantization<rounding = half_up, multiplier = fixed_point, quotient = f64>,
    #qbackend.requantization<rounding = half_away, multiplier = fixed_point, quotient = f32>,
    #qbackend.requantization<rounding = double, multiplier = fixed_point, quotient = f32_product>]}

  // CHECK: @observer_kinds
  // CHECK-SAME: <min_max, ui8>
  // CHECK-SAME: <moving_average_min_max, ui8>
  // CHECK-SAME: <per_channel_min_max, ui8>
  // CHECK-SAME: <moving_average_per_channel_min_max, ui8>
  // CHECK-SAME: <histogram, ui8>
  // CHECK-SAME: <fixed_qparams, ui8, scale = 3.906250e-03, zero_point = 0>
  // CHECK-SAME: <placeholder, f16>
  // CHECK-SAME: <noop, ui8>
  // CHECK-SAME: <reuse_input, ui8>
  // CHECK-SAME: <percentile, ui8>
  // CHECK-SAME: <percentile, si8, percentile = 9.990000e+01>
  // CHECK-SAME: <entropy, si8>
  // CHECK-SAME: <mse, ui8>
  func.func private @observer_kinds() attributes {test.a = [
    #qbackend.observer<min_max, ui8>,
    #qbackend.observer<moving_average_min_max, ui8>,
    #qbackend.observer<per_channel_min_max, ui8>,
    #qbackend.observer<moving_average_per_channel_min_max, ui8>,
    #qbackend.observer<histogram, ui8>,
    #qbackend.observer<fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>,
    #qbackend.observer<placeholder, f16>, #qbackend.observer<noop, ui8>,
    #qbackend.observer<reuse_input, ui8>, #qbackend.observer<percentile, ui8>,
    #qbackend.observer<percentile, si8, percentile = 99.9>,
    #qbackend.observer<entropy, si8>, #qbackend.observer<mse, ui8>]}
  // CHECK: @schemes
  // CHECK-SAME: <min_max, si8>
  // CHECK-SAME: <min_max, si8, per_tensor_symmetric>
  // CHECK-SAME: <min_max, si8, per_channel_affine>
  // CHECK-SAME: <min_max, si8, per_channel_symmetric>
  // CHECK-SAME: <min_max, ui8, per_channel_affine_float_qparams>
  func.func private @schemes() attributes {test.a = [
    #qbackend.observer<min_max, si8, per_tensor_affine>,
    #qbackend.observer<min_max, si8, per_tensor_symmetric>,
    #qbackend.observer<min_max, si8, per_channel_affine>,
    #qbackend.observer<min_max, si8, per_channel_symmetric>,
    #qbackend.observer<min_max, ui8, per_channel_affine_float_qparams>]}
  // CHECK: @observer_fields
  // CHECK-SAME: <histogram, si8, per_tensor_symmetric, quant_min = -127, quant_max = 127, reduce_range = true, eps = 2.44140625E-4, bins = 16, is_dynamic = true>
  // CHECK-SAME: <moving_average_min_max, ui8, averaging_constant = 1.000000e-02>
  // Fields in another order, and none but a field.
  // CHECK-SAME: <per_channel_min_max, si8, per_channel_symmetric, ch_axis = 0, fake_quantize = fused_moving_avg_obs_fake_quantize>
  // CHECK-SAME: <min_max, ui8, fake_quantize = fake_quantize>
  // CHECK-SAME: <min_max, ui8>
  // CHECK-SAME: <min_max, si8, per_tensor_symmetric, quant_min = 0, quant_max = 127>
  // CHECK-SAME: <min_max, ui8, quant_min = 0, quant_max = 127>
  // CHECK-SAME: <min_max, ui8>
  func.func private @observer_fields() attributes {test.a = [
    #qbackend.observer<histogram, si8, per_tensor_symmetric, quant_min = -127,
      quant_max = 127, reduce_range = true, eps = 2.44140625E-4,
      bins = 16, is_dynamic = true>,
    #qbackend.observer<moving_average_min_max, ui8, averaging_constant = 0.01>,
    #qbackend.observer<per_channel_min_max, si8, per_channel_symmetric,
      ch_axis = 0, fake_quantize = fused_moving_avg_obs_fake_quantize>,
    #qbackend.observer<min_max, ui8, fake_quantize = fake_quantize>,
    #qbackend.observer<min_max, ui8, fake_quantize = none>,
    #qbackend.observer<min_max, si8, quant_max = 127, quant_min = 0,
      per_tensor_symmetric>,
    #qbackend.observer<min_max, ui8, quant_min = 0, quant_max = 127>,
    #qbackend.observer<min_max, ui8, reduce_range = false, is_dynamic = false>]}

  // CHECK: @patterns
  // CHECK-SAME: #qbackend.pattern<dtypes = []>
  // CHECK-SAME: #qbackend.pattern<observation = output_share_observer_with_input, dtypes = [#qbackend.dtype_config<input = <ui8>>], num_tensor_args_to_observation_type = {"1" = "input_output_not_observed"}, root_module = "root", qat_module = "qat", reference_quantized_module = "reference", fused_module = "fused", fuser_method = "fuse_conv_bn", input_type_to_index = {bias = 2 : i64, weight = 1 : i64}, torch = ["torch.add"]>
  // CHECK-SAME: #qbackend.pattern<observation = input_output_not_observed, dtypes = []>
  func.func private @patterns() attributes {test.a = [
    #qbackend.pattern<observation = output_use_different_observer_as_input,
      dtypes = []>,
    #qbackend.pattern<observation = output_share_observer_with_input,
      dtypes = [#qbackend.dtype_config<input = <ui8>>],
      num_tensor_args_to_observation_type = {"1" = "input_output_not_observed"},
      root_module = "root", qat_module = "qat",
      reference_quantized_module = "reference", fused_module = "fused",
      fuser_method = "fuse_conv_bn",
      input_type_to_index = {weight = 1, bias = 2}, torch = ["torch.add"]>,
    #qbackend.pattern<observation = input_output_not_observed, dtypes = []>]}

  // CHECK: @kinds
  // CHECK-SAME: #qbackend.conv2d<stride = [2, 1], padding = [0, 1, 2, 3], dilation = [1, 2], groups = 4>
  // CHECK-SAME: #qbackend.linear, #qbackend.batch_norm1d<axis = 1, eps = {{[^>]*}}>, #qbackend.batch_norm2d<axis = 3, eps = {{[^>]*}}>
  // CHECK-SAME: #qbackend.add, #qbackend.add<scalar = 5.000000e-01>, #qbackend.mul, #qbackend.mul<scalar = 5.000000e-01>, #qbackend.cat<axis = 3>
  // CHECK-SAME: #qbackend.max_pool2d<kernel = [3, 2], stride = [2, 1], padding = [0, 1, 0, 1], dilation = [1, 1]>
  // CHECK-SAME: #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 1], padding = [0, 1, 0, 1]>
  // CHECK-SAME: #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 1], padding = [0, 1, 0, 1], ceil_mode = true, count_exclude_pad = true, divisor_override = -2>
  // CHECK-SAME: #qbackend.adaptive_avg_pool2d<output_size = [1, 1]>, #qbackend.mean<axes = [1, 2]>, #qbackend.mean<axes = [1, 2], keepdim = true>
  // CHECK-SAME: #qbackend.relu, #qbackend.relu6, #qbackend.hardtanh<min = -1.000000e+00, max = 1.000000e+00>, #qbackend.clamp<min = 0.000000e+00, max = 5.000000e-01>
  // CHECK-SAME: #qbackend.sigmoid, #qbackend.hardsigmoid, #qbackend.hardswish, #qbackend.tanh
  // CHECK-SAME: #qbackend.leaky_relu<negative_slope = 1.250000e-01>, #qbackend.elu<alpha = 1.000000e+00>, #qbackend.softmax<axis = 1>, #qbackend.dropout
  // CHECK-SAME: #qbackend.flatten, #qbackend.flatten<permutation = [0, 3, 1, 2]>, #qbackend.reshape, #qbackend.reshape<permutation = [1, 0]>, #qbackend.transpose<permutation = [1, 0]>
  func.func private @kinds() attributes {test.a = [
    #qbackend.conv2d<stride = [2, 1], padding = [0, 1, 2, 3],
      dilation = [1, 2], groups = 4>,
    #qbackend.linear, #qbackend.batch_norm1d<axis = 1, eps = 1.0e-5>,
    #qbackend.batch_norm2d<axis = 3, eps = 1.0e-5>,
    #qbackend.add, #qbackend.add<scalar = 0.5>, #qbackend.mul,
    #qbackend.mul<scalar = 0.5>, #qbackend.cat<axis = 3>,
    #qbackend.max_pool2d<kernel = [3, 2], stride = [2, 1],
      padding = [0, 1, 0, 1], dilation = [1, 1]>,
    #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 1],
      padding = [0, 1, 0, 1], ceil_mode = false, count_exclude_pad = false>,
    #qbackend.avg_pool2d<kernel = [3, 2], stride = [2, 1],
      padding = [0, 1, 0, 1], ceil_mode = true, count_exclude_pad = true,
      divisor_override = -2>,
    #qbackend.adaptive_avg_pool2d<output_size = [1, 1]>,
    #qbackend.mean<axes = [1, 2], keepdim = false>,
    #qbackend.mean<axes = [1, 2], keepdim = true>,
    #qbackend.relu, #qbackend.relu6, #qbackend.hardtanh<min = -1.0, max = 1.0>,
    #qbackend.clamp<min = 0.0, max = 0.5>, #qbackend.sigmoid,
    #qbackend.hardsigmoid, #qbackend.hardswish, #qbackend.tanh,
    #qbackend.leaky_relu<negative_slope = 0.125>, #qbackend.elu<alpha = 1.0>,
    #qbackend.softmax<axis = 1>, #qbackend.dropout, #qbackend.flatten,
    #qbackend.flatten<permutation = [0, 3, 1, 2]>, #qbackend.reshape,
    #qbackend.reshape<permutation = [1, 0]>,
    #qbackend.transpose<permutation = [1, 0]>]}
}

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

// CHECK-LABEL: qbackend.backend_config @plain version 2 default_qconfig @m {
qbackend.backend_config @plain version 2 default_qconfig @m {
  // CHECK: qbackend.pattern_config [linear] <dtypes = []>
  qbackend.pattern_config [linear] <dtypes = []>
  // CHECK: qbackend.pattern_config [conv2d, "tosa.clamp", relu] <dtypes = []>
  qbackend.pattern_config ["conv2d", "tosa.clamp", relu] <dtypes = []>
  // CHECK: qbackend.pattern_config relu(add(conv2d, _)) <dtypes = [], root = [0, 0], extra_inputs = {{.*}}, fused_operator = ["conv2d", "add", "relu"], torch = #qbackend.node<"torch.nn.ReLU"("torch.add"("torch.nn.Conv2d", _))>>
  qbackend.pattern_config relu(add(conv2d, _)) <dtypes = [], root = [0, 0],
    extra_inputs = [[0, 1]], fused_operator = ["conv2d", "add", "relu"],
    torch = #qbackend.node<"torch.nn.ReLU"("torch.add"("torch.nn.Conv2d", _))>>
  // CHECK: qbackend.pattern_config "vendor.swish"(mul(_, 2 : i64), 5.000000e-01 : f64) <dtypes = [], root = [0], reference = @swish>
  qbackend.pattern_config "vendor.swish"(mul(_, 2), 0.5) <dtypes = [],
    root = [0], reference = @swish>
  // CHECK: qbackend.qconfig_mapping @m {
  qbackend.qconfig_mapping @m {
  }
}

// CHECK-LABEL: qbackend.backend_config @lowered version 2
// CHECK-SAME: default_qconfig @m lowering ["qnnpack", "reference", "linalg"] attributes {test.note} {
qbackend.backend_config @lowered version 2 default_qconfig @m
    lowering ["qnnpack", "reference", "linalg"] attributes {test.note} {
  // CHECK: qbackend.qconfig_mapping @m {
  qbackend.qconfig_mapping @m {
    // CHECK: qbackend.qconfig global <activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
    qbackend.qconfig global <activation = <histogram, ui8>,
      weight = <min_max, si8, per_tensor_symmetric>>
    // CHECK: qbackend.qconfig object_type "relu" none
    qbackend.qconfig object_type "relu" none
    // CHECK: qbackend.qconfig module_name_regex "layer[12]" none
    qbackend.qconfig module_name_regex "layer[12]" none
    // CHECK: qbackend.qconfig module_name "fc" <activation = <min_max, ui8>, weight = <min_max, si8>>
    qbackend.qconfig module_name "fc" <activation = <min_max, ui8>,
      weight = <min_max, si8>>
  }
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @operator
// CHECK-SAME: (%[[X:.*]]: tensor<1x4xf32>, %[[W:.*]]: tensor<2x4xf32>, %[[B:.*]]: tensor<2xf32>)
func.func @operator(%x: tensor<1x4xf32>, %w: tensor<2x4xf32>,
                    %b: tensor<2xf32>) -> tensor<1x2xf32> {
  // CHECK: %[[Y:.*]] = qbackend.operator [#qbackend.relu] inputs(%[[X]]) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<1x4xf32>):
  // CHECK-NEXT: qbackend.yield %[[A]] : tensor<1x4xf32>
  %y = qbackend.operator [#qbackend.relu] inputs(%x)
      : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  // CHECK: qbackend.operator [#qbackend.relu] inputs(%[[X]]) decision(#qbackend.float<code = "QB104">) :
  %real = qbackend.operator [#qbackend.relu] inputs(%x)
      decision(#qbackend.float<code = "QB104">)
      : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  // CHECK: qbackend.operator [#qbackend.relu] inputs(%[[X]]) qconfig <activation = <min_max, ui8>, weight = <min_max, si8>> decision(#qbackend.quantized<pattern = <relu(conv2d)>, dtypes = <input = <ui8>>>) :
  %chosen = qbackend.operator [#qbackend.relu] inputs(%x)
      qconfig <activation = <min_max, ui8>, weight = <min_max, si8>>
      decision(#qbackend.quantized<pattern = <relu(conv2d)>, dtypes = <input = <ui8>>, observation = output_use_different_observer_as_input>)
      : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  // CHECK: decision(#qbackend.quantized<pattern = <relu>, dtypes = <is_dynamic = true>, observation = output_share_observer_with_input, reference = @swish, code = "QB108">) :
  %kept = qbackend.operator [#qbackend.relu] inputs(%x)
      qconfig <activation = <min_max, ui8>, weight = <min_max, si8>>
      decision(#qbackend.quantized<code = "QB108", reference = @swish, pattern = <relu>, dtypes = <is_dynamic = true>, observation = output_share_observer_with_input>)
      : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  // CHECK: qbackend.operator [#qbackend.linear, #qbackend.relu] inputs(%[[Y]]) weight(%[[W]]) bias(%[[B]]) running_mean(%[[B]]) running_var(%[[B]]) qconfig <activation = <min_max, ui8>, weight = <min_max, si8>> attributes {test.note} :
  %z = qbackend.operator [#qbackend.linear, #qbackend.relu] inputs(%y)
      weight(%w) bias(%b) running_mean(%b) running_var(%b)
      qconfig <activation = <min_max, ui8>, weight = <min_max, si8>>
      attributes {test.note}
      : (tensor<1x4xf32>, tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>,
         tensor<2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x4xf32>, %v: tensor<2x4xf32>, %c: tensor<2xf32>,
       %m: tensor<2xf32>, %s: tensor<2xf32>):
    %t = tensor.empty() : tensor<1x2xf32>
    qbackend.yield %t : tensor<1x2xf32>
  }
  // Two operands in a role other than the first.
  // CHECK: qbackend.operator [#qbackend.add] inputs(%{{.*}}, %{{.*}}) : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> {
  %r = qbackend.operator [#qbackend.add] inputs(%z, %z)
      : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %c: tensor<1x2xf32>):
    qbackend.yield %c : tensor<1x2xf32>
  }
  return %r : tensor<1x2xf32>
}

// CHECK-LABEL: func @transpose
func.func @transpose(%x: tensor<1x3x?x8xf32>) -> tensor<1x?x8x3xf32> {
  // CHECK: qbackend.transpose %{{.*}} [0, 2, 3, 1] : tensor<1x3x?x8xf32> -> tensor<1x?x8x3xf32>
  %y = qbackend.transpose %x [0, 2, 3, 1]
    : tensor<1x3x?x8xf32> -> tensor<1x?x8x3xf32>
  return %y : tensor<1x?x8x3xf32>
}

//===----------------------------------------------------------------------===//
// Observation, quantize, dequantize
//===----------------------------------------------------------------------===//

// CHECK: qbackend.observer @plain_observer <histogram, ui8>{{$}}
qbackend.observer @plain_observer <histogram, ui8>
// CHECK: qbackend.observer @seen <min_max, ui8> range [-1.0{{[^,]*}}, 2.0{{.*}}]{{$}}
qbackend.observer @seen <min_max, ui8> range [-1.0, 2.0]
// CHECK: qbackend.observer @calibrated <min_max, si8> range [-1.0{{[^,]*}}, 2.0{{.*}}] scale 0.0039215688593685627 zero_point -128{{$}}
qbackend.observer @calibrated <min_max, si8> range [-1.0, 2.0]
  scale 3.9215688593685627E-3 zero_point -128
// CHECK: qbackend.observer @fixed <fixed_qparams, ui8, scale = 7.812500e-03, zero_point = 128> scale 7.812500e-03 zero_point 128{{$}}
qbackend.observer @fixed
  <fixed_qparams, ui8, scale = 0.0078125, zero_point = 128>
  scale 0.0078125 zero_point 128

// CHECK-LABEL: func @observe
// CHECK-SAME: %{{.*}}: tensor<?x4xf32> {qbackend.range = array<f64: -1.000000e+00, 1.000000e+00>}
func.func @observe(%x: tensor<?x4xf32>
                     {qbackend.range = array<f64: -1.0, 1.0>})
    -> tensor<?x4xf32> {
  // CHECK: qbackend.observe %{{.*}} by @seen : tensor<?x4xf32>
  %y = qbackend.observe %x by @seen : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func @quantize
func.func @quantize(%x: tensor<2x?xf32>)
    -> (tensor<2x?xf32>, tensor<2x?x!channels>) {
  // CHECK: qbackend.quantize %{{[^ ]*}} : tensor<2x?xf32> -> tensor<2x?x!quant.uniform<u8:f32, 5.000000e-01:3>>
  %q = qbackend.quantize %x : tensor<2x?xf32> -> tensor<2x?x!u8>
  // CHECK: qbackend.dequantize %{{[^ ]*}} : tensor<2x?x!quant.uniform<u8:f32, 5.000000e-01:3>> -> tensor<2x?xf32>
  %y = qbackend.dequantize %q : tensor<2x?x!u8> -> tensor<2x?xf32>
  // CHECK: qbackend.quantize %{{.*}} -> tensor<2x?x!quant.uniform<i8<-127:127>:f32:0, {5.000000e-01,2.500000e-01}>>
  %w = qbackend.quantize %x : tensor<2x?xf32> -> tensor<2x?x!channels>
  return %y, %w : tensor<2x?xf32>, tensor<2x?x!channels>
}

// CHECK-LABEL: func.func private @swish
func.func private @swish(tensor<?xi8> {qbackend.role = "input0"},
  f32 {qbackend.role = "output.scale"}) -> tensor<?xi8>

// CHECK-LABEL: func.func private @bytes
// CHECK-SAME: (tensor<4xi8> {qbackend.unsigned}) -> (tensor<4xi16> {qbackend.unsigned})
func.func private @bytes(tensor<4xi8> {qbackend.unsigned})
    -> (tensor<4xi16> {qbackend.unsigned})

// CHECK-LABEL: qbackend.backend_config @minimal version 2 {
qbackend.backend_config @minimal version 2 {
}

// CHECK-LABEL: qbackend.qconfig_mapping @order
qbackend.qconfig_mapping @order {
  // CHECK: qbackend.qconfig module_name_object_type_order "layer1", "relu", 0 none
  qbackend.qconfig module_name_object_type_order "layer1", "relu", 0 none
}
