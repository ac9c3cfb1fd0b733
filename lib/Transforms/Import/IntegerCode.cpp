// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds integer code that a module came with, and that no operator has.

#include "IntegerCode.h"

#include "qbackend/Operators/ConstantEvaluator.h"
#include "qbackend/Operators/ScalarOp.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/OperationCount.h"
#include "qbackend/Transforms/Engine.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

/// Wider integers are positions and labels, not quantized numbers, unless they
/// become floats again.
static constexpr unsigned kMaxWidth = 16;
/// Integers are followed through as many ops.
static constexpr size_t kMaxSteps = 64;

static bool hasStep(Operation *op,
                    llvm::function_ref<bool(const ScalarStep &)> isWanted) {
  std::optional<ScalarSteps> steps = getScalarSteps(op);
  return steps && llvm::any_of(*steps, isWanted);
}

static bool isConversion(const ScalarStep &step) {
  return step.code == ScalarCode::FloatToSigned ||
         step.code == ScalarCode::FloatToUnsigned;
}

/// Whether floats are computed from `integers`, which a conversion made,
/// by other integers and another conversion.
static bool becomeFloat(Value integers) {
  SmallVector<Value> open = {integers};
  llvm::DenseSet<Value> visited = {integers};
  auto add = [&](Value value) {
    if (getElementTypeOrSelf(value.getType()).isSignlessIntOrIndex() &&
        visited.insert(value).second)
      open.push_back(value);
  };
  while (!open.empty() && visited.size() < kMaxSteps) {
    Value value = open.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (hasStep(user, [](const ScalarStep &step) {
            return step.code == ScalarCode::SignedToFloat ||
                   step.code == ScalarCode::UnsignedToFloat;
          }))
        return true;
      // So is a table of numbers, one for each integer; rows of one are not.
      if (auto extract = dyn_cast<tensor::ExtractOp>(user);
          extract && extract.getTensor().getType().getRank() == 1 &&
          isa<FloatType>(extract.getType()))
        return true;
      if (isa<linalg::YieldOp>(user)) {
        if (user->getParentOp()->getNumResults() > use.getOperandNumber())
          add(user->getParentOp()->getResult(use.getOperandNumber()));
      } else if (auto op = dyn_cast<linalg::LinalgOp>(user);
                 op && op.getBlock()) {
        add(op.getMatchingBlockArgument(&use));
      } else {
        for (Value result : user->getResults())
          add(result);
      }
    }
  }
  return false;
}

/// Whether scalar `value` is computed from elements of a tensor, not from
/// positions alone.
static bool isOfElements(Value value, unsigned depth = 0) {
  if (isa<BlockArgument>(value))
    return isa<FloatType>(value.getType());
  Operation *op = value.getDefiningOp();
  return depth < kMaxSteps && !isa<linalg::IndexOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return isOfElements(operand, depth + 1);
         });
}

/// Whether `op`, on scalars or tensors, makes quantized values of floats.
static bool quantizes(Operation *op) {
  if (isa<quant::QuantizeCastOp>(op))
    return true;
  // Numbers of 8 bits, whatever they are.
  if (op->getNumResults() == 1 && op->getNumOperands() == 1) {
    auto to = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
    auto from = dyn_cast<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
    if (to && from && to.getWidth() <= 8 && from.getWidth() > 8)
      return true;
  }
  bool isFound = hasStep(op, [](const ScalarStep &step) {
    return step.code == ScalarCode::RoundEven ||
           step.code == ScalarCode::Round ||
           (isConversion(step) && step.type.width > 1 &&
            step.type.width <= kMaxWidth);
  });
  return isFound || (hasStep(op, isConversion) && op->getNumResults() == 1 &&
                     (isa<ShapedType>(op->getResult(0).getType()) ||
                      isOfElements(op->getOperand(0))) &&
                     becomeFloat(op->getResult(0)));
}

//===----------------------------------------------------------------------===//
// Fixed-point requantization
//===----------------------------------------------------------------------===//

/// All integers of more bits are too many to be tried.
static constexpr unsigned kMaxTriedWidth = 8;
/// A sum of 32 bits, and its product with an f32, are within 3 * 2^-24 of their
/// numbers: below half a step of 16 bits, so that a tie apart nothing changes.
static constexpr int64_t kWideSteps = 1;

namespace {
/// What TOSA's `rescale` computes of integers, and what a kernel does that has
/// the same scale and zero points: clamp(rne((x - zx) * f32(multiplier /
/// 2^shift)) + zy).
struct Rescaling {
  int64_t multiplier, shift;
  int64_t inputZeroPoint, outputZeroPoint, min, max;
  bool isDouble;

  int64_t getFixedPoint(int64_t x) const {
    int64_t value = x - inputZeroPoint;
    int64_t round = int64_t(1) << (shift - 1);
    if (isDouble && shift > 31)
      round += value >= 0 ? int64_t(1) << 30 : -(int64_t(1) << 30);
    int64_t result = ((value * multiplier + round) >> shift) + outputZeroPoint;
    return std::clamp(result, min, max);
  }

  int64_t getKernel(int64_t x) const {
    float scale = float(std::ldexp(double(multiplier), -int(shift)));
    double result = std::nearbyint(float(x - inputZeroPoint) * scale);
    return int64_t(
        std::clamp(result + double(outputZeroPoint), double(min), double(max)));
  }
};
} // namespace

/// The integers of `width` bits.
static std::pair<int64_t, int64_t> getLimits(unsigned width, bool isUnsigned) {
  int64_t half = int64_t(1) << (width - 1);
  return isUnsigned ? std::pair<int64_t, int64_t>(0, 2 * half - 1)
                    : std::pair<int64_t, int64_t>(-half, half - 1);
}

/// By how many steps at most kernels would round `op` otherwise. What gives 32
/// bits is a part of what is rounded later.
static int64_t getRescaleSteps(tosa::RescaleOp op,
                               ConstantEvaluator &constants) {
  auto input = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getInput()));
  auto output = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getOutput()));
  if (output && output.getWidth() > 16)
    return 0;
  DenseElementsAttr multipliers = constants.evaluate(op.getMultiplier());
  DenseElementsAttr shifts = constants.evaluate(op.getShift());
  FailureOr<int64_t> inputZeroPoint = op.getInputZeroPoint();
  FailureOr<int64_t> outputZeroPoint = op.getOutputZeroPoint();
  if (!input || !output || !multipliers || !shifts || failed(inputZeroPoint) ||
      failed(outputZeroPoint) ||
      multipliers.getNumElements() != shifts.getNumElements())
    return kWideSteps;
  auto [first, last] = getLimits(input.getWidth(), op.getInputUnsigned());
  auto [min, max] = getLimits(output.getWidth(), op.getOutputUnsigned());
  int64_t steps = 0;
  for (auto [multiplier, shift] :
       llvm::zip(multipliers.getValues<APInt>(), shifts.getValues<APInt>())) {
    Rescaling rescaling = {multiplier.getSExtValue(),
                           shift.getSExtValue(),
                           *inputZeroPoint,
                           *outputZeroPoint,
                           min,
                           max,
                           op.getRoundingMode() ==
                               tosa::RoundingMode::DOUBLE_ROUND};
    if (rescaling.shift < 1 || rescaling.shift > 62)
      return kWideSteps;
    // A whole number rounds nothing.
    if (rescaling.multiplier % (int64_t(1) << rescaling.shift) == 0)
      continue;
    if (input.getWidth() > kMaxTriedWidth) {
      steps = std::max(steps, kWideSteps);
      continue;
    }
    for (int64_t x = first; x <= last; ++x)
      steps = std::max(
          steps, std::abs(rescaling.getFixedPoint(x) - rescaling.getKernel(x)));
  }
  return steps;
}

IntegerCode::IntegerCode(ModuleOp module)
    : isRounding(module->hasAttr(kRoundsAttrName)) {
  ConstantEvaluator constants;
  auto isConstant = [&](Operation *op) {
    return op->getNumResults() != 0 && constants.isConstant(op->getResult(0));
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<OperatorOp, BackendConfigOp, QConfigMappingOp, QuantizeOp,
            DequantizeOp>(op) ||
        isForeign(op, module))
      return WalkResult::skip();
    if (auto *engine = getEngine(op)) {
      if (!engine->isImported(op))
        kernels.push_back(op);
      return WalkResult::skip();
    }
    bool isStructured = isa<linalg::LinalgOp>(op);
    int64_t steps = 0;
    if (auto rescale = dyn_cast<tosa::RescaleOp>(op))
      steps = getRescaleSteps(rescale, constants);
    else if (isStructured &&
             llvm::any_of(*op->getRegion(0).begin(), [](auto &inner) {
               return isa<tosa::ApplyScaleOp>(inner);
             }))
      steps = kWideSteps;
    if (steps != 0)
      rescales.push_back(op);
    rescaleSteps = std::max(rescaleSteps, steps);
    if (int64_t count = countIntegerMultiplyAccumulates(op)) {
      kernels.push_back(op);
      macs = addCounts(macs, count);
    } else if (isStructured) {
      bool isFound = false;
      op->walk([&](Operation *inner) {
        isFound |= inner != op && quantizes(inner);
      });
      if (isFound && !isConstant(op))
        conversions.push_back(op);
    } else if (quantizes(op) && !isConstant(op)) {
      conversions.push_back(op);
    }
    return isStructured ? WalkResult::skip() : WalkResult::advance();
  });
}

void IntegerCode::remark() const {
  for (Operation *op : conversions)
    remarkMissed(op, "QB144", "quantization of the module",
                 "makes integers of floats in a way that is not "
                 "recognised, so that nothing is quantized but what the module "
                 "quantizes",
                 "see docs/Pipeline.md for what is recognised, or export the "
                 "module without quantization");
  if (kernels.empty())
    return;
  std::string reason =
      llvm::formatv(
          "is integer code already: {0} such op{1}, the first is this "
          "one, with {2} multiply-accumulates in all",
          kernels.size(), kernels.size() == 1 ? "" : "s", macs)
          .str();
  SmallVector<RemarkNote, 1> notes;
  if (!rescales.empty()) {
    reason += llvm::formatv("; kernels would round {0} rescale{1} otherwise, "
                            "each by up to {2} step{3}",
                            rescales.size(), rescales.size() == 1 ? "" : "s",
                            rescaleSteps, rescaleSteps == 1 ? "" : "s")
                  .str();
    notes.push_back(
        RemarkNote::atCode(rescales.front()->getLoc(), "the first rescale"));
  }
  remarkMissed(kernels.front(), "QB145", "quantization of the module", reason,
               "nothing, if it is meant to stay; else give the network from "
               "before it was lowered",
               notes);
}
