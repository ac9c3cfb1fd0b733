// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic through operators.

#include "qbackend/Transforms/ValueRanges.h"

#include "qbackend/Transforms/TensorNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace qbackend;
using Range = qbackend::ValueRange;

static Range join(Range a, Range b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

static Range multiply(Range a, Range b) {
  double products[] = {a.min * b.min, a.min * b.max, a.max * b.min,
                       a.max * b.max};
  return {*std::min_element(products, products + 4),
          *std::max_element(products, products + 4)};
}

static Range clamp(Range x, double min, double max) {
  return {std::clamp(x.min, min, max), std::clamp(x.max, min, max)};
}

/// The range of a function that rises everywhere.
template <typename Fn> static Range map(Range x, Fn fn) {
  return {fn(x.min), fn(x.max)};
}

/// The range of a function that falls down to `bottom` and rises from there on.
template <typename Fn> static Range mapValley(Range x, double bottom, Fn fn) {
  double ends[] = {fn(x.min), fn(x.max)};
  double max = std::max(ends[0], ends[1]);
  if (x.min <= bottom && bottom <= x.max)
    return {fn(bottom), max};
  return {std::min(ends[0], ends[1]), max};
}

static std::optional<SmallVector<float, 0>> readConstant(Value value) {
  ElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  return readFloats(elements);
}

/// Sums of products with a weight, `[out, ...]`. With `anySubset`, not every
/// product is part of every sum.
static std::optional<Range> accumulate(OperatorOp op, Range x, bool anySubset) {
  auto weight = readConstant(op.getWeight());
  if (!weight)
    return std::nullopt;
  auto type = cast<RankedTensorType>(op.getWeight().getType());
  int64_t channels = type.getRank() > 0 ? type.getDimSize(0) : 0;
  if (channels <= 0 || weight->size() % channels != 0)
    return std::nullopt;
  SmallVector<float, 0> bias;
  if (op.getBias()) {
    auto values = readConstant(op.getBias());
    if (!values || (int64_t(values->size()) != channels && values->size() != 1))
      return std::nullopt;
    bias = *values;
  }
  int64_t taps = weight->size() / channels;
  std::optional<Range> result;
  for (int64_t c = 0; c < channels; ++c) {
    Range sum{0, 0};
    if (!bias.empty())
      sum.min = sum.max = bias[bias.size() == 1 ? 0 : c];
    for (int64_t t = 0; t < taps; ++t) {
      double w = (*weight)[c * taps + t];
      Range product = multiply(x, {w, w});
      if (anySubset)
        product = join(product, {0, 0});
      sum.min += product.min;
      sum.max += product.max;
    }
    result = result ? join(*result, sum) : sum;
  }
  return result;
}

/// What a weight and a bias make of values of `x`; either may be absent. Along
/// the dimensions that both have, the same index belongs to both.
static std::optional<Range> scaleAndShift(OperatorOp op, Range x) {
  SmallVector<float, 0> weight = {1}, bias = {0};
  for (auto [value, numbers] :
       {std::pair(op.getWeight(), &weight), std::pair(op.getBias(), &bias)}) {
    if (!value)
      continue;
    auto read = readConstant(value);
    if (!read || read->empty())
      return std::nullopt;
    *numbers = std::move(*read);
  }
  size_t size = std::max(weight.size(), bias.size());
  if ((weight.size() != size && weight.size() != 1) ||
      (bias.size() != size && bias.size() != 1))
    return std::nullopt;
  std::optional<Range> result;
  for (size_t i = 0; i < size; ++i) {
    double w = weight[weight.size() == 1 ? 0 : i];
    double b = bias[bias.size() == 1 ? 0 : i];
    Range scaled = multiply(x, {w, w});
    scaled = {scaled.min + b, scaled.max + b};
    result = result ? join(*result, scaled) : scaled;
  }
  return result;
}

/// Batch norm: (x - mean) / sqrt(variance + eps) * weight + bias.
static std::optional<Range> normalizeBatch(OperatorOp op, double eps, Range x) {
  auto mean = readConstant(op.getRunningMean());
  auto variance = readConstant(op.getRunningVar());
  if (!mean || !variance || mean->empty() || mean->size() != variance->size())
    return std::nullopt;
  SmallVector<float, 0> weight(mean->size(), 1), bias(mean->size(), 0);
  for (auto [value, numbers] :
       {std::pair(op.getWeight(), &weight), std::pair(op.getBias(), &bias)}) {
    if (!value)
      continue;
    auto read = readConstant(value);
    if (!read || read->size() != mean->size())
      return std::nullopt;
    *numbers = std::move(*read);
  }
  std::optional<Range> result;
  for (size_t c = 0; c < mean->size(); ++c) {
    double factor = weight[c] / std::sqrt((*variance)[c] + eps);
    Range scaled =
        multiply({x.min - (*mean)[c], x.max - (*mean)[c]}, {factor, factor});
    scaled = {scaled.min + bias[c], scaled.max + bias[c]};
    result = result ? join(*result, scaled) : scaled;
  }
  return result;
}

/// Of `n` values, none is further from their mean than sqrt(n - 1) standard
/// deviations (Samuelson 1968), nor than (n - 1) / n of their range.
static Range standardize(Range x, int64_t n, double eps) {
  double limit = std::sqrt(double(n - 1));
  if (eps > 0)
    limit = std::min(limit, (x.max - x.min) * (n - 1) / n / std::sqrt(eps));
  return {-limit, limit};
}

/// x / sqrt(mean(x x) + eps) over `n` values: sqrt(n) if the others are 0.
static Range divideByRms(Range x, int64_t n, double eps) {
  auto fn = [&](double v) { return v / std::sqrt(v * v / n + eps); };
  return {x.min < 0 ? fn(x.min) : 0, x.max > 0 ? fn(x.max) : 0};
}

/// Returns how many elements of the result have the same index in all
/// dimensions but those `isReduced`.
template <typename Fn>
static std::optional<int64_t> countElements(OperatorOp op, Fn isReduced) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getOutput().getType()).getShape();
  int64_t count = 1;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (!isReduced(int64_t(i)))
      continue;
    if (ShapedType::isDynamic(extent) || extent < 1)
      return std::nullopt;
    count *= extent;
  }
  return count;
}

/// The range of an operator of one input; nothing if there are no bounds.
static std::optional<Range> evaluateUnary(Attribute kind, Range x) {
  using Result = std::optional<Range>;
  auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  return llvm::TypeSwitch<Attribute, Result>(kind)
      .Case([&](ReluAttr) { return clamp(x, 0, HUGE_VAL); })
      .Case([&](Relu6Attr) { return clamp(x, 0, 6); })
      .Case<HardtanhAttr, ClampAttr>([&](auto bounded) -> Result {
        double min = bounded.getMin().getValueAsDouble();
        double max = bounded.getMax().getValueAsDouble();
        if (!(min <= max))
          return std::nullopt;
        return clamp(x, min, max);
      })
      .Case([&](SigmoidAttr) { return map(x, sigmoid); })
      .Case([&](HardsigmoidAttr) {
        return map(x, [](double v) { return std::clamp(v + 3, 0.0, 6.0) / 6; });
      })
      .Case([&](HardswishAttr) {
        return mapValley(x, -1.5, [](double v) {
          return v * std::clamp(v + 3, 0.0, 6.0) / 6;
        });
      })
      .Case([&](TanhAttr) {
        return map(x, [](double v) { return std::tanh(v); });
      })
      .Case([&](SiluAttr) {
        return mapValley(x, -1.2784645427610738,
                         [&](double v) { return v * sigmoid(v); });
      })
      .Case([&](GeluAttr gelu) {
        // Where the derivative is 0.
        if (gelu.getTanh())
          return mapValley(x, -0.7524614220710162, [](double v) {
            double inner = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
            return 0.5 * v * (1 + std::tanh(inner));
          });
        return mapValley(x, -0.7517915246935645, [](double v) {
          return 0.5 * v * std::erfc(-v / std::sqrt(2.0));
        });
      })
      .Case([&](LeakyReluAttr leaky) -> Result {
        double slope = leaky.getNegativeSlope().getValueAsDouble();
        auto fn = [&](double v) { return v > 0 ? v : v * slope; };
        return slope >= 0 ? map(x, fn) : mapValley(x, 0, fn);
      })
      .Case([&](EluAttr elu) -> Result {
        double alpha = elu.getAlpha().getValueAsDouble();
        if (alpha < 0)
          return std::nullopt;
        return map(x,
                   [&](double v) { return v > 0 ? v : alpha * std::expm1(v); });
      })
      .Case([&](CeluAttr celu) -> Result {
        double alpha = celu.getAlpha().getValueAsDouble();
        if (!(alpha > 0))
          return std::nullopt;
        return map(x, [&](double v) {
          return v > 0 ? v : alpha * std::expm1(v / alpha);
        });
      })
      .Case([&](RsubAttr rsub) {
        double scalar = rsub.getScalar().getValueAsDouble();
        return Range{scalar - x.max, scalar - x.min};
      })
      .Case([&](PadAttr pad) {
        double value = pad.getValue().getValueAsDouble();
        return join(x, {value, value});
      })
      .Case<AvgPool1dAttr, AvgPool2dAttr, AvgPool3dAttr>(
          [&](auto pool) -> Result {
            // Padding counts as zeros; another divisor scales the sum.
            int64_t size = 1;
            for (int64_t extent : pool.getKernel().asArrayRef())
              size *= extent;
            Range mean = join(x, {0, 0});
            double factor = 1;
            if (auto divisor = pool.getDivisorOverride())
              factor = double(size) / *divisor;
            bool padded = llvm::any_of(pool.getPadding().asArrayRef(),
                                       [](int64_t p) { return p != 0; }) ||
                          pool.getCeilMode() || factor != 1;
            if (!padded)
              return x;
            return multiply(mean, {factor, factor});
          })
      .Case<MaxPool1dAttr, MaxPool2dAttr, MaxPool3dAttr, AdaptiveAvgPool1dAttr,
            AdaptiveAvgPool2dAttr, AdaptiveAvgPool3dAttr, MeanAttr, DropoutAttr,
            FlattenAttr, ReshapeAttr, TransposeAttr, NarrowAttr, RepeatAttr,
            PixelShuffleAttr, PixelUnshuffleAttr, ChannelShuffleAttr,
            InterpolateAttr>([&](auto) { return x; })
      .Default(Result());
}

/// The range of an operator that looks at several elements, or at parameters,
/// at once.
static std::optional<Range> evaluateParametric(OperatorOp op, Attribute kind,
                                               Range x) {
  using Result = std::optional<Range>;
  // The parameters are those of the first kind.
  if (kind != op.getKinds()[0] && !isa<SoftmaxAttr, LogSoftmaxAttr>(kind))
    return evaluateUnary(kind, x);
  auto getEps = [](auto norm) { return norm.getEps().getValueAsDouble(); };
  return llvm::TypeSwitch<Attribute, Result>(kind)
      .Case<BatchNorm1dAttr, BatchNorm2dAttr, BatchNorm3dAttr>(
          [&](auto norm) { return normalizeBatch(op, getEps(norm), x); })
      .Case<LayerNormAttr, RmsNormAttr>([&](auto norm) -> Result {
        ArrayRef<int64_t> axes = norm.getAxes().asArrayRef();
        auto n = countElements(
            op, [&](int64_t i) { return llvm::is_contained(axes, i); });
        if (!n)
          return std::nullopt;
        if (isa<RmsNormAttr>(kind))
          return scaleAndShift(op, divideByRms(x, *n, getEps(norm)));
        return scaleAndShift(op, standardize(x, *n, getEps(norm)));
      })
      .Case<InstanceNorm1dAttr, InstanceNorm2dAttr, InstanceNorm3dAttr>(
          [&](auto norm) -> Result {
            auto n = countElements(
                op, [&](int64_t i) { return i != 0 && i != norm.getAxis(); });
            if (!n)
              return std::nullopt;
            return scaleAndShift(op, standardize(x, *n, getEps(norm)));
          })
      .Case([&](GroupNormAttr norm) -> Result {
        auto n = countElements(op, [](int64_t i) { return i != 0; });
        if (!n || norm.getNumGroups() < 1)
          return std::nullopt;
        return scaleAndShift(
            op, standardize(x, *n / norm.getNumGroups(), getEps(norm)));
      })
      .Case([&](PreluAttr) -> Result {
        auto slopes = readConstant(op.getWeight());
        if (!slopes || slopes->empty())
          return std::nullopt;
        Result result;
        for (double slope : *slopes) {
          auto fn = [&](double v) { return v > 0 ? v : v * slope; };
          Range one = slope >= 0 ? map(x, fn) : mapValley(x, 0, fn);
          result = result ? join(*result, one) : one;
        }
        return result;
      })
      .Case<SoftmaxAttr, LogSoftmaxAttr>([&](auto softmax) -> Result {
        // Least where the others are largest, and the other way round.
        auto n = countElements(
            op, [&](int64_t i) { return i == softmax.getAxis(); });
        bool isLog = isa<LogSoftmaxAttr>(kind);
        if (!n)
          return isLog ? Result() : Range{0, 1};
        double width = x.max - x.min;
        Range result{-std::log1p((*n - 1) * std::exp(width)),
                     -std::log1p((*n - 1) * std::exp(-width))};
        if (isLog)
          return result;
        return map(result, [](double v) { return std::exp(v); });
      })
      .Case([&](EmbeddingAttr) -> Result {
        auto table = readConstant(op.getWeight());
        if (!table || table->empty())
          return std::nullopt;
        auto [min, max] = std::minmax_element(table->begin(), table->end());
        return Range{*min, *max};
      })
      .Default([&](Attribute) { return evaluateUnary(kind, x); });
}

/// The range of one operator of `op` with these inputs.
static std::optional<Range> evaluate(OperatorOp op, Attribute kind,
                                     ArrayRef<Range> inputs) {
  auto conv = dyn_cast<ConvolutionKindAttrInterface>(kind);
  if (conv) {
    bool padded =
        conv.isTransposed() ||
        llvm::any_of(conv.getPaddings(), [](int64_t pad) { return pad != 0; });
    return accumulate(op, inputs[0], padded);
  }
  if (isa<LinearAttr>(kind))
    return accumulate(op, inputs[0], /*anySubset=*/false);
  auto getSecond = [&](FloatAttr scalar) -> std::optional<Range> {
    if (scalar)
      return Range{scalar.getValueAsDouble(), scalar.getValueAsDouble()};
    if (inputs.size() < 2)
      return std::nullopt;
    return inputs[1];
  };
  if (auto add = dyn_cast<AddAttr>(kind)) {
    auto second = getSecond(add.getScalar());
    if (!second)
      return std::nullopt;
    return Range{inputs[0].min + second->min, inputs[0].max + second->max};
  }
  if (auto mul = dyn_cast<MulAttr>(kind)) {
    auto second = getSecond(mul.getScalar());
    if (!second)
      return std::nullopt;
    return multiply(inputs[0], *second);
  }
  if (isa<SubAttr>(kind) && inputs.size() == 2)
    return Range{inputs[0].min - inputs[1].max, inputs[0].max - inputs[1].min};
  if (isa<DivAttr>(kind) && inputs.size() == 2) {
    if (inputs[1].min <= 0 && inputs[1].max >= 0)
      return std::nullopt;
    return multiply(inputs[0], {1 / inputs[1].max, 1 / inputs[1].min});
  }
  if (isa<MatmulAttr>(kind) && inputs.size() == 2) {
    auto type = cast<RankedTensorType>(op.getRootInputs()[0].getType());
    int64_t terms = type.getShape().back();
    if (ShapedType::isDynamic(terms))
      return std::nullopt;
    Range product = multiply(inputs[0], inputs[1]);
    return Range{terms * product.min, terms * product.max};
  }
  if (isa<CatAttr>(kind)) {
    Range all = inputs[0];
    for (Range input : inputs)
      all = join(all, input);
    return all;
  }
  if (inputs.size() != 1)
    return std::nullopt;
  return evaluateParametric(op, kind, inputs[0]);
}

/// The range of all of `op`, whose further inputs belong to its later kinds.
static std::optional<Range> evaluate(OperatorOp op, ArrayRef<Range> inputs) {
  unsigned used = op.getRootInputs().size();
  std::optional<Range> result;
  for (auto [i, kind] : llvm::enumerate(op.getKinds())) {
    SmallVector<Range> operands;
    if (i == 0) {
      operands.assign(inputs.begin(), inputs.begin() + used);
    } else {
      operands.push_back(*result);
      bool binary = isa<SubAttr, DivAttr>(kind);
      if (auto add = dyn_cast<AddAttr>(kind))
        binary = !add.getScalar();
      if (auto mul = dyn_cast<MulAttr>(kind))
        binary = !mul.getScalar();
      if (binary) {
        if (used == inputs.size())
          return std::nullopt;
        // Which of the two is the result before it isn't said.
        if (isa<SubAttr, DivAttr>(kind))
          return std::nullopt;
        operands.push_back(inputs[used++]);
      }
    }
    if (operands.empty())
      return std::nullopt;
    result = evaluate(op, kind, operands);
    if (!result || std::isnan(result->min) || std::isnan(result->max))
      return std::nullopt;
  }
  return used == inputs.size() ? result : std::nullopt;
}

ValueRanges::ValueRanges(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    for (BlockArgument argument : function.getArguments())
      if (auto range = function.getArgAttrOfType<DenseF64ArrayAttr>(
              argument.getArgNumber(), kRangeAttrName))
        ranges[argument] = {range[0], range[1]};
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      visit(op);
      return isa<OperatorOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
  }
}

void ValueRanges::visit(Operation *op) {
  if (auto operation = dyn_cast<OperatorOp>(op)) {
    SmallVector<Range> inputs;
    for (Value input : operation.getInputs()) {
      std::optional<Range> range = lookup(input);
      // Indices of rows say nothing about what is in the rows.
      if (!range && isa<EmbeddingAttr>(operation.getKinds()[0]))
        range = Range{0, 0};
      if (!range)
        return;
      inputs.push_back(*range);
    }
    if (inputs.empty())
      return;
    std::optional<Range> range = evaluate(operation, inputs);
    constexpr double largest = std::numeric_limits<float>::max();
    if (range && std::abs(range->min) <= largest &&
        std::abs(range->max) <= largest)
      ranges[operation.getOutput()] = *range;
    return;
  }
  if (op->getNumResults() != 1 || !op->hasTrait<OpTrait::ConstantLike>())
    return;
  auto values = readConstant(op->getResult(0));
  if (!values || values->empty())
    return;
  auto [min, max] = std::minmax_element(values->begin(), values->end());
  if (std::isfinite(*min) && std::isfinite(*max))
    ranges[op->getResult(0)] = {*min, *max};
}

std::optional<Range> ValueRanges::lookup(Value value) const {
  auto it = ranges.find(TensorNames::getTensor(value));
  if (it == ranges.end())
    return std::nullopt;
  return it->second;
}

std::string ValueRanges::explain(Value value) const {
  while (true) {
    value = TensorNames::getTensor(value);
    if (auto argument = dyn_cast<BlockArgument>(value))
      return "argument " + std::to_string(argument.getArgNumber()) +
             " has no qbackend.range";
    auto op = value.getDefiningOp<OperatorOp>();
    if (!op)
      return "'" + value.getDefiningOp()->getName().getStringRef().str() +
             "' is not an operator";
    auto unknown = llvm::find_if(op.getInputs(),
                                 [&](Value input) { return !lookup(input); });
    if (unknown == op.getInputs().end()) {
      std::string name = getLocationName(op.getLoc());
      return op.getKindName() + (name.empty() ? "" : " '" + name + "'") +
             " has no bounds";
    }
    value = *unknown;
  }
}
