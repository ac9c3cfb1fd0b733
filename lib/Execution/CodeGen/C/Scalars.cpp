// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spells ops of arith and math as C11 without undefined behaviour: sums that
// may not fit are unsigned, bits are moved by memcpy, and numbers are converted
// that fit.

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
  if (type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
      type.isInteger(64))
    return "int" + std::to_string(type.getIntOrFloatBitWidth()) + "_t";
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
  if (auto real = dyn_cast<FloatAttr>(number))
    return spellFloatNumber(real.getValue(), real.getType().isF64());
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
  auto asUnsigned = [&](const std::string &operand) {
    return "(" + getUnsigned(type) + ")" + operand;
  };
  auto bitwise = [&](StringRef symbol) -> std::string {
    std::string plain = operands[0] + " " + symbol.str() + " " + operands[1];
    bool isSmall = type.isInteger(8) || type.isInteger(16);
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
      by = "(" + by + " & " + std::to_string(width - 1) + ")";
    else if (count.uge(width))
      return "0";
    std::string shifted = (isUnsigned ? asUnsigned(operands[0]) : operands[0]) +
                          " " + symbol.str() + " " + by;
    return isUnsigned || width < 32 ? "(" + cType + ")(" + shifted + ")"
                                    : shifted;
  };
  // Nothing is divided by 0, nor the least number by -1.
  auto divide = [&](StringRef name, StringRef symbol,
                    bool isUnsigned) -> std::optional<std::string> {
    if (isBool)
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
  return llvm::TypeSwitch<Operation *, std::optional<std::string>>(op)
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
// Floats
//===----------------------------------------------------------------------===//

std::optional<std::string>
ScalarWriter::spellFloat(Operation *op, ArrayRef<std::string> operands) {
  Type type = op->getOperand(0).getType();
  if (!isa<FloatType>(type))
    return std::nullopt;
  auto binary = [&](StringRef symbol) -> std::optional<std::string> {
    return operands[0] + " " + symbol.str() + " " + operands[1];
  };
  auto compare = [&](arith::CmpFOp op) -> std::optional<std::string> {
    using P = arith::CmpFPredicate;
    auto helper = [&](StringRef name, StringRef condition) {
      return call(
          name, type,
          ("bool $N($T a, $T b) {\n  return " + condition + ";\n}").str(),
          operands);
    };
    switch (op.getPredicate()) {
    case P::AlwaysFalse:
      return "false";
    case P::AlwaysTrue:
      return "true";
    case P::OEQ:
      return binary("==");
    case P::OGT:
      return binary(">");
    case P::OGE:
      return binary(">=");
    case P::OLT:
      return binary("<");
    case P::OLE:
      return binary("<=");
    case P::UNE:
      return binary("!=");
    case P::ONE:
      return helper("one", "a < b || a > b");
    case P::ORD:
      return helper("ord", "a == a && b == b");
    case P::UNO:
      return helper("uno", "a != a || b != b");
    case P::UEQ:
      return helper("ueq", "!(a < b || a > b)");
    case P::UGT:
      return "!(" + *binary("<=") + ")";
    case P::UGE:
      return "!(" + *binary("<") + ")";
    case P::ULT:
      return "!(" + *binary(">=") + ")";
    case P::ULE:
      return "!(" + *binary(">") + ")";
    }
    llvm_unreachable("every predicate is above");
  };
  // The larger of two zeros is +0, if one is, the smaller one -0. NaN comes
  // through, or with `isNumber` the other one.
  auto extremum = [&](StringRef name, bool isMax, bool isNumber) {
    std::string text = "$T $N($T a, $T b) {\n";
    text += isNumber ? "  if (a != a)\n    return b;\n  if (b != b)\n    "
                       "return a;\n"
                     : "  if (a != a || b != b)\n    return a + b;\n";
    text += "  if (a == 0 && b == 0)\n    return ";
    text += isMax ? "a + b;\n" : "-(-a - b);\n";
    text += isMax ? "  return a > b ? a : b;\n}" : "  return a < b ? a : b;\n}";
    return call(name, type, text, operands);
  };
  return llvm::TypeSwitch<Operation *, std::optional<std::string>>(op)
      .Case([&](arith::AddFOp) { return binary("+"); })
      .Case([&](arith::SubFOp) { return binary("-"); })
      .Case([&](arith::MulFOp) { return binary("*"); })
      .Case([&](arith::DivFOp) { return binary("/"); })
      .Case([&](arith::NegFOp) { return "-(" + operands[0] + ")"; })
      .Case([&](arith::CmpFOp op) { return compare(op); })
      .Case([&](arith::MaximumFOp) { return extremum("maximum", true, false); })
      .Case(
          [&](arith::MinimumFOp) { return extremum("minimum", false, false); })
      .Case([&](arith::MaxNumFOp) { return extremum("maxnum", true, true); })
      .Case([&](arith::MinNumFOp) { return extremum("minnum", false, true); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<std::string>
ScalarWriter::spellMath(Operation *op, ArrayRef<std::string> operands) {
  Type type = op->getResult(0).getType();
  if (!type.isF32() && !type.isF64())
    return std::nullopt;
  auto library = [&](StringRef name) -> std::optional<std::string> {
    usesMath = true;
    return (name + (type.isF64() ? "(" : "f(") + llvm::join(operands, ", ") +
            ")")
        .str();
  };
  if (isa<math::RoundEvenOp>(op))
    // The unit of numbers from 2^23 (2^52) on is 1: the addition rounds to
    // nearest, ties to even. Larger ones are integers, or none.
    return call("round_even", type,
                std::string("$T $N($T x) {\n  const $T unit = ") +
                    (type.isF64() ? "4503599627370496.0" : "8388608.0f") +
                    ";\n  if (!(x > -unit && x < unit))\n    return x;\n  $T "
                    "rounded = x < 0 ? (x - unit) + unit : (x + unit) - "
                    "unit;\n  if (rounded == 0)\n    return x < 0 ? -($T)0 : x "
                    "> 0 ? ($T)0 : x;\n  return rounded;\n}",
                operands);
  if (isa<math::RsqrtOp>(op))
    return (type.isF64() ? "1.0 / " : "1.0f / ") + *library("sqrt");
  static const std::pair<StringRef, StringRef> functions[] = {
      {"math.absf", "fabs"},         {"math.acos", "acos"},
      {"math.acosh", "acosh"},       {"math.asin", "asin"},
      {"math.asinh", "asinh"},       {"math.atan", "atan"},
      {"math.atan2", "atan2"},       {"math.atanh", "atanh"},
      {"math.cbrt", "cbrt"},         {"math.ceil", "ceil"},
      {"math.copysign", "copysign"}, {"math.cos", "cos"},
      {"math.cosh", "cosh"},         {"math.erf", "erf"},
      {"math.erfc", "erfc"},         {"math.exp", "exp"},
      {"math.exp2", "exp2"},         {"math.expm1", "expm1"},
      {"math.floor", "floor"},       {"math.fma", "fma"},
      {"math.log", "log"},           {"math.log10", "log10"},
      {"math.log1p", "log1p"},       {"math.log2", "log2"},
      {"math.powf", "pow"},          {"math.round", "round"},
      {"math.sin", "sin"},           {"math.sinh", "sinh"},
      {"math.sqrt", "sqrt"},         {"math.tan", "tan"},
      {"math.tanh", "tanh"},         {"math.trunc", "trunc"},
      {"arith.remf", "fmod"}};
  for (auto [name, function] : functions)
    if (op->getName().getStringRef() == name)
      return library(function);
  return std::nullopt;
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
  std::string asUnsigned = from.isIntOrIndex() && !from.isInteger(1)
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
      .Case([&](arith::IndexCastOp) { return cast + operands[0]; })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](auto) { return cast + asUnsigned; })
      .Case([&](arith::TruncIOp) {
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
        if (to.isInteger(1))
          return std::nullopt;
        return toInteger(false);
      })
      .Case<arith::BitcastOp>([&](auto) -> std::optional<std::string> {
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
