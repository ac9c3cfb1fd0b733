// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's BackendConfig for ExecuTorch, get_executorch_backend_config() of
// PyTorch 2.14, and the qconfig mappings that go with it.
//
// One pattern_config for each of PyTorch's, in its order. `torch` is its spelling
// there: MLIR can't tell a module from a function, so several spellings have the
// same kinds. test/Backends compares them with PyTorch's own data.

//===----------------------------------------------------------------------===//
// DTypes
//===----------------------------------------------------------------------===//

// 2^-12, and no -128 in weights, is what XNNPACK's kernels ask for.
#weighted_qint8_symmetric = #qbackend.dtype_config<
  input = <si8, scale_min = 2.44140625E-4>,
  output = <si8, scale_min = 2.44140625E-4>,
  weight = <si8, quant_min = -127, quant_max = 127, scale_min = 2.44140625E-4>,
  bias = f32>
#weighted_int8 = #qbackend.dtype_config<
  input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>
#dynamic_quint8 = #qbackend.dtype_config<
  input = <ui8>, output = <f32>, weight = <si8>, bias = f32, is_dynamic = true>
#dynamic_qint8 = #qbackend.dtype_config<
  input = <si8, scale_min = 2.44140625E-4>, output = <f32>,
  weight = <si8, quant_min = -127, quant_max = 127, scale_min = 2.44140625E-4>,
  bias = f32, is_dynamic = true>
#dynamic_float16 = #qbackend.dtype_config<
  input = <f16>, output = <f32>, weight = <f16>, bias = f32, is_dynamic = true>
#op_qint8_symmetric = #qbackend.dtype_config<
  input = <si8, scale_min = 2.44140625E-4>,
  output = <si8, scale_min = 2.44140625E-4>>
#op_quint8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>>
#weight_only_quint8 = #qbackend.dtype_config<
  input = <f32>, output = <f32>, weight = <ui8>>

// What a pattern supports, in the order in which it is tried.
#linear = [#weighted_qint8_symmetric, #weighted_int8, #dynamic_quint8,
           #dynamic_qint8, #dynamic_float16]
#weighted = [#weighted_qint8_symmetric, #weighted_int8]
#binary_op = [#op_qint8_symmetric, #weighted_int8]
#op = [#op_qint8_symmetric, #op_quint8]
#embedding = [#weight_only_quint8]

// By the number of tensors among the operands: x + 1 has one.
#by_count = {
  "0" = "output_use_different_observer_as_input",
  "1" = "output_share_observer_with_input",
  "2" = "output_use_different_observer_as_input"}

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

#histogram = #qbackend.observer<histogram, ui8>
// Named symmetric in PyTorch after the weight; activations are affine.
#histogram_qint8 = #qbackend.observer<histogram, si8, eps = 2.44140625E-4>
#dynamic = #qbackend.observer<placeholder, ui8, is_dynamic = true>
#per_tensor = #qbackend.observer<min_max, si8, per_tensor_symmetric>
#per_channel = #qbackend.observer<per_channel_min_max, si8,
  per_channel_symmetric>
#per_tensor_127 = #qbackend.observer<min_max, si8, per_tensor_symmetric,
  quant_min = -127, quant_max = 127, eps = 2.44140625E-4>
#per_channel_127 = #qbackend.observer<per_channel_min_max, si8,
  per_channel_symmetric, quant_min = -127, quant_max = 127, eps = 2.44140625E-4>
#float = #qbackend.observer<placeholder, f32>
#float16 = #qbackend.observer<placeholder, f16>
#float16_dynamic = #qbackend.observer<placeholder, f16, is_dynamic = true>
#float_qparams = #qbackend.observer<per_channel_min_max, ui8,
  per_channel_affine_float_qparams>
#qat_qint8 = #qbackend.observer<moving_average_min_max, si8, quant_min = -128,
  quant_max = 127, eps = 2.44140625E-4,
  fake_quantize = fused_moving_avg_obs_fake_quantize>
#qat_per_tensor_127 = #qbackend.observer<moving_average_min_max, si8,
  per_tensor_symmetric, quant_min = -127, quant_max = 127, eps = 2.44140625E-4,
  fake_quantize = fused_moving_avg_obs_fake_quantize>
#qat_fixed_0_1 = #qbackend.observer<fixed_qparams, ui8, scale = 0.00390625,
  zero_point = 0, fake_quantize = fake_quantize>
#qat_fixed_1_1 = #qbackend.observer<fixed_qparams, ui8, scale = 0.0078125,
  zero_point = 128, fake_quantize = fake_quantize>

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

qbackend.backend_config @executorch version 2 default_qconfig @default
    lowering ["reference"] {
  qbackend.pattern_config [linear] <
    dtypes = #linear, root_module = "torch.nn.Linear",
    qat_module = "torch.ao.nn.qat.Linear",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.nn.Linear"]>
  qbackend.pattern_config [linear] <
    dtypes = #linear, root_module = "torch.nn.Linear",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.ao.nn.qat.Linear"]>
  qbackend.pattern_config [linear] <
    dtypes = #linear, input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.nn.functional.linear"]>
  qbackend.pattern_config [conv2d] <
    dtypes = #weighted, root_module = "torch.nn.Conv2d",
    qat_module = "torch.ao.nn.qat.Conv2d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv2d",
    torch = ["torch.nn.Conv2d"]>
  qbackend.pattern_config [conv2d] <
    dtypes = #weighted, root_module = "torch.nn.Conv2d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv2d",
    torch = ["torch.ao.nn.qat.Conv2d"]>
  qbackend.pattern_config [conv2d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.nn.functional.conv2d"]>
  qbackend.pattern_config [conv2d, relu] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvReLU2d",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.ConvReLU2d)",
    torch = ["torch.nn.Conv2d", "torch.nn.ReLU"]>
  qbackend.pattern_config [conv2d, relu] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvReLU2d",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.ConvReLU2d)",
    torch = ["torch.nn.Conv2d", "torch.nn.functional.relu"]>
  qbackend.pattern_config [conv2d, relu] <
    dtypes = #weighted, qat_module = "torch.ao.nn.intrinsic.qat.ConvReLU2d",
    torch = ["torch.ao.nn.intrinsic.ConvReLU2d"]>
  qbackend.pattern_config [conv2d, relu] <
    dtypes = #weighted, root_module = "torch.nn.Conv2d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv2d",
    torch = ["torch.ao.nn.intrinsic.qat.ConvReLU2d"]>
  qbackend.pattern_config [conv2d, relu] <
    dtypes = #weighted, torch = ["torch.nn.functional.conv2d", "torch.nn.ReLU"]>
  qbackend.pattern_config [conv2d, relu] <
    dtypes = #weighted,
    torch = ["torch.nn.functional.conv2d", "torch.nn.functional.relu"]>
  qbackend.pattern_config [conv2d, batch_norm2d] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvBn2d",
    fuser_method = "fuse_conv_bn",
    torch = ["torch.nn.Conv2d", "torch.nn.BatchNorm2d"]>
  qbackend.pattern_config [conv2d, batch_norm2d, relu] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvBnReLU2d",
    fuser_method = "fuse_conv_bn_relu",
    torch = ["torch.nn.Conv2d", "torch.nn.BatchNorm2d", "torch.nn.ReLU"]>
  qbackend.pattern_config [conv2d, batch_norm2d, relu] <
    dtypes = #weighted, root_module = "torch.nn.Conv2d",
    fused_module = "torch.ao.nn.intrinsic.ConvBnReLU2d",
    fuser_method = "fuse_conv_bn_relu",
    torch = ["torch.nn.Conv2d", "torch.nn.BatchNorm2d", "torch.nn.functional.relu"]>
  qbackend.pattern_config [conv2d, batch_norm2d] <
    dtypes = #weighted, qat_module = "torch.ao.nn.intrinsic.qat.ConvBn2d",
    torch = ["torch.ao.nn.intrinsic.ConvBn2d"]>
  qbackend.pattern_config [conv2d, batch_norm2d, relu] <
    dtypes = #weighted, qat_module = "torch.ao.nn.intrinsic.qat.ConvBnReLU2d",
    torch = ["torch.ao.nn.intrinsic.ConvBnReLU2d"]>
  qbackend.pattern_config [conv2d, batch_norm2d] <
    dtypes = #weighted, root_module = "torch.nn.Conv2d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv2d",
    torch = ["torch.ao.nn.intrinsic.qat.ConvBn2d"]>
  qbackend.pattern_config [conv2d, batch_norm2d, relu] <
    dtypes = #weighted, root_module = "torch.nn.Conv2d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv2d",
    torch = ["torch.ao.nn.intrinsic.qat.ConvBnReLU2d"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add", "torch.nn.ReLU"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add", "torch.nn.functional.relu"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add", "torch.relu"]>
  qbackend.pattern_config [add] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add", "torch.nn.ReLU"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add", "torch.nn.functional.relu"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add", "torch.relu"]>
  qbackend.pattern_config [add] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add"]>
  qbackend.pattern_config [sub, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.sub", "torch.nn.ReLU"]>
  qbackend.pattern_config [sub, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.sub", "torch.nn.functional.relu"]>
  qbackend.pattern_config [sub, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.sub", "torch.relu"]>
  qbackend.pattern_config [sub] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.sub"]>
  qbackend.pattern_config [sub, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.sub", "torch.nn.ReLU"]>
  qbackend.pattern_config [sub, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.sub", "torch.nn.functional.relu"]>
  qbackend.pattern_config [sub, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.sub", "torch.relu"]>
  qbackend.pattern_config [sub] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.sub"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul", "torch.nn.ReLU"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul", "torch.nn.functional.relu"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul", "torch.relu"]>
  qbackend.pattern_config [mul] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul", "torch.nn.ReLU"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul", "torch.nn.functional.relu"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul", "torch.relu"]>
  qbackend.pattern_config [mul] <
    dtypes = #binary_op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul"]>
  qbackend.pattern_config [flatten] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.Flatten"]>
  qbackend.pattern_config [adaptive_avg_pool2d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.adaptive_avg_pool2d"]>
  qbackend.pattern_config [elu] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.elu"]>
  qbackend.pattern_config [hardtanh] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.hardtanh"]>
  qbackend.pattern_config [max_pool2d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.max_pool2d"]>
  qbackend.pattern_config [pad] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.pad"]>
  qbackend.pattern_config [relu] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.relu"]>
  qbackend.pattern_config [relu6] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.relu6"]>
  qbackend.pattern_config [leaky_relu] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.leaky_relu"]>
  qbackend.pattern_config [leaky_relu] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.leaky_relu_"]>
  qbackend.pattern_config [adaptive_avg_pool2d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.AdaptiveAvgPool2d"]>
  qbackend.pattern_config [pad] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.ConstantPad2d"]>
  qbackend.pattern_config [elu] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.ELU"]>
  qbackend.pattern_config [max_pool2d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.MaxPool2d"]>
  qbackend.pattern_config [relu6] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.ReLU6"]>
  qbackend.pattern_config [hardtanh] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.Hardtanh"]>
  qbackend.pattern_config [leaky_relu] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.LeakyReLU"]>
  qbackend.pattern_config [clamp] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.clamp"]>
  qbackend.pattern_config [flatten] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.flatten"]>
  qbackend.pattern_config [mean] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.mean"]>
  qbackend.pattern_config [transpose] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.permute"]>
  qbackend.pattern_config [transpose] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.permute_copy"]>
  qbackend.pattern_config [squeeze] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.squeeze"]>
  qbackend.pattern_config [clamp] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:clamp"]>
  qbackend.pattern_config [mean] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:mean"]>
  qbackend.pattern_config [transpose] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:permute"]>
  qbackend.pattern_config [reshape] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:reshape"]>
  qbackend.pattern_config [relu] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:relu"]>
  qbackend.pattern_config [relu] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:relu_"]>
  qbackend.pattern_config [squeeze] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:squeeze"]>
  qbackend.pattern_config [squeeze] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:squeeze_"]>
  qbackend.pattern_config [leaky_relu] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:leaky_relu"]>
  qbackend.pattern_config [batch_norm2d] <
    dtypes = #op, torch = ["torch.nn.BatchNorm2d"]>
  qbackend.pattern_config [cat] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.cat"]>
  qbackend.pattern_config [cat] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.concat"]>
  qbackend.pattern_config [cat] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.concatenate"]>
  qbackend.pattern_config [embedding] <
    dtypes = #embedding, root_module = "torch.nn.Embedding",
    qat_module = "torch.ao.nn.qat.Embedding",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Embedding",
    torch = ["torch.nn.Embedding"]>
  qbackend.pattern_config [embedding] <
    dtypes = #embedding, root_module = "torch.nn.Embedding",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Embedding",
    torch = ["torch.ao.nn.qat.Embedding"]>
  qbackend.pattern_config [embedding] <
    dtypes = #embedding, input_type_to_index = {weight = 1 : i64},
    torch = ["torch.nn.functional.embedding"]>
  qbackend.pattern_config [embedding_bag] <
    dtypes = #embedding, root_module = "torch.nn.EmbeddingBag",
    qat_module = "torch.ao.nn.qat.EmbeddingBag",
    reference_quantized_module = "torch.ao.nn.quantized.reference.EmbeddingBag",
    torch = ["torch.nn.EmbeddingBag"]>
  qbackend.pattern_config [embedding_bag] <
    dtypes = #embedding, root_module = "torch.nn.EmbeddingBag",
    reference_quantized_module = "torch.ao.nn.quantized.reference.EmbeddingBag",
    torch = ["torch.ao.nn.qat.EmbeddingBag"]>

  // PyTorch has none for this backend: default_symmetric_qnnpack_qconfig,
  // the first one that its patterns support.
  qbackend.qconfig_mapping @default {
    qbackend.qconfig global
      <activation = #histogram_qint8, weight = #per_tensor_127>
  }

  // default_per_channel_symmetric_qnnpack_qconfig.
  qbackend.qconfig_mapping @per_channel_symmetric {
    qbackend.qconfig global
      <activation = #histogram_qint8, weight = #per_channel_127>
  }

  // get_default_qconfig("qnnpack").
  qbackend.qconfig_mapping @quint8 {
    qbackend.qconfig global
      <activation = #histogram, weight = #per_tensor>
  }

  // default_dynamic_qconfig: activations are quantized at run time where a
  // pattern has a dynamic dtype_config, and stay float elsewhere.
  qbackend.qconfig_mapping @dynamic {
    qbackend.qconfig global
      <activation = #dynamic, weight = #per_tensor>
  }

  // per_channel_dynamic_qconfig.
  qbackend.qconfig_mapping @per_channel_dynamic {
    qbackend.qconfig global
      <activation = #dynamic, weight = #per_channel>
  }

  // float16_dynamic_qconfig.
  qbackend.qconfig_mapping @float16_dynamic {
    qbackend.qconfig global
      <activation = #float16_dynamic, weight = #float16>
  }

  // float_qparams_weight_only_qconfig: for embeddings.
  qbackend.qconfig_mapping @float_qparams_weight_only {
    qbackend.qconfig global
      <activation = #float, weight = #float_qparams>
  }

  // default_symmetric_qnnpack_qat_qconfig.
  qbackend.qconfig_mapping @symmetric_qat {
    qbackend.qconfig global
      <activation = #qat_qint8, weight = #qat_per_tensor_127>
    qbackend.qconfig object_type "sigmoid"
      <activation = #qat_fixed_0_1, weight = #qat_per_tensor_127>
    qbackend.qconfig object_type "hardsigmoid"
      <activation = #qat_fixed_0_1, weight = #qat_per_tensor_127>
    qbackend.qconfig object_type "softmax"
      <activation = #qat_fixed_0_1, weight = #qat_per_tensor_127>
    qbackend.qconfig object_type "tanh"
      <activation = #qat_fixed_1_1, weight = #qat_per_tensor_127>
  }
}
