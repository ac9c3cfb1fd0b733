// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is in front of a convolution and belongs to it: zeros around the image,
// zeros between its pixels, and cuts of what no window reads.

#include "Kinds/Convolution/Convolution.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No input is further away than this.
static constexpr unsigned kMaxSteps = 12;

/// The axis that alone makes up dimension `dim`, if windows slide over it.
static std::optional<unsigned> getWindowAxis(const InputView &input,
                                             unsigned dim) {
  const AxisList &axes = input.view.dims[dim];
  if (axes.size() != 1 || !input.axes[axes[0]].isWindow)
    return std::nullopt;
  return axes[0];
}

static SmallVector<unsigned> getWindowDims(const InputView &input) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < input.view.dims.size(); ++dim)
    if (getWindowAxis(input, dim))
      dims.push_back(dim);
  return dims;
}

/// Makes `input` a view of `value`, which has the same dimensions.
static void setValue(InputView &input, Value value) {
  input.view.value = skipCasts(value);
  for (auto [axes, size] :
       llvm::zip_equal(input.view.dims, input.view.type().getShape()))
    if (axes.size() == 1)
      input.view.sizes[axes[0]] = size;
}

static bool skipZeros(InputView &input, ConstantEvaluator &constants) {
  SmallVector<unsigned> spatial = getWindowDims(input);
  PaddedValue padded = skipPadding(input.view.value, spatial, constants);
  if (!padded.number || *padded.number != 0 || !getFloatType(padded.value))
    return false;
  for (auto [index, dim] : llvm::enumerate(spatial)) {
    InputAxis &axis = input.axes[*getWindowAxis(input, dim)];
    axis.before += padded.padding[2 * index];
    axis.after += padded.padding[2 * index + 1];
  }
  setValue(input, padded.value);
  return true;
}

/// Elements inserted with strides into zeros.
static bool skipSpread(InputView &input, ConstantEvaluator &constants) {
  auto insert =
      dyn_cast_or_null<tensor::InsertSliceOp>(getProducer(input.view.value));
  if (!insert || insert.hasUnitStride() || !getFloatType(insert.getSource()) ||
      !isFilledWith(insert.getDest(), 0, constants))
    return false;
  RankedTensorType source = insert.getSourceType(), dest = insert.getDestType();
  if (source.getRank() != dest.getRank())
    return false;
  InputView result = input;
  for (int64_t dim = 0; dim < dest.getRank(); ++dim) {
    std::optional<int64_t> offset =
        getConstantIntValue(insert.getMixedOffsets()[dim]);
    std::optional<int64_t> step =
        getConstantIntValue(insert.getMixedStrides()[dim]);
    if (!offset || !step)
      return false;
    if (*offset == 0 && *step == 1 && isWholeDimension(insert, dim))
      continue;
    std::optional<unsigned> window = getWindowAxis(input, dim);
    if (!window || source.isDynamicDim(dim) || dest.isDynamicDim(dim))
      return false;
    InputAxis &axis = result.axes[*window];
    int64_t end = *offset + (source.getDimSize(dim) - 1) * *step + 1;
    if (axis.stride != 1 || axis.spread != 1 || end > dest.getDimSize(dim))
      return false;
    axis.spread = *step;
    axis.before += *offset;
    axis.after += dest.getDimSize(dim) - end;
  }
  setValue(result, insert.getSource());
  input = std::move(result);
  return true;
}

/// Rows and columns at the end that no window reads.
static bool skipUnread(InputView &input, const ConvolutionAccess &access) {
  auto crop = getCrop(getProducer(input.view.value));
  if (!crop)
    return false;
  InputView result = input;
  for (auto [dim, amount] : llvm::enumerate(crop->amounts)) {
    if (amount.first == 0 && amount.second == 0)
      continue;
    std::optional<unsigned> window = getWindowAxis(input, dim);
    if (!window || amount.first != 0)
      return false;
    InputAxis &axis = result.axes[*window];
    int64_t outputs = axis.loop ? access.loopSizes[*axis.loop] : 1;
    int64_t kernel = axis.kernelLoop ? access.loopSizes[*axis.kernelLoop] : 1;
    if (axis.spread != 1 || ShapedType::isDynamic(outputs) ||
        ShapedType::isDynamic(kernel))
      return false;
    // Zeros after the image would be read in the place of what was cut.
    int64_t read = (outputs - 1) * axis.stride + (kernel - 1) * axis.dilation +
                   1 - axis.before;
    if (read > input.view.sizes[*window])
      return false;
    axis.after = 0;
  }
  setValue(result, crop->source);
  input = std::move(result);
  return true;
}

std::vector<std::vector<InputView>>
forms::getInputViews(const ConvolutionAccess &access, bool spread,
                     ConstantEvaluator &constants) {
  InputView input;
  input.axes = access.inputAxes;
  input.view.value = skipCasts(access.input);
  for (auto [dim, size] : llvm::enumerate(input.view.type().getShape())) {
    input.view.dims.push_back({unsigned(dim)});
    input.view.sizes.push_back(size);
  }
  std::vector<std::vector<InputView>> parts = {{input}};
  bool isSpread = false;
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    // Zeros in front of others that lie between pixels are not padding.
    if (!isSpread &&
        (skipZeros(input, constants) || skipUnread(input, access))) {
      parts.push_back({input});
    } else if (!isSpread && spread && skipSpread(input, constants)) {
      isSpread = true;
      parts.push_back({input});
    } else if (input.view.goBack()) {
      parts.back().push_back(input);
    } else {
      break;
    }
  }
  return parts;
}
