// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises means: sums over one dimension after the other and a division by
// their size, with changes of shape that drop or add dimensions of 1 anywhere;
// and one sum, or one maximum after the other, alone.

#include "Kinds/Recognizers.h"
#include "Reading/Expressions/Division.h"
#include "Reading/Layout.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "llvm/ADT/SmallBitVector.h"

#include <cfloat>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
/// One op on the way from the result back to what the mean is of.
struct Step {
  Value input;
  /// Dimensions of `input` that are reduced; none if only the shape changes.
  SmallVector<int64_t> axes;
  /// The result's.
  RankedTensorType type;
  /// What each summand or the result is multiplied by, if it is.
  std::optional<double> factor;
  /// Which of the input's dimensions that are neither reduced nor of size 1 the
  /// result's are; empty: all in their order.
  SmallVector<unsigned> order = {};
};

/// A dimension on the way, and which one of the mean's input it is.
struct TrackedDim {
  int64_t size;
  std::optional<int64_t> position;
};
} // namespace

/// No mean is spelled in more ops than this.
static constexpr unsigned kMaxSteps = 16;

/// Where the loops of an op are in the dimensions that `map` reads: each of
/// them is one dimension, or has one iteration.
static std::optional<SmallVector<std::optional<unsigned>>>
getDimLoops(AffineMap map, RankedTensorType type, ArrayRef<int64_t> ranges) {
  SmallVector<std::optional<unsigned>> loops;
  llvm::SmallBitVector seen(map.getNumDims());
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && (!isa<AffineConstantExpr>(expr) || size != 1))
      return std::nullopt;
    if (dim && seen.test(dim.getPosition()))
      return std::nullopt;
    if (dim)
      seen.set(dim.getPosition());
    loops.push_back(dim ? std::optional(dim.getPosition()) : std::nullopt);
  }
  for (auto [loop, range] : llvm::enumerate(ranges))
    if (!seen.test(loop) && range != 1)
      return std::nullopt;
  return loops;
}

template <typename OpTy>
static std::optional<Step> matchTosaReduction(OpTy reduce) {
  auto type = getFloatType(reduce.getOutput());
  if (!type || !getFloatType(reduce.getInput()))
    return std::nullopt;
  return Step{
      reduce.getInput(), {int64_t(reduce.getAxis())}, type, std::nullopt};
}

/// The sum, from 0, of one operand over some of its dimensions, whose others
/// may be in another order; or, if `kind` is Max, the maximum, from what no
/// number is below.
static std::optional<Step> matchReduction(Operation *op, ScalarKind kind,
                                          ScalarExpressions &expressions) {
  bool isSum = kind == ScalarKind::Add;
  if (auto reduce = dyn_cast<tosa::ReduceSumOp>(op); reduce && isSum)
    return matchTosaReduction(reduce);
  if (auto reduce = dyn_cast<tosa::ReduceMaxOp>(op); reduce && !isSum)
    return matchTosaReduction(reduce);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() == 0 ||
      op->getNumResults() != 1)
    return std::nullopt;
  const Scalar *sum = expressions.read(op);
  if (!sum || sum->kind != kind)
    return std::nullopt;
  const Scalar *init = sum->a, *element = sum->b;
  if (init->kind != ScalarKind::Init)
    std::swap(init, element);
  Step step;
  auto isScaled = [&](const Scalar *a, const Scalar *b) {
    step.factor = a->kind == ScalarKind::Operand ? expressions.getNumber(b)
                                                 : std::optional<double>();
    if (step.factor && element->kind == ScalarKind::Div)
      step.factor = 1 / *step.factor;
    return step.factor.has_value();
  };
  if (isSum &&
      (element->kind == ScalarKind::Mul || element->kind == ScalarKind::Div)) {
    if (isScaled(element->a, element->b))
      element = element->a;
    else if (element->kind == ScalarKind::Mul &&
             isScaled(element->b, element->a))
      element = element->b;
  }
  auto inputType = element->kind == ScalarKind::Operand
                       ? getFloatType(element->value)
                       : RankedTensorType();
  step.type = getFloatType(op->getResult(0));
  if (init->kind != ScalarKind::Init || !inputType || !step.type)
    return std::nullopt;
  auto start = getFill(linalgOp.getDpsInits()[0], expressions.constants);
  if (!start || (isSum ? *start != 0 : !(*start <= -FLT_MAX)))
    return std::nullopt;
  step.input = element->value;

  SmallVector<int64_t> ranges = linalgOp.getStaticLoopRanges();
  AffineMap output =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  auto inputLoops = getDimLoops(element->map, inputType, ranges);
  if (!inputLoops)
    return std::nullopt;
  auto iterators = linalgOp.getIteratorTypesArray();
  SmallVector<unsigned> kept, written;
  for (auto [dim, loop] : llvm::enumerate(*inputLoops)) {
    if (!loop)
      continue;
    if (iterators[*loop] == utils::IteratorType::reduction)
      step.axes.push_back(dim);
    else if (inputType.getDimSize(dim) != 1)
      kept.push_back(*loop);
  }
  for (auto [expr, size] :
       llvm::zip_equal(output.getResults(), step.type.getShape()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && size != 1)
      written.push_back(dim.getPosition());
    else if (size != 1)
      return std::nullopt;
  if (kept == written)
    return step;
  if (!std::is_permutation(kept.begin(), kept.end(), written.begin(),
                           written.end()))
    return std::nullopt;
  for (unsigned loop : written)
    step.order.push_back(llvm::find(kept, loop) - kept.begin());
  return step;
}

/// A multiplication by one number, of an operand that may have fewer dimensions
/// of 1 than the result.
static std::optional<Step> matchScale(Operation *op,
                                      ScalarExpressions &expressions) {
  auto division = readDivision(op, expressions, [](Value dividend, AffineMap) {
    Operation *producer = getProducer(dividend);
    auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(producer);
    return isa_and_nonnull<tosa::ReduceSumOp>(producer) ||
           getReshaped(producer) ||
           (linalgOp && linalgOp.getNumReductionLoops() != 0);
  });
  std::optional<double> number =
      division ? division->divisor.getNumber() : std::nullopt;
  if (!number || *number == 0)
    return std::nullopt;
  // The others keep their order.
  unsigned next = 0;
  for (AffineExpr expr : division->map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && dim.getPosition() < next)
      return std::nullopt;
    if (dim)
      next = dim.getPosition() + 1;
  }
  return Step{
      division->dividend, {}, getFloatType(op->getResult(0)), 1 / *number};
}

static std::optional<Step> matchStep(Operation *op,
                                     ScalarExpressions &expressions) {
  if (!op || op->getNumResults() != 1)
    return std::nullopt;
  if (Value source = getReshaped(op)) {
    auto type = getFloatType(op->getResult(0));
    if (!type || !getFloatType(source))
      return std::nullopt;
    return Step{source, {}, type, std::nullopt};
  }
  if (auto sum = matchReduction(op, ScalarKind::Add, expressions))
    return sum;
  return matchScale(op, expressions);
}

/// The same elements in another shape: false unless only dimensions of 1 come
/// and go.
static bool changeShape(SmallVectorImpl<TrackedDim> &dims,
                        ArrayRef<int64_t> shape) {
  // A cast may have forgotten sizes.
  auto isSame = [](const TrackedDim &dim, int64_t size) {
    return dim.size == size || ShapedType::isDynamic(dim.size) ||
           ShapedType::isDynamic(size);
  };
  if (dims.size() == shape.size() && llvm::equal(dims, shape, isSame)) {
    for (auto [dim, size] : llvm::zip_equal(dims, shape))
      if (ShapedType::isDynamic(dim.size))
        dim.size = size;
    return true;
  }
  SmallVector<TrackedDim> changed;
  auto next = dims.begin();
  auto skipUnits = [&] {
    while (next != dims.end() && next->size == 1)
      ++next;
  };
  for (int64_t size : shape) {
    if (size == 1) {
      changed.push_back({1, std::nullopt});
      continue;
    }
    skipUnits();
    if (next == dims.end() || next->size != size)
      return false;
    changed.push_back(*next++);
  }
  skipUnits();
  if (next != dims.end())
    return false;
  dims.assign(changed.begin(), changed.end());
  return true;
}

/// Puts the dimensions that aren't of size 1 in `order`, and drops the others;
/// false if they aren't as many.
static bool reorder(SmallVectorImpl<TrackedDim> &dims,
                    ArrayRef<unsigned> order) {
  llvm::erase_if(dims, [](const TrackedDim &dim) { return dim.size == 1; });
  if (dims.size() != order.size())
    return false;
  dims = llvm::map_to_vector(order, [&](unsigned dim) { return dims[dim]; });
  return true;
}

/// How to transpose a result with `dims` so that they are in the order of the
/// input, those of size 1 where they fit `shape`, if it has them; empty where
/// nothing is to be transposed.
static SmallVector<int64_t> getResultOrder(ArrayRef<TrackedDim> dims,
                                           ArrayRef<int64_t> shape) {
  SmallVector<int64_t> ones, others;
  for (auto [dim, tracked] : llvm::enumerate(dims))
    (tracked.size == 1 ? ones : others).push_back(dim);
  auto isBefore = [&](int64_t a, int64_t b) {
    return dims[a].position < dims[b].position;
  };
  if (llvm::is_sorted(others, isBefore))
    return {};
  llvm::sort(others, isBefore);
  SmallVector<int64_t> order;
  ArrayRef<int64_t> nextOnes = ones, nextOthers = others;
  for (int64_t size : shape) {
    ArrayRef<int64_t> &next = size == 1 ? nextOnes : nextOthers;
    if (!next.empty())
      order.push_back(next.consume_front());
  }
  llvm::append_range(order, nextOthers);
  llvm::append_range(order, nextOnes);
  return order;
}

static SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> shape) {
  return llvm::filter_to_vector(shape, [](int64_t size) { return size != 1; });
}

/// The `KindTy` that `steps`, of which the first is the last op, are; none if
/// they aren't one.
template <typename KindTy>
static std::optional<RecognizedOperator> getReduction(Recognition &recognition,
                                                      ArrayRef<Step> steps) {
  auto inputType = getFloatType(steps.back().input);
  SmallVector<TrackedDim> dims;
  for (auto [position, size] : llvm::enumerate(inputType.getShape()))
    dims.push_back({size, position});
  llvm::SmallBitVector reduced(inputType.getRank());
  double scale = 1;
  for (const Step &step : llvm::reverse(steps)) {
    if (!changeShape(dims, getFloatType(step.input).getShape()))
      return std::nullopt;
    for (int64_t axis : step.axes) {
      if (axis >= int64_t(dims.size()) ||
          ShapedType::isDynamic(dims[axis].size))
        return std::nullopt;
      if (std::is_same_v<KindTy, MeanAttr>)
        scale *= dims[axis].size;
      if (dims[axis].position)
        reduced.set(*dims[axis].position);
      dims[axis].size = 1;
    }
    if ((!step.order.empty() && !reorder(dims, step.order)) ||
        !changeShape(dims, step.type.getShape()))
      return std::nullopt;
    scale *= step.factor.value_or(1);
  }
  if (!isClose(scale, 1) || reduced.none())
    return std::nullopt;
  SmallVector<int64_t> axes, dropped, ones;
  for (auto [position, size] : llvm::enumerate(inputType.getShape())) {
    bool isReduced = reduced.test(position);
    if (isReduced)
      axes.push_back(position);
    else
      dropped.push_back(size);
    ones.push_back(isReduced ? 1 : size);
  }
  RecognizedOperator op;
  op.resultPermutation = getResultOrder(dims, dropped);
  SmallVector<int64_t> shape(getFloatType(recognition.result()).getShape());
  if (!op.resultPermutation.empty()) {
    if (ShapedType::isDynamicShape(shape))
      return std::nullopt;
    shape = applyPermutation(shape, op.resultPermutation);
  }
  bool keepdim = op.resultPermutation.empty() && shape == ones;
  op.result = recognition.result();
  op.inputs = {RecognizedOperand::of(steps.back().input)};
  if (!keepdim && shape != dropped) {
    // Dimensions of 1 may be elsewhere, as after a sum that transposes. A
    // change of shape behind it is an op of its own.
    if (getReshaped(recognition.root) || ShapedType::isDynamicShape(shape) ||
        ShapedType::isDynamicShape(dropped) ||
        withoutOnes(shape) != withoutOnes(dropped))
      return std::nullopt;
    op.outputShape = dropped;
  }
  op.kind = KindTy::get(recognition.context(), recognition.ints(axes), keepdim);
  return op;
}

/// Reductions by `kind` one after the other, as TOSA has them, with changes of
/// shape in between: all of them, and the last one alone, since what is between
/// them may have other readers.
template <typename KindTy>
static void recognizeRow(Recognition &recognition, ScalarKind kind) {
  SmallVector<Step> steps;
  std::optional<RecognizedOperator> shortest, longest;
  Operation *op = recognition.root;
  while (op && op->getNumResults() == 1 && steps.size() < kMaxSteps) {
    auto step = matchReduction(op, kind, recognition.expressions);
    if (step && step->factor)
      break;
    if (!step) {
      Value source = getReshaped(op);
      auto type = getFloatType(op->getResult(0));
      if (!source || !type || !getFloatType(source) || steps.empty())
        break;
      step = Step{source, {}, type, std::nullopt};
    }
    op = getProducer(step->input);
    bool reduces = !step->axes.empty();
    steps.push_back(std::move(*step));
    if (!reduces || recognition.isConstant(steps.back().input))
      continue;
    auto reduction = getReduction<KindTy>(recognition, steps);
    if (!reduction)
      continue;
    if (!shortest)
      shortest = *reduction;
    longest = std::move(*reduction);
  }
  if (longest && longest->inputs[0].value != shortest->inputs[0].value)
    recognition.found.push_back(std::move(*longest));
  if (shortest)
    recognition.found.push_back(std::move(*shortest));
}

void forms::recognizeMean(Recognition &recognition) {
  SmallVector<Step> steps;
  bool isScaled = false;
  std::optional<RecognizedOperator> shortest, longest;
  Operation *op = recognition.root;
  while (steps.size() < kMaxSteps) {
    auto step = matchStep(op, recognition.expressions);
    // A mean of a mean is two of them.
    if (!step || (shortest && step->factor))
      break;
    isScaled |= step->factor.has_value();
    op = getProducer(step->input);
    bool isSum = !step->axes.empty();
    // Images to which dimensions of 1 were added are images still.
    bool isImage = shortest && step->type.getRank() > 4 &&
                   getFloatType(step->input).getRank() == 4;
    steps.push_back(std::move(*step));
    if (!(isSum || isImage) || !isScaled)
      continue;
    auto mean = getReduction<MeanAttr>(recognition, steps);
    if (!mean || recognition.isConstant(steps.back().input))
      continue;
    if (!shortest)
      shortest = *mean;
    longest = std::move(*mean);
  }
  // Sums of one element in front may have other readers.
  if (longest && longest->inputs[0].value != shortest->inputs[0].value)
    recognition.found.push_back(std::move(*longest));
  if (shortest)
    recognition.found.push_back(std::move(*shortest));
  // Sums that nothing divides.
  recognizeRow<SumAttr>(recognition, ScalarKind::Add);
}

void forms::recognizeMaximum(Recognition &recognition) {
  recognizeRow<AmaxAttr>(recognition, ScalarKind::Max);
}
