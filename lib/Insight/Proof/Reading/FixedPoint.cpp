// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixed-point requantization from its definition: the nearest integer of a
// quotient, whose ties are decided by a comparison of the remainder, and not by
// the sums and shifts of an implementation.

#include "Reading/FixedPoint.h"

using namespace qbackend;
using namespace qbackend::proof;
using numerics::Rounding;

Term qbackend::proof::roundProduct(Term value, Term multiplier, Term shift,
                                   Rounding rounding, Terms &terms) {
  // |value * multiplier| <= 2^62; 66 bits hold it with all that is added.
  constexpr unsigned width = 66;
  auto number = [&](int64_t integer) { return terms.constant(width, integer); };
  auto add = [&](Term a, Term b) { return terms.binary(Fn::Add, a, b); };
  auto subtract = [&](Term a, Term b) { return terms.binary(Fn::Sub, a, b); };
  Term product =
      terms.make(Fn::ExtS, bits(width),
                 {terms.binary(Fn::Mul, terms.make(Fn::ExtS, bits(64), {value}),
                               multiplier)});
  Term half = terms.binary(Fn::Shl, number(1), subtract(shift, number(1)));
  auto divide = [&](Term a) { return terms.binary(Fn::ShrS, a, shift); };
  Term rounded = nullptr;
  switch (rounding) {
  case numerics::Rounding::NearestEven: {
    Term whole = divide(product);
    Term rest = subtract(product, terms.binary(Fn::Shl, whole, shift));
    Term isOdd = terms.make(Fn::Trunc, bits(1), {whole});
    Term isTie = terms.compare(Fn::Equal, rest, half);
    Term isUp = terms.binary(Fn::Or, terms.compare(Fn::LessS, half, rest),
                             terms.both(isTie, isOdd));
    rounded = terms.select(isUp, add(whole, number(1)), whole);
    break;
  }
  case numerics::Rounding::HalfUp:
    rounded = divide(add(product, half));
    break;
  case numerics::Rounding::HalfAway: {
    Term isNegative = terms.compare(Fn::LessS, product, number(0));
    auto negate = [&](Term a) { return subtract(number(0), a); };
    Term magnitude = terms.select(isNegative, negate(product), product);
    Term integer = divide(add(magnitude, half));
    rounded = terms.select(isNegative, negate(integer), integer);
    break;
  }
  case numerics::Rounding::Double: {
    Term isNegative = terms.compare(Fn::LessS, value, terms.constant(32, 0));
    Term moved = terms.select(isNegative, number(-(int64_t(1) << 30)),
                              number(int64_t(1) << 30));
    Term isLarge = terms.compare(Fn::LessS, number(31), shift);
    moved = terms.select(isLarge, moved, number(0));
    rounded = divide(add(add(product, moved), half));
    break;
  }
  }
  return terms.make(Fn::Trunc, bits(32), {rounded});
}

Term qbackend::proof::scaleByFixedPoint(
    Term value, qnnpack::RequantizationAttr requantization, Terms &terms) {
  // Of bytes less a zero point, which stay within 32 bits.
  if (int64_t left = requantization.getLeftShift())
    value = terms.binary(Fn::Shl, value, terms.constant(32, left));
  return roundProduct(value,
                      terms.constant(64, requantization.getMultiplier()[0]),
                      terms.constant(66, requantization.getShift()[0]),
                      requantization.getRounding(), terms);
}

Term qbackend::proof::addZeroPoint(Term value, int64_t zeroPoint, int64_t lo,
                                   int64_t hi, Terms &terms, unsigned width) {
  value = terms.maxS(value, terms.constant(32, lo - zeroPoint));
  value = terms.minS(value, terms.constant(32, hi - zeroPoint));
  return terms.make(
      Fn::Trunc, bits(width),
      {terms.binary(Fn::Add, value, terms.constant(32, zeroPoint))});
}
