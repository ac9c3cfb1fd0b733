// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an observed module and collects what its tensors hold.

#include "StatisticsRecorder.h"

#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Support/Parts.h"
#include "qbackend/Support/Shape.h"
#include "qbackend/Transforms/Analysis/Entry.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <chrono>
#include <limits>

using namespace mlir;
using namespace qbackend;
using calibration::Table;

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

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

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
                     "batches of {4}; choose a smaller batch-size, or fewer "
                     "shards",
                     options.shard, options.shards, size, batches,
                     options.batchSize);
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
    os << op.getKind().getKindName() << " " << formatShape(type.getShape());
    return WalkResult::skip();
  });
  return text;
}

std::string qbackend::getModelHash(ModuleOp module) {
  class HashStream : public llvm::raw_ostream {
  public:
    HashStream() { SetUnbuffered(); }
    ~HashStream() override { flush(); }
    llvm::SHA256 hash;

  private:
    void write_impl(const char *data, size_t size) override {
      hash.update(StringRef(data, size));
      position += size;
    }
    uint64_t current_pos() const override { return position; }
    uint64_t position = 0;
  };
  auto isConfiguration = [](Operation &op) {
    return isa<BackendConfigOp, QConfigMappingOp>(op);
  };
  OwningOpRef<ModuleOp> copy;
  if (llvm::any_of(*module.getBody(), isConfiguration)) {
    copy = module.clone();
    module = *copy;
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isConfiguration(op))
        op.erase();
  }
  // Whatever the flags of the program say, no number is left out.
  constexpr int64_t all = std::numeric_limits<int64_t>::max();
  HashStream stream;
  module->print(
      stream,
      OpPrintingFlags().elideLargeElementsAttrs(all).elideLargeResourceString(
          all));
  return "sha256:" + llvm::toHex(stream.hash.final(), /*LowerCase=*/true);
}

std::vector<int64_t> qbackend::getTableShape(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  std::vector<int64_t> shape;
  if (type.getRank() > 0)
    for (int64_t extent : type.getShape().drop_front())
      shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  return shape;
}

SampleRequest qbackend::getSampleRequest(const CalibrateOptions &options) {
  return {options.data,    options.inputScale, options.sampleArguments,
          options.samples, options.threads,    options.nonFinite == "ignore"};
}

struct StatisticsCollector::Impl {
  /// With observers for all tensors, if that is asked for.
  OwningOpRef<ModuleOp> copy;
  ModuleOp module;
  CalibrateOptions options;
  func::FuncOp function;
  std::unique_ptr<StatisticsRecorder> recorder;
  std::unique_ptr<NetworkRun> run;
  calibration::SampleRange range;
  /// How many samples there are, of a part of them; 0: not known.
  int64_t total = 0;
  /// Hash of what these are of, see SampleRange; empty: not known.
  std::string samplesHash;
  std::string network;
  std::chrono::steady_clock::time_point saved =
      std::chrono::steady_clock::now();

  int64_t getEnd() const { return range.first + range.count; }

  Table getTable() const {
    Table table = recorder->getTable();
    table.samples = {range};
    table.network = network;
    table.backend = options.backend;
    return table;
  }

  /// The table of a run that has ended.
  Table finish(Table table) const {
    // Nothing depends on the order: so does no part of the samples.
    if (!options.isMergeable() && !options.isPart())
      return table;
    table.version = Table::mergeableVersion;
    table.isMergeable = true;
    table.tool = getToolName();
    if (options.getModel)
      table.model = options.getModel();
    calibration::SampleRange &samples = table.samples.front();
    if (samples.first > 0 || samples.count < total) {
      samples.total = total;
      samples.hash = samplesHash;
    }
    for (calibration::TableEntry &entry : table.entries)
      dropBatches(entry.stats);
    return table;
  }
};

StatisticsCollector::StatisticsCollector() : impl(std::make_unique<Impl>()) {}
StatisticsCollector::~StatisticsCollector() = default;

llvm::Expected<std::unique_ptr<StatisticsCollector>>
StatisticsCollector::create(ModuleOp module, const CalibrateOptions &options,
                            PrepareRun prepare) {
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
  if (options.statistics != "ordered" && !options.isMergeable())
    return makeError("statistics is '{0}', expected ordered or mergeable",
                     options.statistics);
  impl.recorder = std::make_unique<StatisticsRecorder>(
      module, original, *function, options.recordAll, options);
  if (std::string name = impl.recorder->findOrdered();
      options.isPart() && !name.empty())
    return makeError("the observer of '{0}' depends on the order of all "
                     "batches, as PyTorch's histograms and averages do, and "
                     "this is a part of them; pass statistics=mergeable: "
                     "histograms are then taken from a grid and averages from "
                     "the range of each batch, which merge exactly",
                     name);
  auto run =
      prepare(module, *function, getSampleRequest(options),
              [recorder = impl.recorder.get()](const ObservedTensor &tensor) {
                recorder->add(tensor);
              });
  if (!run)
    return run.takeError();
  impl.run = std::move(*run);
  impl.network = getNetworkDescription(module);
  impl.range.source = options.source;
  impl.range.first = std::max<int64_t>(options.firstSample, 0);
  impl.total = std::max<int64_t>(options.totalSamples, 0);
  return result;
}

llvm::Error StatisticsCollector::run(StringRef label, int64_t samples) {
  const CalibrateOptions &options = impl->options;
  StatisticsRecorder &recorder = *impl->recorder;
  const int64_t before = impl->range.count;
  recorder.setFirstSample(impl->getEnd());
  using Clock = std::chrono::steady_clock;
  return impl->run->run(
      samples, label, [&](int64_t first, int64_t count) -> llvm::Error {
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
}

llvm::Error StatisticsCollector::endBatch() {
  return impl->recorder->flush(impl->getEnd());
}

llvm::Expected<Table> StatisticsCollector::finish() {
  if (llvm::Error error = endBatch())
    return error;
  return impl->finish(impl->getTable());
}

llvm::Expected<Table>
qbackend::collectStatistics(ModuleOp module, const CalibrateOptions &options) {
  auto runner = findNetworkRunner(module.getContext());
  if (!runner)
    return runner.takeError();
  auto created = StatisticsCollector::create(
      module, options,
      [&](ModuleOp observed, func::FuncOp function,
          const SampleRequest &request, ObserveCallback callback) {
        return (*runner)->prepare(observed, function, request, callback);
      });
  if (!created)
    return created.takeError();
  StatisticsCollector &collector = **created;
  StatisticsCollector::Impl &impl = *collector.impl;
  NetworkRun &run = *impl.run;
  if (llvm::Error error = run.open())
    return error;
  int64_t samples = -1;
  calibration::SampleRange &range = impl.range;
  if (options.data.empty()) {
    range.source = "synthetic";
  } else {
    if (options.source.empty())
      range.source = llvm::sys::path::filename(options.data).str();
    auto part = getPart(options, run.getSampleCount());
    if (!part)
      return part.takeError();
    range.first = part->first;
    samples = part->second;
    if (options.shards != 0) {
      impl.total = run.getSampleCount();
      if (options.samples >= 0 &&
          (impl.total < 0 || options.samples < impl.total))
        impl.total = options.samples;
      auto hash = (*runner)->hashSamples(getSampleRequest(options));
      if (!hash)
        return hash.takeError();
      impl.samplesHash = std::move(*hash);
    }
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
    if (samples >= 0)
      samples = std::max<int64_t>(samples - range.count, 0);
    bool isDone =
        samples == 0 || run.getSampleCount() == range.first + range.count;
    if (isDone)
      return impl.finish(std::move(*table));
  }
  if (int64_t skipped = impl.getEnd())
    if (llvm::Error error = run.skip(skipped))
      return error;
  if (llvm::Error error = collector.run("calibrating", samples))
    return error;
  return collector.finish();
}
