// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of what ops compute.

#include "qbackend/Operators/ScalarOp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace qbackend;

using Code = ScalarCode;

namespace {
/// Writes the steps of one op.
class Writer {
public:
  explicit Writer(Operation *op) : op(op) {}

  Type getOperandType(unsigned operand) const {
    return getElementTypeOrSelf(op->getOperand(operand).getType());
  }
  Type getResultType() const {
    return getElementTypeOrSelf(op->getResult(0).getType());
  }

  /// One step on all operands of the op, or on the first `count`.
  bool writeOperands(Code code, int64_t detail = 0,
                     std::optional<unsigned> count = std::nullopt) {
    SmallVector<unsigned, 3> operands;
    for (unsigned i = 0; i < count.value_or(op->getNumOperands()); ++i)
      operands.push_back(i);
    return write(code, operands, detail).has_value();
  }
  /// A step of the result's type; returns its number.
  std::optional<unsigned> write(Code code, ArrayRef<unsigned> operands,
                                int64_t detail = 0);
  /// A number of the result's type, or of `type`.
  std::optional<unsigned> writeNumber(ScalarNumber number,
                                      std::optional<ScalarType> type = {});
  std::optional<unsigned> writeConstant(Attribute attribute) {
    std::optional<ScalarNumber> number = ScalarNumber::get(attribute);
    return number ? writeNumber(*number) : std::nullopt;
  }

  Operation *op;
  ScalarSteps steps;
};

using Write = bool (*)(Operation *, Writer &);
} // namespace

std::optional<unsigned> Writer::write(Code code, ArrayRef<unsigned> operands,
                                      int64_t detail) {
  std::optional<ScalarType> type = ScalarType::get(getResultType());
  if (!type)
    return std::nullopt;
  ScalarStep step;
  step.code = code;
  step.type = step.operandType = *type;
  step.detail = detail;
  step.operands.assign(operands.begin(), operands.end());
  unsigned inputs = op->getNumOperands();
  if (!operands.empty()) {
    unsigned first = operands.front();
    std::optional<ScalarType> operandType =
        first < inputs ? ScalarType::get(getOperandType(first))
                       : std::optional(steps[first - inputs].type);
    if (!operandType)
      return std::nullopt;
    step.operandType = *operandType;
  }
  steps.push_back(std::move(step));
  return inputs + steps.size() - 1;
}

std::optional<unsigned> Writer::writeNumber(ScalarNumber number,
                                            std::optional<ScalarType> type) {
  std::optional<unsigned> step = write(Code::Constant, {});
  if (!step)
    return std::nullopt;
  steps.back().number = number;
  if (type)
    steps.back().type = steps.back().operandType = *type;
  return step;
}

//===----------------------------------------------------------------------===//
// Ops that are more than one code
//===----------------------------------------------------------------------===//

template <Code code> static bool writeCode(Operation *, Writer &writer) {
  return writer.writeOperands(code);
}

/// TOSA's ops are of floats, or of integers with or without a sign.
template <Code asFloat, Code isSigned, Code isUnsigned = isSigned>
static bool writeByType(Operation *, Writer &writer) {
  Type type = writer.getOperandType(0);
  if (isa<FloatType>(type))
    return writer.writeOperands(asFloat);
  return writer.writeOperands(type.isUnsignedInteger() ? isUnsigned : isSigned);
}

template <typename CompareOp>
static bool writeComparison(Operation *op, Writer &writer) {
  constexpr Code code = std::is_same_v<CompareOp, arith::CmpFOp>
                            ? Code::CompareF
                            : Code::CompareI;
  return writer.writeOperands(code,
                              int64_t(cast<CompareOp>(op).getPredicate()));
}

template <arith::CmpFPredicate asFloat, arith::CmpIPredicate isSigned,
          arith::CmpIPredicate isUnsigned>
static bool writeTosaComparison(Operation *, Writer &writer) {
  Type type = writer.getOperandType(0);
  if (isa<FloatType>(type))
    return writer.writeOperands(Code::CompareF, int64_t(asFloat));
  return writer.writeOperands(
      Code::CompareI,
      int64_t(type.isUnsignedInteger() ? isUnsigned : isSigned));
}

template <Code propagates, Code ignores, Code isSigned, Code isUnsigned>
static bool writeExtremum(Operation *op, Writer &writer) {
  auto mode = op->getAttrOfType<tosa::NanPropagationModeAttr>("nan_mode");
  bool isIgnored = mode && mode.getValue() == tosa::NanPropagationMode::IGNORE;
  return isIgnored ? writeByType<ignores, isSigned, isUnsigned>(op, writer)
                   : writeByType<propagates, isSigned, isUnsigned>(op, writer);
}

static bool writeTosaClamp(Operation *op, Writer &writer) {
  auto clamp = cast<tosa::ClampOp>(op);
  Type type = writer.getOperandType(0);
  bool isIgnored = clamp.getNanMode() == tosa::NanPropagationMode::IGNORE;
  Code max = isIgnored ? Code::MaxNum : Code::Maximum;
  Code min = isIgnored ? Code::MinNum : Code::Minimum;
  if (!isa<FloatType>(type)) {
    max = type.isUnsignedInteger() ? Code::MaxU : Code::MaxS;
    min = type.isUnsignedInteger() ? Code::MinU : Code::MinS;
  }
  auto low = writer.writeConstant(clamp.getMinVal());
  auto above = low ? writer.write(max, {0, *low}) : std::nullopt;
  auto high = above ? writer.writeConstant(clamp.getMaxVal()) : std::nullopt;
  return high && writer.write(min, {*above, *high});
}

static bool writeClampF(Operation *, Writer &writer) {
  // As it is lowered: limited by the maximum, then by the minimum.
  auto above = writer.write(Code::MaxNum, {0, 1});
  return above && writer.write(Code::MinNum, {*above, 2});
}

static bool writeTosaMul(Operation *, Writer &writer) {
  if (isa<FloatType>(writer.getResultType()))
    return writer.writeOperands(Code::MulF, 0, 2);
  // Only products of i32 are shifted.
  return writer.getOperandType(0).isInteger(32)
             ? writer.writeOperands(Code::MulShift)
             : writer.writeOperands(Code::MulI, 0, 2);
}

static bool writeTosaNegate(Operation *, Writer &writer) {
  return isa<FloatType>(writer.getResultType())
             ? writer.writeOperands(Code::NegateF, 0, 1)
             : writer.writeOperands(Code::NegateZeroPoints);
}

static bool writeTosaShift(Operation *op, Writer &writer) {
  return writer.writeOperands(
      Code::ShiftRightS, cast<tosa::ArithmeticRightShiftOp>(op).getRound());
}

static bool writeReciprocal(Operation *, Writer &writer) {
  auto one = writer.writeNumber(ScalarNumber::ofFloat(1));
  return one && writer.write(Code::DivF, {*one, 0});
}

static bool writeSigmoid(Operation *, Writer &writer) {
  // 1 / (1 + exp(-x))
  auto one = writer.writeNumber(ScalarNumber::ofFloat(1));
  auto negated = one ? writer.write(Code::NegateF, {0}) : std::nullopt;
  auto power = negated ? writer.write(Code::Exp, {*negated}) : std::nullopt;
  auto sum = power ? writer.write(Code::AddF, {*power, *one}) : std::nullopt;
  return sum && writer.write(Code::DivF, {*one, *sum});
}

static bool writeNot(Operation *, Writer &writer) {
  auto ones = writer.writeNumber(ScalarNumber::ofInteger(-1));
  return ones && writer.write(Code::Xor, {0, *ones});
}

/// TOSA's cast rounds to even and limits to the type.
static bool writeTosaCast(Operation *op, Writer &writer) {
  Type from = writer.getOperandType(0), to = writer.getResultType();
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  bool isTruth = from.isInteger(1) || from.isUnsignedInteger();
  if (from == to)
    return true;
  if (fromFloat && toFloat)
    return writer.writeOperands(Code::CastFloat);
  if (toFloat)
    return writer.writeOperands(isTruth ? Code::UnsignedToFloat
                                        : Code::SignedToFloat);
  if (!fromFloat && !to.isInteger(1))
    return writer.writeOperands(isTruth ? Code::CastU : Code::Cast);
  std::optional<ScalarType> type = ScalarType::get(from);
  if (!type)
    return false;
  if (to.isInteger(1)) {
    auto zero = writer.writeNumber(fromFloat ? ScalarNumber::ofFloat(0)
                                             : ScalarNumber::ofInteger(0),
                                   type);
    return zero &&
           (fromFloat ? writer.write(Code::CompareF, {0, *zero},
                                     int64_t(arith::CmpFPredicate::UNE))
                      : writer.write(Code::CompareI, {0, *zero},
                                     int64_t(arith::CmpIPredicate::ne)));
  }
  auto rounded = writer.write(Code::RoundEven, {0});
  if (!rounded)
    return false;
  // Still a number of the operand's type.
  writer.steps.back().type = *type;
  return writer
      .write(to.isUnsignedInteger() ? Code::FloatToUnsigned
                                    : Code::FloatToSigned,
             {*rounded}, /*detail=*/1)
      .has_value();
}

/// The number itself.
static bool writeNothing(Operation *, Writer &) { return true; }

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
/// What each op is; keys are ops, so that a name that goes fails to compile.
struct Table {
  Table();
  template <typename... Ops> void add(Write write) {
    (writers.try_emplace(TypeID::get<Ops>(), write), ...);
  }
  void addArith();
  void addMath();
  void addTosa();

  llvm::DenseMap<TypeID, Write> writers;
};
} // namespace

Table::Table() {
  addArith();
  addMath();
  addTosa();
}

void Table::addArith() {
  using namespace arith;
  add<AddIOp>(writeCode<Code::AddI>);
  add<SubIOp>(writeCode<Code::SubI>);
  add<MulIOp>(writeCode<Code::MulI>);
  add<DivSIOp>(writeCode<Code::DivS>);
  add<DivUIOp>(writeCode<Code::DivU>);
  add<FloorDivSIOp>(writeCode<Code::FloorDivS>);
  add<CeilDivSIOp>(writeCode<Code::CeilDivS>);
  add<CeilDivUIOp>(writeCode<Code::CeilDivU>);
  add<RemSIOp>(writeCode<Code::RemS>);
  add<RemUIOp>(writeCode<Code::RemU>);
  add<MinSIOp>(writeCode<Code::MinS>);
  add<MaxSIOp>(writeCode<Code::MaxS>);
  add<MinUIOp>(writeCode<Code::MinU>);
  add<MaxUIOp>(writeCode<Code::MaxU>);
  add<AndIOp>(writeCode<Code::And>);
  add<OrIOp>(writeCode<Code::Or>);
  add<XOrIOp>(writeCode<Code::Xor>);
  add<ShLIOp>(writeCode<Code::ShiftLeft>);
  add<ShRSIOp>(writeCode<Code::ShiftRightS>);
  add<ShRUIOp>(writeCode<Code::ShiftRightU>);
  add<CmpIOp>(writeComparison<CmpIOp>);

  add<AddFOp>(writeCode<Code::AddF>);
  add<SubFOp>(writeCode<Code::SubF>);
  add<MulFOp>(writeCode<Code::MulF>);
  add<DivFOp>(writeCode<Code::DivF>);
  add<RemFOp>(writeCode<Code::RemF>);
  add<NegFOp>(writeCode<Code::NegateF>);
  add<MaximumFOp>(writeCode<Code::Maximum>);
  add<MinimumFOp>(writeCode<Code::Minimum>);
  add<MaxNumFOp>(writeCode<Code::MaxNum>);
  add<MinNumFOp>(writeCode<Code::MinNum>);
  add<CmpFOp>(writeComparison<CmpFOp>);

  add<SelectOp>(writeCode<Code::Select>);
  add<ExtSIOp, TruncIOp, IndexCastOp>(writeCode<Code::Cast>);
  add<ExtUIOp, IndexCastUIOp>(writeCode<Code::CastU>);
  add<ExtFOp, TruncFOp>(writeCode<Code::CastFloat>);
  add<SIToFPOp>(writeCode<Code::SignedToFloat>);
  add<UIToFPOp>(writeCode<Code::UnsignedToFloat>);
  add<FPToSIOp>(writeCode<Code::FloatToSigned>);
  add<FPToUIOp>(writeCode<Code::FloatToUnsigned>);
  add<BitcastOp>(writeCode<Code::Bitcast>);
}

void Table::addMath() {
  using namespace math;
  add<AbsIOp>(writeCode<Code::AbsI>);
  add<CountLeadingZerosOp>(writeCode<Code::LeadingZeros>);
  add<CountTrailingZerosOp>(writeCode<Code::TrailingZeros>);
  add<CtPopOp>(writeCode<Code::PopCount>);
  add<IPowIOp>(writeCode<Code::PowI>);

  add<AbsFOp>(writeCode<Code::AbsF>);
  add<CopySignOp>(writeCode<Code::CopySign>);
  add<FloorOp>(writeCode<Code::Floor>);
  add<CeilOp>(writeCode<Code::Ceil>);
  add<RoundOp>(writeCode<Code::Round>);
  add<RoundEvenOp>(writeCode<Code::RoundEven>);
  add<TruncOp>(writeCode<Code::Truncate>);
  add<ClampFOp>(writeClampF);
  add<FmaOp>(writeCode<Code::MultiplyAdd>);
  add<RsqrtOp>(writeCode<Code::Rsqrt>);
  add<PowFOp>(writeCode<Code::PowF>);
  add<FPowIOp>(writeCode<Code::FPowI>);
  add<Atan2Op>(writeCode<Code::Atan2>);
#define QBACKEND_SCALAR_FUNCTION(code, op, function)                           \
  add<op>(writeCode<Code::code>);
#include "qbackend/Operators/ScalarFunctions.inc"
  add<IsFiniteOp>(writeCode<Code::IsFinite>);
  add<IsInfOp>(writeCode<Code::IsInf>);
  add<IsNaNOp>(writeCode<Code::IsNaN>);
  add<IsNormalOp>(writeCode<Code::IsNormal>);
}

void Table::addTosa() {
  using namespace tosa;
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  add<IdentityOp>(writeNothing);
  add<AddOp>(writeByType<Code::AddF, Code::AddI>);
  add<SubOp>(writeByType<Code::SubF, Code::SubI>);
  add<MulOp>(writeTosaMul);
  add<IntDivOp>(writeCode<Code::DivS>);
  add<MaximumOp>(
      writeExtremum<Code::Maximum, Code::MaxNum, Code::MaxS, Code::MaxU>);
  add<MinimumOp>(
      writeExtremum<Code::Minimum, Code::MinNum, Code::MinS, Code::MinU>);
  add<ClampOp>(writeTosaClamp);
  add<NegateOp>(writeTosaNegate);
  add<AbsOp>(writeByType<Code::AbsF, Code::AbsI>);
  add<ClzOp>(writeCode<Code::LeadingZeros>);
  add<BitwiseAndOp, LogicalAndOp>(writeCode<Code::And>);
  add<BitwiseOrOp, LogicalOrOp>(writeCode<Code::Or>);
  add<BitwiseXorOp, LogicalXorOp>(writeCode<Code::Xor>);
  add<BitwiseNotOp, LogicalNotOp>(writeNot);
  add<LogicalLeftShiftOp>(writeCode<Code::ShiftLeft>);
  add<LogicalRightShiftOp>(writeCode<Code::ShiftRightU>);
  add<ArithmeticRightShiftOp>(writeTosaShift);
  add<GreaterOp>(writeTosaComparison<F::OGT, I::sgt, I::ugt>);
  add<GreaterEqualOp>(writeTosaComparison<F::OGE, I::sge, I::uge>);
  add<EqualOp>(writeTosaComparison<F::OEQ, I::eq, I::eq>);
  add<SelectOp>(writeCode<Code::Select>);
  add<CastOp>(writeTosaCast);

  add<FloorOp>(writeCode<Code::Floor>);
  add<CeilOp>(writeCode<Code::Ceil>);
  add<RsqrtOp>(writeCode<Code::Rsqrt>);
  add<ExpOp>(writeCode<Code::Exp>);
  add<LogOp>(writeCode<Code::Log>);
  add<PowOp>(writeCode<Code::PowF>);
  add<SinOp>(writeCode<Code::Sin>);
  add<CosOp>(writeCode<Code::Cos>);
  add<TanhOp>(writeCode<Code::Tanh>);
  add<ErfOp>(writeCode<Code::Erf>);
  add<ReciprocalOp>(writeReciprocal);
  add<SigmoidOp>(writeSigmoid);
}

static const Table &getTable() {
  static const Table table;
  return table;
}

bool qbackend::isScalarOp(OperationName name) {
  return getTable().writers.contains(name.getTypeID());
}

std::optional<ScalarSteps> qbackend::getScalarSteps(Operation *op) {
  auto it = getTable().writers.find(op->getName().getTypeID());
  if (it == getTable().writers.end() || op->getNumResults() != 1)
    return std::nullopt;
  Writer writer(op);
  if (!it->second(op, writer))
    return std::nullopt;
  return std::move(writer.steps);
}
