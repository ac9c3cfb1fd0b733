// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Biases of convolutions: operands, destinations, and what is added.

#include "Kinds/Convolution/Convolution.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

FailureOr<SmallVector<unsigned>>
forms::getChannelDims(const AxisView &view, ArrayRef<unsigned> channelLoops) {
  SmallVector<unsigned> dims;
  AxisList found;
  for (auto [index, axes] : llvm::enumerate(view.dims)) {
    bool isChannel = llvm::any_of(axes, [&](unsigned axis) {
      return llvm::is_contained(channelLoops, axis);
    });
    if (!isChannel)
      continue;
    dims.push_back(index);
    llvm::copy_if(axes, std::back_inserter(found),
                  [&](unsigned axis) { return view.sizes[axis] != 1; });
  }
  if (ArrayRef<unsigned>(found) != channelLoops)
    return failure();
  return dims;
}

RecognizedOperand forms::getBias(const Scalar *scalar, ArrayRef<unsigned> dims,
                                 int64_t channels, RankedTensorType type,
                                 ScalarExpressions &expressions) {
  if (dims.size() == 1)
    return getChannelOperand(scalar, dims[0], type, expressions);
  if (scalar->kind != ScalarKind::Operand || !getFloatType(scalar->value))
    return {};
  // One channel, or groups of them.
  auto view = viewThroughLayout(scalar->value, scalar->map, /*reshapes=*/true);
  if (!view || !isParameter(view->source, expressions.constants))
    return {};
  return arrange(*view, dims, {channels});
}

/// `channels` numbers along dimension `dims` of `value`, which is a part of
/// what broadcasts a constant, maybe along extents that aren't known; null if
/// it isn't.
static RecognizedOperand getPartOfBroadcast(Value value,
                                            ArrayRef<unsigned> dims,
                                            int64_t channels,
                                            ConstantEvaluator &constants) {
  auto crop = getCrop(getProducer(value));
  Value source;
  auto map = crop ? getCopyMap(getProducer(crop->source), source)
                  : std::optional<AffineMap>();
  DenseElementsAttr elements = map && getFloatType(source)
                                   ? constants.evaluate(source)
                                   : DenseElementsAttr();
  if (!elements)
    return {};
  // The only dimension of the constant that isn't 1.
  std::optional<int64_t> start;
  for (auto [expr, size] :
       llvm::zip_equal(map->getResults(), elements.getType().getShape())) {
    if (size == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    auto type = cast<RankedTensorType>(value.getType());
    if (start || !dim || type.isDynamicDim(dim.getPosition()) ||
        type.getDimSize(dim.getPosition()) != channels ||
        (channels != 1 && dims != ArrayRef(dim.getPosition())))
      return {};
    start = crop->amounts[dim.getPosition()].first;
  }
  if (!start)
    return {};
  auto numbers = elements.getValues<float>();
  SmallVector<float> part(numbers.begin() + *start,
                          numbers.begin() + *start + channels);
  return RecognizedOperand::ofConstant(DenseElementsAttr::get(
      RankedTensorType::get({channels}, elements.getElementType()),
      ArrayRef<float>(part)));
}

FailureOr<RecognizedOperand>
forms::getInitialBias(const ConvolutionAccess &access,
                      ArrayRef<unsigned> channelLoops, int64_t channels,
                      ScalarExpressions &expressions) {
  if (!access.init)
    return RecognizedOperand();
  AxisView view{
      skipCasts(access.init), access.resultLoops, access.loopSizes, {}};
  for (unsigned depth = 0; depth < 4; ++depth) {
    // Also one that is reshaped, whose extents may not be known.
    if (auto fill = getFill(view.value, expressions.constants)) {
      if (*fill == 0)
        return RecognizedOperand();
      auto type =
          RankedTensorType::get({channels}, view.type().getElementType());
      return RecognizedOperand::ofConstant(
          DenseElementsAttr::get(type, float(*fill)));
    }
    auto dims = getChannelDims(view, channelLoops);
    if (failed(dims))
      return failure();
    Scalar scalar;
    scalar.kind = ScalarKind::Operand;
    scalar.value = view.value;
    scalar.map = AffineMap::getMultiDimIdentityMap(view.dims.size(),
                                                   view.value.getContext());
    scalar.full = true;
    if (auto bias = getBias(&scalar, *dims, channels, view.type(), expressions))
      return bias;
    if (auto bias = getPartOfBroadcast(view.value, *dims, channels,
                                       expressions.constants))
      return bias;
    if (!view.goBack())
      break;
  }
  return failure();
}

FailureOr<RecognizedOperand>
forms::getBiasOperand(Value bias, int64_t channels,
                      ConstantEvaluator &constants) {
  auto type = getFloatType(bias);
  if (!type || type.getRank() != 1 || !type.hasStaticShape())
    return failure();
  if (constants.getSplat(bias) == 0.0)
    return RecognizedOperand();
  if (type.getDimSize(0) == channels) {
    if (!isParameter(bias, constants))
      return failure();
    return RecognizedOperand::of(bias);
  }
  DenseElementsAttr elements = constants.evaluate(bias);
  if (!elements || elements.size() != 1)
    return failure();
  return RecognizedOperand::ofConstant(
      elements.resizeSplat(type.clone({channels})));
}
