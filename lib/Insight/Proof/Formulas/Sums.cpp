// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas of what adds up or takes a maximum, and of what moves elements.

#include "Formulas/Formulas.h"

#include "qbackend/Dialect/QNNPack/ConstantElements.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using namespace qbackend::qnnpack;
using llvm::APFloat;
using llvm::APInt;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// round(acc * m / 2^s) of the sum, with the multiplier of `channel` if there
/// are several.
Term FormulaBuilder::scaleChannels(RequantizationAttr requantization,
                                   const Linear &channel) {
  Term sum = formula.code.fold->result;
  if (requantization.size() == 1)
    return scaleByFixedPoint(sum, requantization, terms);
  auto numbers = [&](auto values, unsigned width, llvm::StringRef name) {
    Table table;
    table.shape = {requantization.size()};
    table.position = {channel};
    table.read = [=](int64_t o) { return APInt(64, values[o]).trunc(32); };
    return terms.make(Fn::ExtS, bits(width),
                      {scope.element(std::move(table), bits(32), name)});
  };
  return roundProduct(
      sum, numbers(requantization.getMultiplier().asArrayRef(), 64, "m"),
      numbers(requantization.getShift().asArrayRef(), 66, "s"),
      requantization.getRounding(), terms);
}

/// Transposed, with k * dilation = j * stride + r and, of a pixel p of the
/// result, p + before = t * stride + r:
///
///   acc[t, r] = bias[o] + sum over j of (x[t - j] - zx) * (w[j, r] - zw)
///
/// where a tap (j, r) that isn't there adds nothing.
Expected<Term> FormulaBuilder::weighted(const Windows &windows, bool relu,
                                        bool mathematical,
                                        RequantizationAttr requantization) {
  ArrayRef<int64_t> stride = windows.stride, padding = windows.padding,
                    dilation = windows.dilation;
  int64_t groups = windows.groups;
  Value weight = op->getOperand(1);
  auto inputType = cast<ShapedType>(op->getOperand(0).getType()),
       weightType = cast<ShapedType>(weight.getType());
  QParams x(inputType), y(op->getResult(0).getType());
  formula.text = "acc = bias[o] + sum (x - zx) (w - zw); ";
  if (requantization)
    formula.text +=
        "clamp(round(acc * m / 2^s), lo - zy, hi - zy) + zy, rounded " +
        std::string(numerics::stringifyRounding(requantization.getRounding()));
  else
    formula.text +=
        "v = f32(f32(acc) * m); " +
        std::string(
            x.isSigned || mathematical
                ? "max(clamp(cvt(min(v, f32(hi - zy))), -32768, 32767) + zy, "
                  "lo)"
                : "clamp(clamp(cvt(v), -32768, 32767) + zy, lo, hi)");
  auto values = ConstantElements<int8_t>::read(weight);
  if (!values)
    return fail("the weight is no constant");
  // Of 16 bits, sums have 64.
  bool isWide = x.width == 16;
  if (isWide && (!requantization || x.zeroPoint != 0 || y.zeroPoint != 0 ||
                 requantization.getRounding() != numerics::Rounding::HalfUp))
    return fail("16-bit activations with zero points or another rounding");
  auto element = cast<quant::QuantizedType>(weightType.getElementType());
  auto perAxis = getPerAxis(weightType);
  auto getZeroPoint = [=](int64_t o) {
    return perAxis ? perAxis.getZeroPoints()[o]
                   : cast<quant::UniformQuantizedType>(element).getZeroPoint();
  };
  auto getScale = [=](int64_t o) {
    return static_cast<float>(
        perAxis ? perAxis.getScales()[o]
                : cast<quant::UniformQuantizedType>(element).getScale());
  };

  // Channel g * perGroup + o is of group g.
  int64_t out = weightType.getDimSize(0), in = weightType.getShape().back();
  Linear channel = at.back(), group;
  if (groups != 1) {
    auto parts = scope.divide(channel, out / groups);
    if (!parts)
      return fail("output channel " + scope.print(channel) + " is in no group");
    group = parts->first;
  }
  // What is read, and the tap: of which phase, and which one of it.
  Position read(at.begin(), at.end() - 1), phase, taps;
  SmallVector<int64_t> phases, counts;
  for (size_t i = 0; i < stride.size(); ++i) {
    int64_t count = weightType.getDimSize(1 + i);
    if (windows.isTransposed)
      count = (dilation[i] * (count - 1) + stride[i]) / stride[i];
    counts.push_back(count);
    Linear k = addFoldLoop(count, ("k" + Twine(i)).str());
    taps.push_back(k);
    if (!windows.isTransposed) {
      read[1 + i] =
          at[1 + i] * stride[i] + k * dilation[i] + Linear(-padding[2 * i]);
      continue;
    }
    auto parts = scope.divide(at[1 + i] + Linear(padding[2 * i]), stride[i]);
    if (!parts)
      return fail("pixel " + scope.print(at[1 + i]) + " is of no phase");
    phases.push_back(stride[i]);
    phase.push_back(parts->second);
    // j = count - 1 - k.
    read[1 + i] = parts->first + k + Linear(1 - count);
  }
  Linear inner = addFoldLoop(in, "i");
  read.push_back(group * in + inner);

  // w - zw.
  int64_t perPhase = in * ShapedType::getNumElements(counts),
          perChannel = perPhase * ShapedType::getNumElements(phases);
  Table table;
  table.shape = {out};
  table.position = {channel};
  table.shape.append(phases);
  table.position.append(phase);
  table.shape.append(counts);
  table.position.append(taps);
  table.shape.push_back(in);
  table.position.push_back(inner);
  SmallVector<int64_t> kernel(weightType.getShape().drop_front().drop_back()),
      strides(stride), dilations(dilation);
  bool isTransposed = windows.isTransposed;
  auto getWeight = [=, values = *values](int64_t index) -> int64_t {
    int64_t o = index / perChannel;
    if (isTransposed) {
      // The place of the tap in the kernel, if there is one.
      int64_t i = index % in, place = 0, step = 1, r = index / perPhase;
      index /= in;
      for (size_t d = kernel.size(); d-- > 0;) {
        int64_t j = counts[d] - 1 - index % counts[d],
                k = j * strides[d] + r % strides[d];
        index /= counts[d];
        r /= strides[d];
        if (k % dilations[d] != 0 || k / dilations[d] >= kernel[d])
          return 0;
        place += k / dilations[d] * step;
        step *= kernel[d];
      }
      index = (o * step + place) * in + i;
    }
    int64_t w = element.isSigned()
                    ? int64_t(values[index])
                    : int64_t(static_cast<uint8_t>(values[index]));
    return w - getZeroPoint(o);
  };
  table.read = [getWeight](int64_t index) {
    return APInt(64, getWeight(index), true).trunc(32);
  };
  Term w = scope.element(std::move(table), bits(32), "(w - zw)");

  unsigned sumWidth = isWide ? 64 : 32;
  Term bias = terms.constant(sumWidth, 0);
  std::function<int64_t(int64_t)> getBias = [](int64_t) { return 0; };
  if (op->getNumOperands() > 2) {
    auto read = [&](auto biases) {
      if (biases)
        getBias = [biases = *biases](int64_t o) { return int64_t(biases[o]); };
      return biases.has_value();
    };
    Value operand = op->getOperand(2);
    if (isWide ? !read(ConstantElements<int64_t>::read(operand))
               : !read(ConstantElements<int32_t>::read(operand)))
      return fail("the bias is no constant");
    Table table;
    table.shape = {out};
    table.position = {channel};
    table.read = [=](int64_t o) {
      return APInt(64, getBias(o), true).trunc(sumWidth);
    };
    bias = scope.element(std::move(table), bits(sumWidth), "bias");
  }
  Term isInside = scope.inside(read, inputType.getShape());
  Term difference = subtract(integer(0, read), x.zeroPoint);
  carry(bias, [&](Term carried) {
    Term product = terms.binary(Fn::Mul, difference, w);
    product = terms.select(isInside, product, i32(0));
    if (isWide)
      product = terms.make(Fn::ExtS, bits(sumWidth), {product});
    return terms.binary(Fn::Add, carried, product);
  });

  // The largest and the smallest sum of each channel, and phase.
  std::pair<int64_t, int64_t> sums;
  int64_t blocks = perPhase ? out * (perChannel / perPhase) : 0;
  for (int64_t o = 0; o < blocks; ++o) {
    int64_t lo = getBias(o * perPhase / perChannel), hi = lo;
    for (int64_t i = o * perPhase; i < (o + 1) * perPhase; ++i) {
      int64_t value = getWeight(i), a = (x.min - x.zeroPoint) * value,
              b = (x.max - x.zeroPoint) * value;
      lo += std::min(a, b);
      hi += std::max(a, b);
    }
    sums = {std::min(o ? sums.first : lo, lo),
            std::max(o ? sums.second : hi, hi)};
  }
  formula.sums = sums;
  int64_t lo = relu ? y.zeroPoint : y.min;
  if (isWide) {
    // Of 48 bits, products with 15 fit.
    constexpr int64_t most = int64_t(1) << 47;
    if (sums.first < -most || sums.second >= most)
      return fail("sums of more than 48 bits");
    auto number = [&](auto numbers, StringRef name) {
      Table table;
      table.shape = {int64_t(numbers.size())};
      table.position = {numbers.size() == 1 ? Linear(0) : channel};
      table.read = [=](int64_t o) { return APInt(64, numbers[o]); };
      return scope.element(std::move(table), bits(64), name);
    };
    Term product =
        terms.binary(Fn::Mul, formula.code.fold->result,
                     number(requantization.getMultiplier().asArrayRef(), "m"));
    Term shift = number(requantization.getShift().asArrayRef(), "s"),
         one = terms.constant(64, 1);
    Term half = terms.binary(Fn::Shl, one, terms.binary(Fn::Sub, shift, one));
    Term rounded =
        terms.binary(Fn::ShrS, terms.binary(Fn::Add, product, half), shift);
    // Of which the low 32 bits are taken.
    rounded = terms.make(Fn::Trunc, bits(32), {rounded});
    return store(clamp(rounded, lo, y.max), y);
  }
  if (requantization)
    return addZeroPoint(scaleChannels(requantization, channel), y, lo);

  Table multipliers;
  multipliers.shape = {out};
  multipliers.position = {channel};
  multipliers.read = [=](int64_t o) {
    float product = x.isSigned ? x.scale * getScale(o) : getScale(o) * x.scale;
    float inverse = 1.0f / y.scale;
    return APFloat(x.isSigned ? product / y.scale : product * inverse)
        .bitcastToAPInt();
  };
  Term m = perAxis ? scope.element(std::move(multipliers), f32(), "m")
                   : terms.constantBits(f32(), multipliers.read(0));
  return requantize(formula.code.fold->result, m, y, lo,
                    x.isSigned || mathematical);
}

Expected<Term> FormulaBuilder::maxPool(MaxPool2dOp pool) {
  auto type = cast<ShapedType>(pool.getInput().getType());
  QParams x(type);
  ArrayRef<int64_t> padding = pool.getPadding();
  bool nearest = !pool.getMathematical() && !pool.getCeilMode() && !x.isSigned;
  // Without dilation the nearest pixel of a tap outside is in the window.
  auto skips = [&](int i) {
    return pool.getDilation()[i] != 1 &&
           (padding[2 * i] != 0 || padding[2 * i + 1] != 0);
  };
  nearest &= skips(0) || skips(1);
  formula.text = nearest ? "max of the taps, outside of the image of the "
                           "nearest pixel, and qmin"
                         : "max of the taps inside of the image, and qmin";
  Position read = at;
  for (int i : {0, 1}) {
    Linear k = addFoldLoop(pool.getKernel()[i], i ? "kw" : "kh");
    read[1 + i] = at[1 + i] * pool.getStride()[i] + k * pool.getDilation()[i] +
                  Linear(-padding[2 * i]);
    if (!nearest)
      continue;
    auto least = scope.limit(read[1 + i], 0, /*isMost=*/false);
    auto place = least ? scope.limit(*least, type.getDimSize(1 + i) - 1,
                                     /*isMost=*/true)
                       : std::nullopt;
    if (!place)
      return fail("an image of an unknown extent");
    read[1 + i] = *place;
  }
  Term q = element(0, read), least = terms.constant(x.width, x.min);
  Term tap = terms.select(scope.inside(read, type.getShape()), q, least);
  carry(least, [&](Term carried) {
    Term less = terms.compare(x.isSigned ? Fn::LessS : Fn::LessU, carried, tap);
    return terms.select(less, tap, carried);
  });
  return formula.code.fold->result;
}

Expected<Term> FormulaBuilder::average(ArrayRef<int64_t> kernel,
                                       ArrayRef<int64_t> stride,
                                       ArrayRef<int64_t> padding,
                                       Position place) {
  auto type = cast<ShapedType>(op->getOperand(0).getType());
  QParams x(type);
  formula.text = "acc = sum - n z; m = f32(s / f32(s * f32(n))); "
                 "clamp(cvt(f32(f32(acc) * m)) + z, qmin, qmax)";
  if (ShapedType::isDynamic(kernel[0]) || ShapedType::isDynamic(kernel[1]))
    return fail("a window of unknown extent");
  Position read = place;
  int64_t count = kernel[0] * kernel[1];
  for (int i : {0, 1}) {
    Linear k = addFoldLoop(kernel[i], i ? "kw" : "kh");
    read[1 + i] = place[1 + i] * stride[i] + k + Linear(-padding[2 * i]);
  }
  Term tap = terms.select(scope.inside(read, type.getShape()), integer(0, read),
                          i32(x.zeroPoint));
  carry(i32(-count * x.zeroPoint),
        [&](Term carried) { return terms.binary(Fn::Add, carried, tap); });
  formula.sums = {count * (x.min - x.zeroPoint), count * (x.max - x.zeroPoint)};
  Term s = real(x.scale);
  Term m = divide(s, multiply(s, real(static_cast<float>(count))));
  return requantize(formula.code.fold->result, m, x, x.min, /*limits=*/false);
}

/// ATen's form: taps outside of the image add nothing, and the zero point comes
/// before rounding.
Expected<Term> FormulaBuilder::averageAten(AvgPool2dOp pool) {
  if (pool.getChannelsLast())
    return fail("ATen's averages of channels last");
  auto type = cast<ShapedType>(pool.getInput().getType()),
       result = cast<ShapedType>(pool.getOutput().getType());
  QParams x(type);
  formula.text = "acc = sum - z size; "
                 "clamp(rne(f32(f32(f32(acc) * f32(1 / d)) + z)), qmin, qmax)";
  Position read = at;
  SmallVector<int64_t> divisors[2];
  for (int i : {0, 1}) {
    int64_t size = type.getDimSize(1 + i), kernel = pool.getKernel()[i],
            before = pool.getPadding()[2 * i],
            after = pool.getPadding()[2 * i + 1];
    Linear k = addFoldLoop(kernel, i ? "kw" : "kh");
    read[1 + i] = at[1 + i] * pool.getStride()[i] + k + Linear(-before);
    for (int64_t o = 0; o < result.getDimSize(1 + i); ++o) {
      int64_t first = o * pool.getStride()[i] - before, last = first + kernel;
      bool counts = pool.getCountIncludePad();
      divisors[i].push_back(std::min(last, counts ? size + after : size) -
                            (counts ? first : std::max<int64_t>(first, 0)));
    }
  }
  Term tap = terms.select(scope.inside(read, type.getShape()),
                          subtract(integer(0, read), x.zeroPoint), i32(0));
  carry(i32(0),
        [&](Term carried) { return terms.binary(Fn::Add, carried, tap); });
  Table inverses;
  inverses.shape = {result.getDimSize(1), result.getDimSize(2)};
  inverses.position = {at[1], at[2]};
  std::optional<int64_t> divisor;
  if (auto given = pool.getDivisorOverride())
    divisor = static_cast<int64_t>(*given);
  inverses.read = [=, rows = divisors[0],
                   columns = divisors[1]](int64_t index) {
    int64_t width = columns.size();
    int64_t d = divisor.value_or(rows[index / width] * columns[index % width]);
    return APFloat(1.0f / static_cast<float>(d)).bitcastToAPInt();
  };
  Term m = scope.element(std::move(inverses), f32(), "f32(1 / d)");
  Term v = multiply(toReal(formula.code.fold->result), m);
  v = terms.binary(Fn::AddF, v, real(x.zeroPoint));
  return store(clamp(cvt(v), x.min, x.max), x);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Expected<Term> FormulaBuilder::move() {
  auto type = cast<ShapedType>(op->getOperand(0).getType());
  formula.text = "the element of the input that the op says";
  Position read;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    read.resize(at.size());
    for (auto [d, from] : llvm::enumerate(transpose.getPermutation()))
      read[from] = at[d];
    return element(0, read);
  }
  if (auto pad = dyn_cast<PadOp>(op)) {
    formula.text = "quantize(value) outside of the input";
    QParams x(type);
    for (auto [d, low, high] : llvm::enumerate(pad.getLow(), pad.getHigh()))
      if (type.isDynamicDim(d) && (low != 0 || high != 0))
        return fail("padding of an unknown extent");
    for (auto [place, low] : llvm::zip_equal(at, pad.getLow()))
      read.push_back(place + Linear(-low));
    Term value = quantize(real(pad.getValue().convertToFloat()), x, x.min);
    return terms.select(scope.inside(read, type.getShape()), element(0, read),
                        value);
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    for (auto [place, offset, step] :
         llvm::zip_equal(at, slice.getOffsets(), slice.getStrides()))
      read.push_back(place * step + Linear(offset));
    return element(0, read);
  }
  if (auto shuffle = dyn_cast<ChannelShuffleOp>(op)) {
    formula.text = "channel j * C / g + i is channel i * g + j of the result";
    int64_t groups = shuffle.getGroups();
    auto parts = scope.divide(at.back(), groups);
    if (!parts)
      return fail("channel " + scope.print(at.back()) + " is of no group");
    read = at;
    read.back() =
        parts->second * (type.getShape().back() / groups) + parts->first;
    return element(0, read);
  }
  if (auto repeat = dyn_cast<RepeatOp>(op)) {
    formula.text = "element i mod n of the input";
    for (auto [d, place, multiple] :
         llvm::enumerate(at, repeat.getMultiples())) {
      read.push_back(place);
      if (multiple == 1)
        continue;
      auto parts = type.isDynamicDim(d)
                       ? std::nullopt
                       : scope.divide(place, type.getDimSize(d));
      if (!parts)
        return fail("element " + scope.print(place) + " in repetitions of " +
                    Twine(type.getDimSize(d)));
      read.back() = parts->second;
    }
    return element(0, read);
  }
  if (isa<ReshapeOp>(op)) {
    // The element of the same row-major index.
    auto result = cast<ShapedType>(op->getResult(0).getType());
    Linear index;
    for (auto [d, place] : llvm::enumerate(at)) {
      if (d != 0 && result.isDynamicDim(d))
        return fail("a shape with an unknown extent inside");
      index = (d ? index * result.getDimSize(d) : Linear(0)) + place;
    }
    read.resize(type.getRank());
    for (int64_t d = type.getRank() - 1; d > 0; --d) {
      auto parts = type.isDynamicDim(d)
                       ? std::nullopt
                       : scope.divide(index, type.getDimSize(d));
      if (!parts)
        return fail("element " + scope.print(index) + " in rows of " +
                    Twine(type.getDimSize(d)));
      read[d] = parts->second;
      index = parts->first;
    }
    if (!read.empty())
      read[0] = index;
    return element(0, read);
  }
  return fail("none is here for this op yet");
}

Expected<Term> FormulaBuilder::nearest(UpsampleNearest2dOp upsample) {
  auto type = cast<ShapedType>(upsample.getInput().getType()),
       result = cast<ShapedType>(upsample.getOutput().getType());
  formula.text = "the pixel at row min(floor(f32(o * r)), in - 1), r = f32(in "
                 "/ out) or f32(1 / factor), and such a column";
  Position read = at;
  for (int i : {0, 1}) {
    int64_t in = type.getDimSize(1 + i), out = result.getDimSize(1 + i);
    if (in == out)
      continue;
    float r = static_cast<float>(in) / static_cast<float>(out);
    if (auto factors = upsample.getScaleFactors())
      r = static_cast<float>(1 / (*factors)[i]);
    Table rows;
    rows.shape = {out};
    rows.position = {at[1 + i]};
    rows.read = [=](int64_t o) {
      float row = std::floor(static_cast<float>(o) * r);
      return APInt(32, std::min<int64_t>(static_cast<int64_t>(row), in - 1));
    };
    auto place = scope.solve(rows);
    if (!place)
      return fail("rows or columns that are no sums of loops");
    read[1 + i] = *place;
  }
  return element(0, read);
}

Expected<Term> FormulaBuilder::cat(CatOp cat) {
  QParams y(cat.getOutput().getType());
  int64_t axis = cat.getAxis(), offset = 0,
          lo = cat.getRelu() ? y.zeroPoint : y.min;
  formula.text = "q of an input with the qparams of the result, else "
                 "quantize(dequantize(q))";
  auto range = scope.getRange(at[axis]);
  for (auto [i, input] : llvm::enumerate(cat.getInputs())) {
    QParams x(input.getType());
    int64_t size = cast<ShapedType>(input.getType()).getDimSize(axis);
    Position place = at;
    place[axis] += Linear(-offset);
    offset += size;
    if (!range || range->first < offset - size || range->second >= offset)
      continue;
    auto type = getQuantizedType(input.getType()),
         result = getQuantizedType(cat.getOutput().getType());
    if (type.getScale() == result.getScale() &&
        type.getZeroPoint() == result.getZeroPoint())
      return store(terms.maxS(integer(i, place), i32(lo)), y);
    if (cat.getChannelsLast())
      return fail("ATen's vector code");
    return quantize(dequantize(element(i, place), x), y, lo);
  }
  return fail("it is not known which input " + scope.print(at[axis]) +
              " is of");
}
