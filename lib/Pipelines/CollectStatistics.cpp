// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an observed module and collects what its tensors hold.

#include "HookIndex.h"
#include "ObservedRun.h"

#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Pipelines/Execution.h"
#include "qbackend/Pipelines/ObserverOptions.h"
#include "qbackend/Runtime/Error.h"
#include "qbackend/Transforms/TensorNames.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

using namespace mlir;
using namespace qbackend;
using arrays::Array;
using arrays::NamedArray;
using calibration::Chunk;
using calibration::Observer;
using calibration::ObserverOptions;
using calibration::Statistics;
using calibration::Table;
using calibration::TableEntry;

//===----------------------------------------------------------------------===//
// What is recorded
//===----------------------------------------------------------------------===//

/// Adds an observer for each tensor that has none: what isn't quantized now may
/// be when the table is used.
static void observeAll(ModuleOp module) {
  llvm::SmallPtrSet<Value, 16> observed;
  module.walk<WalkOrder::PreOrder>([&](ObserveOp op) {
    observed.insert(TensorNames::getTensor(op.getInput()));
  });
  TensorNames names(module);
  SymbolTable symbols(module);
  ObserverFields fields;
  fields.dtype =
      IntegerType::get(module.getContext(), 8, IntegerType::Unsigned);
  auto config = ObserverAttr::get(module.getContext(), fields);
  OpBuilder builder(module.getContext());
  for (auto &[tensor, name] : names.getAll()) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    Operation *producer = tensor.getDefiningOp();
    if (!type || !type.getElementType().isF32() || observed.contains(tensor) ||
        (producer && producer->hasTrait<OpTrait::ConstantLike>()))
      continue;
    builder.setInsertionPointToStart(module.getBody());
    auto observer = ObserverOp::create(builder, tensor.getLoc(), name.name,
                                       config, FloatAttr(), FloatAttr(),
                                       FloatAttr(), IntegerAttr());
    symbols.insert(observer, builder.getInsertionPoint());
    builder.setInsertionPointAfterValue(tensor);
    ObserveOp::create(builder, tensor.getLoc(), type, tensor,
                      FlatSymbolRefAttr::get(observer.getSymNameAttr()));
  }
}

namespace {
/// What the tensors of a module hold in samples whose batch isn't complete.
/// Samples run in any order; each batch is given to the observers in the order
/// of sites and samples, so that nothing depends on the threads.
class Recorder {
public:
  /// With `all`, there is an entry for each tensor, and one for the tensors
  /// that share an observer; else one for each observer. Those of `original`
  /// have to see finite numbers, unless that is ignored.
  Recorder(ModuleOp module, ModuleOp original, bool all, bool ignoreNonFinite)
      : ignoreNonFinite(ignoreNonFinite) {
    SymbolTable wanted(original);
    TensorNames names(module);
    SymbolTable symbols(module);
    llvm::MapVector<StringRef, SmallVector<Value>> shared;
    module.walk<WalkOrder::PreOrder>([&](ObserveOp op) {
      Value tensor = TensorNames::getTensor(op.getInput());
      SmallVector<Value> &tensors = shared[op.getObserver()];
      if (!llvm::is_contained(tensors, tensor))
        tensors.push_back(tensor);
    });
    llvm::StringMap<Target *> byObserver;
    for (auto op : module.getOps<ObserverOp>()) {
      ArrayRef<Value> tensors = shared[op.getSymName()];
      TableEntry entry;
      entry.name = op.getSymName().str();
      if (all && tensors.size() > 1) {
        for (Value tensor : tensors)
          entry.group.push_back(names.lookup(tensor).name);
        entry.name = llvm::join(entry.group, ", ");
      } else if (all && tensors.size() == 1) {
        describe(tensors[0], names.lookup(tensors[0]), entry);
        // Two observers of one tensor, of different types.
        if (!entryNames.insert(entry.name).second)
          continue;
      }
      byObserver[op.getSymName()] =
          addTarget(std::move(entry), getObserverOptions(op.getConfig()), all);
    }
    llvm::DenseMap<Value, Target *> byTensor;
    module.walk<WalkOrder::PreOrder>([&](ObserveOp op) {
      Site site;
      site.name = op.getObserver().str();
      site.isWanted = wanted.lookup(op.getObserver());
      if (Target *target = byObserver.lookup(op.getObserver()))
        site.targets.push_back(target);
      // What shares an observer also has an entry of its own.
      Value tensor = TensorNames::getTensor(op.getInput());
      if (all && shared[op.getObserver()].size() > 1 &&
          !byTensor.contains(tensor)) {
        TableEntry entry;
        describe(tensor, names.lookup(tensor), entry);
        if (entryNames.insert(entry.name).second)
          site.targets.push_back(byTensor[tensor] =
                                     addTarget(std::move(entry), {}, all));
      }
      site.isOrdered = llvm::any_of(
          site.targets, [](Target *target) { return target->isOrdered(); });
      sites.push_back(std::move(site));
    });
  }

  /// Says that the run which begins now has this number as its first sample.
  void setFirstSample(int64_t number) { firstSample = number; }

  /// Called by the compiled code.
  static void record(int64_t site, runtime::UnrankedMemRef *tensor) {
    current->add(getHookSite(site), getHookChannelAxis(site), tensor);
  }

  /// Gives the samples before `end` to the observers, as one batch.
  llvm::Error flush(int64_t end) {
    std::lock_guard<std::mutex> lock(mutex);
    for (Site &site : sites) {
      auto last = site.pending.lower_bound(end);
      for (auto it = site.pending.begin(); it != last; ++it)
        if (it->second.nonFinite && site.isWanted && !ignoreNonFinite)
          return makeError("'{0}' is {1} in sample {2}: the network "
                           "overflows, its weights are not finite, or the "
                           "data is not what it was trained on; "
                           "non-finite=ignore leaves such values out",
                           site.name, *it->second.nonFinite, it->first);
      for (Target *target : site.targets)
        give(*target, site, last);
      site.pending.erase(site.pending.begin(), last);
    }
    return llvm::Error::success();
  }

  Table getTable() {
    Table table;
    for (auto &target : targets) {
      table.entries.push_back(target->entry);
      table.entries.back().kind = target->observer->getOptions().kind;
      table.entries.back().stats = target->observer->statistics();
    }
    return table;
  }

  /// Goes on from `table`, which has to be one of this module.
  llvm::Error resume(const Table &table) {
    if (table.entries.size() != targets.size())
      return makeError("the table has {0} entries, this run makes {1}",
                       table.entries.size(), targets.size());
    for (auto [target, entry] : llvm::zip(targets, table.entries)) {
      if (target->entry.name != entry.name ||
          target->entry.structure != entry.structure ||
          target->observer->getOptions().kind != entry.kind)
        return makeError("the table has '{0}' where this run has '{1}', or "
                         "another observer for it",
                         entry.name, target->entry.name);
      target->observer->resume(entry.stats);
    }
    return llvm::Error::success();
  }

  /// The recorder of the run that is going on; runs take turns.
  static Recorder *current;
  static std::mutex running;

private:
  struct Target {
    TableEntry entry;
    std::unique_ptr<Observer> observer;

    bool isOrdered() const {
      calibration::ObserverKind kind = observer->getOptions().kind;
      return kind == calibration::ObserverKind::Histogram ||
             calibration::isMovingAverage(kind);
    }
  };

  /// What a site saw in one chunk: all of it, if an observer has to see it in
  /// order, else what is left of it once it is counted.
  struct Pending {
    std::vector<float> values;
    /// What is before the channels, the channels, and what is behind them.
    std::vector<int64_t> shape;
    std::vector<Statistics> statistics;
    std::optional<float> nonFinite;
  };

  struct Site {
    std::string name;
    std::vector<Target *> targets;
    bool isOrdered = false;
    /// Whether it is of the module as it was given.
    bool isWanted = false;
    std::map<int64_t, Pending> pending;
  };

  static void describe(Value tensor, const TensorName &name,
                       TableEntry &entry) {
    entry.name = name.name;
    entry.structure = name.structure;
    entry.shape = getTableShape(tensor);
  }

  Target *addTarget(TableEntry entry, ObserverOptions options, bool all) {
    options.recordAll = all;
    // Of Pending::shape.
    options.channelAxis = 1;
    if (all) {
      if (!calibration::hasStatistics(options.kind))
        options.kind = calibration::ObserverKind::MinMax;
    }
    targets.push_back(std::make_unique<Target>(
        Target{std::move(entry), Observer::create(options)}));
    return targets.back().get();
  }

  void add(int64_t index, int64_t channelAxis,
           runtime::UnrankedMemRef *tensor) {
    Site &site = sites[index];
    Pending pending;
    pending.values = tensor->copy<float>();
    pending.shape = {1, 1, 1};
    for (auto [i, size] : llvm::enumerate(tensor->getSizes()))
      pending.shape[int64_t(i) < channelAxis    ? 0
                    : int64_t(i) == channelAxis ? 1
                                                : 2] *= size;
    for (float value : pending.values)
      if (!std::isfinite(value)) {
        pending.nonFinite = value;
        break;
      }
    int64_t sample = firstSample + runtime::Executable::getCurrentSample();
    if (!site.isOrdered) {
      for (Target *target : site.targets) {
        auto observer = Observer::create(target->observer->getOptions());
        observe(
            *observer, *target,
            {{pending.values.data(), int64_t(pending.values.size()), sample}},
            pending.shape);
        pending.statistics.push_back(observer->statistics());
      }
      pending.values = {};
    }
    std::lock_guard<std::mutex> lock(mutex);
    site.pending[sample] = std::move(pending);
  }

  /// The tensors of a group differ in shape: it has no channels.
  static void observe(Observer &observer, const Target &target,
                      const std::vector<Chunk> &chunks,
                      const std::vector<int64_t> &shape) {
    if (target.entry.group.empty())
      observer.updateTensors(chunks, shape);
    else
      observer.update(chunks);
  }

  void give(Target &target, Site &site,
            std::map<int64_t, Pending>::iterator last) {
    if (site.pending.begin() == last)
      return;
    if (site.isOrdered) {
      std::vector<Chunk> chunks;
      for (auto it = site.pending.begin(); it != last; ++it)
        chunks.push_back({it->second.values.data(),
                          int64_t(it->second.values.size()), it->first});
      observe(*target.observer, target, chunks,
              site.pending.begin()->second.shape);
      return;
    }
    size_t index = llvm::find(site.targets, &target) - site.targets.begin();
    Statistics stats = target.observer->statistics();
    int64_t batches = stats.batches;
    for (auto it = site.pending.begin(); it != last; ++it)
      calibration::merge(stats, it->second.statistics[index]);
    stats.batches = batches + !stats.empty();
    target.observer->resume(stats);
  }

  bool ignoreNonFinite;
  int64_t firstSample = 0;
  std::vector<std::unique_ptr<Target>> targets;
  std::set<std::string> entryNames;
  std::vector<Site> sites;
  std::mutex mutex;
};
Recorder *Recorder::current = nullptr;
std::mutex Recorder::running;
} // namespace

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// Eight samples of numbers with mean 0 and variance 1, the same every time;
/// within the range of the argument if it has one.
static std::vector<NamedArray>
createSyntheticInputs(func::FuncOp function,
                      const runtime::Executable &executable,
                      ArrayRef<bool> fixed) {
  constexpr int64_t samples = 8;
  std::vector<NamedArray> inputs;
  uint64_t state = 0x9E3779B97F4A7C15;
  auto uniform = [&] {
    // xorshift64*, Vigna 2016.
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return double((state * 0x2545F4914F6CDD1D) >> 40) / double(1 << 24);
  };
  for (auto [i, signature] : llvm::enumerate(executable.getInputs())) {
    SmallVector<int64_t> shape(signature.shape);
    for (int64_t &extent : shape)
      if (extent < 0)
        extent = 1;
    if (!fixed[i]) {
      if (shape.empty())
        shape.push_back(1);
      shape[0] *= samples;
    }
    NamedArray input{getArgumentName(function, i),
                     Array::zeros(signature.type, shape)};
    auto range =
        function.getArgAttrOfType<DenseF64ArrayAttr>(i, kRangeAttrName);
    if (signature.type == arrays::ElementType::F32)
      for (float &value : input.array.as<float>()) {
        if (range) {
          value = range[0] + uniform() * (range[1] - range[0]);
          continue;
        }
        double sum = -6.0;
        for (int term = 0; term < 12; ++term)
          sum += uniform();
        value = sum;
      }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

/// The part of the samples that `options` ask for: the number of the first, and
/// how many there are, -1 if all that follow.
static llvm::Expected<std::pair<int64_t, int64_t>>
getPart(const CalibrateOptions &options, int64_t size) {
  if (options.shards == 0)
    return std::pair(int64_t(0), options.samples);
  if (options.shard < 0 || options.shard >= options.shards)
    return makeError("shard {0} of {1}: expected 0 to {2}", options.shard,
                     options.shards, options.shards - 1);
  if (options.samples >= 0)
    size = size < 0 ? options.samples : std::min(size, options.samples);
  if (size < 0)
    return makeError("a shard needs the number of samples, which standard "
                     "input doesn't tell; pass samples");
  // Whole batches, as one run would see them.
  int64_t batches = (size + options.batchSize - 1) / options.batchSize;
  int64_t first = batches * options.shard / options.shards * options.batchSize;
  int64_t end =
      batches * (options.shard + 1) / options.shards * options.batchSize;
  end = std::min(end, size);
  if (first >= end)
    return makeError("shard {0} of {1} has no samples: {2} samples are {3} "
                     "batches",
                     options.shard, options.shards, size, batches);
  return std::pair(first, end - first);
}

std::string qbackend::getNetworkDescription(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.walk<WalkOrder::PreOrder>([&](OperatorOp op) {
    auto type = op.getWeight()
                    ? dyn_cast<RankedTensorType>(op.getWeight().getType())
                    : RankedTensorType();
    // Parameters of a norm may be folded, or not.
    if (!type || type.getRank() < 2)
      return WalkResult::skip();
    if (!text.empty())
      os << "; ";
    os << op.getKind().getKindName() << " ";
    llvm::interleave(
        type.getShape(), os,
        [&](int64_t extent) {
          os << (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
        },
        "x");
    return WalkResult::skip();
  });
  return text;
}

std::vector<int64_t> qbackend::getTableShape(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  std::vector<int64_t> shape;
  if (type.getRank() > 0)
    for (int64_t extent : type.getShape().drop_front())
      shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  return shape;
}

llvm::Error ObservedRun::compile(ModuleOp module, func::FuncOp function,
                                 const CalibrateOptions &options,
                                 runtime::Executable::Symbol hook) {
  // An extent that is a slip of the pen shouldn't take all memory. Samples that
  // are made up are in memory at once.
  int64_t maxElements = int64_t(1) << (options.data.empty() ? 26 : 31);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    double elements = 1;
    if (tensor)
      for (int64_t extent : tensor.getShape())
        elements *= ShapedType::isDynamic(extent) ? 1 : extent;
    if (elements > maxElements)
      return makeError("'{0}' has more than {1} elements, too many to run on; "
                       "give ranges in a calibration table",
                       getArgumentName(function, i), maxElements);
  }
  auto executable =
      compileModule(module, function.getName(), /*observing=*/true, {hook});
  if (!executable)
    return executable.takeError();
  run.executable = std::move(*executable);
  auto fixed = findFixedArguments(function, options.sampleArguments);
  if (!fixed)
    return fixed.takeError();
  run.options.fixed = *fixed;
  run.options.threads = options.threads;
  run.options.allowNonFinite = options.nonFinite == "ignore";
  return llvm::Error::success();
}

llvm::Error ObservedRun::open(func::FuncOp function,
                              const CalibrateOptions &options) {
  if (options.data.empty()) {
    synthetic =
        createSyntheticInputs(function, *run.executable, run.options.fixed);
    std::vector<const NamedArray *> pointers;
    for (const NamedArray &array : synthetic)
      pointers.push_back(&array);
    run.source = arrays::SampleSource::create(pointers, run.options.fixed);
    return llvm::Error::success();
  }
  return run.load(options.data, options.inputScale, function);
}

struct StatisticsCollector::Impl {
  /// With observers for all tensors, if that is asked for.
  OwningOpRef<ModuleOp> copy;
  ModuleOp module;
  CalibrateOptions options;
  func::FuncOp function;
  ObservedRun observed;
  std::unique_ptr<Recorder> recorder;
  calibration::SampleRange range;
  std::string network;
  std::chrono::steady_clock::time_point saved =
      std::chrono::steady_clock::now();

  int64_t getEnd() const { return range.first + range.count; }

  Table getTable() const {
    Table table = recorder->getTable();
    table.samples = {range};
    table.network = network;
    return table;
  }
};

StatisticsCollector::StatisticsCollector() : impl(std::make_unique<Impl>()) {}
StatisticsCollector::~StatisticsCollector() = default;

llvm::Expected<std::unique_ptr<StatisticsCollector>>
StatisticsCollector::create(ModuleOp module, const CalibrateOptions &options) {
  std::unique_ptr<StatisticsCollector> result(new StatisticsCollector());
  Impl &impl = *result->impl;
  impl.options = options;
  impl.module = module;
  const ModuleOp original = module;
  if (options.recordAll) {
    impl.copy = module.clone();
    impl.module = module = *impl.copy;
    observeAll(module);
  }
  auto function = findEntry(module, options.entry);
  if (!function)
    return function.takeError();
  impl.function = *function;
  if (options.batchSize < 1)
    return makeError("batch-size is {0}, expected 1 or more",
                     options.batchSize);
  if (options.nonFinite != "error" && options.nonFinite != "ignore")
    return makeError("non-finite is '{0}', expected error or ignore",
                     options.nonFinite);
  if (llvm::Error error =
          impl.observed.compile(module, *function, options,
                                {"qbackend_runtime_observe",
                                 reinterpret_cast<void *>(Recorder::record)}))
    return error;
  bool ignoreNonFinite = options.nonFinite == "ignore";
  impl.recorder = std::make_unique<Recorder>(
      module, original, options.recordAll, ignoreNonFinite);
  impl.network = getNetworkDescription(module);
  impl.range.source = options.source;
  return result;
}

SampleRun &StatisticsCollector::getRun() { return impl->observed.run; }

llvm::Error StatisticsCollector::run(StringRef label) {
  std::lock_guard<std::mutex> turn(Recorder::running);
  const CalibrateOptions &options = impl->options;
  Recorder &recorder = *impl->recorder;
  const int64_t before = impl->range.count;
  recorder.setFirstSample(impl->getEnd());
  Recorder::current = &recorder;
  using Clock = std::chrono::steady_clock;
  llvm::Error error = impl->observed.run.run(
      label, [&](int64_t first, int64_t count, ArrayRef<Array>) -> llvm::Error {
        int64_t &done = impl->range.count;
        int64_t last = std::exchange(done, before + first + count);
        if (last / options.batchSize == done / options.batchSize)
          return llvm::Error::success();
        if (llvm::Error error = recorder.flush(impl->getEnd()))
          return error;
        if (options.checkpoint.empty() ||
            Clock::now() - impl->saved <
                std::chrono::seconds(options.saveSeconds))
          return llvm::Error::success();
        impl->saved = Clock::now();
        return calibration::writeTable(impl->getTable(), options.checkpoint);
      });
  Recorder::current = nullptr;
  return error;
}

llvm::Expected<Table> StatisticsCollector::finish() {
  if (llvm::Error error = impl->recorder->flush(impl->getEnd()))
    return error;
  return impl->getTable();
}

llvm::Expected<Table>
qbackend::collectStatistics(ModuleOp module, const CalibrateOptions &options) {
  auto created = StatisticsCollector::create(module, options);
  if (!created)
    return created.takeError();
  StatisticsCollector &collector = **created;
  StatisticsCollector::Impl &impl = *collector.impl;
  SampleRun &run = impl.observed.run;
  if (llvm::Error error = impl.observed.open(impl.function, options))
    return error;
  calibration::SampleRange &range = impl.range;
  if (options.data.empty()) {
    range.source = "synthetic";
  } else {
    if (options.source.empty())
      range.source = llvm::sys::path::filename(options.data).str();
    auto part = getPart(options, run.source->size());
    if (!part)
      return part.takeError();
    range.first = part->first;
    run.options.maxSamples = part->second;
  }
  if (options.resume && !options.checkpoint.empty() &&
      llvm::sys::fs::exists(options.checkpoint)) {
    auto table = calibration::readTable(options.checkpoint);
    if (!table)
      return table.takeError();
    if (table->samples.size() != 1 ||
        table->samples[0].source != range.source ||
        table->samples[0].first != range.first)
      return makeError("'{0}' is not of these samples, so that the run can't "
                       "go on from it; remove it to start again",
                       options.checkpoint);
    if (llvm::Error error = impl.recorder->resume(*table))
      return makeError("'{0}' can't be gone on from: {1}; remove it to start "
                       "again",
                       options.checkpoint, llvm::toString(std::move(error)));
    range.count = table->samples[0].count;
    if (run.options.maxSamples >= 0)
      run.options.maxSamples =
          std::max<int64_t>(run.options.maxSamples - range.count, 0);
    bool isDone = run.options.maxSamples == 0 ||
                  run.source->size() == range.first + range.count;
    if (isDone)
      return std::move(*table);
  }
  if (int64_t skipped = impl.getEnd())
    if (llvm::Error error = run.skip(skipped))
      return error;
  if (llvm::Error error = collector.run("calibrating"))
    return error;
  return collector.finish();
}
