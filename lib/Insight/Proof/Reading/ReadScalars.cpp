// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// arith and math on scalars as terms. Sources: MLIR's documentation of both
// dialects; what they leave undefined has to be excluded (`defined`), what they
// leave open (NaN and signed zeros of minnumf) is chosen as LLVM's code for x86
// and its constant folding agree, or refused.

#include "Reading/ReadScalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend::proof;
using llvm::APInt;
using llvm::Expected;

/// Whether `op` has that flag, and no other.
static bool mayContract(Operation *op) {
  auto math = dyn_cast<arith::ArithFastMathInterface>(op);
  auto flags = math ? math.getFastMathFlagsAttr() : arith::FastMathFlagsAttr();
  return flags && flags.getValue() == arith::FastMathFlags::contract;
}

namespace {
class Translator {
public:
  Translator(Operation *op, ArrayRef<Term> operands, Terms &terms,
             Term &defined)
      : op(op), operands(operands), terms(terms), defined(defined) {}

  /// Null if the op has no meaning here.
  Term translate();

private:
  Term compareIntegers(arith::CmpIOp compare);
  Term compareFloats(arith::CmpFOp compare);
  Term pickFloat(bool isMin, bool keepsNaN);
  Term shift(Fn kind);
  Term convert(Fn kind, bool isSigned);
  Term divide(Fn kind);
  Term addFloats();

  Sort getSort() const {
    // Of vectors one lane.
    Type type = getElementTypeOrSelf(op->getResult(0).getType());
    if (isa<FloatType>(type))
      return {true, type.getIntOrFloatBitWidth()};
    return bits(type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
  }
  void require(Term condition) { defined = terms.both(defined, condition); }

  Operation *op;
  ArrayRef<Term> operands;
  Terms &terms;
  Term &defined;
};
} // namespace

Term Translator::compareIntegers(arith::CmpIOp compare) {
  using Predicate = arith::CmpIPredicate;
  Term a = operands[0], b = operands[1];
  switch (compare.getPredicate()) {
  case Predicate::eq:
    return terms.compare(Fn::Equal, a, b);
  case Predicate::ne:
    return terms.negate(terms.compare(Fn::Equal, a, b));
  case Predicate::slt:
    return terms.compare(Fn::LessS, a, b);
  case Predicate::sle:
    return terms.compare(Fn::LessEqualS, a, b);
  case Predicate::sgt:
    return terms.compare(Fn::LessS, b, a);
  case Predicate::sge:
    return terms.compare(Fn::LessEqualS, b, a);
  case Predicate::ult:
    return terms.compare(Fn::LessU, a, b);
  case Predicate::ule:
    return terms.compare(Fn::LessEqualU, a, b);
  case Predicate::ugt:
    return terms.compare(Fn::LessU, b, a);
  case Predicate::uge:
    return terms.compare(Fn::LessEqualU, b, a);
  }
  llvm_unreachable("all predicates are above");
}

Term Translator::compareFloats(arith::CmpFOp compare) {
  using Predicate = arith::CmpFPredicate;
  Term a = operands[0], b = operands[1];
  Term unordered = terms.binary(Fn::Or, terms.make(Fn::IsNaN, bits(1), {a}),
                                terms.make(Fn::IsNaN, bits(1), {b}));
  Term less = terms.compare(Fn::LessF, a, b),
       more = terms.compare(Fn::LessF, b, a),
       equal = terms.compare(Fn::EqualF, a, b),
       lessEqual = terms.compare(Fn::LessEqualF, a, b),
       moreEqual = terms.compare(Fn::LessEqualF, b, a);
  auto either = [&](Term c, Term d) { return terms.binary(Fn::Or, c, d); };
  switch (compare.getPredicate()) {
  case Predicate::AlwaysFalse:
    return terms.constant(1, 0);
  case Predicate::AlwaysTrue:
    return terms.constant(1, 1);
  case Predicate::OEQ:
    return equal;
  case Predicate::OGT:
    return more;
  case Predicate::OGE:
    return moreEqual;
  case Predicate::OLT:
    return less;
  case Predicate::OLE:
    return lessEqual;
  case Predicate::ONE:
    return either(less, more);
  case Predicate::ORD:
    return terms.negate(unordered);
  case Predicate::UNO:
    return unordered;
  case Predicate::UEQ:
    return either(unordered, equal);
  case Predicate::UGT:
    return either(unordered, more);
  case Predicate::UGE:
    return either(unordered, moreEqual);
  case Predicate::ULT:
    return either(unordered, less);
  case Predicate::ULE:
    return either(unordered, lessEqual);
  case Predicate::UNE:
    return terms.negate(equal);
  }
  llvm_unreachable("all predicates are above");
}

/// minimumf and maximumf have a NaN win and order -0 before 0; minnumf and
/// maxnumf have it lose, and either zero is right: equal operands have to be
/// one.
Term Translator::pickFloat(bool isMin, bool keepsNaN) {
  Term a = operands[0], b = operands[1];
  Term aIsNaN = terms.make(Fn::IsNaN, bits(1), {a}),
       bIsNaN = terms.make(Fn::IsNaN, bits(1), {b}),
       equal = terms.compare(Fn::EqualF, a, b);
  Term picked = terms.select(isMin ? terms.compare(Fn::LessF, a, b)
                                   : terms.compare(Fn::LessF, b, a),
                             a, b);
  if (!keepsNaN) {
    require(terms.binary(Fn::Or, terms.negate(equal), terms.same(a, b)));
    picked = terms.select(bIsNaN, a, picked);
    return terms.select(aIsNaN, b, picked);
  }
  // Of two zeros: 1 / x would tell them apart; so does their order as values.
  Term zero = terms.constantBits(a->sort, APInt(a->sort.width, 0));
  Term positive = terms.same(a, zero);
  picked = terms.select(equal,
                        isMin ? terms.select(positive, b, a)
                              : terms.select(positive, a, b),
                        picked);
  picked = terms.select(bIsNaN, b, picked);
  return terms.select(aIsNaN, a, picked);
}

Term Translator::shift(Fn kind) {
  Term amount = operands[1];
  require(
      terms.compare(Fn::LessU, amount,
                    terms.constant(amount->sort.width, amount->sort.width)));
  return terms.binary(kind, operands[0], amount);
}

Term Translator::convert(Fn kind, bool isSigned) {
  Sort sort = getSort();
  require(terms.fits(operands[0], sort.width, isSigned));
  return terms.make(kind, sort, operands);
}

Term Translator::divide(Fn kind) {
  Term by = operands[1];
  require(terms.negate(
      terms.compare(Fn::Equal, by, terms.constant(by->sort.width, 0))));
  return terms.binary(kind, operands[0], by);
}

/// Whether an addition and a product that it has are one op, rounded once, is
/// the compiler's choice where the flag is: a variable.
Term Translator::addFloats() {
  Term sum = terms.binary(Fn::AddF, operands[0], operands[1]);
  for (unsigned i : {0, 1}) {
    Term factors = operands[i];
    if (!mayContract(op) || factors->op != Fn::MulF)
      continue;
    Term isOne = terms.variable("fused " + std::to_string(sum->id), bits(1));
    sum = terms.select(isOne,
                       terms.make(Fn::Fma, sum->sort,
                                  {factors->operands[0], factors->operands[1],
                                   operands[1 - i]}),
                       sum);
  }
  return sum;
}

Term Translator::translate() {
  auto binary = [&](Fn kind) {
    return terms.binary(kind, operands[0], operands[1]);
  };
  auto make = [&](Fn kind) { return terms.make(kind, getSort(), operands); };
  auto pick = [&](bool isMin, Fn less) {
    Term a = operands[0], b = operands[1];
    Term isLess = terms.compare(less, a, b);
    return isMin ? terms.select(isLess, a, b) : terms.select(isLess, b, a);
  };
  // Extends, cuts or keeps an index.
  auto resize = [&](Fn extend) {
    unsigned from = operands[0]->sort.width, to = getSort().width;
    if (from == to)
      return operands[0];
    return make(from < to ? extend : Fn::Trunc);
  };
  return llvm::TypeSwitch<Operation *, Term>(op)
      .Case([&](arith::AddIOp) { return binary(Fn::Add); })
      .Case([&](arith::SubIOp) { return binary(Fn::Sub); })
      .Case([&](arith::MulIOp) { return binary(Fn::Mul); })
      .Case([&](arith::DivUIOp) { return divide(Fn::DivU); })
      .Case([&](arith::RemUIOp) { return divide(Fn::RemU); })
      .Case([&](arith::AndIOp) { return binary(Fn::And); })
      .Case([&](arith::OrIOp) { return binary(Fn::Or); })
      .Case([&](arith::XOrIOp) { return binary(Fn::Xor); })
      .Case([&](arith::ShLIOp) { return shift(Fn::Shl); })
      .Case([&](arith::ShRSIOp) { return shift(Fn::ShrS); })
      .Case([&](arith::ShRUIOp) { return shift(Fn::ShrU); })
      .Case([&](arith::ExtSIOp) { return make(Fn::ExtS); })
      .Case([&](arith::ExtUIOp) { return make(Fn::ExtU); })
      .Case([&](arith::TruncIOp) { return make(Fn::Trunc); })
      .Case([&](arith::IndexCastOp) { return resize(Fn::ExtS); })
      .Case([&](arith::IndexCastUIOp) { return resize(Fn::ExtU); })
      .Case([&](arith::MinSIOp) { return pick(true, Fn::LessS); })
      .Case([&](arith::MaxSIOp) { return pick(false, Fn::LessS); })
      .Case([&](arith::MinUIOp) { return pick(true, Fn::LessU); })
      .Case([&](arith::MaxUIOp) { return pick(false, Fn::LessU); })
      .Case([&](arith::CmpIOp compare) { return compareIntegers(compare); })
      .Case([&](arith::SelectOp) {
        return terms.select(operands[0], operands[1], operands[2]);
      })
      .Case([&](arith::AddFOp) { return addFloats(); })
      .Case([&](arith::SubFOp) { return binary(Fn::SubF); })
      .Case([&](arith::MulFOp) { return binary(Fn::MulF); })
      .Case([&](arith::DivFOp) { return binary(Fn::DivF); })
      .Case([&](arith::NegFOp) { return make(Fn::NegF); })
      .Case([&](arith::MinimumFOp) { return pickFloat(true, true); })
      .Case([&](arith::MaximumFOp) { return pickFloat(false, true); })
      .Case([&](arith::MinNumFOp) { return pickFloat(true, false); })
      .Case([&](arith::MaxNumFOp) { return pickFloat(false, false); })
      .Case([&](arith::CmpFOp compare) { return compareFloats(compare); })
      .Case([&](arith::SIToFPOp) { return make(Fn::SToF); })
      .Case([&](arith::UIToFPOp) { return make(Fn::UToF); })
      .Case([&](arith::FPToSIOp) { return convert(Fn::FToS, true); })
      .Case([&](arith::FPToUIOp) { return convert(Fn::FToU, false); })
      .Case([&](arith::ExtFOp) { return make(Fn::ConvertF); })
      .Case([&](arith::TruncFOp) { return make(Fn::ConvertF); })
      .Case([&](arith::BitcastOp) -> Term {
        if (operands[0]->sort.isFloat == getSort().isFloat)
          return nullptr;
        if (getSort().isFloat)
          return make(Fn::FromBits);
        // A NaN has many bits.
        require(terms.negate(terms.make(Fn::IsNaN, bits(1), {operands[0]})));
        return make(Fn::Bits);
      })
      .Case([&](math::RoundEvenOp) { return make(Fn::RoundEven); })
      .Case([&](math::RoundOp) { return make(Fn::RoundAway); })
      .Case([&](math::CeilOp) { return make(Fn::RoundUp); })
      .Case([&](math::FloorOp) { return make(Fn::RoundDown); })
      .Case([&](math::TruncOp) { return make(Fn::RoundZero); })
      .Case([&](math::AbsFOp) { return make(Fn::AbsF); })
      .Case([&](math::FmaOp) { return make(Fn::Fma); })
      .Default([](Operation *) { return nullptr; });
}

/// An op on indices that are sums of loops; nothing if it isn't a sum.
static std::optional<Linear> combine(Operation *op, ArrayRef<Scalar> operands,
                                     Scope &scope) {
  SmallVector<Linear, 2> sums;
  for (const Scalar &operand : operands) {
    if (!std::holds_alternative<Linear>(operand))
      return std::nullopt;
    sums.push_back(std::get<Linear>(operand));
  }
  if (isa<arith::AddIOp>(op))
    return sums[0] + sums[1];
  if (isa<arith::SubIOp>(op))
    return sums[0] + sums[1] * -1;
  if (isa<arith::MulIOp>(op) && sums[1].isConstant())
    return sums[0] * sums[1].offset;
  if (isa<arith::MulIOp>(op) && sums[0].isConstant())
    return sums[1] * sums[0].offset;
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op) && sums[1].isConstant())
    return scope.limit(sums[0], sums[1].offset, isa<arith::MinSIOp>(op));
  if (isa<arith::DivUIOp, arith::RemUIOp>(op) && sums[1].isConstant() &&
      sums[1].offset > 0) {
    auto range = scope.getRange(sums[0]);
    auto parts = range && range->first >= 0
                     ? scope.divide(sums[0], sums[1].offset)
                     : std::nullopt;
    if (parts)
      return isa<arith::DivUIOp>(op) ? parts->first : parts->second;
  }
  return std::nullopt;
}

Expected<Scalar> qbackend::proof::readScalarOp(Operation *op,
                                               ArrayRef<Scalar> operands,
                                               Scope &scope, Term &defined) {
  auto fail = [&](const Twine &what) {
    return llvm::createStringError("'" + op->getName().getStringRef() + "' " +
                                   what);
  };
  if (op->getNumResults() != 1)
    return fail("has no meaning here");
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue())) {
      if (type.isIndex())
        return Scalar(Linear(integer.getInt()));
      return Scalar(scope.terms.constant(integer.getValue()));
    }
    auto real = dyn_cast<FloatAttr>(constant.getValue());
    if (real && (type.isF32() || type.isF64()))
      return Scalar(
          scope.terms.constantBits({true, type.getIntOrFloatBitWidth()},
                                   real.getValue().bitcastToAPInt()));
    return fail("has a type without a meaning here");
  }
  bool isNumber = type.isF32() || type.isF64() || type.isSignlessInteger();
  if (!isNumber && !type.isIndex())
    return fail("has a type without a meaning here");
  if (type.isIndex())
    if (auto sum = combine(op, operands, scope))
      return Scalar(*sum);
  SmallVector<Term> terms;
  for (const Scalar &operand : operands) {
    if (auto *term = std::get_if<Term>(&operand))
      terms.push_back(*term);
    else if (auto number = scope.getNumber(std::get<Linear>(operand)))
      terms.push_back(*number);
    else
      return fail("computes with the place of an element, which is not "
                  "followed");
  }
  // Flags that make results undefined would have to be conditions.
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    if (flags.getOverflowAttr().getValue() != arith::IntegerOverflowFlags::none)
      return fail("has overflow flags, which have no meaning here");
  if (op->hasAttr("isExact"))
    return fail("is exact by a flag, which has no meaning here");
  if (auto rounds = dyn_cast<arith::ArithRoundingModeInterface>(op))
    if (auto mode = rounds.getRoundingModeAttr();
        mode && mode.getValue() != arith::RoundingMode::to_nearest_even)
      return fail("rounds in another way than to nearest, ties to even");
  if (auto math = dyn_cast<arith::ArithFastMathInterface>(op))
    if (auto flags = math.getFastMathFlagsAttr();
        flags && flags.getValue() != arith::FastMathFlags::none &&
        !(isa<arith::AddFOp, arith::MulFOp>(op) && mayContract(op)))
      return fail("has fast-math flags, with which its result is not one "
                  "number");
  Term result = Translator(op, terms, scope.terms, defined).translate();
  if (!result)
    return fail("has no meaning here");
  return Scalar(result);
}
