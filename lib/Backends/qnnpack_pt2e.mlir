// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's BackendConfig for QNNPACK on exported programs,
// get_qnnpack_pt2e_backend_config() of PyTorch 2.14, and the qconfig mappings
// that go with it.
//
// One pattern_config for each of PyTorch's, in its order. `torch` is its spelling
// there: MLIR can't tell a module from a function, so several spellings have the
// same kinds. What has one name for several ranks there has one entry for each kind
// here, with the same `torch`. test/Backends compares them with PyTorch's own data.

//===----------------------------------------------------------------------===//
// DTypes
//===----------------------------------------------------------------------===//

#weighted_quint8 = #qbackend.dtype_config<
  input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>

// What a pattern supports, in the order in which it is tried.
#weighted = [#weighted_quint8]

// By the number of tensors among the operands: x + 1 has one.
#by_count = {
  "0" = "output_use_different_observer_as_input",
  "1" = "output_share_observer_with_input",
  "2" = "output_use_different_observer_as_input"}

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

#histogram = #qbackend.observer<histogram, ui8>
#per_tensor = #qbackend.observer<min_max, si8, per_tensor_symmetric>
#per_channel = #qbackend.observer<per_channel_min_max, si8,
  per_channel_symmetric>

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

qbackend.backend_config @"qnnpack_pytorch_2.0_export" version 2 default_qconfig @default
    lowering ["reference", "qnnpack", "linalg", "tosa"] real_bias {
  qbackend.pattern_config [linear] <
    dtypes = #weighted,
    input_type_to_index = {bias = 0 : i64, weight = 2 : i64},
    torch = ["torch.ops.aten.addmm.default"]>
  qbackend.pattern_config [linear] <
    dtypes = #weighted, input_type_to_index = {weight = 1 : i64},
    torch = ["torch.ops.aten.mm.default"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.ops.aten.add.Tensor", "torch.ops.aten.relu.default"]>
  qbackend.pattern_config [add] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.ops.aten.add.Tensor"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.ops.aten.add.Tensor", "torch.ops.aten.relu_.default"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.ops.aten.add_.Tensor", "torch.ops.aten.relu.default"]>
  qbackend.pattern_config [add] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.ops.aten.add_.Tensor"]>
  qbackend.pattern_config [add, relu] <
    dtypes = #weighted, num_tensor_args_to_observation_type = #by_count,
    torch = ["torch.ops.aten.add_.Tensor", "torch.ops.aten.relu_.default"]>
  qbackend.pattern_config [conv1d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default"]>
  qbackend.pattern_config [conv2d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default"]>
  qbackend.pattern_config [conv3d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default"]>
  qbackend.pattern_config [conv_transpose1d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default"]>
  qbackend.pattern_config [conv_transpose2d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default"]>
  qbackend.pattern_config [conv_transpose3d] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default"]>
  qbackend.pattern_config [conv1d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu.default"]>
  qbackend.pattern_config [conv2d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu.default"]>
  qbackend.pattern_config [conv3d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu.default"]>
  qbackend.pattern_config [conv_transpose1d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu.default"]>
  qbackend.pattern_config [conv_transpose2d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu.default"]>
  qbackend.pattern_config [conv_transpose3d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu.default"]>
  qbackend.pattern_config [conv1d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu_.default"]>
  qbackend.pattern_config [conv2d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu_.default"]>
  qbackend.pattern_config [conv3d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu_.default"]>
  qbackend.pattern_config [conv_transpose1d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu_.default"]>
  qbackend.pattern_config [conv_transpose2d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu_.default"]>
  qbackend.pattern_config [conv_transpose3d, relu] <
    dtypes = #weighted,
    input_type_to_index = {bias = 2 : i64, weight = 1 : i64},
    torch = ["torch.ops.aten.convolution.default", "torch.ops.aten.relu_.default"]>
  qbackend.pattern_config [max_pool1d] <
    observation = output_share_observer_with_input, dtypes = #weighted,
    root = [0],
    torch = #qbackend.node<"operator.getitem"("torch.ops.aten.max_pool2d_with_indices.default", 0)>>
  qbackend.pattern_config [max_pool2d] <
    observation = output_share_observer_with_input, dtypes = #weighted,
    root = [0],
    torch = #qbackend.node<"operator.getitem"("torch.ops.aten.max_pool2d_with_indices.default", 0)>>
  qbackend.pattern_config [relu] <
    observation = output_share_observer_with_input, dtypes = #weighted,
    torch = ["torch.ops.aten.relu.default"]>

  // get_default_qconfig("qnnpack").
  qbackend.qconfig_mapping @default {
    qbackend.qconfig global
      <activation = #histogram, weight = #per_tensor>
  }

  // The default with a scale for each output channel of a weight.
  qbackend.qconfig_mapping @per_channel {
    qbackend.qconfig global
      <activation = #histogram, weight = #per_channel>
  }
}
