// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs modules on arrays: predicts, calibrates, compares.

#include "Options.h"

#include "Faults.h"
#include "Sandbox.h"
#include "Tool.h"

#include "qbackend/Execution/Runtime/Sandbox.h"
#include "qbackend/Execution/Samples/SampleSource.h"
#include "qbackend/Insight/Comparison/Compare.h"
#include "qbackend/Insight/Comparison/CompareOperators.h"
#include "qbackend/Insight/Comparison/ComparisonJson.h"
#include "qbackend/Insight/Comparison/OperatorPage.h"
#include "qbackend/Insight/Comparison/OperatorTable.h"
#include "qbackend/Insight/Cost/ReportCost.h"
#include "qbackend/Insight/Explanation/ReadModule.h"
#include "qbackend/Insight/Tuning/Advice.h"
#include "qbackend/Insight/Tuning/Diagnosis.h"
#include "qbackend/Insight/Tuning/Sensitivity.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Support/Error.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::options;

namespace cl = llvm::cl;

static llvm::Error calibrateModule(ModuleOp module) {
  CalibrateOptions options = getCalibrateOptions();
  options.source = sourceName;
  options.saveSeconds = saveSeconds;
  options.resume = resume;
  options.statistics = statistics;
  if (llvm::Error error = readShard(shard, options.shard, options.shards))
    return error;
  PreparePipelineOptions prepare;
  setPrepareOptions(prepare);
  return writeCalibrationTable(module, prepare, std::move(options), outputFile);
}

/// The width of a table: COLUMNS, that of the terminal, or 120.
static unsigned getColumns() {
  unsigned columns = 0;
  if (auto value = llvm::sys::Process::GetEnv("COLUMNS"))
    if (!StringRef(*value).getAsInteger(10, columns) && columns > 0)
      return columns;
  columns = llvm::sys::Process::StandardOutColumns();
  return columns ? columns : 120;
}

static bool isJson() { return outputFormat == "json"; }

/// Prints `value` by itself: nothing else is on the standard output then.
static void printJson(llvm::json::Value value) {
  llvm::outs() << llvm::formatv("{0:2}", value) << "\n";
}

/// Tries what `findings` suggest, and gives what calibration on these samples
/// does, in dB; what can't be tried is not suggested.
static llvm::Expected<double>
tryAdvice(ModuleOp module, ArrayRef<evaluation::OperatorErrors> operators,
          std::vector<evaluation::Finding> &findings) {
  if (isObserved(module))
    return makeError("the module has observers already");
  if (inputFile == "-")
    return makeError("samples on standard input are read once");
  auto tried = tuning::tryAdvice(module, getNetworkOptions(), operators,
                                 findings, evaluation::kExplained);
  if (!tried)
    return tried.takeError();
  return tried->sqnr;
}

/// Compares operator by operator, and says what to change.
static llvm::Error compareLayers(ModuleOp module, ModuleOp other) {
  PreparePipelineOptions prepare;
  setPrepareOptions(prepare);
  if (!shard.empty()) {
    auto run = getPartOptions();
    if (!run)
      return run.takeError();
    auto part = compareOperatorsInPart(module, other, prepare, *run);
    if (!part)
      return part.takeError();
    return calibration::writeText(printParts(*part), outputFile);
  }
  auto layers =
      compareOperators(module, other, prepare, getRunOptions(),
                       partFiles.empty() ? PartsReader() : readPartFiles);
  if (!layers)
    return layers.takeError();
  auto labels = readLabels();
  if (!labels)
    return labels.takeError();
  auto comparisons =
      evaluation::compare(layers->outputs, layers->otherOutputs, *labels);
  if (!comparisons)
    return comparisons.takeError();
  ArrayRef<evaluation::OperatorErrors> operators = layers->operators;
  std::vector<evaluation::Finding> findings =
      evaluation::rankOperators(operators);
  double sqnr = evaluation::getWorstSqnr(*comparisons);
  auto calibrated = tryAdvice(module, operators, findings);
  std::string untried;
  bool isCalibrationWrong = false;
  if (calibrated)
    isCalibrationWrong =
        tuning::judgeCalibration(sqnr, *calibrated, operators, findings) ||
        *calibrated >= sqnr + tuning::kWrong;
  else
    untried = llvm::toString(calibrated.takeError());
  if (isJson()) {
    llvm::json::Object value =
        evaluation::toJSON(*comparisons, operators, findings);
    value["is_calibration_wrong"] = isCalibrationWrong;
    value["not_tried"] = llvm::json::fixUTF8(untried);
    printJson(std::move(value));
  } else {
    for (const evaluation::Comparison &comparison : *comparisons)
      evaluation::print(comparison, llvm::outs());
    if (!untried.empty())
      llvm::outs() << "not tried: " << untried << "\n";
    // A range of other data, or none of a calibration.
    if (isCalibrationWrong)
      llvm::outs() << "calibrated on these samples: SQNR "
                   << llvm::format("%.2f", *calibrated)
                   << " dB; calibrate again, with samples like these\n";
    evaluation::printOperators(operators, findings, getColumns(), llvm::outs());
  }
  if (htmlFile.empty())
    return llvm::Error::success();
  return calibration::writeText(
      evaluation::makePage(llvm::sys::path::filename(moduleFile), *comparisons,
                           operators, findings),
      htmlFile);
}

static llvm::Error printReport(OwningOpRef<ModuleOp> module,
                               MLIRContext *context) {
  if (reportName != "cost")
    return makeError("report is '{0}', expected cost", reportName);
  SmallVector<OwningOpRef<ModuleOp>> modules;
  std::vector<NamedCost> costs = {{moduleFile, {}}};
  modules.push_back(std::move(module));
  if (!compareFile.empty()) {
    auto other = readModule(compareFile, context, compareWeights);
    if (!other)
      return other.takeError();
    modules.push_back(std::move(*other));
    costs.push_back({compareFile, {}});
  }
  for (auto [read, named] : llvm::zip_equal(modules, costs)) {
    auto cost = reportCost(*read, getRunOptions(), profileMode);
    if (!cost)
      return cost.takeError();
    named.cost = std::move(*cost);
  }
  if (isJson()) {
    llvm::json::Array networks;
    for (const NamedCost &named : costs) {
      llvm::json::Object network = toJSON(named.cost);
      network["name"] = llvm::json::fixUTF8(named.name);
      networks.push_back(std::move(network));
    }
    printJson(llvm::json::Object{{"networks", std::move(networks)}});
    return llvm::Error::success();
  }
  printCosts(costs, llvm::outs());
  return llvm::Error::success();
}

static llvm::Error compareModules(ArrayRef<arrays::NamedArray> outputs,
                                  ModuleOp other) {
  auto otherOutputs =
      runModule(other, getRunOptions(), "running the other module");
  if (!otherOutputs)
    return otherOutputs.takeError();
  auto labels = readLabels();
  if (!labels)
    return labels.takeError();
  auto comparisons = evaluation::compare(outputs, *otherOutputs, *labels);
  if (!comparisons)
    return comparisons.takeError();
  if (isJson()) {
    printJson(
        llvm::json::Object{{"outputs", evaluation::toJSON(*comparisons)}});
    return llvm::Error::success();
  }
  for (const evaluation::Comparison &comparison : *comparisons)
    evaluation::print(comparison, llvm::outs());
  return llvm::Error::success();
}

/// Writes the mapping that mends what is wrong to the file of -o, and says to
/// `os` how it is used.
static llvm::Error writeMapping(StringRef mapping, llvm::raw_ostream &os) {
  if (outputFile.empty())
    return llvm::Error::success();
  if (mapping.empty()) {
    os << "no mapping mends anything; " << outputFile << " is not written\n";
    return llvm::Error::success();
  }
  if (llvm::Error error = calibration::writeText(mapping, outputFile))
    return error;
  os << "to use it: qconfig=" << outputFile
     << " of --apply-backend=" << backendName << "\n";
  return llvm::Error::success();
}

/// Says what is wrong with `other`, a quantized form of `module`; null: that of
/// the options. True if something is.
static llvm::Expected<bool> diagnose(ModuleOp module,
                                     OwningOpRef<ModuleOp> other) {
  if (inputFile == "-")
    return makeError("samples are read several times, which standard input "
                     "can't be; pass a file");
  auto labels = readLabels();
  if (!labels)
    return labels.takeError();
  auto examined = tuning::examine(module, std::move(other), getNetworkOptions(),
                                  getRunOptions(), *labels);
  if (!examined)
    return examined.takeError();
  const tuning::Diagnosis &diagnosis = examined->diagnosis;
  if (isJson()) {
    printJson(tuning::toJSON(*examined));
  } else {
    for (const evaluation::Comparison &comparison : examined->comparisons)
      evaluation::print(comparison, llvm::outs());
    tuning::print(diagnosis, examined->layers.operators, getColumns(),
                  llvm::outs());
  }
  if (llvm::Error error = writeMapping(diagnosis.advice.mapping,
                                       isJson() ? llvm::nulls() : llvm::outs()))
    return error;
  return diagnosis.isWrong();
}

/// What it costs to quantize each operator.
static llvm::Error printSensitivity(ModuleOp module) {
  if (inputFile == "-")
    return makeError("samples are read several times, which standard input "
                     "can't be; pass a file");
  tuning::SensitivityOptions options;
  options.network = getNetworkOptions();
  options.measureChanges = changesMode;
  if (!partFiles.empty())
    options.readParts = readPartFiles;
  if (llvm::Error error = readShard(shard, options.shard, options.shards))
    return error;
  if (options.shards) {
    auto part = tuning::findSensitivityInPart(module, options);
    if (!part)
      return part.takeError();
    return calibration::writeText(printParts(*part), outputFile);
  }
  auto sensitivity = tuning::findSensitivity(module, options);
  if (!sensitivity)
    return sensitivity.takeError();
  if (isJson())
    llvm::outs() << tuning::toJSON(*sensitivity);
  else
    tuning::print(*sensitivity, llvm::outs());
  if (outputFile.empty())
    return llvm::Error::success();
  return calibration::writeText(tuning::toJSON(*sensitivity), outputFile);
}

static llvm::Error printAccuracy(ArrayRef<arrays::NamedArray> outputs) {
  auto labels = readLabels();
  if (!labels)
    return labels.takeError();
  auto counts = evaluation::countRight(outputs, *labels);
  if (!counts)
    return counts.takeError();
  for (const evaluation::Accuracy &accuracy : *counts)
    evaluation::print(accuracy, llvm::outs());
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Evaluation in parts
//===----------------------------------------------------------------------===//

/// What all parts have to be of.
static llvm::Expected<Parts> describeEvaluation(ModuleOp module,
                                                ArrayRef<int64_t> labels) {
  std::string text;
  llvm::raw_string_ostream os(text);
  RunOptions options = getRunOptions();
  auto samples = arrays::hashSamples(options.data, options.inputScale);
  if (!samples)
    return samples.takeError();
  os << getModelHash(module) << " " << *samples << " " << options.inputScale
     << " " << options.sampleArguments;
  for (int64_t label : labels)
    os << " " << label;
  return Parts{"evaluation", hashText(text), {}};
}

/// Counts what is right in the part of --shard.
static llvm::Error evaluatePart(ModuleOp module) {
  auto labels = readLabels();
  if (!labels)
    return labels.takeError();
  auto options = getPartOptions();
  if (!options)
    return options.takeError();
  SamplePart part;
  auto outputs = runModule(module, *options, "running", &part);
  if (!outputs)
    return outputs.takeError();
  if (int64_t(labels->size()) != part.total)
    return makeError("there are {0} labels for {1} samples; give one for each",
                     labels->size(), part.total);
  auto counts = evaluation::countRight(
      *outputs, ArrayRef(*labels).slice(part.first, part.end - part.first));
  if (!counts)
    return counts.takeError();
  llvm::json::Object right;
  for (const evaluation::Accuracy &accuracy : *counts)
    right[accuracy.name] = accuracy.right;
  auto parts = describeEvaluation(module, *labels);
  if (!parts)
    return parts.takeError();
  parts->results.emplace(getSamplesName(part.first, part.end),
                         std::move(right));
  return calibration::writeText(printParts(*parts), outputFile);
}

/// Prints what the parts of --parts have counted. A result that a part has not
/// has a label there that is none of its classes.
static llvm::Error printCounts(ModuleOp module) {
  auto labels = readLabels();
  if (!labels)
    return labels.takeError();
  auto parts = describeEvaluation(module, *labels);
  if (!parts)
    return parts.takeError();
  if (llvm::Error error = readPartFiles(*parts))
    return error;
  auto ordered = orderSamples(*parts, labels->size());
  if (!ordered)
    return ordered.takeError();
  std::map<std::string, std::pair<int64_t, size_t>> right;
  for (const llvm::json::Value *value : *ordered) {
    const llvm::json::Object *object = value->getAsObject();
    if (!object)
      return makeError("a part has no counts");
    for (auto &[name, count] : *object) {
      auto number = count.getAsInteger();
      if (!number)
        return makeError("a part has no count for '{0}'", StringRef(name));
      auto &[sum, times] = right[StringRef(name).str()];
      sum += *number;
      ++times;
    }
  }
  bool isFound = false;
  for (auto &[name, counted] : right) {
    if (counted.second != ordered->size())
      continue;
    isFound = true;
    evaluation::print(
        evaluation::Accuracy{name, counted.first, int64_t(labels->size())},
        llvm::outs());
  }
  return isFound ? llvm::Error::success()
                 : makeError("no result has a class for each label");
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  qbackend::reportFaults("qbackend-run");
  qbackend::enterSandbox("qbackend-run", argc, argv);
  qbackend::sandboxOption.addCategory(category);
  Program program{"qbackend-run",
                  "runs modules on arrays: predicts, calibrates, compares",
                  "MODULE --input=FILE[:ARRAY] [options]"};
  if (auto code = readOptions(
          program, category,
          "Runs modules on arrays: predicts, calibrates, compares.\n", argc,
          argv))
    return *code;
  if (llvm::Error error = checkOptions())
    return fail(std::move(error));
  if (sandboxOption)
    if (llvm::Error error = runtime::useSandbox())
      return fail(std::move(error));
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  if (llvm::Error error = loadPlugins(registry))
    return fail(std::move(error));
  ToolContext context(registry);
  auto module = readModule(moduleFile, context, weightsFile);
  if (!module)
    return fail(module.takeError());
  if (!reportName.empty()) {
    if (llvm::Error error = printReport(std::move(*module), context))
      return fail(std::move(error));
    return 0;
  }
  if (calibrateMode) {
    if (llvm::Error error = calibrateModule(**module))
      return fail(std::move(error));
    return 0;
  }
  if (sensitivityMode) {
    if (llvm::Error error = printSensitivity(**module))
      return fail(std::move(error));
    return 0;
  }
  OwningOpRef<ModuleOp> other;
  if (!compareFile.empty()) {
    auto read = readModule(compareFile, context, compareWeights);
    if (!read)
      return fail(read.takeError());
    other = std::move(*read);
  }
  if (layersMode) {
    if (llvm::Error error = compareLayers(**module, *other))
      return fail(std::move(error));
    return 0;
  }
  if (doctorMode) {
    auto isWrong = diagnose(**module, std::move(other));
    if (!isWrong)
      return fail(isWrong.takeError());
    // Not that of errors.
    return *isWrong ? 2 : 0;
  }
  if (!shard.empty() || !partFiles.empty()) {
    if (llvm::Error error =
            shard.empty() ? printCounts(**module) : evaluatePart(**module))
      return fail(std::move(error));
    return 0;
  }
  auto outputs = runModule(**module, getRunOptions(), "running");
  if (!outputs)
    return fail(outputs.takeError());
  if (other) {
    if (llvm::Error error = compareModules(*outputs, *other))
      return fail(std::move(error));
  } else if (!labelsFile.empty()) {
    if (llvm::Error error = printAccuracy(*outputs))
      return fail(std::move(error));
  }
  if (!outputFile.empty())
    if (llvm::Error error = arrays::writeArrays(outputFile, *outputs))
      return fail(std::move(error));
  return 0;
}
