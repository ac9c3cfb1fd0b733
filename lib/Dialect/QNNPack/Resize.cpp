// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of upsampling and channel_shuffle.

#include "Verify.h"

#include <cmath>

using namespace mlir;
using namespace qbackend::qnnpack;

LogicalResult ChannelShuffleOp::verify() {
  ShapedType input = getInput().getType();
  if (failed(verifySameShape(*this, input, getOutput().getType())))
    return failure();
  if (input.getRank() < 1 || input.isDynamicDim(input.getRank() - 1))
    return emitOpError() << "the input " << input
                         << " has no static last dimension, which holds the "
                            "channels";
  int64_t groups = getGroups(), channels = input.getShape().back();
  if (groups < 1 || channels % groups != 0)
    return emitOpError() << "groups " << groups << " must divide the "
                         << channels << " channels";
  return verifySameParameters(*this, input, getOutput().getType());
}

/// Shapes and scale factors of an upsampling.
static LogicalResult verifyUpsample(Operation *op, ShapedType input,
                                    ShapedType output,
                                    std::optional<ArrayRef<double>> factors) {
  if (input.getDimSize(0) != output.getDimSize(0) ||
      input.getDimSize(3) != output.getDimSize(3))
    return op->emitOpError() << "the batch or the channels of the input and of "
                                "the output differ: "
                             << input << " and " << output;
  if (factors && factors->size() != 2)
    return op->emitOpError() << "scale_factors has " << factors->size()
                             << " numbers, expected 2, height and width";
  for (int i : {0, 1}) {
    StringRef name = i ? "width" : "height";
    int64_t in = input.getDimSize(1 + i), out = output.getDimSize(1 + i);
    if (ShapedType::isDynamic(in) || ShapedType::isDynamic(out))
      return op->emitOpError()
             << "has a dynamic " << name << "; only the batch may be dynamic";
    // The engine computes positions in f32 and converts them to int.
    for (int64_t size : {in, out})
      if (size < 1 || size >= (int64_t(1) << 24))
        return op->emitOpError() << "has " << name << " " << size
                                 << ", expected a number in [1, 2^24)";
    if (!factors)
      continue;
    double factor = (*factors)[i];
    if (!(factor > 0) || !std::isfinite(factor))
      return op->emitOpError() << "the scale factor of the " << name << " is "
                               << factor << ", expected a positive number";
    double expected = std::floor(static_cast<double>(in) * factor);
    if (static_cast<double>(out) != expected)
      return op->emitOpError()
             << "the output has " << name << " " << out << ", expected "
             << static_cast<int64_t>(std::min(expected, 0x1p24)) << ", that of "
             << in << " times " << factor;
  }
  return verifySameParameters(op, input, output);
}

LogicalResult UpsampleNearest2dOp::verify() {
  return verifyUpsample(*this, getInput().getType(), getOutput().getType(),
                        getScaleFactors());
}

LogicalResult UpsampleBilinear2dOp::verify() {
  ShapedType input = getInput().getType();
  if (failed(verifyUpsample(*this, input, getOutput().getType(),
                            getScaleFactors())))
    return failure();
  if (getChannelsLast() && input.isDynamicDim(3))
    return emitOpError() << "has channels_last and dynamic channels; make them "
                            "static, or drop the attribute for the contiguous "
                            "formula";
  return success();
}
