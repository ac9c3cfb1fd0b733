// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asserts that loops of linalg stay within their tensors.

#include "LoopBounds.h"

#include "Assertions.h"

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend::codegen;

/// The smallest and the largest number that an expression can be; nullopt
/// where that isn't known.
struct Limits {
  std::optional<int64_t> first, last;
  /// Whether it may be less with extents that aren't known: `i mod 8` is less
  /// than 8, but 3 at most in a loop of 4.
  bool isUpToExtents = false;
};

static std::optional<int64_t> add(std::optional<int64_t> x,
                                  std::optional<int64_t> y) {
  int64_t sum;
  if (!x || !y || llvm::AddOverflow(*x, *y, sum))
    return std::nullopt;
  return sum;
}

static std::optional<int64_t> multiply(std::optional<int64_t> x, int64_t y) {
  int64_t product;
  if (!x || llvm::MulOverflow(*x, y, product))
    return std::nullopt;
  return product;
}

/// The number on the right; nullopt if `op` isn't linear, or divides by no
/// positive number.
static std::optional<int64_t> getFactor(AffineBinaryOpExpr op) {
  auto number = dyn_cast<AffineConstantExpr>(op.getRHS());
  if (!number || (op.getKind() != AffineExprKind::Mul && number.getValue() < 1))
    return std::nullopt;
  return number.getValue();
}

/// Whether each number between the ends is reached: not with remainders, of
/// which the ends may be too far apart.
static bool isExact(AffineExpr expr) {
  bool isSum = true;
  expr.walk([&](AffineExpr part) {
    isSum &= part.getKind() != AffineExprKind::Mod &&
             part.getKind() != AffineExprKind::FloorDiv &&
             part.getKind() != AffineExprKind::CeilDiv;
  });
  return isSum;
}

/// `expr` in loops of `extents`; those that aren't static are `unknown`.
static Limits getLimits(AffineExpr expr, ArrayRef<OpFoldResult> extents,
                        std::optional<int64_t> unknown = std::nullopt) {
  if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
    OpFoldResult extent = extents[loop.getPosition()];
    if (!extent)
      return {};
    std::optional<int64_t> size = getConstantIntValue(extent);
    return {0, add(size ? size : unknown, -1)};
  }
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return {number.getValue(), number.getValue()};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return {};
  Limits x = getLimits(binary.getLHS(), extents, unknown);
  if (binary.getKind() == AffineExprKind::Add) {
    Limits y = getLimits(binary.getRHS(), extents, unknown);
    return {add(x.first, y.first), add(x.last, y.last),
            x.isUpToExtents || y.isUpToExtents};
  }
  std::optional<int64_t> factor = getFactor(binary);
  if (!factor)
    return {};
  auto divide = [&](std::optional<int64_t> number) {
    if (number)
      number = binary.getKind() == AffineExprKind::FloorDiv
                   ? llvm::divideFloorSigned(*number, *factor)
                   : llvm::divideCeilSigned(*number, *factor);
    return number;
  };
  switch (binary.getKind()) {
  case AffineExprKind::Mul:
    if (*factor < 0)
      std::swap(x.first, x.last);
    return {multiply(x.first, *factor), multiply(x.last, *factor),
            x.isUpToExtents};
  case AffineExprKind::Mod:
    if (x.first && x.last && 0 <= *x.first && *x.last < *factor)
      return x;
    return {0, *factor - 1, x.isUpToExtents || !x.first || !x.last};
  default:
    return {divide(x.first), divide(x.last), x.isUpToExtents};
  }
}

namespace {
/// Builds the assertions of one op.
class LoopBounds : Assertions {
public:
  explicit LoopBounds(linalg::LinalgOp linalg)
      : Assertions(linalg), linalg(linalg), extents(linalg.getNumLoops()) {}

  LogicalResult check() {
    if (failed(checkExtents()))
      return failure();
    // Without a step nothing is read.
    if (llvm::any_of(extents, [](OpFoldResult extent) {
          return extent && getConstantIntValue(extent) == 0;
        }))
      return success();
    for (OpOperand &operand : linalg->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        for (auto [dim, expr] : llvm::enumerate(
                 linalg.getMatchingIndexingMap(&operand).getResults()))
          if (!isa<AffineDimExpr>(expr) &&
              failed(checkExpression(operand.get(), dim, expr)))
            return failure();
    return success();
  }

private:
  /// Operands that a loop walks have the same extent; upstream's verifier looks
  /// at no extent if any is dynamic.
  LogicalResult checkExtents() {
    for (OpOperand &operand : linalg->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = linalg.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (!loop)
          continue;
        OpFoldResult extent = getDim(operand.get(), dim);
        OpFoldResult &first = extents[loop.getPosition()];
        if (!first) {
          first = extent;
          continue;
        }
        std::optional<int64_t> known = getConstantIntValue(first),
                               other = getConstantIntValue(extent);
        if (known && other) {
          if (*known != *other)
            return op->emitOpError("has operands of different extents along "
                                   "loop ")
                   << loop.getPosition() << ": " << *known << " and " << *other
                   << "; make dimension " << dim << " of operand "
                   << operand.getOperandNumber() << " " << *known
                   << ", or pad, slice or broadcast it";
          continue;
        }
        require(compare(arith::CmpIPredicate::eq, first, extent),
                "has operands of different extents along loop " +
                    Twine(loop.getPosition()) +
                    "; pass inputs that give equal ones, or pad, slice or "
                    "broadcast an operand");
        // The other one is known by then, too.
        if (other)
          first = extent;
      }
    }
    return success();
  }

  /// Upstream's verifier looks at the first and the last element alone, and at
  /// none if anything is dynamic.
  LogicalResult checkExpression(Value tensor, unsigned dim, AffineExpr expr) {
    OpFoldResult extent = getDim(tensor, dim);
    std::optional<int64_t> size = getConstantIntValue(extent);
    Limits limits = getLimits(expr, extents);
    bool isBefore = limits.first && *limits.first < 0,
         isBehind = limits.last && size && *limits.last >= *size;
    if ((isBefore || isBehind) && !limits.isUpToExtents)
      return op->emitOpError(isExact(expr) ? "reads" : "may read")
             << " element " << (isBefore ? *limits.first : *limits.last)
             << " of dimension " << dim << " of " << tensor.getType()
             << "; its strides or dilations have to stay within that";
    bool isFirstKnown = limits.first && !isBefore,
         isLastKnown = limits.last && size && !isBehind;
    if (isFirstKnown && isLastKnown)
      return success();
    // What is computed at run time is a number of 64 bits.
    Limits largest = getLimits(expr, extents, kMaxElements);
    if (!largest.first || !largest.last)
      return op->emitOpError("has strides or offsets that are too large in "
                             "dimension ")
             << dim << " of " << tensor.getType()
             << ", whose extents aren't known; expected less than 2^63 for "
             << kMaxElements << " elements";
    auto [first, last] = createLimits(expr);
    Value inside;
    if (!isFirstKnown)
      inside = compare(arith::CmpIPredicate::sge, first, b.getIndexAttr(0));
    if (!isLastKnown) {
      Value isLess = compare(arith::CmpIPredicate::slt, last, extent);
      inside = inside ? arith::AndIOp::create(b, inside, isLess) : isLess;
    }
    require(inside, "leaves dimension " + Twine(dim) + " of " +
                        getText(tensor.getType()));
    return success();
  }

  /// The limits at run time, of an expression that getLimits knows with numbers
  /// for extents.
  std::pair<Value, Value> createLimits(AffineExpr expr) {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    Limits known = getLimits(expr, extents);
    if (known.first && known.last && !known.isUpToExtents)
      return {number(*known.first), number(*known.last)};
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      Value zero = number(0), extent = get(extents[loop.getPosition()]);
      Value one = number(1);
      return {zero, arith::SubIOp::create(b, extent, one)};
    }
    auto binary = cast<AffineBinaryOpExpr>(expr);
    auto [first, last] = createLimits(binary.getLHS());
    if (binary.getKind() == AffineExprKind::Add) {
      auto [otherFirst, otherLast] = createLimits(binary.getRHS());
      return {arith::AddIOp::create(b, first, otherFirst),
              arith::AddIOp::create(b, last, otherLast)};
    }
    int64_t value = *getFactor(binary);
    Value factor = number(value);
    switch (binary.getKind()) {
    case AffineExprKind::Mul:
      if (value < 0)
        std::swap(first, last);
      return {arith::MulIOp::create(b, first, factor),
              arith::MulIOp::create(b, last, factor)};
    case AffineExprKind::Mod: {
      Value zero = number(0);
      Value isLow = compare(arith::CmpIPredicate::sge, first, zero);
      Value isHigh = compare(arith::CmpIPredicate::slt, last, factor);
      Value isSame = arith::AndIOp::create(b, isLow, isHigh);
      return {arith::SelectOp::create(b, isSame, first, zero),
              arith::SelectOp::create(b, isSame, last, number(value - 1))};
    }
    case AffineExprKind::FloorDiv:
      return {arith::FloorDivSIOp::create(b, first, factor),
              arith::FloorDivSIOp::create(b, last, factor)};
    default:
      return {arith::CeilDivSIOp::create(b, first, factor),
              arith::CeilDivSIOp::create(b, last, factor)};
    }
  }

  linalg::LinalgOp linalg;
  SmallVector<OpFoldResult> extents;
};
} // namespace

LogicalResult qbackend::codegen::checkLoopBounds(linalg::LinalgOp op) {
  return LoopBounds(op).check();
}
