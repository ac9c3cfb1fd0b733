// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills in the observers of a module: from the module, a table, or a run.

#include "Calibrate/RemarkRanges.h"
#include "Calibrate/TableLookup.h"

#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Pipelines/Corrector.h"
#include "qbackend/Pipelines/Equalize.h"
#include "qbackend/Pipelines/Layers.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Support/Parts.h"
#include "qbackend/Transforms/Analysis/Entry.h"
#include "qbackend/Transforms/Analysis/ObserverOptions.h"
#include "qbackend/Transforms/Analysis/ValueRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <utility>

namespace qbackend {
#define GEN_PASS_DEF_CALIBRATEPASS
#include "qbackend/Pipelines/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;
using calibration::Observer;
using calibration::ObserverOptions;
using calibration::Table;
using calibration::TableEntry;

//===----------------------------------------------------------------------===//
// Sources of ranges
//===----------------------------------------------------------------------===//

void qbackend::setParameters(ObserverOp op,
                             const calibration::Statistics &stats,
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
      setParameters(op, {}, getObserverOptions(op.getConfig()).fixedParams);
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
    ObserverOptions options = getObserverOptions(observer.getConfig());
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

/// "3 of the network's observers: a, b, c", each with what `explain` adds.
static void listObservers(InFlightDiagnostic &error,
                          ArrayRef<ObserverOp> observers,
                          llvm::function_ref<void(ObserverOp)> explain) {
  error << observers.size() << " of the network's observers: ";
  llvm::interleaveComma(observers.take_front(8), error, [&](ObserverOp op) {
    error << op.getSymName();
    explain(op);
  });
  if (observers.size() > 8)
    error << ", ...";
}

/// Takes what `table` has for the observers that have nothing yet.
static LogicalResult applyTable(ModuleOp module, TableLookup &lookup) {
  bool isWarned = false;
  for (ObserverOp op : getUncalibrated(module)) {
    FailureOr<std::optional<TableEntry>> entry = lookup.lookup(op);
    if (failed(entry))
      return failure();
    if (!*entry)
      continue;
    std::vector<numerics::QuantParams> params =
        (*entry)->qparams(getObserverOptions(op.getConfig()));
    if (params.size() != 1)
      return emitError(op.getLoc())
             << "the calibration table has " << params.size() << " scales for @"
             << op.getSymName() << ", an activation has one";
    if ((*entry)->stats.nonFinite())
      emitWarning(op.getLoc())
          << calibration::describeNonFinite((*entry)->name, (*entry)->stats)
          << "; they are left out";
    const calibration::Statistics &stats = (*entry)->stats;
    calibration::ObserverOptions options = getObserverOptions(op.getConfig());
    bool isGiven = (*entry)->explicitParams.has_value();
    if (!isGiven && options.kind == calibration::ObserverKind::Histogram &&
        !stats.histogram.empty() &&
        int64_t(stats.histogram.size()) != options.bins)
      return emitError(op.getLoc())
             << "the histogram of '" << (*entry)->name
             << "' in the calibration table has " << stats.histogram.size()
             << " bins, the observer has " << options.bins
             << "; calibrate with this qconfig, or write bins = "
             << stats.histogram.size() << " in it";
    // Of one batch they are the least and the greatest number.
    if (!isWarned && calibration::isMovingAverage(options.kind) && !isGiven &&
        !TableLookup::hasAverages(**entry) && stats.batches > 1) {
      isWarned = true;
      InFlightDiagnostic warning = emitWarning(op.getLoc())
                                   << "the calibration table has ";
      if (lookup.isAveragedInGroup(**entry))
        warning << "averages of '" << (*entry)->name
                << "' only with other values, which shared its observer when "
                   "it was made: its least and greatest number are taken, and "
                   "so for others; calibrate with the same sharing (sharing=) "
                   "and the same operators in float";
      else
        warning << "no averages of '" << (*entry)->name
                << "': its least and greatest number are taken, and so for "
                   "others; calibrate with this qconfig";
    }
    if (!std::isfinite(params[0].scale))
      return emitError(op.getLoc())
             << "the range of '" << (*entry)->name << "', [" << stats.min
             << ", " << stats.max
             << "], is wider than an f32 can be: it has no scale; check the "
                "weights and the data, or give the operator the qconfig none";
    setParameters(op, stats, params[0]);
    if (failed(op.verify()))
      return failure();
  }
  return success();
}

/// Returns how the network that `table` is of differs from `module`; nothing if
/// all that `module` has is in it, in this order: layers may be taken away.
static std::string compareNetworks(ModuleOp module, const Table &table) {
  if (table.network.empty())
    return {};
  std::string description = getNetworkDescription(module);
  SmallVector<StringRef> here, there;
  StringRef(description)
      .split(here, "; ", /*MaxSplit=*/-1,
             /*KeepEmpty=*/false);
  StringRef(table.network).split(there, "; ", -1, false);
  size_t next = 0;
  for (auto [i, layer] : llvm::enumerate(here)) {
    size_t found = next;
    while (found < there.size() && there[found] != layer)
      ++found;
    if (found == there.size())
      return llvm::formatv(
                 "layer {0} of {1} with a weight is '{2}' here, {3} in it",
                 i + 1, here.size(), layer,
                 next < there.size()
                     ? ("'" + there[next] + "'").str()
                     : "there are only " + std::to_string(there.size()))
          .str();
    next = found + 1;
  }
  return {};
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

/// Takes what follows from the ranges of the arguments.
static LogicalResult calibrateFromRanges(ModuleOp module) {
  ValueRanges ranges(module);
  llvm::StringMap<std::optional<calibration::Statistics>> found;
  llvm::StringMap<Value> unknown;
  module.walk<WalkOrder::PreOrder>([&](ObserveOp op) {
    auto [it, isFirst] = found.try_emplace(op.getObserver());
    std::optional<FloatRange> range = ranges.lookup(op.getInput());
    if (!range) {
      it->second.reset();
      unknown.try_emplace(op.getObserver(), op.getInput());
      return;
    }
    // Tensors that share an observer need a range each.
    if (!isFirst && !it->second)
      return;
    if (isFirst)
      it->second.emplace();
    it->second->min = std::min(it->second->min, float(range->min));
    it->second->max = std::max(it->second->max, float(range->max));
  });
  SmallVector<ObserverOp> missing;
  for (ObserverOp op : getUncalibrated(module)) {
    auto it = found.find(op.getSymName());
    if (it == found.end() || !it->second) {
      missing.push_back(op);
      continue;
    }
    ObserverOptions options = getObserverOptions(op.getConfig());
    options.kind = calibration::ObserverKind::MinMax;
    setParameters(op, *it->second, Observer::qparams(*it->second, options)[0]);
  }
  if (missing.empty())
    return success();
  InFlightDiagnostic error = emitError(module.getLoc())
                             << "calibration=ranges finds no range for ";
  listObservers(error, missing, [&](ObserverOp op) {
    if (Value value = unknown.lookup(op.getSymName()))
      error << " (" << ranges.explain(value) << ")";
  });
  return error << "; give data or a table";
}

/// The mapping that says what is equalized; null if nothing is.
static FailureOr<QConfigMappingOp>
findEqualization(ModuleOp module, const CalibrateOptions &options) {
  if (options.equalization.empty())
    return QConfigMappingOp();
  StringRef name = options.equalization;
  if (options.calibration == "ranges")
    return emitError(module.getLoc())
           << "equalization takes the range of each channel, which "
              "calibration=ranges doesn't give; pass data=FILE.npz or "
              "calibration=TABLE";
  auto mapping = name.consume_front("@")
                     ? module.lookupSymbol<QConfigMappingOp>(name)
                     : QConfigMappingOp();
  if (!mapping)
    return emitError(module.getLoc())
           << "equalization is '" << options.equalization
           << "', expected the @symbol of a qbackend.qconfig_mapping in the "
              "module";
  return mapping;
}

/// What changes parameters; null if this program has nothing that does.
static const CorrectorInterface *getCorrector(ModuleOp module) {
  return module.getContext()
      ->getLoadedDialect<QBackendDialect>()
      ->getRegisteredInterface<CorrectorInterface>();
}

/// Whether `options` have `correction`.
static bool hasCorrection(const CalibrateOptions &options,
                          Correction correction) {
  return llvm::is_contained(options.corrections, correction);
}

/// Has observers of activations choose the range of least squared error.
static void observeSquaredError(ModuleOp module) {
  for (ObserverOp op : getUncalibrated(module)) {
    ObserverAttr config = op.getConfig();
    if (!isa<IntegerType>(config.getDtype()) ||
        !calibration::hasStatistics(config.getKind()))
      continue;
    op.setConfigAttr(changeKind(config, ObserverKind::MSE, config.getScheme()));
  }
}

/// What the options of corrections ask for that can't be done.
static LogicalResult verifyCorrections(ModuleOp module,
                                       const CalibrateOptions &options) {
  auto refuse = [&](Correction correction, const Twine &reason) {
    return emitError(module.getLoc())
           << "corrections=" << getCorrectionName(correction) << " " << reason;
  };
  for (Correction correction : options.corrections) {
    if (correction != Correction::MseRanges && !getCorrector(module))
      return refuse(correction, "takes the wing Insight, which this program "
                                "doesn't register (registerInsight)");
    bool needsSamples = correction == Correction::AdaptiveRounding ||
                        correction == Correction::BiasCorrection;
    if (needsSamples && options.data.empty() && options.calibration == "ranges")
      return refuse(correction, "takes samples, which calibration=ranges "
                                "doesn't have; pass data=FILE.npz too");
    if (needsSamples && options.data.empty() && !options.calibration.empty() &&
        !options.equalization.empty())
      return refuse(correction,
                    "and equalization= change what the table has of the same "
                    "layers; pass data=FILE.npz too");
    if (correction == Correction::BiasAbsorption &&
        options.calibration == "ranges")
      return refuse(correction,
                    "takes the range of each channel, which "
                    "calibration=ranges doesn't give; pass data=FILE.npz or "
                    "calibration=TABLE");
    if (!options.equalization.empty() &&
        (correction == Correction::CrossLayerEqualization ||
         correction == Correction::BiasAbsorption))
      return refuse(correction, "and equalization= change the same channels; "
                                "leave one of them out");
  }
  return success();
}

/// Says that samples, or a table, were not needed.
static void warnUnused(ModuleOp module, StringRef key, StringRef value,
                       const Twine &why) {
  if (!value.empty())
    emitWarning(module.getLoc())
        << key << "=" << value << " is not used: " << why;
}

/// What is wrong with the samples, before the network is compiled for them.
static llvm::Error checkSamplesOf(ModuleOp module,
                                  const CalibrateOptions &options) {
  auto function = findEntry(module, options.entry);
  if (!function)
    return function.takeError();
  auto runner = findNetworkRunner(module.getContext());
  if (!runner)
    return runner.takeError();
  return (*runner)->checkSamples(*function, getSampleRequest(options));
}

/// Finds what observers have; `source` is set to the table, if there is one.
static LogicalResult findParameters(ModuleOp module,
                                    const CalibrateOptions &options,
                                    PatchSource &source) {
  FailureOr<QConfigMappingOp> equalization = findEqualization(module, options);
  if (failed(equalization) || failed(verifyCorrections(module, options)))
    return failure();
  calibrateFromModule(module);
  bool balances = hasCorrection(options, Correction::CrossLayerEqualization);
  bool absorbs = hasCorrection(options, Correction::BiasAbsorption);
  if (getUncalibrated(module).empty() && !*equalization) {
    // Where nothing is quantized, that is what is to be said.
    if (isObserved(module)) {
      StringRef why = "the module has no observer without a range";
      warnUnused(module, "data", options.data, why);
      if (options.calibration != "ranges")
        warnUnused(module, "calibration", options.calibration, why);
    }
    return success();
  }
  if (hasCorrection(options, Correction::MseRanges))
    observeSquaredError(module);

  // By what the network computed before: then the rest is calibrated.
  bool isEqualized = !*equalization;
  auto equalizeBy = [&](TableLookup &lookup) {
    if (std::exchange(isEqualized, true))
      return success();
    return equalize(module, *equalization,
                    [&](Value value) { return lookup.lookup(value); });
  };
  // Without a table, all that follows is of the network that it gives.
  if (balances &&
      (options.calibration.empty() || options.calibration == "ranges")) {
    getCorrector(module)->equalizeLayers(module, balances, /*absorb=*/false,
                                         /*hasTable=*/false, nullptr, nullptr);
  }
  if (options.calibration == "ranges") {
    warnUnused(module, "data", options.data,
               "with calibration=ranges, those of the arguments are taken");
    return calibrateFromRanges(module);
  }
  if (!options.calibration.empty()) {
    bool isText = StringRef(options.calibration).starts_with("{");
    std::string name = isText
                           ? "the calibration table"
                           : "calibration table '" + options.calibration + "'";
    auto read = isText ? calibration::parseTable(options.calibration, name)
                       : calibration::readTable(options.calibration);
    if (!read)
      return emitError(module.getLoc()) << llvm::toString(read.takeError());
    source.table = std::move(*read);
    Table *table = &*source.table;
    if (options.getModel && !table->model.empty() &&
        options.getModel() != table->model)
      emitWarning(module.getLoc())
          << name
          << " was made of another module, with other code or weights: its "
             "ranges may not be those of this one; calibrate this one, or, if "
             "only the code is spelled otherwise, empty the table's \"model\"";
    if (!table->tool.empty() && table->tool != getToolName())
      emitWarning(module.getLoc())
          << name << " was made by '" << table->tool << "', this is '"
          << getToolName()
          << "': what is recorded may not be the same; calibrate again, or, if "
             "that is known to make no difference, empty the table's \"tool\"";
    // An observer that saw nothing has no range, whatever its entry says.
    llvm::erase_if(table->entries, [](const TableEntry &entry) {
      return entry.stats.empty() && !entry.explicitParams;
    });
    for (Correction correction :
         {Correction::AdaptiveRounding, Correction::BiasCorrection})
      if (hasCorrection(options, correction) && options.data.empty() &&
          llvm::all_of(table->entries, [](const TableEntry &entry) {
            return entry.patches.empty();
          }))
        return emitError(module.getLoc())
               << "corrections=" << getCorrectionName(correction)
               << " takes what layers read, which " << name
               << " doesn't have; pass data=FILE.npz too, or make the table "
                  "with --for-corrections";
    TableLookup &lookup = source.lookup.emplace(module, *table);
    auto getStatistics = [&](Value value) { return lookup.lookup(value); };
    if (balances || absorbs)
      getCorrector(module)->equalizeLayers(
          module, balances, absorbs, /*hasTable=*/true, getStatistics,
          [&](Value value, ArrayRef<float> factors, ArrayRef<float> shifts) {
            source.rescaled[value] = {
                SmallVector<float, 0>(factors.begin(), factors.end()),
                SmallVector<float, 0>(shifts.begin(), shifts.end())};
          });
    if (failed(equalizeBy(lookup)) || failed(applyTable(module, lookup)))
      return failure();
    SmallVector<ObserverOp> missing = getUncalibrated(module);
    // Data is for what has been added since.
    std::string difference =
        options.data.empty() ? compareNetworks(module, *table) : "";
    if (missing.empty() && !difference.empty())
      return emitError(module.getLoc())
             << name << " is of another network: " << difference << "; "
             << getFix(*table);
    if (missing.empty()) {
      // Corrections are tried on it.
      if (!hasCorrection(options, Correction::AdaptiveRounding) &&
          !hasCorrection(options, Correction::BiasCorrection))
        warnUnused(module, "data", options.data,
                   name + " has all that the network needs");
      return success();
    }
    if (options.data.empty()) {
      InFlightDiagnostic error = emitError(module.getLoc()) << name << " ";
      if (!difference.empty())
        error << "is of another network: " << difference << "; it ";
      listObservers(error << "has nothing for ", missing, [](ObserverOp) {});
      return error << "; " << getFix(*table) << ", or add data= for the rest";
    }
  }

  if (options.data.empty())
    emitWarning(module.getLoc())
        << "calibrated on synthetic inputs: the ranges are made up, and so is "
           "the accuracy; pass data=FILE.npz with real samples, or "
           "calibration=TABLE";
  if (llvm::Error error = checkSamplesOf(module, options))
    return emitError(module.getLoc())
           << "calibration failed: " << llvm::toString(std::move(error));
  CalibrateOptions run = options;
  // Equalization takes the range of each channel.
  run.recordAll |= !isEqualized;
  if (absorbs && options.calibration.empty()) {
    CalibrateOptions channels = options;
    channels.recordAll = true;
    auto table = collectStatistics(module, channels);
    if (!table)
      return emitError(module.getLoc())
             << "calibration failed: " << llvm::toString(table.takeError());
    TableLookup lookup(module, *table);
    getCorrector(module)->equalizeLayers(
        module, /*balance=*/false, /*absorb=*/true, /*hasTable=*/false,
        [&](Value value) { return lookup.lookup(value); }, nullptr);
  }
  auto table = collectStatistics(module, run);
  if (!table)
    return emitError(module.getLoc())
           << "calibration failed: " << llvm::toString(table.takeError());
  warnUnseen(module, *table);
  TableLookup lookup(module, *table);
  if (failed(equalizeBy(lookup)))
    return failure();
  return applyTable(module, lookup);
}

LogicalResult qbackend::calibrate(ModuleOp module,
                                  const CalibrateOptions &options) {
  PatchSource source;
  if (failed(findParameters(module, options, source)))
    return failure();
  bool round = hasCorrection(options, Correction::AdaptiveRounding);
  bool correct = hasCorrection(options, Correction::BiasCorrection);
  auto lookup = [&](OperatorOp op, bool withProducts) {
    return source.get(op, withProducts);
  };
  // What equalization= has changed since, the table has as it was.
  bool isOfTable = source.lookup && options.equalization.empty();
  if ((round || correct) && !isOfTable && options.data.empty() &&
      !options.calibration.empty())
    return emitError(module.getLoc())
           << "corrections take samples where the table isn't needed for "
              "ranges; pass data=FILE.npz";
  if ((round || correct) &&
      failed(getCorrector(module)->correctLayers(
          module, options, round, correct,
          isOfTable ? PatchLookup(lookup) : PatchLookup())))
    return failure();
  remarkRanges(module);
  return success();
}

namespace {
struct CalibratePass : qbackend::impl::CalibratePassBase<CalibratePass> {
  using CalibratePassBase::CalibratePassBase;
  CalibratePass(const CalibratePassOptions &options,
                std::function<std::string()> getModel)
      : CalibratePassBase(options), getModel(std::move(getModel)) {}

  void runOnOperation() override {
    CalibrateOptions options;
    copyCalibrationOptions(*this, options);
    options.getModel = getModel;
    FailureOr<SmallVector<Correction>> chosen = parseCorrections(
        llvm::to_vector(corrections), getOperation().getLoc(), "corrections");
    if (failed(chosen))
      return signalPassFailure();
    options.corrections = *chosen;
    if (failed(calibrate(getOperation(), options)))
      signalPassFailure();
  }

private:
  template <typename From, typename To>
  friend void qbackend::copyCalibrationOptions(const From &from, To &to);

  std::function<std::string()> getModel;
};
} // namespace

std::unique_ptr<Pass>
qbackend::createCalibratePass(const CalibratePassOptions &options,
                              std::function<std::string()> getModel) {
  return std::make_unique<CalibratePass>(options, std::move(getModel));
}
