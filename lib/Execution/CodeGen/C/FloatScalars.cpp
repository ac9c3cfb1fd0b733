// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spells arithmetic, comparisons and functions of floats as C11, with the bits
// that IEEE 754 says.

#include "Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using qbackend::codegen::ScalarWriter;

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
  if (isa<math::FPowIOp>(op))
    // In the order of __powisf2 and of LLVM.
    return call(
        "powi", type,
        "$T $N($T x, int64_t n) {\n  $T power = 1;\n  int64_t left = n;\n"
        "  for (;; x *= x) {\n    if (left % 2 != 0)\n      power *= "
        "x;\n    left /= 2;\n    if (left == 0)\n      return n < 0 ? 1 / "
        "power : power;\n  }\n}",
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
