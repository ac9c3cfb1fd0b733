// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the ops with a weight.

#include "Verify.h"
#include "qbackend/Dialect/QNNPack/Parameters.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

/// The axis and the number of the scales of `weight`.
static LogicalResult verifyWeightScales(Operation *op, ShapedType weight) {
  auto perAxis =
      dyn_cast<quant::UniformQuantizedPerAxisType>(weight.getElementType());
  if (!perAxis)
    return success();
  if (perAxis.getQuantizedDimension() != 0)
    return op->emitOpError() << "weight is quantized along axis "
                             << perAxis.getQuantizedDimension()
                             << ", expected axis 0, the output channels";
  int64_t channels = weight.getDimSize(0);
  if (static_cast<int64_t>(perAxis.getScales().size()) != channels)
    return op->emitOpError()
           << "weight has " << perAxis.getScales().size() << " scales for "
           << channels << " output channels";
  return success();
}

/// What 16-bit activations need for sums of 48 bits and products of 64.
static LogicalResult verifyWide(Operation *op, ShapedType input,
                                ShapedType output,
                                RequantizationAttr requantization) {
  for (ShapedType type : {input, output})
    if (int64_t zeroPoint = getQuantizedType(type).getZeroPoint())
      return op->emitOpError() << "has a 16-bit activation with zero point "
                               << zeroPoint << ", expected 0";
  if (requantization.getRounding() != numerics::Rounding::HalfUp)
    return op->emitOpError()
           << "has 16-bit activations and rounds "
           << numerics::stringifyRounding(requantization.getRounding())
           << ", expected half_up";
  for (int32_t multiplier : requantization.getMultiplier().asArrayRef())
    if (multiplier > INT16_MAX)
      return op->emitOpError()
             << "has 16-bit activations and the multiplier " << multiplier
             << ", expected at most " << INT16_MAX;
  return success();
}

/// Scales, zero points and types, in the order of the documentation.
static LogicalResult verifyRequantization(Operation *op, ShapedType input,
                                          ShapedType weight, Value bias,
                                          ShapedType output,
                                          RequantizationAttr requantization,
                                          bool relu) {
  if (failed(verifyWeightScales(op, weight)))
    return failure();
  unsigned biasBits = isWide(input) ? 64 : 32;
  if (bias && !getElementTypeOrSelf(bias).isInteger(biasBits))
    return op->emitOpError()
           << "bias has type " << bias.getType() << ", expected i" << biasBits
           << " for an activation of " << input.getElementType();
  if (requantization) {
    if (failed(verifySameStorage(op, input, output)) ||
        failed(verifyMultipliers(op, requantization, weight.getDimSize(0))) ||
        (isWide(input) &&
         failed(verifyWide(op, input, output, requantization))))
      return failure();
    return relu ? verifyReluRange(op, output) : success();
  }
  if (isWide(input))
    return op->emitOpError("has 16-bit activations without requantization, "
                           "which no engine has");
  bool isSigned = getQuantizedType(input).isSigned();
  if (isSigned)
    for (int64_t zeroPoint : getWeightZeroPoints(weight))
      if (zeroPoint != 0)
        return op->emitOpError()
               << "weight has zero point " << zeroPoint
               << ", expected 0 because the activation is signed";
  if (failed(verifySameStorage(op, input, output)))
    return failure();
  for (float multiplier : getRequantizationMultipliers(input, weight, output)) {
    // What XNNPACK accepts.
    bool accepted =
        !isSigned || (multiplier >= 0x1p-32f && multiplier < 0x1p8f);
    if (std::isnormal(multiplier) && multiplier > 0 && accepted)
      continue;
    InFlightDiagnostic diag = op->emitOpError()
                              << "input scale * weight scale / output scale is "
                              << multiplier
                              << ", expected a positive normal 32-bit "
                              << "number";
    if (isSigned)
      diag << " in [2^-32, 2^8) because the activation is signed";
    return diag;
  }
  return relu ? verifyReluRange(op, output) : success();
}

/// The names of the spatial dimensions of an image.
static ArrayRef<StringRef> getAxisNames(int64_t count) {
  static const StringRef length[] = {"length"};
  static const StringRef axes[] = {"depth", "height", "width"};
  return count == 1 ? ArrayRef(length) : ArrayRef(axes).take_back(count);
}

/// Batch, channels, groups and bias.
template <typename OpT> static LogicalResult verifyChannels(OpT op) {
  ShapedType input = op.getInput().getType(), weight = op.getWeight().getType(),
             output = op.getOutput().getType();
  int64_t last = input.getRank() - 1, groups = op.getGroups();
  int64_t inChannels = input.getDimSize(last),
          outChannels = weight.getDimSize(0);
  if (!weight.hasStaticShape() || ShapedType::isDynamic(inChannels) ||
      output.isDynamicDim(last))
    return op.emitOpError() << "has dynamic channels or a dynamic weight; only "
                               "the batch may be dynamic";
  if (groups < 1 || inChannels % groups != 0 || outChannels % groups != 0)
    return op.emitOpError()
           << "groups " << groups << " must divide the " << inChannels
           << " input and the " << outChannels << " output channels";
  if (inChannels / groups != weight.getDimSize(last))
    return op.emitOpError()
           << "weight has " << weight.getDimSize(last)
           << " input channels, expected " << inChannels / groups
           << " (input channels / groups)";
  if (output.getDimSize(last) != outChannels)
    return op.emitOpError()
           << "the output has " << output.getDimSize(last)
           << " channels, expected " << outChannels << ", those of the weight";
  if (op.getBias() && op.getBias().getType().getDimSize(0) != outChannels)
    return op.emitOpError()
           << "bias has type " << op.getBias().getType() << ", expected "
           << outChannels << " numbers, one per output channel";
  if (input.getDimSize(0) != output.getDimSize(0))
    return op.emitOpError()
           << "the batch of the input and of the output differ: " << input
           << " and " << output;
  return success();
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

template <typename OpT> static LogicalResult verifyConvolution(OpT op) {
  ShapedType input = op.getInput().getType(), weight = op.getWeight().getType(),
             output = op.getOutput().getType();
  int64_t axes = input.getRank() - 2;
  if (failed(verifyIntegers(op, "stride", op.getStride(), axes, 1)) ||
      failed(verifyIntegers(op, "padding", op.getPadding(), 2 * axes, 0)) ||
      failed(verifyIntegers(op, "dilation", op.getDilation(), axes, 1)) ||
      failed(verifyChannels(op)))
    return failure();
  for (auto [i, name] : llvm::enumerate(getAxisNames(axes))) {
    WindowAxis axis = {name,
                       input.getDimSize(1 + i),
                       output.getDimSize(1 + i),
                       weight.getDimSize(1 + i),
                       op.getStride()[i],
                       op.getPadding()[2 * i],
                       op.getPadding()[2 * i + 1],
                       op.getDilation()[i]};
    if (failed(verifyWindow(op, axis, WindowRounding::Floor)))
      return failure();
  }
  return verifyRequantization(op, input, weight, op.getBias(), output,
                              op.getRequantizationAttr(), op.getRelu());
}

LogicalResult Conv1dOp::verify() { return verifyConvolution(*this); }

LogicalResult Conv2dOp::verify() { return verifyConvolution(*this); }

LogicalResult Conv3dOp::verify() {
  if (!getRequantizationAttr() &&
      getQuantizedType(getInput().getType()).isSigned())
    return emitOpError() << "has a signed activation, and XNNPACK no 3-d "
                            "kernel; quantize the activation to u8";
  return verifyConvolution(*this);
}

//===----------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------===//

template <typename OpT> static LogicalResult verifyTransposed(OpT op) {
  ShapedType input = op.getInput().getType(), weight = op.getWeight().getType(),
             output = op.getOutput().getType();
  int64_t axes = input.getRank() - 2;
  if (failed(verifyIntegers(op, "stride", op.getStride(), axes, 1)) ||
      failed(verifyIntegers(op, "padding", op.getPadding(), 2 * axes, 0)) ||
      failed(verifyIntegers(op, "output_padding", op.getOutputPadding(), axes,
                            0)) ||
      failed(verifyIntegers(op, "dilation", op.getDilation(), axes, 1)) ||
      failed(verifyChannels(op)))
    return failure();
  for (auto [i, name] : llvm::enumerate(getAxisNames(axes))) {
    int64_t size = input.getDimSize(1 + i), kernel = weight.getDimSize(1 + i);
    if (ShapedType::isDynamic(size) || output.isDynamicDim(1 + i))
      return op.emitOpError()
             << "has a dynamic " << name << "; only the batch may be dynamic";
    if (size < 1 || kernel < 1)
      return op.emitOpError()
             << "has an empty input or kernel along the " << name;
    int64_t expected = (size - 1) * op.getStride()[i] - op.getPadding()[2 * i] -
                       op.getPadding()[2 * i + 1] +
                       op.getDilation()[i] * (kernel - 1) +
                       op.getOutputPadding()[i] + 1;
    if (expected < 1)
      return op.emitOpError() << "padding " << op.getPadding()[2 * i] << " and "
                              << op.getPadding()[2 * i + 1] << " leaves no "
                              << name << " of the output; use less padding";
    if (output.getDimSize(1 + i) != expected)
      return op.emitOpError()
             << "the output has " << name << " " << output.getDimSize(1 + i)
             << ", expected " << expected;
  }
  if (!op.getRequantizationAttr() &&
      isa<quant::UniformQuantizedPerAxisType>(weight.getElementType())) {
    if (op.getGroups() > 1)
      return op.emitOpError()
             << "has " << op.getGroups()
             << " groups and a weight quantized per channel, which the engine "
                "can't compute; quantize the weight per tensor";
    if (getQuantizedType(input).isSigned())
      return op.emitOpError()
             << "has a signed activation and a weight quantized per channel, "
                "for which XNNPACK has no kernel; quantize the weight per "
                "tensor or the activation to u8";
  }
  return verifyRequantization(op, input, weight, op.getBias(), output,
                              op.getRequantizationAttr(), /*relu=*/false);
}

LogicalResult ConvTranspose1dOp::verify() { return verifyTransposed(*this); }

LogicalResult ConvTranspose2dOp::verify() { return verifyTransposed(*this); }

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

/// The shapes of linear and linear_dynamic.
template <typename OpT> static LogicalResult verifyLinearShapes(OpT op) {
  ShapedType input = op.getInput().getType(), weight = op.getWeight().getType(),
             output = op.getOutput().getType();
  if (input.getRank() < 1 || input.getRank() != output.getRank())
    return op.emitOpError()
           << "the input has rank " << input.getRank() << " and the output "
           << output.getRank() << ", expected equal ranks of 1 or more";
  if (!weight.hasStaticShape())
    return op.emitOpError()
           << "has a dynamic weight; only the leading dimensions "
              "may be dynamic";
  int64_t last = input.getRank() - 1;
  if (input.getDimSize(last) != weight.getDimSize(1))
    return op.emitOpError()
           << "the last dimension of the input is " << input.getDimSize(last)
           << ", expected " << weight.getDimSize(1) << ", that of the weight";
  if (output.getDimSize(last) != weight.getDimSize(0))
    return op.emitOpError()
           << "the last dimension of the output is " << output.getDimSize(last)
           << ", expected " << weight.getDimSize(0)
           << ", the first one of the weight";
  if (input.getShape().drop_back() != output.getShape().drop_back())
    return op.emitOpError()
           << "the leading dimensions of the input and of the output differ: "
           << input << " and " << output;
  if (op.getBias() &&
      op.getBias().getType().getDimSize(0) != weight.getDimSize(0))
    return op.emitOpError()
           << "bias has type " << op.getBias().getType() << ", expected "
           << weight.getDimSize(0) << " numbers, one per output channel";
  return success();
}

LogicalResult LinearOp::verify() {
  if (failed(verifyLinearShapes(*this)))
    return failure();
  return verifyRequantization(
      *this, getInput().getType(), getWeight().getType(), getBias(),
      getOutput().getType(), getRequantizationAttr(), getRelu());
}

LogicalResult LinearDynamicOp::verify() {
  ShapedType weight = getWeight().getType();
  if (failed(verifyLinearShapes(*this)) ||
      failed(verifyWeightScales(*this, weight)))
    return failure();
  for (double scale : getWeightScales(weight))
    if (!std::isnormal(static_cast<float>(scale)))
      return emitOpError() << "weight has scale " << scale
                           << ", expected a normal 32-bit number";
  return success();
}
