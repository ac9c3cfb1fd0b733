// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises pooling and means: a reduction, and for averages a division.

#include "Linalg/LinalgRecognizers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

bool forms::isNonNegative(Value value, ScalarExpressions &expressions,
                          unsigned depth) {
  if (depth == 0)
    return false;
  Operation *op = getProducer(value);
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    return isNonNegative(collapse.getSrc(), expressions, depth - 1);
  if (auto concat = dyn_cast_or_null<tensor::ConcatOp>(op))
    return llvm::all_of(concat.getInputs(), [&](Value input) {
      return isNonNegative(input, expressions, depth - 1);
    });
  std::function<bool(const Scalar *)> check = [&](const Scalar *scalar) {
    if (std::optional<double> number = expressions.getNumber(scalar))
      return *number >= 0;
    switch (scalar->kind) {
    case ScalarKind::Operand:
      return isNonNegative(scalar->value, expressions, depth - 1);
    case ScalarKind::Max:
      return check(scalar->a) || check(scalar->b);
    case ScalarKind::Min:
    case ScalarKind::Add:
    case ScalarKind::Mul:
      return check(scalar->a) && check(scalar->b);
    case ScalarKind::Exp:
      return true;
    default:
      return false;
    }
  };
  const Scalar *scalar = expressions.readElementwise(op);
  return scalar && check(scalar);
}

namespace {
struct Pool {
  linalg::LinalgOp op;
  PaddedValue input;
  /// The input with its padding.
  Value paddedInput;
  Windows windows;
  SmallVector<int64_t> kernel;
  /// Positions of [batch, height, width, channel].
  SmallVector<int64_t> permutation;
};
} // namespace

/// Takes away the padding after the last window. Exports of ceil mode pad by
/// more than it reads.
static void dropUnusedPadding(Pool &pool) {
  auto inputType = cast<RankedTensorType>(pool.input.value.getType());
  auto outputType = cast<RankedTensorType>(pool.op->getResult(0).getType());
  for (auto [i, position] : llvm::enumerate(pool.windows.positions)) {
    int64_t size = inputType.getDimSize(position);
    int64_t windows = outputType.getDimSize(position);
    int64_t before = pool.input.padding[2 * i];
    int64_t &after = pool.input.padding[2 * i + 1];
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(windows))
      continue;
    int64_t read = (windows - 1) * pool.windows.strides[i] +
                   (pool.kernel[i] - 1) * pool.windows.dilations[i] + 1;
    after = std::min(after, std::max<int64_t>(read - before - size, 0));
  }
}

/// A window that slides over `value`'s producer's input and is reduced with
/// `kind`.
static std::optional<Pool> matchPool(Operation *root, ScalarKind kind,
                                     ScalarExpressions &expressions) {
  auto op = dyn_cast_or_null<linalg::LinalgOp>(root);
  if (!op || op.getNumDpsInputs() != 2 || op->getNumResults() != 1 ||
      !getFloatType(op->getResult(0)) || op.getNumReductionLoops() != 2)
    return std::nullopt;
  Value input = op.getDpsInputOperand(0)->get();
  auto inputType = getFloatType(input);
  auto windowType =
      dyn_cast<RankedTensorType>(op.getDpsInputOperand(1)->get().getType());
  const Scalar *scalar = expressions.read(op);
  if (!inputType || inputType.getRank() != 4 || !windowType ||
      !windowType.hasStaticShape() || !scalar || scalar->kind != kind)
    return std::nullopt;
  const Scalar *element =
      scalar->a->kind == ScalarKind::Init ? scalar->b : scalar->a;
  const Scalar *init =
      scalar->a->kind == ScalarKind::Init ? scalar->a : scalar->b;
  if (init->kind != ScalarKind::Init || element->kind != ScalarKind::Operand ||
      element->value != input)
    return std::nullopt;
  std::optional<Windows> windows = getWindows(op);
  if (!windows || windows->positions.size() != 2 ||
      llvm::is_contained(windows->outputLoops, std::nullopt) ||
      llvm::is_contained(windows->kernelLoops, std::nullopt))
    return std::nullopt;
  Pool pool{op, {}, input, *windows, {}, {}};
  AffineMap windowMap = op.getMatchingIndexingMap(op.getDpsInputOperand(1));
  AffineMap outputMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (std::optional<unsigned> loop : windows->kernelLoops) {
    auto position =
        windowMap.getResultPosition(getAffineDimExpr(*loop, op->getContext()));
    if (!position)
      return std::nullopt;
    pool.kernel.push_back(windowType.getDimSize(*position));
  }
  // The result has the layout of the input: batch first, channels at 1 or 3.
  ArrayRef<unsigned> positions = windows->positions;
  bool isNhwc = positions == ArrayRef<unsigned>{1, 2};
  if (!isNhwc && positions != ArrayRef<unsigned>{2, 3})
    return std::nullopt;
  pool.permutation = {0, 2, 3, 1};
  if (isNhwc)
    pool.permutation.clear();
  unsigned spatial = 0;
  for (unsigned dim = 0; dim < 4; ++dim) {
    std::optional<unsigned> wanted = windows->isSpatial(dim)
                                         ? windows->outputLoops[spatial++]
                                         : windows->loops[dim];
    auto expr = dyn_cast<AffineDimExpr>(outputMap.getResult(dim));
    if (!expr || expr.getPosition() != wanted)
      return std::nullopt;
  }
  pool.input = skipPadding(input, positions, expressions.constants);
  dropUnusedPadding(pool);
  return pool;
}

static RecognizedOperator getOperator(Recognition &recognition,
                                      const Pool &pool, Value input) {
  RecognizedOperator op;
  op.result = recognition.result();
  op.inputs = {pool.permutation.empty()
                   ? RecognizedOperand::of(input)
                   : RecognizedOperand::transposed(input, pool.permutation)};
  op.outputPermutation = pool.permutation;
  return op;
}

static void recognizeMaxPool(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  auto pool = matchPool(recognition.root, ScalarKind::Max, expressions);
  if (!pool)
    return;
  // Neither what it starts with nor padding may ever be the maximum.
  bool nonNegative = isNonNegative(pool->input.value, expressions);
  auto isLowest = [&](double number) {
    return number <= -FLT_MAX || (nonNegative && number <= 0);
  };
  Value init = pool->op.getDpsInitOperand(0)->get();
  std::optional<double> start;
  if (auto fill = getProducer(init)
                      ? dyn_cast<linalg::FillOp>(getProducer(init))
                      : linalg::FillOp())
    start = recognition.constants().getSplat(fill.getInputs()[0]);
  if (!start)
    start = recognition.constants().getSplat(init);
  if (!start) {
    for (double number : {0.0, -double(FLT_MAX), -double(INFINITY)})
      if (isFilledWith(init, number, recognition.constants()))
        start = number;
  }
  if (!start || !isLowest(*start))
    return;
  if (pool->input.number && !isLowest(*pool->input.number))
    pool->input = {pool->paddedInput, {0, 0, 0, 0}, std::nullopt};
  RecognizedOperator op = getOperator(recognition, *pool, pool->input.value);
  auto getKind = [&](ArrayRef<int64_t> padding) {
    return MaxPool2dAttr::get(
        recognition.context(), recognition.ints(pool->kernel),
        recognition.ints(pool->windows.strides), recognition.ints(padding),
        recognition.ints(pool->windows.dilations));
  };
  op.kind = getKind(pool->input.padding);
  recognition.found.push_back(std::move(op));
  if (!pool->input.number)
    return;
  // If the padding is shared with another op it isn't this one's.
  op = getOperator(recognition, *pool, pool->paddedInput);
  op.kind = getKind({0, 0, 0, 0});
  recognition.found.push_back(std::move(op));
}

/// If the root divides a value by a number: these.
static std::optional<std::pair<Value, double>>
getDivision(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  const Scalar *scalar = expressions.readElementwise(recognition.root);
  if (!scalar ||
      (scalar->kind != ScalarKind::Div && scalar->kind != ScalarKind::Mul))
    return std::nullopt;
  const Scalar *a = scalar->a, *b = scalar->b;
  if (scalar->kind == ScalarKind::Mul && expressions.getNumber(a))
    std::swap(a, b);
  std::optional<double> number = expressions.getNumber(b);
  if (!number || *number == 0 || !expressions.isActivation(a) || !a->full)
    return std::nullopt;
  return std::pair(a->value,
                   scalar->kind == ScalarKind::Mul ? 1 / *number : *number);
}

/// The spatial sizes of what `pool` reads are those of its window.
static bool isGlobal(const Pool &pool) {
  auto type = cast<RankedTensorType>(pool.paddedInput.getType());
  for (auto [position, size] :
       llvm::zip_equal(pool.windows.positions, pool.kernel))
    if (type.getDimSize(position) != size)
      return false;
  return !pool.input.number;
}

static void recognizeAveragePool(Recognition &recognition, Value sum,
                                 double divisor) {
  auto pool =
      matchPool(getProducer(sum), ScalarKind::Add, recognition.expressions);
  if (!pool ||
      !isFilledWith(pool->op.getDpsInitOperand(0)->get(), 0,
                    recognition.constants()) ||
      llvm::any_of(pool->windows.dilations, [](int64_t d) { return d != 1; }))
    return;
  int64_t size = pool->kernel[0] * pool->kernel[1];
  bool isMean = isClose(divisor, size);
  if (!isMean && sum == recognition.result())
    return;
  int64_t rounded = std::llround(divisor);
  if (!isMean && (rounded < 1 || !isClose(divisor, rounded)))
    return;
  MLIRContext *context = recognition.context();
  if (isMean && isGlobal(*pool)) {
    RecognizedOperator op = getOperator(recognition, *pool, pool->paddedInput);
    op.kind = AdaptiveAvgPool2dAttr::get(context, recognition.ints({1, 1}));
    recognition.found.push_back(std::move(op));
    return;
  }
  auto append = [&](Value input, ArrayRef<int64_t> padding) {
    RecognizedOperator op = getOperator(recognition, *pool, input);
    op.kind = AvgPool2dAttr::get(
        context, recognition.ints(pool->kernel),
        recognition.ints(pool->windows.strides), recognition.ints(padding),
        /*ceil_mode=*/false, /*count_exclude_pad=*/false,
        isMean ? std::optional<int64_t>() : rounded);
    recognition.found.push_back(std::move(op));
  };
  if (pool->input.number && *pool->input.number == 0)
    append(pool->input.value, pool->input.padding);
  append(pool->paddedInput, {0, 0, 0, 0});
}

/// A sum over some dimensions, divided by how many elements they have.
static void recognizeMean(Recognition &recognition, Value sum, double divisor) {
  ScalarExpressions &expressions = recognition.expressions;
  auto op = dyn_cast_or_null<linalg::LinalgOp>(getProducer(sum));
  if (!op || op.getNumDpsInputs() != 1 || op.getNumReductionLoops() == 0 ||
      op->getNumResults() != 1)
    return;
  OpOperand *input = op.getDpsInputOperand(0);
  OpOperand *init = op.getDpsInitOperand(0);
  auto inputType = getFloatType(input->get());
  const Scalar *scalar = expressions.read(op);
  AffineMap inputMap = op.getMatchingIndexingMap(input);
  if (!inputType || !scalar || scalar->kind != ScalarKind::Add ||
      !inputMap.isPermutation() ||
      !isFilledWith(init->get(), 0, recognition.constants()))
    return;
  bool initFirst = scalar->a->kind == ScalarKind::Init;
  const Scalar *element = initFirst ? scalar->b : scalar->a;
  if ((initFirst ? scalar->a : scalar->b)->kind != ScalarKind::Init ||
      element->kind != ScalarKind::Operand)
    return;
  auto iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> axes;
  SmallVector<unsigned> kept;
  double count = 1;
  for (unsigned dim = 0; dim < inputMap.getNumResults(); ++dim) {
    unsigned loop = inputMap.getDimPosition(dim);
    if (iterators[loop] != utils::IteratorType::reduction) {
      kept.push_back(loop);
      continue;
    }
    if (inputType.isDynamicDim(dim))
      return;
    axes.push_back(dim);
    count *= inputType.getDimSize(dim);
  }
  if (!isClose(count, divisor))
    return;
  // Kept dimensions come in their order, with or without the others as 1.
  AffineMap output = op.getMatchingIndexingMap(init);
  bool keepdim = output.getNumResults() == inputMap.getNumResults();
  if (!keepdim && output.getNumResults() != kept.size())
    return;
  unsigned next = 0;
  for (auto [index, expr] : llvm::enumerate(output.getResults())) {
    bool isReduced = keepdim && llvm::is_contained(axes, int64_t(index));
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (isReduced) {
      if (dim)
        return;
      continue;
    }
    unsigned wanted = kept[next++];
    // A dimension of size 1 may be written at 0.
    if (dim ? dim.getPosition() != wanted : !keepdim)
      return;
  }
  RecognizedOperator mean;
  mean.kind =
      MeanAttr::get(recognition.context(), recognition.ints(axes), keepdim);
  mean.result = recognition.result();
  mean.inputs = {RecognizedOperand::of(input->get())};
  recognition.found.push_back(std::move(mean));
}

void forms::recognizeLinalgPooling(Recognition &recognition) {
  recognizeMaxPool(recognition);
  // A sum of one element is its mean.
  recognizeAveragePool(recognition, recognition.result(), 1);
  if (auto division = getDivision(recognition)) {
    recognizeAveragePool(recognition, division->first, division->second);
    recognizeMean(recognition, division->first, division->second);
  }
}
