// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a qconfig mapping that keeps an accuracy.

#include "Faults.h"
#include "Version.h"

#include "qbackend/CommandLine/Manual.h"
#include "qbackend/Files/OutputFile.h"
#include "qbackend/Inspection/ReadModule.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Runtime/Error.h"
#include "qbackend/Runtime/Interrupt.h"
#include "qbackend/Tuning/Sensitivity.h"
#include "qbackend/Tuning/Tune.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <csignal>

using namespace mlir;
using namespace qbackend;

namespace cl = llvm::cl;

static cl::OptionCategory category("qbackend-tune options");
static cl::opt<std::string> moduleFile(cl::Positional, cl::Required,
                                       cl::desc("MODULE"), cl::cat(category));
static cl::opt<std::string>
    outputFile("o", cl::Required, cl::value_desc("FILE.mlir"),
               cl::desc("where to write the qconfig mapping, for qconfig= of "
                        "--apply-backend"),
               cl::cat(category));
static cl::opt<double>
    keepSqnr("keep-sqnr", cl::value_desc("dB"),
             cl::desc("the least signal-to-noise ratio of the results"),
             cl::cat(category));
static cl::opt<double>
    keepAccuracy("keep-accuracy", cl::value_desc("points"),
                 cl::desc("how many points of a hundred the accuracy may be "
                          "below that of the real-valued network"),
                 cl::cat(category));
static cl::opt<std::string>
    inputFile("input", cl::value_desc("FILE[:ARRAY]"),
              cl::desc("samples to judge on, see qbackend-run"),
              cl::cat(category));
static cl::alias inputAlias("i", cl::aliasopt(inputFile));
static cl::opt<std::string> labelsFile("labels", cl::value_desc("FILE[:ARRAY]"),
                                       cl::desc("right classes of --input"),
                                       cl::cat(category));
static cl::opt<int64_t>
    samples("samples", cl::init(-1),
            cl::desc("how many samples of --input; default: all"),
            cl::cat(category));
static cl::opt<std::string>
    dataFile("data", cl::value_desc("FILE[:ARRAY]"),
             cl::desc("samples to calibrate on, as data= of --apply-backend"),
             cl::cat(category));
static cl::opt<std::string>
    calibrationFile("calibration", cl::value_desc("TABLE"),
                    cl::desc("ranges, as calibration= of --apply-backend"),
                    cl::cat(category));
static cl::opt<std::string>
    inputScale("input-scale",
               cl::desc("what integer data is multiplied by, such as 1/255"),
               cl::cat(category));
static cl::opt<std::string> backendName("backend", cl::init("qnnpack"),
                                        cl::desc("the backend"),
                                        cl::cat(category));
static cl::opt<std::string>
    qconfigName("qconfig",
                cl::desc("the mapping to change: a name or a file; default: "
                         "the backend's"),
                cl::cat(category));
static cl::opt<std::string>
    entryName("entry",
              cl::desc("function that is the network; default: main, forward, "
                       "or the only one"),
              cl::cat(category));
static cl::opt<std::string>
    sampleArguments("sample-arguments",
                    cl::desc("numbers of the arguments that hold samples, such "
                             "as 0,2; the others are the same in each run"),
                    cl::cat(category));
static cl::opt<unsigned> threads("num-threads", cl::init(0),
                                 cl::desc("threads; default: one each core"),
                                 cl::cat(category));
static cl::opt<std::string>
    maxTime("max-time", cl::value_desc("10m"),
            cl::desc("stop after so many seconds (s), minutes (m) or hours "
                     "(h)"),
            cl::cat(category));
static cl::opt<bool>
    resume("resume",
           cl::desc("go on from what an interrupted search left beside -o"),
           cl::cat(category));
static cl::list<std::string>
    plugins("load-dialect-plugin", cl::value_desc("FILE"),
            cl::desc("a plugin with a dialect or an engine"),
            cl::cat(category));

static int fail(llvm::Error error) {
  llvm::WithColor::error(llvm::errs(), "qbackend-tune")
      << llvm::toString(std::move(error)) << "\n";
  return 1;
}

static std::atomic<bool> interrupted(false);

/// The search stops, and what runs over samples for it; a second signal ends
/// the process.
static void interrupt(int) {
  interrupted = true;
  runtime::interrupt();
  std::signal(SIGINT, SIG_DFL);
}

/// Seconds of "10m", "90s", "1.5h" or "90".
static llvm::Expected<std::optional<double>> parseTime(StringRef text) {
  if (text.empty())
    return std::nullopt;
  StringRef number = text;
  double unit = number.consume_back("h")   ? 3600
                : number.consume_back("m") ? 60
                                           : 1;
  number.consume_back("s");
  double count;
  if (number.getAsDouble(count) || !(count > 0))
    return makeError("max-time is '{0}', expected a time such as 90s, 10m or "
                     "1h",
                     text);
  return count * unit;
}

static llvm::Expected<tuning::TuneOptions> getOptions() {
  tuning::TuneOptions options;
  options.network.backend = backendName;
  options.network.qconfig = qconfigName;
  options.network.data = inputFile;
  options.network.labels = labelsFile;
  options.network.samples = samples;
  CalibrateOptions &calibration = options.network.calibration;
  calibration.entry = entryName;
  calibration.calibration = calibrationFile;
  calibration.data = dataFile;
  calibration.inputScale = inputScale;
  calibration.sampleArguments = sampleArguments;
  calibration.threads = threads;
  if (keepSqnr.getNumOccurrences())
    options.keepSqnr = keepSqnr;
  if (keepAccuracy.getNumOccurrences())
    options.keepAccuracy = keepAccuracy;
  auto seconds = parseTime(maxTime);
  if (!seconds)
    return seconds.takeError();
  options.maxSeconds = *seconds;
  options.output = outputFile;
  options.resume = resume;
  options.stop = &interrupted;
  if (inputFile.empty())
    return makeError("no samples to judge on: pass --input=FILE.npz");
  if (inputFile == "-" || dataFile == "-")
    return makeError("samples are read several times, which standard input "
                     "can't be; pass a file");
  if (dataFile.empty() && calibrationFile.empty())
    return makeError("no samples to calibrate on: pass --data=FILE.npz or "
                     "--calibration=TABLE");
  if (options.keepSqnr.has_value() == options.keepAccuracy.has_value())
    return makeError("say what is to be kept: --keep-sqnr=30 (dB) or "
                     "--keep-accuracy=0.2 (points)");
  if (options.keepAccuracy && labelsFile.empty())
    return makeError("--keep-accuracy takes the right classes: pass "
                     "--labels=FILE.npy");
  if (!StringRef(outputFile).ends_with(".mlir"))
    return makeError("-o is '{0}', expected a name that ends with .mlir, which "
                     "qconfig= takes for a file",
                     outputFile.getValue());
  if (llvm::Error error = checkWritable(outputFile))
    return error;
  return options;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  qbackend::reportFaults("qbackend-tune");
  qbackend::addVersionPrinter();
  cl::HideUnrelatedOptions(category);
  Program program{"qbackend-tune",
                  "finds a qconfig mapping that keeps an accuracy",
                  "MODULE --input=FILE --data=FILE --keep-sqnr=dB -o FILE.mlir "
                  "[options]"};
  if (printDocumentation(argc, argv, program))
    return 0;
  if (llvm::Error error = checkArguments({argv + 1, argv + argc}, program))
    return fail(std::move(error));
  cl::ParseCommandLineOptions(
      argc, argv, "Finds a qconfig mapping that keeps an accuracy.\n");
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  for (const std::string &path : plugins) {
    auto plugin = DialectPlugin::load(path);
    if (!plugin)
      return fail(plugin.takeError());
    plugin->registerDialectRegistryCallbacks(registry);
  }
  auto options = getOptions();
  if (!options)
    return fail(options.takeError());
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = readModule(moduleFile, &context);
  if (!module)
    return fail(module.takeError());
  std::signal(SIGINT, interrupt);
  auto result = tuning::tune(**module, *options, llvm::outs());
  if (!result)
    return fail(result.takeError());
  llvm::outs() << (result->isHeld ? "held: " : "not held: ")
               << tuning::formatScore(result->score) << ", "
               << result->realValued << " of " << result->operators
               << " operators real-valued; '" << outputFile << "'\n";
  if (!result->isComplete)
    llvm::outs() << "stopped before the end; --resume goes on\n";
  if (interrupted)
    return 130;
  return result->isHeld ? 0 : 2;
}
