// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's BackendConfig for QNNPACK, get_qnnpack_backend_config() of PyTorch
// 2.14, and the qconfig mappings that go with it.
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
#weighted_quint8 = #qbackend.dtype_config<
  input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>
#dynamic_int8 = #qbackend.dtype_config<
  input = <ui8>, output = <f32>, weight = <si8>, bias = f32, is_dynamic = true>
#dynamic_float16 = #qbackend.dtype_config<
  input = <f16>, output = <f32>, weight = <f16>, bias = f32, is_dynamic = true>
#op_qint8_symmetric = #qbackend.dtype_config<
  input = <si8, scale_min = 2.44140625E-4>,
  output = <si8, scale_min = 2.44140625E-4>>
#op_quint8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>>
#op_quint8_fixed_256th = #qbackend.dtype_config<
  input = <ui8, quant_min = 0, quant_max = 255, scale_exact_match = 0.00390625, zero_point_exact_match = 0>,
  output = <ui8, quant_min = 0, quant_max = 255, scale_exact_match = 0.00390625, zero_point_exact_match = 0>>
#op_quint8_fixed_128th = #qbackend.dtype_config<
  input = <ui8, quant_min = 0, quant_max = 255, scale_exact_match = 0.0078125, zero_point_exact_match = 128>,
  output = <ui8, quant_min = 0, quant_max = 255, scale_exact_match = 0.0078125, zero_point_exact_match = 128>>
#weight_only_quint8 = #qbackend.dtype_config<
  input = <f32>, output = <f32>, weight = <ui8>>
#weight_only_quint4x2 = #qbackend.dtype_config<
  input = <f32>, output = <f32>, weight = <ui4>>

// What a pattern supports, in the order in which it is tried.
#weighted = [#weighted_qint8_symmetric, #weighted_quint8]
#linear = [#weighted_qint8_symmetric, #weighted_quint8, #dynamic_int8,
           #dynamic_float16]
#op = [#op_qint8_symmetric, #op_quint8]
#fixed_256th = [#op_qint8_symmetric, #op_quint8_fixed_256th]
#fixed_128th = [#op_qint8_symmetric, #op_quint8_fixed_128th]
#recurrent = [#dynamic_int8, #dynamic_float16]
#embedding = [#weight_only_quint8, #weight_only_quint4x2]

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
#min_max = #qbackend.observer<min_max, ui8>
// Half of the range, which is safe where 16-bit sums may overflow.
#min_max_7bit = #qbackend.observer<min_max, ui8, quant_min = 0, quant_max = 127>
#dynamic = #qbackend.observer<placeholder, ui8, is_dynamic = true>
#fixed_0_1 = #qbackend.observer<fixed_qparams, ui8, scale = 0.00390625,
  zero_point = 0>
#fixed_1_1 = #qbackend.observer<fixed_qparams, ui8, scale = 0.0078125,
  zero_point = 128>
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
#float_qparams_4bit = #qbackend.observer<per_channel_min_max, ui4,
  per_channel_affine_float_qparams>
#qat = #qbackend.observer<moving_average_min_max, ui8, quant_min = 0,
  quant_max = 255, fake_quantize = fused_moving_avg_obs_fake_quantize>
#qat_v0 = #qbackend.observer<moving_average_min_max, ui8, quant_min = 0,
  quant_max = 255, fake_quantize = fake_quantize>
#qat_per_tensor = #qbackend.observer<moving_average_min_max, si8,
  per_tensor_symmetric, quant_min = -128, quant_max = 127,
  fake_quantize = fused_moving_avg_obs_fake_quantize>
#qat_per_tensor_v0 = #qbackend.observer<moving_average_min_max, si8,
  per_tensor_symmetric, quant_min = -128, quant_max = 127,
  fake_quantize = fake_quantize>
#qat_qint8 = #qbackend.observer<moving_average_min_max, si8, quant_min = -128,
  quant_max = 127, eps = 2.44140625E-4,
  fake_quantize = fused_moving_avg_obs_fake_quantize>
#qat_per_tensor_127 = #qbackend.observer<moving_average_min_max, si8,
  per_tensor_symmetric, quant_min = -127, quant_max = 127, eps = 2.44140625E-4,
  fake_quantize = fused_moving_avg_obs_fake_quantize>
#qat_per_channel_127 = #qbackend.observer<moving_average_per_channel_min_max,
  si8, per_channel_symmetric, quant_min = -127, quant_max = 127,
  eps = 2.44140625E-4, fake_quantize = fused_moving_avg_obs_fake_quantize>
#qat_fixed_0_1 = #qbackend.observer<fixed_qparams, ui8, scale = 0.00390625,
  zero_point = 0, fake_quantize = fake_quantize>
#qat_fixed_1_1 = #qbackend.observer<fixed_qparams, ui8, scale = 0.0078125,
  zero_point = 128, fake_quantize = fake_quantize>

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

qbackend.backend_config @qnnpack version 2 default_qconfig @default
    lowering ["qnnpack", "reference", "linalg", "tosa"] {
  qbackend.pattern_config [conv1d] <
    dtypes = #weighted, root_module = "torch.nn.Conv1d",
    qat_module = "torch.ao.nn.qat.Conv1d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv1d",
    torch = ["torch.nn.Conv1d"]>
  qbackend.pattern_config [conv1d] <
    dtypes = #weighted, root_module = "torch.nn.Conv1d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv1d",
    torch = ["torch.ao.nn.qat.Conv1d"]>
  qbackend.pattern_config [conv1d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.nn.functional.conv1d"]>
  qbackend.pattern_config [conv1d, relu] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvReLU1d",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.ConvReLU1d)",
    torch = ["torch.nn.Conv1d", "torch.nn.ReLU"]>
  qbackend.pattern_config [conv1d, relu] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvReLU1d",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.ConvReLU1d)",
    torch = ["torch.nn.Conv1d", "torch.nn.functional.relu"]>
  qbackend.pattern_config [conv1d, relu] <
    dtypes = #weighted, qat_module = "torch.ao.nn.intrinsic.qat.ConvReLU1d",
    torch = ["torch.ao.nn.intrinsic.ConvReLU1d"]>
  qbackend.pattern_config [conv1d, relu] <
    dtypes = #weighted, root_module = "torch.nn.Conv1d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv1d",
    torch = ["torch.ao.nn.intrinsic.qat.ConvReLU1d"]>
  qbackend.pattern_config [conv1d, relu] <
    dtypes = #weighted, torch = ["torch.nn.functional.conv1d", "torch.nn.ReLU"]>
  qbackend.pattern_config [conv1d, relu] <
    dtypes = #weighted,
    torch = ["torch.nn.functional.conv1d", "torch.nn.functional.relu"]>
  qbackend.pattern_config [conv1d, batch_norm1d] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvBn1d",
    fuser_method = "fuse_conv_bn",
    torch = ["torch.nn.Conv1d", "torch.nn.BatchNorm1d"]>
  qbackend.pattern_config [conv1d, batch_norm1d, relu] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvBnReLU1d",
    fuser_method = "fuse_conv_bn_relu",
    torch = ["torch.nn.Conv1d", "torch.nn.BatchNorm1d", "torch.nn.ReLU"]>
  qbackend.pattern_config [conv1d, batch_norm1d, relu] <
    dtypes = #weighted, root_module = "torch.nn.Conv1d",
    fused_module = "torch.ao.nn.intrinsic.ConvBnReLU1d",
    fuser_method = "fuse_conv_bn_relu",
    torch = ["torch.nn.Conv1d", "torch.nn.BatchNorm1d", "torch.nn.functional.relu"]>
  qbackend.pattern_config [conv1d, batch_norm1d] <
    dtypes = #weighted, qat_module = "torch.ao.nn.intrinsic.qat.ConvBn1d",
    torch = ["torch.ao.nn.intrinsic.ConvBn1d"]>
  qbackend.pattern_config [conv1d, batch_norm1d, relu] <
    dtypes = #weighted, qat_module = "torch.ao.nn.intrinsic.qat.ConvBnReLU1d",
    torch = ["torch.ao.nn.intrinsic.ConvBnReLU1d"]>
  qbackend.pattern_config [conv1d, batch_norm1d] <
    dtypes = #weighted, root_module = "torch.nn.Conv1d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv1d",
    torch = ["torch.ao.nn.intrinsic.qat.ConvBn1d"]>
  qbackend.pattern_config [conv1d, batch_norm1d, relu] <
    dtypes = #weighted, root_module = "torch.nn.Conv1d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv1d",
    torch = ["torch.ao.nn.intrinsic.qat.ConvBnReLU1d"]>
  qbackend.pattern_config [conv_transpose1d] <
    dtypes = #weighted, root_module = "torch.nn.ConvTranspose1d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.ConvTranspose1d",
    torch = ["torch.nn.ConvTranspose1d"]>
  qbackend.pattern_config [conv_transpose1d, batch_norm1d] <
    dtypes = #weighted, root_module = "torch.nn.ConvTranspose1d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.ConvTranspose1d",
    fuser_method = "fuse_convtranspose_bn",
    torch = ["torch.nn.ConvTranspose1d", "torch.nn.BatchNorm1d"]>
  qbackend.pattern_config [conv_transpose1d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.nn.functional.conv_transpose1d"]>
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
  qbackend.pattern_config [conv_transpose2d] <
    dtypes = #weighted, root_module = "torch.nn.ConvTranspose2d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.ConvTranspose2d",
    torch = ["torch.nn.ConvTranspose2d"]>
  qbackend.pattern_config [conv_transpose2d, batch_norm2d] <
    dtypes = #weighted, root_module = "torch.nn.ConvTranspose2d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.ConvTranspose2d",
    fuser_method = "fuse_convtranspose_bn",
    torch = ["torch.nn.ConvTranspose2d", "torch.nn.BatchNorm2d"]>
  qbackend.pattern_config [conv_transpose2d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.nn.functional.conv_transpose2d"]>
  qbackend.pattern_config [conv3d] <
    dtypes = #weighted, root_module = "torch.nn.Conv3d",
    qat_module = "torch.ao.nn.qat.Conv3d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv3d",
    torch = ["torch.nn.Conv3d"]>
  qbackend.pattern_config [conv3d] <
    dtypes = #weighted, root_module = "torch.nn.Conv3d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv3d",
    torch = ["torch.ao.nn.qat.Conv3d"]>
  qbackend.pattern_config [conv3d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.nn.functional.conv3d"]>
  qbackend.pattern_config [conv3d, relu] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvReLU3d",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.ConvReLU3d)",
    torch = ["torch.nn.Conv3d", "torch.nn.ReLU"]>
  qbackend.pattern_config [conv3d, relu] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvReLU3d",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.ConvReLU3d)",
    torch = ["torch.nn.Conv3d", "torch.nn.functional.relu"]>
  qbackend.pattern_config [conv3d, relu] <
    dtypes = #weighted, qat_module = "torch.ao.nn.intrinsic.qat.ConvReLU3d",
    torch = ["torch.ao.nn.intrinsic.ConvReLU3d"]>
  qbackend.pattern_config [conv3d, relu] <
    dtypes = #weighted, root_module = "torch.nn.Conv3d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv3d",
    torch = ["torch.ao.nn.intrinsic.qat.ConvReLU3d"]>
  qbackend.pattern_config [conv3d, relu] <
    dtypes = #weighted, torch = ["torch.nn.functional.conv3d", "torch.nn.ReLU"]>
  qbackend.pattern_config [conv3d, relu] <
    dtypes = #weighted,
    torch = ["torch.nn.functional.conv3d", "torch.nn.functional.relu"]>
  qbackend.pattern_config [conv3d, batch_norm3d] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvBn3d",
    fuser_method = "fuse_conv_bn",
    torch = ["torch.nn.Conv3d", "torch.nn.BatchNorm3d"]>
  qbackend.pattern_config [conv3d, batch_norm3d, relu] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.ConvBnReLU3d",
    fuser_method = "fuse_conv_bn_relu",
    torch = ["torch.nn.Conv3d", "torch.nn.BatchNorm3d", "torch.nn.ReLU"]>
  qbackend.pattern_config [conv3d, batch_norm3d, relu] <
    dtypes = #weighted, root_module = "torch.nn.Conv3d",
    fused_module = "torch.ao.nn.intrinsic.ConvBnReLU3d",
    fuser_method = "fuse_conv_bn_relu",
    torch = ["torch.nn.Conv3d", "torch.nn.BatchNorm3d", "torch.nn.functional.relu"]>
  qbackend.pattern_config [conv3d, batch_norm3d] <
    dtypes = #weighted, qat_module = "torch.ao.nn.intrinsic.qat.ConvBn3d",
    torch = ["torch.ao.nn.intrinsic.ConvBn3d"]>
  qbackend.pattern_config [conv3d, batch_norm3d, relu] <
    dtypes = #weighted, qat_module = "torch.ao.nn.intrinsic.qat.ConvBnReLU3d",
    torch = ["torch.ao.nn.intrinsic.ConvBnReLU3d"]>
  qbackend.pattern_config [conv3d, batch_norm3d] <
    dtypes = #weighted, root_module = "torch.nn.Conv3d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv3d",
    torch = ["torch.ao.nn.intrinsic.qat.ConvBn3d"]>
  qbackend.pattern_config [conv3d, batch_norm3d, relu] <
    dtypes = #weighted, root_module = "torch.nn.Conv3d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Conv3d",
    torch = ["torch.ao.nn.intrinsic.qat.ConvBnReLU3d"]>
  qbackend.pattern_config [conv_transpose3d] <
    dtypes = #weighted, root_module = "torch.nn.ConvTranspose3d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.ConvTranspose3d",
    torch = ["torch.nn.ConvTranspose3d"]>
  qbackend.pattern_config [conv_transpose3d, batch_norm3d] <
    dtypes = #weighted, root_module = "torch.nn.ConvTranspose3d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.ConvTranspose3d",
    fuser_method = "fuse_convtranspose_bn",
    torch = ["torch.nn.ConvTranspose3d", "torch.nn.BatchNorm3d"]>
  qbackend.pattern_config [conv_transpose3d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.nn.functional.conv_transpose3d"]>
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
  qbackend.pattern_config [linear, relu] <
    dtypes = #linear, fused_module = "torch.ao.nn.intrinsic.LinearReLU",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.LinearReLU)",
    torch = ["torch.nn.Linear", "torch.nn.ReLU"]>
  qbackend.pattern_config [linear, relu] <
    dtypes = #linear, fused_module = "torch.ao.nn.intrinsic.LinearReLU",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.LinearReLU)",
    torch = ["torch.nn.Linear", "torch.nn.functional.relu"]>
  qbackend.pattern_config [linear, relu] <
    dtypes = #linear, root_module = "torch.nn.Linear",
    qat_module = "torch.ao.nn.intrinsic.qat.LinearReLU",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.ao.nn.intrinsic.LinearReLU"]>
  qbackend.pattern_config [linear, relu] <
    dtypes = #linear, root_module = "torch.nn.Linear",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.ao.nn.intrinsic.qat.LinearReLU"]>
  qbackend.pattern_config [linear, relu] <
    dtypes = #linear, torch = ["torch.nn.functional.linear", "torch.nn.ReLU"]>
  qbackend.pattern_config [linear, relu] <
    dtypes = #linear,
    torch = ["torch.nn.functional.linear", "torch.nn.functional.relu"]>
  qbackend.pattern_config [linear, batch_norm1d] <
    dtypes = #linear, fused_module = "torch.ao.nn.intrinsic.LinearBn1d",
    fuser_method = "fuse_linear_bn",
    torch = ["torch.nn.Linear", "torch.nn.BatchNorm1d"]>
  qbackend.pattern_config [linear, batch_norm1d] <
    dtypes = #linear, root_module = "torch.nn.Linear",
    qat_module = "torch.ao.nn.intrinsic.qat.LinearBn1d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.ao.nn.intrinsic.LinearBn1d"]>
  qbackend.pattern_config [linear, batch_norm1d] <
    dtypes = #linear, root_module = "torch.nn.Linear",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.ao.nn.intrinsic.qat.LinearBn1d"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add", "torch.nn.ReLU"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add", "torch.nn.functional.relu"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add", "torch.relu"]>
  qbackend.pattern_config [add] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add", "torch.nn.ReLU"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add", "torch.nn.functional.relu"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add", "torch.relu"]>
  qbackend.pattern_config [add] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul", "torch.nn.ReLU"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul", "torch.nn.functional.relu"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul", "torch.relu"]>
  qbackend.pattern_config [mul] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul", "torch.nn.ReLU"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul", "torch.nn.functional.relu"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul", "torch.relu"]>
  qbackend.pattern_config [mul] <
    dtypes = #op, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul"]>
  qbackend.pattern_config [matmul] <dtypes = #op, torch = ["torch.matmul"]>
  qbackend.pattern_config [cat] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.cat"]>
  qbackend.pattern_config [elu] <dtypes = #op, torch = ["torch.nn.ELU"]>
  qbackend.pattern_config [leaky_relu] <
    dtypes = #op, torch = ["torch.nn.LeakyReLU"]>
  qbackend.pattern_config [hardswish] <
    dtypes = #op, torch = ["torch.nn.Hardswish"]>
  qbackend.pattern_config [instance_norm1d] <
    dtypes = #op, torch = ["torch.nn.InstanceNorm1d"]>
  qbackend.pattern_config [instance_norm2d] <
    dtypes = #op, torch = ["torch.nn.InstanceNorm2d"]>
  qbackend.pattern_config [instance_norm3d] <
    dtypes = #op, torch = ["torch.nn.InstanceNorm3d"]>
  qbackend.pattern_config [dropout] <dtypes = #op, torch = ["torch.nn.Dropout"]>
  qbackend.pattern_config [prelu] <dtypes = #op, torch = ["torch.nn.PReLU"]>
  qbackend.pattern_config [elu] <
    dtypes = #op, torch = ["torch.nn.functional.elu"]>
  qbackend.pattern_config [hardswish] <
    dtypes = #op, torch = ["torch.nn.functional.hardswish"]>
  qbackend.pattern_config [leaky_relu] <
    dtypes = #op, torch = ["torch.nn.functional.leaky_relu"]>
  qbackend.pattern_config [dropout] <
    dtypes = #op, torch = ["torch.nn.functional.dropout"]>
  qbackend.pattern_config [group_norm] <
    dtypes = #op, input_type_to_index = {bias = 3 : i64, weight = 2 : i64},
    torch = ["torch.nn.functional.group_norm"]>
  qbackend.pattern_config [instance_norm1d] <
    dtypes = #op, input_type_to_index = {bias = 4 : i64, weight = 3 : i64},
    torch = ["torch.nn.functional.instance_norm"]>
  qbackend.pattern_config [instance_norm2d] <
    dtypes = #op, input_type_to_index = {bias = 4 : i64, weight = 3 : i64},
    torch = ["torch.nn.functional.instance_norm"]>
  qbackend.pattern_config [instance_norm3d] <
    dtypes = #op, input_type_to_index = {bias = 4 : i64, weight = 3 : i64},
    torch = ["torch.nn.functional.instance_norm"]>
  qbackend.pattern_config [hardsigmoid] <
    dtypes = #fixed_256th, torch = ["torch.nn.Hardsigmoid"]>
  qbackend.pattern_config [hardsigmoid] <
    dtypes = #fixed_256th, torch = ["torch.nn.functional.hardsigmoid"]>
  qbackend.pattern_config [hardsigmoid] <
    dtypes = #fixed_256th, torch = ["method:hardsigmoid"]>
  qbackend.pattern_config [hardsigmoid] <
    dtypes = #fixed_256th, torch = ["method:hardsigmoid_"]>
  qbackend.pattern_config [sigmoid] <
    dtypes = #fixed_256th, torch = ["torch.nn.Sigmoid"]>
  qbackend.pattern_config [sigmoid] <
    dtypes = #fixed_256th, torch = ["torch.sigmoid"]>
  qbackend.pattern_config [sigmoid] <
    dtypes = #fixed_256th, torch = ["method:sigmoid"]>
  qbackend.pattern_config [sigmoid] <
    dtypes = #fixed_256th, torch = ["method:sigmoid_"]>
  qbackend.pattern_config [softmax] <
    dtypes = #fixed_256th, torch = ["torch.nn.Softmax"]>
  qbackend.pattern_config [tanh] <
    dtypes = #fixed_128th, torch = ["torch.nn.Tanh"]>
  qbackend.pattern_config [tanh] <dtypes = #fixed_128th, torch = ["torch.tanh"]>
  qbackend.pattern_config [tanh] <
    dtypes = #fixed_128th, torch = ["method:tanh"]>
  qbackend.pattern_config [tanh] <
    dtypes = #fixed_128th, torch = ["method:tanh_"]>
  qbackend.pattern_config [adaptive_avg_pool1d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.AdaptiveAvgPool1d"]>
  qbackend.pattern_config [adaptive_avg_pool2d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.AdaptiveAvgPool2d"]>
  qbackend.pattern_config [adaptive_avg_pool3d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.AdaptiveAvgPool3d"]>
  qbackend.pattern_config [avg_pool1d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.AvgPool1d"]>
  qbackend.pattern_config [avg_pool2d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.AvgPool2d"]>
  qbackend.pattern_config [avg_pool3d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.AvgPool3d"]>
  qbackend.pattern_config [hardtanh] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.Hardtanh"]>
  qbackend.pattern_config [identity] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.Identity"]>
  qbackend.pattern_config [max_pool1d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.MaxPool1d"]>
  qbackend.pattern_config [max_pool2d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.MaxPool2d"]>
  qbackend.pattern_config [max_pool3d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.MaxPool3d"]>
  qbackend.pattern_config [pixel_shuffle] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.PixelShuffle"]>
  qbackend.pattern_config [pixel_unshuffle] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.PixelUnshuffle"]>
  qbackend.pattern_config [relu] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.ReLU"]>
  qbackend.pattern_config [relu6] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.ReLU6"]>
  qbackend.pattern_config [adaptive_avg_pool1d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.adaptive_avg_pool1d"]>
  qbackend.pattern_config [adaptive_avg_pool2d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.adaptive_avg_pool2d"]>
  qbackend.pattern_config [adaptive_avg_pool3d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.adaptive_avg_pool3d"]>
  qbackend.pattern_config [hardtanh] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.hardtanh"]>
  qbackend.pattern_config [hardtanh] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.hardtanh_"]>
  qbackend.pattern_config [interpolate] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.interpolate"]>
  qbackend.pattern_config [max_pool1d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.max_pool1d"]>
  qbackend.pattern_config [max_pool2d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.max_pool2d"]>
  qbackend.pattern_config [max_pool3d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.max_pool3d"]>
  qbackend.pattern_config [pixel_shuffle] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.pixel_shuffle"]>
  qbackend.pattern_config [pixel_unshuffle] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.pixel_unshuffle"]>
  qbackend.pattern_config [relu] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.relu"]>
  qbackend.pattern_config [relu6] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.relu6"]>
  qbackend.pattern_config [avg_pool1d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.avg_pool1d"]>
  qbackend.pattern_config [avg_pool2d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.avg_pool2d"]>
  qbackend.pattern_config [avg_pool3d] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.nn.functional.avg_pool3d"]>
  qbackend.pattern_config [clamp] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.clamp"]>
  qbackend.pattern_config [flatten] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.flatten"]>
  qbackend.pattern_config [mean] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.mean"]>
  qbackend.pattern_config [narrow] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.narrow"]>
  qbackend.pattern_config [repeat_interleave] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.repeat_interleave"]>
  qbackend.pattern_config [transpose] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.transpose"]>
  qbackend.pattern_config [squeeze] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.squeeze"]>
  qbackend.pattern_config [stack] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.stack"]>
  qbackend.pattern_config [unsqueeze] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.unsqueeze"]>
  qbackend.pattern_config [floordiv] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["operator.floordiv"]>
  qbackend.pattern_config [contiguous] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:contiguous"]>
  qbackend.pattern_config [clamp] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:clamp"]>
  qbackend.pattern_config [detach] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:detach"]>
  qbackend.pattern_config [detach] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:detach_"]>
  qbackend.pattern_config [mean] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:mean"]>
  qbackend.pattern_config [transpose] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:permute"]>
  qbackend.pattern_config [repeat] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:repeat"]>
  qbackend.pattern_config [repeat_interleave] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:repeat_interleave"]>
  qbackend.pattern_config [reshape] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:reshape"]>
  qbackend.pattern_config [resize] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:resize_"]>
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
  qbackend.pattern_config [transpose] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:transpose"]>
  qbackend.pattern_config [unsqueeze] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:unsqueeze"]>
  qbackend.pattern_config [unsqueeze] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:unsqueeze_"]>
  qbackend.pattern_config [reshape] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["method:view"]>
  qbackend.pattern_config [batch_norm2d, relu] <
    dtypes = #op, fused_module = "torch.ao.nn.intrinsic.BNReLU2d",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.BNReLU2d)",
    torch = ["torch.nn.BatchNorm2d", "torch.nn.ReLU"]>
  qbackend.pattern_config [batch_norm2d, relu] <
    dtypes = #op, fused_module = "torch.ao.nn.intrinsic.BNReLU2d",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.BNReLU2d)",
    torch = ["torch.nn.BatchNorm2d", "torch.nn.functional.relu"]>
  qbackend.pattern_config [batch_norm2d] <
    dtypes = #op, torch = ["torch.nn.BatchNorm2d"]>
  qbackend.pattern_config [batch_norm3d, relu] <
    dtypes = #op, fused_module = "torch.ao.nn.intrinsic.BNReLU3d",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.BNReLU3d)",
    torch = ["torch.nn.BatchNorm3d", "torch.nn.ReLU"]>
  qbackend.pattern_config [batch_norm3d, relu] <
    dtypes = #op, fused_module = "torch.ao.nn.intrinsic.BNReLU3d",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.BNReLU3d)",
    torch = ["torch.nn.BatchNorm3d", "torch.nn.functional.relu"]>
  qbackend.pattern_config [batch_norm3d] <
    dtypes = #op, torch = ["torch.nn.BatchNorm3d"]>
  qbackend.pattern_config [batch_norm2d, relu] <
    dtypes = #op, torch = ["torch.ao.nn.intrinsic.BNReLU2d"]>
  qbackend.pattern_config [batch_norm3d, relu] <
    dtypes = #op, torch = ["torch.ao.nn.intrinsic.BNReLU3d"]>
  qbackend.pattern_config [gru_cell] <
    dtypes = #recurrent, root_module = "torch.nn.GRUCell",
    reference_quantized_module = "torch.ao.nn.quantized.reference.GRUCell",
    torch = ["torch.nn.GRUCell"]>
  qbackend.pattern_config [lstm_cell] <
    dtypes = #recurrent, root_module = "torch.nn.LSTMCell",
    reference_quantized_module = "torch.ao.nn.quantized.reference.LSTMCell",
    torch = ["torch.nn.LSTMCell"]>
  qbackend.pattern_config [rnn_cell] <
    dtypes = #recurrent, root_module = "torch.nn.RNNCell",
    reference_quantized_module = "torch.ao.nn.quantized.reference.RNNCell",
    torch = ["torch.nn.RNNCell"]>
  qbackend.pattern_config [lstm] <
    dtypes = #recurrent, root_module = "torch.nn.LSTM",
    reference_quantized_module = "torch.ao.nn.quantized.reference.LSTM",
    torch = ["torch.nn.LSTM"]>
  qbackend.pattern_config [gru] <
    dtypes = #recurrent, root_module = "torch.nn.GRU",
    reference_quantized_module = "torch.ao.nn.quantized.reference.GRU",
    torch = ["torch.nn.GRU"]>
  qbackend.pattern_config [embedding] <
    dtypes = #embedding, root_module = "torch.nn.Embedding",
    qat_module = "torch.ao.nn.qat.Embedding",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Embedding",
    torch = ["torch.nn.Embedding"]>
  qbackend.pattern_config [embedding] <
    dtypes = #embedding, root_module = "torch.nn.Embedding",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Embedding",
    torch = ["torch.ao.nn.qat.Embedding"]>
  qbackend.pattern_config [embedding_bag] <
    dtypes = #embedding, root_module = "torch.nn.EmbeddingBag",
    qat_module = "torch.ao.nn.qat.EmbeddingBag",
    reference_quantized_module = "torch.ao.nn.quantized.reference.EmbeddingBag",
    torch = ["torch.nn.EmbeddingBag"]>
  qbackend.pattern_config [embedding_bag] <
    dtypes = #embedding, root_module = "torch.nn.EmbeddingBag",
    reference_quantized_module = "torch.ao.nn.quantized.reference.EmbeddingBag",
    torch = ["torch.ao.nn.qat.EmbeddingBag"]>

  // get_default_qconfig_mapping("qnnpack"): get_default_qconfig, and fixed
  // parameters for operators of a fixed range.
  qbackend.qconfig_mapping @default {
    qbackend.qconfig global
      <activation = #histogram, weight = #per_tensor>
    qbackend.qconfig object_type "sigmoid"
      <activation = #fixed_0_1, weight = #per_tensor>
    qbackend.qconfig object_type "hardsigmoid"
      <activation = #fixed_0_1, weight = #per_tensor>
    qbackend.qconfig object_type "softmax"
      <activation = #fixed_0_1, weight = #per_tensor>
    qbackend.qconfig object_type "tanh"
      <activation = #fixed_1_1, weight = #per_tensor>
    qbackend.qconfig object_type "prelu"
      <activation = #histogram, weight = #min_max>
    qbackend.qconfig object_type "layer_norm"
      <activation = #histogram, weight = #float>
  }

  // The default with running minimum and maximum.
  qbackend.qconfig_mapping @minmax {
    qbackend.qconfig global
      <activation = #min_max, weight = #per_tensor>
    qbackend.qconfig object_type "sigmoid"
      <activation = #fixed_0_1, weight = #per_tensor>
    qbackend.qconfig object_type "hardsigmoid"
      <activation = #fixed_0_1, weight = #per_tensor>
    qbackend.qconfig object_type "softmax"
      <activation = #fixed_0_1, weight = #per_tensor>
    qbackend.qconfig object_type "tanh"
      <activation = #fixed_1_1, weight = #per_tensor>
    qbackend.qconfig object_type "prelu"
      <activation = #min_max, weight = #min_max>
    qbackend.qconfig object_type "layer_norm"
      <activation = #min_max, weight = #float>
  }

  // The default with a scale for each output channel of a weight.
  qbackend.qconfig_mapping @per_channel {
    qbackend.qconfig global
      <activation = #histogram, weight = #per_channel>
    qbackend.qconfig object_type "sigmoid"
      <activation = #fixed_0_1, weight = #per_channel>
    qbackend.qconfig object_type "hardsigmoid"
      <activation = #fixed_0_1, weight = #per_channel>
    qbackend.qconfig object_type "softmax"
      <activation = #fixed_0_1, weight = #per_channel>
    qbackend.qconfig object_type "tanh"
      <activation = #fixed_1_1, weight = #per_channel>
    qbackend.qconfig object_type "prelu"
      <activation = #histogram, weight = #min_max>
    qbackend.qconfig object_type "layer_norm"
      <activation = #histogram, weight = #float>
  }

  // Both.
  qbackend.qconfig_mapping @minmax_per_channel {
    qbackend.qconfig global
      <activation = #min_max, weight = #per_channel>
    qbackend.qconfig object_type "sigmoid"
      <activation = #fixed_0_1, weight = #per_channel>
    qbackend.qconfig object_type "hardsigmoid"
      <activation = #fixed_0_1, weight = #per_channel>
    qbackend.qconfig object_type "softmax"
      <activation = #fixed_0_1, weight = #per_channel>
    qbackend.qconfig object_type "tanh"
      <activation = #fixed_1_1, weight = #per_channel>
    qbackend.qconfig object_type "prelu"
      <activation = #min_max, weight = #min_max>
    qbackend.qconfig object_type "layer_norm"
      <activation = #min_max, weight = #float>
  }

  // default_symmetric_qnnpack_qconfig. Operators of a fixed range are ui8
  // here as well, as in PyTorch.
  qbackend.qconfig_mapping @symmetric {
    qbackend.qconfig global
      <activation = #histogram_qint8, weight = #per_tensor_127>
    qbackend.qconfig object_type "sigmoid"
      <activation = #fixed_0_1, weight = #per_tensor_127>
    qbackend.qconfig object_type "hardsigmoid"
      <activation = #fixed_0_1, weight = #per_tensor_127>
    qbackend.qconfig object_type "softmax"
      <activation = #fixed_0_1, weight = #per_tensor_127>
    qbackend.qconfig object_type "tanh"
      <activation = #fixed_1_1, weight = #per_tensor_127>
    qbackend.qconfig object_type "prelu"
      <activation = #histogram, weight = #min_max>
    qbackend.qconfig object_type "layer_norm"
      <activation = #histogram_qint8, weight = #float>
  }

  // default_per_channel_symmetric_qnnpack_qconfig.
  qbackend.qconfig_mapping @per_channel_symmetric {
    qbackend.qconfig global
      <activation = #histogram_qint8, weight = #per_channel_127>
    qbackend.qconfig object_type "sigmoid"
      <activation = #fixed_0_1, weight = #per_channel_127>
    qbackend.qconfig object_type "hardsigmoid"
      <activation = #fixed_0_1, weight = #per_channel_127>
    qbackend.qconfig object_type "softmax"
      <activation = #fixed_0_1, weight = #per_channel_127>
    qbackend.qconfig object_type "tanh"
      <activation = #fixed_1_1, weight = #per_channel_127>
    qbackend.qconfig object_type "prelu"
      <activation = #histogram, weight = #min_max>
    qbackend.qconfig object_type "layer_norm"
      <activation = #histogram_qint8, weight = #float>
  }

  // default_qconfig.
  qbackend.qconfig_mapping @default_qconfig {
    qbackend.qconfig global
      <activation = #min_max_7bit, weight = #per_tensor>
    qbackend.qconfig object_type "sigmoid"
      <activation = #fixed_0_1, weight = #per_tensor>
    qbackend.qconfig object_type "hardsigmoid"
      <activation = #fixed_0_1, weight = #per_tensor>
    qbackend.qconfig object_type "softmax"
      <activation = #fixed_0_1, weight = #per_tensor>
    qbackend.qconfig object_type "tanh"
      <activation = #fixed_1_1, weight = #per_tensor>
    qbackend.qconfig object_type "prelu"
      <activation = #min_max, weight = #min_max>
    qbackend.qconfig object_type "layer_norm"
      <activation = #min_max_7bit, weight = #float>
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

  // float16_static_qconfig.
  qbackend.qconfig_mapping @float16_static {
    qbackend.qconfig global
      <activation = #float16, weight = #float16>
  }

  // float_qparams_weight_only_qconfig: for embeddings.
  qbackend.qconfig_mapping @float_qparams_weight_only {
    qbackend.qconfig global
      <activation = #float, weight = #float_qparams>
  }

  // float_qparams_weight_only_qconfig_4bit: for embeddings.
  qbackend.qconfig_mapping @float_qparams_weight_only_4bit {
    qbackend.qconfig global
      <activation = #float, weight = #float_qparams_4bit>
  }

  // get_default_qat_qconfig("qnnpack").
  qbackend.qconfig_mapping @qat {
    qbackend.qconfig global
      <activation = #qat, weight = #qat_per_tensor>
    qbackend.qconfig object_type "sigmoid"
      <activation = #qat_fixed_0_1, weight = #qat_per_tensor>
    qbackend.qconfig object_type "hardsigmoid"
      <activation = #qat_fixed_0_1, weight = #qat_per_tensor>
    qbackend.qconfig object_type "softmax"
      <activation = #qat_fixed_0_1, weight = #qat_per_tensor>
    qbackend.qconfig object_type "tanh"
      <activation = #qat_fixed_1_1, weight = #qat_per_tensor>
  }

  // get_default_qat_qconfig("qnnpack", version=0).
  qbackend.qconfig_mapping @qat_v0 {
    qbackend.qconfig global
      <activation = #qat_v0, weight = #qat_per_tensor_v0>
    qbackend.qconfig object_type "sigmoid"
      <activation = #qat_fixed_0_1, weight = #qat_per_tensor_v0>
    qbackend.qconfig object_type "hardsigmoid"
      <activation = #qat_fixed_0_1, weight = #qat_per_tensor_v0>
    qbackend.qconfig object_type "softmax"
      <activation = #qat_fixed_0_1, weight = #qat_per_tensor_v0>
    qbackend.qconfig object_type "tanh"
      <activation = #qat_fixed_1_1, weight = #qat_per_tensor_v0>
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

  // default_per_channel_symmetric_qnnpack_qat_qconfig.
  qbackend.qconfig_mapping @per_channel_symmetric_qat {
    qbackend.qconfig global
      <activation = #qat_qint8, weight = #qat_per_channel_127>
    qbackend.qconfig object_type "sigmoid"
      <activation = #qat_fixed_0_1, weight = #qat_per_channel_127>
    qbackend.qconfig object_type "hardsigmoid"
      <activation = #qat_fixed_0_1, weight = #qat_per_channel_127>
    qbackend.qconfig object_type "softmax"
      <activation = #qat_fixed_0_1, weight = #qat_per_channel_127>
    qbackend.qconfig object_type "tanh"
      <activation = #qat_fixed_1_1, weight = #qat_per_channel_127>
  }
}
