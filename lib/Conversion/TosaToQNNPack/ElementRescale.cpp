// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a body as a function of one element x: for each channel, and for x on
// either side of what it is compared with, a value is a constant, a linear
// function `factor * x + offset`, or, behind a shift by s, the limited sum
// `limit(((factor * x + offset) >> s) + sum, min, max)`.

#include "ElementRescale.h"

#include "qbackend/Operators/ScalarOp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tosa_to_qnnpack;

using Wide = __int128;

static constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
static constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

namespace {
/// An interval of integers, both ends included.
struct Interval {
  Wide min = 0, max = 0;

  static Interval ofWidth(unsigned width) {
    Wide half = Wide(1) << (width - 1);
    return {-half, half - 1};
  }
  bool isWithin(Interval other) const {
    return min >= other.min && max <= other.max;
  }
};

struct Form {
  enum Kind { Constant, Linear, Scaled };
  Kind kind = Constant;
  /// Of a constant, extended by its sign.
  int64_t number = 0;
  /// Of what is linear, and of what is shifted.
  int64_t factor = 0, offset = 0;
  /// Of what is scaled. Without a shift it is x itself.
  unsigned shift = 0;
  std::optional<tosa::RoundingMode> rounding; // of an apply_scale
  int64_t sum = 0, min = kLowest, max = kHighest;
  /// Of the value.
  Interval range;

  bool isLimited() const { return min != kLowest || max != kHighest; }
};

/// One run through a body.
class BodyReader {
public:
  /// The compared side of x is `isNotBelow`.
  BodyReader(linalg::GenericOp op, Value element, Interval elements,
             int64_t channel, bool isNotBelow,
             llvm::function_ref<DenseElementsAttr(unsigned)> getElements)
      : op(op), element(element), elements(elements), channel(channel),
        isNotBelow(isNotBelow), getElements(getElements) {}

  /// What is yielded; nullopt if that is none of the forms.
  std::optional<Form> read();
  /// x >= threshold is what was assumed, if anything was compared.
  std::optional<int64_t> getThreshold() const { return threshold; }

private:
  std::optional<Form> get(Value value);
  std::optional<Form> readOp(Operation *inner);
  std::optional<Form> createLinear(Wide factor, Wide offset, Type type);
  std::optional<Form> addConstant(Form form, Wide number, Type type);
  std::optional<Form> limit(Form form, int64_t number, bool isMaximum);
  std::optional<Form> truncate(Form form, unsigned width);
  std::optional<Form> shiftRight(Form form, int64_t places);
  std::optional<Form> applyScale(tosa::ApplyScaleOp scale);
  std::optional<Form> compare(arith::CmpIOp comparison);
  std::optional<Form> computeConstant(Operation *inner);

  linalg::GenericOp op;
  Value element;
  Interval elements;
  int64_t channel;
  bool isNotBelow;
  llvm::function_ref<DenseElementsAttr(unsigned)> getElements;
  std::optional<int64_t> threshold;
  llvm::DenseMap<Value, Form> forms;
};
} // namespace

static Form createConstant(int64_t number) {
  Form form;
  form.number = number;
  form.range = {number, number};
  return form;
}

std::optional<Form> BodyReader::get(Value value) {
  auto known = forms.find(value);
  if (known != forms.end())
    return known->second;
  if (value == element)
    return createLinear(1, 0, value.getType());
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBody()) {
    if (argument.getArgNumber() >= op.getNumDpsInputs())
      return std::nullopt;
    DenseElementsAttr numbers = getElements(argument.getArgNumber());
    if (!numbers || !isa<IntegerType>(numbers.getElementType()))
      return std::nullopt;
    return createConstant(
        numbers.isSplat() ? numbers.getSplatValue<APInt>().getSExtValue()
                          : numbers.getValues<APInt>()[channel].getSExtValue());
  }
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.getBitWidth() <= 64)
    return createConstant(number.getSExtValue());
  return std::nullopt;
}

// factor * x + offset, which its type holds for all x
std::optional<Form> BodyReader::createLinear(Wide factor, Wide offset,
                                             Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() > 64)
    return std::nullopt;
  Form form;
  form.kind = Form::Linear;
  Interval all = Interval::ofWidth(64);
  if (!Interval{factor, factor}.isWithin(all) ||
      !Interval{offset, offset}.isWithin(all))
    return std::nullopt;
  form.factor = int64_t(factor);
  form.offset = int64_t(offset);
  Wide ends[] = {factor * elements.min + offset,
                 factor * elements.max + offset};
  form.range = {std::min(ends[0], ends[1]), std::max(ends[0], ends[1])};
  if (!form.range.isWithin(Interval::ofWidth(integer.getWidth())))
    return std::nullopt;
  return form;
}

std::optional<Form> BodyReader::addConstant(Form form, Wide number, Type type) {
  if (form.kind == Form::Linear)
    return createLinear(form.factor, form.offset + number, type);
  Interval moved = {form.range.min + number, form.range.max + number};
  if (!moved.isWithin(Interval::ofWidth(type.getIntOrFloatBitWidth())) ||
      !moved.isWithin(Interval::ofWidth(62)))
    return std::nullopt;
  form.range = moved;
  form.sum += int64_t(number);
  if (form.min != kLowest)
    form.min += int64_t(number);
  if (form.max != kHighest)
    form.max += int64_t(number);
  return form;
}

// max(limit(v, min, max), n) = limit(v, max(min, n), max(max, n))
std::optional<Form> BodyReader::limit(Form form, int64_t number,
                                      bool isMaximum) {
  if (form.kind == Form::Linear) {
    if (form.factor != 1 || form.offset != 0)
      return std::nullopt;
    form.kind = Form::Scaled;
  }
  auto pick = [&](auto a, auto b) {
    return isMaximum ? std::max(a, b) : std::min(a, b);
  };
  form.range = {pick(form.range.min, Wide(number)),
                pick(form.range.max, Wide(number))};
  form.min = pick(form.min, number);
  form.max = pick(form.max, number);
  return form;
}

std::optional<Form> BodyReader::truncate(Form form, unsigned width) {
  Interval narrow = Interval::ofWidth(width);
  if (form.range.isWithin(narrow))
    return form;
  // What is scaled has its low 32 bits, as in a kernel.
  if (form.kind != Form::Scaled || form.isLimited() || form.sum != 0 ||
      width != 32)
    return std::nullopt;
  form.range = narrow;
  return form;
}

std::optional<Form> BodyReader::shiftRight(Form form, int64_t places) {
  if (form.kind != Form::Linear || places < 1 || places > 62)
    return std::nullopt;
  form.kind = Form::Scaled;
  form.shift = unsigned(places);
  form.range = {form.range.min >> places, form.range.max >> places};
  return form;
}

// round((x + offset) * multiplier / 2^shift)
std::optional<Form> BodyReader::applyScale(tosa::ApplyScaleOp scale) {
  std::optional<Form> value = get(scale.getValue()),
                      multiplier = get(scale.getMultiplier()),
                      places = get(scale.getShift());
  if (!value || !multiplier || !places || value->kind != Form::Linear ||
      value->factor != 1 || multiplier->kind != Form::Constant ||
      places->kind != Form::Constant || multiplier->number < 0 ||
      places->number < 2 || places->number > 62)
    return std::nullopt;
  Wide half = Wide(1) << (places->number - 1),
       twice = places->number > 31 ? Wide(1) << 30 : 0;
  Interval product = {value->range.min * multiplier->number + half - twice,
                      value->range.max * multiplier->number + half + twice};
  Form form = *value;
  form.kind = Form::Scaled;
  form.factor = multiplier->number;
  form.shift = unsigned(places->number);
  form.rounding = scale.getRoundingMode();
  form.range = {product.min >> form.shift, product.max >> form.shift};
  return truncate(form, 32);
}

// x + offset >= n, and what says the same: assumed, or refuted
std::optional<Form> BodyReader::compare(arith::CmpIOp comparison) {
  std::optional<Form> lhs = get(comparison.getLhs()),
                      rhs = get(comparison.getRhs());
  if (!lhs || !rhs || lhs->kind != Form::Linear || lhs->factor != 1 ||
      rhs->kind != Form::Constant)
    return std::nullopt;
  Wide least = Wide(rhs->number) - lhs->offset;
  bool isAbove;
  switch (comparison.getPredicate()) {
  case arith::CmpIPredicate::sge:
    isAbove = true;
    break;
  case arith::CmpIPredicate::sgt:
    isAbove = true;
    ++least;
    break;
  case arith::CmpIPredicate::slt:
    isAbove = false;
    break;
  case arith::CmpIPredicate::sle:
    isAbove = false;
    ++least;
    break;
  default:
    return std::nullopt;
  }
  if (!Interval{least, least}.isWithin(Interval::ofWidth(62)) ||
      (threshold && *threshold != int64_t(least)))
    return std::nullopt;
  threshold = int64_t(least);
  return createConstant(isAbove == isNotBelow ? -1 : 0);
}

std::optional<Form> BodyReader::computeConstant(Operation *inner) {
  std::optional<ScalarSteps> steps = getScalarSteps(inner);
  if (!steps)
    return std::nullopt;
  SmallVector<ScalarNumber> numbers;
  for (Value operand : inner->getOperands()) {
    std::optional<Form> form = get(operand);
    if (!form || form->kind != Form::Constant)
      return std::nullopt;
    numbers.push_back(ScalarNumber::ofInteger(form->number));
  }
  for (const ScalarStep &step : *steps) {
    if (!step.type.isInteger())
      return std::nullopt;
    ScalarNumber result = step.number;
    if (step.code != ScalarCode::Constant) {
      SmallVector<const ScalarNumber *> operands;
      for (unsigned operand : step.operands)
        operands.push_back(&numbers[operand]);
      if (!computeStep(step, operands, 1, &result))
        return std::nullopt;
    }
    numbers.push_back(result);
  }
  return numbers.empty()
             ? std::nullopt
             : std::optional<Form>(createConstant(numbers.back().integer));
}

std::optional<Form> BodyReader::readOp(Operation *inner) {
  if (auto scale = dyn_cast<tosa::ApplyScaleOp>(inner))
    return applyScale(scale);
  if (inner->getNumResults() != 1 ||
      !isa<IntegerType>(inner->getResult(0).getType()))
    return std::nullopt;
  if (std::optional<Form> constant = get(inner->getResult(0)))
    return constant;
  if (std::optional<Form> constant = computeConstant(inner))
    return constant;
  Type type = inner->getResult(0).getType();
  if (auto comparison = dyn_cast<arith::CmpIOp>(inner))
    return compare(comparison);
  if (auto select = dyn_cast<arith::SelectOp>(inner)) {
    std::optional<Form> condition = get(select.getCondition());
    if (!condition || condition->kind != Form::Constant)
      return std::nullopt;
    return get(condition->number != 0 ? select.getTrueValue()
                                      : select.getFalseValue());
  }
  std::optional<Form> lhs = get(inner->getOperand(0));
  if (!lhs)
    return std::nullopt;
  if (isa<arith::ExtSIOp>(inner))
    return lhs;
  if (isa<arith::TruncIOp>(inner))
    return truncate(*lhs, type.getIntOrFloatBitWidth());
  if (inner->getNumOperands() != 2)
    return std::nullopt;
  std::optional<Form> rhs = get(inner->getOperand(1));
  if (!rhs)
    return std::nullopt;
  bool isSwapped = lhs->kind == Form::Constant;
  if (isSwapped && inner->hasTrait<OpTrait::IsCommutative>())
    std::swap(lhs, rhs);
  if (lhs->kind == Form::Constant || rhs->kind != Form::Constant)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Form>>(inner)
      .Case([&](arith::AddIOp) { return addConstant(*lhs, rhs->number, type); })
      .Case([&](arith::SubIOp) {
        return addConstant(*lhs, -Wide(rhs->number), type);
      })
      .Case([&](arith::MulIOp) -> std::optional<Form> {
        if (lhs->kind != Form::Linear)
          return std::nullopt;
        return createLinear(Wide(lhs->factor) * rhs->number,
                            Wide(lhs->offset) * rhs->number, type);
      })
      .Case([&](arith::ShRSIOp) { return shiftRight(*lhs, rhs->number); })
      .Case([&](arith::MaxSIOp) {
        return limit(*lhs, rhs->number, /*isMaximum=*/true);
      })
      .Case([&](arith::MinSIOp) {
        return limit(*lhs, rhs->number, /*isMaximum=*/false);
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Form> BodyReader::read() {
  // What isn't read matters only if it is used.
  for (Operation &inner : op.getBody()->without_terminator())
    if (std::optional<Form> form = readOp(&inner))
      forms.try_emplace(inner.getResult(0), *form);
  return get(op.getBody()->getTerminator()->getOperand(0));
}

//===----------------------------------------------------------------------===//
// Rescales
//===----------------------------------------------------------------------===//

namespace {
/// What the two sides of x say about a channel.
struct Channel {
  int64_t multiplier = 0;
  unsigned shift = 0;
  /// Nullopt: any.
  std::optional<int64_t> inputZeroPoint;
  /// By which roundings it is right.
  bool isSingle = false, isDouble = false, isInexact = false;
};
} // namespace

// ((x - z) * m + 2^(s - 1) [+ or - 2^30]) >> s
static std::optional<Channel> readChannel(const Form &above, const Form &below,
                                          std::optional<int64_t> threshold) {
  if (above.kind != Form::Scaled || below.kind != Form::Scaled ||
      above.shift != below.shift || above.factor != below.factor ||
      above.rounding != below.rounding || above.sum != below.sum ||
      above.min != below.min || above.max != below.max)
    return std::nullopt;
  Channel channel;
  channel.multiplier = above.factor;
  channel.shift = above.shift;
  if (above.shift < 2 || above.factor < 0 ||
      above.factor > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  if (above.rounding) {
    if (threshold || above.offset != below.offset)
      return std::nullopt;
    channel.inputZeroPoint = -above.offset;
    channel.isSingle = *above.rounding == tosa::RoundingMode::SINGLE_ROUND;
    channel.isDouble = *above.rounding == tosa::RoundingMode::DOUBLE_ROUND;
    channel.isInexact = *above.rounding == tosa::RoundingMode::INEXACT_ROUND;
    return channel;
  }
  Wide half = Wide(1) << (above.shift - 1), twice = Wide(1) << 30;
  if (above.offset == below.offset) {
    Wide product = half - above.offset;
    if (above.factor == 0 ? product != 0 : product % above.factor != 0)
      return std::nullopt;
    if (above.factor != 0)
      channel.inputZeroPoint = int64_t(product / above.factor);
    channel.isSingle = true;
    channel.isDouble = above.shift <= 31;
    return channel;
  }
  if (!threshold || above.shift <= 31)
    return std::nullopt;
  Wide moved = half - Wide(above.factor) * *threshold;
  if (above.offset != moved + twice || below.offset != moved - twice)
    return std::nullopt;
  channel.inputZeroPoint = threshold;
  channel.isDouble = true;
  return channel;
}

std::optional<ElementRescale>
tosa_to_qnnpack::readElementRescale(linalg::GenericOp op,
                                    ConstantEvaluator &constants) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || !op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !(type.getElementType().isSignlessInteger(8) ||
        type.getElementType().isSignlessInteger(16) ||
        type.getElementType().isSignlessInteger(32)))
    return std::nullopt;
  OpOperand *input = nullptr;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (constants.isConstant(operand->get()))
      continue;
    if (input)
      return std::nullopt;
    input = operand;
  }
  auto element =
      input
          ? dyn_cast<IntegerType>(getElementTypeOrSelf(input->get().getType()))
          : IntegerType();
  if (!element || !element.isSignless() || element.getWidth() > 48 ||
      !op.getMatchingIndexingMap(input).isIdentity())
    return std::nullopt;
  // One number, or one for each index of the last dimension.
  int64_t channels = 1;
  AffineExpr last = type.getRank() == 0
                        ? AffineExpr()
                        : getAffineDimExpr(type.getRank() - 1, op.getContext());
  llvm::DenseMap<unsigned, DenseElementsAttr> elements;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (operand == input)
      continue;
    DenseElementsAttr numbers = constants.evaluate(operand->get());
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!numbers)
      continue;
    if (!numbers.isSplat()) {
      if (!last || map.getNumResults() == 0 ||
          map.getResults().back() != last ||
          numbers.getNumElements() != type.getShape().back())
        continue;
      channels = numbers.getNumElements();
    }
    elements[operand->getOperandNumber()] = numbers;
  }
  ElementRescale result;
  result.input = input->get();
  Interval all = Interval::ofWidth(element.getWidth());
  Interval limits = Interval::ofWidth(type.getElementTypeBitWidth());
  bool isSingle = true, isDouble = true, isInexact = true;
  std::optional<int64_t> inputZeroPoint;
  for (int64_t index = 0; index < channels; ++index) {
    auto readSide = [&](bool isNotBelow, std::optional<int64_t> &threshold) {
      auto getElements = [&](unsigned i) { return elements.lookup(i); };
      BodyReader reader(op, op.getMatchingBlockArgument(input), all, index,
                        isNotBelow, getElements);
      std::optional<Form> form = reader.read();
      threshold = reader.getThreshold();
      return form;
    };
    std::optional<int64_t> threshold, other;
    std::optional<Form> above = readSide(true, threshold),
                        below = readSide(false, other);
    if (!above || !below || threshold != other)
      return std::nullopt;
    int64_t min = int64_t(std::max(Wide(above->min), limits.min)),
            max = int64_t(std::min(Wide(above->max), limits.max));
    if (index == 0) {
      result.min = min;
      result.max = max;
      result.outputZeroPoint = above->sum;
    }
    if (result.min != min || result.max != max || min > max ||
        result.outputZeroPoint != above->sum)
      return std::nullopt;
    if (above->kind == Form::Scaled && above->shift == 0) {
      if (below->kind != Form::Scaled || below->shift != 0 || threshold ||
          channels != 1 || above->sum != 0 ||
          element.getWidth() != type.getElementTypeBitWidth())
        return std::nullopt;
      return result;
    }
    std::optional<Channel> channel = readChannel(*above, *below, threshold);
    if (!channel)
      return std::nullopt;
    if (channel->inputZeroPoint) {
      if (inputZeroPoint && *inputZeroPoint != *channel->inputZeroPoint)
        return std::nullopt;
      inputZeroPoint = channel->inputZeroPoint;
    }
    isSingle &= channel->isSingle;
    isDouble &= channel->isDouble;
    isInexact &= channel->isInexact;
    result.multipliers.push_back(int32_t(channel->multiplier));
    result.shifts.push_back(int8_t(channel->shift));
  }
  if (!isSingle && !isDouble && !isInexact)
    return std::nullopt;
  result.rounding = isSingle   ? tosa::RoundingMode::SINGLE_ROUND
                    : isDouble ? tosa::RoundingMode::DOUBLE_ROUND
                               : tosa::RoundingMode::INEXACT_ROUND;
  result.inputZeroPoint = inputZeroPoint.value_or(0);
  return result;
}
