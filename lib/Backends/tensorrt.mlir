// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's BackendConfig for TensorRT, get_tensorrt_backend_config() of
// PyTorch 2.14, and the qconfig mappings that go with it.
//
// One pattern_config for each of PyTorch's, in its order. `torch` is its spelling
// there: MLIR can't tell a module from a function, so several spellings have the
// same kinds. test/Backends compares them with PyTorch's own data.

//===----------------------------------------------------------------------===//
// DTypes
//===----------------------------------------------------------------------===//

#weighted_qint8 = #qbackend.dtype_config<
  input = <si8>, output = <si8>, weight = <si8>, bias = f32>
#qint8 = #qbackend.dtype_config<input = <si8>, output = <si8>>

// What a pattern supports, in the order in which it is tried.
#weighted = [#weighted_qint8]
#op = [#qint8]

// By the number of tensors among the operands: x + 1 has one.
#by_count = {
  "0" = "output_use_different_observer_as_input",
  "1" = "output_share_observer_with_input",
  "2" = "output_use_different_observer_as_input"}

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

#histogram_symmetric = #qbackend.observer<histogram, si8, per_tensor_symmetric>
#per_tensor = #qbackend.observer<min_max, si8, per_tensor_symmetric>
#per_channel = #qbackend.observer<per_channel_min_max, si8,
  per_channel_symmetric>

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

qbackend.backend_config @tensorrt version 2 default_qconfig @default
    lowering ["reference"] real_bias {
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
    dtypes = #weighted,
    input_type_to_index = {bias = 0 : i64, input = 1 : i64, weight = 2 : i64},
    torch = ["torch.addmm"]>
  qbackend.pattern_config [cat] <
    observation = output_share_observer_with_input, dtypes = #op,
    torch = ["torch.cat"]>
  qbackend.pattern_config [linear] <
    dtypes = #weighted, root_module = "torch.nn.Linear",
    qat_module = "torch.ao.nn.qat.Linear",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.nn.Linear"]>
  qbackend.pattern_config [linear] <
    dtypes = #weighted, root_module = "torch.nn.Linear",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.ao.nn.qat.Linear"]>
  qbackend.pattern_config [linear] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.nn.functional.linear"]>
  qbackend.pattern_config [linear, relu] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.LinearReLU",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.LinearReLU)",
    torch = ["torch.nn.Linear", "torch.nn.ReLU"]>
  qbackend.pattern_config [linear, relu] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.LinearReLU",
    fuser_method = "sequential_wrapper2(torch.ao.nn.intrinsic.LinearReLU)",
    torch = ["torch.nn.Linear", "torch.nn.functional.relu"]>
  qbackend.pattern_config [linear, relu] <
    dtypes = #weighted, root_module = "torch.nn.Linear",
    qat_module = "torch.ao.nn.intrinsic.qat.LinearReLU",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.ao.nn.intrinsic.LinearReLU"]>
  qbackend.pattern_config [linear, relu] <
    dtypes = #weighted, root_module = "torch.nn.Linear",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.ao.nn.intrinsic.qat.LinearReLU"]>
  qbackend.pattern_config [linear, relu] <
    dtypes = #weighted, torch = ["torch.nn.functional.linear", "torch.nn.ReLU"]>
  qbackend.pattern_config [linear, relu] <
    dtypes = #weighted,
    torch = ["torch.nn.functional.linear", "torch.nn.functional.relu"]>
  qbackend.pattern_config [linear, batch_norm1d] <
    dtypes = #weighted, fused_module = "torch.ao.nn.intrinsic.LinearBn1d",
    fuser_method = "fuse_linear_bn",
    torch = ["torch.nn.Linear", "torch.nn.BatchNorm1d"]>
  qbackend.pattern_config [linear, batch_norm1d] <
    dtypes = #weighted, root_module = "torch.nn.Linear",
    qat_module = "torch.ao.nn.intrinsic.qat.LinearBn1d",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.ao.nn.intrinsic.LinearBn1d"]>
  qbackend.pattern_config [linear, batch_norm1d] <
    dtypes = #weighted, root_module = "torch.nn.Linear",
    reference_quantized_module = "torch.ao.nn.quantized.reference.Linear",
    torch = ["torch.ao.nn.intrinsic.qat.LinearBn1d"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add", "torch.nn.ReLU"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add", "torch.nn.functional.relu"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add", "torch.relu"]>
  qbackend.pattern_config [add] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.add"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add", "torch.nn.ReLU"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add", "torch.nn.functional.relu"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add", "torch.relu"]>
  qbackend.pattern_config [add] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.add"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul", "torch.nn.ReLU"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul", "torch.nn.functional.relu"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul", "torch.relu"]>
  qbackend.pattern_config [mul] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["operator.mul"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul", "torch.nn.ReLU"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul", "torch.nn.functional.relu"]>
  qbackend.pattern_config [mul, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul", "torch.relu"]>
  qbackend.pattern_config [mul] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.mul"]>
  qbackend.pattern_config [matmul] <
    dtypes = #weighted, torch = ["torch.matmul"]>
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
  qbackend.pattern_config [shape] <
    observation = input_output_not_observed, dtypes = #op,
    torch = ["method:shape"]>
  qbackend.pattern_config [size] <
    observation = input_output_not_observed, dtypes = #op,
    torch = ["method:size"]>

  // PyTorch has none for this backend: signed and symmetric, which is all
  // that TensorRT takes.
  qbackend.qconfig_mapping @default {
    qbackend.qconfig global
      <activation = #histogram_symmetric, weight = #per_tensor>
  }

  // The default with a scale for each output channel of a weight.
  qbackend.qconfig_mapping @per_channel {
    qbackend.qconfig global
      <activation = #histogram_symmetric, weight = #per_channel>
  }
}
