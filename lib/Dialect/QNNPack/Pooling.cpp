// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the pooling ops.

#include "Verify.h"

using namespace mlir;
using namespace qbackend::qnnpack;

/// Batch and channels of `input` and `output` are the same, channels static.
static LogicalResult verifyOuterDims(Operation *op, ShapedType input,
                                     ShapedType output) {
  if (input.isDynamicDim(3))
    return op->emitOpError()
           << "has dynamic channels; only the batch may be dynamic";
  if (input.getDimSize(0) != output.getDimSize(0) ||
      input.getDimSize(3) != output.getDimSize(3))
    return op->emitOpError()
           << "the input and the output differ in batch or channels: " << input
           << " and " << output;
  return success();
}

LogicalResult MaxPool2dOp::verify() {
  if (failed(verifyIntegers(*this, "kernel", getKernel(), 2, 1)) ||
      failed(verifyIntegers(*this, "stride", getStride(), 2, 1)) ||
      failed(verifyIntegers(*this, "padding", getPadding(), 4, 0)) ||
      failed(verifyIntegers(*this, "dilation", getDilation(), 2, 1)))
    return failure();
  ShapedType input = getInput().getType(), output = getOutput().getType();
  if (failed(verifyOuterDims(*this, input, output)))
    return failure();
  for (int i : {0, 1}) {
    WindowAxis axis = {i ? "width" : "height",   input.getDimSize(1 + i),
                       output.getDimSize(1 + i), getKernel()[i],
                       getStride()[i],           getPadding()[2 * i],
                       getPadding()[2 * i + 1],  getDilation()[i]};
    if (failed(verifyWindow(*this, axis,
                            getCeilMode() ? WindowRounding::Ceil
                                          : WindowRounding::Floor)))
      return failure();
    if (axis.input < 1)
      return emitOpError() << "has an empty image: " << input;
    // The first and the last window are those that padding can swallow.
    int64_t extent = (axis.kernel - 1) * axis.dilation + 1;
    for (int64_t window : {int64_t(0), axis.output - 1}) {
      int64_t start = window * axis.stride - axis.before;
      if (start + extent > 0 && start < axis.input)
        continue;
      return emitOpError() << "window " << window << " of the " << axis.name
                           << " lies in the padding; use less padding";
    }
  }
  return verifySameParameters(*this, input, output);
}

LogicalResult AvgPool2dOp::verify() {
  if (failed(verifyIntegers(*this, "kernel", getKernel(), 2, 1)) ||
      failed(verifyIntegers(*this, "stride", getStride(), 2, 1)) ||
      failed(verifyIntegers(*this, "padding", getPadding(), 4, 0)))
    return failure();
  ShapedType input = getInput().getType(), output = getOutput().getType();
  if (failed(verifyOuterDims(*this, input, output)))
    return failure();
  for (int i : {0, 1}) {
    WindowAxis axis = {i ? "width" : "height",
                       input.getDimSize(1 + i),
                       output.getDimSize(1 + i),
                       getKernel()[i],
                       getStride()[i],
                       getPadding()[2 * i],
                       getPadding()[2 * i + 1],
                       /*dilation=*/1};
    if (failed(verifyWindow(*this, axis,
                            getCeilMode() ? WindowRounding::Ceil
                                          : WindowRounding::Floor)))
      return failure();
    if (std::max(axis.before, axis.after) > axis.kernel / 2)
      return emitOpError() << "padding " << std::max(axis.before, axis.after)
                           << " of the " << axis.name
                           << " is more than half of the kernel "
                           << axis.kernel;
  }
  if (getDivisorOverride() == 0)
    return emitOpError() << "divisor_override is 0, expected another number";
  return verifySameParameters(*this, input, output);
}

LogicalResult AdaptiveAvgPool2dOp::verify() {
  ShapedType input = getInput().getType(), output = getOutput().getType();
  if (failed(verifyOuterDims(*this, input, output)))
    return failure();
  for (int i : {1, 2}) {
    if (input.isDynamicDim(i) || output.isDynamicDim(i))
      return emitOpError() << "has a dynamic " << (i == 1 ? "height" : "width")
                           << "; only the batch may be dynamic";
    if (input.getDimSize(i) < 1 || output.getDimSize(i) < 1)
      return emitOpError() << "has an empty image: " << input << " to "
                           << output;
  }
  return verifySameParameters(*this, input, output);
}

LogicalResult MeanOp::verify() {
  ShapedType input = getInput().getType(), output = getOutput().getType();
  if (!input.hasStaticShape() &&
      ShapedType::isDynamicShape(input.getShape().drop_front()))
    return emitOpError()
           << "has a dynamic height, width or channels; only the batch may be "
              "dynamic";
  if (input.getDimSize(1) < 1 || input.getDimSize(2) < 1)
    return emitOpError() << "has an empty image: " << input;
  SmallVector<int64_t> expected = {input.getDimSize(0), input.getDimSize(3)};
  if (getKeepdim())
    expected = {input.getDimSize(0), 1, 1, input.getDimSize(3)};
  if (output.getShape() != ArrayRef(expected))
    return emitOpError() << "the output is " << output << ", expected "
                         << RankedTensorType::get(expected,
                                                  output.getElementType());
  return verifySameParameters(*this, input, output);
}
