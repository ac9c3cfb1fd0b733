// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises pools: reductions of windows, for averages divided by their size.

#include "Kinds/Pooling/Pooling.h"
#include "Reading/Expressions/Division.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

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
  Value source;
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    source = collapse.getSrc();
  else if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    source = expand.getSrc();
  else if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op))
    source = slice.getSource();
  else if (auto pad = dyn_cast_or_null<tensor::PadOp>(op)) {
    Value value = pad.getConstantPaddingValue();
    auto number = value ? expressions.constants.getSplat(value) : std::nullopt;
    if (!number || !(*number >= 0))
      return false;
    source = pad.getSource();
  }
  if (source || getCopyMap(op, source))
    return isNonNegative(source, expressions, depth - 1);
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
    case ScalarKind::Div:
      return check(scalar->a) && check(scalar->b);
    case ScalarKind::Exp:
      return true;
    default:
      return false;
    }
  };
  // Of reductions, only a maximum is known by one element.
  const Scalar *scalar = expressions.read(op);
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

/// The padding in front of `value`, which lacks the end of it: no window reads
/// that.
static std::optional<PaddedValue> skipCutPadding(Value value,
                                                 ArrayRef<unsigned> spatial,
                                                 ConstantEvaluator &constants) {
  auto crop = getCrop(getProducer(value));
  if (!crop)
    return std::nullopt;
  PaddedValue padded = skipPadding(crop->source, spatial, constants);
  if (!padded.number)
    return std::nullopt;
  for (auto [dim, amount] : llvm::enumerate(crop->amounts)) {
    const auto *place = llvm::find(spatial, unsigned(dim));
    if (amount.first == 0 && amount.second == 0)
      continue;
    if (amount.first != 0 || place == spatial.end())
      return std::nullopt;
    int64_t &after = padded.padding[2 * (place - spatial.begin()) + 1];
    after -= amount.second;
    if (after < 0)
      return std::nullopt;
  }
  return padded;
}

/// The padding in front of `pool`, with transpositions in between.
static void setInput(Pool &pool, ArrayRef<unsigned> spatial,
                     ConstantEvaluator &constants) {
  pool.input = skipPadding(pool.paddedInput, spatial, constants);
  pool.permutation = pool.paddedPermutation;
  if (!pool.input.number)
    if (auto padded = skipCutPadding(pool.paddedInput, spatial, constants))
      pool.input = std::move(*padded);
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

/// Takes in the end of the image, if it was cut off because no window reads it.
static void addUnread(Pool &pool) {
  auto crop = getCrop(getProducer(pool.input.value));
  if (!crop)
    return;
  SmallVector<PoolAxis> axes = pool.axes;
  for (auto [dim, amount] : llvm::enumerate(crop->amounts)) {
    if (amount.first == 0 && amount.second == 0)
      continue;
    // The batch is first, the channels are last.
    size_t place =
        llvm::find(pool.permutation, int64_t(dim)) - pool.permutation.begin();
    if (amount.first != 0 || place == 0 || place > axes.size())
      return;
    PoolAxis &axis = axes[place - 1];
    axis.size += amount.second;
    int64_t extent =
        axis.size + axis.before - 1 - (axis.kernel - 1) * axis.dilation;
    if (axis.after != 0 || ShapedType::isDynamic(axis.windows) ||
        extent / axis.stride + 1 != axis.windows)
      return;
  }
  pool.axes = std::move(axes);
  pool.input.value = crop->source;
}

/// Makes the one pixel of an image the windows of a pool; false if `op` is none
/// or the image has more.
static bool addPixel(linalg::LinalgOp op, RankedTensorType type,
                     Windows &windows) {
  // The second operand says how large windows are.
  if (op.getNumDpsInputs() != 2 || !op.getBlock()->getArgument(1).use_empty() ||
      llvm::any_of(cast<ShapedType>(op.getDpsInputOperand(1)->get().getType())
                       .getShape(),
                   [](int64_t size) { return size != 1; }))
    return false;
  auto isUnit = [](int64_t size) { return size == 1; };
  ArrayRef<int64_t> shape = type.getShape();
  bool channelsFirst = llvm::all_of(shape.drop_front(2), isUnit);
  if (!channelsFirst && !llvm::all_of(shape.drop_front().drop_back(), isUnit))
    return false;
  for (int64_t i = 0; i < type.getRank() - 2; ++i)
    windows.addUnitWindow(i + (channelsFirst ? 2 : 1));
  return true;
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
  if (!windows || rank < 3 || rank > 5)
    return std::nullopt;
  if (windows->positions.empty() && !addPixel(op, inputType, *windows))
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
  addUnread(pool);
  return pool;
}

namespace {
/// What an operator is made of, but for its kind.
struct Candidate {
  SmallVector<PoolAxis> axes;
  Value input;
  SmallVector<int64_t> permutation, outputPermutation;
};
} // namespace

/// The pool with the padding in front of it.
static Candidate getPadded(const Pool &pool,
                           ArrayRef<int64_t> outputPermutation) {
  return {pool.axes, pool.input.value, pool.permutation,
          SmallVector<int64_t>(outputPermutation)};
}

/// The pool of the padded image: if something else reads that, too, it isn't
/// this one's.
static Candidate getUnpadded(const Pool &pool,
                             ArrayRef<int64_t> outputPermutation) {
  auto type = cast<RankedTensorType>(pool.paddedInput.getType());
  Candidate candidate{pool.axes, pool.paddedInput, pool.paddedPermutation,
                      SmallVector<int64_t>(outputPermutation)};
  for (auto [i, axis] : llvm::enumerate(candidate.axes)) {
    axis.size = type.getDimSize(pool.paddedPermutation[1 + i]);
    axis.before = axis.after = 0;
  }
  return candidate;
}

/// Takes away axis `i`, a height or width of 1 that a reshape in front adds and
/// `root` takes away; false if they don't.
static bool flatten(Candidate &candidate, unsigned i,
                    tensor::CollapseShapeOp root) {
  const PoolAxis &axis = candidate.axes[i];
  if (axis.size != 1 || axis.windows != 1 || axis.kernel != 1 ||
      axis.before != 0)
    return false;
  // Through the transpositions behind the reshape.
  auto type = cast<RankedTensorType>(candidate.input.getType());
  auto view = viewThroughLayout(
      candidate.input,
      AffineMap::getMultiDimIdentityMap(type.getRank(), root->getContext()),
      /*reshapes=*/false);
  if (!view || view->loops.size() != candidate.permutation.size())
    return false;
  SmallVector<int64_t> permutation;
  for (int64_t dim : candidate.permutation) {
    auto it = llvm::find(view->loops, std::optional<unsigned>(dim));
    if (it == view->loops.end())
      return false;
    permutation.push_back(it - view->loops.begin());
  }
  auto expand =
      dyn_cast_or_null<tensor::ExpandShapeOp>(getProducer(view->source));
  int64_t dim = permutation[1 + i], out = candidate.outputPermutation[1 + i];
  if (!expand ||
      expand.getSrcType().getShape() !=
          ArrayRef(dropDim(expand.getResultType().getShape(), dim)) ||
      root.getResultType().getShape() !=
          ArrayRef(dropDim(root.getSrcType().getShape(), out)))
    return false;
  candidate.input = expand.getSrc();
  candidate.axes.erase(candidate.axes.begin() + i);
  candidate.permutation = dropDim(permutation, 1 + i);
  candidate.outputPermutation = dropDim(candidate.outputPermutation, 1 + i);
  for (int64_t &kept : candidate.permutation)
    kept -= kept > dim;
  for (int64_t &kept : candidate.outputPermutation)
    kept -= kept > out;
  return true;
}

/// Adds the operator, with what it divides by unless it is a maximum. If the
/// root is a reshape, it has one dimension.
static void append(Recognition &recognition, Candidate candidate,
                   const PositionTable *divisor) {
  SmallVector<unsigned> axes;
  auto root = dyn_cast<tensor::CollapseShapeOp>(recognition.root);
  if (root && flatten(candidate, 0, root))
    axes = {1};
  else if (root && flatten(candidate, 1, root))
    axes = {0};
  else if (root)
    return;
  std::optional<PositionTable> projected;
  if (divisor)
    projected = root ? divisor->project(axes) : std::optional(*divisor);
  if (divisor && !projected)
    return;
  RecognizedOperator op;
  op.kind = divisor ? getAveragePool(recognition.context(), candidate.axes,
                                     *projected)
                    : getMaxPool(recognition.context(), candidate.axes);
  if (!op.kind)
    return;
  op.result = recognition.result();
  op.inputs = {RecognizedOperand::of(candidate.input)};
  if (!llvm::is_sorted(candidate.permutation))
    op.inputs[0].permutation = candidate.permutation;
  if (!llvm::is_sorted(candidate.outputPermutation))
    op.outputPermutation = candidate.outputPermutation;
  recognition.found.push_back(std::move(op));
}

/// The pool whose results `map` reads `value` from, through transpositions, and
/// the loop for each of its canonical dimensions.
static std::optional<Pool> matchViewed(Value value, AffineMap map,
                                       ScalarKind kind,
                                       SmallVectorImpl<int64_t> &loops,
                                       ScalarExpressions &expressions) {
  loops.clear();
  auto view = viewThroughLayout(value, map, /*reshapes=*/false);
  if (!view || view->loops.size() != map.getNumDims())
    return std::nullopt;
  auto pool = matchPool(view->source, kind, expressions);
  if (!pool)
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

static AffineMap getIdentity(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return AffineMap::getMultiDimIdentityMap(type.getRank(), value.getContext());
}

/// `value` is the root's result, or what it reshapes.
static void recognizeMaxPool(Recognition &recognition, Value value) {
  ScalarExpressions &expressions = recognition.expressions;
  SmallVector<int64_t> loops;
  auto pool = matchViewed(value, getIdentity(value), ScalarKind::Max, loops,
                          expressions);
  // A transposition behind the pool is an operator of its own.
  if (!pool || (value == recognition.result() && pool->op != recognition.root))
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
  if (!pool->input.number || isLowest(*pool->input.number))
    append(recognition, getPadded(*pool, loops), nullptr);
  append(recognition, getUnpadded(*pool, loops), nullptr);
}

static void appendAverage(Recognition &recognition, const Pool &pool,
                          ArrayRef<int64_t> outputPermutation,
                          const PositionTable &divisor) {
  if (!pool.input.number || *pool.input.number == 0)
    append(recognition, getPadded(pool, outputPermutation), &divisor);
  append(recognition, getUnpadded(pool, outputPermutation), &divisor);
}

/// `value` is the root's result, or what it reshapes.
static void recognizeAveragePool(Recognition &recognition, Value value) {
  SmallVector<int64_t> loops;
  std::optional<Pool> pool;
  auto matchSums = [&](Value sums, AffineMap map) {
    pool =
        matchViewed(sums, map, ScalarKind::Add, loops, recognition.expressions);
    if (pool &&
        !isFilledWith(pool->op.getDpsInits()[0], 0, recognition.constants()))
      pool.reset();
    return pool.has_value();
  };
  // Behind the division there may be transpositions before a reshape.
  auto view = viewThroughLayout(value, getIdentity(value), /*reshapes=*/false);
  if (!view || llvm::is_contained(view->loops, std::nullopt) ||
      view->loops.size() != size_t(getFloatType(value).getRank()))
    return;
  Operation *op = getProducer(view->source);
  if (value == recognition.result())
    op = recognition.root;
  if (auto division = readDivision(op, recognition.expressions, matchSums)) {
    SmallVector<unsigned> spatial(
        ArrayRef<int64_t>(loops).drop_front().drop_back());
    auto divisor = division->divisor.project(spatial);
    if (op != recognition.root)
      for (int64_t &loop : loops)
        loop = *view->loops[loop];
    if (divisor)
      appendAverage(recognition, *pool, loops, *divisor);
    return;
  }
  // A sum of one element is its mean.
  if (value == recognition.result() && matchSums(value, getIdentity(value)) &&
      pool->op == recognition.root &&
      llvm::all_of(pool->axes,
                   [](const PoolAxis &axis) { return axis.kernel == 1; }))
    appendAverage(recognition, *pool, loops,
                  PositionTable(pool->axes.size(), 1));
}

void forms::recognizeLinalgPooling(Recognition &recognition) {
  Value value = recognition.result();
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(recognition.root);
  if (collapse) {
    value = collapse.getSrc();
    if (collapse.getSrcType().getRank() != 4 ||
        collapse.getResultType().getRank() != 3)
      return;
  }
  recognizeMaxPool(recognition, value);
  recognizeAveragePool(recognition, value);
  recognizeAdaptivePooling(recognition);
}
