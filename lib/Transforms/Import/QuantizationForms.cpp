// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows floats and integers back through code to where quantization
// begins.

#include "QuantizationForms.h"
#include "QuantizationFits.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

/// What computes `value` last: a scalar op, or what a region yields.
static Operation *getLastOp(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !linalgOp.getBlock())
      return op;
    value = linalgOp.getBlock()->getTerminator()->getOperand(
        cast<OpResult>(value).getResultNumber());
    if (isa<BlockArgument>(value))
      return nullptr;
  }
  return nullptr;
}

/// What is quantized last is multiplied by the scale; a scale of 1 may be left
/// out.
bool QuantizationReader::mayBeEnd(Value result) {
  Operation *op = getLastOp(result);
  std::optional<ScalarSteps> steps = op ? getScalarSteps(op) : std::nullopt;
  if (!steps || steps->empty())
    return false;
  switch (steps->back().code) {
  case ScalarCode::MulF:
  case ScalarCode::DivF:
  case ScalarCode::MultiplyAdd:
  case ScalarCode::CastFloat:
    return true;
  case ScalarCode::SignedToFloat:
  case ScalarCode::UnsignedToFloat:
    return !isScaledLater(result);
  default:
    return false;
  }
}

static bool isSum(const ScalarStep &step) {
  return step.code == ScalarCode::AddF || step.code == ScalarCode::SubF;
}

/// Whether what computes `result` last may be the end of other code that
/// rounds.
bool QuantizationReader::mayRoundLast(Value result) {
  Operation *op = getLastOp(result);
  std::optional<ScalarSteps> steps = op ? getScalarSteps(op) : std::nullopt;
  if (!steps || steps->empty())
    return false;
  const ScalarStep &last = steps->back();
  return isSum(last) ||
         (last.code == ScalarCode::Bitcast && last.operandType.isInteger());
}

/// Whether what computes `result` last adds so large a number that fractions
/// may be lost.
bool QuantizationReader::addsLargeNumber(Value result) {
  Operation *op = getLastOp(result);
  std::optional<ScalarSteps> steps = op ? getScalarSteps(op) : std::nullopt;
  return steps && !steps->empty() && isSum(steps->back()) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           std::optional<double> number = constants.getSplat(operand);
           return number && std::fabs(*number) >= 0x1p15;
         });
}

/// Whether the numbers that `result` has are multiplied, or moved, by constants
/// before anything else is done with them.
bool QuantizationReader::isScaledLater(Value result) {
  auto isScaled = [&](Operation *user) {
    std::optional<ScalarSteps> steps = getScalarSteps(user);
    if (!steps || steps->empty() || !programs.isStepFrom(user, result))
      return false;
    return llvm::is_contained({ScalarCode::MulF, ScalarCode::DivF,
                               ScalarCode::AddF, ScalarCode::SubF,
                               ScalarCode::MultiplyAdd},
                              steps->back().code);
  };
  return llvm::any_of(result.getUsers(), [&](Operation *user) {
    if (isa<linalg::YieldOp>(user))
      for (Value tensor : user->getParentOp()->getResults())
        if (getLastOp(tensor) == result.getDefiningOp() &&
            isScaledLater(tensor))
          return true;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
    if (!linalgOp || !linalgOp.getBlock())
      return isScaled(user);
    for (OpOperand *input : linalgOp.getDpsInputOperands())
      if (input->get() == result)
        for (Operation *inner :
             linalgOp.getMatchingBlockArgument(input).getUsers())
          if (isScaled(inner))
            return true;
    return false;
  });
}

OrRefusal<QuantizationForm> QuantizationReader::read(Value result) {
  isGridFound = false;
  bool isEnd = mayBeEnd(result);
  if (!isEnd && !mayRoundLast(result))
    return Refusal();
  bool isLargeSum = !isEnd && addsLargeNumber(result);
  std::optional<QuantizationForm> form, sums;
  Value integers;
  std::string reason;
  auto keepReason = [&](Difference difference) {
    // Behind what divides, everything has another scale.
    if (reason.empty() || reason == getReason(Difference::Scale))
      reason = getReason(difference).str();
  };
  bool isFound = false;
  linalg::LinalgOp regionOp = dyn_cast_or_null<linalg::LinalgOp>(
      result.getParentBlock()->getParentOp());
  bool isConstant =
      constants.isConstant(regionOp ? regionOp->getResult(0) : result);
  programs.visitSources(result, [&](Value source) {
    Type element = getElementTypeOrSelf(source.getType());
    bool isFloat = element.isF32();
    if (isFloat && !isConstant && !isGridFound && programs.mayRound())
      if (std::optional<ElementProgram> program = programs.read(result, source))
        isGridFound = (isEnd && isStaircase(*program)) ||
                      ((isLargeSum || !programs.rounds()) &&
                       (isStaircase(*program) || hasFewerBits(*program)));
    if (!isEnd)
      return isGridFound;
    bool isByte = element.isSignlessInteger() &&
                  element.getIntOrFloatBitWidth() <= 8 &&
                  element.getIntOrFloatBitWidth() > 1;
    // Sums are not between bytes and numbers.
    if (element.isSignlessInteger(32) && !integers && !isConstant &&
        isa<RankedTensorType>(source.getType())) {
      if (std::optional<ElementProgram> program = programs.read(result, source))
        if (std::optional<QuantizationForm> fit = fitSums(*program)) {
          sums = fit;
          sums->source = source;
        }
      return false;
    }
    // Constants are told by their tensor.
    if (isByte &&
        (integers || (isConstant && !isa<RankedTensorType>(source.getType()))))
      return false;
    if (isByte) {
      std::optional<ElementProgram> program = programs.read(result, source);
      form = program ? fitDequantize(*program) : std::nullopt;
      if (!form) {
        if (program && reason.empty())
          reason = "its integers become floats in another way than by a "
                   "scale and a zero point";
        return false;
      }
      integers = source;
      form->source = source;
      isFound = isConstant && constants.isConstant(source);
      return isFound;
    }
    if (!isFloat || !programs.rounds())
      return false;
    std::optional<ElementProgram> program =
        programs.read(integers ? integers : result, source);
    if (!program)
      return false;
    if (integers) {
      QuantizationForm both = *form;
      both.isDequantize = false;
      Difference difference = fitQuantize(*program, both);
      isFound =
          difference == Difference::None || difference == Difference::Ties;
      if (isFound) {
        form = both;
        form->source = source;
      } else {
        keepReason(difference);
      }
      return isFound;
    }
    auto fit = fitFakeQuantize(*program);
    isFound = bool(fit);
    if (isFound) {
      form = *fit;
      form->source = source;
    } else if (reason.empty() || reason == getReason(Difference::Scale)) {
      reason = fit.getRefusal().reason;
    }
    return isFound;
  });
  if (isFound || (form && integers && reason.empty()))
    return *form;
  if (sums && !form && reason.empty())
    return *sums;
  if (isGridFound && reason.empty())
    reason = "it rounds in another way than by a scale and limits";
  return Refusal(reason);
}

std::optional<QuantizationForm>
QuantizationReader::readQuantize(Value integers, bool isSigned) {
  std::optional<QuantizationForm> found;
  auto fit = [&](const ElementProgram &program, Value source, double scale,
                 int64_t zeroPoint) {
    QuantizationForm form;
    form.source = source;
    form.isSigned = isSigned;
    form.min = isSigned ? -128 : 0;
    form.max = form.min + 255;
    form.scales = {scale};
    form.zeroPoints = {zeroPoint};
    Difference difference = fitQuantize(program, form);
    if (difference == Difference::None ||
        (difference == Difference::Ties && !found))
      found = form;
    return difference == Difference::None;
  };
  programs.visitSources(integers, [&](Value source) {
    if (!getElementTypeOrSelf(source.getType()).isF32() || !programs.rounds())
      return false;
    std::optional<ElementProgram> program = programs.read(integers, source);
    if (!program || program->getNumChannels() != 1)
      return false;
    double zero = program->evaluate(0.0, 0).front();
    if (std::isnan(zero))
      return false;
    // Integers are extended by their sign.
    int64_t zeroPoint = int64_t(zero) + (!isSigned && zero < 0 ? 256 : 0);
    // The scale, or its inverse, is written.
    for (double constant : program->getConstants(0)) {
      float inverse = 1.0f / float(constant);
      for (double scale :
           {constant, double(inverse), double(std::nextafterf(inverse, 0.0f)),
            double(std::nextafterf(inverse, INFINITY))})
        if (scale > 1e-30 && scale < 1e30 &&
            fit(*program, source, scale, zeroPoint))
          return true;
    }
    return found.has_value();
  });
  return found;
}
