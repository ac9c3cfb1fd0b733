// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of docs/Numerics.md as terms, from that page and from the types
// and attributes of an op: nothing of lib/Numerics or of a lowering is in here.

#include "Formulas/Formulas.h"

#include "qbackend/Dialect/QNNPack/ConstantElements.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using namespace qbackend::qnnpack;
using llvm::APFloat;
using llvm::APInt;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Term FormulaBuilder::clamp(Term value, int64_t lo, int64_t hi) {
  unsigned width = value->sort.width;
  return terms.minS(terms.maxS(value, terms.constant(width, lo)),
                    terms.constant(width, hi));
}

Term FormulaBuilder::cvt(Term value) {
  Term rounded = rne(value);
  return terms.select(terms.fits(rounded, 32, /*isSigned=*/true),
                      terms.make(Fn::FToS, bits(32), {rounded}),
                      i32(INT32_MIN));
}

/// clamp(z + rne(product), min, max); `min` of NaN and of magnitudes of 2^63
/// and more. 66 bits hold every sum.
Term FormulaBuilder::quantizeProduct(Term product, Term zeroPoint, int64_t min,
                                     int64_t max) {
  Term fits = terms.compare(Fn::LessF, terms.make(Fn::AbsF, f32(), {product}),
                            real(0x1p63f));
  Term integer = terms.make(Fn::FToS, bits(66), {rne(product)});
  Term wide = terms.make(Fn::ExtS, bits(66), {zeroPoint});
  return terms.select(fits,
                      clamp(terms.binary(Fn::Add, integer, wide), min, max),
                      terms.constant(66, min));
}

Term FormulaBuilder::quantize(Term value, const QParams &type, int64_t lo) {
  Term inverse = divide(real(1), real(type.scale));
  return store(quantizeProduct(multiply(value, inverse), i32(type.zeroPoint),
                               lo, type.max),
               type);
}

/// f32(s * f32(q - z)) of the bytes `q`.
Term FormulaBuilder::dequantize(Term q, const QParams &type) {
  return multiply(real(type.scale),
                  toReal(subtract(extend(q, type), type.zeroPoint)));
}

/// clamp(clamp(cvt(v), -32768, 32767) + zy, lo, hi).
Term FormulaBuilder::roundSaturated(Term v, const QParams &y, int64_t lo) {
  Term integer = clamp(cvt(v), -32768, 32767);
  return clamp(terms.binary(Fn::Add, integer, i32(y.zeroPoint)), lo, y.max);
}

/// That of v = f32(f32(acc) * m), or with `limits` of
/// min(v, f32(hi - zy)).
Term FormulaBuilder::requantize(Term acc, Term m, const QParams &y, int64_t lo,
                                bool limits) {
  Term v = multiply(toReal(acc), m);
  if (limits) {
    Term most = real(y.max - y.zeroPoint);
    v = terms.select(terms.compare(Fn::LessF, most, v), most, v);
  }
  return store(roundSaturated(v, y, lo), y);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Whether `value` is the result of an op that is part of the formula.
static bool isProducer(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<QNNPackDialect>(op->getDialect());
}

/// What `producer`, whose result is an operand, has at `place`.
Term FormulaBuilder::compose(Operation *producer, Sort sort,
                             const Position &place) {
  auto inner = makeFormula(producer, place, scope);
  if (!inner) {
    why = llvm::toString(inner.takeError());
    return terms.constantBits(sort, APInt(sort.width, 0));
  }
  if (inner->code.fold) {
    if (formula.code.fold)
      why = "no formula: there is a second sum";
    formula.code.fold = inner->code.fold;
    formula.sums = inner->sums;
    formula.code.addedByte = isa<AddOp>(op) && inner->code.fold
                                 ? Cut{inner->code.result, nullptr}
                                 : inner->code.addedByte;
  }
  before += inner->text + "; ";
  return inner->code.result;
}

Term FormulaBuilder::element(unsigned operand, const Position &place) {
  Value value = op->getOperand(operand);
  Type type = getElementTypeOrSelf(value.getType());
  Sort sort = f32();
  if (auto quantized = dyn_cast<quant::QuantizedType>(type))
    sort = bits(quantized.getStorageTypeIntegralWidth());
  else if (auto integer = dyn_cast<IntegerType>(type))
    sort = bits(integer.getWidth());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return scope.element(argument.getArgNumber(), sort, place,
                         cast<ShapedType>(value.getType()).getShape());
  if (isProducer(value))
    return compose(value.getDefiningOp(), sort, place);
  // A constant of bytes; `build` has looked that there are no others.
  auto values = ConstantElements<int8_t>::read(value);
  Table table;
  table.read = [values = *values](int64_t index) {
    return APInt(8, static_cast<uint8_t>(values[index]));
  };
  llvm::append_range(table.shape, cast<ShapedType>(value.getType()).getShape());
  table.position = place;
  return scope.element(std::move(table), sort,
                       "operand" + std::to_string(operand));
}

Term FormulaBuilder::number(unsigned operand, const Linear &place,
                            StringRef name,
                            std::function<float(int64_t, float)> change) {
  Value value = op->getOperand(operand);
  if (isa<BlockArgument>(value))
    return element(operand, {place});
  auto values = ConstantElements<float>::read(value);
  if (!values)
    return nullptr;
  Table table;
  table.shape = {cast<ShapedType>(value.getType()).getDimSize(0)};
  table.position = {place};
  table.read = [=, values = *values](int64_t i) {
    float own = values[i];
    return APFloat(change ? change(i, own) : own).bitcastToAPInt();
  };
  return scope.element(std::move(table), f32(), name);
}

/// Where an operand whose shape broadcasts to that of the result is read.
Position FormulaBuilder::broadcast(unsigned operand) {
  auto type = cast<ShapedType>(op->getOperand(operand).getType());
  auto result = cast<ShapedType>(op->getResult(0).getType());
  Position place;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    int64_t d = result.getRank() - type.getRank() + i;
    bool isStretched = type.getDimSize(i) == 1 && result.getDimSize(d) != 1;
    place.push_back(isStretched ? Linear(0) : at[d]);
  }
  return place;
}

/// A loop of a sum; one of extent 1 is its only value.
Linear FormulaBuilder::addFoldLoop(int64_t extent, StringRef name) {
  if (!formula.code.fold)
    formula.code.fold.emplace();
  if (extent == 1)
    return Linear(0);
  unsigned loop = scope.addLoop(extent, name.str());
  formula.code.fold->loops.push_back(loop);
  return scope.loop(loop);
}

void FormulaBuilder::carry(Term init, llvm::function_ref<Term(Term)> step) {
  if (!formula.code.fold)
    formula.code.fold.emplace();
  Fold &fold = *formula.code.fold;
  fold.init = init;
  fold.carried = terms.variable("carried", init->sort);
  fold.result = terms.variable("sum", init->sort);
  fold.step = step(fold.carried);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// A number of each channel of `type`, at `place`.
template <typename Function>
static Term channelElement(Scope &scope,
                           quant::UniformQuantizedPerAxisType type,
                           const Linear &place, Sort sort, StringRef name,
                           Function getBits) {
  Table table;
  table.shape = {static_cast<int64_t>(type.getScales().size())};
  table.position = {place};
  table.read = getBits;
  return scope.element(std::move(table), sort, name);
}

Expected<Term> FormulaBuilder::quantizeOp() {
  Type type = op->getResult(0).getType();
  auto perAxis = getPerAxis(type);
  formula.text = "clamp(z + rne(f32(x * f32(1 / s))), qmin, qmax)";
  auto element = cast<quant::QuantizedType>(getElementTypeOrSelf(type));
  unsigned width = element.getStorageTypeIntegralWidth();
  Term x = this->element(0, at), inverse, zeroPoint;
  if (perAxis) {
    Linear channel = at[perAxis.getQuantizedDimension()];
    inverse = channelElement(scope, perAxis, channel, f32(), "f32(1 / s)",
                             [=](int64_t i) {
                               float s = perAxis.getScales()[i];
                               return APFloat(1.0f / s).bitcastToAPInt();
                             });
    zeroPoint =
        channelElement(scope, perAxis, channel, bits(32), "z", [=](int64_t i) {
          return APInt(64, perAxis.getZeroPoints()[i], true).trunc(32);
        });
  } else {
    QParams y(type);
    inverse = divide(real(1), real(y.scale));
    zeroPoint = i32(y.zeroPoint);
  }
  Term y =
      quantizeProduct(multiply(x, inverse), zeroPoint,
                      element.getStorageTypeMin(), element.getStorageTypeMax());
  return terms.make(Fn::Trunc, bits(width), {y});
}

Expected<Term> FormulaBuilder::dequantizeOp() {
  Type type = op->getOperand(0).getType();
  auto perAxis = getPerAxis(type);
  if (!perAxis) {
    formula.text = "f32(s * f32(q - z))";
    return dequantize(element(0, at), QParams(type));
  }
  formula.text = "f32(double(q - z) * s)";
  Linear channel = at[perAxis.getQuantizedDimension()];
  Sort f64{true, 64};
  Term scale =
      channelElement(scope, perAxis, channel, f64, "s", [=](int64_t i) {
        return APFloat(perAxis.getScales()[i]).bitcastToAPInt();
      });
  Term zeroPoint =
      channelElement(scope, perAxis, channel, bits(64), "z", [=](int64_t i) {
        return APInt(64, perAxis.getZeroPoints()[i], true);
      });
  Term q = terms.make(perAxis.isSigned() ? Fn::ExtS : Fn::ExtU, bits(64),
                      {element(0, at)});
  Term difference =
      terms.make(Fn::SToF, f64, {terms.binary(Fn::Sub, q, zeroPoint)});
  return terms.make(Fn::ConvertF, f32(),
                    {terms.binary(Fn::MulF, difference, scale)});
}

Expected<Term> FormulaBuilder::add(AddOp add) {
  QParams a(add.getLhs().getType()), b(add.getRhs().getType()),
      y(add.getOutput().getType());
  int64_t lo = add.getRelu() ? y.zeroPoint : y.min;
  Position left = broadcast(0), right = broadcast(1);
  auto shapeOf = [](Value value) {
    return cast<ShapedType>(value.getType()).getShape();
  };
  if (RequantizationAttr requantization = add.getRequantizationAttr()) {
    formula.text =
        "clamp(R(R_lhs(a - za) + R_rhs(b - zb)), lo - zy, hi - zy) + "
        "zy, R(v) = round(v * m / 2^s)";
    Term sum =
        terms.binary(Fn::Add,
                     scaleByFixedPoint(subtract(integer(0, left), a.zeroPoint),
                                       add.getLhsRequantizationAttr(), terms),
                     scaleByFixedPoint(subtract(integer(1, right), b.zeroPoint),
                                       add.getRhsRequantizationAttr(), terms));
    return addZeroPoint(scaleByFixedPoint(sum, requantization, terms), y, lo);
  }
  bool isEqual = shapeOf(add.getLhs()) == shapeOf(add.getRhs());
  if (add.getAten() || (!y.isSigned && !isEqual)) {
    if (add.getVectorized())
      return fail("ATen's vector code");
    formula.text = "quantize(f32(dequantize(a) + dequantize(b)))";
    Term sum = terms.binary(Fn::AddF, dequantize(element(0, left), a),
                            dequantize(element(1, right), b));
    return quantize(sum, y, lo);
  }
  float ra = a.scale / y.scale, rb = b.scale / y.scale;
  int shift = (y.isSigned ? 20 : 21) - std::ilogb(std::max(ra, rb));
  auto fix = [&](float ratio) {
    return static_cast<int64_t>(std::nearbyint(std::ldexp(ratio, shift)));
  };
  // 2^9 * 2^22 * 4 holds every sum, and a half more.
  constexpr unsigned width = 40;
  auto product = [&](unsigned operand, const Position &place, const QParams &x,
                     int64_t multiplier) {
    Term q = terms.make(x.isSigned ? Fn::ExtS : Fn::ExtU, bits(width),
                        {element(operand, place)});
    return terms.binary(Fn::Mul, subtract(q, x.zeroPoint),
                        terms.constant(width, multiplier));
  };
  Term acc = terms.binary(Fn::Add, product(0, left, a, fix(ra)),
                          product(1, right, b, fix(rb)));
  Term half = terms.constant(width, int64_t(1) << (shift - 1)),
       zero = terms.constant(width, 0), by = terms.constant(width, shift);
  auto roundUp = [&](Term value) {
    return terms.binary(Fn::ShrS, terms.binary(Fn::Add, value, half), by);
  };
  Term r;
  if (y.isSigned) {
    formula.text = "clamp(floor((a ma + b mb - za ma - zb mb) / 2^shift + 1/2) "
                   "+ zy, lo, hi)";
    r = roundUp(acc);
  } else {
    formula.text = "clamp((a ma + b mb - za ma - zb mb) / 2^shift, ties away "
                   "from zero, + zy, lo, hi)";
    Term isNegative = terms.compare(Fn::LessS, acc, zero);
    Term magnitude =
        terms.select(isNegative, terms.binary(Fn::Sub, zero, acc), acc);
    Term rounded = roundUp(magnitude);
    r = terms.select(isNegative, terms.binary(Fn::Sub, zero, rounded), rounded);
  }
  r = terms.binary(Fn::Add, r, terms.constant(width, y.zeroPoint));
  return store(clamp(r, lo, y.max), y);
}

Expected<Term> FormulaBuilder::mul() {
  auto mul = cast<MulOp>(op);
  QParams a(mul.getLhs().getType()), b(mul.getRhs().getType()),
      y(mul.getOutput().getType());
  bool isXnnpack = y.isSigned && y.zeroPoint != 127;
  formula.text = "clamp(zy + rne(f32(f32((a - za) (b - zb)) * m)), lo, hi)";
  Term acc =
      terms.binary(Fn::Mul, subtract(integer(0, broadcast(0)), a.zeroPoint),
                   subtract(integer(1, broadcast(1)), b.zeroPoint));
  int64_t lo = mul.getRelu() ? y.zeroPoint : y.min;
  if (RequantizationAttr requantization = mul.getRequantizationAttr()) {
    formula.text =
        "clamp(round((a - za) (b - zb) * m / 2^s), lo - zy, hi - zy) "
        "+ zy";
    return addZeroPoint(scaleByFixedPoint(acc, requantization, terms), y, lo);
  }
  Term m = multiply(real(a.scale), real(b.scale));
  m = isXnnpack ? divide(m, real(y.scale))
                : multiply(m, divide(real(1), real(y.scale)));
  // Products of 2^31 and more give lo.
  Term rounded =
      terms.make(Fn::ExtS, bits(34), {cvt(multiply(toReal(acc), m))});
  Term sum = terms.binary(Fn::Add, rounded, terms.constant(34, y.zeroPoint));
  return store(clamp(sum, lo, y.max), y);
}

Expected<Term> FormulaBuilder::prelu() {
  auto prelu = cast<PreluOp>(op);
  QParams x(prelu.getInput().getType()), w(prelu.getWeight().getType()),
      y(prelu.getOutput().getType());
  formula.text = "acc = max(q - zx, 0) * one + min(q - zx, 0) * (w - zw); "
                 "clamp(zy + rne(f32(f32(acc) * m)), lo, hi)";
  bool perChannel =
      cast<ShapedType>(prelu.getWeight().getType()).getDimSize(0) != 1;
  Term d = subtract(integer(0, at), x.zeroPoint);
  Term slope =
      subtract(integer(1, {perChannel ? at.back() : Linear(0)}), w.zeroPoint);
  Term one = extend(quantize(real(1), w, w.min), w);
  one = subtract(one, w.zeroPoint);
  Term acc =
      terms.binary(Fn::Add, terms.binary(Fn::Mul, terms.maxS(d, i32(0)), one),
                   terms.binary(Fn::Mul, terms.minS(d, i32(0)), slope));
  Term m = multiply(multiply(real(x.scale), real(w.scale)),
                    divide(real(1), real(y.scale)));
  Term rounded =
      terms.make(Fn::ExtS, bits(34), {cvt(multiply(toReal(acc), m))});
  Term sum = terms.binary(Fn::Add, rounded, terms.constant(34, y.zeroPoint));
  return store(clamp(sum, y.min, y.max), y);
}

Expected<Term> FormulaBuilder::addScalar(AddScalarOp add) {
  QParams x(add.getInput().getType()), y(add.getOutput().getType());
  double s = getQuantizedType(add.getInput().getType()).getScale();
  double steps = std::nearbyint(add.getScalar().convertToDouble() / s);
  double moved = static_cast<double>(x.zeroPoint) - steps;
  int64_t lo = add.getRelu() ? y.zeroPoint : y.min;
  Term q = integer(0, at);
  if (moved >= x.min && moved <= x.max) {
    formula.text = "q, with z - rne(c / s)";
    return store(terms.maxS(q, i32(lo)), y);
  }
  formula.text = "clamp(z'' + rne(f32(f32(q - z') * f32(s * f32(1 / s')))), "
                 "qmin, qmax)";
  Term m = multiply(real(x.scale), divide(real(1), real(y.scale)));
  Term v = multiply(toReal(subtract(q, static_cast<int64_t>(moved))), m);
  Term sum = terms.binary(Fn::Add, terms.make(Fn::ExtS, bits(34), {cvt(v)}),
                          terms.constant(34, y.zeroPoint));
  return store(clamp(sum, lo, y.max), y);
}

Expected<Term> FormulaBuilder::mulScalar(MulScalarOp mul) {
  QParams y(mul.getOutput().getType());
  double c = mul.getScalar().convertToDouble();
  int64_t lo = mul.getRelu() ? y.zeroPoint : y.min;
  Term q = integer(0, at);
  if (c == 0) {
    formula.text = "0";
    return terms.constant(y.width, 0);
  }
  formula.text = c > 0 ? "q, with s * c" : "qmin + qmax - q, with s * -c";
  if (c < 0)
    q = terms.binary(Fn::Sub, i32(y.min + y.max), q);
  return store(terms.maxS(q, i32(lo)), y);
}

Expected<Term> FormulaBuilder::clampOp(ClampOp clampOp) {
  QParams x(clampOp.getInput().getType());
  formula.text = "clamp(q, quantize(min), quantize(max))";
  auto bound = [&](const APFloat &value) {
    float least = x.scale * static_cast<float>(x.min - x.zeroPoint),
          most = x.scale * static_cast<float>(x.max - x.zeroPoint);
    float inside = std::min(std::max(value.convertToFloat(), least), most);
    return extend(quantize(real(inside), x, x.min), x);
  };
  Term q = integer(0, at);
  q = terms.maxS(q, bound(clampOp.getMin()));
  return store(terms.minS(q, bound(clampOp.getMax())), x);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Expected<Formula> FormulaBuilder::build() {
  if (isWide(op->getOperand(0).getType()) &&
      !isa<Conv1dOp, Conv2dOp, Conv3dOp, LinearOp>(op))
    return fail("none is here for 16-bit activations yet");
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool isBias =
        i == 2 && isa<Conv1dOp, Conv2dOp, Conv3dOp, ConvTranspose1dOp,
                      ConvTranspose2dOp, LinearOp, LinearDynamicOp>(op);
    bool isOfNorm = i > 0 && isa<BatchNormOp>(op),
         isOfRows = i > 1 && isa<EmbeddingByteOp, Embedding4BitOp>(op);
    if (!isBias && !isOfNorm && !isOfRows && !isa<BlockArgument>(operand) &&
        !isProducer(operand) && !ConstantElements<int8_t>::read(operand))
      return fail("operand " + Twine(i) +
                  " is neither an argument nor a constant of bytes");
  }
  auto convolution = [&](auto conv) {
    return weighted({conv.getStride(), conv.getPadding(), conv.getDilation(),
                     int64_t(conv.getGroups())},
                    conv.getRelu(), conv.getMathematical(),
                    conv.getRequantizationAttr());
  };
  auto transposed = [&](auto conv) {
    return weighted({conv.getStride(), conv.getPadding(), conv.getDilation(),
                     int64_t(conv.getGroups()), /*isTransposed=*/true},
                    /*relu=*/false, conv.getMathematical(),
                    conv.getRequantizationAttr());
  };
  auto result =
      llvm::TypeSwitch<Operation *, Result>(op)
          .Case([&](QuantizeOp) { return quantizeOp(); })
          .Case([&](DequantizeOp) { return dequantizeOp(); })
          .Case<Conv1dOp, Conv2dOp, Conv3dOp>(convolution)
          .Case<ConvTranspose1dOp, ConvTranspose2dOp>(transposed)
          .Case([&](UpsampleNearest2dOp op) { return nearest(op); })
          .Case([&](LinearOp linear) {
            return weighted({}, linear.getRelu(), linear.getMathematical(),
                            linear.getRequantizationAttr());
          })
          .Case<EmbeddingByteOp, Embedding4BitOp>(
              [&](auto) { return embedding(); })
          .Case([&](LinearDynamicOp op) { return linearDynamic(op); })
          .Case([&](AddOp op) { return add(op); })
          .Case([&](MulOp) { return mul(); })
          .Case([&](AddScalarOp op) { return addScalar(op); })
          .Case([&](MulScalarOp op) { return mulScalar(op); })
          .Case([&](PreluOp) { return prelu(); })
          .Case([&](ReluOp) -> Result {
            QParams x(op->getOperand(0).getType());
            formula.text = "max(q, z)";
            return store(terms.maxS(integer(0, at), i32(x.zeroPoint)), x);
          })
          .Case([&](ClampOp op) { return clampOp(op); })
          .Case([&](MaxPool2dOp op) { return maxPool(op); })
          .Case([&](AvgPool2dOp pool) -> Result {
            if (pool.getCeilMode() || pool.getMathematical() ||
                QParams(pool.getInput().getType()).isSigned)
              return averageAten(pool);
            return average(pool.getKernel(), pool.getStride(),
                           pool.getPadding(), at);
          })
          .Case([&](AdaptiveAvgPool2dOp pool) -> Result {
            auto in = cast<ShapedType>(pool.getInput().getType()),
                 out = cast<ShapedType>(pool.getOutput().getType());
            int64_t sizes[2];
            bool isSame = true, divides = !QParams(in).isSigned;
            for (int i : {0, 1}) {
              isSame &= in.getDimSize(1 + i) == out.getDimSize(1 + i);
              divides &= in.getDimSize(1 + i) % out.getDimSize(1 + i) == 0;
              sizes[i] = in.getDimSize(1 + i) / out.getDimSize(1 + i);
            }
            formula.text = "q";
            if (isSame)
              return element(0, at);
            if (!divides)
              return fail("windows of several sizes");
            return average(sizes, sizes, {0, 0, 0, 0}, at);
          })
          .Case([&](MeanOp mean) -> Result {
            auto in = cast<ShapedType>(mean.getInput().getType());
            Position place = at;
            if (!mean.getKeepdim())
              place.insert(place.begin() + 1, {Linear(0), Linear(0)});
            return average(in.getShape().slice(1, 2), {1, 1}, {0, 0, 0, 0},
                           place);
          })
          .Case([&](CatOp op) { return cat(op); })
          .Case([&](BatchNormOp op) { return batchNorm(op); })
          .Case<TransposeOp, SliceOp, PadOp, ReshapeOp, RepeatOp,
                ChannelShuffleOp>([&](auto) { return move(); })
          .Case<SigmoidOp, TanhOp, HardsigmoidOp, HardswishOp, RequantizeOp,
                LeakyReluOp, EluOp, CeluOp, ThresholdOp>(
              [&](auto) { return lookUp(); })
          .Case<SoftmaxOp, LayerNormOp, GroupNormOp, InstanceNormOp,
                UpsampleBilinear2dOp>(
              [&](auto) { return fail("floats, which are not proven"); })
          .Default([&](Operation *) -> Result {
            return fail("none is here for this op yet");
          });
  if (!result)
    return result.takeError();
  if (!why.empty())
    return llvm::createStringError(why);
  formula.code.result = *result;
  formula.text = before + formula.text;
  return std::move(formula);
}

SmallVector<std::pair<unsigned, unsigned>, 2>
qbackend::proof::getExtentSources(Operation *op, unsigned dim) {
  SmallVector<std::pair<unsigned, unsigned>, 2> sources;
  if (isa<ReshapeOp>(op))
    return sources;
  int64_t rank = cast<ShapedType>(op->getResult(0).getType()).getRank();
  auto add = [&](Value operand, int64_t d) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type || d < 0 || d >= type.getRank() || !type.isDynamicDim(d))
      return;
    if (auto argument = dyn_cast<BlockArgument>(operand))
      sources.push_back({argument.getArgNumber(), d});
    else if (isProducer(operand))
      llvm::append_range(sources, getExtentSources(operand.getDefiningOp(), d));
  };
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    add(transpose.getInput(), transpose.getPermutation()[dim]);
    return sources;
  }
  if (isa<EmbeddingByteOp, Embedding4BitOp>(op)) {
    add(op->getOperand(0), dim);
    return sources;
  }
  for (Value operand : op->getOperands()) {
    // Shapes broadcast from the right; windows keep the batch.
    auto type = dyn_cast<ShapedType>(operand.getType());
    int64_t shift = type ? rank - type.getRank() : 0;
    add(operand, isa<MeanOp>(op) ? dim : int64_t(dim) - shift);
  }
  return sources;
}

Expected<Formula> qbackend::proof::makeFormula(Operation *op,
                                               const Position &position,
                                               Scope &scope) {
  return FormulaBuilder(op, position, scope).build();
}
