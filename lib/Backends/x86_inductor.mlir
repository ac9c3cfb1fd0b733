// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What X86InductorQuantizer of PyTorch 2.6 annotates: static, dynamic and for
// training (get_default_x86_inductor_quantization_config).
//
// No convolution and no linear layer has a spec of its result: what reads it says
// whether it is quantized. `torch` has one of the spellings of each pattern.
// test/Placement/PT2E compares it with PyTorch's annotations of 38 networks.

//===----------------------------------------------------------------------===//
// DTypes
//===----------------------------------------------------------------------===//

#static = #qbackend.dtype_config<input = <ui8>, weight = <si8>, bias = f32>
#dynamic = #qbackend.dtype_config<
  input = <ui8>, weight = <si8>, bias = f32, is_dynamic = true>

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

#weighted = #qbackend.edges<inputs = [own], weight = own, if = [spelled]>
// What is added to a convolution is quantized, what is added to a linear layer
// is not.
#conv_add = #qbackend.edges<inputs = [own, own], weight = own, if = [spelled]>
#linear_add = #qbackend.edges<inputs = [own, none], weight = own, if = [spelled]>
#pool = #qbackend.edges<
  inputs = [own], output = shared input0, if = [spelled, inputs_quantized]>

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

#histogram = #qbackend.observer<histogram, ui8, quant_min = 0, quant_max = 255,
  eps = 2.44140625E-4>
#per_channel = #qbackend.observer<per_channel_min_max, si8,
  per_channel_symmetric, quant_min = -128, quant_max = 127,
  eps = 2.44140625E-4>
#placeholder = #qbackend.observer<placeholder, ui8, quant_min = 0,
  quant_max = 255, eps = 2.44140625E-4, is_dynamic = true>
#training = #qbackend.observer<moving_average_min_max, ui8, quant_min = 0,
  quant_max = 255, eps = 2.44140625E-4,
  fake_quantize = fused_moving_avg_obs_fake_quantize>
#training_per_channel = #qbackend.observer<moving_average_per_channel_min_max,
  si8, per_channel_symmetric, quant_min = -128, quant_max = 127,
  eps = 2.44140625E-4, fake_quantize = fused_moving_avg_obs_fake_quantize>

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

qbackend.backend_config @x86_inductor version 2 default_qconfig @default
    lowering ["reference", "qnnpack", "linalg", "tosa"] real_bias {
  qbackend.pattern_config relu(add(conv2d, _)) <
    dtypes = [#static, #dynamic], root = [0, 0],
    torch = #qbackend.node<"torch.ops.aten.relu.default"("torch.ops.aten.add.Tensor"("torch.ops.aten.conv2d.default", _))>>
    {qbackend.edges = #conv_add}
  qbackend.pattern_config relu(add(_, conv2d)) <
    dtypes = [#static, #dynamic], root = [0, 1],
    torch = #qbackend.node<"torch.ops.aten.relu.default"("torch.ops.aten.add.Tensor"(_, "torch.ops.aten.conv2d.default"))>>
    {qbackend.edges = #conv_add}
  qbackend.pattern_config add(conv2d, _) <
    dtypes = [#static, #dynamic], root = [0],
    torch = #qbackend.node<"torch.ops.aten.add.Tensor"("torch.ops.aten.conv2d.default", _)>>
    {qbackend.edges = #conv_add}
  qbackend.pattern_config add(_, conv2d) <
    dtypes = [#static, #dynamic], root = [1],
    torch = #qbackend.node<"torch.ops.aten.add.Tensor"(_, "torch.ops.aten.conv2d.default")>>
    {qbackend.edges = #conv_add}
  qbackend.pattern_config [conv2d, relu] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.conv2d.default", "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [conv2d, hardtanh] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.conv2d.default", "torch.ops.aten.hardtanh.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [conv2d, relu6] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.conv2d.default", "torch.ops.aten.hardtanh.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [conv2d, clamp] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.conv2d.default", "torch.ops.aten.hardtanh.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [conv2d, hardswish] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.conv2d.default", "torch.ops.aten.hardswish.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [conv2d, silu] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.conv2d.default", "torch.ops.aten.silu.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [conv2d] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.conv2d.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config relu(add(linear, _)) <
    dtypes = [#static, #dynamic], root = [0, 0],
    torch = #qbackend.node<"torch.ops.aten.relu.default"("torch.ops.aten.add.Tensor"("torch.ops.aten.linear.default", _))>>
    {qbackend.edges = #linear_add}
  qbackend.pattern_config relu(add(_, linear)) <
    dtypes = [#static, #dynamic], root = [0, 1],
    torch = #qbackend.node<"torch.ops.aten.relu.default"("torch.ops.aten.add.Tensor"(_, "torch.ops.aten.linear.default"))>>
    {qbackend.edges = #linear_add}
  qbackend.pattern_config add(linear, _) <
    dtypes = [#static, #dynamic], root = [0],
    torch = #qbackend.node<"torch.ops.aten.add.Tensor"("torch.ops.aten.linear.default", _)>>
    {qbackend.edges = #linear_add}
  qbackend.pattern_config add(_, linear) <
    dtypes = [#static, #dynamic], root = [1],
    torch = #qbackend.node<"torch.ops.aten.add.Tensor"(_, "torch.ops.aten.linear.default")>>
    {qbackend.edges = #linear_add}
  qbackend.pattern_config [linear, relu] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.linear.default", "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [linear, leaky_relu] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.linear.default", "torch.ops.aten.leaky_relu.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [linear, tanh] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.linear.default", "torch.ops.aten.tanh.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [linear, gelu] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.linear.default", "torch.ops.aten.gelu.default"]>
    {qbackend.edges = #weighted}
  qbackend.pattern_config [linear] <
    dtypes = [#static, #dynamic],
    torch = ["torch.ops.aten.linear.default"]>
    {qbackend.edges = #weighted}

  qbackend.pattern_config [max_pool2d] <
    dtypes = [#static],
    torch = ["torch.ops.aten.max_pool2d.default"]>
    {qbackend.edges = #pool}
  qbackend.pattern_config [avg_pool2d] <
    dtypes = [#static],
    torch = ["torch.ops.aten.avg_pool2d.default"]>
    {qbackend.edges = #pool}
  qbackend.pattern_config [adaptive_avg_pool2d] <
    dtypes = [#static],
    torch = ["torch.ops.aten.adaptive_avg_pool2d.default"]>
    {qbackend.edges = #pool}
  qbackend.pattern_config [cat] <
    dtypes = [#static], torch = ["torch.ops.aten.cat.default"]>
    {qbackend.edges = #qbackend.edges<inputs = [own, shared input0], output = shared input0, if = [spelled, inputs_quantized]>}
  qbackend.pattern_config [flatten] <
    dtypes = [#static], torch = ["torch.ops.aten.flatten.using_ints"]>
    {qbackend.edges = #qbackend.edges<inputs = [own], output = shared input0, if = [spelled, inputs_quantized, user_quantized]>}

  // get_default_x86_inductor_quantization_config().
  qbackend.qconfig_mapping @default {
    qbackend.qconfig global <activation = #histogram, weight = #per_channel>
  }

  // With is_dynamic.
  qbackend.qconfig_mapping @dynamic {
    qbackend.qconfig global <activation = #placeholder, weight = #per_channel>
  }

  // With is_qat.
  qbackend.qconfig_mapping @qat {
    qbackend.qconfig global
      <activation = #training, weight = #training_per_channel>
  }
}
