// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: qbackend-opt %s -split-input-file -verify-diagnostics

// dtype: unsupported type
// expected-error @+1 {{dtype 'i8' is not supported; expected ui4, si4, ui8, si8, ui16, si16, si32, f8E4M3FN, f8E5M2, f16, bf16 or f32}}
#d = #qbackend.dtype<i8>

// -----

// dtype: bounds in the wrong order
// expected-error @+1 {{quant_min 5 is larger than quant_max 4}}
#d = #qbackend.dtype<ui8, quant_min = 5, quant_max = 4>

// -----

// observer: unsupported type
// expected-error @+1 {{dtype 'ui7' is not supported}}
#o = #qbackend.observer<min_max, ui7>

// -----

// observer: unknown field
// expected-error @+1 {{unknown field or scheme 'per_tensor'; fields are quant_min, quant_max, reduce_range, eps, averaging_constant, bins, scale, zero_point, is_dynamic, ch_axis, percentile, fake_quantize; schemes are per_tensor_affine}}
#o = #qbackend.observer<min_max, ui8, per_tensor>

// -----

// observer: field given twice
// expected-error @+1 {{a second 'bins'}}
#o = #qbackend.observer<histogram, ui8, bins = 16, bins = 32>

// -----

// observer: one bound
// expected-error @+1 {{quant_min and quant_max come together}}
#o = #qbackend.observer<min_max, ui8, quant_min = 0>

// -----

// observer: empty range
// expected-error @+1 {{quant_min 7 is not less than quant_max 7}}
#o = #qbackend.observer<min_max, ui8, quant_min = 7, quant_max = 7>

// -----

// observer: eps of 0
// expected-error-re @+1 {{eps is 0{{.*}}, expected a positive number}}
#o = #qbackend.observer<min_max, ui8, eps = 0.0>

// -----

// observer: no bins
// expected-error @+1 {{bins is 0, expected 1 to 1048576}}
#o = #qbackend.observer<histogram, ui8, bins = 0>

// -----

// observer: more bins than there is memory for
// expected-error @+1 {{bins is 1000000000000, expected 1 to 1048576}}
#o = #qbackend.observer<histogram, ui8, bins = 1000000000000>

// -----

// observer: a range that doesn't fit in 32 bits
// expected-error @+1 {{a quantized value of -4294967296 doesn't fit in 32 bits}}
#o = #qbackend.observer<min_max, ui8, quant_min = -4294967296, quant_max = 7>

// -----

// observer: an average that leaves its values
// expected-error-re @+1 {{averaging_constant is 1.5{{.*}}, expected a number from 0 to 1}}
#o = #qbackend.observer<moving_average_min_max, ui8, averaging_constant = 1.5>

// -----

// observer: a zero point that is no quantized value
// expected-error @+1 {{zero_point is 300, expected one of the quantized values, 0 to 255}}
#o = #qbackend.observer<fixed_qparams, ui8, scale = 1.0, zero_point = 300>

// -----

// observer: a zero point outside of its range
// expected-error @+1 {{zero_point is 128, expected one of the quantized values, 0 to 127}}
#o = #qbackend.observer<fixed_qparams, ui8, quant_min = 0, quant_max = 127, scale = 1.0, zero_point = 128>

// -----

// observer: a scale that f32 doesn't have
// expected-error-re @+1 {{scale is {{.*}}, expected a positive number that f32 has}}
#o = #qbackend.observer<fixed_qparams, ui8, scale = 1.0e39, zero_point = 0>

// -----

// observer: an eps that f32 doesn't have
// expected-error-re @+1 {{eps is {{.*}}, expected a positive number that f32 has}}
#o = #qbackend.observer<min_max, ui8, eps = 1.0e39>

// -----

// observer: fixed without parameters
// expected-error @+1 {{fixed_qparams needs scale and zero_point}}
#o = #qbackend.observer<fixed_qparams, ui8, scale = 0.5>

// -----

// observer: parameters without fixed
// expected-error @+1 {{min_max has no scale, which belongs to fixed_qparams}}
#o = #qbackend.observer<min_max, ui8, scale = 0.5, zero_point = 0>

// -----

// observer: negative fixed scale
// expected-error-re @+1 {{scale is -5{{.*}}, expected a positive number}}
#o = #qbackend.observer<fixed_qparams, ui8, scale = -0.5, zero_point = 0>

// -----

// pattern: dtypes holds something else
// expected-error @+1 {{1 : i64 in 'dtypes' is not a #qbackend.dtype_config}}
#p = #qbackend.pattern<dtypes = [1]>

// -----

// pattern: unknown observation type
// expected-error @+1 {{"shared" in 'num_tensor_args_to_observation_type' is not one of "output_use_different_observer_as_input", "output_share_observer_with_input", "input_output_not_observed"}}
#p = #qbackend.pattern<dtypes = [], num_tensor_args_to_observation_type = {"0" = "shared"}>

// -----

// pattern: index is not a number
// expected-error @+1 {{'input_type_to_index' maps weight to "1", expected an index}}
#p = #qbackend.pattern<dtypes = [], input_type_to_index = {weight = "1"}>

// -----

// conv2d: length, element, groups
// expected-error @+1 {{'stride' has 1 elements, expected 2}}
#k = #qbackend.conv2d<stride = [1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>

// -----

// expected-error @+1 {{'padding' has 2 elements, expected 4}}
#k = #qbackend.conv2d<stride = [1, 1], padding = [0, 0], dilation = [1, 1], groups = 1>

// -----

// expected-error @+1 {{'padding' holds -1, expected 0 or more}}
#k = #qbackend.conv2d<stride = [1, 1], padding = [0, -1, 0, 0], dilation = [1, 1], groups = 1>

// -----

// expected-error @+1 {{'dilation' holds 0, expected 1 or more}}
#k = #qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 0], groups = 1>

// -----

// expected-error @+1 {{'groups' is 0, expected 1 or more}}
#k = #qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 0>

// -----

// max_pool2d, avg_pool2d
// expected-error @+1 {{'kernel' holds 0, expected 1 or more}}
#k = #qbackend.max_pool2d<kernel = [0, 2], stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1]>

// -----

// expected-error @+1 {{'dilation' has 1 elements, expected 2}}
#k = #qbackend.max_pool2d<kernel = [2, 2], stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1]>

// -----

// expected-error @+1 {{'stride' holds 0, expected 1 or more}}
#k = #qbackend.avg_pool2d<kernel = [2, 2], stride = [1, 0], padding = [0, 0, 0, 0]>

// -----

// expected-error @+1 {{'divisor_override' is 0}}
#k = #qbackend.avg_pool2d<kernel = [2, 2], stride = [1, 1], padding = [0, 0, 0, 0], divisor_override = 0>

// -----

// expected-error @+1 {{has version 3; this program reads versions 1 to 2}}
qbackend.backend_config @version version 3 default_qconfig @m {
  qbackend.qconfig_mapping @m {
  }
}

// -----

// expected-error @+1 {{has version 0; this program reads versions 1 to 2}}
qbackend.backend_config @version_0 version 0 default_qconfig @m {
  qbackend.qconfig_mapping @m {
  }
}

// -----

// expected-error @+1 {{has a lowering without a name}}
qbackend.backend_config @lowering version 2 lowering [""] {
}

// -----

// expected-error @+1 {{has the lowering "linalg" twice}}
qbackend.backend_config @lowering_twice version 2 lowering ["linalg", "linalg"] {
}

// -----

qbackend.backend_config @duplicate version 2 {
  // expected-note @+1 {{the first one}}
  qbackend.pattern_config [linear] <dtypes = []>
  qbackend.pattern_config [linear] <dtypes = [], torch = ["torch.nn.Linear"]>
  // expected-error @+1 {{has a pattern that the backend has already; give one of the two all dtypes, or another 'torch'}}
  qbackend.pattern_config [linear] <dtypes = [], root_module = "a">
}

// -----

qbackend.backend_config @one_spelling version 2 {
  // expected-note @+1 {{the first one}}
  qbackend.pattern_config [linear] <dtypes = [], torch = ["torch.nn.Linear"]>
  // Of one name in PyTorch: operators of several ranks.
  qbackend.pattern_config [matmul] <dtypes = [], torch = ["torch.nn.Linear"]>
  // expected-error @+1 {{has the 'torch' of another pattern, ["torch.nn.Linear"], which PyTorch has one entry for, and other fields; give both the same fields, or one of the two another 'torch'}}
  qbackend.pattern_config [conv2d] <dtypes = [], root_module = "a", torch = ["torch.nn.Linear"]>
}

// -----

qbackend.backend_config @root version 2 {
  // expected-error @+1 {{has a pattern whose last operands don't lead to an operator; name the one whose inputs are observed with 'root'}}
  qbackend.pattern_config add(conv2d, _) <dtypes = []>
}

// -----

qbackend.backend_config @root_of_nothing version 2 {
  // expected-error @+1 {{has the root [1], which is not an operator of the pattern}}
  qbackend.pattern_config add(conv2d, _) <dtypes = [], root = [1]>
}

// -----

qbackend.backend_config @inner_root version 2 {
  // expected-error @+1 {{has the root "add", whose operands are operators of the pattern; expected one whose operands come from outside}}
  qbackend.pattern_config add(conv2d, _) <dtypes = [], root = []>
}

// -----

qbackend.backend_config @extra version 2 {
  // expected-error @+1 {{has the extra input [0], which is not a wildcard of the pattern}}
  qbackend.pattern_config add(conv2d, _) <dtypes = [], root = [0], extra_inputs = [[0]]>
}

// -----

qbackend.backend_config @extra_missing version 2 {
  // expected-error @+1 {{has 0 extra inputs, but 1 wildcards outside of its root}}
  qbackend.pattern_config add(conv2d, _) <dtypes = [], root = [0], extra_inputs = []>
}

// -----

qbackend.backend_config @fused_operator version 2 {
  // expected-error @+1 {{has the fused_operator ["relu", "conv2d"], which are not operators of the pattern in their order}}
  qbackend.pattern_config [conv2d, relu] <dtypes = [], fused_operator = ["relu", "conv2d"]>
}

// -----

qbackend.backend_config @reference version 2 {
  // expected-error @+1 {{has the reference @missing, but there is no such function beside the backend}}
  qbackend.pattern_config [linear] <dtypes = [], reference = @missing>
}

// -----

qbackend.backend_config @number_first version 2 {
  // expected-error @+1 {{a pattern starts with an operator, its last one}}
  qbackend.pattern_config 5 <dtypes = []>
}

// -----

// expected-error @+1 {{the pattern of an operand is [f32], expected an operator, _ or a number}}
#n = #qbackend.node<add([f32])>

// -----

// expected-error @+1 {{argument 0 has 'qbackend.role' = "output"; expected "inputN", "weight" or "bias", or one of them or "output" with ".scale" or ".zero_point", or "attribute.NAME"}}
func.func private @role(tensor<?xi8> {qbackend.role = "output"})

// -----

qbackend.qconfig_mapping @order {
  // expected-error @+1 {{of level module_name_object_type_order needs a kind and an index}}
  qbackend.qconfig module_name_object_type_order "layer1" none
}

// -----

qbackend.qconfig_mapping @no_order {
  // expected-error @+1 {{of level module_name takes no kind and no index}}
  qbackend.qconfig module_name "layer1", "relu", 0 none
}

// -----

qbackend.qconfig_mapping @negative_order {
  // expected-error @+1 {{has the index -1, expected 0 or more}}
  qbackend.qconfig module_name_object_type_order "layer1", "relu", -1 none
}

// -----

// dtype: scale of 0, bounds, schemes
// expected-error-re @+1 {{scale_min is 0{{.*}}, expected a positive and finite number}}
#d = #qbackend.dtype<ui8, scale_min = 0.0>

// -----

// expected-error @+1 {{scale_min 5.000000e+00 is larger than scale_max 2.000000e+00}}
#d = #qbackend.dtype<ui8, scale_min = 5.0, scale_max = 2.0>

// -----

// expected-error @+1 {{"symmetric" in 'qschemes' is not one of "per_tensor_affine"}}
#d = #qbackend.dtype<ui8, qschemes = ["symmetric"]>

// -----

// dtype_config: bias
// expected-error @+1 {{dtype 'i8' is not supported}}
#c = #qbackend.dtype_config<bias = i8>

// -----

// observer: axis of no channels
// expected-error @+1 {{min_max has no ch_axis, which belongs to per_channel_min_max, moving_average_per_channel_min_max}}
#o = #qbackend.observer<min_max, ui8, ch_axis = 1>

// -----

// expected-error @+1 {{ch_axis is -1, expected 0 or more}}
#o = #qbackend.observer<per_channel_min_max, ui8, ch_axis = -1>

// -----

// expected-error @+1 {{histogram has no percentile, which belongs to percentile}}
#o = #qbackend.observer<histogram, ui8, percentile = 99.0>

// -----

// expected-error @+1 {{min_max has no bins, which belongs to histogram}}
#o = #qbackend.observer<min_max, ui8, bins = 128>

// -----

// expected-error @+1 {{noop has no qscheme, which belongs to min_max, moving_average_min_max, per_channel_min_max, moving_average_per_channel_min_max, histogram, fixed_qparams, placeholder, percentile, entropy, mse}}
#o = #qbackend.observer<noop, f16, per_tensor_symmetric>

// -----

// observer: a kind that there isn't
// expected-error @+1 {{unknown observer 'kl', expected min_max, moving_average_min_max, per_channel_min_max, moving_average_per_channel_min_max, histogram, fixed_qparams, placeholder, noop, reuse_input, percentile, entropy, mse}}
#o = #qbackend.observer<kl, ui8>

// -----

// expected-error @+1 {{percentile is 5.000000e+01, expected more than 50 and at most 100}}
#o = #qbackend.observer<percentile, ui8, percentile = 50.0>

// -----

// pattern: observation by something else, key, names
// expected-error @+1 {{'num_tensor_args_to_observation_type' is 1 : i64, expected}}
#p = #qbackend.pattern<dtypes = [], num_tensor_args_to_observation_type = 1>

// -----

// expected-error @+1 {{'num_tensor_args_to_observation_type' has the key "two", expected a number of tensors}}
#p = #qbackend.pattern<dtypes = [], num_tensor_args_to_observation_type = {"two" = "input_output_not_observed"}>

// -----

// expected-error @+1 {{'input_type_to_index' maps weight to -1 : i64, expected an index}}
#p = #qbackend.pattern<dtypes = [], input_type_to_index = {weight = -1}>

// -----

// expected-error @+1 {{'input_type_to_index' has 'weigth', expected input, weight or bias}}
#p = #qbackend.pattern<dtypes = [], input_type_to_index = {weigth = 1}>

// -----

// expected-error @+1 {{'extra_inputs' holds 1 : i64, expected lists of operand indices such as [0, 1]}}
#p = #qbackend.pattern<dtypes = [], extra_inputs = [1]>

// -----

// expected-error @+1 {{'fused_operator' holds "", expected names in quotes}}
#p = #qbackend.pattern<dtypes = [], fused_operator = [""]>

// -----

// expected-error @+1 {{'torch' is "torch.add", expected names in brackets or a #qbackend.node}}
#p = #qbackend.pattern<dtypes = [], torch = "torch.add">

// -----

qbackend.backend_config @version version 2 default_qconfig @m {
  qbackend.qconfig_mapping @m {
  }
}

// -----

qbackend.backend_config @content version 2 default_qconfig @m {
  qbackend.qconfig_mapping @m {
  }
  // expected-error @+1 {{does not belong in a backend_config; expected qbackend.pattern_config, qbackend.limit or qbackend.qconfig_mapping}}
  qbackend.observer @o <min_max, ui8>
}

// -----

// expected-error @+1 {{has no qconfig_mapping @m, which default_qconfig names}}
qbackend.backend_config @default version 2 default_qconfig @m {
}

// -----

qbackend.backend_config @too_long version 2 default_qconfig @m {
  // expected-error @+1 {{has a pattern of 4 operators, expected 1 to 3}}
  qbackend.pattern_config [linear, relu, add, relu] <dtypes = []>
}

// -----

qbackend.backend_config @empty version 2 default_qconfig @m {
  // expected-error @+1 {{has a pattern of 0 operators, expected 1 to 3}}
  qbackend.pattern_config [] <dtypes = []>
}

// -----

qbackend.backend_config @empty_name version 2 default_qconfig @m {
  // expected-error @+1 {{has a pattern with an empty name}}
  qbackend.pattern_config [linear, ""] <dtypes = []>
}

// -----

// expected-error @+1 {{'qbackend.pattern_config' op expects parent op 'qbackend.backend_config'}}
qbackend.pattern_config [linear] <dtypes = []>

// -----

qbackend.qconfig_mapping @content {
  // expected-error @+1 {{does not belong in a qconfig_mapping; expected qbackend.qconfig}}
  %c = arith.constant 1 : i32
}

// -----

qbackend.qconfig_mapping @global_with_selector {
  // expected-error @+1 {{of level global takes no selector}}
  qbackend.qconfig global "conv2d" none
}

// -----

qbackend.qconfig_mapping @without_selector {
  // expected-error @+1 {{of level module_name needs a selector}}
  qbackend.qconfig module_name none
}

// -----

qbackend.qconfig_mapping @regex {
  // expected-error @+1 {{selector "layer(1" is not a regular expression: parentheses not balanced}}
  qbackend.qconfig module_name_regex "layer(1" none
}

// -----

// expected-error @+1 {{'qbackend.qconfig' op expects parent op 'qbackend.qconfig_mapping'}}
qbackend.qconfig global none

// -----

func.func @no_kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has no operator kind; expected one such as #qbackend.relu}}
  %y = qbackend.operator [] inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @not_a_kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{"relu" is not an operator kind; expected an attribute such as #qbackend.relu}}
  %y = qbackend.operator ["relu"] inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @argument_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has 2 operands, its body has 1 arguments}}
  %y = qbackend.operator [#qbackend.add] inputs(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @argument_type(%x: tensor<4xf32>, %z: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{argument 1 of the body is of type 'tensor<4xf32>', the operand of type 'tensor<3xf32>'}}
  %y = qbackend.operator [#qbackend.add] inputs(%x, %z) : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @yielded_type(%x: tensor<4xf32>) -> tensor<1x4xf32> {
  // expected-error @+1 {{yields 'tensor<4xf32>', expected 'tensor<1x4xf32>'}}
  %y = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return %y : tensor<1x4xf32>
}

// -----

func.func @yields_nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{yields nothing, expected 'tensor<4xf32>'}}
  %y = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield
  }
  return %y : tensor<4xf32>
}

// -----

#conv = #qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>
func.func @conv2d_without_weight(%x: tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32> {
  // expected-error @+1 {{a conv2d has a weight of rank 4, [out, height, width, in / groups]}}
  %y = qbackend.operator [#conv] inputs(%x) : (tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32> {
  ^bb0(%a: tensor<1x4x4x3xf32>):
    qbackend.yield %a : tensor<1x4x4x3xf32>
  }
  return %y : tensor<1x4x4x3xf32>
}

// -----

#conv = #qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>
func.func @conv2d_of_two(%x: tensor<1x4x4x3xf32>, %w: tensor<3x1x1x3xf32>) -> tensor<1x4x4x3xf32> {
  // expected-error @+1 {{a conv2d has one activation of rank 4, channels last}}
  %y = qbackend.operator [#conv] inputs(%x, %x) weight(%w) : (tensor<1x4x4x3xf32>, tensor<1x4x4x3xf32>, tensor<3x1x1x3xf32>) -> tensor<1x4x4x3xf32> {
  ^bb0(%a: tensor<1x4x4x3xf32>, %b: tensor<1x4x4x3xf32>, %v: tensor<3x1x1x3xf32>):
    qbackend.yield %a : tensor<1x4x4x3xf32>
  }
  return %y : tensor<1x4x4x3xf32>
}

// -----

#conv = #qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 3>
func.func @conv2d_channels(%x: tensor<1x4x4x3xf32>, %w: tensor<3x1x1x3xf32>) -> tensor<1x4x4x3xf32> {
  // expected-error @+1 {{the activation has 3 channels, the weight is for 3 in each of 3 groups}}
  %y = qbackend.operator [#conv] inputs(%x) weight(%w) : (tensor<1x4x4x3xf32>, tensor<3x1x1x3xf32>) -> tensor<1x4x4x3xf32> {
  ^bb0(%a: tensor<1x4x4x3xf32>, %v: tensor<3x1x1x3xf32>):
    qbackend.yield %a : tensor<1x4x4x3xf32>
  }
  return %y : tensor<1x4x4x3xf32>
}

// -----

func.func @linear_without_weight(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-error @+1 {{a linear has a weight of rank 2, [out, in]}}
  %y = qbackend.operator [#qbackend.linear] inputs(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  return %y : tensor<1x4xf32>
}

// -----

func.func @linear_of_scalar(%x: tensor<f32>, %w: tensor<4x1xf32>) -> tensor<f32> {
  // expected-error @+1 {{a linear has one activation of rank 1 or more}}
  %y = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (tensor<f32>, tensor<4x1xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %v: tensor<4x1xf32>):
    qbackend.yield %a : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

func.func @linear_features(%x: tensor<1x4xf32>, %w: tensor<4x5xf32>) -> tensor<1x4xf32> {
  // expected-error @+1 {{the activation has 4 features, the weight is for 5}}
  %y = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (tensor<1x4xf32>, tensor<4x5xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>, %v: tensor<4x5xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  return %y : tensor<1x4xf32>
}

// -----

func.func @not_a_permutation(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // expected-error @+1 {{[1, 1] is not a permutation of the 2 dimensions of the input}}
  %y = qbackend.transpose %x [1, 1] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

func.func @transposed_type(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{gives 'tensor<3x2xf32>', the result is of type 'tensor<2x3xf32>'}}
  %y = qbackend.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// expected-error @+1 {{scale and zero_point come together}}
"qbackend.observer"() {sym_name = "o", config = #qbackend.observer<min_max, ui8>, scale = 1.0 : f64} : () -> ()

// -----

// expected-error-re @+1 {{scale is 0{{.*}}, expected a positive number}}
qbackend.observer @zero_scale <min_max, ui8> scale 0.0 zero_point 0

// -----

// expected-error @+1 {{expected a positive number}}
qbackend.observer @infinite_scale <min_max, ui8> scale 0x7FF0000000000000 zero_point 0

// -----

// expected-error @+1 {{of 'f32' has no scale}}
qbackend.observer @real <placeholder, f32> scale 1.0 zero_point 0

// -----

// expected-error @+1 {{zero point 256 is outside the range [0, 255] of 'ui8'}}
qbackend.observer @above <min_max, ui8> scale 1.0 zero_point 256

// -----

// expected-error @+1 {{zero point -129 is outside the range [-128, 127] of 'si8'}}
qbackend.observer @below <min_max, si8> scale 1.0 zero_point -129

// -----

func.func @observer_name(%x: tensor<4xf32>) {
  // expected-error @+1 {{@observer_name is not a qbackend.observer}}
  %y = qbackend.observe %x by @observer_name : tensor<4xf32>
  return
}

// -----

func.func @quantize_shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{input 'tensor<4xf32>' and output 'tensor<1x4x!quant.uniform<u8:f32, 5.000000e-01>>' differ in shape}}
  %q = qbackend.quantize %x : tensor<4xf32> -> tensor<1x4x!quant.uniform<u8:f32, 0.5>>
  return
}

// -----

func.func @dequantize_shape(%q: tensor<4x!quant.uniform<u8:f32, 0.5>>) {
  // expected-error @+1 {{differ in shape}}
  %x = qbackend.dequantize %q : tensor<4x!quant.uniform<u8:f32, 0.5>> -> tensor<5xf32>
  return
}

// -----

// expected-error @+1 {{expected array<f64: MIN, MAX> with MIN <= MAX}}
func.func private @range_backwards(tensor<4xf32> {qbackend.range = array<f64: 1.0, -1.0>})

// -----

// expected-error @+1 {{argument 0 has 'qbackend.range' = 1 : i64}}
func.func private @range_type(tensor<4xf32> {qbackend.range = 1})

// -----

// expected-error @+1 {{argument 0 has 'qbackend.name' = 1 : i64; expected a string that is not empty}}
func.func private @name_type(tensor<4xf32> {qbackend.name = 1})

// -----

// expected-error @+1 {{argument 0 has 'qbackend.name' = ""}}
func.func private @name_empty(tensor<4xf32> {qbackend.name = ""})

// -----

// expected-error @+1 {{argument 0 has 'qbackend.quantized' = 8 : i64; expected no value}}
func.func private @quantized_value(tensor<4xf32> {qbackend.quantized = 8})

// -----

// expected-error @+1 {{argument 1 has 'qbackend.quantized' and is 'tensor<4xi64>'; expected a tensor of f32}}
func.func @quantized_indices(%x: tensor<4xf32>, %i: tensor<4xi64> {qbackend.quantized}) {
  return
}

// -----

// expected-error @+1 {{result 0 has 'qbackend.quantized' and is 'f32'; expected a tensor of f32}}
func.func @quantized_scalar(%x: f32) -> (f32 {qbackend.quantized}) {
  return %x : f32
}

// -----

// expected-error @+1 {{argument 0 has 'qbackend.unsigned' = true; expected no value}}
func.func private @unsigned_value(tensor<4xi8> {qbackend.unsigned = true})

// -----

// expected-error @+1 {{result 0 has 'qbackend.unsigned' and is 'tensor<4xf32>'; expected a tensor of signless integers}}
func.func @unsigned_reals(%x: tensor<4xf32>) -> (tensor<4xf32> {qbackend.unsigned}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'builtin.module' op has 'qbackend.nonsense', which is no attribute of the dialect; expected one of qbackend.range, qbackend.name, qbackend.quantized, qbackend.unsigned, qbackend.role, qbackend.source_values, qbackend.moves, qbackend.rounds, qbackend.torch_names, qbackend.module_types, qbackend.channel_axis, qbackend.corrections, qbackend.ignore_unknown_names, qbackend.edges, qbackend.requantization, qbackend.units, qbackend.parallel, or another prefix}}
module attributes {qbackend.nonsense = 3} {
}

// -----

// expected-error @+1 {{'builtin.module' op has 'qbackend.rounds' = 1 : i64; expected no value}}
module attributes {qbackend.rounds = 1} {
}

// -----

// expected-error @+1 {{'func.func' op has 'qbackend.rounds', which is for modules; leave it out}}
func.func private @rounds() attributes {qbackend.rounds}

// -----

// expected-error @+1 {{'func.func' op has 'qbackend.range', which is for arguments; leave it out}}
func.func private @range_of_function(f32) attributes {qbackend.range = array<f64: 0.0, 1.0>}

// -----

// expected-error @+1 {{result 0 has 'qbackend.name', which is for arguments; leave it out}}
func.func private @name_of_result() -> (f32 {qbackend.name = "y"})

// -----

qbackend.observer @o <min_max, ui8>

func.func @axis_of_no_dimension(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{has 'qbackend.channel_axis' = 2 on 'tensor<2x3xf32>'; expected one of its dimensions}}
  %y = qbackend.observe %x by @o {qbackend.channel_axis = 2 : i64} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

qbackend.observer @o <min_max, ui8>

func.func @axis_below_0(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{has 'qbackend.channel_axis' = -1 : i64; expected the number of a dimension, an i64}}
  %y = qbackend.observe %x by @o {qbackend.channel_axis = -1 : i64} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

qbackend.observer @o <min_max, ui8>

func.func @too_many_values(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{has 'qbackend.source_values' = 4611686018427387904 : i64; expected a count up to 2^20, an i64, or an array of such places}}
  %y = qbackend.observe %x by @o {qbackend.source_values = 4611686018427387904 : i64} : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

qbackend.observer @o <min_max, ui8>

func.func @negative_place(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{has 'qbackend.source_values' = array<i64: 0, -1>; expected a count up to 2^20, an i64, or an array of such places}}
  %y = qbackend.observe %x by @o {qbackend.source_values = array<i64: 0, -1>} : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// expected-error @+1 {{has 'qbackend.moves' = }}
func.func private @move_without_kind() attributes {qbackend.moves = [["flatten", "x"]]}

// -----

// expected-error @+1 {{expected an array of arrays of four strings}}
func.func private @move_without_place() attributes {qbackend.moves = [["flatten", "x", "reshape"]]}

// -----

// expected-error @+1 {{argument 0 has 'qbackend.units', which is for calls; leave it out}}
func.func private @units_of_argument(f32 {qbackend.units = 2})

// -----

// expected-error @+1 {{'qbackend.qconfig_mapping' op has 'qbackend.corrections' = "bias-correction"; expected an array of names}}
qbackend.qconfig_mapping @corrected attributes {qbackend.corrections = "bias-correction"} {
}

// -----

// expected-error @+1 {{code "QB1" is no code of a remark, expected one such as "QB104"}}
#real = #qbackend.float<code = "QB1">

// -----

// expected-error @+1 {{code "missed" is no code of a remark}}
#quantized = #qbackend.quantized<pattern = <relu>, dtypes = <input = <ui8>>, code = "missed">

// -----

func.func @decision_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'decision' failed to satisfy constraint}}
  %y = qbackend.operator [#qbackend.relu] inputs(%x) decision("QB104") : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @quantized_without_qconfig(%x: tensor<4xf32>) {
  // expected-error @+1 {{has the decision #qbackend.quantized<pattern = <relu>, dtypes = <input = <ui8>>> and no qconfig; one that is quantized has one}}
  %y = qbackend.operator [#qbackend.relu] inputs(%x) decision(#qbackend.quantized<pattern = <relu>, dtypes = <input = <ui8>>>) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @real_with_qconfig(%x: tensor<4xf32>) {
  // expected-error @+1 {{has the decision #qbackend.float<code = "QB104"> and a qconfig; one that is quantized has one, one that is float has none}}
  %y = qbackend.operator [#qbackend.relu] inputs(%x) qconfig <activation = <min_max, ui8>, weight = <min_max, si8>> decision(#qbackend.float<code = "QB104">) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    qbackend.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @fused_inputs(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{has 1 inputs, a matmul takes 2}}
  %y = qbackend.operator [#qbackend.matmul, #qbackend.relu] inputs(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    qbackend.yield %a : tensor<4x4xf32>
  }
  return
}

// -----

// expected-error @+1 {{unknown spec 'mine', expected own, none, shared, shared_or_own or derived}}
#spec = #qbackend.spec<mine>

// -----

// expected-error @+1 {{'shared' names ["weight"], expected input0, input1, ... or producer}}
#spec = #qbackend.spec<shared weight>

// -----

// expected-error @+1 {{'shared_or_own' names ["input0"], expected producer}}
#spec = #qbackend.spec<shared_or_own input0>

// -----

// expected-error @+1 {{'derived' has the formula "sum", expected "scale_product"}}
#spec = #qbackend.spec<derived sum(input0, weight) as <si32>>

// -----

// expected-error @+1 {{'derived' is from ["weight", "input0"], expected an input and the weight: (input0, weight)}}
#spec = #qbackend.spec<derived scale_product(weight, input0) as <si32>>

// -----

// expected-error @+1 {{'derived' has the dtype #qbackend.dtype<si8>, expected si32, that of the sums}}
#spec = #qbackend.spec<derived scale_product(input0, weight) as <si8>>

// -----

// expected-error @+1 {{a multiplier of f32 is rounded 'double', expected nearest_even, or a multiplier of fixed_point}}
#requantization = #qbackend.requantization<rounding = double, multiplier = f32>

// -----

// expected-error @+1 {{a multiplier of f32 has the quotient 'f32'; leave it out: the engine has its own order}}
#requantization = #qbackend.requantization<rounding = nearest_even, multiplier = f32, quotient = f32>

// -----

qbackend.backend_config @b version 2 {
  // expected-error @+1 {{has 'qbackend.requantization' = 3 : i64; expected a #qbackend.requantization}}
  qbackend.pattern_config [relu] <dtypes = []> {qbackend.requantization = 3}
}

// -----

// expected-error @+1 {{'builtin.module' op has 'qbackend.requantization', which is for qbackend.pattern_config and qbackend.operator; leave it out}}
module attributes {qbackend.requantization = #qbackend.requantization<rounding = double, multiplier = fixed_point>} {
}

// -----

// expected-error @+1 {{unknown field 'outputs', expected inputs, weight, bias, output or if}}
#edges = #qbackend.edges<inputs = [own], outputs = own>

// -----

// expected-error @+1 {{a second 'output'}}
#edges = #qbackend.edges<inputs = [own], output = own, output = own>

// -----

// expected-error @+1 {{unknown condition 'always', expected inputs_quantized, user_quantized or spelled}}
#edges = #qbackend.edges<inputs = [own], output = own, if = [always]>

// -----

// expected-error @+1 {{'if' has user_quantized twice}}
#edges = #qbackend.edges<inputs = [own], if = [user_quantized, user_quantized]>

// -----

// A cycle of one.
// expected-error @+1 {{'input 0' shares with input0, which is not before it; expected one of the 0 inputs before}}
#edges = #qbackend.edges<inputs = [shared input0], output = own>

// -----

// A cycle of two.
// expected-error @+1 {{'input 0' shares with input1, which is not before it}}
#edges = #qbackend.edges<inputs = [shared input1, shared input0], output = own>

// -----

// expected-error @+1 {{'input 1' shares with input0, which has no observer}}
#edges = #qbackend.edges<inputs = [none, shared input0], output = own>

// -----

// expected-error @+1 {{'output' shares with input1, which is not before it; expected one of the 1 inputs before}}
#edges = #qbackend.edges<inputs = [own], output = shared input1>

// -----

// expected-error @+1 {{the output shares with its producer, which is the operator itself; expected an input}}
#edges = #qbackend.edges<inputs = [own], output = shared producer>

// -----

// expected-error @+1 {{the output is derived; only a bias is derived}}
#edges = #qbackend.edges<inputs = [own], output = derived scale_product(input0, weight) as <si32>>

// -----

// expected-error @+1 {{input 0 is derived; only a bias is derived}}
#edges = #qbackend.edges<inputs = [derived scale_product(input0, weight) as <si32>], output = own>

// -----

// expected-error @+1 {{the weight is 'none', expected own, or nothing}}
#edges = #qbackend.edges<inputs = [own], weight = none>

// -----

// expected-error @+1 {{the bias is 'own', expected derived or none}}
#edges = #qbackend.edges<inputs = [own], weight = own, bias = own>

// -----

// expected-error @+1 {{the bias is derived from input1, which has no observer}}
#edges = #qbackend.edges<inputs = [own], weight = own, bias = derived scale_product(input1, weight) as <si32>>

// -----

// expected-error @+1 {{the bias is derived from the weight, which has no observer}}
#edges = #qbackend.edges<inputs = [own], bias = derived scale_product(input0, weight) as <si32>>

// -----

qbackend.backend_config @two_forms version 2 {
  // expected-error @+1 {{has both 'qbackend.edges' and 'observation', which is a short form of it; expected one}}
  qbackend.pattern_config [relu] <observation = output_share_observer_with_input, dtypes = []> {qbackend.edges = #qbackend.edges<inputs = [own]>}
}

// -----

qbackend.backend_config @two_forms version 2 {
  // expected-error @+1 {{has both 'qbackend.edges' and 'num_tensor_args_to_observation_type', which is a short form of it; expected one}}
  qbackend.pattern_config [add] <dtypes = [], num_tensor_args_to_observation_type = {}> {qbackend.edges = #qbackend.edges<inputs = [own]>}
}

// -----

qbackend.backend_config @no_edges version 2 {
  // expected-error @+1 {{has 'qbackend.edges' = [0]; expected a #qbackend.edges}}
  qbackend.pattern_config [add] <dtypes = []> {qbackend.edges = [0]}
}

// -----

// expected-error @+1 {{has 'qbackend.edges', which is for qbackend.pattern_config; leave it out}}
func.func private @elsewhere() attributes {qbackend.edges = #qbackend.edges<inputs = [own]>}

// -----

qbackend.backend_config @bias_is_float version 2 real_bias {
  // expected-error @+1 {{derives its bias, but the backend has real_bias; expected a bias of none, or a backend without it}}
  qbackend.pattern_config [linear] <dtypes = []> {qbackend.edges = #qbackend.edges<inputs = [own], weight = own, bias = derived scale_product(input0, weight) as <si32>, output = own>}
}

// -----

qbackend.backend_config @bias_is_integer version 2 {
  // expected-error @+1 {{has a float bias, but the backend has no real_bias; expected a bias derived scale_product(input0, weight) as <si32>, or a backend with real_bias}}
  qbackend.pattern_config [linear] <dtypes = []> {qbackend.edges = #qbackend.edges<inputs = [own], weight = own, output = own>}
}

// -----

qbackend.backend_config @limits version 2 {
  // expected-error @+1 {{has no kinds; expected those that it limits}}
  qbackend.limit [] "stride <= 3"
}

// -----

qbackend.backend_config @limits version 2 {
  // expected-error @+1 {{has an empty kind}}
  qbackend.limit [""] "stride <= 3"
}

// -----

qbackend.backend_config @limits version 2 {
  // expected-error @+1 {{has the condition "stride": there is no comparison; expected ==, !=, <, <=, > or >=}}
  qbackend.limit [conv2d] "stride"
}

// -----

qbackend.backend_config @limits version 2 {
  // expected-error @+1 {{has the condition "(stride <= 3": ')' is missing before '<='}}
  qbackend.limit [conv2d] "(stride <= 3"
}

// -----

qbackend.backend_config @limits version 2 {
  // expected-error @+1 {{has the condition "stride <= 3 or": it ends where a value is expected}}
  qbackend.limit [conv2d] "stride <= 3 or"
}

// -----

qbackend.backend_config @limits version 2 {
  // expected-error @+1 {{has the condition "weight.shape[x] == 1": the index of 'weight.shape' is 'x', expected an integer}}
  qbackend.limit [conv2d] "weight.shape[x] == 1"
}

// -----

qbackend.backend_config @limits version 2 {
  // expected-error @+1 {{has the condition "stride == 1 2": '2' is not expected here}}
  qbackend.limit [conv2d] "stride == 1 2"
}

// -----

// expected-error @+1 {{'builtin.module' op has 'qbackend.module_types' = {layer1 = 3 : i64}; expected a dictionary of names}}
module attributes {qbackend.module_types = {layer1 = 3}} {
}

// -----

qbackend.backend_config @b version 2 {
  // expected-error @+1 {{'qbackend.pattern_config' op has the condition 'spelled' and no 'torch'}}
  qbackend.pattern_config [relu] <dtypes = []> {qbackend.edges = #qbackend.edges<inputs = [own], if = [spelled]>}
}
