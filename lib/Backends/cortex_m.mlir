// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the quantizer of ExecuTorch's Cortex-M backend (CMSIS-NN) annotates, with the
// limits that it checks.
//
// Written from its sources (backends/cortex_m/quantizer, August 2026) and not run
// against it. Its operators that take the specs of their neighbours in both
// directions have the producer's here, or their own. That a node is channels last is
// no limit here: convolutions are normalized to it.

//===----------------------------------------------------------------------===//
// DTypes
//===----------------------------------------------------------------------===//

#types = #qbackend.dtype_config<
  input = <si8>, output = <si8>, weight = <si8>, bias = f32>

//===----------------------------------------------------------------------===//
// Requantization: arm_nn_requantize, whose steps are TFLite's. What has none here
// (averages, functions) stays in the reference form.
//===----------------------------------------------------------------------===//

#cmsis_nn = #qbackend.requantization<
  rounding = double, multiplier = fixed_point>

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

// A scale for each channel of a convolution, and one of a linear layer, whatever the
// qconfig has.
#convolution = #qbackend.edges<inputs = [own],
  weight = own by <per_channel_min_max, si8, per_channel_symmetric>,
  bias = derived scale_product(input0, weight) as <si32>, output = own>
#linear = #qbackend.edges<inputs = [own],
  weight = own by <min_max, si8, per_tensor_symmetric>,
  bias = derived scale_product(input0, weight) as <si32>, output = own>
#elementwise = #qbackend.edges<inputs = [own], output = own>
#softmax = #qbackend.edges<inputs = [own],
  output = own by <fixed_qparams, si8, scale = 3.90625E-3, zero_point = -128>>
#pool = #qbackend.edges<inputs = [own], output = shared input0>
#moved = #qbackend.edges<
  inputs = [shared_or_own producer, shared input0], output = shared input0>

#activation = #qbackend.observer<histogram, si8>
#weight = #qbackend.observer<min_max, si8, per_tensor_symmetric>

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

qbackend.backend_config @cortex_m version 2 default_qconfig @default
    lowering ["reference", "qnnpack", "linalg", "tosa"] {
  qbackend.pattern_config [conv2d, relu] <dtypes = [#types],
    torch = ["torch.ops.aten.conv2d.default",
             "torch.ops.aten.relu.default"]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [conv2d, relu6] <dtypes = [#types]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [conv2d, hardtanh] <dtypes = [#types]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [conv2d, hardsigmoid] <dtypes = [#types]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [conv2d, clamp] <dtypes = [#types]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [conv2d] <dtypes = [#types],
    torch = ["torch.ops.aten.conv2d.default"]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [conv_transpose2d, relu] <dtypes = [#types],
    torch = ["torch.ops.aten.conv_transpose2d.input",
             "torch.ops.aten.relu.default"]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [conv_transpose2d, relu6] <dtypes = [#types]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [conv_transpose2d, hardtanh] <dtypes = [#types]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [conv_transpose2d, hardsigmoid] <dtypes = [#types]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [conv_transpose2d, clamp] <dtypes = [#types]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [conv_transpose2d] <dtypes = [#types],
    torch = ["torch.ops.aten.conv_transpose2d.input"]>
    {qbackend.edges = #convolution, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [linear, relu] <dtypes = [#types],
    torch = ["torch.ops.aten.linear.default",
             "torch.ops.aten.relu.default"]>
    {qbackend.edges = #linear, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [linear, relu6] <dtypes = [#types]>
    {qbackend.edges = #linear, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [linear, hardtanh] <dtypes = [#types]>
    {qbackend.edges = #linear, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [linear, hardsigmoid] <dtypes = [#types]>
    {qbackend.edges = #linear, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [linear, clamp] <dtypes = [#types]>
    {qbackend.edges = #linear, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [linear] <dtypes = [#types],
    torch = ["torch.ops.aten.linear.default"]>
    {qbackend.edges = #linear, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [add, relu] <dtypes = [#types]>
    {qbackend.edges = #elementwise, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [add, relu6] <dtypes = [#types]>
    {qbackend.edges = #elementwise, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [add, hardtanh] <dtypes = [#types]>
    {qbackend.edges = #elementwise, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [add, clamp] <dtypes = [#types]>
    {qbackend.edges = #elementwise, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [add] <dtypes = [#types]>
    {qbackend.edges = #elementwise, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [mul] <dtypes = [#types]>
    {qbackend.edges = #elementwise, qbackend.requantization = #cmsis_nn}
  qbackend.pattern_config [div] <dtypes = [#types]>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [hardswish] <dtypes = [#types]>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [sigmoid] <dtypes = [#types]>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [tanh] <dtypes = [#types]>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [silu] <dtypes = [#types]>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [gelu] <dtypes = [#types]>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [matmul] <dtypes = [#types]>
    {qbackend.edges = #elementwise}
  qbackend.pattern_config [softmax] <dtypes = [#types]>
    {qbackend.edges = #softmax}
  qbackend.pattern_config [max_pool2d, relu] <dtypes = [#types]>
    {qbackend.edges = #pool}
  qbackend.pattern_config [max_pool2d, relu6] <dtypes = [#types]>
    {qbackend.edges = #pool}
  qbackend.pattern_config [max_pool2d, hardtanh] <dtypes = [#types]>
    {qbackend.edges = #pool}
  qbackend.pattern_config [max_pool2d, clamp] <dtypes = [#types]>
    {qbackend.edges = #pool}
  qbackend.pattern_config [max_pool2d] <dtypes = [#types]>
    {qbackend.edges = #pool}
  qbackend.pattern_config [avg_pool2d] <dtypes = [#types]>
    {qbackend.edges = #pool}
  qbackend.pattern_config [relu] <dtypes = [#types]>
    {qbackend.edges = #moved}
  qbackend.pattern_config [relu6] <dtypes = [#types]>
    {qbackend.edges = #moved}
  qbackend.pattern_config [hardtanh] <dtypes = [#types]>
    {qbackend.edges = #moved}
  qbackend.pattern_config [clamp] <dtypes = [#types]>
    {qbackend.edges = #moved}
  qbackend.pattern_config [cat] <dtypes = [#types]>
    {qbackend.edges = #moved}
  qbackend.pattern_config [reshape] <dtypes = [#types]>
    {qbackend.edges = #moved}
  qbackend.pattern_config [flatten] <dtypes = [#types]>
    {qbackend.edges = #moved}
  qbackend.pattern_config [transpose] <dtypes = [#types]>
    {qbackend.edges = #moved}
  qbackend.pattern_config [narrow] <dtypes = [#types]>
    {qbackend.edges = #moved}
  qbackend.pattern_config [pad] <dtypes = [#types]>
    {qbackend.edges = #moved}
  qbackend.pattern_config [amax] <dtypes = [#types]>
    {qbackend.edges = #moved}
  qbackend.pattern_config [dropout] <dtypes = [#types]>
    {qbackend.edges = #moved}

  qbackend.limit [conv_transpose2d] "groups == 1"
    because "CMSIS-NN: a transposed convolution has one group"
  qbackend.limit [conv_transpose2d] "dilation == 1"
    because "CMSIS-NN: a transposed convolution without dilation"
  qbackend.limit [conv_transpose2d] "output_padding == 0"
    because "CMSIS-NN: a transposed convolution without output padding"
  qbackend.limit [max_pool2d] "dilation == 1"
    because "CMSIS-NN: a pool without dilation"
  qbackend.limit [avg_pool2d] "divisor_override == 0"
    because "CMSIS-NN: an average pool divides by its window"
  qbackend.limit [add, mul]
    "input0.shape == input1.shape or input0.rank == 4 and input1.shape[-1] == input0.shape[-1] and product(input1.shape) == input1.shape[-1]"
    because "CMSIS-NN: equal shapes, or a number for each channel"
  qbackend.limit [div] "input0.shape == input1.shape"
    because "CMSIS-NN: a quotient of equal shapes"
  qbackend.limit [softmax] "axis == input0.rank - 1"
    because "CMSIS-NN: softmax over the last dimension"
  qbackend.limit [matmul] "input0.rank == 3 and input1.rank == 3"
    because "CMSIS-NN: products of batches of matrices"
  qbackend.limit [matmul]
    "input0.shape[0] == input1.shape[0] and input0.shape[-1] == input1.shape[-2]"
    because "CMSIS-NN: equal batches and inner sizes"

  qbackend.qconfig_mapping @default {
    qbackend.qconfig global <activation = #activation, weight = #weight>
  }
}
