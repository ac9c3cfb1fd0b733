// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equalization of the channels between two layers, and absorption of biases.

#include "EqualizeLayers.h"

#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/ObserverOptions.h"
#include "qbackend/Transforms/Analysis/Patterns.h"

#include "mlir/IR/BuiltinOps.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace qbackend;
using calibration::Statistics;

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// Whether f(s x) = s f(x) for s > 0 in each channel.
static bool isProportional(OperatorOp op) {
  if (op.isFused() || op.getInputs().size() != 1)
    return false;
  return isa<ReluAttr, LeakyReluAttr, PreluAttr, DropoutAttr, MaxPool1dAttr,
             MaxPool2dAttr, MaxPool3dAttr, AvgPool1dAttr, AvgPool2dAttr,
             AvgPool3dAttr, AdaptiveAvgPool1dAttr, AdaptiveAvgPool2dAttr,
             AdaptiveAvgPool3dAttr>(op.getKind());
}

/// The permutation of a change of shape; null if `op` is none.
static std::optional<ArrayRef<int64_t>> getReshape(OperatorOp op) {
  if (op.isFused())
    return std::nullopt;
  DenseI64ArrayAttr permutation;
  if (auto flatten = dyn_cast<FlattenAttr>(op.getKind()))
    permutation = flatten.getPermutation();
  else if (auto reshape = dyn_cast<ReshapeAttr>(op.getKind()))
    permutation = reshape.getPermutation();
  else
    return std::nullopt;
  return permutation ? permutation.asArrayRef() : ArrayRef<int64_t>();
}

/// The channel of the input of a reshape that each channel of its result is;
/// nothing if some are parts of several, or extents are not known.
static std::optional<SmallVector<int64_t, 0>>
getChannels(OperatorOp op, ArrayRef<int64_t> permutation) {
  auto from = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto to = cast<RankedTensorType>(op.getOutput().getType());
  int64_t rank = from.getRank();
  if (rank < 2 || to.getRank() < 2 ||
      (!permutation.empty() && permutation[0] != 0))
    return std::nullopt;
  SmallVector<int64_t> order(permutation);
  if (order.empty())
    for (int64_t i = 0; i < rank; ++i)
      order.push_back(i);
  int64_t count = 1, channelStride = 1;
  for (int64_t dim : llvm::reverse(ArrayRef(order).drop_front())) {
    if (from.isDynamicDim(dim))
      return std::nullopt;
    if (dim == rank - 1)
      channelStride = count;
    count *= from.getDimSize(dim);
  }
  int64_t columns = to.getShape().back(), channels = from.getShape().back();
  if (ShapedType::isDynamic(columns) || columns == 0 || count % columns != 0 ||
      count > (int64_t(1) << 24))
    return std::nullopt;
  SmallVector<int64_t, 0> result(columns, -1);
  for (int64_t i = 0; i < count; ++i) {
    int64_t channel = i / channelStride % channels;
    int64_t &known = result[i % columns];
    if (known >= 0 && known != channel)
      return std::nullopt;
    known = channel;
  }
  return result;
}

static void decline(OperatorOp op, const Twine &reason,
                    const Twine &suggestion) {
  remarkMissed(op, "QB151", op.getKindName(),
               "not equalized with the layer before it: " + reason, suggestion);
}

LayerEqualizer::LayerEqualizer(ModuleOp module, bool hasTable,
                               StatisticsLookup table)
    : symbols(module), hasTable(hasTable), table(table) {
  module.walk([&](ObserveOp op) { ++sites[op.getObserver()]; });
  SmallVector<OperatorOp> operators;
  module.walk<WalkOrder::PreOrder>([&](OperatorOp op) {
    if (op.getQconfig() && isLayer(op))
      operators.push_back(op);
    return WalkResult::skip();
  });
  for (OperatorOp op : operators)
    findPair(op);
}

LayerEqualizer::Layer *LayerEqualizer::getLayer(OperatorOp op) {
  auto it = layers.find(op);
  if (it != layers.end())
    return &it->second;
  std::optional<LayerWeight> weight = readLayerWeight(op);
  if (!weight)
    return nullptr;
  Layer layer{std::move(*weight), {}};
  if (op.getBias()) {
    auto bias = readFloats(op.getBias());
    if (!bias || int64_t(bias->size()) != layer.weight.getRows())
      return nullptr;
    layer.bias = std::move(*bias);
    layer.hasBias = true;
  }
  return &layers.insert({op, std::move(layer)}).first->second;
}

void LayerEqualizer::findPair(OperatorOp second) {
  if (!getLayer(second))
    return;
  Pair pair;
  pair.second = second;
  auto type = cast<RankedTensorType>(second.getInputs()[0].getType());
  int64_t columns =
      getLayer(second)->weight.getColumns() * getGroupCount(second);
  if (type.getShape().back() != columns)
    return;
  SmallVector<int64_t, 0> channels(columns);
  std::iota(channels.begin(), channels.end(), 0);
  Value value = second.getInputs()[0];
  while (!pair.first) {
    Operation *producer = value.getDefiningOp();
    if (!isa_and_nonnull<ObserveOp, OperatorOp>(producer))
      return;
    if (!value.hasOneUse())
      return decline(second, "what is between them is read elsewhere too",
                     "nothing is to be done");
    if (auto observe = dyn_cast<ObserveOp>(producer)) {
      pair.observes.push_back(observe);
      value = observe.getInput();
      continue;
    }
    auto op = cast<OperatorOp>(producer);
    pair.values.push_back({value, channels});
    if (isLayer(op)) {
      pair.first = op;
    } else if (std::optional<ArrayRef<int64_t>> permutation = getReshape(op)) {
      auto map = getChannels(op, *permutation);
      if (!map)
        return decline(second, "a reshape between them mixes channels",
                       "nothing is to be done");
      for (int64_t &channel : channels)
        channel = (*map)[channel];
      pair.isDirect = false;
    } else if (isProportional(op)) {
      bool isRelu = isa<ReluAttr>(op.getKind());
      pair.hasRelu |= isRelu;
      pair.isDirect &= isRelu;
    } else if (op.getInputs().size() == 1) {
      return decline(second,
                     op.getKindName() +
                         " between them is no relu and no pool: its values "
                         "can't be scaled",
                     isa<Relu6Attr>(op.getKind())
                         ? "train with relu in its place, if it seldom cuts "
                           "off; or have per-channel weights"
                         : "have per-channel weights");
    } else {
      return;
    }
    if (!pair.first)
      value = op.getInputs()[0];
  }
  Layer *first = getLayer(pair.first);
  if (!first)
    return decline(second, "the weight there is no float constant",
                   "pass the trained weight as a dense constant");
  // Channels of the first, of each value.
  int64_t rows = first->weight.getRows();
  std::reverse(pair.values.begin(), pair.values.end());
  if (cast<RankedTensorType>(pair.first.getOutput().getType())
          .getShape()
          .back() != rows)
    return;
  SmallVector<int64_t, 0> map(rows);
  std::iota(map.begin(), map.end(), 0);
  for (Between &between : pair.values) {
    auto op = between.value.getDefiningOp<OperatorOp>();
    if (op != pair.first)
      if (std::optional<ArrayRef<int64_t>> permutation = getReshape(op)) {
        SmallVector<int64_t, 0> next = *getChannels(op, *permutation);
        for (int64_t &channel : next)
          channel = map[channel];
        map = std::move(next);
      }
    between.channels = map;
  }
  if (pair.first.isFused())
    pair.hasRelu = true;
  for (ObserveOp observe : pair.observes)
    if (symbols.lookup<ObserverOp>(observe.getObserver()).isCalibrated())
      return decline(second, "what is between them has parameters already",
                     "leave these to calibration");
  if (hasTable && !checkTable(pair))
    return;
  pair.factors.assign(rows, 1.0f);
  pair.shifts.assign(rows, 0.0f);
  pairs.push_back(std::move(pair));
}

bool LayerEqualizer::checkTable(const Pair &pair) {
  llvm::StringMap<int64_t> own;
  for (ObserveOp observe : pair.observes) {
    ++own[observe.getObserver()];
    const Statistics *stats = table(observe.getInput());
    if (stats && stats->channelMins.size() ==
                     size_t(cast<RankedTensorType>(observe.getInput().getType())
                                .getShape()
                                .back()))
      continue;
    decline(pair.second,
            "the ranges of the channels between them are not "
            "known",
            "calibrate with data, or with a table that qbackend-run "
            "--calibrate wrote");
    return false;
  }
  for (auto &entry : own)
    if (sites.lookup(entry.getKey()) != entry.getValue()) {
      decline(pair.second,
              "what is between them shares an observer with others",
              "calibrate with data");
      return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Equalization
//===----------------------------------------------------------------------===//

/// Calls `visit` with each number of `weight`, and the input channel that it is
/// multiplied by.
static void forEachColumn(LayerWeight &weight, int64_t groups,
                          llvm::function_ref<void(int64_t, float &)> visit) {
  int64_t columns = weight.getColumns(), rowSize = weight.getRowSize();
  int64_t rowsOfGroup = weight.getRows() / groups;
  for (auto [i, number] : llvm::enumerate(weight.numbers)) {
    int64_t group = int64_t(i) / rowSize / rowsOfGroup;
    visit(group * columns + int64_t(i) % columns, number);
  }
}

float LayerEqualizer::equalize(Pair &pair) {
  Layer &first = *getLayer(pair.first), &second = *getLayer(pair.second);
  ArrayRef<int64_t> channels = pair.values.back().channels;
  int64_t groups = getGroupCount(pair.second);
  int64_t rows = first.weight.getRows(), rowSize = first.weight.getRowSize();
  SmallVector<float, 0> before(rows, 0.0f), after(rows, 0.0f);
  for (auto [i, number] : llvm::enumerate(first.weight.numbers))
    before[i / rowSize] = std::max(before[i / rowSize], std::fabs(number));
  forEachColumn(second.weight, groups, [&](int64_t column, float &number) {
    float &largest = after[channels[column]];
    largest = std::max(largest, std::fabs(number));
  });
  SmallVector<float, 0> scales(rows, 1.0f);
  float change = 0;
  for (int64_t c = 0; c < rows; ++c) {
    float scale = std::sqrt(before[c] / after[c]);
    if (!std::isfinite(scale) || scale == 0)
      continue;
    scales[c] = scale;
    change = std::max(change, std::fabs(scale - 1));
    pair.factors[c] /= scale;
  }
  // What nothing changes keeps its bits.
  if (change == 0)
    return 0;
  for (auto [i, number] : llvm::enumerate(first.weight.numbers))
    number /= scales[i / rowSize];
  for (auto [number, scale] : llvm::zip(first.bias, scales))
    number /= scale;
  forEachColumn(second.weight, groups, [&](int64_t column, float &number) {
    number *= scales[channels[column]];
  });
  first.isChanged = second.isChanged = true;
  return change;
}

void LayerEqualizer::equalize() {
  // A chain of layers is balanced after a few sweeps.
  for (int sweep = 0; sweep < 20; ++sweep) {
    float change = 0;
    for (Pair &pair : pairs)
      change = std::max(change, equalize(pair));
    if (change < 1e-3f)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Absorption
//===----------------------------------------------------------------------===//

static bool hasPadding(OperatorOp op) {
  auto kind = dyn_cast<ConvolutionKindAttrInterface>(
      static_cast<Attribute>(op.getKind()));
  return kind && llvm::any_of(kind.getPaddings(),
                              [](int64_t padding) { return padding != 0; });
}

void LayerEqualizer::absorb(StatisticsLookup lookup) {
  for (Pair &pair : pairs) {
    Layer &first = *getLayer(pair.first), &second = *getLayer(pair.second);
    if (!pair.isDirect || hasPadding(pair.second) || !first.hasBias ||
        !second.hasBias)
      continue;
    Value value = pair.values.back().value;
    const Statistics *stats = hasTable ? table(value) : lookup(value);
    size_t rows = first.weight.getRows();
    if (!stats || stats->channelMins.size() != rows)
      continue;
    SmallVector<float, 0> amounts(rows);
    for (size_t c = 0; c < rows; ++c) {
      float factor = hasTable ? pair.factors[c] : 1.0f;
      float min = stats->channelMins[c] * factor;
      float max = stats->channelMaxs[c] * factor;
      float amount = pair.hasRelu ? std::max(0.0f, min) : (min + max) / 2;
      amounts[c] = std::isfinite(amount) ? amount : 0.0f;
    }
    if (llvm::all_of(amounts, [](float amount) { return amount == 0; }))
      continue;
    for (size_t c = 0; c < rows; ++c) {
      first.bias[c] -= amounts[c];
      pair.shifts[c] += amounts[c];
    }
    SmallVector<double, 0> sums(second.weight.getRows(), 0.0);
    int64_t rowSize = second.weight.getRowSize();
    const float *begin = second.weight.numbers.data();
    ArrayRef<int64_t> channels = pair.values.back().channels;
    forEachColumn(second.weight, getGroupCount(pair.second),
                  [&](int64_t column, float &number) {
                    sums[(&number - begin) / rowSize] +=
                        double(number) * amounts[channels[column]];
                  });
    for (auto [number, sum] : llvm::zip(second.bias, sums))
      number = double(number) + sum;
    first.isChanged = second.isChanged = true;
  }
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

void LayerEqualizer::setRanges(Pair &pair, RescaleCallback rescaled) {
  llvm::MapVector<StringRef, Statistics> ranges;
  for (ObserveOp observe : pair.observes) {
    Statistics &range = ranges[observe.getObserver()];
    const Statistics &stats = *table(observe.getInput());
    auto between = llvm::find_if(pair.values, [&](const Between &between) {
      return between.value == observe.getInput() ||
             // Two observers of one value, of different types.
             (observe.getInput().getDefiningOp<ObserveOp>() &&
              observe.getInput().getDefiningOp<ObserveOp>().getInput() ==
                  between.value);
    });
    if (between == pair.values.end())
      continue;
    SmallVector<float, 0> factors, shifts;
    for (auto [i, channel] : llvm::enumerate(between->channels)) {
      float factor = pair.factors[channel], shift = pair.shifts[channel];
      factors.push_back(factor);
      shifts.push_back(shift);
      range.min = std::min(range.min, stats.channelMins[i] * factor - shift);
      range.max = std::max(range.max, stats.channelMaxs[i] * factor - shift);
    }
    rescaled(observe.getInput(), factors, shifts);
  }
  for (auto &[name, range] : ranges) {
    auto observer = symbols.lookup<ObserverOp>(name);
    if (range.empty())
      continue;
    calibration::ObserverOptions options =
        getObserverOptions(observer.getConfig());
    // Whatever it would have chosen of what it saw: that is scaled now.
    options.kind = calibration::ObserverKind::MinMax;
    setParameters(observer, range,
                  calibration::Observer::qparams(range, options)[0]);
  }
}

void LayerEqualizer::apply(RescaleCallback rescaled) {
  for (auto &[operation, layer] : layers) {
    if (!layer.isChanged)
      continue;
    auto op = cast<OperatorOp>(operation);
    setLayerWeight(op, layer.weight);
    if (layer.hasBias)
      setLayerBias(op, layer.bias);
  }
  if (!hasTable)
    return;
  for (Pair &pair : pairs)
    if (llvm::any_of(pair.factors, [](float factor) { return factor != 1; }) ||
        llvm::any_of(pair.shifts, [](float shift) { return shift != 0; }))
      setRanges(pair, rescaled);
}
