// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises convolutions, transposed ones too, in whatever dialect and layout,
// with what is in front of them and the bias that is added afterwards.

#include "Kinds/Convolution/Convolution.h"
#include "Kinds/Recognizers.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No result is computed by more ops than this after the convolution itself.
static constexpr unsigned kMaxChain = 6;

namespace {
/// A convolution op and what happens to its result.
struct Chain {
  std::vector<ConvolutionAccess> accesses;
  /// From the last op back to the first one after the convolution.
  SmallVector<Operation *> ops;
  /// The bias that one of them, at this position, adds.
  const Scalar *bias = nullptr;
  size_t biasPosition = 0;
};

/// The sizes of an operator that is one, dimension by dimension.
struct Geometry {
  SmallVector<int64_t> stride, padding, dilation, outputPadding, kernel;
  bool isTransposed = false;
};
} // namespace

static Chain findConvolution(Value value, ScalarExpressions &expressions) {
  Chain chain;
  while (chain.ops.size() <= kMaxChain) {
    Operation *op = getProducer(value);
    if (!op || op->getNumResults() != 1 || !getFloatType(op->getResult(0)))
      return {};
    chain.accesses = readLinalgConvolution(op, expressions);
    if (auto access = readTosaConvolution(op, expressions.constants))
      chain.accesses.push_back(*access);
    if (!chain.accesses.empty())
      return chain;
    chain.ops.push_back(op);
    if (Value source = getLayoutSource(op)) {
      value = source;
    } else if (auto crop = getCrop(op)) {
      value = crop->source;
    } else if (Value source = getUnchanged(op, expressions)) {
      value = source;
    } else if (auto sum = chain.bias ? std::nullopt
                                     : getBiasAddition(op, expressions)) {
      chain.bias = sum->parameter;
      chain.biasPosition = chain.ops.size() - 1;
      value = sum->value;
    } else {
      return {};
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

/// Of a padding that windows don't use up, producers keep what they like. This
/// is as much as is read, or what is before the image if that makes no
/// difference, as in networks that pad by the same amount on both sides. False
/// if the sizes aren't those of a convolution.
static bool canonicalizePadding(int64_t input, int64_t output, int64_t kernel,
                                int64_t stride, int64_t dilation,
                                int64_t before, int64_t &after) {
  if (ShapedType::isDynamic(input) || ShapedType::isDynamic(output))
    return true;
  int64_t read = (output - 1) * stride + (kernel - 1) * dilation + 1;
  int64_t missing = read - before - input;
  // Rows that no window reads: fewer than would make up one more.
  int64_t spare = std::max<int64_t>(-missing, 0);
  if (missing > after || spare >= stride)
    return false;
  after = std::max<int64_t>(missing, 0);
  if (after < before && before - after <= stride - 1 - spare)
    after = before;
  return true;
}

/// The geometry that a placement has, as a transposed convolution or not. The
/// result has the channels of each group in the dimension after `split`.
static std::optional<Geometry>
getGeometry(const ConvolutionAccess &access, const InputView &input,
            const AxisView &result, const Placement &placement,
            std::optional<unsigned> split, bool isTransposed) {
  Geometry geometry;
  geometry.isTransposed = isTransposed;
  for (auto [index, spatial] : llvm::enumerate(placement.spatial)) {
    InputAxis axis;
    if (spatial.inputAxis)
      axis = input.axes[*spatial.inputAxis];
    int64_t kernel =
        spatial.kernelLoop ? access.loopSizes[*spatial.kernelLoop] : 1;
    int64_t size = input.view.type().getDimSize(placement.input[index + 1]);
    int64_t dim = placement.result[index + 1];
    int64_t output = result.type().getDimSize(
        split && dim > int64_t(*split) ? dim + 1 : dim);
    if (ShapedType::isDynamic(kernel))
      return std::nullopt;
    geometry.kernel.push_back(kernel);
    geometry.dilation.push_back(axis.dilation);
    if (!isTransposed) {
      if (axis.spread != 1 || axis.before < 0 || axis.after < 0 ||
          !canonicalizePadding(size, output, kernel, axis.stride, axis.dilation,
                               axis.before, axis.after))
        return std::nullopt;
      geometry.stride.push_back(axis.stride);
      geometry.padding.append({axis.before, axis.after});
      continue;
    }
    // A pixel of the image reaches `reach` pixels beyond itself on either side.
    int64_t reach = (kernel - 1) * axis.dilation;
    int64_t before = reach - axis.before, after = reach - axis.after;
    int64_t outputPadding = 0;
    if (axis.stride != 1)
      return std::nullopt;
    if (after < before) {
      outputPadding = before - after;
      after = before;
    }
    if (before < 0 ||
        (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(output) &&
         output != (size - 1) * axis.spread - before - after + reach +
                       outputPadding + 1))
      return std::nullopt;
    geometry.stride.push_back(axis.spread);
    geometry.padding.append({before, after});
    geometry.outputPadding.push_back(outputPadding);
  }
  return geometry;
}

static Attribute getKind(const Geometry &geometry, int64_t groups,
                         MLIRContext *context) {
  auto ints = [&](ArrayRef<int64_t> values) {
    return DenseI64ArrayAttr::get(context, values);
  };
  DenseI64ArrayAttr stride = ints(geometry.stride);
  DenseI64ArrayAttr padding = ints(geometry.padding);
  DenseI64ArrayAttr dilation = ints(geometry.dilation);
  DenseI64ArrayAttr outputPadding = ints(geometry.outputPadding);
  switch (geometry.stride.size() + (geometry.isTransposed ? 3 : 0)) {
  case 1:
    return Conv1dAttr::get(context, stride, padding, dilation, groups);
  case 2:
    return Conv2dAttr::get(context, stride, padding, dilation, groups);
  case 3:
    return Conv3dAttr::get(context, stride, padding, dilation, groups);
  case 4:
    return ConvTranspose1dAttr::get(context, stride, padding, outputPadding,
                                    dilation, groups);
  case 5:
    return ConvTranspose2dAttr::get(context, stride, padding, outputPadding,
                                    dilation, groups);
  case 6:
    return ConvTranspose3dAttr::get(context, stride, padding, outputPadding,
                                    dilation, groups);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Filter
//===----------------------------------------------------------------------===//

DenseElementsAttr forms::evaluateOperand(const RecognizedOperand &operand,
                                         ConstantEvaluator &constants) {
  if (operand.constant)
    return operand.constant;
  DenseElementsAttr elements = constants.evaluate(operand.value);
  if (!elements || !elements.getElementType().isF32())
    return {};
  return operand.arrange(elements);
}

/// `elements`, of shape [out, spatial..., in], with the spatial dimensions in
/// reverse.
static DenseElementsAttr flipFilter(DenseElementsAttr elements) {
  if (elements.isSplat())
    return elements;
  ArrayRef<int64_t> shape = elements.getType().getShape();
  int64_t taps = 1, channels = shape.back();
  for (int64_t size : shape.drop_front().drop_back())
    taps *= size;
  // All of them in reverse: so is their number in row-major order.
  SmallVector<float, 0> values(elements.getValues<float>());
  SmallVector<float, 0> flipped(values.size());
  for (int64_t out = 0; out < shape[0]; ++out)
    for (int64_t tap = 0; tap < taps; ++tap)
      std::copy_n(values.begin() + (out * taps + tap) * channels, channels,
                  flipped.begin() + (out * taps + taps - 1 - tap) * channels);
  return DenseElementsAttr::get(elements.getType(), ArrayRef<float>(flipped));
}

namespace {
/// A filter: as it comes, and seen through what reverses it.
struct Filter {
  AxisView plain, flipped;
  /// Exactly the dimensions that windows slide over are reversed.
  bool isFlipped = false;
  /// What it holds is known.
  bool isConstant = false;
};
} // namespace

static Filter getFilter(const ConvolutionAccess &access,
                        ConstantEvaluator &constants) {
  Filter filter;
  filter.plain = {
      skipCasts(access.filter), access.filterLoops, access.loopSizes, {}};
  filter.flipped = filter.plain;
  for (unsigned depth = 0; depth < 12 && filter.plain.goBack(); ++depth)
    ;
  for (unsigned depth = 0; depth < 12 && filter.flipped.goBack(/*flips=*/true);
       ++depth)
    ;
  llvm::erase_if(filter.flipped.flipped,
                 [&](unsigned loop) { return access.loopSizes[loop] == 1; });
  SmallVector<unsigned> kernelLoops;
  for (const InputAxis &axis : access.inputAxes)
    if (axis.kernelLoop && access.loopSizes[*axis.kernelLoop] != 1)
      kernelLoops.push_back(*axis.kernelLoop);
  ArrayRef<unsigned> found = filter.flipped.flipped;
  filter.isFlipped = found.size() == kernelLoops.size() &&
                     llvm::all_of(kernelLoops, [&](unsigned loop) {
                       return llvm::is_contained(found, loop);
                     });
  filter.isConstant = constants.isConstant(access.filter);
  return filter;
}

/// The weight [out, spatial..., in / groups]; null if there is none.
static RecognizedOperand getWeight(const Filter &filter,
                                   const ConvolutionAccess &access,
                                   const Placement &placement,
                                   const Geometry &geometry,
                                   ConstantEvaluator &constants) {
  auto getSize = [&](std::optional<unsigned> loop) {
    return loop ? access.loopSizes[*loop] : 1;
  };
  SmallVector<unsigned> loops;
  for (std::optional<unsigned> loop : {placement.group, placement.outChannel})
    if (loop)
      loops.push_back(*loop);
  for (const Placement::Spatial &spatial : placement.spatial)
    if (spatial.kernelLoop)
      loops.push_back(*spatial.kernelLoop);
  if (placement.inChannel)
    loops.push_back(*placement.inChannel);
  SmallVector<int64_t> shape = {getSize(placement.group) *
                                getSize(placement.outChannel)};
  llvm::append_range(shape, geometry.kernel);
  shape.push_back(getSize(placement.inChannel));
  bool skipFlip =
      geometry.isTransposed && !access.isTransposed && filter.isFlipped;
  const AxisView &view = skipFlip ? filter.flipped : filter.plain;
  if (!view.type().hasStaticShape())
    return {};
  RecognizedOperand weight = arrangeAxes(view, loops, shape);
  bool hasTaps =
      llvm::any_of(geometry.kernel, [](int64_t k) { return k != 1; });
  if (!weight || !geometry.isTransposed || access.isTransposed || skipFlip ||
      !hasTaps)
    return weight;
  DenseElementsAttr elements = evaluateOperand(weight, constants);
  return elements ? RecognizedOperand::ofConstant(flipFilter(elements))
                  : RecognizedOperand();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The dimension of `result` that holds the groups, if the next one holds the
/// channels of each.
static std::optional<unsigned> getSplitChannels(const ConvolutionAccess &access,
                                                const AxisView &result) {
  auto inInput = [&](unsigned loop) {
    return llvm::any_of(access.inputAxes, [&](const InputAxis &axis) {
      return !axis.isWindow && axis.loop == loop;
    });
  };
  auto inFilter = [&](unsigned loop) {
    return llvm::any_of(access.filterLoops, [&](const AxisList &loops) {
      return llvm::is_contained(loops, loop);
    });
  };
  RankedTensorType type = result.type();
  for (unsigned dim = 0; dim + 1 < result.dims.size(); ++dim) {
    const AxisList &groups = result.dims[dim], &rest = result.dims[dim + 1];
    if (groups.size() == 1 && rest.size() == 1 && inFilter(groups[0]) &&
        inInput(groups[0]) && inFilter(rest[0]) && !inInput(rest[0]) &&
        !type.isDynamicDim(dim) && !type.isDynamicDim(dim + 1))
      return dim;
  }
  return std::nullopt;
}

namespace {
/// What the dimensions of a result are: what merges groups and the channels of
/// each may not be there; nor may the one channel that there is.
enum class ResultForm { Split, Whole, LacksChannel };
} // namespace

/// The convolution that reads `input`, if there is one whose result has `form`.
static std::optional<Convolution>
buildConvolution(Value value, const Chain &chain,
                 const ConvolutionAccess &access, const InputView &input,
                 const Filter &filter, ResultForm form,
                 ScalarExpressions &expressions) {
  // Follow the result. Crops change nothing but how far a transposed
  // convolution is padded.
  InputView cropped = input;
  AxisView result{
      access.op->getResult(0), access.resultLoops, access.loopSizes, {}};
  AxisView biased = result;
  bool isCropped = false;
  for (size_t position = chain.ops.size(); position-- > 0;) {
    Operation *op = chain.ops[position];
    if (chain.bias && position == chain.biasPosition) {
      result.value = op->getResult(0);
      biased = result;
      continue;
    }
    if (getLayoutSource(op)) {
      if (!result.goForward(op))
        return std::nullopt;
      continue;
    }
    if (getUnchanged(op, expressions)) {
      result.value = op->getResult(0);
      continue;
    }
    auto crop = getCrop(op);
    if (!crop)
      return std::nullopt;
    isCropped = true;
    for (auto [dim, amount] : llvm::enumerate(crop->amounts)) {
      if (amount.first == 0 && amount.second == 0)
        continue;
      auto it = result.dims[dim].size() == 1
                    ? llvm::find_if(cropped.axes,
                                    [&, dim = dim](const InputAxis &axis) {
                                      return axis.isWindow &&
                                             axis.loop == result.dims[dim][0];
                                    })
                    : cropped.axes.end();
      if (it == cropped.axes.end() || it->stride != 1)
        return std::nullopt;
      it->before -= amount.first;
      it->after -= amount.second;
    }
    result.value = op->getResult(0);
    for (auto [axes, size] :
         llvm::zip_equal(result.dims, result.type().getShape()))
      if (axes.size() == 1)
        result.sizes[axes[0]] = size;
  }
  result.value = value;

  std::optional<Placement> placement;
  std::optional<unsigned> split;
  AxisView placed = result;
  switch (form) {
  case ResultForm::Split:
    split = getSplitChannels(access, result);
    if (!split)
      return std::nullopt;
    placed.dims[*split].append(placed.dims[*split + 1]);
    placed.dims.erase(placed.dims.begin() + *split + 1);
    placement = placeDimensions(access, cropped, filter.plain, placed);
    break;
  case ResultForm::Whole:
    placement = placeDimensions(access, cropped, filter.plain, placed);
    break;
  case ResultForm::LacksChannel:
    if (result.dims.size() + 1 != cropped.view.dims.size() ||
        !result.type().hasStaticShape())
      return std::nullopt;
    placed.dims.emplace_back();
    placement = placeDimensions(access, cropped, filter.plain, placed);
    if (placement && placement->result.back() != int64_t(result.dims.size()))
      return std::nullopt;
    break;
  }
  if (!placement)
    return std::nullopt;
  bool isSpread = llvm::any_of(
      cropped.axes, [](const InputAxis &axis) { return axis.spread != 1; });
  // A filter in reverse is that of a transposed convolution, if all is such.
  std::optional<Geometry> geometry;
  bool mayBeTransposed = access.isTransposed || isSpread ||
                         (filter.isFlipped && !filter.flipped.flipped.empty());
  if (mayBeTransposed)
    geometry = getGeometry(access, cropped, result, *placement, split, true);
  if (!geometry && !access.isTransposed && !isSpread && !isCropped)
    geometry = getGeometry(access, cropped, result, *placement, split, false);
  if (!geometry)
    return std::nullopt;

  Convolution conv;
  RecognizedOperator &op = conv.op;
  ConstantEvaluator &constants = expressions.constants;
  op.result = value;
  op.weight = getWeight(filter, access, *placement, *geometry, constants);
  if (!op.weight)
    return std::nullopt;
  int64_t groups = placement->group ? access.loopSizes[*placement->group] : 1;
  op.kind = getKind(*geometry, groups, value.getContext());
  op.inputs = {RecognizedOperand::of(cropped.view.value)};
  if (!llvm::is_sorted(placement->input))
    op.inputs[0].permutation = placement->input;
  if (split) {
    llvm::append_range(op.outputShape, result.type().getShape());
    op.outputShape[*split] *= op.outputShape[*split + 1];
    op.outputShape.erase(op.outputShape.begin() + *split + 1);
  }
  if (form == ResultForm::LacksChannel) {
    llvm::append_range(op.outputShape, result.type().getShape());
    op.outputShape.push_back(1);
  }
  if (!llvm::is_sorted(placement->result))
    op.outputPermutation = placement->result;
  conv.channel = placement->result.back();

  SmallVector<unsigned> channelLoops;
  for (std::optional<unsigned> loop : {placement->group, placement->outChannel})
    if (loop && access.loopSizes[*loop] != 1)
      channelLoops.push_back(*loop);
  int64_t channels =
      groups *
      (placement->outChannel ? access.loopSizes[*placement->outChannel] : 1);
  auto bias = access.bias
                  ? getBiasOperand(access.bias, channels, constants)
                  : getInitialBias(access, channelLoops, channels, expressions);
  if (failed(bias) || (chain.bias && *bias))
    return std::nullopt;
  op.bias = *bias;
  if (!chain.bias)
    return conv;
  auto dims = getChannelDims(biased, channelLoops);
  if (failed(dims))
    return std::nullopt;
  op.bias = getBias(chain.bias, *dims, channels, biased.type(), expressions);
  return op.bias ? std::optional(conv) : std::nullopt;
}

std::vector<Convolution>
forms::matchConvolutions(Value value, ScalarExpressions &expressions) {
  std::vector<Convolution> found;
  Chain chain = findConvolution(value, expressions);
  for (const ConvolutionAccess &access : chain.accesses) {
    ConstantEvaluator &constants = expressions.constants;
    Filter filter = getFilter(access, constants);
    // The windows tell which operand is the image; what this op does with the
    // other one is no sign of data.
    if (getOrigin(filter.flipped.value, constants, access.op).kind ==
            Origin::Activation ||
        constants.isConstant(access.input))
      continue;
    bool spread = filter.isFlipped || filter.isConstant;
    auto parts = getInputViews(access, spread, constants);
    for (ArrayRef<InputView> part : llvm::reverse(parts)) {
      // Of one image, groups could be rows; in one dimension less, the result
      // may have its channel.
      std::optional<Convolution> conv;
      for (ResultForm form :
           {ResultForm::Split, ResultForm::Whole, ResultForm::LacksChannel})
        for (const InputView &input : part)
          if (!conv)
            conv = buildConvolution(value, chain, access, input, filter, form,
                                    expressions);
      if (conv)
        found.push_back(std::move(*conv));
    }
    if (!found.empty())
      break;
  }
  return found;
}

static unsigned getRank(const RecognizedOperator &op) {
  return cast<RankedTensorType>(op.result.getType()).getRank();
}

void forms::recognizeConvolution(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  // Transpositions after a convolution are operators of their own, and so are
  // changes of shape unless the convolution is one with fewer dimensions.
  Value source;
  if (getCopyMap(recognition.root, source))
    return;
  auto found = matchConvolutions(recognition.result(), expressions);
  if (Value before =
          found.empty() ? Value() : getLayoutSource(recognition.root))
    for (const Convolution &inner : matchConvolutions(before, expressions))
      if (getRank(inner.op) <= getRank(found.front().op))
        return;
  for (Convolution &conv : found)
    recognition.found.push_back(std::move(conv.op));
  if (auto groups = matchGroups(recognition.result(), expressions))
    recognition.found.push_back(std::move(groups->op));
  if (auto rows = matchGroupsOfRows(recognition.root, expressions))
    recognition.found.push_back(std::move(*rows));

  auto addition = getBiasAddition(recognition.root, recognition.expressions);
  auto groups =
      addition ? matchGroups(addition->value, expressions) : std::nullopt;
  if (!groups || groups->op.bias)
    return;
  groups->op.result = recognition.result();
  groups->op.bias = getChannelOperand(
      addition->parameter, groups->channel,
      cast<RankedTensorType>(recognition.result().getType()), expressions);
  if (groups->op.bias)
    recognition.found.push_back(std::move(groups->op));
}
