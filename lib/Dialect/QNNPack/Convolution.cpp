// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of conv2d and linear.

#include "Verify.h"
#include "qbackend/Dialect/QNNPack/Parameters.h"

#include <cmath>

using namespace mlir;
using namespace qbackend::qnnpack;

/// Scales, zero points and types, in the order of the documentation.
static LogicalResult verifyRequantization(Operation *op, Type input,
                                          Type weight, Type output, bool relu) {
  Type weightElement = getElementTypeOrSelf(weight);
  auto inputElement =
      cast<quant::UniformQuantizedType>(getElementTypeOrSelf(input));
  SmallVector<int64_t> zeroPoints;
  if (auto perAxis =
          dyn_cast<quant::UniformQuantizedPerAxisType>(weightElement)) {
    if (perAxis.getQuantizedDimension() != 0)
      return op->emitOpError() << "weight is quantized along axis "
                               << perAxis.getQuantizedDimension()
                               << ", expected axis 0, the output channels";
    int64_t channels = cast<ShapedType>(weight).getDimSize(0);
    if (static_cast<int64_t>(perAxis.getScales().size()) != channels)
      return op->emitOpError()
             << "weight has " << perAxis.getScales().size() << " scales for "
             << channels << " output channels";
    zeroPoints.assign(perAxis.getZeroPoints().begin(),
                      perAxis.getZeroPoints().end());
  } else {
    zeroPoints.push_back(
        cast<quant::UniformQuantizedType>(weightElement).getZeroPoint());
  }
  if (inputElement.isSigned())
    for (int64_t zeroPoint : zeroPoints)
      if (zeroPoint != 0)
        return op->emitOpError()
               << "weight has zero point " << zeroPoint
               << ", expected 0 because the activation is signed";
  if (failed(verifySameStorage(op, input, output)))
    return failure();
  for (float multiplier : getRequantizationMultipliers(input, weight, output))
    if (!std::isnormal(multiplier) || multiplier < 0)
      return op->emitOpError()
             << "input scale * weight scale / output scale is " << multiplier
             << ", expected a positive normal 32-bit number";
  return relu ? verifyReluRange(op, output) : success();
}

LogicalResult Conv2dOp::verify() {
  if (failed(verifyIntegers(*this, "stride", getStride(), 2, 1)) ||
      failed(verifyIntegers(*this, "padding", getPadding(), 4, 0)) ||
      failed(verifyIntegers(*this, "dilation", getDilation(), 2, 1)))
    return failure();
  ShapedType input = getInput().getType(), weight = getWeight().getType(),
             output = getOutput().getType();
  int64_t groups = getGroups();
  int64_t inChannels = input.getDimSize(3), outChannels = weight.getDimSize(0);
  if (!weight.hasStaticShape() || ShapedType::isDynamic(inChannels) ||
      output.isDynamicDim(3))
    return emitOpError() << "has dynamic channels or a dynamic weight; only "
                            "the batch may be dynamic";
  if (groups < 1 || inChannels % groups != 0 || outChannels % groups != 0)
    return emitOpError() << "groups " << groups << " must divide the "
                         << inChannels << " input and the " << outChannels
                         << " output channels";
  if (inChannels / groups != weight.getDimSize(3))
    return emitOpError() << "weight has " << weight.getDimSize(3)
                         << " input channels, expected " << inChannels / groups
                         << " (input channels / groups)";
  if (output.getDimSize(3) != outChannels)
    return emitOpError() << "the output has " << output.getDimSize(3)
                         << " channels, expected " << outChannels
                         << ", those of the weight";
  if (getBias() && getBias().getType().getDimSize(0) != outChannels)
    return emitOpError() << "bias has type " << getBias().getType()
                         << ", expected " << outChannels
                         << " numbers, one per output channel";
  if (input.getDimSize(0) != output.getDimSize(0))
    return emitOpError() << "the batch of the input and of the output differ: "
                         << input << " and " << output;
  for (int i : {0, 1}) {
    WindowAxis axis = {i ? "width" : "height",   input.getDimSize(1 + i),
                       output.getDimSize(1 + i), weight.getDimSize(1 + i),
                       getStride()[i],           getPadding()[2 * i],
                       getPadding()[2 * i + 1],  getDilation()[i]};
    if (failed(verifyWindow(*this, axis, WindowRounding::Floor)))
      return failure();
  }
  return verifyRequantization(*this, input, weight, output, getRelu());
}

LogicalResult LinearOp::verify() {
  ShapedType input = getInput().getType(), weight = getWeight().getType(),
             output = getOutput().getType();
  if (input.getRank() < 1 || input.getRank() != output.getRank())
    return emitOpError() << "the input has rank " << input.getRank()
                         << " and the output " << output.getRank()
                         << ", expected equal ranks of 1 or more";
  if (!weight.hasStaticShape())
    return emitOpError() << "has a dynamic weight; only the leading dimensions "
                            "may be dynamic";
  int64_t last = input.getRank() - 1;
  if (input.getDimSize(last) != weight.getDimSize(1))
    return emitOpError() << "the last dimension of the input is "
                         << input.getDimSize(last) << ", expected "
                         << weight.getDimSize(1) << ", that of the weight";
  if (output.getDimSize(last) != weight.getDimSize(0))
    return emitOpError() << "the last dimension of the output is "
                         << output.getDimSize(last) << ", expected "
                         << weight.getDimSize(0)
                         << ", the first one of the weight";
  if (input.getShape().drop_back() != output.getShape().drop_back())
    return emitOpError()
           << "the leading dimensions of the input and of the output differ: "
           << input << " and " << output;
  if (getBias() && getBias().getType().getDimSize(0) != weight.getDimSize(0))
    return emitOpError() << "bias has type " << getBias().getType()
                         << ", expected " << weight.getDimSize(0)
                         << " numbers, one per output channel";
  return verifyRequantization(*this, input, weight, output, getRelu());
}
