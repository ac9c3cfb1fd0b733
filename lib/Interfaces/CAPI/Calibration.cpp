// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibrates networks of the C interface on the arrays of a caller.

#include "Model.h"

#include "qbackend/Execution/Pipelines/ObservedRun.h"
#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Pipelines/Pipelines.h"
#include "qbackend/Support/Parts.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <limits>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;

struct QBackendCalibration {
  /// The observed module.
  std::unique_ptr<QBackendModel> model;
  std::unique_ptr<StatisticsCollector> collector;
  /// The samples of the collector's run.
  SampleRun *run = nullptr;
  SmallVector<std::string> names;
  /// Whether each call adds a batch.
  bool addsBatches = false;
  bool hasFailed = false;
};

/// Observes `module`, unless it is observed already, and sets `backend` to the
/// name of what it is observed for.
static LogicalResult prepare(QBackendModel &model,
                             const QBackendCalibrationOptions &options,
                             std::string &backend) {
  if (isObserved(*model.module))
    return success();
  if (failed(
          model.session.addConfiguration(options.configuration, *model.module)))
    return failure();
  PreparePipelineOptions prepare;
  if (!toRef(options.backend).empty())
    prepare.backend = toRef(options.backend).str();
  prepare.qconfig = toRef(options.qconfig).str();
  prepare.entry = model.entry;
  StringRef sharing = toRef(options.sharing);
  if (sharing == "fx")
    prepare.sharing = Sharing::FX;
  else if (!sharing.empty() && sharing != "groups")
    return model.session.error()
           << "sharing is '" << sharing << "', expected groups or fx";
  backend = llvm::sys::path::filename(prepare.backend.getValue()).str();
  PassManager manager(model.getContext());
  addPreparePipeline(manager, prepare);
  return manager.run(*model.module);
}

QBackendStatus
qbackendCalibrationCreate(QBackendModel *model,
                          const QBackendCalibrationOptions *options,
                          QBackendCalibration **calibration,
                          QBackendDiagnosticCallback callback, void *user) {
  if (!checkPointers({{"model", model}, {"calibration", calibration}}, callback,
                     user))
    return QBACKEND_FAILURE;
  *calibration = nullptr;
  QBackendCalibrationOptions given =
      options ? *options : QBackendCalibrationOptions{};
  auto result = std::make_unique<QBackendCalibration>();
  result->model = model->copy(callback, user);
  if (!result->model)
    return QBACKEND_FAILURE;
  QBackendModel &copy = *result->model;
  ModelScope scope(copy, callback, user);
  CalibrateOptions calibrate;
  if (!toRef(given.statistics).empty())
    calibrate.statistics = toRef(given.statistics).str();
  const int64_t first = given.firstSample, total = given.totalSamples;
  if (first < 0 || total < -1 || (total != -1 && first > total)) {
    copy.session.error() << "firstSample is " << first << " of totalSamples "
                         << total << ", expected one of them; -1 is any number";
    return QBACKEND_FAILURE;
  }
  if (given.totalSamples) {
    calibrate.firstSample = given.firstSample;
    calibrate.totalSamples = given.totalSamples;
  }
  if (calibrate.isMergeable() || calibrate.isPart())
    calibrate.getModel = [hash = getModelHash(*copy.module)] { return hash; };
  if (failed(prepare(copy, given, calibrate.backend)))
    return QBACKEND_FAILURE;
  calibrate.entry = copy.entry;
  // The samples come later, but they are no made-up ones.
  calibrate.data = "samples";
  calibrate.source = toRef(given.source).str();
  calibrate.sampleArguments = toRef(given.sampleArguments).str();
  result->addsBatches = given.batchSize < 0;
  if (result->addsBatches)
    calibrate.batchSize = std::numeric_limits<int64_t>::max();
  else if (given.batchSize)
    calibrate.batchSize = given.batchSize;
  calibrate.nonFinite = given.ignoreNonFinite ? "ignore" : "error";
  calibrate.threads = given.threads;
  calibrate.recordAll = true;
  calibrate.recordPatches = given.forCorrections;
  auto prepareRun = [&](ModuleOp module, func::FuncOp function,
                        const SampleRequest &request, ObserveCallback observed)
      -> llvm::Expected<std::unique_ptr<NetworkRun>> {
    auto run =
        ObservedRun::compile(module, function, request, std::move(observed));
    if (!run)
      return run.takeError();
    result->run = &(*run)->samples;
    return std::move(*run);
  };
  auto collector =
      StatisticsCollector::create(*copy.module, calibrate, prepareRun);
  auto fail = [&](llvm::Error error) {
    copy.session.error() << llvm::toString(std::move(error));
    return QBACKEND_FAILURE;
  };
  if (!collector)
    return fail(collector.takeError());
  result->collector = std::move(*collector);
  if (llvm::Error error = result->run->setScale(toRef(given.inputScale)))
    return fail(std::move(error));
  FailureOr<func::FuncOp> function = copy.findFunction();
  if (failed(function))
    return QBACKEND_FAILURE;
  result->names = getArgumentNames(*function);
  *calibration = result.release();
  return QBACKEND_SUCCESS;
}

void qbackendCalibrationDestroy(QBackendCalibration *calibration) {
  delete calibration;
}

static llvm::Error add(QBackendCalibration &calibration,
                       ArrayRef<QBackendArray> arrays) {
  SampleRun &run = *calibration.run;
  ArrayRef<std::string> names = calibration.names;
  if (calibration.hasFailed)
    return llvm::createStringError(
        "this calibration has failed before; begin a new one");
  if (arrays.size() != names.size())
    return llvm::createStringError("'" + run.executable->getEntry() +
                                   "' takes " + Twine(names.size()) +
                                   " arrays (" + llvm::join(names, ", ") +
                                   "); found " + Twine(arrays.size()));
  run.source = createSource(arrays, names, run.options.fixed);
  if (llvm::Error error = calibration.collector->run(""))
    return error;
  return calibration.addsBatches ? calibration.collector->endBatch()
                                 : llvm::Error::success();
}

QBackendStatus qbackendCalibrationAdd(QBackendCalibration *calibration,
                                      const QBackendArray *arguments,
                                      size_t numArguments,
                                      int (*isStopped)(void *), void *stopUser,
                                      QBackendDiagnosticCallback callback,
                                      void *user) {
  if (!checkPointers({{"calibration", calibration}, {"arguments", arguments}},
                     callback, user) ||
      !checkArrays({arguments, numArguments}, callback, user))
    return QBACKEND_FAILURE;
  std::function<bool()> &stop = calibration->run->options.isStopped;
  stop = nullptr;
  if (isStopped)
    stop = [=] { return isStopped(stopUser) != 0; };
  if (llvm::Error error = add(*calibration, {arguments, numArguments})) {
    calibration->hasFailed = true;
    reportError(llvm::toString(std::move(error)), callback, user);
    return QBACKEND_FAILURE;
  }
  return QBACKEND_SUCCESS;
}

QBackendStatus qbackendCalibrationToTable(QBackendCalibration *calibration,
                                          char **output,
                                          QBackendDiagnosticCallback callback,
                                          void *user) {
  if (!checkPointers({{"calibration", calibration}, {"output", output}},
                     callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  ModelScope scope(*calibration->model, callback, user);
  Session &session = calibration->model->session;
  if (calibration->hasFailed) {
    session.error() << "this calibration has failed; begin a new one";
    return QBACKEND_FAILURE;
  }
  auto table = calibration->collector->finish();
  if (!table) {
    calibration->hasFailed = true;
    session.error() << llvm::toString(table.takeError());
    return QBACKEND_FAILURE;
  }
  return session.finish(calibration::printTable(*table), output);
}

QBackendStatus qbackendMergeTables(const QBackendText *tables,
                                   const QBackendText *names, size_t count,
                                   char **output,
                                   QBackendDiagnosticCallback callback,
                                   void *user) {
  if (!checkPointers({{"tables", tables}, {"names", names}, {"output", output}},
                     callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  auto fail = [&](const Twine &message) {
    reportError(message, callback, user);
    return QBACKEND_FAILURE;
  };
  if (count > 0 && isParts(toRef(tables[0]))) {
    std::vector<NamedParts> all;
    for (size_t i = 0; i < count; ++i) {
      auto parts = parseParts(toRef(tables[i]), toRef(names[i]));
      if (!parts)
        return fail(llvm::toString(parts.takeError()));
      all.push_back({toRef(names[i]).str(), std::move(*parts)});
    }
    auto merged = mergeParts(all);
    if (!merged)
      return fail(llvm::toString(merged.takeError()));
    return Session(callback, user).finish(printParts(*merged), output);
  }
  std::vector<calibration::NamedTable> parsed;
  for (size_t i = 0; i < count; ++i) {
    auto table = calibration::parseTable(toRef(tables[i]), toRef(names[i]));
    if (!table)
      return fail(llvm::toString(table.takeError()));
    parsed.push_back({toRef(names[i]).str(), std::move(*table)});
  }
  auto merged = calibration::mergeTables(parsed);
  if (!merged)
    return fail(llvm::toString(merged.takeError()));
  if (std::string missing = calibration::describeMissing(*merged);
      !missing.empty())
    return fail(missing + " are in none of the tables");
  return Session(callback, user)
      .finish(calibration::printTable(*merged), output);
}
