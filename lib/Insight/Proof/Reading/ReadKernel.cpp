// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// int8.conv2d on tensors as a term, as Int8Ops.td defines it:
//
//   sum = bias[o] + sum of x * w, wrapping; outside of the image x is pad_value
//   y = clamp(rne(f32(f32(sum) * m)) + zero_point, lo, hi), or `overflow`
//   or of fixed-point multipliers clamp(round(sum * m / 2^s), lo - zero_point,
//   hi - zero_point) + zero_point
//   y = clamp(round((y * lhs + r * rhs - offset) / 2^shift) + zero_point, lo,
//   hi)

#include "Reading/ReadKernel.h"

#include "Reading/FixedPoint.h"
#include "Reading/Reader.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using llvm::Expected;

static Term clamp(Term value, int64_t lo, int64_t hi, Terms &terms) {
  unsigned width = value->sort.width;
  return terms.minS(terms.maxS(value, terms.constant(width, lo)),
                    terms.constant(width, hi));
}

Term qbackend::proof::makeKernelByte(int8::Conv2dOp op, Term sum, Term m,
                                     Terms &terms) {
  int8::RequantizeAttr requantize = op.getRequantizeAttr();
  if (!requantize)
    return sum;
  if (!m->sort.isFloat) {
    // The multiplier in the low 32 bits, the shift less 1 in the high ones.
    Term factor =
        terms.make(Fn::ExtU, bits(64), {terms.make(Fn::Trunc, bits(32), {m})});
    Term less = terms.binary(Fn::ShrU, m, terms.constant(64, 32));
    Term shift = terms.binary(Fn::Add, terms.make(Fn::ExtU, bits(66), {less}),
                              terms.constant(66, 1));
    return addZeroPoint(
        roundProduct(sum, factor, shift, requantize.getRounding(), terms),
        requantize.getZeroPoint(), requantize.getLo(), requantize.getHi(),
        terms, op.getInput().getType().getElementTypeBitWidth());
  }
  Term product = terms.binary(Fn::MulF, terms.make(Fn::SToF, f32(), {sum}), m);
  Term isLarge =
      terms.compare(Fn::LessEqualF, terms.constantF(0x1p31f), product);
  // 34 bits hold what is between; what is below is `lo`.
  Term isSmall =
      terms.compare(Fn::LessEqualF, product, terms.constantF(-0x1p31f));
  Term integer = terms.make(Fn::FToS, bits(34),
                            {terms.make(Fn::RoundEven, f32(), {product})});
  Term y = terms.binary(Fn::Add, integer,
                        terms.constant(34, requantize.getZeroPoint()));
  y = clamp(y, requantize.getLo(), requantize.getHi(), terms);
  y = terms.select(isSmall, terms.constant(34, requantize.getLo()), y);
  y = terms.select(isLarge, terms.constant(34, requantize.getOverflow()), y);
  return terms.make(Fn::Trunc, bits(8), {y});
}

Term qbackend::proof::makeKernelResult(int8::Conv2dOp op, Term byte,
                                       Term residual, Terms &terms) {
  int8::AddAttr add = op.getAddAttr();
  if (!add)
    return byte;
  // Bytes times factors of 32 bits, and what is added to them.
  constexpr unsigned width = 44;
  auto number = [&](int64_t value) { return terms.constant(width, value); };
  auto extend = [&](Term value) {
    return terms.make(op.getIsSigned() ? Fn::ExtS : Fn::ExtU, bits(width),
                      {value});
  };
  Term acc = terms.binary(
      Fn::Add, terms.binary(Fn::Mul, extend(byte), number(add.getLhs())),
      terms.binary(Fn::Mul, extend(residual), number(add.getRhs())));
  acc = terms.binary(Fn::Sub, acc, number(add.getOffset()));
  auto roundUp = [&](Term value) {
    value = terms.binary(Fn::Add, value,
                         number(int64_t(1) << (add.getShift() - 1)));
    return terms.binary(Fn::ShrS, value, number(add.getShift()));
  };
  if (add.getHalfUp()) {
    acc = roundUp(acc);
  } else {
    Term isNegative = terms.compare(Fn::LessS, acc, number(0));
    auto negate = [&](Term value) {
      return terms.binary(Fn::Sub, number(0), value);
    };
    Term rounded = roundUp(terms.select(isNegative, negate(acc), acc));
    acc = terms.select(isNegative, negate(rounded), rounded);
  }
  acc = terms.binary(Fn::Add, acc, number(add.getZeroPoint()));
  return terms.make(Fn::Trunc, bits(8),
                    {clamp(acc, add.getLo(), add.getHi(), terms)});
}

Expected<Term> Reader::readKernel(int8::Conv2dOp op, const Position &at) {
  if (op.getNumResults() != 1)
    return fail(op, "writes memory");
  Terms &terms = scope.terms;
  ShapedType inputType = op.getInput().getType(),
             weightType = op.getWeight().getType();
  int64_t groups = op.getGroups(), inGroup = weightType.getShape().back();
  Linear group;
  if (groups != 1) {
    auto parts = scope.divide(at[3], weightType.getDimSize(0) / groups);
    if (!parts)
      return fail(op,
                  "has output channel " + scope.print(at[3]) + " in no group");
    group = parts->first;
  }
  Fold found;
  auto takeLoop = [&](int64_t extent) -> std::optional<Linear> {
    if (extent == 1)
      return Linear(0);
    if (found.loops.size() == foldLoops.size() ||
        scope.getLoops()[foldLoops[found.loops.size()]].extent != extent)
      return std::nullopt;
    found.loops.push_back(foldLoops[found.loops.size()]);
    return scope.loop(found.loops.back());
  };
  Position read = at, tap = {at[3]};
  for (unsigned i : {0, 1}) {
    auto k = takeLoop(weightType.getDimSize(1 + i));
    if (!k)
      return fail(op, "has other loops than the formula");
    tap.push_back(*k);
    read[1 + i] = at[1 + i] * op.getStride()[i] + *k * op.getDilation()[i] +
                  Linear(-op.getPadding()[2 * i]);
  }
  auto inner = takeLoop(inGroup);
  if (!inner || found.loops.size() != foldLoops.size())
    return fail(op, "has other loops than the formula");
  tap.push_back(*inner);
  read[3] = group * inGroup + *inner;

  auto bias = readTensor(op.getBias(), {at[3]});
  if (!bias)
    return bias;
  auto w = readTensor(op.getWeight(), tap);
  if (!w)
    return w;
  auto x = readTensor(op.getInput(), read);
  if (!x)
    return x;
  Term outside = terms.constant((*x)->sort.width, op.getPadValue());
  x = terms.select(scope.inside(read, inputType.getShape()), *x, outside);
  Fn extend = op.getIsSigned() ? Fn::ExtS : Fn::ExtU;
  found.init = *bias;
  found.carried = terms.variable("carried", bits(32));
  found.result = terms.variable("sum", bits(32));
  found.step =
      terms.binary(Fn::Add, found.carried,
                   terms.binary(Fn::Mul, terms.make(extend, bits(32), {*x}),
                                terms.make(Fn::ExtS, bits(32), {*w})));
  stepDefined = terms.constant(1, 1);
  Term m = nullptr, residual = nullptr;
  if (op.getMultiplier()) {
    auto read = readTensor(op.getMultiplier(), {at[3]});
    if (!read)
      return read;
    m = *read;
  }
  if (op.getResidual()) {
    auto read = readTensor(op.getResidual(), at);
    if (!read)
      return read;
    residual = *read;
  }
  auto sum = addFold(op, found);
  if (!sum)
    return sum;
  Term byte = makeKernelByte(op, *sum, m, terms);
  if (residual)
    addedByte = {byte, terms.constant(1, 1)};
  return makeKernelResult(op, byte, residual, terms);
}
