// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises adaptive average pools whose windows differ in size: a region sums
// what it extracts at computed positions. Whether these are the windows of an
// adaptive pool is found out by computing all of them.

#include "Kinds/Pooling/Pooling.h"
#include "Reading/Expressions/Division.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
/// Sums of extracted elements, as far as conditions on their position hold.
struct ExtractedSum {
  linalg::LinalgOp op;
  tensor::ExtractOp extract;
  SmallVector<Value> conditions;
};
} // namespace

/// What result `number` of `op` sums up from 0.
static std::optional<ExtractedSum>
matchSum(linalg::LinalgOp op, unsigned number, ConstantEvaluator &constants) {
  OpOperand *init = op.getDpsInitOperand(number);
  Block *body = op.getBlock();
  if (!body || body->empty() || !op.hasPureTensorSemantics() ||
      body->getTerminator()->getNumOperands() != op->getNumResults() ||
      !isFilledWith(init->get(), 0, constants))
    return std::nullopt;
  auto add =
      body->getTerminator()->getOperand(number).getDefiningOp<arith::AddFOp>();
  if (!add)
    return std::nullopt;
  Value element = add.getLhs(), sum = add.getRhs();
  if (sum != op.getMatchingBlockArgument(init))
    std::swap(element, sum);
  if (sum != op.getMatchingBlockArgument(init))
    return std::nullopt;
  ExtractedSum found{op, {}, {}};
  while (auto select = element.getDefiningOp<arith::SelectOp>()) {
    if (constants.getSplat(select.getFalseValue()) != 0.0)
      return std::nullopt;
    found.conditions.push_back(select.getCondition());
    element = select.getTrueValue();
  }
  found.extract = element.getDefiningOp<tensor::ExtractOp>();
  if (!found.extract || !getFloatType(found.extract.getTensor()))
    return std::nullopt;
  return found;
}

/// Of a position along one dimension: [start, end) of the window.
static std::pair<int64_t, int64_t> getWindow(int64_t position, int64_t size,
                                             int64_t windows) {
  return {position * size / windows,
          llvm::divideCeil((position + 1) * size, windows)};
}

namespace {
/// The spaces of an adaptive pool. Dimension `i` of the result is dimension `i`
/// of the input.
struct AdaptivePool {
  Value input;
  SmallVector<unsigned> spatial;
  SmallVector<int64_t> sizes, windows;
};
} // namespace

/// True if each window of `pool` is summed: every element of it exactly once.
static bool sumsWindows(const AdaptivePool &pool, linalg::LinalgOp op,
                        ArrayRef<unsigned> outputLoops,
                        ArrayRef<PositionTable> indices,
                        ArrayRef<PositionTable> conditions) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto iterators = op.getIteratorTypesArray();
  // Only the loops over windows and their elements are looped over.
  int64_t count = 1;
  for (auto [loop, range] : llvm::enumerate(ranges)) {
    bool inner = iterators[loop] == utils::IteratorType::reduction;
    if (!inner && !llvm::is_contained(outputLoops, loop))
      range = 1;
    if (ShapedType::isDynamic(range) || range < 1 ||
        range > PositionTable::kMaxSize)
      return false;
    count *= range;
    if (count > PositionTable::kMaxSize)
      return false;
  }
  // Neither index nor condition varies with what isn't looped over.
  for (ArrayRef<PositionTable> tables : {indices, conditions})
    for (const PositionTable &table : tables)
      for (auto [size, range] : llvm::zip_equal(table.sizes, ranges))
        if (size != 1 && size != range)
          return false;
  int64_t total = llvm::product_of(pool.sizes);
  if (total > PositionTable::kMaxSize)
    return false;

  // How often each element is summed for one window at a time; reductions come
  // in any order, so windows are kept apart by their number.
  int64_t windows = llvm::product_of(pool.windows);
  std::vector<llvm::SmallDenseSet<int64_t, 8>> summed(windows);
  bool matches = true;
  forEachPosition(ranges, [&](ArrayRef<int64_t> position) {
    if (!matches || llvm::any_of(conditions, [&](const PositionTable &table) {
          return table.at(position) == 0;
        }))
      return;
    int64_t window = 0, element = 0;
    for (auto [i, table] : llvm::enumerate(indices)) {
      int64_t index = int64_t(table.at(position));
      auto [start, end] =
          getWindow(position[outputLoops[i]], pool.sizes[i], pool.windows[i]);
      if (index < start || index >= end)
        matches = false;
      window = window * pool.windows[i] + position[outputLoops[i]];
      element = element * pool.sizes[i] + index;
    }
    matches = matches && summed[window].insert(element).second;
  });
  if (!matches)
    return false;
  // All different and inside: complete if there are as many as there should be.
  int64_t next = 0;
  forEachPosition(pool.windows, [&](ArrayRef<int64_t> position) {
    int64_t volume = 1;
    for (auto [i, index] : llvm::enumerate(position)) {
      auto [start, end] = getWindow(index, pool.sizes[i], pool.windows[i]);
      volume *= end - start;
    }
    matches &= int64_t(summed[next++].size()) == volume;
  });
  return matches;
}

/// The divisors over the dimensions of the result of `root`: another result of
/// the op that sums, or computed at once.
static std::optional<PositionTable> getDivisors(linalg::LinalgOp root,
                                                Value divisor,
                                                linalg::LinalgOp sums,
                                                ConstantEvaluator &constants) {
  OpOperand *operand = getTensorOperand(root, divisor);
  Value value = operand ? skipCasts(operand->get()) : Value();
  if (!value || value.getDefiningOp() != sums)
    return computePositions(root, divisor, constants);
  unsigned number = cast<OpResult>(value).getResultNumber();
  std::optional<PositionTable> table = computePositions(
      sums, sums.getBlock()->getTerminator()->getOperand(number), constants);
  if (!table)
    return std::nullopt;
  // Loops of the sums, by the dimensions of the divisors, to those of the root.
  AffineMap written =
      sums.getMatchingIndexingMap(sums.getDpsInitOperand(number));
  AffineMap read = root.getMatchingIndexingMap(operand);
  SmallVector<unsigned> loops;
  PositionTable result(root.getNumLoops(), 0);
  for (auto [from, to] :
       llvm::zip_equal(written.getResults(), read.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(from);
    auto dim = dyn_cast<AffineDimExpr>(to);
    if (!loop)
      continue;
    if (!dim || result.sizes[dim.getPosition()] != 1)
      return std::nullopt;
    loops.push_back(loop.getPosition());
    result.sizes[dim.getPosition()] = table->sizes[loop.getPosition()];
  }
  auto projected = table->project(loops);
  if (!projected)
    return std::nullopt;
  // Row-major order stays if the dimensions do.
  unsigned last = 0;
  for (AffineExpr to : read.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(to);
    if (dim && dim.getPosition() < last)
      return std::nullopt;
    if (dim)
      last = dim.getPosition();
  }
  result.numbers = std::move(projected->numbers);
  return result;
}

static bool dividesByVolumes(const AdaptivePool &pool,
                             const PositionTable &divisors) {
  auto divisor = divisors.project(pool.spatial);
  if (!divisor)
    return false;
  bool matches = true;
  forEachPosition(pool.windows, [&](ArrayRef<int64_t> position) {
    int64_t volume = 1;
    for (auto [i, index] : llvm::enumerate(position)) {
      auto [start, end] = getWindow(index, pool.sizes[i], pool.windows[i]);
      volume *= end - start;
    }
    matches &= divisor->at(position) == double(volume);
  });
  return matches;
}

void forms::recognizeAdaptivePooling(Recognition &recognition) {
  auto root = dyn_cast<linalg::LinalgOp>(recognition.root);
  RegionDivision division = root ? readRegionDivision(root) : RegionDivision();
  OpOperand *dividend =
      division.isProduct ? nullptr : getTensorOperand(root, division.dividend);
  if (!division.dividend || !dividend ||
      !root.getMatchingIndexingMap(dividend).isIdentity())
    return;
  Value sums = skipCasts(dividend->get());
  auto op = sums.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumReductionLoops() == 0)
    return;
  ConstantEvaluator &constants = recognition.constants();
  unsigned number = cast<OpResult>(sums).getResultNumber();
  auto sum = matchSum(op, number, constants);
  if (!sum)
    return;

  // Dimension by dimension: taken over as it is, or summed in windows.
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  auto type = getFloatType(sum->extract.getTensor());
  auto resultType = getFloatType(recognition.result());
  int64_t rank = type.getRank();
  if (resultType.getRank() != rank || output.getNumResults() != rank)
    return;
  AdaptivePool pool;
  SmallVector<unsigned> outputLoops;
  SmallVector<PositionTable> indices, conditions;
  auto compute = [&](Value value, SmallVectorImpl<PositionTable> &tables) {
    std::optional<PositionTable> table = computePositions(op, value, constants);
    if (table)
      tables.push_back(std::move(*table));
    return table.has_value();
  };
  for (int64_t dim = 0; dim < rank; ++dim) {
    auto loop = dyn_cast<AffineDimExpr>(output.getResult(dim));
    Value index = sum->extract.getIndices()[dim];
    if (!loop)
      return;
    auto position = index.getDefiningOp<linalg::IndexOp>();
    if (position && position.getDim() == loop.getPosition() &&
        type.getDimSize(dim) == resultType.getDimSize(dim))
      continue;
    pool.spatial.push_back(dim);
    outputLoops.push_back(loop.getPosition());
    if (!compute(index, indices))
      return;
  }
  for (Value condition : sum->conditions)
    if (!compute(condition, conditions))
      return;
  if (pool.spatial.empty() || int64_t(pool.spatial.size()) + 2 != rank)
    return;

  // What is beyond the image is never summed.
  PaddedValue padded =
      skipPadding(sum->extract.getTensor(), pool.spatial, constants);
  pool.input = padded.value;
  for (size_t i = 0; i < pool.spatial.size(); ++i)
    if (padded.padding[2 * i] != 0)
      pool.input = sum->extract.getTensor();
  auto inputType = cast<RankedTensorType>(pool.input.getType());
  for (unsigned dim : pool.spatial) {
    pool.sizes.push_back(inputType.getDimSize(dim));
    pool.windows.push_back(resultType.getDimSize(dim));
    if (ShapedType::isDynamic(pool.sizes.back()) || pool.sizes.back() < 1 ||
        ShapedType::isDynamic(pool.windows.back()) || pool.windows.back() < 1)
      return;
  }
  if (!sumsWindows(pool, op, outputLoops, indices, conditions))
    return;
  auto divisors = getDivisors(root, division.divisor, op, constants);
  if (!divisors || !dividesByVolumes(pool, *divisors))
    return;

  RecognizedOperator found;
  found.kind = getAdaptiveAveragePool(recognition.context(), pool.windows);
  if (!found.kind)
    return;
  found.result = recognition.result();
  SmallVector<int64_t> permutation(pool.spatial.begin(), pool.spatial.end());
  for (int64_t dim = 0, others = 0; dim < rank; ++dim)
    if (!llvm::is_contained(pool.spatial, dim))
      permutation.insert(
          others++ == 0 ? permutation.begin() : permutation.end(), dim);
  found.inputs = {RecognizedOperand::of(pool.input)};
  if (!llvm::is_sorted(permutation)) {
    found.inputs[0].permutation = permutation;
    found.outputPermutation = permutation;
  }
  recognition.found.push_back(std::move(found));
}
