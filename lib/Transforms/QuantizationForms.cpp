// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads code that quantizes and dequantizes, however it is spelled: as one op
// or as several, with a division or a product, before or after integers.
//
// All of it are steps from a tensor to one of its shape, by constants. From the
// end, a dequantize is `[- zp] * scale`, and a quantize, before it,
// `* 1/scale, round, [+ zp], clamp`, with conversions in between.

#include "QuantizationForms.h"

#include "qbackend/Operators/ScalarOp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

using Kind = ElementStep::Kind;
using Lookup = llvm::function_ref<std::optional<ChannelNumbers>(Value)>;

/// No form is spelled in more ops, nor one op in more steps.
static constexpr unsigned kMaxOps = 16, kMaxSteps = 32;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static std::optional<SmallVector<double>> readAll(DenseElementsAttr elements) {
  SmallVector<double> values;
  Type type = elements.getElementType();
  size_t size = elements.isSplat() ? 1 : elements.size();
  values.reserve(size);
  if (isa<FloatType>(type)) {
    for (APFloat value :
         llvm::make_range(elements.value_begin<APFloat>(),
                          elements.value_begin<APFloat>() + size)) {
      bool losesInfo;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      values.push_back(value.convertToDouble());
    }
    return values;
  }
  if (!isa<IntegerType>(type))
    return std::nullopt;
  for (const APInt &value : llvm::make_range(
           elements.value_begin<APInt>(), elements.value_begin<APInt>() + size))
    values.push_back(type.isUnsignedInteger() ? value.roundToDouble(false)
                                              : value.roundToDouble(true));
  return values;
}

std::optional<ChannelNumbers> QuantizationReader::getNumbers(Value value,
                                                             AffineMap map) {
  DenseElementsAttr elements = constants.evaluate(value);
  if (!elements || elements.empty())
    return std::nullopt;
  ChannelNumbers numbers;
  if (!elements.isSplat()) {
    ArrayRef<int64_t> shape = elements.getType().getShape();
    if (map.getNumResults() != shape.size())
      return std::nullopt;
    for (auto [expr, size] : llvm::zip(map.getResults(), shape)) {
      if (size == 1)
        continue;
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || numbers.axis)
        return std::nullopt;
      numbers.axis = dim.getPosition();
    }
  }
  auto values = readAll(elements);
  if (!values)
    return std::nullopt;
  numbers.values = std::move(*values);
  return numbers;
}

std::optional<ChannelNumbers>
QuantizationReader::getTensorNumbers(Value value, int64_t rank) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != rank)
    return std::nullopt;
  return getNumbers(value,
                    AffineMap::getMultiDimIdentityMap(rank, type.getContext()));
}

/// A conversion of `op` on constants; their numbers stay.
static bool isConversion(Operation *op) {
  std::optional<ScalarSteps> steps = getScalarSteps(op);
  if (!steps || steps->size() != 1)
    return false;
  switch (steps->front().code) {
  case ScalarCode::CastReal:
  case ScalarCode::SignedToReal:
  case ScalarCode::UnsignedToReal:
  case ScalarCode::Cast:
  case ScalarCode::CastU:
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static std::optional<Kind> getBinaryKind(ScalarCode code) {
  switch (code) {
  case ScalarCode::MulF:
    return Kind::Multiply;
  case ScalarCode::DivF:
    return Kind::Divide;
  case ScalarCode::AddF:
  case ScalarCode::AddI:
    return Kind::Add;
  case ScalarCode::SubF:
  case ScalarCode::SubI:
    return Kind::Subtract;
  case ScalarCode::Maximum:
  case ScalarCode::MaxNum:
  case ScalarCode::MaxS:
  case ScalarCode::MaxU:
    return Kind::Max;
  case ScalarCode::Minimum:
  case ScalarCode::MinNum:
  case ScalarCode::MinS:
  case ScalarCode::MinU:
    return Kind::Min;
  default:
    return std::nullopt;
  }
}

/// The value that `select` limits, and by what; null if it does not.
static Value readSelect(arith::SelectOp select, Lookup lookUp,
                        SmallVectorImpl<ElementStep> &found) {
  Operation *compare = select.getCondition().getDefiningOp();
  if (!compare || !isa<arith::CmpFOp, arith::CmpIOp>(compare))
    return {};
  // A NaN is passed on: what is compared otherwise says the rest.
  if (auto real = dyn_cast<arith::CmpFOp>(compare);
      real && real.getPredicate() == arith::CmpFPredicate::UNO)
    return select.getFalseValue();
  std::optional<ScalarSteps> steps = getScalarSteps(compare);
  std::optional<bool> larger =
      steps ? comparesGreater(steps->back()) : std::nullopt;
  if (!larger)
    return {};
  Value lhs = compare->getOperand(0), rhs = compare->getOperand(1);
  Value a = select.getTrueValue(), b = select.getFalseValue();
  std::optional<ChannelNumbers> left = lookUp(lhs), right = lookUp(rhs);
  if (bool(left) == bool(right))
    return {};
  Value limited = left ? rhs : lhs;
  const ChannelNumbers &bound = left ? *left : *right;
  // The bound is often written once for the comparison and once as a result.
  auto isBound = [&](Value value) {
    std::optional<ChannelNumbers> numbers = lookUp(value);
    return numbers && numbers->values == bound.values;
  };
  // Two limits may be two comparisons of one value.
  auto isLimited = [&](Value value) {
    if (value == limited)
      return true;
    auto inner = value.getDefiningOp<arith::SelectOp>();
    Operation *condition =
        inner ? inner.getCondition().getDefiningOp() : nullptr;
    return condition && isa<arith::CmpFOp, arith::CmpIOp>(condition) &&
           llvm::is_contained(condition->getOperands(), limited);
  };
  bool inOrder = left ? isBound(a) && isLimited(b) : isLimited(a) && isBound(b);
  bool swapped = left ? isLimited(a) && isBound(b) : isBound(a) && isLimited(b);
  if (!inOrder && !swapped)
    return {};
  found.push_back({*larger == inOrder ? Kind::Max : Kind::Min, bound});
  return isBound(a) ? b : a;
}

std::optional<unsigned> QuantizationReader::readStep(const ScalarStep &step,
                                                     Steps &steps,
                                                     NumbersOf numbersOf) {
  unsigned operand = step.operands.empty() ? 0 : step.operands[0];
  switch (step.code) {
  case ScalarCode::RoundEven:
  case ScalarCode::Round:
    steps.push_back({Kind::Round});
    return operand;
  case ScalarCode::RealToSigned:
  case ScalarCode::RealToUnsigned:
    steps.push_back({Kind::ToInteger,
                     {},
                     step.code == ScalarCode::RealToSigned,
                     step.type.width});
    return operand;
  case ScalarCode::SignedToReal:
  case ScalarCode::UnsignedToReal:
    steps.push_back({Kind::ToReal, {}, step.code == ScalarCode::SignedToReal});
    return operand;
  case ScalarCode::Cast:
  case ScalarCode::CastU:
    // What gets narrower was limited before.
    if (step.type.width > step.operandType.width)
      steps.push_back({Kind::Widen, {}, step.code == ScalarCode::Cast});
    return operand;
  default:
    break;
  }
  std::optional<Kind> kind = getBinaryKind(step.code);
  if (!kind)
    return std::nullopt;
  unsigned other = step.operands[1];
  std::optional<ChannelNumbers> left = numbersOf(operand),
                                right = numbersOf(other);
  bool commutes = *kind != Kind::Divide && *kind != Kind::Subtract;
  // A constant vector is quantized by constant vectors: the numbers come
  // second, unless they are one.
  if (left && right) {
    bool isFirst = commutes && !left->axis && right->axis;
    (isFirst ? right : left).reset();
  }
  if (right && !left) {
    steps.push_back({*kind, *right});
    return operand;
  }
  if (left && !right && commutes) {
    steps.push_back({*kind, *left});
    return other;
  }
  return std::nullopt;
}

Value QuantizationReader::readScalar(Operation *op, Steps &steps,
                                     Lookup lookUp) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return readSelect(select, lookUp, steps);
  std::optional<ScalarSteps> computed = getScalarSteps(op);
  if (!computed || computed->empty())
    return {};
  // From the last step back to an operand of the op.
  unsigned inputs = op->getNumOperands();
  auto numbersOf = [&](unsigned operand) -> std::optional<ChannelNumbers> {
    if (operand < inputs)
      return lookUp(op->getOperand(operand));
    const ScalarStep &step = (*computed)[operand - inputs];
    if (step.code != ScalarCode::Constant)
      return std::nullopt;
    return ChannelNumbers{{step.number.toDouble(step.type)}, std::nullopt};
  };
  size_t first = steps.size();
  unsigned next = inputs + computed->size() - 1;
  while (next >= inputs) {
    std::optional<unsigned> operand =
        readStep((*computed)[next - inputs], steps, numbersOf);
    if (!operand) {
      steps.truncate(first);
      return {};
    }
    next = *operand;
  }
  return op->getOperand(next);
}

/// Whether an op reads, through `map`, the element of its result's own position
/// from a tensor of the result's shape: front ends read a dimension of 1, such
/// as the batch, at 0.
static bool readsOwnPosition(AffineMap map, Type type, Type resultType) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto result = dyn_cast<RankedTensorType>(resultType);
  if (!tensor || !result || tensor.getShape() != result.getShape() ||
      map.getNumResults() != tensor.getRank())
    return false;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto number = dyn_cast<AffineConstantExpr>(expr);
    bool isOnly = number && number.getValue() == 0 && tensor.getDimSize(i) == 1;
    if (!isOnly && expr != getAffineDimExpr(i, map.getContext()))
      return false;
  }
  return true;
}

Value QuantizationReader::readRegion(Operation *op, Steps &steps) {
  auto linalgOp = cast<linalg::LinalgOp>(op);
  Block *body = linalgOp.getBlock();
  if (!linalgOp.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      linalgOp.getNumLoops() != linalgOp.getNumParallelLoops() || !body ||
      !linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0))
           .isIdentity())
    return {};
  std::function<std::optional<ChannelNumbers>(Value)> lookUp =
      [&](Value value) -> std::optional<ChannelNumbers> {
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == body) {
      if (argument.getArgNumber() >= linalgOp.getNumDpsInputs())
        return std::nullopt;
      OpOperand *operand = linalgOp.getMatchingOpOperand(argument);
      return getNumbers(operand->get(),
                        linalgOp.getMatchingIndexingMap(operand));
    }
    if (std::optional<double> number = constants.getSplat(value))
      return ChannelNumbers{{*number}, std::nullopt};
    Operation *inner = value.getDefiningOp();
    if (!inner || inner->getBlock() != body)
      return std::nullopt;
    if (isConversion(inner))
      return lookUp(inner->getOperand(0));
    // The reciprocal of a scale.
    if (auto division = dyn_cast<arith::DivFOp>(inner)) {
      auto one = lookUp(division.getLhs()), scale = lookUp(division.getRhs());
      if (!one || !scale || one->values != SmallVector<double>{1.0})
        return std::nullopt;
      for (double &value : scale->values)
        value = float(1.0 / value);
      return scale;
    }
    return std::nullopt;
  };
  Value value = body->getTerminator()->getOperand(0);
  size_t first = steps.size();
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      OpOperand *operand =
          argument.getOwner() == body &&
                  argument.getArgNumber() < linalgOp.getNumDpsInputs()
              ? linalgOp.getMatchingOpOperand(argument)
              : nullptr;
      if (operand &&
          readsOwnPosition(linalgOp.getMatchingIndexingMap(operand),
                           operand->get().getType(),
                           op->getResult(0).getType()) &&
          steps.size() > first)
        return operand->get();
      break;
    }
    Operation *inner = value.getDefiningOp();
    if (inner->getBlock() != body || steps.size() > kMaxSteps)
      break;
    value = readScalar(inner, steps, lookUp);
    if (!value)
      break;
  }
  steps.truncate(first);
  return {};
}

Value QuantizationReader::readOp(Value result, Steps &steps) {
  Operation *op = result.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!op || !type || op->getNumResults() != 1)
    return {};
  if (isa<linalg::LinalgOp>(op))
    return readRegion(op, steps);
  // An unregistered op has no dialect.
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                       tosa::TosaDialect>(op->getDialect()))
    return {};
  size_t first = steps.size();
  Value input = readScalar(op, steps, [&](Value value) {
    return getTensorNumbers(value, type.getRank());
  });
  auto inputType =
      input ? dyn_cast<RankedTensorType>(input.getType()) : RankedTensorType();
  // What is broadcast has no position to step from.
  if (!inputType || inputType.getShape() != type.getShape()) {
    steps.truncate(first);
    return {};
  }
  return input;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

static bool isEqual(const ChannelNumbers &lhs, const ChannelNumbers &rhs,
                    bool exact) {
  auto close = [&](double a, double b) {
    return exact ? a == b : std::fabs(a - b) <= 1e-6 * std::fabs(b);
  };
  if (lhs.axis && rhs.axis && lhs.axis != rhs.axis)
    return false;
  size_t size = std::max(lhs.values.size(), rhs.values.size());
  for (const ChannelNumbers *each : {&lhs, &rhs})
    if (each->values.size() != size && each->values.size() != 1)
      return false;
  for (size_t i = 0; i < size; ++i)
    if (!close(lhs.values[lhs.values.size() == 1 ? 0 : i],
               rhs.values[rhs.values.size() == 1 ? 0 : i]))
      return false;
  return true;
}

namespace {
/// Walks over steps, the last one first.
struct Cursor {
  ArrayRef<ElementStep> steps;
  const ElementStep *peek() const {
    return steps.empty() ? nullptr : &steps.front();
  }
  const ElementStep *take(Kind kind) {
    if (steps.empty() || steps.front().kind != kind)
      return nullptr;
    const ElementStep *step = &steps.front();
    steps = steps.drop_front();
    return step;
  }
  /// The zero point that is added, or subtracted if `isAdded` is not set.
  bool takeOffset(bool isAdded, ChannelNumbers &zeroPoints) {
    for (Kind kind : {Kind::Add, Kind::Subtract})
      if (const ElementStep *step = take(kind)) {
        zeroPoints = step->numbers;
        if ((kind == Kind::Add) != isAdded)
          for (double &value : zeroPoints.values)
            value = -value;
        return true;
      }
    return false;
  }
};
} // namespace

/// The bounds that are next, in either order.
static bool takeBounds(Cursor &cursor, double &min, double &max) {
  bool any = false;
  for (int i = 0; i < 4; ++i) {
    const ElementStep *step = cursor.take(Kind::Max);
    bool isMin = step;
    if (!step)
      step = cursor.take(Kind::Min);
    if (!step || step->numbers.values.size() != 1)
      break;
    double bound = step->numbers.values.front();
    if (isMin)
      min = std::max(min, bound);
    else
      max = std::min(max, bound);
    any = true;
  }
  return any;
}

OrRefusal<QuantizationForm> QuantizationReader::read(Value result) {
  SmallVector<ElementStep> steps;
  Value value = result;
  for (unsigned i = 0; i < kMaxOps && steps.size() < kMaxSteps; ++i) {
    size_t first = steps.size();
    Value input = readOp(value, steps);
    if (!input)
      break;
    // A copy has no steps.
    if (steps.size() > first)
      steps.back().input = input;
    // Nothing that ends otherwise is one.
    if (steps.front().kind != Kind::Multiply)
      return Refusal();
    value = input;
  }
  Cursor cursor{steps};
  QuantizationForm form;
  const ElementStep *last = cursor.take(Kind::Multiply);
  if (!last)
    return Refusal();
  form.scales = last->numbers;
  form.zeroPoints = {{0.0}, std::nullopt};
  bool hasOffset = cursor.takeOffset(/*isAdded=*/false, form.zeroPoints);

  // The integers in between, if it has some.
  const ElementStep *toReal = cursor.take(Kind::ToReal);
  if (toReal) {
    last = toReal;
    form.isSigned = toReal->isSigned;
    const ElementStep *offset = cursor.peek();
    if (!hasOffset && cursor.takeOffset(/*isAdded=*/false, form.zeroPoints))
      last = offset;
    while (const ElementStep *widen = cursor.take(Kind::Widen)) {
      form.isSigned = widen->isSigned;
      last = widen;
    }
    if (last->input && constants.isConstant(last->input)) {
      form.source = last->input;
      form.isDequantize = true;
      return form;
    }
  }
  form.min = -INFINITY, form.max = INFINITY;
  takeBounds(cursor, form.min, form.max);
  ChannelNumbers added = {{0.0}, std::nullopt};
  bool isAdded = toReal && cursor.takeOffset(/*isAdded=*/true, added);
  if (const ElementStep *toInteger = cursor.take(Kind::ToInteger)) {
    // Between integers there may be a wider type, whose range is none.
    if (toInteger->width <= 8) {
      double levels = std::ldexp(1.0, toInteger->width);
      double low = toInteger->isSigned ? -levels / 2 : 0;
      form.min = std::max(form.min, low);
      form.max = std::min(form.max, low + levels - 1);
    }
  } else if (toReal) {
    return Refusal();
  }
  // Integers as limits commute with rounding, and so does a zero point but for
  // ties.
  const ElementStep *round = cursor.take(Kind::Round);
  takeBounds(cursor, form.min, form.max);
  if (!round)
    round = cursor.take(Kind::Round);
  if (!isAdded)
    cursor.takeOffset(/*isAdded=*/true, added);
  if (!round)
    round = cursor.take(Kind::Round);
  if (!round)
    return Refusal();

  ChannelNumbers scales;
  const ElementStep *first = cursor.take(Kind::Divide);
  if (first) {
    scales = first->numbers;
  } else if ((first = cursor.take(Kind::Multiply))) {
    scales = first->numbers;
    for (double &scale : scales.values)
      scale = 1.0 / scale;
  } else {
    return Refusal();
  }
  if (!first->input)
    return Refusal("it is in one op with what it quantizes");
  if (!isEqual(scales, form.scales, /*exact=*/false))
    return Refusal("it multiplies by another scale than it divides by");
  if (!isEqual(added, form.zeroPoints, /*exact=*/true))
    return Refusal("it subtracts another zero point than it adds");
  if (!(std::isfinite(form.min) && std::isfinite(form.max) &&
        form.min < form.max))
    return Refusal("it does not limit the integers");
  form.source = first->input;
  return form;
}
