// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All passes in order, for one backend.

#include "ExplainOperator.h"
#include "MeasureDifferences.h"
#include "Summary.h"

#include "qbackend/Backends/BackendResolver.h"
#include "qbackend/Pipelines/ApplyBackend.h"
#include "qbackend/Pipelines/ApplyBackendKeys.h"
#include "qbackend/Pipelines/BindParameters.h"
#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Pipelines/NetworkRunner.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Pipelines/Pipelines.h"
#include "qbackend/Transforms/Analysis/Entry.h"
#include "qbackend/Transforms/Analysis/SignatureAttrs.h"
#include "qbackend/Transforms/Engine.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace qbackend {
#define GEN_PASS_DEF_APPLYBACKENDPASS
#include "qbackend/Pipelines/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

/// Whether `module` comes with code in dialects of this project, which is to be
/// lowered also where nothing is quantized.
static bool hasOwnCode(ModuleOp module) {
  return module
      ->walk<WalkOrder::PreOrder>([](Operation *op) {
        if (isa<BackendConfigOp, QConfigMappingOp>(op))
          return WalkResult::skip();
        Dialect *dialect = op->getDialect();
        bool isOwn =
            dialect &&
            (isa<QBackendDialect>(dialect) ||
             dialect->getRegisteredInterface<EngineDialectInterface>());
        return isOwn ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Looks at the module between two passes, or has an engine change its code.
class InspectPass : public PassWrapper<InspectPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InspectPass)

  explicit InspectPass(std::function<LogicalResult(ModuleOp)> inspect)
      : inspect(std::move(inspect)) {}

  void runOnOperation() override {
    if (failed(inspect(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  std::function<LogicalResult(ModuleOp)> inspect;
};

struct ApplyBackendPass
    : qbackend::impl::ApplyBackendPassBase<ApplyBackendPass> {
  using ApplyBackendPassBase::ApplyBackendPassBase;

  ApplyBackendPass(std::vector<OperatorVerdict> &verdicts, StringRef table,
                   llvm::raw_ostream *explanation)
      : verdicts(&verdicts), table(table), explanationStream(explanation) {}

  /// See listApplyBackendKeys.
  std::vector<Key> listKeys() {
    std::vector<Key> keys;
    // To LLVM, the options of a pass are a subcommand.
    for (const auto &[name, option] : (*backend.Subs.begin())->OptionsMap)
      keys.push_back(describeKey(*option));
    llvm::sort(keys,
               [](const Key &a, const Key &b) { return a.name < b.name; });
    return keys;
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registerCoreDialects(registry);
  }

  void runOnOperation() override {
    const Backend *found = getAnalysis<BackendResolver>().resolve(backend);
    if (!found)
      return signalPassFailure();
    BackendConfigOp config = found->config;
    bool isFake = mode == "fake-quant";
    if (!isFake && mode != "convert") {
      emitError(getOperation().getLoc())
          << "mode is '" << mode << "', expected convert or fake-quant";
      return signalPassFailure();
    }
    if (isFake && !lowerTo.empty() && lowerTo != kLinalgForm) {
      emitError(getOperation().getLoc())
          << "lower-to is '" << lowerTo
          << "', but mode=fake-quant gives float code; leave it out";
      return signalPassFailure();
    }
    FailureOr<Lowering> lowering =
        findLowering(found, isFake ? StringRef() : StringRef(lowerTo),
                     getOperation().getLoc());
    if (failed(lowering))
      return signalPassFailure();
    StringRef target = isFake ? StringRef(kLinalgForm) : lowering->form;
    if (!(requireQuantized >= 0 && requireQuantized <= 100)) {
      emitError(getOperation().getLoc())
          << "require-quantized is "
          << llvm::formatv("{0}", double(requireQuantized)).str()
          << ", expected a percentage from 0 to 100";
      return signalPassFailure();
    }

    if (!table.empty() && !calibration.empty()) {
      emitError(getOperation().getLoc())
          << "calibration is '" << calibration
          << "', but the caller gives a table too; leave one of them out";
      return signalPassFailure();
    }
    // Raising and fusing a large network takes its time.
    if (llvm::Error error = checkRequest()) {
      emitError(getOperation().getLoc())
          << "calibration failed: " << llvm::toString(std::move(error));
      return signalPassFailure();
    }

    PreparePipelineOptions prepare;
    prepare.backend = backend;
    prepare.qconfig = qconfig;
    prepare.sharing = sharing;
    prepare.entry = entry;
    prepare.keepFloat = keepFloat;
    prepare.quantizedInputs = quantizedInputs;
    prepare.quantizedOutputs = quantizedOutputs;
    CalibratePassOptions calibrate;
    copyCalibrationOptions(*this, calibrate);
    if (!table.empty())
      calibrate.calibration = table;
    FailureOr<SmallVector<QConfigMappingOp>> mappings =
        resolveQConfigs(qconfig, *found, getOperation());
    if (failed(mappings) || failed(addCorrections(*mappings, calibrate)))
      return signalPassFailure();
    KernelPipelineOptions kernels;
    kernels.backend = backend;
    kernels.lowerTo = target.str();
    kernels.fakeQuantize = isFake;
    LogicalResult result =
        explain.empty()
            ? quantize(prepare, calibrate, kernels, lowering->engine,
                       /*isEngineForm=*/!isFake && lowering->engine &&
                           target == lowering->engine->getForms().front())
            : explainOperator(config, *mappings, prepare, calibrate, kernels,
                              lowering->engine);
    if (failed(result))
      signalPassFailure();
  }

private:
  template <typename From, typename To>
  friend void qbackend::copyCalibrationOptions(const From &from, To &to);

  /// Fails if the samples that the options name are none. Where there are none,
  /// nothing may have to run.
  llvm::Error checkRequest() {
    auto runner = findNetworkRunner(&getContext());
    if (runner)
      return (*runner)->checkRequest(
          {data, inputScale, sampleArguments, samples});
    llvm::Error error = runner.takeError();
    if (!data.empty())
      return error;
    llvm::consumeError(std::move(error));
    return llvm::Error::success();
  }

  Key describeKey(const llvm::cl::Option &option) {
    Key key;
    key.name = option.ArgStr.str();
    key.help = option.HelpStr.str();
    if (&option == &batchSize || &option == &samples || &option == &threads)
      key.kind = Key::Kind::Integer;
    if (&option == &threads) {
      key.least = 0;
      key.most = UINT_MAX;
    }
    if (&option == &requireQuantized)
      key.kind = Key::Kind::Number;
    else if (&option == &mode)
      key.choices = {"convert", "fake-quant"};
    else if (&option == &nonFinite)
      key.choices = {"error", "ignore"};
    else if (&option == &sharing)
      for (unsigned i = 0; i < sharing.getParser().getNumOptions(); ++i)
        key.choices.push_back(sharing.getParser().getOption(i).str());
    return key;
  }

  LogicalResult quantize(const PreparePipelineOptions &prepare,
                         const CalibratePassOptions &calibrate,
                         const KernelPipelineOptions &kernels,
                         const EngineDialectInterface *engine,
                         bool isEngineForm) {
    if (!weights.empty() && failed(bindParameters(getOperation(), weights)))
      return failure();
    // One pipeline: what passes know in common ends with it.
    Summary summary;
    OwningOpRef<ModuleOp> original = getOperation().clone();
    bool isChanged =
        kernels.lowerTo == kReferenceForm || hasOwnCode(getOperation());
    FormDifferences differences(entry, kernels.lowerTo);
    OpPassManager all("builtin.module");
    importIntegers(all, kernels, engine);
    addPreparePipeline(all, prepare);
    all.addPass(createCalibratePass(
        calibrate, [module = *original] { return getModelHash(module); }));
    all.addPass(std::make_unique<InspectPass>([&](ModuleOp module) {
      summary.countOperators(module);
      isChanged |= isObserved(module) || summary.hasQuantized();
      return success();
    }));
    addKernelPipeline(all, kernels);
    all.addPass(std::make_unique<InspectPass>([&](ModuleOp module) {
      // The reference form keeps its operators: they are its contract.
      StringRef target = kernels.lowerTo;
      if (target != kReferenceForm && !kernels.fakeQuantize)
        summary.countWithoutKernel(module);
      summary.emitRemark(module);
      if (verdicts)
        *verdicts = summary.getVerdicts();
      summary.warnIfNothing(module);
      // What isn't quantized stays as it came.
      if (summary.hasQuantized())
        recordArgumentNames(module);
      if (failed(summary.require(requireQuantized, target, module)))
        return failure();
      // Who asks for no remarks isn't kept waiting for this one.
      if (isChanged && !kernels.fakeQuantize &&
          module.getContext()->getRemarkEngine())
        differences.bound(module);
      return success();
    }));
    addLoweringPipeline(all, kernels);
    if (failed(runPipeline(all, getOperation())))
      return failure();
    if (!isChanged)
      return restore(*original, isEngineForm);
    return differences.emitRemark(
        getOperation(), {data, inputScale, sampleArguments, samples, threads,
                         /*allowNonFinite=*/nonFinite == "ignore"});
  }

  /// The reference form and float code have no kernels.
  static void importIntegers(OpPassManager &manager,
                             const KernelPipelineOptions &kernels,
                             const EngineDialectInterface *engine) {
    if (!engine || kernels.fakeQuantize || kernels.lowerTo == kReferenceForm)
      return;
    manager.addPass(std::make_unique<InspectPass>([engine](ModuleOp module) {
      engine->importIntegers(module);
      return success();
    }));
  }

  /// Puts the code of `original` back: where no operator has a qconfig, nothing
  /// is to change. The reference form has operators all the same. The engine's
  /// own form keeps the attributes of signatures, as where something is
  /// quantized: who runs the code asks for them. But no argument or result is
  /// quantized any more: that was asked for, and QB115 has said why it isn't.
  LogicalResult restore(ModuleOp original, bool keepsAttributes) {
    getOperation()->setAttrs(original->getAttrDictionary());
    getOperation().getBodyRegion().takeBody(original.getBodyRegion());
    for (auto function : getOperation().getOps<func::FuncOp>())
      eraseSignatureAttrs(function, kQuantizedAttrName);
    if (keepsAttributes) {
      for (Operation &op :
           llvm::make_early_inc_range(*getOperation().getBody()))
        if (isa<BackendConfigOp, QConfigMappingOp>(op))
          op.erase();
      return success();
    }
    OpPassManager strip("builtin.module");
    strip.addPass(createStripConfigurationPass());
    return runPipeline(strip, getOperation());
  }

  /// Quantizes a copy of the module as far as that is possible without ranges
  /// that are made up, and prints what becomes of one operator.
  LogicalResult explainOperator(BackendConfigOp config,
                                ArrayRef<QConfigMappingOp> mappings,
                                const PreparePipelineOptions &prepare,
                                const CalibratePassOptions &calibrate,
                                const KernelPipelineOptions &kernels,
                                const EngineDialectInterface *engine) {
    OperatorExplanation explanation(explain, &getContext(),
                                    explanationStream ? *explanationStream
                                                      : llvm::outs());
    OwningOpRef<ModuleOp> owned = copyInside(getOperation());
    ModuleOp copy = *owned;
    if (!weights.empty() && failed(bindParameters(copy, weights)))
      return failure();
    OpPassManager first("builtin.module");
    importIntegers(first, kernels, engine);
    addPreparePipeline(first, prepare);
    if (!calibrate.data.empty() || !calibrate.calibration.empty())
      first.addPass(createCalibratePass(calibrate));
    if (failed(runPipeline(first, copy)) ||
        failed(explanation.printObserved(copy, config, mappings)))
      return failure();
    bool isCalibrated =
        llvm::all_of(copy.getOps<ObserverOp>(),
                     [](ObserverOp op) { return op.isCalibrated(); });
    if (kernels.fakeQuantize) {
      explanation.printNoKernel("none: mode=fake-quant gives float code");
    } else if (isCalibrated) {
      OpPassManager second("builtin.module");
      addKernelPipeline(second, kernels);
      if (failed(runPipeline(second, copy)))
        return failure();
      explanation.printKernel(copy);
    } else {
      explanation.printNoKernel("not known without ranges: pass data=FILE.npz "
                                "or calibration=TABLE");
    }
    explanation.printRemarks();
    markAllAnalysesPreserved();
    return success();
  }

  /// Those of the qconfig mappings come first.
  LogicalResult addCorrections(ArrayRef<QConfigMappingOp> mappings,
                               CalibratePassOptions &options) {
    SmallVector<Correction> all;
    for (QConfigMappingOp mapping : mappings) {
      FailureOr<SmallVector<Correction>> chosen = getCorrections(mapping);
      if (failed(chosen))
        return failure();
      llvm::append_range(all, *chosen);
    }
    FailureOr<SmallVector<Correction>> own = parseCorrections(
        llvm::to_vector(corrections), getOperation().getLoc(), "corrections");
    if (failed(own))
      return failure();
    llvm::append_range(all, *own);
    for (Correction correction : all)
      options.corrections.push_back(getCorrectionName(correction).str());
    return success();
  }

  /// Where what became of operators goes; may be null.
  std::vector<OperatorVerdict> *verdicts = nullptr;
  /// The text of a calibration table, or empty.
  std::string table;
  /// Null: standard output.
  llvm::raw_ostream *explanationStream = nullptr;
};
} // namespace

std::unique_ptr<Pass>
qbackend::createApplyBackendPass(std::vector<OperatorVerdict> &verdicts,
                                 StringRef table,
                                 llvm::raw_ostream *explanation) {
  return std::make_unique<ApplyBackendPass>(verdicts, table, explanation);
}

std::vector<Key> qbackend::listApplyBackendKeys() {
  return ApplyBackendPass().listKeys();
}
