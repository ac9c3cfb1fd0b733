// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All passes in order, for one backend.

#include "Summary.h"

#include "qbackend/Backends/BackendResolver.h"
#include "qbackend/Pipelines/ApplyBackend.h"
#include "qbackend/Pipelines/ApplyBackendKeys.h"
#include "qbackend/Pipelines/CheckSamples.h"
#include "qbackend/Pipelines/Corrections.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Pipelines/Pipelines.h"
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

static Key getKey(const llvm::cl::Option &option, Key::Kind kind,
                  std::vector<std::string> choices = {}) {
  return {option.ArgStr.str(), option.HelpStr.str(), kind, std::move(choices)};
}

namespace {
/// Looks at the module between two passes.
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

  ApplyBackendPass(std::vector<OperatorVerdict> &verdicts, StringRef table)
      : verdicts(&verdicts), table(table) {}

  /// See listApplyBackendKeys.
  std::vector<Key> listKeys() {
    using Kind = Key::Kind;
    std::vector<std::string> sharings;
    for (unsigned i = 0; i < sharing.getParser().getNumOptions(); ++i)
      sharings.push_back(sharing.getParser().getOption(i).str());
    std::vector<Key> keys = {
        getKey(backend, Kind::Text),
        getKey(batchSize, Kind::Integer),
        getKey(calibration, Kind::Text),
        getKey(corrections, Kind::Text),
        getKey(data, Kind::Text),
        getKey(entry, Kind::Text),
        getKey(equalization, Kind::Text),
        getKey(inputScale, Kind::Text),
        getKey(keepFloat, Kind::Text),
        getKey(lowerTo, Kind::Text),
        getKey(mode, Kind::Text, {"convert", "fake-quant"}),
        getKey(nonFinite, Kind::Text, {"error", "ignore"}),
        getKey(qconfig, Kind::Text),
        getKey(quantizedInputs, Kind::Text),
        getKey(quantizedOutputs, Kind::Text),
        getKey(requireQuantized, Kind::Number),
        getKey(sampleArguments, Kind::Text),
        getKey(samples, Kind::Integer),
        getKey(sharing, Kind::Text, sharings),
        getKey(threads, Kind::Integer),
    };
    llvm::sort(keys,
               [](const Key &a, const Key &b) { return a.name < b.name; });
    return keys;
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registerAllDialects(registry);
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
          << "', but mode=fake-quant gives real-valued code; leave it out";
      return signalPassFailure();
    }
    FailureOr<StringRef> form = StringRef(kLinalgForm);
    if (!isFake)
      form = findForm(config, lowerTo, getOperation().getLoc());
    if (failed(findEngine(config)) || failed(form))
      return signalPassFailure();
    StringRef target = *form;
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
    if (llvm::Error error =
            checkSampleRequest({data, inputScale, sampleArguments, samples})) {
      emitError(getOperation().getLoc())
          << "calibration failed: " << llvm::toString(std::move(error));
      return signalPassFailure();
    }

    PreparePipelineOptions prepareOptions;
    prepareOptions.backend = backend;
    prepareOptions.qconfig = qconfig;
    prepareOptions.sharing = sharing;
    prepareOptions.entry = entry;
    prepareOptions.keepFloat = keepFloat;
    prepareOptions.quantizedInputs = quantizedInputs;
    prepareOptions.quantizedOutputs = quantizedOutputs;
    CalibratePassOptions calibrateOptions;
    calibrateOptions.entry = entry;
    calibrateOptions.calibration = table.empty() ? calibration : table;
    calibrateOptions.data = data;
    calibrateOptions.samples = samples;
    calibrateOptions.batchSize = batchSize;
    calibrateOptions.inputScale = inputScale;
    calibrateOptions.sampleArguments = sampleArguments;
    calibrateOptions.threads = threads;
    calibrateOptions.nonFinite = nonFinite;
    calibrateOptions.equalization = equalization;
    FailureOr<SmallVector<Correction>> chosen = getChosenCorrections(config);
    if (failed(chosen))
      return signalPassFailure();
    for (Correction correction : *chosen)
      calibrateOptions.corrections.push_back(
          getCorrectionName(correction).str());
    KernelPipelineOptions kernelOptions;
    kernelOptions.backend = backend;
    kernelOptions.lowerTo = target.str();
    kernelOptions.fakeQuantize = isFake;

    // One pipeline: what passes know in common ends with it.
    Summary summary;
    OpPassManager all("builtin.module");
    addPreparePipeline(all, prepareOptions);
    all.addPass(createCalibratePass(calibrateOptions));
    all.addPass(std::make_unique<InspectPass>([&](ModuleOp module) {
      summary.countOperators(module);
      return success();
    }));
    addKernelPipeline(all, kernelOptions);
    all.addPass(std::make_unique<InspectPass>([&](ModuleOp module) {
      // The reference form keeps its operators: they are its contract.
      if (target != kReferenceForm && !isFake)
        summary.countWithoutKernel(module);
      summary.emitRemark(module);
      if (verdicts)
        *verdicts = summary.getVerdicts();
      summary.warnIfNothing(module);
      return summary.require(requireQuantized, target, module);
    }));
    addLoweringPipeline(all, kernelOptions);
    if (failed(runPipeline(all, getOperation())))
      signalPassFailure();
  }

  /// Those of the option, and of the qconfig mapping.
  FailureOr<SmallVector<Correction>>
  getChosenCorrections(BackendConfigOp config) {
    FailureOr<QConfigMappingOp> mapping =
        resolveQConfig(qconfig, config, getOperation());
    if (failed(mapping))
      return failure();
    FailureOr<SmallVector<Correction>> result = getCorrections(*mapping);
    FailureOr<SmallVector<Correction>> own = parseCorrections(
        llvm::to_vector(corrections), getOperation().getLoc(), "corrections");
    if (failed(result) || failed(own))
      return failure();
    for (Correction correction : *own)
      if (!llvm::is_contained(*result, correction))
        result->push_back(correction);
    return result;
  }

private:
  /// Where what became of operators goes; may be null.
  std::vector<OperatorVerdict> *verdicts = nullptr;
  /// The text of a calibration table, or empty.
  std::string table;
};
} // namespace

std::unique_ptr<Pass>
qbackend::createApplyBackendPass(std::vector<OperatorVerdict> &verdicts,
                                 StringRef table) {
  return std::make_unique<ApplyBackendPass>(verdicts, table);
}

std::vector<Key> qbackend::listApplyBackendKeys() {
  return ApplyBackendPass().listKeys();
}
