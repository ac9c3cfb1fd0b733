// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the first op that rounds otherwise to the results of a network, op by
// op. What is not known here is anything that the type of a result can hold.

#include "Difference.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Dialect/QNNPack/ConstantElements.h"
#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Requantize.h"
#include "qbackend/Numerics/Tables.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::form_difference;
using qnnpack::ConstantElements;

/// Of floats that are quantized by a product in one form and a division in the
/// other: a product of about 2^7 is that near to a tie.
static constexpr double kQuantizeRate = 0x1p-15;

/// Of roundings without a better estimate.
static constexpr double kFloatRate = 0x1p-10;

namespace {
class Propagation {
public:
  Propagation(InexactForm form, GetMultipliers getMultipliers)
      : isONNX(form == InexactForm::ONNX), form(form),
        getMultipliers(getMultipliers) {}

  void visit(Operation *op);
  Differences get(Value value) const {
    auto it = known.find(value);
    return it == known.end() ? Differences() : it->second;
  }

private:
  Differences propagate(Operation *op);
  static Differences propagateTable(quant::UniformQuantizedType from,
                                    quant::UniformQuantizedType to,
                                    const std::array<int64_t, 256> &table,
                                    const Differences &input,
                                    const Local &local);
  Differences propagateAverage(Operation *op, const Local &local, double factor,
                               double terms);
  template <typename OpTy>
  Differences propagatePair(OpTy op, const Local &local);
  Differences propagateCat(qnnpack::CatOp op);
  Differences propagateSoftmax(qnnpack::SoftmaxOp op);
  Differences propagateReshape(qnnpack::ReshapeOp op);
  /// Any op on quantized values: nothing is known of how it spreads what is
  /// off.
  Differences propagateAny(Operation *op, const Local &local);

  /// `differences` for all elements together.
  static Differences joined(const Differences &differences) {
    Differences result = differences;
    result.axis = 0;
    result.parts = {differences.join()};
    return result;
  }
  bool isRight(Operation *op) const {
    return llvm::all_of(op->getOperands(),
                        [&](Value value) { return get(value).isZero(); });
  }
  Local either(double rate) const {
    return isONNX ? Local::either(rate) : Local();
  }

  bool isONNX;
  InexactForm form;
  GetMultipliers getMultipliers;
  DenseMap<Value, Differences> known;
};
} // namespace

static quant::UniformQuantizedType getType(Value value) {
  return qnnpack::getQuantizedType(value.getType());
}

static int64_t getRank(Value value) {
  return cast<ShapedType>(value.getType()).getRank();
}

/// `part` of each of the parts.
static Differences
mapParts(const Differences &input,
         llvm::function_ref<Difference(const Difference &)> part) {
  Differences result = input;
  for (Difference &difference : result.parts)
    difference = part(difference);
  return result;
}

//===----------------------------------------------------------------------===//
// Functions of one tensor
//===----------------------------------------------------------------------===//

Differences Propagation::propagateTable(quant::UniformQuantizedType from,
                                        quant::UniformQuantizedType to,
                                        const std::array<int64_t, 256> &table,
                                        const Differences &input,
                                        const Local &local) {
  int64_t count = from.getStorageTypeMax() - from.getStorageTypeMin() + 1;
  // How far a step leads, on average.
  double gain = 0, square = 0;
  for (int64_t i = 0; i + 1 < count; ++i) {
    double step = std::abs(double(table[i + 1] - table[i]));
    gain += step / (count - 1);
    square += step * step / (count - 1);
  }
  /// What entries of indices that far apart differ by.
  auto spread = [&](int64_t lo, int64_t hi) {
    std::pair<int64_t, int64_t> found;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = std::max<int64_t>(0, i + lo);
           j <= std::min(count - 1, i + hi); ++j) {
        int64_t difference = table[j] - table[i];
        found.first = std::min(found.first, difference);
        found.second = std::max(found.second, difference);
      }
    return found;
  };
  llvm::DenseMap<std::pair<int64_t, int64_t>, std::pair<int64_t, int64_t>>
      spreads;
  auto getSpread = [&](int64_t lo, int64_t hi) {
    auto [it, isNew] = spreads.try_emplace({lo, hi});
    if (isNew)
      it->second = spread(lo, hi);
    return it->second;
  };
  OutputRange range(to);
  return mapParts(input, [&](const Difference &part) {
    Difference result;
    auto [lo, hi] = getSpread(part.lo, part.hi);
    result.lo = std::max(lo + local.lo, range.lo - range.hi);
    result.hi = std::min(hi + local.hi, range.hi - range.lo);
    if (result.isZero())
      return result;
    result.mean = part.mean * gain + local.rate;
    result.square = part.square * square + local.rate;
    result.bias = std::abs(part.bias) * gain + local.bias;
    auto [low, high] = getSpread(-part.likely, part.likely);
    result.likely = std::max(-low, high);
    if (local.rate > 0)
      result.likely += 1;
    return result;
  });
}

/// The integers that `op` has a table of, by the number of the input's integer
/// in its type.
static std::optional<std::array<int64_t, 256>> getEntries(Operation *op) {
  auto from = getType(op->getOperand(0)), to = getType(op->getResult(0));
  std::array<int64_t, 256> entries;
  if (qnnpack::isWide(op->getOperand(0).getType()))
    return std::nullopt;
  std::optional<std::array<int8_t, 256>> bytes = qnnpack::getTable(op);
  for (int64_t i = 0; i < 256; ++i) {
    int64_t q = from.getStorageTypeMin() + i, entry;
    if (q > from.getStorageTypeMax()) {
      entries[i] = entries[i - 1];
      continue;
    }
    if (bytes) {
      int8_t byte = (*bytes)[static_cast<uint8_t>(q)];
      entry = to.isSigned() ? byte : static_cast<uint8_t>(byte);
    } else if (isa<qnnpack::ReluOp>(op)) {
      entry = std::max(q, from.getZeroPoint());
    } else if (auto clamp = dyn_cast<qnnpack::ClampOp>(op)) {
      entry = std::clamp(
          q, qnnpack::quantizeNumber(clamp.getMin().convertToFloat(), from),
          std::max(
              qnnpack::quantizeNumber(clamp.getMin().convertToFloat(), from),
              qnnpack::quantizeNumber(clamp.getMax().convertToFloat(), from)));
    } else if (isa<qnnpack::AddScalarOp, qnnpack::MulScalarOp>(op)) {
      auto add = dyn_cast<qnnpack::AddScalarOp>(op);
      auto mul = dyn_cast<qnnpack::MulScalarOp>(op);
      numerics::ScalarResult result =
          add ? qnnpack::getAddScalarResult(from,
                                            add.getScalar().convertToDouble())
              : qnnpack::getMulScalarResult(from,
                                            mul.getScalar().convertToDouble());
      entry = numerics::applyScalar(q, result);
      if (add ? add.getRelu() : mul.getRelu())
        entry = std::max(entry, to.getZeroPoint());
    } else {
      return std::nullopt;
    }
    entries[i] = entry;
  }
  return entries;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// `terms` elements, of which each counts `factor` times in the result.
Differences Propagation::propagateAverage(Operation *op, const Local &local,
                                          double factor, double terms) {
  OutputRange range(getType(op->getResult(0)));
  Differences input = get(op->getOperand(0));
  // Channels are the last dimension of both.
  int64_t rank = getRank(op->getOperand(0));
  if (input.parts.size() > 1 && input.axis != rank - 1)
    input = joined(input);
  input.axis = getRank(op->getResult(0)) - 1;
  // A mean that keeps its dimensions has channels in the place of the image's.
  if (auto mean = dyn_cast<qnnpack::MeanOp>(op))
    input.axis = mean.getKeepdim() ? rank - 1 : 1;
  return mapParts(input, [&](const Difference &part) {
    double sum = factor * terms;
    Delta delta;
    delta.add(sum, part);
    // They differ each on its own.
    delta.variance = terms > 0 ? delta.variance / terms : delta.variance;
    delta.likely = std::abs(factor) * part.likely;
    return roundDelta(delta, local, range);
  });
}

/// How far a sum or product of two differs, for each index of the dimension
/// that one of them has differences along.
template <typename OpTy>
Differences Propagation::propagatePair(OpTy op, const Local &local) {
  Differences a = get(op.getLhs()), b = get(op.getRhs());
  auto ta = getType(op.getLhs()), tb = getType(op.getRhs()),
       ty = getType(op.getOutput());
  OutputRange range(ty, op.getRelu());
  int64_t rank = getRank(op.getOutput());
  a.axis += rank - getRank(op.getLhs());
  b.axis += rank - getRank(op.getRhs());
  if (a.parts.size() > 1 && b.parts.size() > 1 &&
      (a.axis != b.axis || a.parts.size() != b.parts.size()))
    b.parts = {b.join()};
  Differences result;
  size_t count = std::max(a.parts.size(), b.parts.size());
  result.axis = a.parts.size() > 1 ? a.axis : b.axis;
  result.parts.assign(count, Difference());
  auto getReach = [](quant::UniformQuantizedType type) {
    return double(std::max(type.getStorageTypeMax() - type.getZeroPoint(),
                           type.getZeroPoint() - type.getStorageTypeMin()));
  };
  for (size_t i = 0; i < count; ++i) {
    const Difference &da = a.at(i), &db = b.at(i);
    Delta delta;
    if (std::is_same_v<OpTy, qnnpack::AddOp>) {
      delta.add(ta.getScale() / ty.getScale(), da);
      delta.add(tb.getScale() / ty.getScale(), db);
    } else {
      // (x + dx)(y + dy) - xy = x dy + y dx + dx dy
      double m = ta.getScale() * tb.getScale() / ty.getScale();
      double x = m * getReach(ta), y = m * getReach(tb);
      auto widen = [](const Difference &d) {
        return double(std::max(-d.lo, d.hi));
      };
      delta.hi = x * widen(db) + y * widen(da) + m * widen(da) * widen(db);
      delta.lo = -delta.hi;
      delta.mean = (x * db.mean + y * da.mean) / 2;
      // x^2 is a third of its largest on average.
      delta.variance = (x * x * db.square + y * y * da.square) / 3;
      delta.likely = std::max(x * double(db.likely), y * double(da.likely));
    }
    result.parts[i] = roundDelta(delta, local, range);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

Differences Propagation::propagateCat(qnnpack::CatOp op) {
  auto to = getType(op.getOutput());
  int64_t axis = op.getAxis();
  bool isAlong = !cast<ShapedType>(op.getOutput().getType()).isDynamicDim(axis);
  Differences result;
  result.axis = axis;
  result.parts.clear();
  for (Value input : op.getInputs()) {
    auto from = getType(input);
    Differences part = get(input);
    if (from.getScale() != to.getScale() ||
        from.getZeroPoint() != to.getZeroPoint() || op.getRelu()) {
      numerics::Table256 table = numerics::requantizeTable(
          {from.getScale(), from.getZeroPoint(), from.isSigned()},
          {to.getScale(), to.getZeroPoint(), to.isSigned()});
      std::array<int64_t, 256> entries;
      for (auto [i, entry] : llvm::enumerate(table))
        entries[i] =
            op.getRelu() ? std::max<int64_t>(entry, to.getZeroPoint()) : entry;
      Local local;
      if (isONNX)
        local = getTableLocal(entries, from, to);
      part = propagateTable(from, to, entries, part, local);
    }
    int64_t size = cast<ShapedType>(input.getType()).getDimSize(axis);
    if (!isAlong || (part.parts.size() > 1 && part.axis != axis))
      part = joined(part);
    if (!isAlong)
      size = 1;
    for (int64_t i = 0; i < size; ++i)
      result.parts.push_back(part.at(i));
  }
  if (result.parts.empty())
    result.parts.push_back(Difference());
  return isAlong ? result : joined(result);
}

// p' = p e^t / (p e^t + 1 - p) for logits that differ by t: p' - p is at most
// tanh(t / 4).
Differences Propagation::propagateSoftmax(qnnpack::SoftmaxOp op) {
  OutputRange range(getType(op.getOutput()));
  Difference input = get(op.getInput()).join();
  int64_t size = cast<ShapedType>(op.getInput().getType()).getShape().back();
  // TOSA's quotient is exact for up to 32 elements: docs/Numerics.md.
  Local local = either(kFloatRate);
  if (!isONNX && (ShapedType::isDynamic(size) || size > 32))
    local = Local::either(kFloatRate);
  double scale = getType(op.getInput()).getScale();
  auto getReach = [&](double steps) {
    return 256 * std::tanh(scale * steps / 4);
  };
  Delta delta;
  delta.hi = getReach(input.hi - input.lo);
  delta.lo = -delta.hi;
  delta.likely = getReach(2 * input.likely);
  delta.mean = getReach(input.mean);
  delta.variance = std::pow(getReach(std::sqrt(2 * input.square)), 2);
  Differences result;
  result.parts = {roundDelta(delta, local, range)};
  return result;
}

/// Dimensions before the last one that become part of it repeat its indices;
/// others mix them.
Differences Propagation::propagateReshape(qnnpack::ReshapeOp op) {
  Differences input = get(op.getInput());
  if (input.parts.size() == 1)
    return input;
  auto to = cast<ShapedType>(op.getOutput().getType());
  int64_t size = input.parts.size(),
          last = to.getRank() ? to.getShape().back() : 1;
  if (input.axis != getRank(op.getInput()) - 1 || ShapedType::isDynamic(last) ||
      last % size != 0 || last > (int64_t(1) << 20))
    return joined(input);
  Differences result;
  result.axis = to.getRank() - 1;
  result.parts.clear();
  for (int64_t i = 0; i < last; ++i)
    result.parts.push_back(input.parts[i % size]);
  return result;
}

Differences Propagation::propagateAny(Operation *op, const Local &local) {
  Differences result;
  auto type = getType(op->getResult(0));
  if (isRight(op)) {
    result.parts = {type ? roundDelta(Delta(), local, OutputRange(type))
                         : Difference()};
    return result;
  }
  result.isKnown = bool(type);
  if (type)
    result.parts = {getAny(OutputRange(type))};
  return result;
}

/// Ops that move elements, or name them otherwise.
static bool isMovement(Operation *op) {
  return isa<qnnpack::SliceOp, qnnpack::PadOp, qnnpack::RepeatOp,
             qnnpack::ChannelShuffleOp, qnnpack::UpsampleNearest2dOp,
             qbackend::TransposeOp, quant::StorageCastOp,
             tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
             tensor::ExtractSliceOp, linalg::TransposeOp>(op);
}

Differences Propagation::propagate(Operation *op) {
  // Of 16 bits are rescales alone, which TOSA has.
  if (op->getNumOperands() != 0 && isRight(op) &&
      qnnpack::isWide(op->getOperand(0).getType()))
    return {};
  if (std::optional<WeightedOp> weighted = WeightedOp::get(op)) {
    SmallVector<float> written;
    if (getMultipliers)
      written = getMultipliers(op);
    return propagateWeighted(*weighted, get(weighted->input), form, written);
  }
  if (isMovement(op))
    return joined(get(op->getOperand(0)));
  return llvm::TypeSwitch<Operation *, Differences>(op)
      .Case([&](qnnpack::AddOp op) {
        // TOSA has the same rescales.
        if (op.getRequantizationAttr())
          return propagateAny(op, either(kFloatRate));
        return propagatePair(op, getAddLocal(op, form));
      })
      .Case([&](qnnpack::MulOp op) {
        if (op.getRequantizationAttr())
          return propagateAny(op, either(kFloatRate));
        return propagatePair(op, getMulLocal(op, form));
      })
      .Case([&](qnnpack::TransposeOp op) {
        Differences result = get(op.getInput());
        ArrayRef<int64_t> order = op.getPermutation();
        if (result.parts.size() > 1)
          result.axis = llvm::find(order, result.axis) - order.begin();
        return result;
      })
      .Case([&](qnnpack::ReshapeOp op) { return propagateReshape(op); })
      // The largest of values that are off by at most d is.
      .Case([&](qnnpack::MaxPool2dOp op) { return get(op.getInput()); })
      .Case([&](qnnpack::AvgPool2dOp op) {
        auto type = getType(op.getInput());
        double taps = op.getKernel()[0] * op.getKernel()[1];
        if (!op.getCeilMode() && !op.getMathematical() && !type.isSigned())
          return propagateAverage(op, getAverageLocal(type, taps), 1 / taps,
                                  taps);
        // At the border there may be fewer, down to one.
        double divisor =
            std::abs(double(op.getDivisorOverride().value_or(int64_t(taps))));
        double factor =
            op.getDivisorOverride() ? 1 / std::max(divisor, 1.0) : 1 / taps;
        return propagateAverage(op, Local::either(0.5 / std::max(divisor, 1.0)),
                                factor, taps);
      })
      .Case<qnnpack::MeanOp, qnnpack::AdaptiveAvgPool2dOp>([&](auto op) {
        auto in = cast<ShapedType>(op.getInput().getType()),
             out = cast<ShapedType>(op.getOutput().getType());
        auto type = getType(op.getInput());
        int64_t rows = 1, columns = 1;
        if (isa<qnnpack::AdaptiveAvgPool2dOp>(op)) {
          rows = out.getDimSize(1);
          columns = out.getDimSize(2);
          if (in.getDimSize(1) == rows && in.getDimSize(2) == columns)
            return get(op.getInput());
        }
        int64_t height = in.getDimSize(1), width = in.getDimSize(2);
        bool isStatic = height > 0 && width > 0 && rows > 0 && columns > 0;
        int64_t taps = isStatic ? (height / rows) * (width / columns) : 0;
        bool divides = isStatic && height % rows == 0 && width % columns == 0 &&
                       (!type.isSigned() || isa<qnnpack::MeanOp>(op));
        Local local = divides ? getAverageLocal(type, taps)
                              : Local::either(taps ? 0.5 / taps : 0.5);
        double terms = std::max<int64_t>(taps, 1);
        return propagateAverage(op, local, 1 / terms, terms);
      })
      .Case([&](qnnpack::UpsampleBilinear2dOp op) {
        return propagateAverage(op, either(kFloatRate), 0.25, 4);
      })
      .Case([&](qnnpack::CatOp op) { return propagateCat(op); })
      .Case([&](qnnpack::SoftmaxOp op) { return propagateSoftmax(op); })
      .Case([&](qnnpack::PreluOp op) {
        auto weight = ConstantElements<int8_t>::read(op.getWeight());
        if (!weight)
          return propagateAny(op, either(kFloatRate));
        auto type = cast<quant::UniformQuantizedType>(
            getElementTypeOrSelf(op.getWeight().getType()));
        double factor = qnnpack::getPreluOne(type);
        for (int8_t stored : weight->getStored()) {
          int64_t value = type.isSigned() ? stored : uint8_t(stored);
          factor =
              std::max(factor, std::abs(double(value - type.getZeroPoint())));
        }
        factor *= qnnpack::getPreluMultiplier(op.getInput().getType(),
                                              op.getWeight().getType(),
                                              op.getOutput().getType());
        // A slope below 0 turns it.
        Differences input =
            mapParts(get(op.getInput()), [](const Difference &part) {
              Difference both = part;
              both.lo = std::min(part.lo, -part.hi);
              both.hi = -both.lo;
              return both;
            });
        OutputRange range(getType(op.getOutput()));
        return mapParts(input, [&](const Difference &part) {
          Delta delta;
          delta.add(factor, part);
          return roundDelta(delta, either(kFloatRate), range);
        });
      })
      .Case([&](qnnpack::BatchNormOp op) {
        Local local = either(kFloatRate);
        if (get(op.getInput()).isZero())
          return propagateAny(op, local);
        auto result = propagateBatchNorm(op, get(op.getInput()), local);
        return result ? *result : propagateAny(op, local);
      })
      .Case<qnnpack::LayerNormOp, qnnpack::GroupNormOp,
            qnnpack::InstanceNormOp>([&](auto op) {
        Local local = either(kFloatRate);
        if (isRight(op))
          return propagateAny(op, local);
        return propagateNorm(op.getWeight(), op.getOutput(), get(op.getInput()),
                             local);
      })
      .Case<qnnpack::QuantizeOp, qbackend::QuantizeOp>(
          [&](auto op) { return propagateAny(op, either(kQuantizeRate)); })
      .Case<qnnpack::DequantizeOp, qbackend::DequantizeOp>([&](auto op) {
        Differences result = get(op.getInput());
        if (auto type = getType(op.getInput()))
          result.scale = type.getScale();
        return result;
      })
      .Default([&](Operation *op) {
        if (!isa_and_nonnull<qnnpack::QNNPackDialect>(op->getDialect()))
          return propagateAny(op, Local());
        bool isFunction = op->getNumOperands() == 1 &&
                          getType(op->getOperand(0)) &&
                          getType(op->getResult(0));
        std::optional<std::array<int64_t, 256>> entries;
        if (isFunction)
          entries = getEntries(op);
        if (!entries)
          return propagateAny(op, either(kFloatRate));
        bool isVectorized = op->hasAttr("vectorized");
        return propagateTable(getType(op->getOperand(0)),
                              getType(op->getResult(0)), *entries,
                              get(op->getOperand(0)),
                              isVectorized ? either(kFloatRate) : Local());
      });
}

void Propagation::visit(Operation *op) {
  if (op->getNumResults() == 0 || op->hasTrait<OpTrait::ConstantLike>())
    return;
  // What other functions and regions compute is not looked at.
  bool isOpaque = isa<CallOpInterface>(op);
  if (op->getNumRegions() != 0)
    op->walk([&](Operation *nested) {
      if (nested == op)
        return;
      isOpaque |=
          isa_and_nonnull<qnnpack::QNNPackDialect>(nested->getDialect());
      for (Value operand : nested->getOperands())
        isOpaque |= !get(operand).isZero();
    });
  Differences differences;
  if (isOpaque)
    differences.isKnown = false;
  else
    differences = propagate(op);
  // Floats that are moved, or quantized elsewhere, stay what they are.
  if (differences.isZero() && differences.scale == 0)
    return;
  for (Value result : op->getResults())
    known[result] = differences;
}

SmallVector<ResultDifference>
qbackend::boundDifferences(func::FuncOp network, InexactForm form,
                           GetMultipliers getMultipliers) {
  Propagation propagation(form, getMultipliers);
  bool isStraight = network.getBody().hasOneBlock();
  SmallVector<ResultDifference> results(network.getNumResults());
  if (!isStraight)
    return results;
  Block &block = network.getBody().front();
  for (Operation &op : block.without_terminator())
    propagation.visit(&op);
  for (auto [result, value] :
       llvm::zip_equal(results, block.getTerminator()->getOperands())) {
    Differences differences = propagation.get(value);
    if (!differences.isKnown)
      continue;
    Difference all = differences.join();
    result.most = std::max(-all.lo, all.hi);
    result.likely = all.likely;
    result.scale = differences.scale;
    if (auto type = getType(value))
      result.scale = type.getScale();
  }
  return results;
}
