// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills in the observers of a module: from the module, a table, or a run.

#include "qbackend/Pipelines/Calibrate.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Pipelines/Execution.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Runtime/Error.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <atomic>
#include <cmath>
#include <map>
#include <mutex>

namespace qbackend {
#define GEN_PASS_DEF_CALIBRATEPASS
#include "qbackend/Pipelines/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;
using calibration::Chunk;
using calibration::Observer;
using calibration::ObserverOptions;
using calibration::Table;
using calibration::TableEntry;
using runtime::Array;
using runtime::NamedArray;

/// The options of the IR-free observer that `config` describes.
static ObserverOptions getOptions(ObserverAttr config) {
  ObserverOptions options;
  options.kind = static_cast<calibration::ObserverKind>(config.getKind());
  auto type = cast<IntegerType>(config.getDtype());
  options.isSigned = type.isSigned();
  options.bits = type.getWidth();
  if (config.getQuantMin())
    options.customRange =
        numerics::QuantRange{*config.getQuantMin(), *config.getQuantMax()};
  options.scheme = static_cast<numerics::QScheme>(config.getScheme());
  options.reduceRange = config.getReduceRange();
  if (config.getEps())
    options.eps = config.getEps().getValueAsDouble();
  if (config.getAveragingConstant())
    options.averagingConstant =
        config.getAveragingConstant().getValueAsDouble();
  if (config.getBins())
    options.bins = *config.getBins();
  if (config.getScale())
    options.fixedParams = {config.getScale().getValueAsDouble(),
                           *config.getZeroPoint()};
  return options;
}
static_assert(int(qbackend::ObserverKind::ReuseInput) ==
                  int(calibration::ObserverKind::Reuse),
              "the enums are the same");

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {
/// What the sites of a module saw in samples whose batch isn't complete.
/// Samples run in any order; each batch is given to the observers in the order
/// of sites and samples, so that nothing depends on the threads.
class Recorder {
public:
  explicit Recorder(ModuleOp module) {
    SymbolTable symbols(module);
    llvm::StringMap<Observer *> byName;
    for (auto op : module.getOps<ObserverOp>()) {
      observers.push_back({op.getSymName().str(),
                           Observer::create(getOptions(op.getConfig()))});
      byName[op.getSymName()] = observers.back().second.get();
    }
    module.walk<WalkOrder::PreOrder>([&](ObserveOp op) {
      sites.push_back(
          {byName.lookup(op.getObserver()), op.getObserver().str(), {}});
    });
  }

  /// Called by the compiled code.
  static void record(int64_t site, runtime::UnrankedMemRef *tensor) {
    current->add(site, tensor);
  }

  void add(int64_t site, runtime::UnrankedMemRef *tensor) {
    std::vector<float> values = tensor->copy<float>();
    // A range is all that these observers need, and saves the memory.
    calibration::ObserverKind kind = sites[site].observer->getOptions().kind;
    if (kind == calibration::ObserverKind::MinMax ||
        kind == calibration::ObserverKind::MovingAverageMinMax)
      reduceToRange(values);
    std::lock_guard<std::mutex> lock(mutex);
    sites[site].pending[runtime::Executable::getCurrentSample()] =
        std::move(values);
  }

  /// Gives the samples before `end` to the observers, as one batch.
  llvm::Error flush(int64_t end) {
    std::lock_guard<std::mutex> lock(mutex);
    for (Site &site : sites) {
      std::vector<Chunk> chunks;
      auto last = site.pending.lower_bound(end);
      for (auto it = site.pending.begin(); it != last; ++it) {
        for (float value : it->second)
          if (!std::isfinite(value))
            return makeError("'{0}' is {1} in sample {2}: the network "
                             "overflows, its weights are not finite, or the "
                             "data is not what it was trained on",
                             site.name, value, it->first);
        chunks.push_back({it->second.data(), int64_t(it->second.size())});
      }
      if (!chunks.empty())
        site.observer->update(chunks);
      site.pending.erase(site.pending.begin(), last);
    }
    return llvm::Error::success();
  }

  Table takeTable() {
    Table table;
    for (auto &[name, observer] : observers) {
      TableEntry entry;
      entry.name = name;
      entry.kind = observer->getOptions().kind;
      entry.stats = observer->statistics();
      table.entries.push_back(std::move(entry));
    }
    return table;
  }

  /// The recorder of the run that is going on; runs take turns.
  static Recorder *current;
  static std::mutex running;

private:
  static void reduceToRange(std::vector<float> &values) {
    if (values.empty())
      return;
    float min = values[0], max = values[0];
    for (float value : values) {
      if (!std::isfinite(value)) {
        values = {value};
        return;
      }
      min = std::min(min, value);
      max = std::max(max, value);
    }
    values = {min, max};
  }

  struct Site {
    Observer *observer;
    std::string name;
    std::map<int64_t, std::vector<float>> pending;
  };
  std::vector<std::pair<std::string, std::unique_ptr<Observer>>> observers;
  std::vector<Site> sites;
  std::mutex mutex;
};
Recorder *Recorder::current = nullptr;
std::mutex Recorder::running;
} // namespace

/// Eight samples of numbers with mean 0 and variance 1, the same every time;
/// within the range of the argument if it has one.
static std::vector<NamedArray>
createSyntheticInputs(func::FuncOp function,
                      const runtime::Executable &executable) {
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
    if (shape.empty())
      shape.push_back(1);
    shape[0] *= samples;
    NamedArray input{getArgumentName(function, i),
                     Array::zeros(signature.type, shape)};
    auto range =
        function.getArgAttrOfType<DenseF64ArrayAttr>(i, kRangeAttrName);
    if (signature.type == runtime::ElementType::F32)
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

llvm::Expected<Table>
qbackend::collectStatistics(ModuleOp module, const CalibrateOptions &options) {
  std::lock_guard<std::mutex> turn(Recorder::running);
  auto function = findEntry(module);
  if (!function)
    return function.takeError();
  if (options.batchSize < 1)
    return makeError("batch-size is {0}, expected 1 or more",
                     options.batchSize);
  auto executable =
      compileModule(module, function->getName(), /*observing=*/true,
                    {{"qbackend_runtime_observe",
                      reinterpret_cast<void *>(Recorder::record)}});
  if (!executable)
    return executable.takeError();
  SampleRun run;
  run.executable = std::move(*executable);
  // An extent that is a slip of the pen shouldn't take all memory.
  constexpr int64_t maxElements = int64_t(1) << 31;
  for (auto [i, input] : llvm::enumerate(run.executable->getInputs())) {
    double elements = 1;
    for (int64_t extent : input.shape)
      elements *= extent < 0 ? 1 : extent;
    if (elements > maxElements)
      return makeError("'{0}' has more than {1} elements, too many to run on; "
                       "give ranges in a calibration table",
                       getArgumentName(*function, i), maxElements);
  }
  run.options.threads = options.threads;
  if (options.data.empty()) {
    run.inputs = createSyntheticInputs(*function, *run.executable);
  } else {
    if (llvm::Error error =
            run.load(options.data, options.inputScale, *function))
      return error;
    run.options.maxSamples = options.samples;
  }

  Recorder recorder(module);
  Recorder::current = &recorder;
  int64_t done = 0;
  llvm::Error error = run.run(
      "calibrating",
      [&](int64_t first, int64_t count, ArrayRef<Array>) -> llvm::Error {
        done = first + count;
        if (first / options.batchSize == done / options.batchSize)
          return llvm::Error::success();
        return recorder.flush(done);
      });
  if (!error)
    error = recorder.flush(done);
  Recorder::current = nullptr;
  if (error)
    return error;
  return recorder.takeTable();
}

//===----------------------------------------------------------------------===//
// Sources of ranges
//===----------------------------------------------------------------------===//

/// Sets the range and the parameters of `op`.
static void setParameters(ObserverOp op, const calibration::Statistics &stats,
                          numerics::QuantParams params) {
  OpBuilder builder(op);
  if (!stats.empty()) {
    op.setMinAttr(builder.getF64FloatAttr(stats.min));
    op.setMaxAttr(builder.getF64FloatAttr(stats.max));
  }
  op.setScaleAttr(builder.getF64FloatAttr(params.scale));
  op.setZeroPointAttr(builder.getI64IntegerAttr(params.zeroPoint));
}

/// Observers whose parameters the module gives: fixed ones, and those of
/// arguments with a range.
static void calibrateFromModule(ModuleOp module) {
  for (auto op : module.getOps<ObserverOp>())
    if (!op.isCalibrated() &&
        op.getConfig().getKind() == qbackend::ObserverKind::FixedQParams)
      setParameters(op, {}, getOptions(op.getConfig()).fixedParams);
  SymbolTable symbols(module);
  module.walk([&](ObserveOp op) {
    Value value = op.getInput();
    while (auto transpose = value.getDefiningOp<TransposeOp>())
      value = transpose.getInput();
    auto argument = dyn_cast<BlockArgument>(value);
    auto function =
        argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                 : func::FuncOp();
    auto observer = symbols.lookup<ObserverOp>(op.getObserver());
    // An observer of a nested module is none of this one's.
    if (!function || !argument.getOwner()->isEntryBlock() || !observer ||
        observer.isCalibrated())
      return;
    auto range = function.getArgAttrOfType<DenseF64ArrayAttr>(
        argument.getArgNumber(), kRangeAttrName);
    if (!range)
      return;
    calibration::Statistics stats;
    stats.min = range[0];
    stats.max = range[1];
    ObserverOptions options = getOptions(observer.getConfig());
    options.kind = calibration::ObserverKind::MinMax;
    setParameters(observer, stats, Observer::qparams(stats, options)[0]);
  });
}

static SmallVector<ObserverOp> getUncalibrated(ModuleOp module) {
  SmallVector<ObserverOp> result;
  for (auto op : module.getOps<ObserverOp>())
    if (!op.isCalibrated())
      result.push_back(op);
  return result;
}

/// Takes what `table` has for the observers that have nothing yet.
static LogicalResult applyTable(ModuleOp module, const Table &table) {
  llvm::StringMap<const TableEntry *> entries;
  for (const TableEntry &entry : table.entries)
    entries.try_emplace(entry.name, &entry);
  for (ObserverOp op : getUncalibrated(module)) {
    const TableEntry *entry = entries.lookup(op.getSymName());
    if (!entry)
      continue;
    std::vector<numerics::QuantParams> params =
        entry->qparams(getOptions(op.getConfig()));
    if (params.size() != 1)
      return emitError(op.getLoc())
             << "the calibration table has " << params.size() << " scales for @"
             << op.getSymName() << ", an activation has one";
    setParameters(op, entry->stats, params[0]);
    if (failed(op.verify()))
      return failure();
  }
  return success();
}

/// Says which observers saw nothing in a run: their code was never reached.
static void warnUnseen(ModuleOp module, const Table &table) {
  llvm::StringSet<> unseen;
  for (const TableEntry &entry : table.entries)
    if (entry.stats.empty())
      unseen.insert(entry.name);
  for (ObserverOp op : getUncalibrated(module))
    if (unseen.contains(op.getSymName()))
      emitWarning(op.getLoc())
          << "observer @" << op.getSymName()
          << " saw no values, so that its scale is 1; calibrate with data that "
             "reaches this code, or give its scale in a table";
}

LogicalResult qbackend::calibrate(ModuleOp module,
                                  const CalibrateOptions &options) {
  calibrateFromModule(module);
  if (getUncalibrated(module).empty())
    return success();

  if (!options.calibration.empty()) {
    auto table = calibration::readTable(options.calibration);
    if (!table)
      return emitError(module.getLoc()) << llvm::toString(table.takeError());
    // An observer that saw nothing has no range, whatever its entry says.
    llvm::erase_if(table->entries, [](const TableEntry &entry) {
      return entry.stats.empty() && !entry.explicitParams;
    });
    if (failed(applyTable(module, *table)))
      return failure();
    SmallVector<ObserverOp> missing = getUncalibrated(module);
    if (missing.empty())
      return success();
    if (options.data.empty()) {
      InFlightDiagnostic error = emitError(module.getLoc())
                                 << "calibration table '" << options.calibration
                                 << "' has nothing for " << missing.size()
                                 << " of the network's observers: ";
      llvm::interleaveComma(ArrayRef(missing).take_front(8), error,
                            [&](ObserverOp op) { error << op.getSymName(); });
      if (missing.size() > 8)
        error << ", ...";
      return error << "; calibrate this network, or add data= for the rest";
    }
  }

  if (options.data.empty())
    emitWarning(module.getLoc())
        << "calibrated on synthetic inputs: the ranges are made up, and so is "
           "the accuracy; pass data=FILE.npz with real samples, or "
           "calibration=TABLE";
  auto table = collectStatistics(module, options);
  if (!table)
    return emitError(module.getLoc())
           << "calibration failed: " << llvm::toString(table.takeError());
  warnUnseen(module, *table);
  return applyTable(module, *table);
}

namespace {
struct CalibratePass : qbackend::impl::CalibratePassBase<CalibratePass> {
  using CalibratePassBase::CalibratePassBase;

  void runOnOperation() override {
    if (failed(calibrate(getOperation(), {calibration, data, samples, batchSize,
                                          inputScale, threads})))
      signalPassFailure();
  }
};
} // namespace
