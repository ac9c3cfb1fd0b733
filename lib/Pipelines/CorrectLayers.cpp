// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding of weights and correction of biases by what layers read.

#include "CorrectLayers.h"
#include "HookIndex.h"
#include "Layers.h"
#include "ObservedRun.h"

#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Runtime/Executable.h"
#include "qbackend/Transforms/QuantizeWeights.h"
#include "qbackend/Transforms/Remarks.h"
#include "qbackend/Transforms/Support.h"

#include "mlir/IR/SymbolTable.h"

#include <cmath>
#include <map>
#include <mutex>

using namespace mlir;
using namespace qbackend;

/// The longest part of a row whose matrix is held: 64 MB.
static constexpr int64_t kLongestRow = 4096;
/// How many pixels of a sample go into the matrix, evenly spread: neighbours
/// are alike.
static constexpr int64_t kPixels = 16;

namespace {
/// Which elements of its input each pixel of a layer's result is made of, over
/// three spatial dimensions: those that a layer lacks have the extent 1.
struct Geometry {
  int64_t kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1},
          before[3] = {0, 0, 0}, after[3] = {0, 0, 0};
  bool isLinear = true;
  /// Input channels, of all groups.
  int64_t channels = 0;

  int64_t getPositions() const { return kernel[0] * kernel[1] * kernel[2]; }

  /// Calls `visit(number, total, elements)` for each pixel of the result:
  /// for each position of the kernel the first of the input's channels, null in
  /// the padding.
  void forEachPixel(
      const float *data, ArrayRef<int64_t> shape,
      llvm::function_ref<void(int64_t, int64_t, ArrayRef<const float *>)> visit)
      const {
    int64_t extents[3] = {1, 1, 1}, outer = 1;
    int64_t rank = shape.size() - 1;
    if (isLinear) {
      for (int64_t extent : shape.drop_back())
        outer *= extent;
    } else {
      outer = shape[0];
      for (int64_t i = 1; i < rank; ++i)
        extents[3 - rank + i] = shape[i];
    }
    int64_t results[3];
    for (int d = 0; d < 3; ++d)
      results[d] = std::max<int64_t>(0, (extents[d] + before[d] + after[d] -
                                         dilation[d] * (kernel[d] - 1) - 1) /
                                                stride[d] +
                                            1);
    int64_t total = outer * results[0] * results[1] * results[2], number = 0;
    SmallVector<const float *> elements(getPositions());
    for (int64_t n = 0; n < outer; ++n)
      for (int64_t d = 0; d < results[0]; ++d)
        for (int64_t h = 0; h < results[1]; ++h)
          for (int64_t w = 0; w < results[2]; ++w) {
            const int64_t pixel[3] = {d, h, w};
            getElements(data, n, extents, pixel, elements);
            visit(number++, total, elements);
          }
  }

private:
  void getElements(const float *data, int64_t n, const int64_t *extents,
                   const int64_t *pixel,
                   MutableArrayRef<const float *> elements) const {
    int64_t next = 0;
    for (int64_t a = 0; a < kernel[0]; ++a)
      for (int64_t b = 0; b < kernel[1]; ++b)
        for (int64_t c = 0; c < kernel[2]; ++c) {
          const int64_t tap[3] = {a, b, c};
          int64_t offset = n;
          bool isInside = true;
          for (int i = 0; i < 3; ++i) {
            int64_t at =
                pixel[i] * stride[i] - before[i] + tap[i] * dilation[i];
            isInside &= at >= 0 && at < extents[i];
            offset = offset * extents[i] + at;
          }
          elements[next++] = isInside ? data + offset * channels : nullptr;
        }
  }
};

/// What pixels of a layer's input hold on average.
struct Moments {
  /// Sums over all pixels of the real input and the quantized one, for each
  /// position of the kernel and each channel.
  std::vector<double> real, quantized;
  int64_t pixels = 0;
  /// Sums of products over some pixels, for each group: the rows of a symmetric
  /// matrix in the order of a row of the weight.
  std::vector<float> products;
  /// Sums of the quantized input over these pixels, as above.
  std::vector<double> productSums;
  int64_t productPixels = 0;

  void add(const Moments &other) {
    auto sum = [](auto &to, const auto &from) {
      if (to.empty())
        to = from;
      else
        for (size_t i = 0; i < to.size(); ++i)
          to[i] += from[i];
    };
    sum(real, other.real);
    sum(quantized, other.quantized);
    sum(products, other.products);
    sum(productSums, other.productSums);
    pixels += other.pixels;
    productPixels += other.productPixels;
  }
};

struct CorrectedLayer {
  OperatorOp op;
  LayerWeight weight;
  WeightParameters parameters;
  Geometry geometry;
  int64_t groups = 1;
  /// Of the input.
  float scale = 1;
  int64_t zeroPoint = 0, min = 0, max = 255;
  bool round = false;

  Moments moments;
  /// Those of samples that others are to be added before, by number.
  std::map<int64_t, Moments> pending;

  int64_t getGroupRows() const { return weight.getRows() / groups; }
  const numerics::QuantParams &getParameters(int64_t row) const {
    return parameters.channels.size() == 1 ? parameters.channels[0]
                                           : parameters.channels[row];
  }
  int64_t quantize(int64_t row, float number) const {
    const numerics::QuantParams &params = getParameters(row);
    return numerics::quantize(number, params.scale, params.zeroPoint,
                              parameters.min, parameters.max);
  }
  float dequantize(int64_t row, int64_t integer) const {
    const numerics::QuantParams &params = getParameters(row);
    return numerics::dequantize(integer, params.scale, params.zeroPoint);
  }

  Moments measure(const std::vector<float> &input, ArrayRef<int64_t> shape,
                  int64_t sample) const;
  void roundWeight(bool isCentred);
  std::optional<SmallVector<float, 0>> getBias() const;
};
} // namespace

/// Whether the pixel `number` is one of about kPixels of `total`: spread
/// without a period, so that borders have their share.
static bool isChosen(uint64_t number, uint64_t total) {
  // Fibonacci hashing, Knuth, vol. 3, 6.4.
  uint64_t hash = (number * 0x9E3779B97F4A7C15) >> 32;
  return total <= uint64_t(kPixels) || hash * total < (uint64_t(kPixels) << 32);
}

Moments CorrectedLayer::measure(const std::vector<float> &input,
                                ArrayRef<int64_t> shape, int64_t sample) const {
  std::vector<float> rounded(input.size());
  for (size_t i = 0; i < input.size(); ++i)
    rounded[i] = numerics::fakeQuantize(input[i], scale, zeroPoint, min, max);
  int64_t channels = geometry.channels, positions = geometry.getPositions();
  Moments result;
  auto addUp = [&](const std::vector<float> &from, std::vector<double> &sums) {
    sums.assign(positions * channels, 0.0);
    geometry.forEachPixel(
        from.data(), shape,
        [&](int64_t, int64_t total, ArrayRef<const float *> elements) {
          result.pixels = total;
          for (auto [p, element] : llvm::enumerate(elements))
            for (int64_t c = 0; element && c < channels; ++c)
              sums[p * channels + c] += element[c];
        });
  };
  addUp(input, result.real);
  addUp(rounded, result.quantized);
  if (!round)
    return result;
  int64_t columns = weight.getColumns(), rowSize = weight.getRowSize();
  result.products.assign(groups * rowSize * rowSize, 0.0f);
  result.productSums.assign(positions * channels, 0.0);
  std::vector<float> row(rowSize);
  geometry.forEachPixel(
      rounded.data(), shape,
      [&](int64_t number, int64_t total, ArrayRef<const float *> elements) {
        if (!isChosen(sample * total + number, total))
          return;
        ++result.productPixels;
        for (auto [p, element] : llvm::enumerate(elements))
          for (int64_t c = 0; element && c < channels; ++c)
            result.productSums[p * channels + c] += element[c];
        for (int64_t group = 0; group < groups; ++group) {
          for (auto [p, element] : llvm::enumerate(elements))
            for (int64_t c = 0; c < columns; ++c)
              row[p * columns + c] =
                  element ? element[group * columns + c] : 0.0f;
          float *matrix = &result.products[group * rowSize * rowSize];
          for (int64_t i = 0; i < rowSize; ++i)
            if (float left = row[i])
              for (int64_t j = 0; j < rowSize; ++j)
                matrix[i * rowSize + j] += left * row[j];
        }
      });
  return result;
}

/// Rounds each number of the weight to one of the integers beside it.
void CorrectedLayer::roundWeight(bool isCentred) {
  int64_t columns = weight.getColumns(), rowSize = weight.getRowSize();
  if (moments.productPixels == 0)
    return;
  // The ends of the range are what scales come from: they stay.
  int64_t perScale = weight.numbers.size() / parameters.channels.size();
  std::vector<double> matrix(rowSize * rowSize), gradient(rowSize);
  std::vector<int64_t> integers(rowSize);
  for (int64_t group = 0; group < groups; ++group) {
    auto getMean = [&](int64_t i) {
      return moments.productSums[i / columns * geometry.channels +
                                 group * columns + i % columns] /
             moments.productPixels;
    };
    for (int64_t i = 0; i < rowSize; ++i)
      for (int64_t j = 0; j < rowSize; ++j) {
        double product = moments.products[(group * rowSize + i) * rowSize + j] /
                         double(moments.productPixels);
        // What all pixels have in common, the bias takes.
        matrix[i * rowSize + j] =
            isCentred ? product - getMean(i) * getMean(j) : product;
      }
    for (int64_t r = 0; r < getGroupRows(); ++r) {
      int64_t row = group * getGroupRows() + r;
      float *numbers = &weight.numbers[row * rowSize];
      auto [least, largest] = std::minmax_element(
          weight.numbers.begin() + row * rowSize / perScale * perScale,
          weight.numbers.begin() + (row * rowSize / perScale + 1) * perScale);
      float low = *least, high = *largest;
      std::fill(gradient.begin(), gradient.end(), 0.0);
      for (int64_t i = 0; i < rowSize; ++i) {
        integers[i] = quantize(row, numbers[i]);
        double error =
            double(numbers[i]) - double(dequantize(row, integers[i]));
        for (int64_t j = 0; j < rowSize; ++j)
          gradient[j] += error * matrix[i * rowSize + j];
      }
      bool isChanged = true;
      for (int sweep = 0; isChanged && sweep < 20; ++sweep) {
        isChanged = false;
        for (int64_t i = 0; i < rowSize; ++i) {
          if (numbers[i] == low || numbers[i] == high)
            continue;
          double now = dequantize(row, integers[i]);
          int64_t nearest = quantize(row, numbers[i]);
          double atNearest = dequantize(row, nearest);
          int64_t beside = nearest + (numbers[i] > atNearest ? 1 : -1);
          int64_t other = integers[i] == nearest ? beside : nearest;
          if (other < parameters.min || other > parameters.max)
            continue;
          // (d + t e)^T H (d + t e) - d^T H d, with the row's error d.
          double step = now - double(dequantize(row, other));
          double change =
              2 * step * gradient[i] + step * step * matrix[i * rowSize + i];
          if (!(change < -1e-12 * step * step * matrix[i * rowSize + i]))
            continue;
          // Only what is read back as that integer, and leaves the range.
          float number = std::clamp(dequantize(row, other), low, high);
          if (quantize(row, number) != other)
            continue;
          integers[i] = other;
          for (int64_t j = 0; j < rowSize; ++j)
            gradient[j] += step * matrix[i * rowSize + j];
          isChanged = true;
        }
      }
      for (int64_t i = 0; i < rowSize; ++i)
        if (integers[i] != quantize(row, numbers[i]))
          numbers[i] = std::clamp(dequantize(row, integers[i]), low, high);
    }
  }
}

/// The bias, corrected; nothing if there is none. Called with the weight that
/// is quantized and the one that it is measured against in `op`.
std::optional<SmallVector<float, 0>> CorrectedLayer::getBias() const {
  auto bias = readConstant(OperatorOp(op).getBias());
  std::optional<LayerWeight> real = readLayerWeight(op);
  if (!bias || int64_t(bias->size()) != weight.getRows() || !real ||
      moments.pixels == 0)
    return std::nullopt;
  int64_t columns = weight.getColumns(), rowSize = weight.getRowSize();
  for (auto [row, number] : llvm::enumerate(*bias)) {
    double sum = 0;
    int64_t first = int64_t(row) / getGroupRows() * columns;
    for (int64_t i = 0; i < rowSize; ++i) {
      int64_t at = i / columns * geometry.channels + first + i % columns;
      float quantized =
          dequantize(row, quantize(row, weight.numbers[row * rowSize + i]));
      sum += double(real->numbers[row * rowSize + i]) * moments.real[at] -
             double(quantized) * moments.quantized[at];
    }
    number = double(number) + sum / moments.pixels;
  }
  return bias;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {
/// The layers of a module that runs, by the observers that they read.
class Measurement {
public:
  explicit Measurement(ModuleOp module) {
    module.walk<WalkOrder::PreOrder>([&](ObserveOp op) {
      int64_t index = sites.size();
      numbers[op] = index;
      sites.emplace_back();
    });
  }

  void add(ObserveOp observe, CorrectedLayer *layer) {
    sites[numbers.lookup(observe)].push_back(layer);
  }

  /// Called by the compiled code.
  static void record(int64_t index, runtime::UnrankedMemRef *tensor) {
    current->see(current->sites[getHookSite(index)], getHookChannelAxis(index),
                 tensor);
  }

  /// Adds up what samples before `end` had, in their order.
  void flush(int64_t end) {
    std::lock_guard<std::mutex> lock(mutex);
    for (ArrayRef<CorrectedLayer *> site : sites)
      for (CorrectedLayer *layer : site) {
        auto last = layer->pending.lower_bound(end);
        for (auto it = layer->pending.begin(); it != last; ++it)
          layer->moments.add(it->second);
        layer->pending.erase(layer->pending.begin(), last);
      }
  }

  static Measurement *current;
  static std::mutex running;

private:
  void see(ArrayRef<CorrectedLayer *> site, int64_t axis,
           runtime::UnrankedMemRef *tensor) {
    if (site.empty())
      return;
    std::vector<float> values = tensor->copy<float>();
    SmallVector<int64_t> shape(tensor->getSizes());
    if (axis + 1 < int64_t(shape.size()))
      moveChannelsLast(values, shape, axis);
    // What is counted and left out elsewhere would be in each sum here.
    for (float &value : values)
      if (!std::isfinite(value))
        value = 0;
    int64_t sample = runtime::Executable::getCurrentSample();
    for (CorrectedLayer *layer : site) {
      Moments moments = layer->measure(values, shape, sample);
      std::lock_guard<std::mutex> lock(mutex);
      layer->pending[sample].add(moments);
    }
  }

  static void moveChannelsLast(std::vector<float> &values,
                               SmallVector<int64_t> &shape, int64_t axis) {
    int64_t outer = 1, inner = 1, channels = shape[axis];
    for (int64_t i = 0; i < int64_t(shape.size()); ++i)
      (i < axis ? outer : inner) *= i == axis ? 1 : shape[i];
    std::vector<float> moved(values.size());
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t i = 0; i < inner; ++i)
          moved[(o * inner + i) * channels + c] =
              values[(o * channels + c) * inner + i];
    values = std::move(moved);
    shape.erase(shape.begin() + axis);
    shape.push_back(channels);
  }

  SmallVector<SmallVector<CorrectedLayer *, 1>> sites;
  llvm::DenseMap<Operation *, int64_t> numbers;
  std::mutex mutex;
};
Measurement *Measurement::current = nullptr;
std::mutex Measurement::running;
} // namespace

/// The layer `op`, and the observer that it reads; nothing if it is none that
/// can be corrected.
static std::optional<CorrectedLayer> getLayer(OperatorOp op,
                                              SymbolTable &symbols) {
  auto kind = dyn_cast<ConvolutionKindAttrInterface>(
      static_cast<Attribute>(op.getKind()));
  if (!op.getQconfig() ||
      getQuantizationMode(*op.getQconfig()) != QuantizationMode::Static ||
      !(isa<LinearAttr>(op.getKind()) || (kind && !kind.isTransposed())))
    return std::nullopt;
  auto observe = op.getInputs()[0].getDefiningOp<ObserveOp>();
  std::optional<LayerWeight> weight = readLayerWeight(op);
  if (!observe || !weight)
    return std::nullopt;
  auto observer = symbols.lookup<ObserverOp>(observe.getObserver());
  auto type = dyn_cast<IntegerType>(observer.getConfig().getDtype());
  if (!observer.isCalibrated() || !type)
    return std::nullopt;
  CorrectedLayer layer;
  layer.op = op;
  layer.weight = std::move(*weight);
  layer.groups = getGroupCount(op);
  layer.scale = observer.getScaleAttr().getValueAsDouble();
  layer.zeroPoint = *observer.getZeroPoint();
  // The engine clamps to the type, whatever range an observer had.
  int64_t levels = int64_t(1) << type.getWidth();
  layer.min = type.isSigned() ? -levels / 2 : 0;
  layer.max = layer.min + levels - 1;
  Geometry &geometry = layer.geometry;
  geometry.channels = layer.weight.getColumns() * layer.groups;
  if (kind) {
    geometry.isLinear = false;
    int64_t rank = kind.getStrides().size();
    for (int64_t i = 0; i < rank; ++i) {
      int64_t d = 3 - rank + i;
      geometry.kernel[d] = layer.weight.type.getDimSize(1 + i);
      geometry.stride[d] = kind.getStrides()[i];
      geometry.dilation[d] = kind.getDilations()[i];
      geometry.before[d] = kind.getPaddings()[2 * i];
      geometry.after[d] = kind.getPaddings()[2 * i + 1];
    }
  }
  return layer;
}

LogicalResult qbackend::correctLayers(ModuleOp module,
                                      const CalibrateOptions &options,
                                      bool round, bool correct) {
  SymbolTable symbols(module);
  std::vector<std::unique_ptr<CorrectedLayer>> layers;
  Measurement measurement(module);
  WalkResult walk = module.walk<WalkOrder::PreOrder>([&](OperatorOp op) {
    std::optional<CorrectedLayer> layer = getLayer(op, symbols);
    if (!layer)
      return WalkResult::skip();
    FailureOr<WeightParameters> parameters =
        getWeightParameters(op, layer->weight.numbers);
    if (failed(parameters))
      return WalkResult::interrupt();
    layer->parameters = std::move(*parameters);
    layer->round = round && layer->weight.getRowSize() <= kLongestRow;
    if (round && !layer->round)
      remarkMissed(op, "QB152", op.getKindName(),
                   "its weight is rounded number by number: a row has " +
                       Twine(layer->weight.getRowSize()) +
                       " of them, more than " + Twine(kLongestRow),
                   "nothing is to be done");
    if (correct && !op.getBias())
      remarkMissed(op, "QB152", op.getKindName(),
                   "its mean is not corrected: it has no bias",
                   "export it with a bias, of zeros if need be");
    layers.push_back(std::make_unique<CorrectedLayer>(std::move(*layer)));
    measurement.add(op.getInputs()[0].getDefiningOp<ObserveOp>(),
                    layers.back().get());
    return WalkResult::skip();
  });
  if (walk.wasInterrupted())
    return failure();
  if (layers.empty())
    return success();

  auto fail = [&](llvm::Error error) {
    return emitError(module.getLoc())
           << "corrections failed: " << llvm::toString(std::move(error));
  };
  auto function = findEntry(module, options.entry);
  if (!function)
    return fail(function.takeError());
  std::lock_guard<std::mutex> turn(Measurement::running);
  ObservedRun observed;
  if (llvm::Error error =
          observed.compile(module, *function, options,
                           {"qbackend_runtime_observe",
                            reinterpret_cast<void *>(Measurement::record)}))
    return fail(std::move(error));
  if (llvm::Error error = observed.open(*function, options))
    return fail(std::move(error));
  observed.run.options.maxSamples = options.samples;
  Measurement::current = &measurement;
  llvm::Error error =
      observed.run.run("measuring layers",
                       [&](int64_t first, int64_t count,
                           ArrayRef<arrays::Array>) -> llvm::Error {
                         measurement.flush(first + count);
                         return llvm::Error::success();
                       });
  Measurement::current = nullptr;
  if (error)
    return fail(std::move(error));

  for (auto &layer : layers) {
    if (layer->round)
      layer->roundWeight(/*isCentred=*/correct && layer->op.getBias());
    std::optional<SmallVector<float, 0>> bias;
    if (correct)
      bias = layer->getBias();
    if (layer->round)
      setLayerWeight(layer->op, layer->weight);
    if (bias)
      setLayerBias(layer->op, *bias);
  }
  return success();
}
