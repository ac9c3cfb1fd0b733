// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads regions and tensor ops into scalar expressions.

#include "Reading/Expressions/ScalarExpression.h"
#include "Reading/Layout.h"

#include "qbackend/Operators/ScalarOp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

Value forms::skipCasts(Value value) {
  auto cast = value.getDefiningOp<tensor::CastOp>();
  for (; cast && isa<RankedTensorType>(cast.getSource().getType());
       cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value;
}

Operation *forms::getProducer(Value value) {
  return skipCasts(value).getDefiningOp();
}

RankedTensorType forms::getFloatType(Value value) {
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : nullptr;
  // An encoding (sparse_tensor) is another layout than that of operators.
  return type && type.getElementType().isF32() && !type.getEncoding()
             ? type
             : RankedTensorType();
}

bool forms::isClose(double lhs, double rhs) {
  return std::abs(lhs - rhs) <= 1e-6 * std::max(std::abs(lhs), std::abs(rhs));
}

/// True if the op of `use` has the value as a destination it doesn't read.
static bool isUnreadInit(OpOperand &use) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!linalgOp || !linalgOp.isDpsInit(&use))
    return false;
  return linalgOp.getMatchingBlockArgument(&use).use_empty();
}

bool forms::hasOneReader(Value value) {
  Operation *reader = nullptr;
  for (OpOperand &use : value.getUses()) {
    if (isUnreadInit(use) || isa<tensor::DimOp>(use.getOwner()))
      continue;
    if (reader && reader != use.getOwner())
      return false;
    reader = use.getOwner();
  }
  return reader;
}

std::optional<unsigned> forms::getChannelLoop(const Scalar *operand) {
  if (operand->kind != ScalarKind::Operand || operand->full)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(operand->value.getType());
  if (!type)
    return std::nullopt;
  std::optional<unsigned> loop;
  for (auto [expr, size] :
       llvm::zip_equal(operand->map.getResults(), type.getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (size == 1 && (!dim || type.getRank() > 1))
      continue;
    if (!dim || loop)
      return std::nullopt;
    loop = dim.getPosition();
  }
  return loop;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

const Scalar *ScalarExpressions::create(ScalarKind kind, const Scalar *a,
                                        const Scalar *b, const Scalar *c) {
  unsigned depth = 0, size = 1;
  for (const Scalar *operand : {a, b, c})
    if (operand) {
      depth = std::max(depth, operand->depth);
      size += operand->size;
    }
  if (++depth > Scalar::kMaxDepth || size > Scalar::kMaxSize)
    return create(ScalarKind::Other);
  scalars.emplace_back();
  Scalar &scalar = scalars.back();
  scalar.kind = kind;
  scalar.depth = depth;
  scalar.size = size;
  scalar.a = a;
  scalar.b = b;
  scalar.c = c;
  return &scalar;
}

const Scalar *ScalarExpressions::createNumber(double number) {
  scalars.emplace_back();
  scalars.back().kind = ScalarKind::Constant;
  scalars.back().number = number;
  return &scalars.back();
}

const Scalar *ScalarExpressions::createInit(unsigned index) {
  scalars.emplace_back();
  scalars.back().kind = ScalarKind::Init;
  scalars.back().number = index;
  return &scalars.back();
}

/// True if `map` reads the element of the result's own position: dimensions of
/// size 1 may be read at 0.
static bool isFull(AffineMap map, RankedTensorType type,
                   RankedTensorType resultType) {
  if (!resultType || type.getRank() != resultType.getRank())
    return false;
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    int64_t size = type.getDimSize(index);
    int64_t resultSize = resultType.getDimSize(index);
    if (size != resultSize && !ShapedType::isDynamic(size) &&
        !ShapedType::isDynamic(resultSize))
      return false;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim ? dim.getPosition() != index : size != 1)
      return false;
  }
  return true;
}

const Scalar *ScalarExpressions::createOperand(Value value, AffineMap map,
                                               RankedTensorType resultType) {
  scalars.emplace_back();
  Scalar &scalar = scalars.back();
  scalar.kind = ScalarKind::Operand;
  scalar.value = value;
  scalar.map = map;
  scalar.resultType = resultType;
  scalar.full =
      isFull(map, cast<RankedTensorType>(value.getType()), resultType);
  return &scalar;
}

/// An operation on two scalars; a multiplication or division by 1 is none.
/// Front ends spell PyTorch's alpha, beta and scale by one.
const Scalar *ScalarExpressions::createArithmetic(ScalarKind kind,
                                                  const Scalar *a,
                                                  const Scalar *b) {
  auto isOne = [&](const Scalar *scalar) {
    return getNumber(scalar) == std::optional<double>(1);
  };
  // What is broadcast has the shape of the result only with the 1.
  auto isWhole = [](const Scalar *scalar) {
    return scalar->kind != ScalarKind::Operand || scalar->full;
  };
  // Sums that leave no bits for fractions are a way to round.
  auto isLarge = [&](const Scalar *scalar) {
    std::optional<double> number = getNumber(scalar);
    return number && std::fabs(*number) >= 0x1p16 && std::isfinite(*number);
  };
  if ((kind == ScalarKind::Add || kind == ScalarKind::Sub) &&
      isLarge(a) != isLarge(b) && !getNumber(isLarge(a) ? b : a))
    return create(ScalarKind::Other);
  if ((kind == ScalarKind::Mul || kind == ScalarKind::Div) && isOne(b) &&
      isWhole(a) && !getNumber(a))
    return a;
  if (kind == ScalarKind::Mul && isOne(a) && isWhole(b) && !getNumber(b))
    return b;
  return create(kind, a, b);
}

/// What codes are in expressions. The first code of a kind stands for it.
static constexpr std::pair<ScalarCode, ScalarKind> kKinds[] = {
    {ScalarCode::AddF, ScalarKind::Add},
    {ScalarCode::SubF, ScalarKind::Sub},
    {ScalarCode::MulF, ScalarKind::Mul},
    {ScalarCode::DivF, ScalarKind::Div},
    {ScalarCode::MaxNum, ScalarKind::Max},
    {ScalarCode::Maximum, ScalarKind::Max},
    {ScalarCode::MinNum, ScalarKind::Min},
    {ScalarCode::Minimum, ScalarKind::Min},
    {ScalarCode::NegateF, ScalarKind::Negate},
    {ScalarCode::Exp, ScalarKind::Exp},
    {ScalarCode::ExpM1, ScalarKind::ExpM1},
    {ScalarCode::Tanh, ScalarKind::Tanh},
    {ScalarCode::Log, ScalarKind::Log},
    {ScalarCode::Erf, ScalarKind::Erf},
    {ScalarCode::AbsF, ScalarKind::Abs},
    {ScalarCode::Sqrt, ScalarKind::Sqrt},
    {ScalarCode::Rsqrt, ScalarKind::Rsqrt},
    {ScalarCode::Log1P, ScalarKind::Log1P},
    {ScalarCode::Sin, ScalarKind::Sin},
    {ScalarCode::Cos, ScalarKind::Cos},
    {ScalarCode::PowF, ScalarKind::Power},
    {ScalarCode::FPowI, ScalarKind::Power},
};

void forms::compute(ScalarKind kind, ArrayRef<const double *> operands,
                    size_t count, double *results) {
  if (kind == ScalarKind::Greater) {
    for (size_t i = 0; i < count; ++i)
      results[i] = operands[0][i] > operands[1][i];
    return;
  }
  if (kind == ScalarKind::Select) {
    for (size_t i = 0; i < count; ++i)
      results[i] = operands[operands[0][i] != 0 ? 1 : 2][i];
    return;
  }
  for (auto [code, other] : kKinds)
    if (other == kind)
      return computeFloats(code, operands, count, results);
  std::fill_n(results, count, std::nan(""));
}

double forms::compute(ScalarKind kind, double a, double b, double c) {
  const double *operands[] = {&a, &b, &c};
  double result;
  compute(kind, operands, 1, &result);
  return result;
}

/// Whether it is finite for finite elements: one of them, but for its sign or a
/// bound.
static bool isFinite(const Scalar *scalar) {
  switch (scalar->kind) {
  case ScalarKind::Operand:
  case ScalarKind::Init:
    return true;
  case ScalarKind::Constant:
    return std::isfinite(scalar->number);
  case ScalarKind::Negate:
  case ScalarKind::Abs:
    return isFinite(scalar->a);
  case ScalarKind::Max:
  case ScalarKind::Min:
    return isFinite(scalar->a) && isFinite(scalar->b);
  default:
    return false;
  }
}

/// Whether it is a number for finite elements: one step from these may
/// overflow, but not be the difference of infinities.
static bool isNumber(const Scalar *scalar) {
  if (llvm::is_contained({ScalarKind::Add, ScalarKind::Sub, ScalarKind::Mul},
                         scalar->kind))
    return isFinite(scalar->a) && isFinite(scalar->b);
  if (scalar->kind == ScalarKind::Abs || scalar->kind == ScalarKind::Negate)
    return isNumber(scalar->a);
  return isFinite(scalar);
}

/// What a comparison of a number with itself says.
static bool comparesSame(const ScalarStep &step) {
  using Predicate = arith::CmpFPredicate;
  return llvm::is_contained({Predicate::AlwaysTrue, Predicate::ORD,
                             Predicate::OEQ, Predicate::UEQ, Predicate::OGE,
                             Predicate::UGE, Predicate::OLE, Predicate::ULE},
                            Predicate(step.detail));
}

/// What a comparison of a finite number with infinity says; nothing if that
/// isn't what front ends guard code by.
static std::optional<bool> comparesFinite(const ScalarStep &step) {
  using Predicate = arith::CmpFPredicate;
  switch (Predicate(step.detail)) {
  case Predicate::OEQ:
  case Predicate::UEQ:
  case Predicate::OGE:
  case Predicate::UGE:
    return false;
  case Predicate::ONE:
  case Predicate::UNE:
  case Predicate::OLT:
  case Predicate::ULT:
    return true;
  default:
    return std::nullopt;
  }
}

/// True for f32 `max(a, b)` that is wrapped in its own NaN handling by
/// tosa-to-linalg: `select(uno(x, x), y, max(x, y))`, of these two.
static bool isNanGuard(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::UNO)
    return false;
  Operation *extremum = select.getFalseValue().getDefiningOp();
  return extremum && llvm::all_of(compare->getOperands(), [&](Value operand) {
           return llvm::is_contained(extremum->getOperands(), operand);
         });
}

const Scalar *ScalarExpressions::createSelect(const Scalar *condition,
                                              const Scalar *a, const Scalar *b,
                                              bool isNanGuard) {
  if (isNanGuard && (b->kind == ScalarKind::Max || b->kind == ScalarKind::Min))
    return b;
  if (condition->kind == ScalarKind::Constant)
    return condition->number != 0 ? a : b;
  if (condition->kind == ScalarKind::Greater) {
    if (equal(condition->a, a) && equal(condition->b, b))
      return create(ScalarKind::Max, a, b);
    if (equal(condition->b, a) && equal(condition->a, b))
      return create(ScalarKind::Min, a, b);
  }
  return create(ScalarKind::Select, condition, a, b);
}

const Scalar *ScalarExpressions::combine(const ScalarStep &step, Operation *op,
                                         ArrayRef<const Scalar *> known) {
  auto operand = [&](unsigned index) { return known[step.operands[index]]; };
  switch (step.code) {
  case ScalarCode::Constant:
    return createNumber(step.number.toDouble(step.type));
  case ScalarCode::CastFloat:
    // Of fewer bits, it rounds.
    return step.type.width < 32 && !getNumber(operand(0))
               ? create(ScalarKind::Other)
               : operand(0);
  case ScalarCode::UnsignedToFloat:
    // A comparison as a factor.
    if (operand(0)->kind == ScalarKind::Greater)
      return create(ScalarKind::Select, operand(0), createNumber(1),
                    createNumber(0));
    [[fallthrough]];
  case ScalarCode::SignedToFloat: {
    // Integers other than constants have no place in float networks.
    std::optional<double> number = getNumber(operand(0));
    if (!number)
      return create(ScalarKind::Other);
    // The one bit of a comparison is its sign.
    bool isSign =
        step.code == ScalarCode::SignedToFloat && step.operandType.width == 1;
    return isSign ? createNumber(-*number) : operand(0);
  }
  case ScalarCode::ErfC:
    return create(ScalarKind::Sub, createNumber(1),
                  create(ScalarKind::Erf, operand(0)));
  case ScalarCode::CompareF: {
    // Of fewer bits than 32 a number becomes infinite that wasn't.
    bool isWhole = step.operandType.width >= 32;
    if (equal(operand(0), operand(1)))
      return isWhole && isNumber(operand(0)) ? createNumber(comparesSame(step))
                                             : create(ScalarKind::Other);
    std::optional<double> bound = getNumber(operand(1));
    if (isWhole && operand(0)->kind == ScalarKind::Abs && bound &&
        std::isinf(*bound) && *bound > 0 && isFinite(operand(0)))
      if (std::optional<bool> always = comparesFinite(step))
        return createNumber(*always);
    std::optional<bool> greater = comparesGreater(step);
    if (!greater)
      return create(ScalarKind::Other);
    return create(ScalarKind::Greater, operand(*greater ? 0 : 1),
                  operand(*greater ? 1 : 0));
  }
  case ScalarCode::Select:
    return createSelect(operand(0), operand(1), operand(2), isNanGuard(op));
  case ScalarCode::MultiplyAdd:
    return create(ScalarKind::Add,
                  create(ScalarKind::Mul, operand(0), operand(1)), operand(2));
  default:
    break;
  }
  for (auto [code, kind] : kKinds) {
    if (code != step.code)
      continue;
    if (step.operands.size() == 1)
      return create(kind, operand(0));
    // Bounds that never bind are +-FLT_MAX or infinite: TOSA's, also lowered.
    if (kind == ScalarKind::Max || kind == ScalarKind::Min)
      for (unsigned i : {0, 1}) {
        std::optional<double> bound = getNumber(operand(1 - i));
        if (bound &&
            (kind == ScalarKind::Max ? *bound <= -FLT_MAX : *bound >= FLT_MAX))
          return operand(i);
      }
    return createArithmetic(kind, operand(0), operand(1));
  }
  return create(ScalarKind::Other);
}

const Scalar *ScalarExpressions::combine(Operation *op,
                                         ArrayRef<const Scalar *> operands) {
  std::optional<ScalarSteps> steps = getScalarSteps(op);
  if (!steps)
    return create(ScalarKind::Other);
  SmallVector<const Scalar *> known(operands);
  for (const ScalarStep &step : *steps)
    known.push_back(combine(step, op, known));
  return steps->empty() ? operands.front() : known.back();
}

const Scalar *ScalarExpressions::readBody(OpResult result) {
  Operation *op = result.getOwner();
  auto linalgOp = cast<linalg::LinalgOp>(op);
  if (!linalgOp.hasPureTensorSemantics() ||
      op->getNumResults() != linalgOp.getNumDpsInits())
    return nullptr;
  auto resultType = dyn_cast<RankedTensorType>(result.getType());
  Block *body = linalgOp.getBlock();
  if (!resultType || !body || body->empty())
    return nullptr;

  llvm::DenseMap<Value, const Scalar *> values;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = linalgOp.getMatchingBlockArgument(&operand);
    if (!argument)
      continue;
    if (linalgOp.isDpsInit(&operand))
      values[argument] =
          createInit(operand.getOperandNumber() - linalgOp.getNumDpsInputs());
    else if (isa<RankedTensorType>(operand.get().getType()))
      values[argument] = createOperand(
          operand.get(), linalgOp.getMatchingIndexingMap(&operand), resultType);
    else if (std::optional<double> number = constants.getSplat(operand.get()))
      values[argument] = createNumber(*number);
    else
      values[argument] = create(ScalarKind::Other);
  }
  auto lookup = [&](Value value) -> const Scalar * {
    auto [it, inserted] = values.try_emplace(value, nullptr);
    if (!inserted)
      return it->second;
    const Scalar *scalar = nullptr;
    if (std::optional<double> number = constants.getSplat(value))
      scalar = createNumber(*number);
    else
      scalar = create(ScalarKind::Other);
    return values[value] = scalar;
  };
  for (Operation &inner : body->without_terminator()) {
    if (inner.getNumResults() != 1 || inner.hasTrait<OpTrait::ConstantLike>())
      continue;
    // Of a tensor of one number, whatever the indices are.
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      if (auto number = constants.getSplat(extract.getTensor())) {
        values[extract.getResult()] = createNumber(*number);
        continue;
      }
    SmallVector<const Scalar *> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(lookup(operand));
    values[inner.getResult(0)] = combine(&inner, operands);
  }
  Operation *terminator = body->getTerminator();
  return terminator->getNumOperands() == op->getNumResults()
             ? lookup(terminator->getOperand(result.getResultNumber()))
             : nullptr;
}

const Scalar *ScalarExpressions::readTensorOp(Operation *op) {
  if (op->getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(op))
    return nullptr;
  auto resultType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!resultType)
    return nullptr;
  auto identity =
      AffineMap::getMultiDimIdentityMap(resultType.getRank(), op->getContext());
  SmallVector<const Scalar *> operands;
  for (Value operand : op->getOperands()) {
    auto compare = operand.getDefiningOp<arith::CmpFOp>();
    if (compare && isa<RankedTensorType>(compare.getType()))
      operands.push_back(read(compare));
    else if (isa<RankedTensorType>(operand.getType()))
      operands.push_back(createOperand(operand, identity, resultType));
    else
      operands.push_back(create(ScalarKind::Other));
  }
  return combine(op, operands);
}

const Scalar *ScalarExpressions::read(Operation *op) {
  if (!op)
    return nullptr;
  auto [it, inserted] = known.try_emplace(op, nullptr);
  if (!inserted)
    return it->second;
  const Scalar *scalar = nullptr;
  if (isa<linalg::LinalgOp>(op))
    scalar = op->getNumResults() == 1 ? readBody(op->getResult(0)) : nullptr;
  else if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
               op->getDialect()))
    scalar = readTensorOp(op);
  else if (isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
    scalar = readTosaOp(op);
  return known[op] = scalar;
}

const Scalar *ScalarExpressions::readResult(OpResult result) {
  if (result.getOwner()->getNumResults() == 1)
    return read(result.getOwner());
  return isa<linalg::LinalgOp>(result.getOwner()) ? readBody(result) : nullptr;
}

static bool readsInit(const Scalar *scalar) {
  return scalar && (scalar->kind == ScalarKind::Init || readsInit(scalar->a) ||
                    readsInit(scalar->b) || readsInit(scalar->c));
}

const Scalar *ScalarExpressions::readElementwise(Operation *op) {
  auto type = op && op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  // Comparisons have operators of their own in some chains.
  if (!type ||
      !(type.getElementType().isF32() || type.getElementType().isInteger(1)))
    return nullptr;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (linalgOp.getNumLoops() != linalgOp.getNumParallelLoops() ||
        linalgOp.getNumDpsInits() != 1)
      return nullptr;
    AffineMap map =
        linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
    if (!map.isIdentity())
      return nullptr;
  }
  const Scalar *scalar = read(op);
  return readsInit(scalar) ? nullptr : scalar;
}

static bool isDynamic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.hasStaticShape();
}

std::optional<double> ScalarExpressions::getNumber(const Scalar *scalar) {
  if (scalar->kind == ScalarKind::Constant)
    return scalar->number;
  if (scalar->kind == ScalarKind::Operand) {
    // One that is broadcast to a dynamic shape is no constant itself.
    Value value = scalar->value, source;
    std::optional<double> number = constants.getSplat(value);
    while (!number && isDynamic(value) &&
           getCopyMap(getProducer(value), source))
      number = constants.getSplat(value = source);
    return number;
  }
  // Numbers that a region computes, such as a square root of two.
  if (!scalar->a)
    return std::nullopt;
  const Scalar *operands[] = {scalar->a, scalar->b, scalar->c};
  double numbers[3] = {};
  for (auto [number, operand] : llvm::zip_equal(numbers, operands)) {
    std::optional<double> known = operand ? getNumber(operand) : 0.0;
    if (!known)
      return std::nullopt;
    number = *known;
  }
  if (scalar->kind == ScalarKind::Div && numbers[1] == 0)
    return std::nullopt;
  double number = compute(scalar->kind, numbers[0], numbers[1], numbers[2]);
  return std::isnan(number) ? std::nullopt : std::optional<double>(number);
}

bool ScalarExpressions::isActivation(const Scalar *scalar) {
  return scalar->kind == ScalarKind::Operand && getFloatType(scalar->value) &&
         !constants.isConstant(scalar->value);
}

bool ScalarExpressions::equal(const Scalar *lhs, const Scalar *rhs) {
  if (lhs == rhs)
    return true;
  if (!lhs || !rhs || lhs->kind != rhs->kind || lhs->kind == ScalarKind::Other)
    return false;
  return lhs->number == rhs->number && lhs->value == rhs->value &&
         lhs->map == rhs->map && equal(lhs->a, rhs->a) &&
         equal(lhs->b, rhs->b) && equal(lhs->c, rhs->c);
}
