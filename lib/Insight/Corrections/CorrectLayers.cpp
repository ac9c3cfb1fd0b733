// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding of weights and correction of biases by what layers read.

#include "CorrectLayers.h"
#include "CorrectedLayer.h"

#include "qbackend/Execution/Pipelines/ObservedRun.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <mutex>

using namespace mlir;
using namespace qbackend;

/// The longest part of a row whose matrix is held: 64 MB.
static constexpr int64_t kLongestRow = 4096;
/// How many numbers of the float network's results are held: 64 MB.
static constexpr size_t kHeldResults = size_t(1) << 24;
/// How many runs of the network, times layers, biases may take: fewer samples
/// of deep networks.
static constexpr int64_t kLayerRuns = 1024;

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
  void see(const ObservedTensor &tensor) {
    ArrayRef<CorrectedLayer *> site = sites[tensor.site];
    if (site.empty())
      return;
    std::vector<float> values = tensor.values.vec();
    SmallVector<int64_t> shape = tensor.shape;
    calibration::moveChannelsLast(values, shape, tensor.channelAxis);
    // What is counted and left out elsewhere would be in each sum here.
    for (float &value : values)
      if (!std::isfinite(value))
        value = 0;
    for (CorrectedLayer *layer : site) {
      Moments moments = layer->measure(values, shape, tensor.sample);
      std::lock_guard<std::mutex> lock(mutex);
      layer->pending[tensor.sample].add(moments);
    }
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

private:
  SmallVector<SmallVector<CorrectedLayer *, 1>> sites;
  llvm::DenseMap<Operation *, int64_t> numbers;
  std::mutex mutex;
};
} // namespace

/// The layer `op`, and the observer that it reads; nothing if it is none that
/// can be corrected.
static std::optional<CorrectedLayer> getLayer(OperatorOp op,
                                              SymbolTable &symbols) {
  std::optional<calibration::Geometry> geometry = getGeometry(op);
  if (!op.getQconfig() ||
      getQuantizationMode(*op.getQconfig()) != QuantizationMode::Static ||
      !geometry)
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
  layer.groups = geometry->groups;
  layer.scale = observer.getScaleAttr().getValueAsDouble();
  layer.zeroPoint = *observer.getZeroPoint();
  // The engine clamps to the type, whatever range an observer had.
  int64_t levels = int64_t(1) << type.getWidth();
  layer.min = type.isSigned() ? -levels / 2 : 0;
  layer.max = layer.min + levels - 1;
  layer.geometry = *geometry;
  return layer;
}

namespace {
/// Results of the float network, and how far others are from them.
class Judge {
public:
  /// Keeps those of the next samples of the float network.
  void remember(ArrayRef<arrays::Array> results) {
    original.resize(results.size());
    for (auto [values, array] : llvm::zip_equal(original, results)) {
      if (array.type != arrays::ElementType::F32)
        continue;
      ArrayRef<float> numbers = array.as<float>();
      size_t room = kHeldResults - std::min(held, kHeldResults);
      numbers = numbers.take_front(room);
      values.append(numbers.begin(), numbers.end());
      held += numbers.size();
    }
  }

  bool hasResults() const { return held != 0; }

  /// What follows is of another network, from the first sample on.
  void begin() { sums.assign(original.size(), {}); }

  void compare(ArrayRef<arrays::Array> results) {
    for (auto [values, sum, array] : llvm::zip_equal(original, sums, results)) {
      if (array.type != arrays::ElementType::F32)
        continue;
      for (float found : array.as<float>()) {
        if (sum.next == values.size())
          break;
        double expected = values[sum.next++], error = expected - found;
        if (!std::isfinite(error))
          continue;
        sum.signal += expected * expected;
        sum.noise += error * error;
      }
    }
  }

  /// The worst result's noise over its signal.
  double getNoise() const {
    double worst = 0;
    for (const Sum &sum : sums)
      if (sum.noise != 0)
        worst = std::max(worst, sum.noise / sum.signal);
    return worst;
  }

private:
  struct Sum {
    double signal = 0, noise = 0;
    size_t next = 0;
  };
  SmallVector<SmallVector<float, 0>> original;
  SmallVector<Sum> sums;
  size_t held = 0;
};

/// Finds the parameters with which the quantized network is nearest to the
/// float one.
class Corrector {
public:
  using Layers = ArrayRef<std::unique_ptr<CorrectedLayer>>;
  /// The bias of each layer; nothing: as it is.
  using Biases = std::vector<std::optional<SmallVector<float, 0>>>;

  Corrector(ModuleOp module, func::FuncOp function,
            const CalibrateOptions &options, Layers layers, PatchLookup lookup)
      : module(module), options(options), function(function), layers(layers),
        lookup(lookup), biases(layers.size()) {}

  llvm::Error run(bool round, bool correct);

  /// As the formulas have it, by the moments that layers have: nobody can say
  /// what is better.
  void keepUnjudged(bool round, bool correct);

private:
  /// A network that computes with the numbers that integers stand for; biases
  /// are its last arguments.
  struct Simulation {
    OwningOpRef<ModuleOp> module;
    IRMapping mapping;
    std::shared_ptr<runtime::Executable> executable;
  };
  using Callback = llvm::function_ref<void(ArrayRef<arrays::Array>)>;

  ObserveCallback getHook() {
    return [this](const ObservedTensor &tensor) { measurement->see(tensor); };
  }

  llvm::Error measure(bool round);
  llvm::Error readSamples();
  llvm::Error simulate(Simulation &simulation);
  llvm::Error runSamples(Measurement &measurement, StringRef label,
                         Callback see);
  llvm::Error runSimulation(Simulation &simulation, CorrectedLayer *measured,
                            Callback see);
  llvm::Error judgeAttempt(Simulation &simulation);
  llvm::Error correctBiases(Simulation &simulation);
  void apply(bool round, bool correct);

  ModuleOp module;
  const CalibrateOptions &options;
  func::FuncOp function;
  Layers layers;
  PatchLookup lookup;
  Judge judge;

  std::unique_ptr<ObservedRun> observed;
  /// Who is told what observers see.
  Measurement *measurement = nullptr;
  /// Those that biases are found on, and that attempts are judged by.
  std::vector<arrays::NamedArray> samples;

  /// What is tried: these biases, and the weights that layers have.
  Biases biases;
  bool isRounded = false, isCorrected = false;
  /// That of the best attempt, but for the one without any correction.
  double triedNoise = std::numeric_limits<double>::infinity();

  struct {
    double noise = std::numeric_limits<double>::infinity();
    bool isRounded = false, isCorrected = false;
    Biases biases;
    std::vector<SmallVector<float, 0>> weights;
  } best;
};
} // namespace

/// Runs `observed`.
llvm::Error Corrector::runSamples(Measurement &measurement, StringRef label,
                                  Callback see) {
  this->measurement = &measurement;
  return observed->samples.run(
      label,
      [&](int64_t first, int64_t count,
          ArrayRef<arrays::Array> results) -> llvm::Error {
        measurement.flush(first + count);
        see(results);
        return llvm::Error::success();
      });
}

/// Reads the first samples of those that the network is calibrated on.
llvm::Error Corrector::readSamples() {
  if (llvm::Error error = observed->open())
    return error;
  int64_t count = std::clamp<int64_t>(kLayerRuns / layers.size(), 8, 64);
  if (options.samples >= 0)
    count = std::min(count, options.samples);
  // Whole batches.
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (!observed->samples.options.isFixed(i) && tensor.getRank() > 0 &&
          !tensor.isDynamicDim(0) && tensor.getDimSize(0) > 0)
        count = llvm::alignTo(count, tensor.getDimSize(0));
  auto read = observed->samples.source->read(count);
  if (!read)
    return read.takeError();
  samples = std::move(*read);
  return llvm::Error::success();
}

/// Runs the float network: on all samples for rounding, unless a table has what
/// that takes, and on the first ones for biases and to have what attempts are
/// held against.
llvm::Error Corrector::measure(bool round) {
  auto compiled = ObservedRun::compile(module, function,
                                       getSampleRequest(options), getHook());
  if (!compiled)
    return compiled.takeError();
  observed = std::move(*compiled);
  Measurement measurement(module);
  for (auto &layer : layers)
    measurement.add(layer->op.getInputs()[0].getDefiningOp<ObserveOp>(),
                    layer.get());
  std::vector<std::pair<Moments, bool>> products(layers.size());
  bool isComplete = true;
  for (auto [layer, known] : llvm::zip_equal(layers, products)) {
    known.second = layer->round;
    auto found =
        lookup && layer->round ? lookup(layer->op, true) : std::nullopt;
    if (found && found->productPixels) {
      layer->takeMoments(std::move(*found));
      known.first = std::exchange(layer->moments, {});
      layer->round = false;
    }
    isComplete &= !layer->round;
  }
  if (!isComplete) {
    if (llvm::Error error = observed->open())
      return error;
    observed->samples.options.maxSamples = options.samples;
    if (llvm::Error error = runSamples(measurement, "measuring layers",
                                       [](ArrayRef<arrays::Array>) {}))
      return error;
    observed->samples.options.maxSamples = -1;
    for (auto [layer, known] : llvm::zip_equal(layers, products)) {
      Moments measured = std::exchange(layer->moments, {});
      if (std::exchange(layer->round, false))
        known.first = std::move(measured);
    }
  }
  if (llvm::Error error = readSamples())
    return error;
  std::vector<const arrays::NamedArray *> pointers;
  for (const arrays::NamedArray &array : samples)
    pointers.push_back(&array);
  observed->samples.source =
      arrays::SampleSource::create(pointers, observed->samples.options.fixed);
  llvm::Error error = runSamples(
      measurement, isComplete ? "measuring layers" : "",
      [&](ArrayRef<arrays::Array> results) { judge.remember(results); });
  if (round)
    for (auto [layer, known] : llvm::zip_equal(layers, products)) {
      auto &[moments, isRoundable] = known;
      layer->moments.takeProducts(std::move(moments));
      layer->round = isRoundable;
    }
  return error;
}

llvm::Error Corrector::simulate(Simulation &simulation) {
  simulation.module = cast<ModuleOp>(module->clone(simulation.mapping));
  ModuleOp copy = *simulation.module;
  auto network =
      cast<func::FuncOp>(simulation.mapping.lookup(function.getOperation()));
  SymbolTable symbols(copy);
  copy.walk([&](ObserveOp op) {
    auto observer = symbols.lookup<ObserverOp>(op.getObserver());
    if (!observer || !observer.isCalibrated() ||
        !isa<IntegerType>(observer.getConfig().getDtype()))
      return;
    auto element = getQuantizedElement(
        observer.getConfig().getDtype(),
        observer.getScaleAttr().getValueAsDouble(), *observer.getZeroPoint());
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    auto type = cast<RankedTensorType>(op.getType());
    Value quantized = QuantizeOp::create(builder, op.getLoc(),
                                         type.clone(element), op.getResult());
    Value original =
        DequantizeOp::create(builder, op.getLoc(), type, quantized);
    op.getResult().replaceAllUsesExcept(original, quantized.getDefiningOp());
  });
  for (auto &layer : layers) {
    auto op =
        cast<OperatorOp>(simulation.mapping.lookup(layer->op.getOperation()));
    setLayerWeight(op, layer->getQuantizedWeight());
    if (!layer->canCorrect(function))
      continue;
    unsigned index = network.getNumArguments();
    if (failed(network.insertArgument(index, op.getBias().getType(), {},
                                      op.getLoc())))
      return makeError("a bias can't be an argument");
    op.getBiasMutable().assign(network.getArgument(index));
  }
  auto executable =
      compileModule(copy, network.getName(), getObserveHook(getHook()));
  if (!executable)
    return executable.takeError();
  simulation.executable = std::move(*executable);
  return llvm::Error::success();
}

/// Runs it on the samples. What `measured` reads, if it is not null, is in its
/// moments then.
llvm::Error Corrector::runSimulation(Simulation &simulation,
                                     CorrectedLayer *measured, Callback see) {
  Measurement measurement(*simulation.module);
  if (measured) {
    auto op = measured->op.getInputs()[0].getDefiningOp<ObserveOp>();
    measurement.add(
        cast<ObserveOp>(simulation.mapping.lookup(op.getOperation())),
        measured);
  }
  std::vector<arrays::NamedArray> given;
  for (auto [layer, bias] : llvm::zip_equal(layers, biases)) {
    if (!layer->canCorrect(function))
      continue;
    auto type = cast<RankedTensorType>(layer->op.getBias().getType());
    given.push_back(
        {"", arrays::Array::zeros(arrays::ElementType::F32, type.getShape())});
    llvm::copy(bias ? *bias : *readFloats(layer->op.getBias()),
               given.back().array.as<float>().begin());
  }
  SampleRun &run = observed->samples;
  SmallVector<bool> fixed(run.options.fixed);
  run.options.fixed.resize(samples.size() + given.size(), true);
  std::vector<const arrays::NamedArray *> pointers;
  for (const auto *arrays : {&samples, &given})
    for (const arrays::NamedArray &array : *arrays)
      pointers.push_back(&array);
  run.source = arrays::SampleSource::create(pointers, run.options.fixed);
  std::swap(run.executable, simulation.executable);
  llvm::Error error = runSamples(measurement, "", see);
  std::swap(run.executable, simulation.executable);
  run.options.fixed = std::move(fixed);
  return error;
}

/// Keeps what is tried if it is the best so far.
llvm::Error Corrector::judgeAttempt(Simulation &simulation) {
  judge.begin();
  if (llvm::Error error = runSimulation(
          simulation, nullptr,
          [&](ArrayRef<arrays::Array> results) { judge.compare(results); }))
    return error;
  double noise = judge.getNoise();
  if (isRounded || isCorrected)
    triedNoise = std::min(triedNoise, noise);
  if (!(noise < best.noise))
    return llvm::Error::success();
  best = {noise, isRounded, isCorrected, biases, {}};
  for (auto &layer : layers)
    if (isRounded)
      best.weights.push_back(layer->weight.numbers);
  return llvm::Error::success();
}

/// Biases by what each layer reads if all before it are as good as floats, and
/// those of one layer after another, by what it reads with those before: the
/// correction of one moves the means of all behind it.
llvm::Error Corrector::correctBiases(Simulation &simulation) {
  isCorrected = true;
  for (auto [layer, bias] : llvm::zip_equal(layers, biases))
    bias = layer->canCorrect(function)
               ? layer->getBias(layer->moments.quantized)
               : std::nullopt;
  if (llvm::Error error = judgeAttempt(simulation))
    return error;
  biases.assign(layers.size(), std::nullopt);
  for (auto [layer, bias] : llvm::zip_equal(layers, biases)) {
    if (!layer->canCorrect(function))
      continue;
    Moments original = std::exchange(layer->moments, {});
    bool isRoundable = std::exchange(layer->round, false);
    llvm::Error error =
        runSimulation(simulation, layer.get(), [](ArrayRef<arrays::Array>) {});
    Moments found = std::exchange(layer->moments, std::move(original));
    layer->round = isRoundable;
    if (error)
      return error;
    bias = layer->getBias(found.quantized);
  }
  return judgeAttempt(simulation);
}

void Corrector::keepUnjudged(bool round, bool correct) {
  best.isRounded = round;
  best.isCorrected = correct;
  for (auto &layer : layers) {
    if (layer->round)
      layer->roundWeight(/*isCentred=*/correct && layer->op.getBias());
    best.weights.push_back(layer->weight.numbers);
    best.biases.push_back(layer->getBias(layer->moments.quantized));
  }
  apply(round, correct);
}

llvm::Error Corrector::run(bool round, bool correct) {
  if (llvm::Error error = measure(round))
    return error;
  if (!judge.hasResults()) {
    keepUnjudged(round, correct);
    return llvm::Error::success();
  }
  Simulation plain;
  if (llvm::Error error = simulate(plain))
    return error;
  if (llvm::Error error = judgeAttempt(plain))
    return error;
  if (correct)
    if (llvm::Error error = correctBiases(plain))
      return error;
  if (round) {
    for (auto &layer : layers)
      if (layer->round)
        layer->roundWeight(/*isCentred=*/correct && layer->op.getBias());
    isRounded = true;
    Simulation rounded;
    if (llvm::Error error = simulate(rounded))
      return error;
    if (llvm::Error error =
            correct ? correctBiases(rounded) : judgeAttempt(rounded))
      return error;
  }
  apply(round, correct);
  return llvm::Error::success();
}

static std::string formatRatio(double noise) {
  return llvm::formatv("{0:f1} dB", -10 * std::log10(noise)).str();
}

/// Gives the layers what was best, and says what was not.
void Corrector::apply(bool round, bool correct) {
  auto decline = [&](CorrectedLayer &layer, const Twine &what) {
    remarkMissed(layer.op, "QB152", layer.op.getKindName(),
                 what + ": the results would have an SQNR of " +
                     formatRatio(triedNoise) + " on the samples, and " +
                     formatRatio(best.noise) + " without",
                 "nothing is to be done");
  };
  for (auto [i, layer] : llvm::enumerate(layers)) {
    if (best.isRounded && layer->round) {
      layer->weight.numbers = best.weights[i];
      setLayerWeight(layer->op, layer->weight);
    } else if (round && layer->round) {
      decline(*layer, "its weight is rounded number by number");
    }
    if (best.isCorrected && best.biases[i])
      setLayerBias(layer->op, *best.biases[i]);
    else if (correct && layer->op.getBias() && !best.isCorrected)
      decline(*layer, "its mean is not corrected");
  }
}

LogicalResult qbackend::correctLayers(ModuleOp module,
                                      const CalibrateOptions &options,
                                      bool round, bool correct,
                                      PatchLookup lookup) {
  SymbolTable symbols(module);
  std::vector<std::unique_ptr<CorrectedLayer>> layers;
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
    return WalkResult::skip();
  });
  if (walk.wasInterrupted())
    return failure();
  if (layers.empty())
    return success();

  auto function = findEntry(module, options.entry);
  if (function && lookup && options.data.empty()) {
    for (auto &layer : layers) {
      auto found = lookup(layer->op, layer->round);
      if (found && found->pixels)
        layer->takeMoments(std::move(*found));
      else
        remarkMissed(layer->op, "QB152", layer->op.getKindName(),
                     "its parameters are not corrected: the calibration table "
                     "has nothing of what it reads",
                     "calibrate this network with --for-corrections, or pass "
                     "data=FILE.npz");
    }
    Corrector(module, *function, options, layers, lookup)
        .keepUnjudged(round, correct);
    return success();
  }
  llvm::Error error =
      function ? Corrector(module, *function, options, layers, lookup)
                     .run(round, correct)
               : function.takeError();
  if (error)
    return emitError(module.getLoc())
           << "corrections failed: " << llvm::toString(std::move(error));
  return success();
}
