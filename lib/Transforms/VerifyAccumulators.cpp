// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Do the sums of a network fit their 32 bits (48 of 16-bit activations),
// whatever the input is? For the
// output channel o, with lo and hi the ends of the stored integers of the
// input,
//
//   b[o] + sum min((lo - zx) w', (hi - zx) w')
//     <= acc[o] <= b[o] + sum max((lo - zx) w', (hi - zx) w'),  w' = w - zw[o]
//
// Both are reached, unless padding is in the way: a tap outside adds 0, which
// is between the two. So is each sum of some of the products.

#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Operators/ConstantEvaluator.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

namespace qbackend {
#define GEN_PASS_DEF_VERIFYACCUMULATORSPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

namespace {
struct Interval {
  int64_t min = 0, max = 0;

  void add(int64_t lo, int64_t hi) {
    min += std::min(lo, hi);
    max += std::max(lo, hi);
  }
  void include(Interval other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
  /// The bits of the narrowest signed integer that has both.
  unsigned getBits() const {
    unsigned bits = 1;
    while (bits < 64 && (min < -(int64_t(1) << (bits - 1)) ||
                         max > (int64_t(1) << (bits - 1)) - 1))
      ++bits;
    return bits;
  }
};

/// What an op with a weight adds up.
struct Sums {
  Value weight, bias;
  /// x - zx.
  Interval input;
  /// What is there for a sum.
  unsigned bits = 32;
};
} // namespace

/// The stored integers of a quantized type, less its zero point.
static Interval getRange(Type type) {
  auto element = cast<quant::UniformQuantizedType>(getElementTypeOrSelf(type));
  return {element.getStorageTypeMin() - element.getZeroPoint(),
          element.getStorageTypeMax() - element.getZeroPoint()};
}

static std::optional<Sums> getSums(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Sums>>(op)
      .Case<qnnpack::Conv1dOp, qnnpack::Conv2dOp, qnnpack::Conv3dOp,
            qnnpack::ConvTranspose1dOp, qnnpack::ConvTranspose2dOp,
            qnnpack::LinearOp>([](auto op) {
        return Sums{op.getWeight(), op.getBias(),
                    getRange(op.getInput().getType()),
                    qnnpack::isWide(op.getInput().getType()) ? 48u : 32u};
      })
      // Any zero point; the bias is added in floats.
      .Case([](qnnpack::LinearDynamicOp op) {
        return Sums{op.getWeight(), Value(), Interval{-255, 255}};
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The integers of a constant, or null. Those of a quantized type are the bytes
/// that it was cast from.
static DenseElementsAttr getIntegers(Value value,
                                     ConstantEvaluator &evaluator) {
  if (auto cast = value.getDefiningOp<quant::StorageCastOp>())
    value = cast.getInput();
  DenseElementsAttr elements = evaluator.evaluate(value);
  return elements && isa<IntegerType>(elements.getElementType()) ? elements
                                                                 : nullptr;
}

/// What the accumulators of all channels can be. Without a constant weight, of
/// all weights of its type.
static Interval getAccumulators(const Sums &sums, DenseElementsAttr weight,
                                DenseElementsAttr bias) {
  auto type = cast<ShapedType>(sums.weight.getType());
  int64_t channels = type.getDimSize(0);
  int64_t taps = channels ? type.getNumElements() / channels : 0;
  SmallVector<int64_t> zeroPoints = qnnpack::getWeightZeroPoints(type);
  auto element = cast<quant::QuantizedType>(type.getElementType());
  bool isSigned = element.isSigned();
  Interval result;
  auto add = [&](Interval &channel, int64_t value) {
    channel.add(sums.input.min * value, sums.input.max * value);
  };
  std::optional<DenseElementsAttr::IntElementIterator> next, nextBias;
  if (weight)
    next = weight.value_begin<APInt>();
  if (bias)
    nextBias = bias.value_begin<APInt>();
  for (int64_t o = 0; o < channels; ++o) {
    int64_t zeroPoint = zeroPoints[zeroPoints.size() == 1 ? 0 : o];
    Interval channel;
    auto read = [&](const APInt &value) {
      return (isSigned ? value.getSExtValue() : int64_t(value.getZExtValue())) -
             zeroPoint;
    };
    if (weight && weight.isSplat()) {
      add(channel, read(weight.getSplatValue<APInt>()));
      // More than a sum of 64 bits holds is not told apart.
      int64_t count = std::min(taps, int64_t(1) << 46);
      channel = {channel.min * count, channel.max * count};
    } else if (next) {
      for (int64_t i = 0; i < taps; ++i)
        add(channel, read(*(*next)++));
    } else {
      Interval lowest, highest;
      add(lowest, element.getStorageTypeMin() - zeroPoint);
      add(highest, element.getStorageTypeMax() - zeroPoint);
      lowest.include(highest);
      channel = {lowest.min * taps, lowest.max * taps};
    }
    if (nextBias) {
      int64_t value = (*(*nextBias)++).getSExtValue();
      channel.add(value, value);
    }
    if (o == 0)
      result = channel;
    result.include(channel);
  }
  return result;
}

namespace {
struct VerifyAccumulatorsPass
    : qbackend::impl::VerifyAccumulatorsPassBase<VerifyAccumulatorsPass> {
  using VerifyAccumulatorsPassBase::VerifyAccumulatorsPassBase;

  void runOnOperation() override {
    ConstantEvaluator evaluator;
    Interval all;
    unsigned count = 0;
    bool isWrong = false;
    getOperation().walk([&](Operation *op) {
      std::optional<Sums> sums = getSums(op);
      if (!sums)
        return;
      ++count;
      if (!cast<ShapedType>(sums->weight.getType()).hasStaticShape()) {
        op->emitOpError("has a weight of unknown extents, expected constants: "
                        "how much it adds up is not known");
        isWrong = true;
        return;
      }
      DenseElementsAttr weight = getIntegers(sums->weight, evaluator), bias;
      if (sums->bias && !(bias = getIntegers(sums->bias, evaluator))) {
        op->emitOpError("has a bias that is not a constant, so that its sums "
                        "can be anything");
        isWrong = true;
        return;
      }
      Interval found = getAccumulators(*sums, weight, bias);
      all.include(found);
      remark::analysis(op->getLoc(),
                       remark::RemarkOpts::name("QB125").category("qbackend"))
          << remark::metric("smallest", found.min)
          << remark::metric("largest", found.max)
          << remark::metric("bits", found.getBits());
      if (found.getBits() <= sums->bits)
        return;
      isWrong = true;
      op->emitOpError("adds up ")
          << found.min << " to " << found.max << ", which takes "
          << found.getBits() << " bits, expected at most " << sums->bits
          << ": inputs are there for which the sum "
             "wraps; keep it float, or make its weight or bias smaller";
    });
    if (isWrong)
      return signalPassFailure();
    remark::analysis(getOperation().getLoc(),
                     remark::RemarkOpts::name("QB125").category("qbackend"))
        << remark::metric("operators", count)
        << remark::metric("smallest", all.min)
        << remark::metric("largest", all.max)
        << remark::metric("bits", all.getBits());
  }
};
} // namespace
