// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for shifts and multipliers of constants that are out of the range in
// which the op has a value.

#include "qbackend/Operators/UndefinedArithmetic.h"

#include "qbackend/Operators/ScalarProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend;

/// At more positions of loops, the number is not asked for.
static constexpr int64_t kMaxPositions = 1 << 22;

/// An index has 32 bits on some targets.
static constexpr unsigned kIndexWidth = 32;

namespace {
/// What an operand has to be.
struct Limits {
  Value value;
  StringRef name;
  int64_t min, max;
};
} // namespace

/// The extents of the loops around `op` that `program` depends on, 1 for the
/// others; nullopt if they are not known, or too many.
static std::optional<SmallVector<int64_t>>
findPositions(const ScalarProgram &program, Operation *op) {
  SmallVector<int64_t> sizes;
  if (auto structured = op->getParentOfType<linalg::LinalgOp>())
    sizes = structured.getStaticLoopRanges();
  int64_t positions = 1;
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    if (!program.dependsOn(loop))
      size = 1;
    if (ShapedType::isDynamic(size) || size > kMaxPositions / positions)
      return std::nullopt;
    positions *= std::max<int64_t>(size, 1);
  }
  return sizes;
}

/// The first number of `value`, an operand of `op`, that is out of the range;
/// nullopt if there is none, or if it isn't constant.
static std::optional<APInt> findOutside(Operation *op, const Limits &limits,
                                        ConstantEvaluator &constants) {
  std::optional<APInt> outside;
  auto test = [&](const APInt &number) {
    bool isInside = number.getSignificantBits() <= 64 &&
                    number.getSExtValue() >= limits.min &&
                    number.getSExtValue() <= limits.max;
    if (!isInside && !outside)
      outside = number;
  };
  if (isa<ShapedType>(limits.value.getType())) {
    DenseElementsAttr elements = constants.evaluate(limits.value);
    if (!elements || !elements.getElementType().isIntOrIndex())
      return std::nullopt;
    if (elements.isSplat())
      test(elements.getSplatValue<APInt>());
    else
      llvm::for_each(elements.getValues<APInt>(), test);
    return outside;
  }
  APInt number;
  if (matchPattern(limits.value, m_ConstantInt(&number))) {
    test(number);
    return outside;
  }
  std::optional<ScalarProgram> program = constants.readScalar(limits.value);
  if (!program || !program->getType().isInteger())
    return std::nullopt;
  std::optional<SmallVector<int64_t>> sizes = findPositions(*program, op);
  if (!sizes)
    return std::nullopt;
  bool isKnown = program->evaluateAll(*sizes, [&](ArrayRef<ScalarNumber> some) {
    for (ScalarNumber one : some)
      test(APInt(64, one.integer, /*isSigned=*/true));
  });
  return isKnown ? outside : std::nullopt;
}

static Limits getShiftLimits(Value amount, Type shifted) {
  Type element = getElementTypeOrSelf(shifted);
  int64_t width =
      element.isIndex() ? kIndexWidth : element.getIntOrFloatBitWidth();
  return {amount, "shift", 0, width - 1};
}

/// Whether `op` has no result but as one of two that a select chooses from.
static bool isChosen(Operation *op) {
  return llvm::all_of(op->getUses(), [](OpOperand &use) {
    return isa<arith::SelectOp>(use.getOwner()) && use.getOperandNumber() != 0;
  });
}

std::optional<std::string>
qbackend::findUndefined(Operation *op, ConstantEvaluator &constants) {
  SmallVector<Limits, 2> operands;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tosa::RescaleOp rescale) {
        operands.push_back({rescale.getMultiplier(), "multiplier", 0,
                            rescale.getScale32() ? INT32_MAX : INT16_MAX});
        operands.push_back({rescale.getShift(), "shift", 2, 62});
      })
      // What tosa.mul becomes has the shift 1, too, and factors of any sign.
      .Case([&](tosa::ApplyScaleOp scale) {
        operands.push_back({scale.getShift(), "shift", 1, 62});
      })
      .Case([&](tosa::MulOp product) {
        if (getElementTypeOrSelf(product.getType()).isInteger(32))
          operands.push_back({product.getShift(), "shift", 0, 62});
      })
      .Case<tosa::ArithmeticRightShiftOp, tosa::LogicalLeftShiftOp,
            tosa::LogicalRightShiftOp>([&](auto shift) {
        operands.push_back(getShiftLimits(shift.getInput2(), shift.getType()));
      })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, index::ShlOp,
            index::ShrSOp, index::ShrUOp>([&](auto shift) {
        if (!isChosen(shift))
          operands.push_back(getShiftLimits(shift.getRhs(), shift.getType()));
      });
  for (const Limits &limits : operands)
    if (std::optional<APInt> number = findOutside(op, limits, constants))
      return ("has the " + limits.name + " " +
              llvm::toString(*number, 10, /*Signed=*/true) +
              "; expected one in [" + Twine(limits.min) + ", " +
              Twine(limits.max) + "]")
          .str();
  auto rescale = dyn_cast<tosa::RescaleOp>(op);
  if (rescale && !rescale.getScale32() &&
      rescale.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND)
    return "rounds twice with multipliers of 16 bits; expected SINGLE_ROUND";
  if (rescale && rescale.getScale32() &&
      getElementTypeOrSelf(rescale.getInput().getType()).isInteger(48))
    return "has multipliers of 32 bits for numbers of 48; expected scale32 = "
           "false";
  return std::nullopt;
}
