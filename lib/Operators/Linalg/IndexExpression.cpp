// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and computes scalar code that depends on positions only.

#include "Linalg/IndexExpression.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No index is computed in more steps than this.
static constexpr size_t kMaxSteps = 256;

static constexpr int kF32 = 0, kF64 = -1;

/// The width of a step's result; nullopt for other types.
static std::optional<int> getWidth(Type type) {
  if (type.isF32())
    return kF32;
  if (type.isF64())
    return kF64;
  if (type.isIndex())
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() < 1 || integer.getWidth() > 64)
    return std::nullopt;
  return integer.getWidth();
}

static double roundReal(double number, int width) {
  return width == kF32 ? double(float(number)) : number;
}

/// Wraps around, as a signed number.
static int64_t wrap(uint64_t number, int width) {
  int unused = 64 - width;
  return int64_t(number << unused) >> unused;
}

static uint64_t getUnsigned(int64_t number, int width) {
  return width == 64 ? uint64_t(number)
                     : uint64_t(number) & ((uint64_t(1) << width) - 1);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

class IndexExpression::Reader {
public:
  Reader(ConstantEvaluator &constants, Value variable)
      : constants(constants), variable(variable) {}

  std::optional<IndexExpression> read(Value value);

private:
  /// The step that is `value` itself; nullopt if it isn't known what it is.
  std::optional<Step> getStep(Value value);
  std::optional<Step> getElement(BlockArgument argument);
  static std::optional<Code> getCode(Operation *op);
  void addLoop(unsigned loop) {
    if (loop >= expression.loops.size())
      expression.loops.resize(loop + 1);
    expression.loops.set(loop);
  }

  ConstantEvaluator &constants;
  Value variable;
  IndexExpression expression;
};

std::optional<IndexExpression::Code>
IndexExpression::Reader::getCode(Operation *op) {
  using Result = std::optional<Code>;
  return TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddIOp>([](auto) { return Code::AddI; })
      .Case<arith::SubIOp>([](auto) { return Code::SubI; })
      .Case<arith::MulIOp>([](auto) { return Code::MulI; })
      .Case<arith::DivSIOp>([](auto) { return Code::DivS; })
      .Case<arith::DivUIOp>([](auto) { return Code::DivU; })
      .Case<arith::FloorDivSIOp>([](auto) { return Code::FloorDivS; })
      .Case<arith::CeilDivSIOp>([](auto) { return Code::CeilDivS; })
      .Case<arith::RemSIOp>([](auto) { return Code::RemS; })
      .Case<arith::RemUIOp>([](auto) { return Code::RemU; })
      .Case<arith::MinSIOp>([](auto) { return Code::MinS; })
      .Case<arith::MaxSIOp>([](auto) { return Code::MaxS; })
      .Case<arith::MinUIOp>([](auto) { return Code::MinU; })
      .Case<arith::MaxUIOp>([](auto) { return Code::MaxU; })
      .Case<arith::AndIOp>([](auto) { return Code::And; })
      .Case<arith::OrIOp>([](auto) { return Code::Or; })
      .Case<arith::XOrIOp>([](auto) { return Code::Xor; })
      .Case<arith::CmpIOp>([](auto) { return Code::CompareI; })
      .Case<arith::AddFOp>([](auto) { return Code::AddF; })
      .Case<arith::SubFOp>([](auto) { return Code::SubF; })
      .Case<arith::MulFOp>([](auto) { return Code::MulF; })
      .Case<arith::DivFOp>([](auto) { return Code::DivF; })
      .Case<arith::MaximumFOp>([](auto) { return Code::Maximum; })
      .Case<arith::MinimumFOp>([](auto) { return Code::Minimum; })
      .Case<arith::MaxNumFOp>([](auto) { return Code::MaxNum; })
      .Case<arith::MinNumFOp>([](auto) { return Code::MinNum; })
      .Case<arith::CmpFOp>([](auto) { return Code::CompareF; })
      .Case<arith::NegFOp>([](auto) { return Code::NegateF; })
      .Case<math::AbsFOp>([](auto) { return Code::AbsF; })
      .Case<math::FloorOp>([](auto) { return Code::Floor; })
      .Case<math::CeilOp>([](auto) { return Code::Ceil; })
      .Case<math::RoundOp>([](auto) { return Code::Round; })
      .Case<math::RoundEvenOp>([](auto) { return Code::RoundEven; })
      .Case<math::TruncOp>([](auto) { return Code::Truncate; })
      .Case<arith::SelectOp>([](auto) { return Code::Select; })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [](auto) { return Code::Cast; })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>(
          [](auto) { return Code::CastU; })
      .Case<arith::SIToFPOp>([](auto) { return Code::SignedToReal; })
      .Case<arith::UIToFPOp>([](auto) { return Code::UnsignedToReal; })
      .Case<arith::FPToSIOp>([](auto) { return Code::RealToSigned; })
      .Case<arith::FPToUIOp>([](auto) { return Code::RealToUnsigned; })
      .Case<arith::TruncFOp, arith::ExtFOp>([](auto) { return Code::CastReal; })
      .Case<affine::AffineApplyOp, affine::AffineMinOp>(
          [](auto) { return Code::AffineMin; })
      .Case<affine::AffineMaxOp>([](auto) { return Code::AffineMax; })
      .Default([](auto) { return Result(); });
}

/// An element of a constant tensor that a structured op reads.
std::optional<IndexExpression::Step>
IndexExpression::Reader::getElement(BlockArgument argument) {
  auto op =
      dyn_cast_or_null<linalg::LinalgOp>(argument.getOwner()->getParentOp());
  if (!op || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= op->getNumOperands())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  if (op.isDpsInit(operand))
    return std::nullopt;
  DenseElementsAttr table = constants.evaluate(operand->get());
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (!table || map.getNumSymbols() != 0 ||
      !isa<IntegerType, IndexType, Float32Type>(table.getElementType()))
    return std::nullopt;
  Step step;
  step.code = Code::Table;
  step.table = table;
  step.map = map;
  if (!table.isSplat())
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      if (map.isFunctionOfDim(loop))
        addLoop(loop);
  return step;
}

std::optional<IndexExpression::Step>
IndexExpression::Reader::getStep(Value value) {
  std::optional<int> width = getWidth(value.getType());
  if (!width)
    return std::nullopt;
  Step step;
  step.width = *width;
  Attribute attribute;
  Operation *op = value.getDefiningOp();
  if (value == variable) {
    step.code = Code::Variable;
    expression.usesVariable = true;
    return step;
  }
  if (!op) {
    std::optional<Step> element = getElement(cast<BlockArgument>(value));
    if (element)
      element->width = *width;
    return element;
  }
  if (matchPattern(value, m_Constant(&attribute))) {
    if (auto integer = dyn_cast<IntegerAttr>(attribute))
      step.number.integer = integer.getValue().getSExtValue();
    else if (auto real = dyn_cast<FloatAttr>(attribute))
      step.number.real = real.getValueAsDouble();
    else
      return std::nullopt;
    return step;
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    step.code = Code::Loop;
    step.detail = index.getDim();
    addLoop(index.getDim());
    return step;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!type || !index || *index < 0 || *index >= type.getRank() ||
        type.isDynamicDim(*index))
      return std::nullopt;
    step.number.integer = type.getDimSize(*index);
    return step;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    std::optional<double> number = constants.getSplat(extract.getTensor());
    if (!number)
      return std::nullopt;
    step.number.integer = *width > 0 ? int64_t(*number) : 0;
    step.number.real = *number;
    return step;
  }
  std::optional<Code> code = getCode(op);
  std::optional<int> operandWidth =
      op->getNumOperands() ? getWidth(op->getOperands().back().getType())
                           : std::nullopt;
  if (!code || !operandWidth || op->getNumResults() != 1)
    return std::nullopt;
  step.code = *code;
  step.operandWidth = *operandWidth;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    step.detail = int64_t(compare.getPredicate());
  else if (auto compare = dyn_cast<arith::CmpFOp>(op))
    step.detail = int64_t(compare.getPredicate());
  else if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    step.map = apply.getAffineMap();
  else if (auto min = dyn_cast<affine::AffineMinOp>(op))
    step.map = min.getMap();
  else if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    step.map = max.getMap();
  return step;
}

std::optional<IndexExpression> IndexExpression::Reader::read(Value value) {
  // Post-order over an explicit stack; each value becomes one step.
  llvm::DenseMap<Value, unsigned> known;
  SmallVector<std::pair<Value, std::optional<Step>>> stack;
  stack.push_back({value, std::nullopt});
  size_t visited = 0;
  while (!stack.empty()) {
    auto [current, expanded] = stack.pop_back_val();
    if (known.contains(current))
      continue;
    if (expanded) {
      for (Value operand : current.getDefiningOp()->getOperands())
        expanded->operands.push_back(known.lookup(operand));
    } else {
      expanded = getStep(current);
      if (!expanded || ++visited > kMaxSteps)
        return std::nullopt;
      if (expanded->code > Code::Table) {
        stack.push_back({current, expanded});
        for (Value operand : current.getDefiningOp()->getOperands())
          if (!known.contains(operand))
            stack.push_back({operand, std::nullopt});
        continue;
      }
    }
    known[current] = expression.steps.size();
    expression.steps.push_back(std::move(*expanded));
  }
  return std::move(expression);
}

std::optional<IndexExpression>
IndexExpression::read(Value value, ConstantEvaluator &constants,
                      Value variable) {
  return Reader(constants, variable).read(value);
}

//===----------------------------------------------------------------------===//
// Computing
//===----------------------------------------------------------------------===//

static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}

static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
}

static int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/// Sets `result` to an element of `table`; false if there is no such element.
static bool lookUp(DenseElementsAttr table, AffineMap map,
                   ArrayRef<int64_t> loops, int64_t &integer, double &real) {
  int64_t position = 0;
  if (!table.isSplat()) {
    if (map.getNumDims() != loops.size())
      return false;
    for (auto [index, size] :
         llvm::zip_equal(map.compose(loops), table.getType().getShape())) {
      if (index < 0 || index >= size)
        return false;
      position = position * size + index;
    }
  }
  if (table.empty())
    return false;
  if (table.getElementType().isF32())
    real = *(table.value_begin<float>() + position);
  else
    integer = (*(table.value_begin<APInt>() + position)).getSExtValue();
  return true;
}

bool IndexExpression::apply(const Step &step, ArrayRef<Number> numbers,
                            ArrayRef<int64_t> loops, int64_t variable,
                            Number &result) {
  auto get = [&](unsigned i) -> const Number & {
    return numbers[step.operands[i]];
  };
  auto integer = [&](unsigned i) { return get(i).integer; };
  auto bits = [&](unsigned i) {
    return getUnsigned(get(i).integer, step.operandWidth);
  };
  auto real = [&](unsigned i) { return get(i).real; };
  auto setInteger = [&](uint64_t value) {
    result.integer = wrap(value, step.width);
    return true;
  };
  auto setReal = [&](double value) {
    result.real = roundReal(value, step.width);
    return true;
  };
  auto divides = [&] {
    return integer(1) != 0 &&
           (integer(1) != -1 ||
            integer(0) != std::numeric_limits<int64_t>::min());
  };
  switch (step.code) {
  case Code::Constant:
    result = step.number;
    return true;
  case Code::Loop:
    if (step.detail >= int64_t(loops.size()))
      return false;
    return setInteger(loops[step.detail]);
  case Code::Variable:
    result.real = variable;
    return step.width > 0 ? setInteger(variable) : true;
  case Code::Table:
    return lookUp(step.table, step.map, loops, result.integer, result.real);
  case Code::AddI:
    return setInteger(uint64_t(integer(0)) + uint64_t(integer(1)));
  case Code::SubI:
    return setInteger(uint64_t(integer(0)) - uint64_t(integer(1)));
  case Code::MulI:
    return setInteger(uint64_t(integer(0)) * uint64_t(integer(1)));
  case Code::DivS:
    return divides() && setInteger(integer(0) / integer(1));
  case Code::FloorDivS:
    return divides() && setInteger(floorDivide(integer(0), integer(1)));
  case Code::CeilDivS:
    return divides() && setInteger(floorDivide(integer(0), integer(1)) +
                                   (integer(0) % integer(1) != 0));
  case Code::RemS:
    return divides() && setInteger(integer(0) % integer(1));
  case Code::DivU:
    return bits(1) != 0 && setInteger(bits(0) / bits(1));
  case Code::RemU:
    return bits(1) != 0 && setInteger(bits(0) % bits(1));
  case Code::MinS:
    return setInteger(std::min(integer(0), integer(1)));
  case Code::MaxS:
    return setInteger(std::max(integer(0), integer(1)));
  case Code::MinU:
    return setInteger(std::min(bits(0), bits(1)));
  case Code::MaxU:
    return setInteger(std::max(bits(0), bits(1)));
  case Code::And:
    return setInteger(integer(0) & integer(1));
  case Code::Or:
    return setInteger(integer(0) | integer(1));
  case Code::Xor:
    return setInteger(integer(0) ^ integer(1));
  case Code::CompareI:
    return setInteger(arith::applyCmpPredicate(
        arith::CmpIPredicate(step.detail), APInt(step.operandWidth, bits(0)),
        APInt(step.operandWidth, bits(1))));
  case Code::AddF:
    return setReal(real(0) + real(1));
  case Code::SubF:
    return setReal(real(0) - real(1));
  case Code::MulF:
    return setReal(real(0) * real(1));
  case Code::DivF:
    return setReal(real(0) / real(1));
  case Code::Maximum:
    return setReal(maximum(real(0), real(1)));
  case Code::Minimum:
    return setReal(minimum(real(0), real(1)));
  case Code::MaxNum:
    return setReal(std::fmax(real(0), real(1)));
  case Code::MinNum:
    return setReal(std::fmin(real(0), real(1)));
  case Code::CompareF:
    return setInteger(arith::applyCmpPredicate(
        arith::CmpFPredicate(step.detail), APFloat(real(0)), APFloat(real(1))));
  case Code::NegateF:
    return setReal(-real(0));
  case Code::AbsF:
    return setReal(std::fabs(real(0)));
  case Code::Floor:
    return setReal(std::floor(real(0)));
  case Code::Ceil:
    return setReal(std::ceil(real(0)));
  case Code::Round:
    return setReal(std::round(real(0)));
  case Code::RoundEven:
    return setReal(std::nearbyint(real(0)));
  case Code::Truncate:
    return setReal(std::trunc(real(0)));
  case Code::Select:
    result = get(integer(0) ? 1 : 2);
    return true;
  case Code::Cast:
    return setInteger(integer(0));
  case Code::CastU:
    return setInteger(bits(0));
  case Code::SignedToReal:
    return setReal(step.width == kF32 ? double(float(integer(0)))
                                      : double(integer(0)));
  case Code::UnsignedToReal:
    return setReal(step.width == kF32 ? double(float(bits(0)))
                                      : double(bits(0)));
  case Code::RealToSigned:
  case Code::RealToUnsigned:
    // What is out of range has no value.
    if (!(std::fabs(real(0)) < 0x1p53))
      return false;
    setInteger(int64_t(real(0)));
    return step.code == Code::RealToSigned ? result.integer == int64_t(real(0))
                                           : int64_t(real(0)) >= 0;
  case Code::CastReal:
    return setReal(real(0));
  case Code::AffineMin:
  case Code::AffineMax: {
    SmallVector<int64_t> operands;
    for (unsigned i = 0; i < step.operands.size(); ++i)
      operands.push_back(integer(i));
    if (operands.size() != step.map.getNumInputs() ||
        step.map.getNumSymbols() != 0 || step.map.getNumResults() == 0)
      return false;
    SmallVector<int64_t> results = step.map.compose(operands);
    return setInteger(step.code == Code::AffineMin
                          ? *llvm::min_element(results)
                          : *llvm::max_element(results));
  }
  }
  return false;
}

std::optional<double> IndexExpression::evaluate(ArrayRef<int64_t> indices,
                                                int64_t variable) const {
  SmallVector<Number> numbers(steps.size());
  for (auto [i, step] : llvm::enumerate(steps))
    if (!apply(step, numbers, indices, variable, numbers[i]))
      return std::nullopt;
  return steps.back().width > 0 ? double(numbers.back().integer)
                                : numbers.back().real;
}
