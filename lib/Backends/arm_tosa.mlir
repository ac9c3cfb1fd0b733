// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the quantizer of ExecuTorch's Arm backends (TOSA, Ethos-U) annotates, and the
// limits of an Ethos-U55.
//
// Written from its sources (backends/arm/quantizer, August 2026) and not run against
// it. Three things differ: operators that take the specs of their neighbours in both
// directions ("cliques") have the producer's here, or their own; the softmax and
// the norms are not decomposed before; asin, acos, atanh and the grid sampler, which
// have fixed parameters, are no kinds. Limits are those that Vela prints
// (SUPPORTED_OPS.md): of each, the condition over geometry and shapes.

//===----------------------------------------------------------------------===//
// DTypes: 8 x 8 bits, and 16 x 8.
//===----------------------------------------------------------------------===//

#weight = #qbackend.dtype<si8, quant_min = -127, quant_max = 127>
#a8w8 = #qbackend.dtype_config<
  input = <si8>, output = <si8>, weight = #weight, bias = f32>
#a16w8 = #qbackend.dtype_config<
  input = <si16>, output = <si16>, weight = #weight, bias = f32>
#types = [#a8w8, #a16w8]

//===----------------------------------------------------------------------===//
// Requantization: tosa.rescale with SINGLE_ROUND. What has none here (averages,
// functions) stays in the reference form, and so do 16 bits, but in layers with a
// weight, whose multipliers have 15 bits then.
//===----------------------------------------------------------------------===//

#tosa = #qbackend.requantization<rounding = half_up, multiplier = fixed_point>

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

#weighted = #qbackend.edges<inputs = [own], weight = own,
  bias = derived scale_product(input0, weight) as <si32>, output = own>
#elementwise = #qbackend.edges<inputs = [own], output = own>
#pool = #qbackend.edges<inputs = [own], output = shared input0>
#moved = #qbackend.edges<
  inputs = [shared_or_own producer, shared input0], output = shared input0>

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

#activation = #qbackend.observer<histogram, si8, quant_min = -128,
  quant_max = 127, eps = 1.52587890625E-5>
#activation16 = #qbackend.observer<histogram, si16, per_tensor_symmetric,
  quant_min = -32767, quant_max = 32767, eps = 2.44140625E-4>
#per_channel = #qbackend.observer<per_channel_min_max, si8,
  per_channel_symmetric, quant_min = -127, quant_max = 127,
  eps = 1.52587890625E-5>
#per_tensor = #qbackend.observer<min_max, si8, per_tensor_symmetric,
  quant_min = -127, quant_max = 127, eps = 1.52587890625E-5>
#four_bits = #qbackend.observer<per_channel_min_max, si8,
  per_channel_symmetric, quant_min = -7, quant_max = 7,
  eps = 1.52587890625E-5>

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

qbackend.backend_config @arm_tosa version 2 default_qconfig @default
    lowering ["reference", "qnnpack", "linalg", "tosa"] {
  qbackend.pattern_config [conv1d, relu] <dtypes = #types,
    torch = ["torch.ops.aten.conv1d.default",
             "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv1d, hardtanh] <dtypes = #types>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv1d, relu6] <dtypes = #types>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv1d] <dtypes = #types,
    torch = ["torch.ops.aten.conv1d.default"]>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv2d, relu] <dtypes = #types,
    torch = ["torch.ops.aten.conv2d.default",
             "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv2d, hardtanh] <dtypes = #types>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv2d, relu6] <dtypes = #types>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv2d] <dtypes = #types,
    torch = ["torch.ops.aten.conv2d.default"]>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv3d, relu] <dtypes = #types,
    torch = ["torch.ops.aten.conv3d.default",
             "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv3d, hardtanh] <dtypes = #types>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv3d, relu6] <dtypes = #types>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv3d] <dtypes = #types,
    torch = ["torch.ops.aten.conv3d.default"]>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv_transpose2d, relu] <dtypes = #types,
    torch = ["torch.ops.aten.conv_transpose2d.input",
             "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv_transpose2d, hardtanh] <dtypes = #types>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv_transpose2d, relu6] <dtypes = #types>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [conv_transpose2d] <dtypes = #types,
    torch = ["torch.ops.aten.conv_transpose2d.input"]>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [linear, relu] <dtypes = #types,
    torch = ["torch.ops.aten.linear.default",
             "torch.ops.aten.relu.default"]>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [linear, hardtanh] <dtypes = #types>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [linear, relu6] <dtypes = #types>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [linear] <dtypes = #types,
    torch = ["torch.ops.aten.linear.default"]>
    {qbackend.edges = #weighted, qbackend.requantization = #tosa}
  qbackend.pattern_config [add] <dtypes = #types>
    {qbackend.edges = #elementwise, qbackend.requantization = #tosa}
  qbackend.pattern_config [sub] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [mul] <dtypes = #types>
    {qbackend.edges = #elementwise, qbackend.requantization = #tosa}
  qbackend.pattern_config [matmul] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [sigmoid] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [tanh] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [silu] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [gelu] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [hardswish] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [hardsigmoid] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [leaky_relu] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [elu] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [div] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [rsqrt] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [sin] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [pow] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [sum] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [softmax] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [layer_norm] <dtypes = #types>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [max_pool2d] <dtypes = #types>
    {qbackend.edges = #pool}
  qbackend.pattern_config [avg_pool2d] <dtypes = #types>
    {qbackend.edges = #pool}
  qbackend.pattern_config [adaptive_avg_pool2d] <dtypes = #types>
    {qbackend.edges = #pool}
  qbackend.pattern_config [mean] <dtypes = #types>
    {qbackend.edges = #pool}
  qbackend.pattern_config [interpolate] <dtypes = #types>
    {qbackend.edges = #pool}
  qbackend.pattern_config [relu] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [relu6] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [hardtanh] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [clamp] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [cat] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [reshape] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [flatten] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [transpose] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [narrow] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [pad] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [amax] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [pixel_shuffle] <dtypes = #types>
    {qbackend.edges = #moved}
  qbackend.pattern_config [dropout] <dtypes = #types>
    {qbackend.edges = #moved}

  qbackend.limit [conv2d] "stride >= 1 and stride <= 3"
    because "Ethos-U55: stride in [1, 3]"
  qbackend.limit [conv2d] "(weight.shape[1] - 1) * dilation[0] + 1 <= 64"
    because "Ethos-U55: dilated kernel height in [1, 64]"
  qbackend.limit [conv2d]
    "((weight.shape[1] - 1) * dilation[0] + 1) * ((weight.shape[2] - 1) * dilation[1] + 1) <= 4096"
    because "Ethos-U55: product of dilated kernel width and height in [1, 4096]"
  qbackend.limit [conv2d] "input0.shape[0] == 1"
    because "Ethos-U55: batch size of a convolution 1"
  qbackend.limit [conv2d]
    "groups == 1 or weight.shape[0] == groups or input0.shape[-1] == 1"
    because "Ethos-U55: depth multipliers above 1 have one input channel"
  qbackend.limit [max_pool2d, avg_pool2d] "stride >= 1 and stride <= 3"
    because "Ethos-U55: stride of a pool in [1, 3]"
  qbackend.limit [max_pool2d, avg_pool2d] "input0.shape[0] == 1"
    because "Ethos-U55: batch size of a pool 1"
  qbackend.limit [max_pool2d, avg_pool2d] "kernel[0] <= 256"
    because "Ethos-U55: kernel height in [1, 256]"
  qbackend.limit [max_pool2d, avg_pool2d] "product(kernel) <= 65536"
    because "Ethos-U55: product of kernel width and height in [1, 65536]"
  qbackend.limit [avg_pool2d] "kernel <= 8 or padding == 0"
    because "Ethos-U55: kernel of a padded average pool in [1, 8]"

  // get_symmetric_quantization_config().
  qbackend.qconfig_mapping @default {
    qbackend.qconfig global <activation = #activation, weight = #per_channel>
  }

  // With is_per_channel = False.
  qbackend.qconfig_mapping @per_tensor {
    qbackend.qconfig global <activation = #activation, weight = #per_tensor>
  }

  // get_symmetric_a8w4_quantization_config().
  qbackend.qconfig_mapping @a8w4 {
    qbackend.qconfig global <activation = #activation, weight = #four_bits>
  }

  // get_symmetric_a16w8_quantization_config().
  qbackend.qconfig_mapping @a16w8 {
    qbackend.qconfig global <activation = #activation16, weight = #per_channel>
  }
}
