// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises resizes that compute which pixels of a captured image to read.

#include "Kinds/Movement/Interpolation.h"
#include "Kinds/Movement/Movement.h"
#include "Reading/Layout.h"
#include "qbackend/Operators/ScalarProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No resize is spelled in more scalar ops, nor reads more pixels for one.
static constexpr size_t kMaxOps = 256, kMaxTaps = 64;

namespace {
/// The body of an op that reads an image of rank 4 with `tensor.extract`.
class ResizeBody {
public:
  ResizeBody(linalg::LinalgOp op, ConstantEvaluator &constants)
      : op(op), constants(constants), loops(op.getNumLoops(), 0) {}

  bool read();
  /// Whether the batch and the channels are read as they are, and the rows and
  /// columns are each computed from one loop, all in their order, or each
  /// dimension from another loop.
  bool hasLayout(ArrayRef<int64_t> positions);
  InterpolateAttr match(ArrayRef<int64_t> positions);

  Value source;
  /// Of the result, with the dimensions of the source.
  SmallVector<int64_t> shape;
  /// Of the result, those of the source, if they are in another order there:
  /// fusion takes a transpose of what was resized in.
  SmallVector<int64_t> resultDims;

private:
  const ScalarProgram *getScalar(Value value);
  std::optional<int64_t> getLoopSize(unsigned loop);
  bool hasPermutedLayout();
  bool getTaps(Value value, double factor, SmallVectorImpl<Tap> &taps);
  SmallVector<double> getFactors();

  linalg::LinalgOp op;
  ConstantEvaluator &constants;
  SmallVector<tensor::ExtractOp> extracts;
  /// Of each dimension of the source; none: the dimension is 1.
  SmallVector<std::optional<unsigned>> sourceLoops;
  SmallVector<int64_t> loops;
  unsigned rowDim = 0, columnDim = 0;
  llvm::DenseMap<Value, std::optional<ScalarProgram>> scalars;
};
} // namespace

bool ResizeBody::read() {
  Block *body = op.getBlock();
  if (!body || body->empty() || op.getNumDpsInits() != 1 ||
      op->getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      body->getTerminator()->getNumOperands() != 1)
    return false;
  size_t count = 0;
  for (Operation &inner : *body) {
    if (++count > kMaxOps)
      return false;
    auto extract = dyn_cast<tensor::ExtractOp>(inner);
    if (!extract || !getFloatType(extract.getTensor()) ||
        constants.isConstant(extract.getTensor()))
      continue;
    extracts.push_back(extract);
  }
  if (extracts.empty() || extracts.size() > kMaxTaps)
    return false;
  source = extracts.front().getTensor();
  return getFloatType(source).getRank() == 4 &&
         llvm::all_of(extracts, [&](tensor::ExtractOp extract) {
           return extract.getTensor() == source;
         });
}

const ScalarProgram *ResizeBody::getScalar(Value value) {
  auto it = scalars.find(value);
  if (it == scalars.end())
    it = scalars.try_emplace(value, constants.readScalar(value)).first;
  return it->second ? &*it->second : nullptr;
}

std::optional<int64_t> ResizeBody::getLoopSize(unsigned loop) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.isDynamicDim(loop))
    return type.getDimSize(loop);
  Operation *init = getProducer(op.getDpsInits()[0]);
  auto empty = dyn_cast_or_null<tensor::EmptyOp>(init);
  if (!empty || int64_t(loop) >= empty.getType().getRank())
    return std::nullopt;
  OpFoldResult size = empty.getMixedSizes()[loop];
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return number;
  auto expression = constants.readScalar(cast<Value>(size));
  std::optional<double> number =
      expression ? expression->evaluate({}) : std::nullopt;
  return number ? std::optional<int64_t>(*number) : std::nullopt;
}

bool ResizeBody::hasLayout(ArrayRef<int64_t> positions) {
  RankedTensorType type = getFloatType(source);
  rowDim = positions[1];
  columnDim = positions[2];
  sourceLoops.assign(4, std::nullopt);
  for (unsigned dim = 0; dim < 4; ++dim) {
    bool isSpatial = dim == rowDim || dim == columnDim;
    for (tensor::ExtractOp extract : extracts) {
      Value index = extract.getIndices()[dim];
      std::optional<unsigned> loop = getDirectLoop(index);
      if (!loop && isSpatial) {
        const ScalarProgram *expression = getScalar(index);
        if (!expression || expression->getLoops().count() > 1)
          return false;
        if (expression->getLoops().any())
          loop = expression->getLoops().find_first();
      } else if (!loop && (!matchPattern(index, m_Zero()) ||
                           type.getDimSize(dim) != 1)) {
        return false;
      }
      if (loop && sourceLoops[dim] && loop != sourceLoops[dim])
        return false;
      if (loop)
        sourceLoops[dim] = loop;
    }
  }
  resultDims.clear();
  SmallVector<std::optional<unsigned>> inOrder = sourceLoops;
  // A batch of 1 is read at 0.
  if (!sourceLoops[0] && op.getNumLoops() == sourceLoops.size() &&
      !llvm::is_contained(sourceLoops, std::optional<unsigned>(0)) &&
      getLoopSize(0) == 1)
    inOrder[0] = 0;
  if (!llvm::is_contained(inOrder, std::nullopt) &&
      op.getNumLoops() == inOrder.size() && !llvm::is_sorted(inOrder)) {
    sourceLoops = inOrder;
    return hasPermutedLayout();
  }
  // All loops, in order.
  shape.clear();
  unsigned next = 0;
  for (unsigned dim = 0; dim < 4; ++dim) {
    shape.push_back(1);
    // A loop of one position may be there without being read.
    if (!sourceLoops[dim] && next < op.getNumLoops() &&
        !llvm::is_contained(sourceLoops, std::optional<unsigned>(next)) &&
        getLoopSize(next) == 1)
      sourceLoops[dim] = next;
    if (!sourceLoops[dim])
      continue;
    if (*sourceLoops[dim] != next++)
      return false;
    bool isSpatial = dim == rowDim || dim == columnDim;
    std::optional<int64_t> size = getLoopSize(*sourceLoops[dim]);
    if (isSpatial && (!size || type.isDynamicDim(dim)))
      return false;
    shape.back() = size.value_or(ShapedType::kDynamic);
    if (!isSpatial && size && !type.isDynamicDim(dim) &&
        *size != type.getDimSize(dim))
      return false;
  }
  return next == op.getNumLoops();
}

/// The same where the dimensions of the result are those of the source in
/// another order.
bool ResizeBody::hasPermutedLayout() {
  RankedTensorType type = getFloatType(source);
  llvm::SmallBitVector used(sourceLoops.size());
  shape.clear();
  for (auto [dim, loop] : llvm::enumerate(sourceLoops)) {
    std::optional<int64_t> size = getLoopSize(*loop);
    bool isSpatial = dim == rowDim || dim == columnDim;
    if (used.test(*loop) || !size || type.isDynamicDim(dim) ||
        (!isSpatial && *size != type.getDimSize(dim)))
      return false;
    used.set(*loop);
    shape.push_back(*size);
    resultDims.push_back(*loop);
  }
  return true;
}

/// Appends the pixels that `value` is the weighted sum of, for the loops as
/// they are.
bool ResizeBody::getTaps(Value value, double factor,
                         SmallVectorImpl<Tap> &taps) {
  Operation *definition = value.getDefiningOp();
  if (!definition || taps.size() > kMaxTaps)
    return false;
  auto evaluate = [&](Value scalar) -> std::optional<double> {
    const ScalarProgram *expression = getScalar(scalar);
    if (!expression)
      return std::nullopt;
    for (unsigned loop : expression->getLoops().set_bits())
      if (sourceLoops[rowDim] != loop && sourceLoops[columnDim] != loop)
        return std::nullopt;
    return expression->evaluate(loops);
  };
  if (auto extract = dyn_cast<tensor::ExtractOp>(definition)) {
    auto row = evaluate(extract.getIndices()[rowDim]);
    auto column = evaluate(extract.getIndices()[columnDim]);
    if (extract.getTensor() != source || !row || !column)
      return false;
    taps.push_back({int64_t(*row), int64_t(*column), factor});
    return true;
  }
  if (isa<arith::AddFOp, arith::SubFOp>(definition)) {
    Value lhs = definition->getOperand(0), rhs = definition->getOperand(1);
    for (auto [term, sign] :
         {std::pair(lhs, 1.0),
          {rhs, isa<arith::SubFOp>(definition) ? -1. : 1.}}) {
      if (getScalar(term) ? evaluate(term) != 0.0
                          : !getTaps(term, sign * factor, taps))
        return false;
    }
    return true;
  }
  if (auto product = dyn_cast<arith::MulFOp>(definition)) {
    Value lhs = product.getLhs(), rhs = product.getRhs();
    if (getScalar(lhs))
      std::swap(lhs, rhs);
    auto weight = evaluate(rhs);
    return weight && getTaps(lhs, factor * *weight, taps);
  }
  if (auto quotient = dyn_cast<arith::DivFOp>(definition)) {
    auto divisor = evaluate(quotient.getRhs());
    return divisor && *divisor != 0 &&
           getTaps(quotient.getLhs(), factor / *divisor, taps);
  }
  if (auto select = dyn_cast<arith::SelectOp>(definition)) {
    auto condition = evaluate(select.getCondition());
    return condition && getTaps(*condition != 0 ? select.getTrueValue()
                                                : select.getFalseValue(),
                                factor, taps);
  }
  return false;
}

/// Numbers in the code that may be scales, or their inverses.
SmallVector<double> ResizeBody::getFactors() {
  SmallVector<double> factors;
  for (Operation &inner : *op.getBlock())
    for (Value operand : inner.getOperands()) {
      std::optional<double> number = isa<FloatType>(operand.getType())
                                         ? constants.getSplat(operand)
                                         : std::nullopt;
      if (!number || !(*number > 0) || factors.size() >= 32)
        continue;
      factors.push_back(*number);
      factors.push_back(1 / *number);
    }
  return factors;
}

InterpolateAttr ResizeBody::match(ArrayRef<int64_t> positions) {
  RankedTensorType type = getFloatType(source);
  int64_t in[] = {type.getDimSize(rowDim), type.getDimSize(columnDim)};
  int64_t out[] = {shape[rowDim], shape[columnDim]};
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  return matchInterpolation(
      op->getContext(), in, out, getFactors(),
      [&](int64_t row, int64_t column, SmallVectorImpl<Tap> &taps) {
        if (sourceLoops[rowDim])
          loops[*sourceLoops[rowDim]] = row;
        if (sourceLoops[columnDim])
          loops[*sourceLoops[columnDim]] = column;
        return getTaps(yielded, 1, taps);
      });
}

void forms::recognizeLinalgResize(const Recognition &recognition) {
  Operation *root = recognition.root;
  // Without its unit dimensions, the image is reshaped afterwards.
  if (Value before = getReshaped(root))
    root = getProducer(before);
  auto op = dyn_cast_or_null<linalg::LinalgOp>(root);
  if (!op)
    return;
  ResizeBody body(op, recognition.constants());
  if (!body.read() || !isActivation(body.source, recognition.constants()))
    return;
  auto type = getFloatType(recognition.result());
  for (ArrayRef<int64_t> positions : kImageLayouts) {
    if (!body.hasLayout(positions))
      continue;
    if (!body.resultDims.empty()) {
      InterpolateAttr kind =
          root == recognition.root ? body.match(positions) : InterpolateAttr();
      if (!kind)
        continue;
      addImageOperator(recognition, kind, body.source, positions);
      // The result's dimension for each of [batch, height, width, channel].
      SmallVector<int64_t> permutation;
      for (int64_t position : positions)
        permutation.push_back(body.resultDims[position]);
      if (llvm::is_sorted(permutation))
        permutation.clear();
      recognition.found.back().outputPermutation = permutation;
      return;
    }
    bool hasShape = type.getShape() == ArrayRef<int64_t>(body.shape);
    if (!hasShape && root != recognition.root)
      continue;
    InterpolateAttr kind = body.match(positions);
    if (!kind)
      continue;
    // Dimensions that only the code in front knows are dynamic in the result.
    bool sameRank = type.getRank() == 4;
    addImageOperator(recognition, kind, body.source, positions,
                     hasShape || sameRank ? ArrayRef<int64_t>()
                                          : ArrayRef<int64_t>(body.shape));
    return;
  }
}
