// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs modules on arrays: predicts, calibrates, compares. More than 600 lines,
// as each option is checked against all modes, so that they stand in one place.

#include "Faults.h"
#include "Sandbox.h"
#include "Version.h"

#include "qbackend/Execution/Pipelines/CheckSamples.h"
#include "qbackend/Execution/Pipelines/RunModule.h"
#include "qbackend/Execution/Runtime/PassThreads.h"
#include "qbackend/Execution/Runtime/Sandbox.h"
#include "qbackend/Insight/Comparison/Compare.h"
#include "qbackend/Insight/Comparison/CompareOperators.h"
#include "qbackend/Insight/Comparison/OperatorPage.h"
#include "qbackend/Insight/Comparison/OperatorTable.h"
#include "qbackend/Insight/Cost/ReportCost.h"
#include "qbackend/Insight/Explanation/ReadModule.h"
#include "qbackend/Insight/Tuning/Advice.h"
#include "qbackend/Insight/Tuning/Diagnosis.h"
#include "qbackend/Insight/Tuning/Sensitivity.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Support/FileFormat.h"
#include "qbackend/Support/InputFile.h"
#include "qbackend/Support/Manual.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace qbackend;

namespace cl = llvm::cl;

static cl::OptionCategory category("qbackend-run options");
static cl::opt<std::string> moduleFile(cl::Positional, cl::Required,
                                       cl::desc("MODULE"), cl::cat(category));
static cl::opt<std::string> inputFile(
    "input", cl::value_desc("FILE[:ARRAY]"),
    cl::desc("samples: .npz or .npy, whose leading dimension is their "
             "number, a directory of them, or - for arrays on "
             "standard input"),
    cl::cat(category));
static cl::alias inputAlias("i", cl::aliasopt(inputFile));
static cl::opt<std::string>
    outputFile("o", cl::value_desc("FILE"),
               cl::desc("where to write the results (.npz; of one .npy or "
                        ".csv), the table of --calibrate, the numbers of "
                        "--sensitivity (.json), or the mapping of --doctor "
                        "(.mlir)"),
               cl::cat(category));
static cl::opt<std::string>
    entryName("entry",
              cl::desc("function to run; default: main, "
                       "forward, or the only one"),
              cl::cat(category));
static cl::opt<std::string>
    inputScale("input-scale",
               cl::desc("what integer data is multiplied by, such as 1/255"),
               cl::cat(category));
static cl::opt<std::string>
    sampleArguments("sample-arguments",
                    cl::desc("numbers of the arguments that hold samples, such "
                             "as 0,2; the others are the same in each run"),
                    cl::cat(category));
static cl::opt<int64_t> samples("samples", cl::init(-1),
                                cl::desc("how many samples; default: all"),
                                cl::cat(category));
static cl::opt<unsigned> threads("num-threads", cl::init(0),
                                 cl::desc("threads; default: one each core"),
                                 cl::cat(category));
static cl::opt<std::string>
    targetName("target", cl::value_desc("NAME"),
               cl::desc("target of the generated kernels; default: the best "
                        "one of this machine"),
               cl::cat(category));
static cl::opt<bool> contractMode(
    "contract",
    cl::desc("round sums of float products once for each addition: "
             "faster, with other last bits, which depend on the processor"),
    cl::cat(category));
static cl::opt<bool> calibrateMode(
    "calibrate",
    cl::desc("write what the observers of the module see; a module without "
             "observers is prepared for --backend first"),
    cl::cat(category));
static cl::opt<std::string> backendName("backend", cl::init("qnnpack"),
                                        cl::desc("backend for --calibrate"),
                                        cl::cat(category));
static cl::opt<std::string> qconfigName("qconfig",
                                        cl::desc("qconfig for --calibrate"),
                                        cl::cat(category));
static cl::opt<Sharing> sharing(
    "sharing", cl::init(Sharing::Groups),
    cl::desc("which values have one observer, for --calibrate"),
    cl::values(clEnumValN(Sharing::Groups, "groups",
                          "all that share with each other, directly or not"),
               clEnumValN(Sharing::FX, "fx",
                          "PyTorch FX's: operator by operator, the first "
                          "input's")),
    cl::cat(category));
static cl::opt<int64_t>
    batchSize("batch-size", cl::init(20),
              cl::desc("samples that an observer sees as one batch"),
              cl::cat(category));
static cl::opt<std::string>
    nonFinite("non-finite", cl::init("error"), cl::value_desc("error|ignore"),
              cl::desc("values that are NaN or infinite stop --calibrate, or "
                       "are counted and left out"),
              cl::cat(category));
static cl::opt<std::string>
    statistics("statistics", cl::init("ordered"),
               cl::value_desc("ordered|mergeable"),
               cl::desc("what --calibrate records: PyTorch's histograms and "
                        "averages, which need all batches in order, or what "
                        "gives the same bytes from any parts"),
               cl::cat(category));
static cl::opt<std::string>
    shard("shard", cl::value_desc("I/N"),
          cl::desc("calibrate on part I (from 0) of N of the samples; "
                   "qbackend-calib merge joins the tables; or measure that "
                   "part of what --sensitivity does next, for --scores"),
          cl::cat(category));
static cl::list<std::string>
    scoreFiles("scores", cl::value_desc("FILE"), cl::CommaSeparated,
               cl::desc("with --sensitivity: what parts of it have measured, "
                        "which isn't measured again"),
               cl::cat(category));
static cl::opt<std::string>
    sourceName("source",
               cl::desc("what the table calls the samples; default: the name "
                        "of their file"),
               cl::cat(category));
static cl::opt<bool> resume(
    "resume",
    cl::desc("go on from what an interrupted --calibrate saved beside -o"),
    cl::cat(category));
static cl::opt<int64_t>
    saveSeconds("save-every", cl::init(30), cl::value_desc("seconds"),
                cl::desc("how often --calibrate saves what it has"),
                cl::cat(category));
static cl::opt<std::string>
    compareFile("compare", cl::value_desc("MODULE"),
                cl::desc("run this module on the same data, and print how the "
                         "two differ"),
                cl::cat(category));
static cl::opt<std::string> weightsFile(
    "weights", cl::value_desc("FILE"),
    cl::desc("tensors that MODULE only names: .safetensors or .npz"),
    cl::cat(category));
static cl::opt<std::string>
    compareWeights("compare-weights", cl::value_desc("FILE"),
                   cl::desc("tensors that the module of --compare only names"),
                   cl::cat(category));
static cl::opt<std::string>
    labelsFile("labels", cl::value_desc("FILE[:ARRAY]"),
               cl::desc("right classes, to print how many are found by the "
                        "module, or by it and that of --compare"),
               cl::cat(category));

static cl::opt<bool> sensitivityMode(
    "sensitivity",
    cl::desc("print what it costs to quantize each operator for --backend, and "
             "what is left with the worst ones float"),
    cl::cat(category));
static cl::opt<bool> changesMode(
    "changes",
    cl::desc("with --sensitivity: also what per-channel weights, other "
             "observers and each correction give, one at a time"),
    cl::cat(category));
static cl::opt<std::string>
    calibrationFile("calibration", cl::value_desc("TABLE"),
                    cl::desc("ranges for --sensitivity and --doctor; default: "
                             "those of the samples"),
                    cl::cat(category));

static cl::opt<bool> layersMode(
    "layers",
    cl::desc("with --compare: the error of each operator, and what to change; "
             "--backend and --qconfig say what is fused"),
    cl::cat(category));
static cl::opt<bool> doctorMode(
    "doctor",
    cl::desc(
        "say what is wrong with the network quantized for --backend, or "
        "with that of --compare, and what mends it; -o writes the mapping. "
        "Exit status 2: something is wrong"),
    cl::cat(category));
static cl::opt<std::string> calibrationData(
    "data", cl::value_desc("FILE[:ARRAY]"),
    cl::desc("samples that calibrate, for --sensitivity and --doctor; default: "
             "those of --input"),
    cl::cat(category));
static cl::opt<std::string>
    htmlFile("html", cl::value_desc("FILE"),
             cl::desc("with --layers: write the report as one page"),
             cl::cat(category));
static cl::opt<std::string> reportName(
    "report", cl::value_desc("cost"),
    cl::desc("cost: arithmetic, memory, conversions and time of each operator, "
             "also of the module of --compare"),
    cl::cat(category));
static cl::opt<bool> profileMode(
    "profile",
    cl::desc("with --report=cost: measure each operator on the samples"),
    cl::cat(category));
static cl::list<std::string>
    plugins("load-dialect-plugin", cl::value_desc("FILE"),
            cl::desc("a plugin with a dialect or an engine that the module is "
                     "in"),
            cl::cat(category));

/// What tables and scores say they were made by.
static constexpr const char *kTool = "qbackend " QBACKEND_VERSION_STRING;

static int fail(llvm::Error error) {
  llvm::WithColor::error(llvm::errs(), "qbackend-run")
      << llvm::toString(std::move(error)) << "\n";
  return 1;
}

/// What the options say about a run.
static RunOptions getRunOptions() {
  RunOptions options;
  options.entry = entryName;
  options.data = inputFile;
  options.inputScale = inputScale;
  options.sampleArguments = sampleArguments;
  options.samples = samples;
  options.threads = threads;
  options.compile.target = targetName;
  options.compile.contract = contractMode;
  return options;
}

/// The right classes of the samples, if --labels is given.
static llvm::Expected<std::vector<int64_t>> readLabels() {
  return evaluation::readLabels(labelsFile, samples);
}

/// What can be known to be wrong before the module is read.
static llvm::Error checkOptions() {
  struct Mode {
    const char *name;
    bool isOn;
  };
  const Mode modes[] = {{"calibrate", calibrateMode},
                        {"sensitivity", sensitivityMode},
                        {"layers", layersMode},
                        {"doctor", doctorMode},
                        {"report", !reportName.empty()}};
  StringRef mode;
  for (const Mode &other : modes) {
    if (!other.isOn)
      continue;
    if (!mode.empty())
      return makeError("--{0} and --{1} exclude each other", mode, other.name);
    mode = other.name;
  }
  if (inputFile.empty() && (mode != "report" || profileMode))
    return makeError("no samples: pass --input=FILE.npz");
  if (sensitivityMode && !shard.empty() && outputFile.empty())
    return makeError("--sensitivity with --shard needs -o FILE.json for the "
                     "scores");
  if (sensitivityMode && !shard.empty() && changesMode)
    return makeError("--changes has no effect with --shard; give it with "
                     "--scores, when all parts are measured");
  if (calibrateMode && outputFile.empty())
    return makeError("--calibrate needs -o TABLE for the result");
  if (!compareWeights.empty() && compareFile.empty())
    return makeError("--compare-weights needs --compare=MODULE");
  if (layersMode && compareFile.empty())
    return makeError("--layers needs --compare=MODULE");
  if (mode.empty() && compareFile.empty() && labelsFile.empty() &&
      outputFile.empty())
    return makeError("nothing to do: pass -o FILE.npz, --labels=FILE, "
                     "--calibrate, --sensitivity, --doctor, --report=cost or "
                     "--compare=MODULE");
  // Which modes an option is for; empty: none of them.
  struct Use {
    const cl::Option *option;
    SmallVector<StringRef, 4> modes;
  };
  const Use uses[] = {
      {&backendName, {"calibrate", "sensitivity", "layers", "doctor"}},
      {&qconfigName, {"calibrate", "sensitivity", "layers", "doctor"}},
      {&sharing, {"calibrate"}},
      {&batchSize, {"calibrate", "sensitivity", "doctor"}},
      {&nonFinite, {"calibrate", "sensitivity", "doctor"}},
      {&statistics, {"calibrate"}},
      {&shard, {"calibrate", "sensitivity"}},
      {std::addressof(scoreFiles), {"sensitivity"}},
      {&sourceName, {"calibrate"}},
      {&resume, {"calibrate"}},
      {&saveSeconds, {"calibrate"}},
      {&calibrationFile, {"sensitivity", "doctor"}},
      {&calibrationData, {"sensitivity", "doctor"}},
      {&changesMode, {"sensitivity"}},
      {&htmlFile, {"layers"}},
      {&profileMode, {"report"}},
      {&compareFile, {"", "layers", "doctor", "report"}},
      {&compareWeights, {"", "layers", "doctor", "report"}},
      {&labelsFile, {"", "layers", "doctor", "sensitivity"}},
      {&targetName, {"", "layers", "doctor", "report"}},
      {&contractMode, {"", "layers", "doctor", "report"}},
      {&outputFile, {"", "calibrate", "sensitivity", "doctor"}}};
  for (const Use &use : uses) {
    if (use.option->getNumOccurrences() == 0 ||
        llvm::is_contained(use.modes, mode))
      continue;
    if (use.option == &outputFile)
      return makeError("-o has no effect with --{0}, which prints; leave it "
                       "out, and write what is printed to a file by >{1}",
                       mode, layersMode ? ", or a page by --html" : "");
    if (!mode.empty())
      return makeError("--{0} has no effect with --{1}", use.option->ArgStr,
                       mode);
    return makeError("--{0} has no effect without --{1}", use.option->ArgStr,
                     use.modes.front());
  }
  llvm::SmallVector<FileFormat> formats = {FileFormat::JSON};
  if (mode.empty())
    formats = {FileFormat::Npz, FileFormat::Npy, FileFormat::CSV};
  if (doctorMode)
    formats = {FileFormat::MLIR};
  if (llvm::Error error = checkOutput(outputFile, formats))
    return error;
  if (llvm::Error error = checkOutput(htmlFile, FileFormat::HTML))
    return error;
  if (!inputFile.empty())
    if (llvm::Error error = checkSampleRequest(
            {inputFile, inputScale, sampleArguments, samples}))
      return error;
  return readLabels().takeError();
}

/// Options of pipelines can't be copied.
static void setPrepareOptions(PreparePipelineOptions &options) {
  options.backend = backendName;
  options.qconfig = qconfigName;
  options.entry = entryName;
  options.sharing = sharing;
}

/// Where ranges come from.
static CalibrateOptions getCalibrateOptions() {
  CalibrateOptions options;
  options.entry = entryName;
  options.calibration = calibrationFile;
  options.data = calibrationData.empty() ? inputFile : calibrationData;
  options.samples = calibrationData.empty() ? int64_t(samples) : -1;
  options.batchSize = batchSize;
  options.inputScale = inputScale;
  options.sampleArguments = sampleArguments;
  options.threads = threads;
  options.nonFinite = nonFinite;
  return options;
}

/// Reads --shard; without it, there are 0.
static llvm::Error readShard(int64_t &index, int64_t &count) {
  if (shard.empty())
    return llvm::Error::success();
  auto [indexText, countText] = StringRef(shard).split('/');
  if (indexText.getAsInteger(10, index) || countText.getAsInteger(10, count) ||
      count < 1)
    return makeError("shard is '{0}', expected I/N such as 0/4", shard);
  return llvm::Error::success();
}

static llvm::Error calibrateModule(ModuleOp module) {
  CalibrateOptions options = getCalibrateOptions();
  options.source = sourceName;
  options.saveSeconds = saveSeconds;
  options.resume = resume;
  options.statistics = statistics;
  options.tool = kTool;
  if (llvm::Error error = readShard(options.shard, options.shards))
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

static tuning::NetworkOptions getNetworkOptions() {
  tuning::NetworkOptions options;
  options.backend = backendName;
  options.qconfig = qconfigName;
  options.data = inputFile;
  options.labels = labelsFile;
  options.samples = samples;
  options.calibration = getCalibrateOptions();
  return options;
}

/// Tries what `findings` suggest, and says what calibration gives here; what
/// can't be tried is not suggested.
static void tryAdvice(ModuleOp module, double sqnr,
                      ArrayRef<evaluation::OperatorErrors> operators,
                      std::vector<evaluation::Finding> &findings) {
  llvm::Expected<tuning::TriedAdvice> tried =
      isObserved(module) || inputFile == "-"
          ? makeError("{0}", isObserved(module)
                                 ? "the module has observers already"
                                 : "samples on standard input are read once")
          : tuning::tryAdvice(module, getNetworkOptions(), operators, findings,
                              evaluation::kExplained);
  if (!tried) {
    llvm::outs() << "not tried: " << llvm::toString(tried.takeError()) << "\n";
    return;
  }
  // A range of other data, or none of a calibration.
  if (tried->sqnr > sqnr + 1)
    llvm::outs() << "calibrated on these samples: SQNR "
                 << llvm::format("%.2f", tried->sqnr)
                 << " dB; calibrate again, with samples like these\n";
}

namespace {
/// What `--layers` and `--doctor` know before advice is tried.
struct LayerErrors {
  OperatorComparison layers;
  std::vector<evaluation::Finding> findings;
  std::vector<evaluation::Comparison> comparisons;
  /// Of the worst result, in dB.
  double sqnr = std::numeric_limits<double>::infinity();
};
} // namespace

/// Compares operator by operator, and prints how the results differ.
static llvm::Expected<LayerErrors> findLayerErrors(ModuleOp module,
                                                   ModuleOp other) {
  PreparePipelineOptions prepare;
  setPrepareOptions(prepare);
  auto layers = compareOperators(module, other, prepare, getRunOptions());
  if (!layers)
    return layers.takeError();
  auto labels = readLabels();
  if (!labels)
    return labels.takeError();
  auto comparisons =
      evaluation::compare(layers->outputs, layers->otherOutputs, *labels);
  if (!comparisons)
    return comparisons.takeError();
  LayerErrors found;
  for (const evaluation::Comparison &comparison : *comparisons) {
    evaluation::print(comparison, llvm::outs());
    found.sqnr = std::min(found.sqnr, comparison.sqnr);
  }
  found.findings = evaluation::rankOperators(layers->operators);
  found.layers = std::move(*layers);
  found.comparisons = std::move(*comparisons);
  return found;
}

static llvm::Error compareLayers(ModuleOp module, ModuleOp other) {
  auto found = findLayerErrors(module, other);
  if (!found)
    return found.takeError();
  ArrayRef<evaluation::OperatorErrors> operators = found->layers.operators;
  tryAdvice(module, found->sqnr, operators, found->findings);
  evaluation::printOperators(operators, found->findings, getColumns(),
                             llvm::outs());
  if (htmlFile.empty())
    return llvm::Error::success();
  return calibration::writeText(
      evaluation::makePage(llvm::sys::path::filename(moduleFile),
                           found->comparisons, operators, found->findings),
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
  for (const evaluation::Comparison &comparison : *comparisons)
    evaluation::print(comparison, llvm::outs());
  return llvm::Error::success();
}

/// What is in the files of --scores. A score in two of them is an error: a part
/// was measured twice, or is of something else.
static llvm::Expected<tuning::KnownScores>
readScores(const tuning::Simulation &simulation) {
  tuning::KnownScores result;
  for (const std::string &path : scoreFiles) {
    auto buffer = readFile(path);
    if (!buffer)
      return makeError("cannot read '{0}': {1}", path,
                       buffer.getError().message());
    auto scores =
        tuning::parseScores((*buffer)->getBuffer(), simulation, kTool);
    if (!scores)
      return makeError("'{0}': {1}", path, llvm::toString(scores.takeError()));
    for (auto &[key, score] : *scores)
      if (!result.emplace(key, score).second)
        return makeError("'{0}' has what another file of --scores has; give "
                         "each part once",
                         path);
  }
  return result;
}

/// The module as --apply-backend has it with the options.
static llvm::Expected<OwningOpRef<ModuleOp>> quantize(ModuleOp module) {
  ApplyBackendPassOptions apply;
  apply.backend = backendName;
  apply.qconfig = qconfigName;
  copyCalibrationOptions(getCalibrateOptions(), apply);
  // The table says all, unless samples are given for what it lacks.
  if (!calibrationFile.empty() && calibrationData.empty())
    apply.data.clear();
  OwningOpRef<ModuleOp> quantized(module.clone());
  PassManager manager(module.getContext());
  manager.addPass(createApplyBackendPass(apply));
  if (failed(manager.run(*quantized)))
    return makeError("the network can't be quantized");
  return quantized;
}

/// Says what is wrong with `other`, a quantized form of `module`; null: that of
/// the options. True if something is.
static llvm::Expected<bool> diagnose(ModuleOp module,
                                     OwningOpRef<ModuleOp> other) {
  if (inputFile == "-")
    return makeError("samples are read several times, which standard input "
                     "can't be; pass a file");
  if (isObserved(module))
    return makeError(
        "the module has observers already; pass the float network");
  if (!other) {
    auto quantized = quantize(module);
    if (!quantized)
      return quantized.takeError();
    other = std::move(*quantized);
  }
  auto found = findLayerErrors(module, *other);
  if (!found)
    return found.takeError();
  auto diagnosis = tuning::diagnose(module, getNetworkOptions(), found->sqnr,
                                    found->layers.operators, found->findings);
  if (!diagnosis)
    return diagnosis.takeError();
  tuning::print(*diagnosis, found->layers.operators, getColumns(),
                llvm::outs());
  if (outputFile.empty())
    return diagnosis->isWrong();
  if (diagnosis->advice.mapping.empty()) {
    llvm::outs() << "no mapping mends anything; " << outputFile
                 << " is not written\n";
    return diagnosis->isWrong();
  }
  if (llvm::Error error =
          calibration::writeText(diagnosis->advice.mapping, outputFile))
    return error;
  llvm::outs() << "to use it: qconfig=" << outputFile
               << " of --apply-backend=" << backendName << "\n";
  return diagnosis->isWrong();
}

/// What it costs to quantize each operator.
static llvm::Error printSensitivity(ModuleOp module) {
  if (inputFile == "-")
    return makeError("samples are read several times, which standard input "
                     "can't be; pass a file");
  tuning::NetworkOptions options = getNetworkOptions();
  auto simulation = tuning::Simulation::create(module, options);
  if (!simulation)
    return simulation.takeError();
  if ((*simulation)->getOperators().empty())
    return makeError("nothing of the module can be quantized by backend '{0}'",
                     backendName.getValue());
  auto known = readScores(**simulation);
  if (!known)
    return known.takeError();
  int64_t part = 0, parts = 0;
  if (llvm::Error error = readShard(part, parts))
    return error;
  if (parts) {
    auto scores = tuning::measurePart(**simulation, *known, part, parts);
    if (!scores)
      return scores.takeError();
    return calibration::writeText(
        tuning::printScores(*scores, **simulation, kTool), outputFile);
  }
  auto sensitivity = tuning::findSensitivity(**simulation, std::move(*known));
  if (!sensitivity)
    return sensitivity.takeError();
  if (changesMode) {
    auto changes = tuning::measureChanges(module, options);
    if (!changes)
      return changes.takeError();
    sensitivity->changes = std::move(*changes);
  }
  tuning::print(*sensitivity, **simulation, llvm::outs());
  if (outputFile.empty())
    return llvm::Error::success();
  return calibration::writeText(tuning::toJSON(*sensitivity, **simulation),
                                outputFile);
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

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  qbackend::reportFaults("qbackend-run");
  qbackend::enterSandbox("qbackend-run", argc, argv);
  qbackend::sandboxOption.addCategory(category);
  qbackend::addVersionPrinter();
  cl::HideUnrelatedOptions(category);
  Program program{"qbackend-run",
                  "runs modules on arrays: predicts, calibrates, compares",
                  "MODULE --input=FILE[:ARRAY] [options]"};
  if (printDocumentation(argc, argv, program))
    return 0;
  if (llvm::Error error = checkArguments({argv + 1, argv + argc}, program))
    return fail(std::move(error));
  cl::ParseCommandLineOptions(
      argc, argv, "Runs modules on arrays: predicts, calibrates, compares.\n");
  if (llvm::Error error = checkOptions())
    return fail(std::move(error));
  if (sandboxOption)
    if (llvm::Error error = runtime::useSandbox())
      return fail(std::move(error));
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  for (const std::string &path : plugins) {
    auto plugin = DialectPlugin::load(path);
    if (!plugin)
      return fail(plugin.takeError());
    plugin->registerDialectRegistryCallbacks(registry);
  }
  runtime::PassThreads threads;
  MLIRContext context(registry);
  threads.giveTo(context);
  // Errors are about an op; all of it may be megabytes.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = readModule(moduleFile, &context, weightsFile);
  if (!module)
    return fail(module.takeError());
  if (!reportName.empty()) {
    if (llvm::Error error = printReport(std::move(*module), &context))
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
    auto read = readModule(compareFile, &context, compareWeights);
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
