// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration of an accelerator that computes symmetric int8 only: the
// worked example of docs/AddingABackend.md.

// Zero points are 0; weights have a scale for each channel and no -128.
#weighted = #qbackend.dtype_config<
  input = <si8, qschemes = ["per_tensor_symmetric"]>,
  output = <si8, qschemes = ["per_tensor_symmetric"]>,
  weight = <si8, quant_min = -127, quant_max = 127,
            qschemes = ["per_channel_symmetric"]>,
  bias = f32>
#plain = #qbackend.dtype_config<
  input = <si8, qschemes = ["per_tensor_symmetric"]>,
  output = <si8, qschemes = ["per_tensor_symmetric"]>>

#activation = #qbackend.observer<min_max, si8, per_tensor_symmetric>
#histogram = #qbackend.observer<histogram, si8, per_tensor_symmetric>
#per_channel = #qbackend.observer<per_channel_min_max, si8,
  per_channel_symmetric, quant_min = -127, quant_max = 127>

qbackend.backend_config @npu version 2 default_qconfig @default
    lowering ["reference"] {
  // A unit of its own: convolution, residual sum and relu in one pass.
  qbackend.pattern_config relu(add(conv2d, _)) <
    dtypes = [#weighted], root = [0, 0], extra_inputs = [[0, 1]],
    fused_operator = ["conv2d", "add", "relu"]>
  qbackend.pattern_config [conv2d, relu] <
    dtypes = [#weighted], fuser_method = "sequential_wrapper2">
  qbackend.pattern_config [conv2d] <dtypes = [#weighted]>
  qbackend.pattern_config [linear] <dtypes = [#weighted]>
  // The maximum of integers is the integer of the maximum.
  qbackend.pattern_config [relu] <
    observation = output_share_observer_with_input, dtypes = [#plain],
    reference = @npu_relu>
  // An op of the vendor's own dialect. There is no sigmoid.
  qbackend.pattern_config ["vendor.swish"] <dtypes = [#plain]>

  qbackend.qconfig_mapping @default {
    qbackend.qconfig global <activation = #activation, weight = #per_channel>
  }
  // Floats in the first and the last layers, and another observer for the
  // first convolution of block1.
  qbackend.qconfig_mapping @careful {
    qbackend.qconfig global <activation = #activation, weight = #per_channel>
    qbackend.qconfig module_name "stem" none
    qbackend.qconfig module_name_regex "head[0-9]+" none
    qbackend.qconfig module_name_object_type_order "block1", "conv2d", 0
      <activation = #histogram, weight = #per_channel>
  }
}

// max(x, 0) on integers whose zero point is 0.
func.func private @npu_relu(
    %x: tensor<?x?x?x?xi8> {qbackend.role = "input0"}) -> tensor<?x?x?x?xi8> {
  %zero = arith.constant 0 : i8
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %d0 = tensor.dim %x, %0 : tensor<?x?x?x?xi8>
  %d1 = tensor.dim %x, %1 : tensor<?x?x?x?xi8>
  %d2 = tensor.dim %x, %2 : tensor<?x?x?x?xi8>
  %d3 = tensor.dim %x, %3 : tensor<?x?x?x?xi8>
  %init = tensor.empty(%d0, %d1, %d2, %d3) : tensor<?x?x?x?xi8>
  %y = linalg.map ins(%x : tensor<?x?x?x?xi8>) outs(%init : tensor<?x?x?x?xi8>)
    (%a: i8, %b: i8) {
      %m = arith.maxsi %a, %zero : i8
      linalg.yield %m : i8
    }
  return %y : tensor<?x?x?x?xi8>
}
