// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spells ops of arith and math as C11 without undefined behaviour: sums that
// may not fit are unsigned, bits are moved by memcpy, and numbers are converted
// that fit. Integers of a width that C has not, such as 48 bits, are in the
// next larger ones, extended by their sign.

#include "Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using qbackend::codegen::ScalarWriter;

//===----------------------------------------------------------------------===//
// Types and numbers
//===----------------------------------------------------------------------===//

std::optional<std::string> qbackend::codegen::getCType(Type type) {
  if (type.isIndex())
    return "ptrdiff_t";
  if (type.isInteger(1))
    return "bool";
  if (auto integer = dyn_cast<IntegerType>(type);
      integer && integer.getWidth() <= 64)
    return "int" +
           std::to_string(
               llvm::PowerOf2Ceil(std::max(8u, integer.getWidth()))) +
           "_t";
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  return std::nullopt;
}

/// The unsigned integer of as many bits.
static std::string getUnsigned(Type type) {
  return type.isIndex() ? "size_t" : "u" + *qbackend::codegen::getCType(type);
}

/// Whether `type` is an integer in a larger one of C.
static bool isOdd(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() != 1 &&
         (integer.getWidth() < 8 || !llvm::isPowerOf2_32(integer.getWidth()));
}

/// The bits of `operand`, of an odd type, without a sign.
static std::string maskBits(Type type, const std::string &operand) {
  return "((" + getUnsigned(type) + ")" + operand + " & UINT64_C(0x" +
         llvm::utohexstr((uint64_t(1) << type.getIntOrFloatBitWidth()) - 1) +
         "))";
}

/// What names a type in a helper: i32, f32, index.
static std::string getSuffix(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string spellFloatNumber(const APFloat &number, bool isDouble) {
  StringRef suffix = isDouble ? "" : "f";
  if (number.isNaN())
    return ("((" + Twine(isDouble ? "double" : "float") + ")NAN)").str();
  if (number.isInfinity())
    return number.isNegative() ? "(-INFINITY)" : "INFINITY";
  // As many digits as tell it from all others.
  SmallString<32> digits;
  number.toString(digits, isDouble ? 17 : 9, /*FormatMaxPadding=*/6);
  std::string text = digits.str().str();
  if (StringRef(text).find_first_of(".eE") == StringRef::npos)
    text += ".0";
  return text + suffix.str();
}

std::string qbackend::codegen::spellNumber(TypedAttr number) {
  if (auto asFloat = dyn_cast<FloatAttr>(number))
    return spellFloatNumber(asFloat.getValue(), asFloat.getType().isF64());
  auto integer = cast<IntegerAttr>(number);
  if (integer.getType().isInteger(1))
    return integer.getValue().isZero() ? "false" : "true";
  int64_t value = integer.getValue().getSExtValue();
  // The type of a literal has no such number.
  if (integer.getType().isInteger(32) && value == INT32_MIN)
    return "INT32_MIN";
  if (value == INT64_MIN)
    return "INT64_MIN";
  if (value < INT32_MIN || value > INT32_MAX)
    return "INT64_C(" + std::to_string(value) + ")";
  return std::to_string(value);
}

/// Bits of a signed integer that has all values of `value`.
static unsigned countBits(Value value, unsigned depth = 4) {
  auto width = [](Type type) {
    return type.isIndex() ? 64u : type.getIntOrFloatBitWidth();
  };
  Operation *op = value.getDefiningOp();
  unsigned most = width(value.getType());
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSignificantBits();
  if (!op || depth == 0)
    return most;
  auto of = [&](unsigned i) { return countBits(op->getOperand(i), depth - 1); };
  if (isa<arith::ExtSIOp>(op))
    return std::min(most, of(0));
  if (isa<arith::ExtUIOp>(op))
    return std::min(most, width(op->getOperand(0).getType()) + 1);
  if (isa<arith::MulIOp>(op))
    return std::min(most, of(0) + of(1));
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::min(most, std::max(of(0), of(1)) + 1);
  if (isa<arith::MaxSIOp, arith::MinSIOp>(op))
    return std::min(most, std::max(of(0), of(1)));
  return most;
}

bool ScalarWriter::isPosition(Value index) {
  auto [found, isNew] = positions.try_emplace(index, true);
  if (!isNew)
    return found->second;
  bool isBounded = true;
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    isBounded = !loop || (argument == loop.getInductionVar() &&
                          isPosition(loop.getUpperBound()));
  } else if (Operation *op = index.getDefiningOp();
             isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MinSIOp,
                 arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::DivSIOp,
                 arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op)) {
    isBounded = llvm::all_of(
        op->getOperands(), [&](Value operand) { return isPosition(operand); });
  } else {
    isBounded = matchPattern(index, m_Constant());
  }
  positions[index] = isBounded;
  return isBounded;
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static void replaceAll(std::string &text, StringRef from, StringRef to) {
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to.str());
}

std::string ScalarWriter::call(StringRef name, Type type, StringRef text,
                               ArrayRef<std::string> operands) {
  std::string full = name.str() + "_" + getSuffix(type);
  std::string definition = "static inline " + text.str();
  replaceAll(definition, "$N", full);
  replaceAll(definition, "$T", *getCType(type));
  if (type.isIntOrIndex())
    replaceAll(definition, "$U", getUnsigned(type));
  helpers.insert(definition);
  return full + "(" + llvm::join(operands, ", ") + ")";
}

std::string ScalarWriter::spellHelpers() const {
  std::string text;
  for (const std::string &helper : helpers)
    text += helper + "\n\n";
  return text;
}

std::string ScalarWriter::narrow(Type type, StringRef name, StringRef arguments,
                                 StringRef number,
                                 ArrayRef<std::string> operands) {
  unsigned width = type.getIntOrFloatBitWidth(), wide = width < 32 ? 32 : 64;
  std::string bits = std::to_string(wide), away = std::to_string(wide - width);
  std::string text =
      ("$T $N(" + arguments + ") {\n  return ($T)((int" + bits + "_t)((" +
       number + ") << " + away + ") >> " + away + ");\n}")
          .str();
  replaceAll(text, "$W", "uint" + bits + "_t");
  return call(name, type, text, operands);
}

std::string ScalarWriter::wrap(Operation *op, StringRef symbol,
                               StringRef helper,
                               ArrayRef<std::string> operands) {
  Type type = op->getResult(0).getType();
  std::string plain = operands[0] + " " + symbol.str() + " " + operands[1];
  if (type.isIndex()
          ? llvm::all_of(op->getOperands(),
                         [&](Value operand) { return isPosition(operand); })
          : false)
    return plain;
  if (type.isInteger(1))
    return isa<arith::MulIOp>(op)
               ? "(" + operands[0] + " & " + operands[1] + ") != 0"
               : operands[0] + " != " + operands[1];
  unsigned left = countBits(op->getOperand(0)),
           right = countBits(op->getOperand(1));
  unsigned bits =
      isa<arith::MulIOp>(op) ? left + right : std::max(left, right) + 1;
  if (type.isInteger(32) && bits <= 32)
    return plain;
  if (isOdd(type))
    return narrow(type, helper, "$T a, $T b",
                  ("($W)a " + symbol + " ($W)b").str(), operands);
  // These are int in C, where what two of them give fits.
  if (type.isInteger(8) || type.isInteger(16))
    return "(" + *getCType(type) + ")(" + plain + ")";
  return call(
      helper, type,
      ("$T $N($T a, $T b) {\n  return ($T)(($U)a " + symbol + " ($U)b);\n}")
          .str(),
      operands);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static StringRef getComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "==";
  case arith::CmpIPredicate::ne:
    return "!=";
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return "<";
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return "<=";
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return ">";
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return ">=";
  }
  llvm_unreachable("every predicate is above");
}

static bool isUnsigned(arith::CmpIPredicate predicate) {
  return predicate >= arith::CmpIPredicate::ult;
}

std::optional<std::string>
ScalarWriter::spellInteger(Operation *op, ArrayRef<std::string> operands) {
  Type type = op->getOperand(0).getType();
  if (!type.isIntOrIndex())
    return std::nullopt;
  std::string cType = *getCType(type);
  bool isBool = type.isInteger(1);
  bool isInLarger = isOdd(type);
  auto asUnsigned = [&](const std::string &operand) {
    return "(" + getUnsigned(type) + ")" + operand;
  };
  auto bitwise = [&](StringRef symbol) -> std::string {
    std::string plain = operands[0] + " " + symbol.str() + " " + operands[1];
    bool isSmall = cType == "int8_t" || cType == "int16_t";
    return isSmall  ? "(" + cType + ")(" + plain + ")"
           : isBool ? "(" + plain + ") != 0"
                    : plain;
  };
  auto extremum = [&](StringRef name, StringRef symbol,
                      bool isUnsigned) -> std::optional<std::string> {
    if (isBool)
      return std::nullopt;
    std::string text = "$T $N($T a, $T b) {\n  return ";
    text += isUnsigned ? "($U)a " : "a ";
    text += symbol;
    text += isUnsigned ? " ($U)b" : " b";
    return call(name, type, text + " ? a : b;\n}", operands);
  };
  // Shifts by more bits than there are give any number.
  unsigned width = type.isIndex() ? 0 : type.getIntOrFloatBitWidth();
  auto shift = [&](StringRef name, StringRef symbol,
                   bool isUnsigned) -> std::optional<std::string> {
    if (isBool || type.isIndex())
      return std::nullopt;
    APInt count;
    std::string by = operands[1];
    if (!matchPattern(op->getOperand(1), m_ConstantInt(&count)))
      by = "(" + by + " & " + std::to_string(llvm::PowerOf2Ceil(width) - 1) +
           ")";
    else if (count.uge(width))
      return "0";
    if (isInLarger && symbol == "<<")
      return narrow(type, name, "$T a, $T b", "($W)a << b", {operands[0], by});
    if (isInLarger && isUnsigned) {
      // Behind a shift by 0 the highest bit is a sign again.
      return narrow(type, name, "$T a, $T b", maskBits(type, "a") + " >> b",
                    {operands[0], by});
    }
    std::string shifted = (isUnsigned ? asUnsigned(operands[0]) : operands[0]) +
                          " " + symbol.str() + " " + by;
    return isUnsigned || width < 32 ? "(" + cType + ")(" + shifted + ")"
                                    : shifted;
  };
  // Nothing is divided by 0, nor the least number by -1.
  auto divide = [&](StringRef name, StringRef symbol,
                    bool isUnsigned) -> std::optional<std::string> {
    if (isBool || isInLarger)
      return std::nullopt;
    APInt divisor;
    bool isKnown = matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
                   !divisor.isZero() && !divisor.isAllOnes();
    if (isKnown && !isUnsigned)
      return "(" + cType + ")(" + operands[0] + " " + symbol.str() + " " +
             operands[1] + ")";
    if (isUnsigned)
      return call(name, type,
                  ("$T $N($T a, $T b) {\n  return b == 0 ? 0 : ($T)(($U)a " +
                   symbol + " ($U)b);\n}")
                      .str(),
                  operands);
    return call(
        name, type,
        ("$T $N($T a, $T b) {\n  if (b == 0)\n    return 0;\n  return b "
         "== -1 ? " +
         Twine(symbol == "/" ? "($T)(0 - ($U)a)" : "0") + " : ($T)(a " +
         symbol + " b);\n}")
            .str(),
        operands);
  };
  // As much as the other division, and 1 less, or more, between two numbers.
  auto divideTo = [&](StringRef name,
                      StringRef correction) -> std::optional<std::string> {
    if (isBool || isInLarger)
      return std::nullopt;
    return call(name, type,
                ("$T $N($T a, $T b) {\n  if (b == 0)\n    return 0;\n  if (b "
                 "== -1)\n    return ($T)(0 - ($U)a);\n  return ($T)(a / b " +
                 correction + ");\n}")
                    .str(),
                operands);
  };
  // What is counted is shorter by half, or by the lowest bit, at each step.
  auto count = [&](StringRef name,
                   const Twine &text) -> std::optional<std::string> {
    if (isBool || isInLarger || type.isIndex())
      return std::nullopt;
    return call(name, type, text.str(), operands);
  };
  std::string bits = std::to_string(width);
  return llvm::TypeSwitch<Operation *, std::optional<std::string>>(op)
      .Case([&](math::CountLeadingZerosOp) {
        return count("ctlz",
                     "$T $N($T a) {\n  $U bits = ($U)a;\n  $T zeros = " + bits +
                         ";\n  for (int half = " + std::to_string(width / 2) +
                         "; half != 0; half /= 2)\n    if (bits >> half != 0) "
                         "{\n      bits = ($U)(bits >> half);\n      zeros = "
                         "($T)(zeros - half);\n    }\n  return ($T)(zeros - "
                         "($T)bits);\n}");
      })
      .Case([&](math::CountTrailingZerosOp) {
        return count("cttz",
                     "$T $N($T a) {\n  $U below = ($U)(~($U)a & (($U)a - "
                     "1u));\n  $T zeros = 0;\n  for (; below != 0; below = "
                     "($U)(below & (below - 1u)))\n    ++zeros;\n  return "
                     "zeros;\n}");
      })
      .Case([&](math::CtPopOp) {
        return count("ctpop",
                     "$T $N($T a) {\n  $T ones = 0;\n  for ($U bits = ($U)a; "
                     "bits != 0; bits = ($U)(bits & (bits - 1u)))\n    "
                     "++ones;\n  return ones;\n}");
      })
      .Case([&](math::AbsIOp) {
        return count("abs",
                     "$T $N($T a) {\n  return a < 0 ? ($T)(0u - ($U)a) : "
                     "a;\n}");
      })
      .Case([&](arith::AddIOp) { return wrap(op, "+", "add", operands); })
      .Case([&](arith::SubIOp) { return wrap(op, "-", "sub", operands); })
      .Case([&](arith::MulIOp) { return wrap(op, "*", "mul", operands); })
      .Case([&](arith::AndIOp) { return bitwise("&"); })
      .Case([&](arith::OrIOp) { return bitwise("|"); })
      .Case([&](arith::XOrIOp) { return bitwise("^"); })
      .Case([&](arith::MaxSIOp) { return extremum("max", ">", false); })
      .Case([&](arith::MinSIOp) { return extremum("min", "<", false); })
      .Case([&](arith::MaxUIOp) { return extremum("maxu", ">", true); })
      .Case([&](arith::MinUIOp) { return extremum("minu", "<", true); })
      .Case([&](arith::ShLIOp) { return shift("shl", "<<", true); })
      .Case([&](arith::ShRUIOp) { return shift("shru", ">>", true); })
      .Case([&](arith::ShRSIOp) { return shift("shr", ">>", false); })
      .Case([&](arith::DivSIOp) { return divide("div", "/", false); })
      .Case([&](arith::FloorDivSIOp) {
        return divideTo("floor_div", "- (a % b != 0 && (a < 0) != (b < 0))");
      })
      .Case([&](arith::CeilDivSIOp) {
        return divideTo("ceil_div", "+ (a % b != 0 && (a < 0) == (b < 0))");
      })
      .Case([&](arith::RemSIOp) { return divide("rem", "%", false); })
      .Case([&](arith::DivUIOp) { return divide("divu", "/", true); })
      .Case([&](arith::RemUIOp) { return divide("remu", "%", true); })
      .Case([&](arith::CmpIOp op) -> std::optional<std::string> {
        StringRef symbol = getComparison(op.getPredicate());
        if (isBool && symbol != "==" && symbol != "!=")
          return std::nullopt;
        if (!isUnsigned(op.getPredicate()))
          return operands[0] + " " + symbol.str() + " " + operands[1];
        return asUnsigned(operands[0]) + " " + symbol.str() + " " +
               asUnsigned(operands[1]);
      })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

std::optional<std::string>
ScalarWriter::spellCast(Operation *op, ArrayRef<std::string> operands) {
  if (op->getNumOperands() != 1)
    return std::nullopt;
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  std::string cast = "(" + *getCType(to) + ")";
  std::string asUnsigned = isOdd(from) ? maskBits(from, operands[0])
                           : from.isIntOrIndex() && !from.isInteger(1)
                               ? "(" + getUnsigned(from) + ")" + operands[0]
                               : operands[0];
  // What doesn't fit gives any number in the module; here it is 0.
  auto toInteger = [&](bool isSigned) {
    unsigned bits = to.isIndex() ? 32 : to.getIntOrFloatBitWidth();
    std::string least = isSigned ? "-0x1p" + std::to_string(bits - 1) : "-1.0",
                most = "0x1p" + std::to_string(isSigned ? bits - 1 : bits);
    StringRef suffix = from.isF64() ? "" : "f";
    std::string name = (isSigned ? "to_" : "to_u") + getSuffix(to);
    std::string text = "$R $N($T x) {\n  return x " +
                       std::string(isSigned ? ">= " : "> ") + least +
                       suffix.str() + " && x < " + most + suffix.str() +
                       " ? ($R)" + (isSigned ? "" : "($V)") + "x : 0;\n}";
    replaceAll(text, "$R", *getCType(to));
    if (!isSigned)
      replaceAll(text, "$V", getUnsigned(to));
    return call(name, from, text, operands);
  };
  return llvm::TypeSwitch<Operation *, std::optional<std::string>>(op)
      .Case([&](arith::ExtSIOp) {
        return from.isInteger(1) ? "-" + cast + operands[0]
                                 : cast + operands[0];
      })
      .Case<arith::IndexCastOp>([&](auto) -> std::optional<std::string> {
        if (isOdd(to))
          return std::nullopt;
        return cast + operands[0];
      })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](Operation *) -> std::optional<std::string> {
            if (isa<arith::IndexCastUIOp>(op) && isOdd(to))
              return std::nullopt;
            return cast + asUnsigned;
          })
      .Case([&](arith::TruncIOp) {
        if (isOdd(to))
          return narrow(to, "narrow_" + getSuffix(from) + "_to",
                        *getCType(from) + " a", "($W)a", operands);
        return to.isInteger(1) ? "(" + operands[0] + " & 1) != 0"
                               : cast + operands[0];
      })
      .Case<arith::SIToFPOp>([&](auto) {
        return (from.isInteger(1) ? "-" : "") + cast + operands[0];
      })
      .Case<arith::UIToFPOp>([&](auto) { return cast + asUnsigned; })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](auto) { return cast + operands[0]; })
      .Case<arith::FPToSIOp>([&](auto) -> std::optional<std::string> {
        if (to.isInteger(1))
          return std::nullopt;
        return toInteger(true);
      })
      .Case<arith::FPToUIOp>([&](auto) -> std::optional<std::string> {
        if (to.isInteger(1) || isOdd(to))
          return std::nullopt;
        return toInteger(false);
      })
      .Case<arith::BitcastOp>([&](auto) -> std::optional<std::string> {
        if (isOdd(from) || isOdd(to))
          return std::nullopt;
        std::string text = "$R $N($T x) {\n  $R bits;\n  memcpy(&bits, &x, "
                           "sizeof bits);\n  return bits;\n}";
        replaceAll(text, "$R", *getCType(to));
        return call("bits_" + getSuffix(to), from, text, operands);
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<std::string> ScalarWriter::spell(Operation *op,
                                               ArrayRef<std::string> operands) {
  if (op->getNumResults() != 1 || !getCType(op->getResult(0).getType()) ||
      llvm::any_of(op->getOperandTypes(), [](Type type) {
        return !qbackend::codegen::getCType(type);
      }))
    return std::nullopt;
  if (isa<ub::PoisonOp>(op))
    return "0";
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return operands[0] + " ? " + operands[1] + " : " + operands[2];
  if (op->getNumOperands() == 0)
    return std::nullopt;
  for (auto part : {&ScalarWriter::spellCast, &ScalarWriter::spellInteger,
                    &ScalarWriter::spellFloat, &ScalarWriter::spellMath})
    if (auto text = (this->*part)(op, operands))
      return text;
  return std::nullopt;
}
