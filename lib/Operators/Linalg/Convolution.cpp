// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises 2-d convolutions by what they access: named ops of all layouts,
// depthwise, grouped, and their generic forms.

#include "Linalg/LinalgRecognizers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
/// The loops of a convolution by what they are for.
struct Roles {
  std::optional<unsigned> batch, group, outputChannel, inputChannel;
};
} // namespace

static std::optional<Roles> getRoles(const Windows &windows, AffineMap filter,
                                     AffineMap output) {
  auto position = [](AffineMap map, unsigned loop) {
    return map.getResultPosition(getAffineDimExpr(loop, map.getContext()))
        .has_value();
  };
  Roles roles;
  for (unsigned loop = 0; loop < filter.getNumDims(); ++loop) {
    bool inFilter = position(filter, loop), inOutput = position(output, loop);
    if (llvm::is_contained(windows.kernelLoops, std::optional(loop))) {
      if (!inFilter || inOutput)
        return std::nullopt;
      continue;
    }
    if (llvm::is_contained(windows.outputLoops, std::optional(loop))) {
      if (inFilter || !inOutput)
        return std::nullopt;
      continue;
    }
    bool inInput = llvm::is_contained(windows.loops, loop);
    std::optional<unsigned> *role = nullptr;
    if (inInput && inFilter)
      role = inOutput ? &roles.group : &roles.inputChannel;
    else if (inOutput && inInput != inFilter)
      role = inInput ? &roles.batch : &roles.outputChannel;
    if (!role || *role)
      return std::nullopt;
    *role = loop;
  }
  if (!roles.batch ||
      (!roles.group && (!roles.outputChannel || !roles.inputChannel)))
    return std::nullopt;
  return roles;
}

/// Where the dimensions of a value went when dimensions `outer` and `inner`
/// became one (or were one before); nullopt if anything else happened.
static std::optional<SmallVector<unsigned>>
getMergedPositions(ArrayRef<ReassociationIndices> reassociation, unsigned outer,
                   unsigned inner) {
  SmallVector<unsigned> merged;
  for (auto [index, group] : llvm::enumerate(reassociation)) {
    bool isPair = group.size() == 2 && group[0] == outer && group[1] == inner;
    if (group.size() != 1 && !isPair)
      return std::nullopt;
    merged.append(group.size(), index);
  }
  if (inner >= merged.size() || merged[outer] != merged[inner])
    return std::nullopt;
  return merged;
}

namespace {
/// A convolution and the dimension of its result that its bias varies along.
struct Convolution {
  RecognizedOperator op;
  unsigned channel;
};
} // namespace

/// Fills in the input: `positions` are those of [batch, height, width, channel]
/// in `value`.
static bool setInput(Value value, SmallVector<unsigned> positions, bool skipPad,
                     ConstantEvaluator &constants, RecognizedOperator &op,
                     SmallVector<int64_t> &padding) {
  PaddedValue padded{value, {0, 0, 0, 0}, std::nullopt};
  if (skipPad)
    padded = skipPadding(value, {positions[1], positions[2]}, constants);
  if (padded.number && *padded.number != 0)
    padded = {value, {0, 0, 0, 0}, std::nullopt};
  auto type = getFloatType(padded.value);
  if (!type || type.getRank() != 4)
    return false;
  // Strides that put zeros between pixels: a transposed convolution.
  auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(getProducer(value));
  if (insert && !insert.hasUnitStride())
    return false;
  SmallVector<int64_t> permutation(positions.begin(), positions.end());
  op.inputs = {llvm::is_sorted(permutation)
                   ? RecognizedOperand::of(padded.value)
                   : RecognizedOperand::transposed(padded.value, permutation)};
  padding.assign(padded.padding.begin(), padded.padding.end());
  return true;
}

/// The convolution that computes `value`.
static std::optional<Convolution>
matchConvolution(Value value, ScalarExpressions &expressions, bool skipPad) {
  ConstantEvaluator &constants = expressions.constants;
  Operation *producer = getProducer(value);
  auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(producer);
  if (collapse)
    producer = getProducer(collapse.getSrc());
  auto conv = dyn_cast_or_null<linalg::LinalgOp>(producer);
  if (!conv || !isMultiplyAccumulate(conv, expressions))
    return std::nullopt;
  AffineMap filterMap = conv.getMatchingIndexingMap(conv.getDpsInputOperand(1));
  AffineMap outputMap = conv.getMatchingIndexingMap(conv.getDpsInitOperand(0));
  std::optional<Windows> windows = getWindows(conv);
  if (!windows || windows->positions.size() != 2 ||
      llvm::is_contained(windows->outputLoops, std::nullopt) ||
      llvm::is_contained(windows->kernelLoops, std::nullopt) ||
      !filterMap.isProjectedPermutation() ||
      !outputMap.isProjectedPermutation())
    return std::nullopt;
  std::optional<Roles> roles = getRoles(*windows, filterMap, outputMap);
  Value filter = conv.getDpsInputOperand(1)->get();
  auto filterType = cast<RankedTensorType>(filter.getType());
  if (!roles || !filterType.hasStaticShape() || !isParameter(filter, constants))
    return std::nullopt;

  MLIRContext *context = value.getContext();
  auto getPosition = [&](AffineMap map, unsigned loop) -> unsigned {
    return *map.getResultPosition(getAffineDimExpr(loop, context));
  };
  auto getSize = [&](std::optional<unsigned> loop) -> int64_t {
    return loop ? filterType.getDimSize(getPosition(filterMap, *loop)) : 1;
  };
  Convolution result;
  RecognizedOperator &op = result.op;
  op.result = value;

  // Input: groups may have a dimension of their own.
  auto inputPosition = [&](unsigned loop) -> unsigned {
    return llvm::find(windows->loops, std::optional<unsigned>(loop)) -
           windows->loops.begin();
  };
  Value input = conv.getDpsInputOperand(0)->get();
  SmallVector<unsigned> positions = {
      inputPosition(*roles->batch), windows->positions[0],
      windows->positions[1],
      inputPosition(roles->group ? *roles->group : *roles->inputChannel)};
  if (roles->group && roles->inputChannel) {
    auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(getProducer(input));
    if (!expand)
      return std::nullopt;
    auto merged =
        getMergedPositions(expand.getReassociationIndices(), positions[3],
                           inputPosition(*roles->inputChannel));
    if (!merged)
      return std::nullopt;
    for (unsigned &position : positions)
      position = (*merged)[position];
    input = expand.getSrc();
  }
  SmallVector<int64_t> padding;
  if (!setInput(input, positions, skipPad, constants, op, padding))
    return std::nullopt;

  // Result, and where its channels are.
  unsigned channelLoop = roles->group ? *roles->group : *roles->outputChannel;
  SmallVector<unsigned> outputs = {
      getPosition(outputMap, *roles->batch),
      getPosition(outputMap, *windows->outputLoops[0]),
      getPosition(outputMap, *windows->outputLoops[1]),
      getPosition(outputMap, channelLoop)};
  Value init = conv.getDpsInitOperand(0)->get();
  bool outputGroups = roles->group && roles->outputChannel;
  if (outputGroups != bool(collapse))
    return std::nullopt;
  if (outputGroups) {
    unsigned inner = getPosition(outputMap, *roles->outputChannel);
    auto merged = getMergedPositions(collapse.getReassociationIndices(),
                                     outputs[3], inner);
    if (!merged)
      return std::nullopt;
    auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(getProducer(init));
    if (expand && getMergedPositions(expand.getReassociationIndices(),
                                     outputs[3], inner) == merged)
      init = expand.getSrc();
    else if (!isFilledWith(init, 0, constants))
      return std::nullopt;
    for (unsigned &position : outputs)
      position = (*merged)[position];
  }
  result.channel = outputs[3];
  if (!isFilledWith(init, 0, constants) &&
      failed(getInitialBias(init, result.channel, expressions, op.bias)))
    return std::nullopt;
  SmallVector<int64_t> outputPermutation(outputs.begin(), outputs.end());
  if (!llvm::is_sorted(outputPermutation))
    op.outputPermutation = outputPermutation;

  // Weight.
  SmallVector<unsigned> loops;
  for (std::optional<unsigned> loop : {roles->group, roles->outputChannel})
    if (loop)
      loops.push_back(*loop);
  for (std::optional<unsigned> loop : windows->kernelLoops)
    loops.push_back(*loop);
  if (roles->inputChannel)
    loops.push_back(*roles->inputChannel);
  SmallVector<int64_t> shape = {
      getSize(roles->group) * getSize(roles->outputChannel),
      getSize(windows->kernelLoops[0]), getSize(windows->kernelLoops[1]),
      getSize(roles->inputChannel)};
  auto view = viewThroughLayout(filter, filterMap, /*reshapes=*/true);
  if (!view || !(op.weight = arrange(*view, loops, shape)))
    return std::nullopt;

  auto ints = [&](ArrayRef<int64_t> values) {
    return DenseI64ArrayAttr::get(context, values);
  };
  op.kind = Conv2dAttr::get(context, ints(windows->strides), ints(padding),
                            ints(windows->dilations), getSize(roles->group));
  return result;
}

/// What a convolution reads may be shared with another one: then `qbackend-
/// raise` wants the convolution without the padding.
static void append(Recognition &recognition, Value value,
                   const Scalar *parameter) {
  for (bool skipPad : {true, false}) {
    auto conv = matchConvolution(value, recognition.expressions, skipPad);
    if (!conv)
      return;
    if (parameter) {
      if (conv->op.bias)
        return;
      conv->op.bias = getChannelOperand(
          parameter, conv->channel,
          cast<RankedTensorType>(recognition.result().getType()),
          recognition.expressions);
      if (!conv->op.bias)
        return;
      conv->op.result = recognition.result();
    }
    bool padded =
        llvm::any_of(cast<Conv2dAttr>(conv->op.kind).getPadding().asArrayRef(),
                     [](int64_t amount) { return amount != 0; });
    recognition.found.push_back(std::move(conv->op));
    if (!padded)
      return;
  }
}

void forms::recognizeLinalgConvolution(Recognition &recognition) {
  append(recognition, recognition.result(), nullptr);
  if (auto addition = getBiasAddition(recognition))
    append(recognition, addition->value, addition->parameter);
}
