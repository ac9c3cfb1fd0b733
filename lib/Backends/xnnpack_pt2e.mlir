// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What XNNPACKQuantizer of PyTorch 2.6 annotates: static, per channel, dynamic and
// for training (get_symmetric_quantization_config).
//
// Specs stand on edges: a pattern's `edges` are what the quantizer writes on the
// nodes that it matches. `torch` has one of the spellings of each pattern; the
// quantizer takes the ones that work in place, too, and only these (`spelled`). test/Placement/PT2E compares
// it with PyTorch's annotations of 38 networks.

//===----------------------------------------------------------------------===//
// DTypes
//===----------------------------------------------------------------------===//

#activation = #qbackend.dtype<si8, scale_min = 2.44140625E-4>
#weight = #qbackend.dtype<si8, quant_min = -127, quant_max = 127,
  scale_min = 2.44140625E-4>

#static = #qbackend.dtype_config<
  input = #activation, output = #activation, weight = #weight, bias = f32>
#dynamic = #qbackend.dtype_config<
  input = <si8>, output = <f32>, weight = #weight, bias = f32,
  is_dynamic = true>

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

#weighted = #qbackend.edges<
  inputs = [own], weight = own, output = own, if = [spelled]>
#binary = #qbackend.edges<inputs = [own, own], output = own, if = [spelled]>
// What passes the observer of its producer on, and stays float behind what has
// none.
#propagated = #qbackend.edges<
  inputs = [shared producer], output = shared input0, if = [spelled]>

//===----------------------------------------------------------------------===//
// Observers: eps is 2^-12, a floor of every scale.
//===----------------------------------------------------------------------===//

#histogram = #qbackend.observer<histogram, si8, quant_min = -128,
  quant_max = 127, eps = 2.44140625E-4>
#per_tensor = #qbackend.observer<min_max, si8, per_tensor_symmetric,
  quant_min = -127, quant_max = 127, eps = 2.44140625E-4>
#per_channel = #qbackend.observer<per_channel_min_max, si8,
  per_channel_symmetric, quant_min = -127, quant_max = 127,
  eps = 2.44140625E-4>
#placeholder = #qbackend.observer<placeholder, si8, quant_min = -128,
  quant_max = 127, eps = 2.44140625E-4, is_dynamic = true>
#training = #qbackend.observer<moving_average_min_max, si8, quant_min = -128,
  quant_max = 127, eps = 2.44140625E-4,
  fake_quantize = fused_moving_avg_obs_fake_quantize>
#training_per_tensor = #qbackend.observer<moving_average_min_max, si8,
  per_tensor_symmetric, quant_min = -127, quant_max = 127,
  eps = 2.44140625E-4, fake_quantize = fused_moving_avg_obs_fake_quantize>
#training_per_channel = #qbackend.observer<moving_average_per_channel_min_max,
  si8, per_channel_symmetric, quant_min = -127, quant_max = 127,
  eps = 2.44140625E-4, fake_quantize = fused_moving_avg_obs_fake_quantize>

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

qbackend.backend_config @xnnpack_pt2e version 2 default_qconfig @default
    lowering ["reference", "qnnpack", "linalg", "tosa"] real_bias {
  qbackend.pattern_config [linear, relu] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.linear.default", "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [linear] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.linear.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [conv1d, relu] <
    dtypes = [#static],
    torch = ["torch.ops.aten.conv1d.default", "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [conv2d, relu] <
    dtypes = [#static],
    torch = ["torch.ops.aten.conv2d.default", "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [conv1d] <
    dtypes = [#static],
    torch = ["torch.ops.aten.conv1d.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [conv2d] <
    dtypes = [#static],
    torch = ["torch.ops.aten.conv2d.default"]>
    {qbackend.edges = #weighted}
  // Without a relu behind it, a transposed convolution stays float.
  qbackend.pattern_config [conv_transpose1d, relu] <
    dtypes = [#static],
    torch = ["torch.ops.aten.conv_transpose1d.default",
             "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [conv_transpose2d, relu] <
    dtypes = [#static],
    torch = ["torch.ops.aten.conv_transpose2d.input",
             "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [adaptive_avg_pool2d] <
    dtypes = [#static], torch = ["torch.ops.aten.adaptive_avg_pool2d.default"]>
    {qbackend.edges = #qbackend.edges<inputs = [shared_or_own producer], output = shared input0, if = [spelled]>}
  qbackend.pattern_config [add, relu] <
    dtypes = [#static],
    torch = ["torch.ops.aten.add.Tensor", "torch.ops.aten.relu.default"]>
    {qbackend.edges = #binary}
  qbackend.pattern_config [add] <
    dtypes = [#static], torch = ["torch.ops.aten.add.Tensor"]>
    {qbackend.edges = #binary}
  qbackend.pattern_config [mul, relu] <
    dtypes = [#static],
    torch = ["torch.ops.aten.mul.Tensor", "torch.ops.aten.relu.default"]>
    {qbackend.edges = #binary}
  qbackend.pattern_config [mul] <
    dtypes = [#static], torch = ["torch.ops.aten.mul.Tensor"]>
    {qbackend.edges = #binary}
  qbackend.pattern_config [cat] <
    dtypes = [#static], torch = ["torch.ops.aten.cat.default"]>
    {qbackend.edges = #qbackend.edges<inputs = [own, shared input0], output = shared input0, if = [spelled]>}

  qbackend.pattern_config [relu] <
    dtypes = [#static],
    torch = ["torch.ops.aten.relu.default"]>
    {qbackend.edges = #propagated}
  qbackend.pattern_config [hardtanh] <
    dtypes = [#static],
    torch = ["torch.ops.aten.hardtanh.default"]>
    {qbackend.edges = #propagated}
  qbackend.pattern_config [relu6] <
    dtypes = [#static],
    torch = ["torch.ops.aten.hardtanh.default"]>
    {qbackend.edges = #propagated}
  qbackend.pattern_config [clamp] <
    dtypes = [#static],
    torch = ["torch.ops.aten.hardtanh.default"]>
    {qbackend.edges = #propagated}
  qbackend.pattern_config [max_pool2d] <
    dtypes = [#static],
    torch = ["torch.ops.aten.max_pool2d.default"]>
    {qbackend.edges = #propagated}
  qbackend.pattern_config [mean] <
    dtypes = [#static],
    torch = ["torch.ops.aten.mean.dim"]>
    {qbackend.edges = #propagated}
  qbackend.pattern_config [transpose] <
    dtypes = [#static],
    torch = ["torch.ops.aten.permute.default"]>
    {qbackend.edges = #propagated}
  qbackend.pattern_config [squeeze] <
    dtypes = [#static],
    torch = ["torch.ops.aten.squeeze.dim"]>
    {qbackend.edges = #propagated}
  qbackend.pattern_config [reshape] <
    dtypes = [#static],
    torch = ["torch.ops.aten.view.default"]>
    {qbackend.edges = #propagated}
  qbackend.pattern_config [flatten] <
    dtypes = [#static],
    torch = ["torch.ops.aten.flatten.using_ints"]>
    {qbackend.edges = #propagated}

  // get_symmetric_quantization_config().
  qbackend.qconfig_mapping @default {
    qbackend.qconfig global <activation = #histogram, weight = #per_tensor>
  }

  // With is_per_channel.
  qbackend.qconfig_mapping @per_channel {
    qbackend.qconfig global <activation = #histogram, weight = #per_channel>
  }

  // With is_dynamic: linear only.
  qbackend.qconfig_mapping @dynamic {
    qbackend.qconfig global <activation = #placeholder, weight = #per_tensor>
  }
  qbackend.qconfig_mapping @dynamic_per_channel {
    qbackend.qconfig global <activation = #placeholder, weight = #per_channel>
  }

  // With is_qat.
  qbackend.qconfig_mapping @qat {
    qbackend.qconfig global
      <activation = #training, weight = #training_per_tensor>
  }
  qbackend.qconfig_mapping @qat_per_channel {
    qbackend.qconfig global
      <activation = #training, weight = #training_per_channel>
  }
}
