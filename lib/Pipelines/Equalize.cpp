// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equalization of inputs and weights: where a layer's input channels have
// different ranges, one scale for all of them wastes integers; each is divided
// by a factor that its part of the weight is multiplied by.

#include "qbackend/Pipelines/Equalize.h"

#include "qbackend/Pipelines/Layers.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/ObserverOptions.h"
#include "qbackend/Transforms/Analysis/Patterns.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using calibration::Statistics;

namespace {
class Equalizer {
public:
  Equalizer(ModuleOp module, StatisticsLookup lookup)
      : module(module), symbols(module), lookup(lookup) {
    module.walk([&](ObserveOp op) { ++sites[op.getObserver()]; });
  }

  void visit(OperatorOp op) {
    if (!op.getQconfig() ||
        getQuantizationMode(*op.getQconfig()) != QuantizationMode::Static)
      return;
    // Other kinds are not meant by a mapping that equalizes everything.
    if (!isLayer(op))
      return;
    auto observe = op.getInputs()[0].getDefiningOp<ObserveOp>();
    if (!observe)
      return;
    std::optional<LayerWeight> weight = readLayerWeight(op);
    if (!weight)
      return decline(op, "its weight is no float constant",
                     "pass the trained weight as a dense constant");
    if (int64_t groups = getGroupCount(op); groups != 1)
      return decline(op,
                     "it has " + Twine(groups) +
                         " groups: an input channel meets one part of the "
                         "weight",
                     "leave it out of the mapping");
    if (isBranch(observe))
      return decline(op, "another quantized operator reads its input too",
                     "leave both out of the mapping");
    auto argument =
        dyn_cast<BlockArgument>(TensorNames::getTensor(observe.getInput()));
    if (argument && isQuantized(argument))
      return decline(op, "its input is integers for the caller",
                     "leave it out of the mapping, or of quantized-inputs");
    ObserverOp observer = getObserver(observe);
    bool isFixed = observer.getConfig().getKind() == ObserverKind::FixedQParams;
    if (observer.isCalibrated() && !isFixed && !argument)
      return decline(op, "its input has parameters that the module came with",
                     "leave it out of the mapping");
    const Statistics *stats = lookup(observe.getInput());
    int64_t columns = weight->getColumns();
    if (!stats || int64_t(stats->channelMins.size()) != columns)
      return decline(op,
                     "the ranges of the " + Twine(columns) +
                         " columns of its input are not known",
                     "calibrate with data, or with a table that "
                     "qbackend-run --calibrate wrote");
    SmallVector<float, 0> scales = getScales(*stats, *weight);
    if (llvm::all_of(scales, [](float scale) { return scale == 1; }))
      return;
    for (size_t i = 0; i < weight->numbers.size(); ++i)
      weight->numbers[i] *= 1.0f / scales[i % columns];
    setLayerWeight(op, *weight);
    if (!scaleProducer(observe, observer, scales))
      observer = scaleInput(op, observe, observer, scales);
    setRange(observer, *stats, scales);
  }

private:
  static void decline(OperatorOp op, const Twine &reason,
                      const Twine &suggestion) {
    remarkMissed(op, "QB150", op.getKindName(), "not equalized: " + reason,
                 suggestion);
  }

  static bool isQuantized(BlockArgument argument) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return function && argument.getOwner()->isEntryBlock() &&
           function.getArgAttr(argument.getArgNumber(), kQuantizedAttrName);
  }

  /// Whether another quantized operator reads the value that `observe` does.
  static bool isBranch(ObserveOp observe) {
    auto countQuantized = [](Value value) {
      return llvm::count_if(value.getUsers(), [](Operation *user) {
        auto reader = dyn_cast<OperatorOp>(user);
        return reader && reader.getQconfig();
      });
    };
    int64_t readers = 0;
    for (Operation *user : observe.getInput().getUsers())
      if (auto other = dyn_cast<ObserveOp>(user))
        readers += countQuantized(other.getOutput());
    return readers > 1;
  }

  ObserverOp getObserver(ObserveOp observe) {
    return symbols.lookup<ObserverOp>(observe.getObserver());
  }

  static SmallVector<float, 0> getScales(const Statistics &stats,
                                         const LayerWeight &weight) {
    int64_t columns = weight.getColumns();
    SmallVector<float, 0> mins(columns, HUGE_VALF), maxs(columns, -HUGE_VALF);
    for (size_t i = 0; i < weight.numbers.size(); ++i) {
      mins[i % columns] = std::min(mins[i % columns], weight.numbers[i]);
      maxs[i % columns] = std::max(maxs[i % columns], weight.numbers[i]);
    }
    SmallVector<float, 0> scales(columns);
    for (int64_t c = 0; c < columns; ++c) {
      float input = stats.channelMaxs[c] - stats.channelMins[c];
      float scale = std::sqrt((maxs[c] - mins[c]) / input);
      scales[c] = std::isfinite(scale) && scale != 0 ? scale : 1.0f;
    }
    return scales;
  }

  /// Multiplies the input by `scales` in the layer that computes it, if that is
  /// one and nothing else reads its result.
  bool scaleProducer(ObserveOp observe, ObserverOp observer,
                     ArrayRef<float> scales) {
    auto producer = observe.getInput().getDefiningOp<OperatorOp>();
    if (!producer || !isLayer(producer) || !producer.getOutput().hasOneUse() ||
        !observe.getOutput().hasOneUse() ||
        sites.lookup(observe.getObserver()) != 1 || observer.isCalibrated())
      return false;
    std::optional<LayerWeight> weight = readLayerWeight(producer);
    if (!weight || weight->getRows() != int64_t(scales.size()))
      return false;
    std::optional<SmallVector<float, 0>> bias;
    if (producer.getBias()) {
      bias = readFloats(producer.getBias());
      if (!bias || bias->size() != scales.size())
        return false;
      for (auto [number, scale] : llvm::zip(*bias, scales))
        number *= scale;
    }
    for (size_t i = 0; i < weight->numbers.size(); ++i)
      weight->numbers[i] *= scales[i / weight->getRowSize()];
    setLayerWeight(producer, *weight);
    if (bias)
      setLayerBias(producer, *bias);
    return true;
  }

  /// Multiplies the input of `op` by `scales`, and returns the observer of the
  /// product. A value that is integers where it is made stays so: then the
  /// product is observed besides.
  ObserverOp scaleInput(OperatorOp op, ObserveOp observe, ObserverOp observer,
                        ArrayRef<float> scales) {
    auto producer = observe.getInput().getDefiningOp<OperatorOp>();
    bool isOutput = producer && producer.getQconfig();
    bool isOwn = sites.lookup(observe.getObserver()) == 1 &&
                 observe.getOutput().hasOneUse();
    ImplicitLocOpBuilder b(op.getLoc(), op);
    if (!isOutput && isOwn) {
      b.setInsertionPoint(observe);
      Value product = createProduct(b, observe.getInput(), scales);
      observe.getInputMutable().assign(product);
      return observer;
    }
    Value product = createProduct(
        b, isOutput ? observe.getOutput() : observe.getInput(), scales);
    OpBuilder atObserver(observer);
    atObserver.setInsertionPointAfter(observer);
    ObserverAttr config =
        observer.getConfig().getKind() == ObserverKind::FixedQParams
            ? op.getQconfig()->getActivation()
            : observer.getConfig();
    auto own = ObserverOp::create(
        atObserver, op.getLoc(), (observer.getSymName() + "_equalized").str(),
        config, FloatAttr(), FloatAttr(), FloatAttr(), IntegerAttr());
    symbols.insert(own, atObserver.getInsertionPoint());
    auto observed =
        ObserveOp::create(b, product.getType(), product,
                          FlatSymbolRefAttr::get(own.getSymNameAttr()));
    op.getInputsMutable()[0].set(observed.getOutput());
    if (observe.getOutput().use_empty()) {
      --sites[observe.getObserver()];
      observe.erase();
    }
    return own;
  }

  /// x[..., c] * scales[c].
  static Value createProduct(ImplicitLocOpBuilder &b, Value input,
                             ArrayRef<float> scales) {
    auto type = cast<RankedTensorType>(input.getType());
    int64_t rank = type.getRank();
    Value scale = arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               RankedTensorType::get({int64_t(scales.size())}, b.getF32Type()),
               scales));
    Value empty = tensor::EmptyOp::create(
        b, type, tensor::createDynamicDimValues(b, b.getLoc(), input));
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    SmallVector<AffineMap> maps = {
        identity, AffineMap::get(rank, 0, b.getAffineDimExpr(rank - 1)),
        identity};
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               b, type, ValueRange{input, scale}, empty, maps, loops,
               [](OpBuilder &builder, Location loc, ValueRange args) {
                 Value product =
                     arith::MulFOp::create(builder, loc, args[0], args[1]);
                 linalg::YieldOp::create(builder, loc, product);
               })
        .getResult(0);
  }

  static void setRange(ObserverOp observer, const Statistics &stats,
                       ArrayRef<float> scales) {
    Statistics scaled;
    for (auto [c, scale] : llvm::enumerate(scales)) {
      scaled.min = std::min(scaled.min, stats.channelMins[c] * scale);
      scaled.max = std::max(scaled.max, stats.channelMaxs[c] * scale);
    }
    calibration::ObserverOptions options =
        getObserverOptions(observer.getConfig());
    // Whatever it would have chosen of what it saw: that is scaled now.
    options.kind = ObserverKind::MinMax;
    setParameters(observer, scaled,
                  calibration::Observer::qparams(scaled, options)[0]);
  }

  ModuleOp module;
  SymbolTable symbols;
  StatisticsLookup lookup;
  /// How many values each observer sees.
  llvm::StringMap<int64_t> sites;
};
} // namespace

LogicalResult qbackend::equalize(ModuleOp module, QConfigMappingOp mapping,
                                 StatisticsLookup lookup) {
  TensorNames names(module);
  OperatorSelectors operators(module, names);
  QConfigTable qconfigs(mapping, operators);
  Equalizer equalizer(module, lookup);
  SmallVector<OperatorOp> chosen;
  for (auto &[found, selector] : operators.getAll()) {
    auto op = cast<OperatorOp>(found);
    // The layer decides for the relu behind it.
    QConfigOp entry = qconfigs.lookup(op, getKindNames(op), /*isFusion=*/true);
    if (entry && entry.getConfig())
      chosen.push_back(op);
  }
  if (failed(qconfigs.verifySelectors(BackendConfigOp())))
    return failure();
  for (OperatorOp op : chosen)
    equalizer.visit(op);
  return success();
}
