// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic of operator kinds.

#include "KindAnswers.h"

#include "qbackend/Dialect/QBackend/Elements.h"

#include <algorithm>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::detail;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

FloatRange qbackend::detail::pointRange(FloatAttr number) {
  return {number.getValueAsDouble(), number.getValueAsDouble()};
}

FloatRange qbackend::detail::getSecondRange(ArrayRef<FloatRange> inputs,
                                            FloatAttr number) {
  return number ? pointRange(number) : inputs[1];
}

static FloatRange join(FloatRange a, FloatRange b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

FloatRange qbackend::detail::joinRanges(ArrayRef<FloatRange> ranges) {
  FloatRange all = ranges.front();
  for (FloatRange range : ranges)
    all = join(all, range);
  return all;
}

FloatRange qbackend::detail::addRanges(FloatRange a, FloatRange b) {
  return {a.min + b.min, a.max + b.max};
}

FloatRange qbackend::detail::subtractRanges(FloatRange a, FloatRange b) {
  return {a.min - b.max, a.max - b.min};
}

FloatRange qbackend::detail::multiplyRanges(FloatRange a, FloatRange b) {
  double products[] = {a.min * b.min, a.min * b.max, a.max * b.min,
                       a.max * b.max};
  return {*std::min_element(products, products + 4),
          *std::max_element(products, products + 4)};
}

OptionalRange qbackend::detail::divideRanges(FloatRange a, FloatRange b) {
  if (b.min <= 0 && b.max >= 0)
    return std::nullopt;
  return multiplyRanges(a, {1 / b.max, 1 / b.min});
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// The range of a function that rises everywhere.
template <typename Fn> static FloatRange map(FloatRange x, Fn fn) {
  return {fn(x.min), fn(x.max)};
}

/// The range of a function that falls down to `bottom` and rises from there on.
template <typename Fn>
static FloatRange mapValley(FloatRange x, double bottom, Fn fn) {
  double ends[] = {fn(x.min), fn(x.max)};
  double max = std::max(ends[0], ends[1]);
  if (x.min <= bottom && bottom <= x.max)
    return {fn(bottom), max};
  return {std::min(ends[0], ends[1]), max};
}

static double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

FloatRange qbackend::detail::clampRange(FloatRange x, double min, double max) {
  return {std::clamp(x.min, min, max), std::clamp(x.max, min, max)};
}

OptionalRange qbackend::detail::clampRange(FloatRange x, FloatAttr min,
                                           FloatAttr max) {
  if (!(min.getValueAsDouble() <= max.getValueAsDouble()))
    return std::nullopt;
  return clampRange(x, min.getValueAsDouble(), max.getValueAsDouble());
}

FloatRange qbackend::detail::sigmoidRange(FloatRange x) {
  return map(x, sigmoid);
}

FloatRange qbackend::detail::hardsigmoidRange(FloatRange x) {
  return map(x, [](double v) { return std::clamp(v + 3, 0.0, 6.0) / 6; });
}

FloatRange qbackend::detail::hardswishRange(FloatRange x) {
  return mapValley(
      x, -1.5, [](double v) { return v * std::clamp(v + 3, 0.0, 6.0) / 6; });
}

FloatRange qbackend::detail::tanhRange(FloatRange x) {
  return map(x, [](double v) { return std::tanh(v); });
}

FloatRange qbackend::detail::siluRange(FloatRange x) {
  return mapValley(x, -1.2784645427610738,
                   [](double v) { return v * sigmoid(v); });
}

FloatRange qbackend::detail::geluRange(FloatRange x, bool tanh) {
  // Where the derivative is 0.
  if (tanh)
    return mapValley(x, -0.7524614220710162, [](double v) {
      double inner = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
      return 0.5 * v * (1 + std::tanh(inner));
    });
  return mapValley(x, -0.7517915246935645, [](double v) {
    return 0.5 * v * std::erfc(-v / std::sqrt(2.0));
  });
}

FloatRange qbackend::detail::leakyReluRange(FloatRange x, double slope) {
  auto fn = [&](double v) { return v > 0 ? v : v * slope; };
  return slope >= 0 ? map(x, fn) : mapValley(x, 0, fn);
}

OptionalRange qbackend::detail::eluRange(FloatRange x, double alpha) {
  if (alpha < 0)
    return std::nullopt;
  return map(x, [&](double v) { return v > 0 ? v : alpha * std::expm1(v); });
}

OptionalRange qbackend::detail::celuRange(FloatRange x, double alpha) {
  if (!(alpha > 0))
    return std::nullopt;
  return map(
      x, [&](double v) { return v > 0 ? v : alpha * std::expm1(v / alpha); });
}

FloatRange qbackend::detail::seluRange(FloatRange x) {
  // Klambauer et al., 2017, as torch.nn.SELU has them.
  constexpr double scale = 1.0507009873554804934193349852946;
  constexpr double alpha = 1.6732632423543772848170429916717;
  return map(
      x, [](double v) { return scale * (v > 0 ? v : alpha * std::expm1(v)); });
}

static double softplus(double v) {
  return v > 0 ? v + std::log1p(std::exp(-v)) : std::log1p(std::exp(v));
}

OptionalRange qbackend::detail::softplusRange(FloatRange x, double beta) {
  if (!(beta > 0))
    return std::nullopt;
  return map(x, [&](double v) { return softplus(beta * v) / beta; });
}

FloatRange qbackend::detail::mishRange(FloatRange x) {
  // Where the derivative is 0.
  return mapValley(x, -1.1924541346,
                   [](double v) { return v * std::tanh(softplus(v)); });
}

FloatRange qbackend::detail::quickGeluRange(FloatRange x) {
  FloatRange scaled = siluRange({1.702 * x.min, 1.702 * x.max});
  return {scaled.min / 1.702, scaled.max / 1.702};
}

FloatRange qbackend::detail::sinRange(FloatRange x) {
  // Whether a whole number of turns after `start` is in the range.
  auto holds = [&](double start) {
    double turns = std::ceil((x.min - start) / (2 * M_PI));
    return start + turns * 2 * M_PI <= x.max;
  };
  double ends[] = {std::sin(x.min), std::sin(x.max)};
  return {holds(-M_PI / 2) ? -1 : std::min(ends[0], ends[1]),
          holds(M_PI / 2) ? 1 : std::max(ends[0], ends[1])};
}

FloatRange qbackend::detail::cosRange(FloatRange x) {
  return sinRange({x.min + M_PI / 2, x.max + M_PI / 2});
}

OptionalRange qbackend::detail::powRange(FloatRange x, double exponent) {
  auto fn = [&](double v) { return std::pow(v, exponent); };
  if (exponent == 0)
    return FloatRange{1, 1};
  bool isWhole = exponent == std::floor(exponent);
  bool isEven = isWhole && std::fmod(exponent, 2) == 0;
  if (x.min < 0 && !isWhole)
    return std::nullopt;
  if (exponent > 0)
    return isEven ? mapValley(x, 0, fn) : map(x, fn);
  if (x.min <= 0 && x.max >= 0)
    return std::nullopt;
  return joinRanges({{fn(x.min), fn(x.min)}, {fn(x.max), fn(x.max)}});
}

OptionalRange qbackend::detail::sumRange(const OperatorOperands &operands,
                                         DenseI64ArrayAttr axes, FloatRange x) {
  double count = 1;
  for (int64_t axis : axes.asArrayRef()) {
    if (operands.inputs.front().isDynamicDim(axis))
      return std::nullopt;
    count *= double(operands.inputs.front().getDimSize(axis));
  }
  return FloatRange{count * x.min, count * x.max};
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

OptionalRange qbackend::detail::preluRange(const OperatorOperands &operands,
                                           FloatRange x) {
  if (!operands.ownsParameters)
    return std::nullopt;
  auto slopes = readFloats(operands.weight);
  if (!slopes || slopes->empty())
    return std::nullopt;
  OptionalRange result;
  for (double slope : *slopes) {
    FloatRange one = leakyReluRange(x, slope);
    result = result ? join(*result, one) : one;
  }
  return result;
}

OptionalRange qbackend::detail::productsRange(const OperatorOperands &operands,
                                              FloatRange x, bool anySubset) {
  if (!operands.ownsParameters)
    return std::nullopt;
  auto type = cast<RankedTensorType>(operands.weight.getType());
  int64_t channels = type.getRank() > 0 ? type.getDimSize(0) : 0;
  if (channels <= 0 || !type.hasStaticShape() || type.getNumElements() == 0)
    return std::nullopt;
  SmallVector<float, 0> bias;
  if (operands.bias) {
    auto values = readFloats(operands.bias);
    if (!values || (int64_t(values->size()) != channels && values->size() != 1))
      return std::nullopt;
    bias = *values;
  }
  int64_t taps = type.getNumElements() / channels;
  OptionalRange result;
  auto addChannels = [&](int64_t first, ArrayRef<float> weights) {
    for (int64_t c = first; !weights.empty(); ++c) {
      FloatRange sum{0, 0};
      if (!bias.empty())
        sum.min = sum.max = bias[bias.size() == 1 ? 0 : c];
      for (double w : weights.take_front(taps)) {
        FloatRange product = multiplyRanges(x, {w, w});
        if (anySubset)
          product = join(product, {0, 0});
        sum.min += product.min;
        sum.max += product.max;
      }
      result = result ? join(*result, sum) : sum;
      weights = weights.drop_front(taps);
    }
    return true;
  };
  return forEachPanel(operands.weight, addChannels) ? result : std::nullopt;
}

OptionalRange
qbackend::detail::convolutionRange(ConvolutionKindAttrInterface kind,
                                   const OperatorOperands &operands,
                                   FloatRange x) {
  bool padded =
      kind.isTransposed() ||
      llvm::any_of(kind.getPaddings(), [](int64_t pad) { return pad != 0; });
  return productsRange(operands, x, /*anySubset=*/padded);
}

OptionalRange qbackend::detail::matmulRange(const OperatorOperands &operands,
                                            ArrayRef<FloatRange> inputs) {
  int64_t terms = operands.inputs.front().getShape().back();
  if (ShapedType::isDynamic(terms))
    return std::nullopt;
  FloatRange product = multiplyRanges(inputs[0], inputs[1]);
  return FloatRange{terms * product.min, terms * product.max};
}

OptionalRange qbackend::detail::rowsRange(const OperatorOperands &operands) {
  if (!operands.ownsParameters)
    return std::nullopt;
  OptionalRange result;
  auto addRows = [&](int64_t, ArrayRef<float> numbers) {
    if (numbers.empty())
      return false;
    auto [min, max] = std::minmax_element(numbers.begin(), numbers.end());
    FloatRange rows{*min, *max};
    result = result ? join(*result, rows) : rows;
    return true;
  };
  return forEachPanel(operands.weight, addRows) ? result : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// What a weight and a bias make of values of `x`; either may be absent. Along
/// the dimensions that both have, the same index belongs to both.
static OptionalRange scaleAndShift(const OperatorOperands &operands,
                                   FloatRange x) {
  SmallVector<float, 0> weight = {1}, bias = {0};
  for (auto [value, numbers] :
       {std::pair(operands.weight, &weight), std::pair(operands.bias, &bias)}) {
    if (!value)
      continue;
    auto read = readFloats(value);
    if (!read || read->empty())
      return std::nullopt;
    *numbers = std::move(*read);
  }
  size_t size = std::max(weight.size(), bias.size());
  if ((weight.size() != size && weight.size() != 1) ||
      (bias.size() != size && bias.size() != 1))
    return std::nullopt;
  OptionalRange result;
  for (size_t i = 0; i < size; ++i) {
    double w = weight[weight.size() == 1 ? 0 : i];
    double b = bias[bias.size() == 1 ? 0 : i];
    FloatRange scaled = addRanges(multiplyRanges(x, {w, w}), {b, b});
    result = result ? join(*result, scaled) : scaled;
  }
  return result;
}

/// (x - mean) / sqrt(variance + eps) * weight + bias.
OptionalRange qbackend::detail::batchNormRange(const OperatorOperands &operands,
                                               double eps, FloatRange x) {
  if (!operands.ownsParameters)
    return std::nullopt;
  auto mean = readFloats(operands.runningMean);
  auto variance = readFloats(operands.runningVar);
  if (!mean || !variance || mean->empty() || mean->size() != variance->size())
    return std::nullopt;
  SmallVector<float, 0> weight(mean->size(), 1), bias(mean->size(), 0);
  for (auto [value, numbers] :
       {std::pair(operands.weight, &weight), std::pair(operands.bias, &bias)}) {
    if (!value)
      continue;
    auto read = readFloats(value);
    if (!read || read->size() != mean->size())
      return std::nullopt;
    *numbers = std::move(*read);
  }
  OptionalRange result;
  for (size_t c = 0; c < mean->size(); ++c) {
    double factor = weight[c] / std::sqrt((*variance)[c] + eps);
    FloatRange scaled = multiplyRanges({x.min - (*mean)[c], x.max - (*mean)[c]},
                                       {factor, factor});
    scaled = {scaled.min + bias[c], scaled.max + bias[c]};
    result = result ? join(*result, scaled) : scaled;
  }
  return result;
}

/// Returns how many elements of the result have the same index in all
/// dimensions but those `isReduced`.
template <typename Fn>
static std::optional<int64_t> countReduced(const OperatorOperands &operands,
                                           Fn isReduced) {
  int64_t count = 1;
  for (auto [i, extent] : llvm::enumerate(operands.output.getShape())) {
    if (!isReduced(int64_t(i)))
      continue;
    if (ShapedType::isDynamic(extent) || extent < 1)
      return std::nullopt;
    count = multiplyCounts(count, extent);
  }
  return count;
}

/// Of `n` values, none is further from their mean than sqrt(n - 1) standard
/// deviations (Samuelson 1968), nor than (n - 1) / n of their range.
static FloatRange standardize(FloatRange x, int64_t n, double eps) {
  double limit = std::sqrt(double(n - 1));
  if (eps > 0)
    limit = std::min(limit, (x.max - x.min) * (n - 1) / n / std::sqrt(eps));
  return {-limit, limit};
}

/// That of `normalize` over `n` values, scaled and shifted.
template <typename Fn>
static OptionalRange normalize(const OperatorOperands &operands,
                               std::optional<int64_t> n, FloatAttr eps,
                               FloatRange x, Fn normalize) {
  if (!operands.ownsParameters || !n)
    return std::nullopt;
  return scaleAndShift(operands, normalize(x, *n, eps.getValueAsDouble()));
}

static std::optional<int64_t> countAlong(const OperatorOperands &operands,
                                         DenseI64ArrayAttr axes) {
  return countReduced(operands, [&](int64_t i) {
    return llvm::is_contained(axes.asArrayRef(), i);
  });
}

OptionalRange qbackend::detail::layerNormRange(const OperatorOperands &operands,
                                               DenseI64ArrayAttr axes,
                                               FloatAttr eps, FloatRange x) {
  return normalize(operands, countAlong(operands, axes), eps, x, standardize);
}

/// x / sqrt(mean(x x) + eps) over `n` values: sqrt(n) if the others are 0.
static FloatRange divideByRms(FloatRange x, int64_t n, double eps) {
  auto fn = [&](double v) { return v / std::sqrt(v * v / n + eps); };
  return {x.min < 0 ? fn(x.min) : 0, x.max > 0 ? fn(x.max) : 0};
}

OptionalRange qbackend::detail::rmsNormRange(const OperatorOperands &operands,
                                             DenseI64ArrayAttr axes,
                                             FloatAttr eps, FloatRange x) {
  return normalize(operands, countAlong(operands, axes), eps, x, divideByRms);
}

OptionalRange
qbackend::detail::instanceNormRange(const OperatorOperands &operands,
                                    int64_t axis, FloatAttr eps, FloatRange x) {
  auto n =
      countReduced(operands, [&](int64_t i) { return i != 0 && i != axis; });
  return normalize(operands, n, eps, x, standardize);
}

OptionalRange qbackend::detail::groupNormRange(const OperatorOperands &operands,
                                               int64_t groups, FloatAttr eps,
                                               FloatRange x) {
  auto n = countReduced(operands, [](int64_t i) { return i != 0; });
  if (!n || groups < 1)
    return std::nullopt;
  return normalize(operands, *n / groups, eps, x, standardize);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

OptionalRange
qbackend::detail::logSoftmaxRange(const OperatorOperands &operands,
                                  int64_t axis, FloatRange x) {
  auto n = countReduced(operands, [&](int64_t i) { return i == axis; });
  if (!n)
    return std::nullopt;
  // Least where the others are largest, and the other way round.
  double width = x.max - x.min;
  return FloatRange{-std::log1p((*n - 1) * std::exp(width)),
                    -std::log1p((*n - 1) * std::exp(-width))};
}

FloatRange qbackend::detail::softmaxRange(const OperatorOperands &operands,
                                          int64_t axis, FloatRange x) {
  OptionalRange logarithm = logSoftmaxRange(operands, axis, x);
  if (!logarithm)
    return {0, 1};
  return map(*logarithm, [](double v) { return std::exp(v); });
}
