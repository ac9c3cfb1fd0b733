// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The int8 dialect: registration, verifiers, effects.

#include "qbackend/Execution/Int8/Int8.h"

#include "qbackend/Dialect/QNNPack/Addition.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend::int8;

#include "qbackend/Execution/Int8/Int8Dialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "qbackend/Execution/Int8/Int8Attrs.cpp.inc"

#define GET_OP_CLASSES
#include "qbackend/Execution/Int8/Int8Ops.cpp.inc"

void Int8Dialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "qbackend/Execution/Int8/Int8Attrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "qbackend/Execution/Int8/Int8Ops.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Beyond 31 bits the sizes computed from a number would overflow.
static constexpr int64_t most = (int64_t(1) << 31) - 1;

static LogicalResult verifyNumbers(Operation *op, StringRef name,
                                   ArrayRef<int64_t> values, size_t size,
                                   int64_t least) {
  if (values.size() != size)
    return op->emitOpError()
           << name << " has " << values.size() << " numbers, expected " << size;
  for (int64_t value : values)
    if (value < least || value > most)
      return op->emitOpError()
             << name << " " << value << " is outside the range [" << least
             << ", " << most << "]";
  return success();
}

static LogicalResult verifyByte(Conv2dOp op, StringRef name, int64_t value,
                                bool isSigned) {
  int64_t lo = op.isWide() ? INT16_MIN
               : isSigned  ? -128
                           : 0,
          hi = op.isWide() ? INT16_MAX : lo + 255;
  if (value >= lo && value <= hi)
    return success();
  return op.emitOpError() << name << " " << value << " is outside the range ["
                          << lo << ", " << hi << "]"
                          << (isSigned ? "" : "; is_signed moves it by -128");
}

static LogicalResult verifyRange(Conv2dOp op, int64_t lo, int64_t hi,
                                 bool isSigned) {
  if (failed(verifyByte(op, "lo", lo, isSigned)) ||
      failed(verifyByte(op, "hi", hi, isSigned)))
    return failure();
  if (lo > hi)
    return op.emitOpError() << "lo " << lo << " is more than hi " << hi;
  return success();
}

//===----------------------------------------------------------------------===//
// conv2d
//===----------------------------------------------------------------------===//

bool Conv2dOp::isDepthwise() {
  int64_t groups = getGroups();
  return groups != 1 && groups == getInput().getType().getDimSize(3) &&
         groups == getInit().getType().getDimSize(3);
}

bool Conv2dOp::isWide() {
  return getInput().getType().getElementType().isInteger(16);
}

void Conv2dOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

LogicalResult Conv2dOp::verify() {
  ShapedType input = getInput().getType(), weight = getWeight().getType(),
             init = getInit().getType();
  for (ShapedType type : {input, weight, init})
    for (auto [d, size] : llvm::enumerate(type.getShape()))
      if (size == 0 ||
          (ShapedType::isDynamic(size) && (type == weight || d != 0)))
        return emitOpError()
               << "has an operand of type " << type
               << ", expected extents that are static and not 0, but for a "
                  "dynamic batch";
  if (failed(verifyNumbers(*this, "stride", getStride(), 2, 1)) ||
      failed(verifyNumbers(*this, "dilation", getDilation(), 2, 1)) ||
      failed(verifyNumbers(*this, "padding", getPadding(), 4, 0)) ||
      failed(verifyNumbers(*this, "groups", static_cast<int64_t>(getGroups()),
                           1, 1)))
    return failure();

  int64_t groups = getGroups(), in = input.getDimSize(3),
          out = init.getDimSize(3);
  if (in % groups != 0 || out % groups != 0)
    return emitOpError() << groups << " groups don't divide " << in << " and "
                         << out << " channels";
  if (weight.getDimSize(3) != in / groups || weight.getDimSize(0) != out)
    return emitOpError() << "has a weight of type " << weight << ", expected "
                         << out << " outputs of " << in / groups << " channels";
  if (input.getDimSize(0) != init.getDimSize(0))
    return emitOpError() << "has images of different batches, " << input
                         << " and " << init;
  for (int i : {0, 1}) {
    int64_t kernel = weight.getDimSize(1 + i), size = input.getDimSize(1 + i);
    if (kernel > most || size > most)
      return emitOpError() << "has more than " << most << " pixels";
    int64_t covered = getDilation()[i] * (kernel - 1) + 1;
    int64_t padded = size + getPadding()[2 * i] + getPadding()[2 * i + 1];
    int64_t expected =
        covered > padded ? 0 : (padded - covered) / getStride()[i] + 1;
    if (init.getDimSize(1 + i) != expected)
      return emitOpError() << "has a result of type " << init << ", expected "
                           << (i == 0 ? "height " : "width ") << expected;
  }
  for (Value values : {Value(getBias()), Value(getMultiplier())})
    if (values && cast<ShapedType>(values.getType()).getDimSize(0) != out)
      return emitOpError() << "has " << out << " output channels, but a "
                           << values.getType() << " for them";

  if (static_cast<bool>(getResidual()) != static_cast<bool>(getAddAttr()))
    return emitOpError() << "has a residual or add without the other one";
  if (getResidual() &&
      cast<ShapedType>(getResidual().getType()).getShape() != init.getShape())
    return emitOpError() << "has a residual of type " << getResidual().getType()
                         << ", expected the shape of " << init;
  if (failed(verifyByte(*this, "pad_value", static_cast<int64_t>(getPadValue()),
                        getIsSigned())))
    return failure();
  RequantizeAttr requantize = getRequantizeAttr();
  if (static_cast<bool>(getMultiplier()) != static_cast<bool>(requantize))
    return emitOpError() << "has a multiplier or requantize without the other "
                            "one";
  if (init.getElementType() != (requantize
                                    ? input.getElementType()
                                    : IntegerType::get(getContext(), 32)))
    return emitOpError() << "has a result of type " << init << ", expected "
                         << (requantize ? isWide()
                                              ? "i16, which requantize gives"
                                              : "i8, which requantize gives"
                                        : "i32: without requantize it is sums");
  if (isWide() && (!requantize || !getIsSigned() || getResidual() ||
                   getPadValue() != 0 || requantize.getZeroPoint() != 0 ||
                   !getMultiplier().getType().getElementType().isInteger(64)))
    return emitOpError(
        "has an input of i16, expected is_signed, multipliers of "
        "i64, zero points and a pad_value of 0, and no residual");
  if (requantize) {
    if (getMultiplier().getType().getElementType().isF32() &&
        requantize.getRounding() != numerics::Rounding::NearestEven)
      return emitOpError() << "has multipliers of f32, and rounds "
                           << numerics::stringifyRounding(
                                  requantize.getRounding())
                           << "; expected nearest_even, or multipliers of i64";
    if (failed(verifyRange(*this, requantize.getLo(), requantize.getHi(),
                           getIsSigned())) ||
        failed(verifyByte(*this, "zero_point", requantize.getZeroPoint(),
                          getIsSigned())))
      return failure();
    if (requantize.getOverflow() != requantize.getLo() &&
        requantize.getOverflow() != requantize.getHi())
      return emitOpError() << "overflow " << requantize.getOverflow()
                           << " is neither lo nor hi";
  }
  if (AddAttr add = getAddAttr()) {
    if (!requantize)
      return emitOpError() << "has add without requantize, whose byte it adds "
                              "to";
    if (failed(verifyRange(*this, add.getLo(), add.getHi(), getIsSigned())) ||
        failed(
            verifyByte(*this, "zero_point", add.getZeroPoint(), getIsSigned())))
      return failure();
    if (add.getShift() < 1 || add.getShift() > 30)
      return emitOpError() << "shift " << add.getShift()
                           << " is outside the range [1, 30]";
    if (!qnnpack::Addition::fits(add.getLhs(), add.getRhs(), add.getShift()))
      return emitOpError() << "lhs " << add.getLhs() << " and rhs "
                           << add.getRhs() << " are too large for shift "
                           << add.getShift() << " in 32 bits";
  }
  bool isTensor = isa<TensorType>(getInit().getType());
  if (isTensor != static_cast<bool>(getOutput()) ||
      (isTensor && getOutput().getType() != getInit().getType()))
    return emitOpError() << "the result has to be of the type of init, "
                         << getInit().getType()
                         << (isTensor ? "" : ", and a buffer has none");
  return success();
}
