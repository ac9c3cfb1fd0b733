// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises pools: reductions of windows, for averages divided by their size.

#include "Expressions/Division.h"
#include "Linalg/LinalgRecognizers.h"
#include "PoolKinds.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"
#include <cfloat>

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
  /// The input as the op reads it, and without its padding.
  Value paddedInput;
  PaddedValue input;
  SmallVector<PoolAxis> axes;
  /// Where batch, image and channels are in the two inputs and in the result.
  SmallVector<int64_t> paddedPermutation, permutation, outputPermutation;
};
} // namespace

/// Positions of [batch, image..., channels] among `rank` dimensions of which
/// the image's are `spatial`.
static SmallVector<int64_t> getChannelsLast(unsigned rank,
                                            ArrayRef<unsigned> spatial) {
  SmallVector<int64_t> permutation(spatial.begin(), spatial.end());
  for (unsigned dim = 0, others = 0; dim < rank; ++dim)
    if (!llvm::is_contained(spatial, dim))
      permutation.insert(
          others++ == 0 ? permutation.begin() : permutation.end(), dim);
  return permutation;
}

/// The padding in front of `pool`, with transpositions in between.
static void setInput(Pool &pool, ArrayRef<unsigned> spatial,
                     ConstantEvaluator &constants) {
  pool.input = skipPadding(pool.paddedInput, spatial, constants);
  pool.permutation = pool.paddedPermutation;
  if (pool.input.number)
    return;
  unsigned rank = pool.permutation.size();
  auto view = viewThroughLayout(
      pool.paddedInput,
      AffineMap::getMultiDimIdentityMap(rank, pool.op->getContext()),
      /*reshapes=*/false);
  if (!view || view->source == pool.paddedInput || view->loops.size() != rank)
    return;
  // Where each dimension that the pool reads is in the source.
  SmallVector<int64_t> positions;
  for (unsigned dim = 0; dim < rank; ++dim) {
    auto it = llvm::find(view->loops, std::optional<unsigned>(dim));
    if (it == view->loops.end())
      return;
    positions.push_back(it - view->loops.begin());
  }
  SmallVector<unsigned> sourceSpatial;
  for (unsigned dim : spatial)
    sourceSpatial.push_back(positions[dim]);
  PaddedValue padded = skipPadding(view->source, sourceSpatial, constants);
  if (!padded.number)
    return;
  pool.input = std::move(padded);
  for (int64_t &dim : pool.permutation)
    dim = positions[dim];
}

/// `value` as windows of an image that are reduced with `kind`.
static std::optional<Pool> matchPool(Value value, ScalarKind kind,
                                     ScalarExpressions &expressions) {
  auto op = dyn_cast_or_null<linalg::LinalgOp>(getProducer(value));
  if (!op || op.getNumDpsInputs() == 0 || op->getNumResults() != 1 ||
      !getFloatType(op->getResult(0)) || op.getNumReductionLoops() == 0)
    return std::nullopt;
  Value input = op.getDpsInputOperand(0)->get();
  auto inputType = getFloatType(input);
  const Scalar *scalar = expressions.read(op);
  if (!inputType || !scalar || scalar->kind != kind)
    return std::nullopt;
  const Scalar *init = scalar->a, *element = scalar->b;
  if (init->kind != ScalarKind::Init)
    std::swap(init, element);
  if (init->kind != ScalarKind::Init || element->kind != ScalarKind::Operand ||
      element->value != input ||
      element->map != op.getMatchingIndexingMap(op.getDpsInputOperand(0)))
    return std::nullopt;
  std::optional<Windows> windows = getWindows(op);
  int64_t rank = inputType.getRank();
  if (!windows || windows->positions.empty() || rank < 3 || rank > 5)
    return std::nullopt;
  // A window of one element leaves no trace but that there are too few others.
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto iterators = op.getIteratorTypesArray();
  bool channelsLast = windows->isSpatial(1);
  for (int64_t i = 0; i < rank - 2; ++i) {
    unsigned dim = channelsLast ? i + 1 : i + 2;
    if (windows->isSpatial(dim) ||
        int64_t(windows->positions.size()) == rank - 2)
      continue;
    std::optional<unsigned> loop = windows->loops[dim];
    windows->addUnitWindow(dim, loop && iterators[*loop] ==
                                            utils::IteratorType::reduction);
  }
  if (int64_t(windows->positions.size()) != rank - 2)
    return std::nullopt;

  Pool pool{op, input, {}, {}, {}, {}, {}};
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  if (output.getNumResults() != rank)
    return std::nullopt;
  // Where each dimension of the input is in the result; those that have no loop
  // are what is left, in their order.
  SmallVector<std::optional<int64_t>> positions(rank);
  llvm::SmallBitVector free(rank, true), seen(ranges.size());
  unsigned next = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    std::optional<unsigned> loop = windows->isSpatial(dim)
                                       ? windows->outputLoops[next++]
                                       : windows->loops[dim];
    if (!loop)
      continue;
    auto position =
        output.getResultPosition(getAffineDimExpr(*loop, op->getContext()));
    if (!position || seen.test(*loop) ||
        iterators[*loop] != utils::IteratorType::parallel)
      return std::nullopt;
    seen.set(*loop);
    free.reset(*position);
    positions[dim] = *position;
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (positions[dim])
      continue;
    int position = free.find_first();
    if (position < 0 || resultType.getDimSize(position) != 1)
      return std::nullopt;
    free.reset(position);
    positions[dim] = position;
  }
  pool.paddedPermutation = getChannelsLast(rank, windows->positions);
  for (int64_t dim : pool.paddedPermutation)
    pool.outputPermutation.push_back(*positions[dim]);

  setInput(pool, windows->positions, expressions.constants);
  auto imageType = cast<RankedTensorType>(pool.input.value.getType());
  for (auto [i, position] : llvm::enumerate(windows->positions)) {
    std::optional<unsigned> loop = windows->kernelLoops[i];
    if (loop && seen.test(*loop))
      return std::nullopt;
    if (loop)
      seen.set(*loop);
    PoolAxis axis;
    axis.size = imageType.getDimSize(pool.permutation[1 + i]);
    axis.windows = resultType.getDimSize(*positions[position]);
    axis.kernel = loop ? ranges[*loop] : 1;
    axis.stride = windows->strides[i];
    axis.dilation = windows->dilations[i];
    axis.before = pool.input.padding[2 * i];
    axis.after = pool.input.padding[2 * i + 1];
    if (ShapedType::isDynamic(axis.kernel) || axis.kernel < 1)
      return std::nullopt;
    pool.axes.push_back(axis);
  }
  // Any other loop would repeat the reduction.
  for (auto [loop, range] : llvm::enumerate(ranges))
    if (!seen.test(loop) && range != 1)
      return std::nullopt;
  return pool;
}

/// The axes if the pool reads the padded image as an image.
static SmallVector<PoolAxis> getUnpaddedAxes(const Pool &pool) {
  auto type = cast<RankedTensorType>(pool.paddedInput.getType());
  SmallVector<PoolAxis> axes = pool.axes;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    axis.size = type.getDimSize(pool.paddedPermutation[1 + i]);
    axis.before = axis.after = 0;
  }
  return axes;
}

static void append(Recognition &recognition, Attribute kind, Value input,
                   ArrayRef<int64_t> permutation,
                   ArrayRef<int64_t> outputPermutation) {
  if (!kind)
    return;
  RecognizedOperator op;
  op.kind = kind;
  op.result = recognition.result();
  op.inputs = {llvm::is_sorted(permutation)
                   ? RecognizedOperand::of(input)
                   : RecognizedOperand::transposed(input, permutation)};
  if (!llvm::is_sorted(outputPermutation))
    op.outputPermutation.assign(outputPermutation.begin(),
                                outputPermutation.end());
  recognition.found.push_back(std::move(op));
}

static void recognizeMaxPool(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  auto pool = matchPool(recognition.result(), ScalarKind::Max, expressions);
  if (!pool)
    return;
  // Neither what it starts with nor padding may ever be the maximum.
  std::optional<bool> nonNegative;
  auto isLowest = [&](double number) {
    if (number <= -FLT_MAX || number > 0)
      return number < 0;
    if (!nonNegative)
      nonNegative = isNonNegative(pool->input.value, expressions);
    return *nonNegative;
  };
  std::optional<double> start =
      getFill(pool->op.getDpsInits()[0], recognition.constants());
  if (!start || !isLowest(*start))
    return;
  if (pool->input.number && isLowest(*pool->input.number))
    append(recognition, getMaxPool(recognition.context(), pool->axes),
           pool->input.value, pool->permutation, pool->outputPermutation);
  // Padding that is shared with another op isn't this one's.
  append(recognition, getMaxPool(recognition.context(), getUnpaddedAxes(*pool)),
         pool->paddedInput, pool->paddedPermutation, pool->outputPermutation);
}

/// The pool whose sums `map` reads `value` from, through transpositions, and
/// the loop for each of its canonical dimensions.
static std::optional<Pool> matchSums(Value value, AffineMap map,
                                     SmallVectorImpl<unsigned> &loops,
                                     ScalarExpressions &expressions) {
  loops.clear();
  auto view = viewThroughLayout(value, map, /*reshapes=*/false);
  if (!view || view->loops.size() != map.getNumDims())
    return std::nullopt;
  auto pool = matchPool(view->source, ScalarKind::Add, expressions);
  if (!pool ||
      !isFilledWith(pool->op.getDpsInits()[0], 0, expressions.constants))
    return std::nullopt;
  // Dimensions of 1 that are read at 0 are those that are left.
  llvm::SmallBitVector free(map.getNumDims(), true);
  for (std::optional<unsigned> loop : view->loops) {
    if (loop && !free.test(*loop))
      return std::nullopt;
    if (loop)
      free.reset(*loop);
  }
  for (std::optional<unsigned> &loop : view->loops) {
    if (loop)
      continue;
    loop = free.find_first();
    free.reset(*loop);
  }
  for (int64_t dim : pool->outputPermutation)
    loops.push_back(*view->loops[dim]);
  return pool;
}

static void appendAverage(Recognition &recognition, const Pool &pool,
                          ArrayRef<unsigned> loops,
                          const PositionTable &divisors) {
  auto divisor = divisors.project(loops.drop_front().drop_back());
  if (!divisor)
    return;
  SmallVector<int64_t> outputPermutation(loops.begin(), loops.end());
  if (pool.input.number && *pool.input.number == 0)
    append(recognition,
           getAveragePool(recognition.context(), pool.axes, *divisor),
           pool.input.value, pool.permutation, outputPermutation);
  append(recognition,
         getAveragePool(recognition.context(), getUnpaddedAxes(pool), *divisor),
         pool.paddedInput, pool.paddedPermutation, outputPermutation);
}

static void recognizeAveragePool(Recognition &recognition) {
  SmallVector<unsigned> loops;
  std::optional<Pool> pool;
  auto division = readDivision(recognition.root, recognition.expressions,
                               [&](Value dividend, AffineMap map) {
                                 pool = matchSums(dividend, map, loops,
                                                  recognition.expressions);
                                 return pool.has_value();
                               });
  if (division) {
    appendAverage(recognition, *pool, loops, division->divisor);
    return;
  }
  // A sum of one element is its mean.
  auto type = getFloatType(recognition.result());
  pool = matchSums(
      recognition.result(),
      AffineMap::getMultiDimIdentityMap(type.getRank(), recognition.context()),
      loops, recognition.expressions);
  if (pool && pool->op == recognition.root &&
      llvm::all_of(pool->axes,
                   [](const PoolAxis &axis) { return axis.kernel == 1; }))
    appendAverage(recognition, *pool, loops, PositionTable(type.getRank(), 1));
}

void forms::recognizeLinalgPooling(Recognition &recognition) {
  recognizeMaxPool(recognition);
  recognizeAveragePool(recognition);
  recognizeAdaptivePooling(recognition);
}
