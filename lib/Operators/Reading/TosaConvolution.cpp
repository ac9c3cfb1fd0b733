// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of TOSA. Images have channels last.

#include "Reading/ConvolutionAccess.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
/// The loops of a convolution over `rank` spatial dimensions.
struct Loops {
  unsigned rank;
  unsigned batch() const { return 0; }
  unsigned output(unsigned dim) const { return 1 + dim; }
  unsigned kernel(unsigned dim) const { return 1 + rank + dim; }
  unsigned outChannel() const { return 1 + 2 * rank; }
  /// Or group.
  unsigned inChannel() const { return 2 + 2 * rank; }
  unsigned count() const { return 3 + 2 * rank; }
};
} // namespace

/// What all of them have in common; nullopt unless it is one on floats.
template <typename ConvOpT>
static std::optional<ConvolutionAccess>
readOperands(ConvOpT conv, Loops loops, ConstantEvaluator &constants) {
  auto inputType = getFloatType(conv.getInput());
  auto filterType = getFloatType(skipCasts(conv.getWeight()));
  auto resultType = getFloatType(conv.getOutput());
  unsigned rank = loops.rank;
  if (!inputType || !filterType || !resultType ||
      inputType.getRank() != rank + 2 || filterType.getRank() != rank + 2 ||
      resultType.getRank() != rank + 2 || conv.getStride().size() != rank ||
      constants.getSplat(conv.getInputZp()) != 0.0 ||
      constants.getSplat(conv.getWeightZp()) != 0.0)
    return std::nullopt;
  ConvolutionAccess access;
  access.op = conv;
  access.input = conv.getInput();
  access.filter = conv.getWeight();
  access.bias = conv.getBias();
  access.batchLoop = loops.batch();
  access.loopSizes.assign(loops.count(), ShapedType::kDynamic);
  access.loopSizes[loops.batch()] = resultType.getDimSize(0);
  access.inputAxes.emplace_back().loop = loops.batch();
  access.resultLoops.push_back({loops.batch()});
  for (unsigned dim = 0; dim < rank; ++dim) {
    access.loopSizes[loops.output(dim)] = resultType.getDimSize(1 + dim);
    InputAxis &axis = access.inputAxes.emplace_back();
    axis.isWindow = true;
    axis.loop = loops.output(dim);
    axis.kernelLoop = loops.kernel(dim);
    axis.stride = conv.getStride()[dim];
    access.resultLoops.push_back({loops.output(dim)});
  }
  access.inputAxes.emplace_back().loop = loops.inChannel();
  return access;
}

/// Sets the loops of the dimensions of the filter, from their sizes.
static void setFilter(ConvolutionAccess &access, ArrayRef<unsigned> loops) {
  auto type = cast<RankedTensorType>(skipCasts(access.filter).getType());
  for (auto [loop, size] : llvm::zip_equal(loops, type.getShape())) {
    access.filterLoops.push_back({loop});
    access.loopSizes[loop] = size;
  }
}

template <typename ConvOpT>
static std::optional<ConvolutionAccess>
readConvolution(ConvOpT conv, unsigned rank, ConstantEvaluator &constants) {
  Loops loops{rank};
  auto access = readOperands(conv, loops, constants);
  if (!access || conv.getPad().size() != 2 * rank ||
      conv.getDilation().size() != rank)
    return std::nullopt;
  for (unsigned dim = 0; dim < rank; ++dim) {
    InputAxis &axis = access->inputAxes[1 + dim];
    axis.dilation = conv.getDilation()[dim];
    axis.before = conv.getPad()[2 * dim];
    axis.after = conv.getPad()[2 * dim + 1];
  }
  SmallVector<unsigned> filter;
  for (unsigned dim = 0; dim < rank; ++dim)
    filter.push_back(loops.kernel(dim));
  if (isa<tosa::DepthwiseConv2DOp>(conv)) {
    // [kh, kw, C, M], and result channel c * M + m
    filter.append({loops.inChannel(), loops.outChannel()});
    access->resultLoops.push_back({loops.inChannel(), loops.outChannel()});
  } else {
    filter.insert(filter.begin(), loops.outChannel());
    filter.push_back(loops.inChannel());
    access->resultLoops.push_back({loops.outChannel()});
  }
  setFilter(*access, filter);
  return access;
}

static std::optional<ConvolutionAccess>
readTransposed(tosa::TransposeConv2DOp conv, ConstantEvaluator &constants) {
  Loops loops{2};
  auto access = readOperands(conv, loops, constants);
  if (!access || conv.getOutPad().size() != 4)
    return std::nullopt;
  access->isTransposed = true;
  access->resultLoops.push_back({loops.outChannel()});
  setFilter(*access, {loops.outChannel(), loops.kernel(0), loops.kernel(1),
                      loops.inChannel()});
  for (unsigned dim = 0; dim < 2; ++dim) {
    // Each pixel of the result is under a window over the image with zeros
    // between its pixels.
    InputAxis &axis = access->inputAxes[1 + dim];
    int64_t reach = access->loopSizes[loops.kernel(dim)] - 1;
    axis.spread = std::exchange(axis.stride, 1);
    axis.before = reach + conv.getOutPad()[2 * dim];
    axis.after = reach + conv.getOutPad()[2 * dim + 1];
  }
  return access;
}

std::optional<ConvolutionAccess>
forms::readTosaConvolution(Operation *op, ConstantEvaluator &constants) {
  if (auto conv = dyn_cast_or_null<tosa::Conv2DOp>(op))
    return readConvolution(conv, 2, constants);
  if (auto conv = dyn_cast_or_null<tosa::Conv3DOp>(op))
    return readConvolution(conv, 3, constants);
  if (auto conv = dyn_cast_or_null<tosa::DepthwiseConv2DOp>(op))
    return readConvolution(conv, 2, constants);
  if (auto conv = dyn_cast_or_null<tosa::TransposeConv2DOp>(op))
    return readTransposed(conv, constants);
  return std::nullopt;
}
