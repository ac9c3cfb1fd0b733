// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What quantization does to networks of the C interface, and what to change.

#include "Model.h"

#include "qbackend/Insight/Comparison/CompareOperators.h"
#include "qbackend/Insight/Comparison/ComparisonJson.h"
#include "qbackend/Insight/Comparison/OperatorPage.h"
#include "qbackend/Insight/Cost/ReportCost.h"
#include "qbackend/Insight/Stages/RecordStages.h"
#include "qbackend/Insight/Tuning/Diagnosis.h"
#include "qbackend/Insight/Tuning/Sensitivity.h"
#include "qbackend/Insight/Tuning/Tune.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Pipelines/ApplyBackend.h"
#include "qbackend/Pipelines/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <mutex>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static std::string toString(QBackendText text) { return toRef(text).str(); }

static std::string getBackend(const QBackendReportOptions &options) {
  std::string name = toString(options.backend);
  return name.empty() ? PreparePipelineOptions().backend.getValue() : name;
}

static RunOptions getRunOptions(const QBackendModel &model,
                                const QBackendReportOptions &options) {
  RunOptions run;
  run.entry = model.entry;
  run.data = toString(options.samples);
  run.inputScale = toString(options.inputScale);
  run.sampleArguments = toString(options.sampleArguments);
  run.threads = options.threads;
  run.shard = options.shard;
  run.shards = options.shards;
  return run;
}

static llvm::Error readParts(const QBackendReportOptions &options,
                             Parts &parts) {
  return qbackend::readParts(toRef(options.parts), parts);
}

static tuning::NetworkOptions
getNetworkOptions(const QBackendModel &model,
                  const QBackendReportOptions &options) {
  tuning::NetworkOptions network;
  network.backend = getBackend(options);
  network.qconfig = toString(options.qconfig);
  network.data = toString(options.samples);
  network.labels = toString(options.labels);
  CalibrateOptions &calibration = network.calibration;
  calibration.entry = model.entry;
  calibration.calibration = toString(options.table);
  calibration.data = toString(options.calibrationSamples);
  if (calibration.data.empty() && calibration.calibration.empty())
    calibration.data = network.data;
  calibration.inputScale = toString(options.inputScale);
  calibration.sampleArguments = toString(options.sampleArguments);
  calibration.threads = options.threads;
  return network;
}

/// A copy of `model` with the configuration of `options`; null if an error was
/// reported.
static std::unique_ptr<QBackendModel>
copyModel(QBackendModel *model, QBackendText configuration,
          QBackendDiagnosticCallback callback, void *user) {
  std::unique_ptr<QBackendModel> copy = model->copy(callback, user);
  if (!copy)
    return nullptr;
  ModelScope scope(*copy, callback, user);
  if (failed(copy->session.addConfiguration(configuration, *copy->module)))
    return nullptr;
  return copy;
}

static QBackendStatus fail(QBackendModel &model, llvm::Error error) {
  // What a pass has emitted says more.
  model.session.error() << llvm::toString(std::move(error));
  return QBACKEND_FAILURE;
}

static QBackendStatus finish(QBackendModel &model, StringRef text,
                             char **output) {
  if (model.session.failIfInterrupted())
    return QBACKEND_FAILURE;
  return model.session.finish(text, output);
}

static QBackendStatus finish(QBackendModel &model, json::Value value,
                             char **output) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return finish(model, StringRef(text), output);
}

static QBackendStatus finish(QBackendModel &model, llvm::Expected<Parts> part,
                             char **output) {
  if (!part)
    return fail(model, part.takeError());
  return finish(model, StringRef(printParts(*part)), output);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

QBackendStatus
qbackendModelCompareOperators(QBackendModel *model, QBackendModel *quantized,
                              const QBackendReportOptions *options,
                              char **output, char **page,
                              QBackendDiagnosticCallback callback, void *user) {
  if (!checkPointers({{"model", model},
                      {"quantized", quantized},
                      {"options", options},
                      {"output", output}},
                     callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  if (page)
    *page = nullptr;
  std::string bytes;
  {
    ModelScope scope(*quantized, callback, user);
    if (failed(quantized->writeBytecode(bytes)))
      return QBACKEND_FAILURE;
  }
  auto copy = copyModel(model, options->configuration, callback, user);
  if (!copy)
    return QBACKEND_FAILURE;
  ModelScope scope(*copy, callback, user);
  OwningOpRef<ModuleOp> other =
      copy->session.parse(bytes, "quantized", "a quantized network");
  if (!other)
    return QBACKEND_FAILURE;
  PreparePipelineOptions prepare;
  prepare.backend = getBackend(*options);
  prepare.qconfig = toString(options->qconfig);
  prepare.entry = copy->entry;
  RunOptions run = getRunOptions(*copy, *options);
  if (options->shards)
    return finish(*copy,
                  compareOperatorsInPart(*copy->module, *other, prepare, run),
                  output);
  auto reader = [&](Parts &parts) { return readParts(*options, parts); };
  auto layers = compareOperators(
      *copy->module, *other, prepare, run,
      toRef(options->parts).empty() ? PartsReader() : PartsReader(reader));
  if (!layers)
    return fail(*copy, layers.takeError());
  auto labels = evaluation::readLabels(toRef(options->labels), /*samples=*/-1);
  if (!labels)
    return fail(*copy, labels.takeError());
  auto comparisons =
      evaluation::compare(layers->outputs, layers->otherOutputs, *labels);
  if (!comparisons)
    return fail(*copy, comparisons.takeError());
  std::vector<evaluation::Finding> findings =
      evaluation::rankOperators(layers->operators);
  QBackendStatus status = finish(
      *copy, evaluation::toJSON(*comparisons, layers->operators, findings),
      output);
  if (status != QBACKEND_SUCCESS || !page)
    return status;
  std::string title = toString(options->title);
  return copy->session.finish(
      evaluation::makePage(title.empty() ? "network" : title, *comparisons,
                           layers->operators, findings),
      page);
}

QBackendStatus
qbackendModelDiagnose(QBackendModel *model, QBackendModel *quantized,
                      const QBackendReportOptions *options, char **output,
                      QBackendDiagnosticCallback callback, void *user) {
  if (!checkPointers(
          {{"model", model}, {"options", options}, {"output", output}},
          callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  std::string bytes;
  if (quantized) {
    ModelScope scope(*quantized, callback, user);
    if (failed(quantized->writeBytecode(bytes)))
      return QBACKEND_FAILURE;
  }
  auto copy = copyModel(model, options->configuration, callback, user);
  if (!copy)
    return QBACKEND_FAILURE;
  ModelScope scope(*copy, callback, user);
  OwningOpRef<ModuleOp> other;
  if (quantized &&
      !(other = copy->session.parse(bytes, "quantized", "a quantized network")))
    return QBACKEND_FAILURE;
  auto labels = evaluation::readLabels(toRef(options->labels), /*samples=*/-1);
  if (!labels)
    return fail(*copy, labels.takeError());
  auto examined = tuning::examine(*copy->module, std::move(other),
                                  getNetworkOptions(*copy, *options),
                                  getRunOptions(*copy, *options), *labels);
  if (!examined)
    return fail(*copy, examined.takeError());
  return finish(*copy, toJSON(*examined), output);
}

//===----------------------------------------------------------------------===//
// Sensitivity and tuning
//===----------------------------------------------------------------------===//

QBackendStatus qbackendModelFindSensitivity(
    QBackendModel *model, const QBackendReportOptions *options, char **output,
    QBackendDiagnosticCallback callback, void *user) {
  if (!checkPointers(
          {{"model", model}, {"options", options}, {"output", output}},
          callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  auto copy = copyModel(model, options->configuration, callback, user);
  if (!copy)
    return QBACKEND_FAILURE;
  ModelScope scope(*copy, callback, user);
  tuning::SensitivityOptions asked;
  asked.network = getNetworkOptions(*copy, *options);
  asked.measureChanges = options->measureChanges != 0;
  asked.shard = options->shard;
  asked.shards = options->shards;
  if (!toRef(options->parts).empty())
    asked.readParts = [options](Parts &parts) {
      return readParts(*options, parts);
    };
  if (asked.shards)
    return finish(*copy, tuning::findSensitivityInPart(*copy->module, asked),
                  output);
  auto sensitivity = tuning::findSensitivity(*copy->module, asked);
  if (!sensitivity)
    return fail(*copy, sensitivity.takeError());
  return finish(*copy, StringRef(tuning::toJSON(*sensitivity)), output);
}

QBackendStatus qbackendModelTune(QBackendModel *model,
                                 const QBackendTuneOptions *options,
                                 char **output,
                                 QBackendDiagnosticCallback callback,
                                 void *user) {
  if (!checkPointers(
          {{"model", model}, {"options", options}, {"output", output}},
          callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  auto copy = copyModel(model, options->network.configuration, callback, user);
  if (!copy)
    return QBACKEND_FAILURE;
  ModelScope scope(*copy, callback, user);
  for (auto [name, number, isTime] :
       {std::tuple("keepSqnr", options->keepSqnr, false),
        std::tuple("keepAccuracy", options->keepAccuracy, false),
        std::tuple("maxSeconds", &options->maxSeconds, true),
        std::tuple("targetSeconds", &options->targetSeconds, true)})
    if (double given = number ? *number : 0;
        !std::isfinite(given) || (isTime && given < 0)) {
      copy->session.error()
          << name
          << (isTime ? " is negative or not finite, expected seconds, or 0"
                     : " is not finite, expected a number");
      return QBACKEND_FAILURE;
    }
  tuning::TuneOptions tune;
  tune.network = getNetworkOptions(*copy, options->network);
  if (options->keepSqnr)
    tune.keepSqnr = *options->keepSqnr;
  if (options->keepAccuracy)
    tune.keepAccuracy = *options->keepAccuracy;
  if (options->maxSeconds > 0)
    tune.maxSeconds = options->maxSeconds;
  if (options->targetSeconds > 0)
    tune.targetSeconds = options->targetSeconds;
  tune.shard = options->network.shard;
  tune.shards = options->network.shards;
  tune.readParts = [options](Parts &parts) {
    return readParts(options->network, parts);
  };
  if (options->isStopped)
    tune.isStopped = [options] {
      return options->isStopped(options->stopUser) != 0;
    };
  if (tune.shards)
    return finish(*copy, tuning::tuneInPart(*copy->module, tune), output);
  tune.output = toString(options->path);
  if (!StringRef(tune.output).ends_with(".mlir")) {
    copy->session.error() << "path is '" << tune.output
                          << "', expected a name that ends with .mlir";
    return QBACKEND_FAILURE;
  }
  tune.resume = options->resume;
  std::string log;
  llvm::raw_string_ostream stream(log);
  auto result = tuning::tune(*copy->module, tune, stream);
  if (!result)
    return fail(*copy, result.takeError());
  auto toSeconds = [](std::optional<double> seconds) {
    return seconds ? json::Value(*seconds) : json::Value(nullptr);
  };
  return finish(
      *copy,
      json::Object{{"is_held", result->isHeld},
                   {"is_kept", result->isKept},
                   {"is_complete", result->isComplete},
                   {"is_written", result->isWritten},
                   {"real", toObject(result->original)},
                   {"score", toObject(result->score)},
                   {"real_valued", result->floatValued},
                   {"operators", result->operators},
                   {"real_macs", result->floatMacs},
                   {"macs", result->macs},
                   {"held_back", result->heldBack},
                   {"seconds", toSeconds(result->seconds)},
                   {"integer_seconds", toSeconds(result->integerSeconds)},
                   {"log", json::fixUTF8(log)}},
      output);
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

QBackendStatus qbackendModelFindCost(QBackendModel *model,
                                     const QBackendReportOptions *options,
                                     char **output,
                                     QBackendDiagnosticCallback callback,
                                     void *user) {
  if (!checkPointers({{"model", model}, {"output", output}}, callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  auto copy = model->copy(callback, user);
  if (!copy)
    return QBACKEND_FAILURE;
  ModelScope scope(*copy, callback, user);
  QBackendReportOptions given = options ? *options : QBackendReportOptions{};
  auto cost = reportCost(*copy->module, getRunOptions(*copy, given),
                         /*profile=*/!toRef(given.samples).empty());
  if (!cost)
    return fail(*copy, cost.takeError());
  return finish(*copy, toJSON(*cost), output);
}

//===----------------------------------------------------------------------===//
// One operator, and all stages
//===----------------------------------------------------------------------===//

QBackendStatus qbackendModelExplainOperator(QBackendModel *model,
                                            QBackendText configuration,
                                            QBackendText options,
                                            QBackendText table, char **output,
                                            QBackendDiagnosticCallback callback,
                                            void *user) {
  if (!checkPointers({{"model", model}, {"output", output}}, callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  auto copy = copyModel(model, configuration, callback, user);
  if (!copy)
    return QBACKEND_FAILURE;
  ModelScope scope(*copy, callback, user);
  std::string text;
  llvm::raw_string_ostream stream(text);
  std::vector<OperatorVerdict> verdicts;
  std::unique_ptr<Pass> pass =
      createApplyBackendPass(verdicts, toRef(table), &stream);
  if (failed(copy->session.setOptions(*pass, toRef(options))))
    return QBACKEND_FAILURE;
  PassManager manager(copy->getContext());
  manager.addPass(std::move(pass));
  if (failed(manager.run(*copy->module)))
    return QBACKEND_FAILURE;
  return finish(*copy, StringRef(text), output);
}

QBackendStatus
qbackendModelRecordStages(QBackendModel *model, QBackendText configuration,
                          QBackendText options, QBackendText title,
                          char **output, char **page,
                          QBackendDiagnosticCallback callback, void *user) {
  if (!checkPointers({{"model", model}, {"output", output}}, callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  if (page)
    *page = nullptr;
  auto copy = copyModel(model, configuration, callback, user);
  if (!copy)
    return QBACKEND_FAILURE;
  ModelScope scope(*copy, callback, user);
  // The summaries of passes are those of the registry.
  static std::once_flag once;
  std::call_once(once, registerAllPasses);
  auto stages = recordStages(*copy->module, copy->entry, toRef(options));
  if (!stages)
    return fail(*copy, stages.takeError());
  json::Array result;
  for (const Stage &stage : *stages) {
    json::Array ops;
    for (const StageOp &op : stage.ops)
      ops.push_back(json::Object{{"text", json::fixUTF8(op.text)},
                                 {"kind", json::fixUTF8(op.kind)},
                                 {"origins", json::Array(op.origins)},
                                 {"operands", json::Array(op.operands)},
                                 {"is_constant", op.isConstant}});
    result.push_back(json::Object{{"pass", stage.pass},
                                  {"summary", stage.summary},
                                  {"ops", std::move(ops)}});
  }
  QBackendStatus status = finish(*copy, std::move(result), output);
  if (status != QBACKEND_SUCCESS || !page)
    return status;
  std::string name = toString(title);
  return copy->session.finish(
      makeStagesPage(name.empty() ? "network" : name, *stages), page);
}
