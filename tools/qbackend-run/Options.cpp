// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of qbackend-run, and what they say to what it calls.

#include "Options.h"

#include "qbackend/Execution/Pipelines/CheckSamples.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Support/FileFormat.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::options;

namespace cl = llvm::cl;

cl::OptionCategory options::category("qbackend-run options");
cl::opt<std::string> options::inputFile(
    "input", cl::value_desc("FILE[:ARRAY]"),
    cl::desc("samples: .npz or .npy, whose leading dimension is their "
             "number, a directory of them, or - for arrays on "
             "standard input"),
    cl::cat(category));
static cl::alias inputAlias("i", cl::aliasopt(inputFile));
cl::opt<std::string> options::outputFile(
    "o", cl::value_desc("FILE"),
    cl::desc("where to write the results (.npz; of one .npy or "
             ".csv), the table of --calibrate, the numbers of "
             "--sensitivity (.json), or the mapping of --doctor "
             "(.mlir)"),
    cl::cat(category));
cl::opt<int64_t> options::samples("samples", cl::init(-1),
                                  cl::desc("how many samples; default: all"),
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
cl::opt<bool> options::calibrateMode(
    "calibrate",
    cl::desc("write what the observers of the module see; a module without "
             "observers is prepared for --backend first"),
    cl::cat(category));
cl::opt<std::string> options::backendName(
    "backend", cl::init("qnnpack"),
    cl::desc("backend for --calibrate, --sensitivity, --layers and --doctor"),
    cl::cat(category));
cl::opt<std::string> options::qconfigName(
    "qconfig",
    cl::desc("qconfig for --calibrate, --sensitivity, --layers and --doctor"),
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
cl::opt<std::string> options::statistics(
    "statistics", cl::init("ordered"), cl::value_desc("ordered|mergeable"),
    cl::desc("what --calibrate records: PyTorch's histograms and "
             "averages, which need all batches in order, or what "
             "gives the same bytes from any parts"),
    cl::cat(category));
static cl::opt<bool> forCorrections(
    "for-corrections",
    cl::desc("have --calibrate record what layers read, from which "
             "corrections=bias-correction and adaptive-rounding of "
             "--apply-backend need no samples"),
    cl::cat(category));
cl::opt<std::string> options::shard(
    "shard", cl::value_desc("I/N"),
    cl::desc("do part I (from 0) of N of --calibrate, --layers, --labels (of "
             "the samples) or --sensitivity (of what is measured next), and "
             "write it to -o; qbackend-calib merge joins parts"),
    cl::cat(category));
cl::list<std::string> options::partFiles(
    "parts", cl::value_desc("FILE"), cl::CommaSeparated,
    cl::desc("what parts by --shard have found, for --layers, --labels and "
             "--sensitivity: it isn't measured again"),
    cl::cat(category));
cl::opt<std::string> options::sourceName(
    "source",
    cl::desc("what the table calls the samples; default: the name "
             "of their file"),
    cl::cat(category));
cl::opt<bool> options::resume(
    "resume",
    cl::desc("go on from what an interrupted --calibrate saved beside -o"),
    cl::cat(category));
cl::opt<int64_t>
    options::saveSeconds("save-every", cl::init(30), cl::value_desc("seconds"),
                         cl::desc("how often --calibrate saves what it has"),
                         cl::cat(category));
cl::opt<std::string> options::compareFile(
    "compare", cl::value_desc("MODULE"),
    cl::desc("run this module on the same data, and print how the "
             "two differ"),
    cl::cat(category));
cl::opt<std::string> options::compareWeights(
    "compare-weights", cl::value_desc("FILE"),
    cl::desc("tensors that the module of --compare only names"),
    cl::cat(category));
cl::opt<std::string> options::labelsFile(
    "labels", cl::value_desc("FILE[:ARRAY]"),
    cl::desc("right classes, to print how many are found by the "
             "module, or by it and that of --compare"),
    cl::cat(category));

cl::opt<bool> options::sensitivityMode(
    "sensitivity",
    cl::desc("print what it costs to quantize each operator for --backend, and "
             "what is left with the worst ones float"),
    cl::cat(category));
cl::opt<bool> options::changesMode(
    "changes",
    cl::desc("with --sensitivity: also what per-channel weights, other "
             "observers and each correction give, one at a time"),
    cl::cat(category));
cl::opt<std::string> options::calibrationFile(
    "calibration", cl::value_desc("TABLE"),
    cl::desc("ranges for --sensitivity and --doctor; default: "
             "those of the samples"),
    cl::cat(category));

cl::opt<bool> options::layersMode(
    "layers",
    cl::desc("with --compare: the error of each operator, and what to change; "
             "--backend and --qconfig say what is fused"),
    cl::cat(category));
cl::opt<bool> options::doctorMode(
    "doctor",
    cl::desc(
        "say what is wrong with the network quantized for --backend, or "
        "with that of --compare, and what mends it; -o writes the mapping. "
        "Exit status 2: something is wrong"),
    cl::cat(category));
cl::opt<std::string> options::calibrationData(
    "data", cl::value_desc("FILE[:ARRAY]"),
    cl::desc("samples that calibrate, for --sensitivity and --doctor; default: "
             "those of --input"),
    cl::cat(category));
cl::opt<std::string>
    options::htmlFile("html", cl::value_desc("FILE"),
                      cl::desc("with --layers: write the report as one page"),
                      cl::cat(category));
cl::opt<std::string> options::reportName(
    "report", cl::value_desc("cost"),
    cl::desc("cost: arithmetic, memory, conversions and time of each operator, "
             "also of the module of --compare"),
    cl::cat(category));
cl::opt<std::string> options::outputFormat(
    "format", cl::init("text"), cl::value_desc("text|json"),
    cl::desc("how --compare, --layers, --report=cost, --sensitivity and "
             "--doctor print; docs/Reports.md says what is in JSON"),
    cl::cat(category));
cl::opt<bool> options::profileMode(
    "profile",
    cl::desc("with --report=cost: measure each operator on the samples"),
    cl::cat(category));

llvm::Error options::readPartFiles(Parts &parts) {
  return readParts(ArrayRef<std::string>(partFiles), parts);
}

llvm::Expected<RunOptions> options::getPartOptions() {
  RunOptions options = getRunOptions();
  if (llvm::Error error = readShard(shard, options.shard, options.shards))
    return error;
  return options;
}

RunOptions options::getRunOptions() {
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

llvm::Expected<std::vector<int64_t>> options::readLabels() {
  return evaluation::readLabels(labelsFile, samples);
}

llvm::Error options::checkOptions() {
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
  if (!shard.empty() && !partFiles.empty() && !sensitivityMode)
    return makeError("--parts has no effect with --shard; give it without, "
                     "when all parts are there");
  if (mode.empty() && (!shard.empty() || !partFiles.empty()) &&
      (labelsFile.empty() || !compareFile.empty()))
    return makeError("--{0} needs --calibrate, --sensitivity, --layers, or "
                     "--labels without --compare",
                     shard.empty() ? "parts" : "shard");
  if (!shard.empty() && outputFile.empty())
    return makeError("--shard needs -o FILE.json for the part");
  if (mode.empty() && !partFiles.empty() && !outputFile.empty())
    return makeError("-o has no effect with --parts: parts of an evaluation "
                     "have no results but counts");
  if (forCorrections && (resume || saveSeconds.getNumOccurrences() != 0))
    return makeError("--{0} has no effect with --for-corrections: do parts of "
                     "the samples, with --shard and --statistics=mergeable",
                     resume ? "resume" : "save-every");
  if (calibrateMode && outputFile.empty())
    return makeError("--calibrate needs -o TABLE for the result");
  for (const cl::opt<std::string> *option : {&weightsFile, &compareWeights})
    if (llvm::Error error = checkWeights(*option))
      return error;
  if (!compareWeights.empty() && compareFile.empty())
    return makeError("--compare-weights needs --compare=MODULE");
  if (layersMode && compareFile.empty())
    return makeError("--layers needs --compare=MODULE");
  if (mode.empty() && compareFile.empty() && labelsFile.empty() &&
      outputFile.empty())
    return makeError("nothing to do: pass -o FILE.npz, --labels=FILE, "
                     "--calibrate, --sensitivity, --doctor, --report=cost or "
                     "--compare=MODULE");
  if (outputFormat != "text" && outputFormat != "json")
    return makeError("--format is '{0}', expected text or json", outputFormat);
  if (outputFormat.getNumOccurrences() && mode.empty() && compareFile.empty())
    return makeError("--format has no effect without --compare, --layers, "
                     "--report, --sensitivity or --doctor");
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
      {&forCorrections, {"calibrate"}},
      {&shard, {"", "calibrate", "sensitivity", "layers"}},
      {std::addressof(partFiles), {"", "sensitivity", "layers"}},
      {&sourceName, {"calibrate"}},
      {&resume, {"calibrate"}},
      {&saveSeconds, {"calibrate"}},
      {&calibrationFile, {"sensitivity", "doctor"}},
      {&calibrationData, {"sensitivity", "doctor"}},
      {&changesMode, {"sensitivity"}},
      {&htmlFile, {"layers"}},
      {&profileMode, {"report"}},
      {&outputFormat, {"", "sensitivity", "layers", "doctor", "report"}},
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
    if (use.option == &outputFile && layersMode && !shard.empty())
      continue;
    if (use.option == &outputFile)
      return makeError("-o has no effect with --{0}, which prints; leave it "
                       "out, and write what is printed to a file by >{1}",
                       mode, layersMode ? ", or a page by --html" : "");
    if (!mode.empty())
      return makeError("--{0} has no effect with --{1}", use.option->ArgStr,
                       mode);
    return makeError("--{0} has no effect without --{1}", use.option->ArgStr,
                     llvm::join(use.modes, " or --"));
  }
  llvm::SmallVector<FileFormat> formats = {FileFormat::JSON};
  if (mode.empty() && shard.empty())
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

void options::setPrepareOptions(PreparePipelineOptions &options) {
  options.backend = backendName;
  options.qconfig = qconfigName;
  options.entry = entryName;
  options.sharing = sharing;
}

CalibrateOptions options::getCalibrateOptions() {
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
  options.recordPatches = forCorrections;
  return options;
}

tuning::NetworkOptions options::getNetworkOptions() {
  tuning::NetworkOptions options;
  options.backend = backendName;
  options.qconfig = qconfigName;
  options.data = inputFile;
  options.labels = labelsFile;
  options.samples = samples;
  options.calibration = getCalibrateOptions();
  return options;
}
