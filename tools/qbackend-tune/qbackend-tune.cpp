// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a qconfig mapping that keeps an accuracy.

#include "Faults.h"
#include "NetworkOptions.h"
#include "Sandbox.h"
#include "Tool.h"

#include "qbackend/Calibration/Table.h"
#include "qbackend/Execution/Runtime/Interrupt.h"
#include "qbackend/Execution/Runtime/ThreadPool.h"
#include "qbackend/Insight/Explanation/ReadModule.h"
#include "qbackend/Insight/Tuning/Tune.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Support/FileFormat.h"
#include "qbackend/Support/OutputFile.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::options;

namespace cl = llvm::cl;

cl::OptionCategory options::category("qbackend-tune options");
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
                          "below that of the float network"),
                 cl::cat(category));
static cl::opt<std::string>
    targetLatency("target-latency", cl::value_desc("2ms"),
                  cl::desc("what a call of the program may take, on one "
                           "thread, in microseconds (us), milliseconds (ms) or "
                           "seconds (s)"),
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
static cl::opt<std::string> backendName("backend", cl::init("qnnpack"),
                                        cl::desc("the backend"),
                                        cl::cat(category));
static cl::opt<std::string>
    qconfigName("qconfig",
                cl::desc("the mapping to change: a name or a file; default: "
                         "the backend's"),
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
static cl::opt<std::string>
    shard("shard", cl::value_desc("I/N"),
          cl::desc("measure part I (from 0) of N of what comes next, and write "
                   "it to -o FILE.json; qbackend-calib merge joins parts"),
          cl::cat(category));
static cl::list<std::string>
    partFiles("parts", cl::value_desc("FILE"), cl::CommaSeparated,
              cl::desc("what parts by --shard have measured"),
              cl::cat(category));

static std::atomic<bool> interrupted(false);

/// What has ended by itself needs no end.
static std::atomic<bool> ended(false);

/// The search stops, and what runs over samples for it; a second signal ends
/// the process.
static void interrupt(int) {
  interrupted = true;
  runtime::interrupt();
  std::signal(SIGINT, SIG_DFL);
}

/// Ends the process where the search doesn't within most of a second, as while
/// a network is compiled. The file is the best so far at any time.
static void watchInterrupt() {
  using std::chrono::milliseconds;
  // Without a thread more the search stops when it looks for signals.
  std::optional<pthread_t> watch = runtime::startThread([] {
    while (!interrupted)
      std::this_thread::sleep_for(milliseconds(50));
    std::this_thread::sleep_for(milliseconds(500));
    if (ended)
      return;
    static constexpr char text[] = "stopped before the end; --resume goes on\n";
    (void)!write(STDOUT_FILENO, text, sizeof(text) - 1);
    _exit(130);
  });
  if (watch)
    pthread_detach(*watch);
}

/// Seconds of "10m", "90s", "1.5h", "2ms", "500us" or "90"; `examples` are for
/// the error.
static llvm::Expected<std::optional<double>>
parseTime(const cl::opt<std::string> &option, StringRef examples) {
  StringRef text = option.getValue();
  if (option.getNumOccurrences() == 0)
    return std::nullopt;
  StringRef number = text;
  double unit = number.consume_back("us")   ? 1e-6
                : number.consume_back("ms") ? 1e-3
                : number.consume_back("h")  ? 3600
                : number.consume_back("m")  ? 60
                                            : 1;
  if (unit == 1)
    number.consume_back("s");
  double count;
  if (number.getAsDouble(count) || !(count > 0) || !std::isfinite(count))
    return makeError("{0} is '{1}', expected a time such as {2}", option.ArgStr,
                     text, examples);
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
  auto seconds = parseTime(maxTime, "90s, 10m or 1h");
  if (!seconds)
    return seconds.takeError();
  options.maxSeconds = *seconds;
  auto target = parseTime(targetLatency, "500us, 2ms or 1s");
  if (!target)
    return target.takeError();
  options.targetSeconds = *target;
  options.output = outputFile;
  options.resume = resume;
  if (!partFiles.empty())
    options.readParts = [](Parts &parts) {
      return readParts(ArrayRef<std::string>(partFiles), parts);
    };
  if (!shard.empty()) {
    if (llvm::Error error = readShard(shard, options.shard, options.shards))
      return error;
    if (resume)
      return makeError("--resume has no effect with --shard: what was measured "
                       "is in --parts");
  }
  options.isStopped = [] { return interrupted.load(); };
  if (inputFile.empty())
    return makeError("no samples to judge on: pass --input=FILE.npz");
  if (inputFile == "-" || dataFile == "-")
    return makeError("samples are read several times, which standard input "
                     "can't be; pass a file");
  if (dataFile.empty() && calibrationFile.empty())
    return makeError("no samples to calibrate on: pass --data=FILE.npz or "
                     "--calibration=TABLE");
  if (!options.keepSqnr && !options.keepAccuracy)
    return makeError("say what is to be kept: --keep-sqnr=30 (dB) or "
                     "--keep-accuracy=0.2 (points)");
  if (options.keepAccuracy && labelsFile.empty())
    return makeError("--keep-accuracy takes the right classes: pass "
                     "--labels=FILE.npy");
  if (options.shards) {
    if (llvm::Error error = checkOutput(outputFile, FileFormat::JSON))
      return error;
    return options;
  }
  if (!StringRef(outputFile).ends_with(".mlir"))
    return makeError("-o is '{0}', expected a name that ends with .mlir, which "
                     "qconfig= takes for a file",
                     outputFile.getValue());
  if (llvm::Error error = checkWritable(outputFile))
    return error;
  return options;
}

/// What was found, and if it isn't what was wanted, why not.
static void printResult(const tuning::TuneResult &result,
                        const tuning::TuneOptions &options) {
  if (!result.isWritten) {
    llvm::outs() << "stopped before the first result: '" << outputFile
                 << "' was not written\n";
    return;
  }
  llvm::outs() << (result.isHeld ? "held: " : "not held: ")
               << tuning::formatResult(result) << "; '" << outputFile << "'\n";
  if (result.floatValued == result.operators)
    llvm::outs() << "nothing is quantized: no set of operators that was tried "
                    "keeps it\n";
  if (result.heldBack == 0)
    llvm::outs()
        << "too few samples to hold some back: what holds on these may "
           "not hold on others\n";
  if (!options.targetSeconds || result.isHeld)
    return;
  StringRef kept = !options.keepAccuracy ? "the SQNR"
                   : !options.keepSqnr   ? "the accuracy"
                                         : "both";
  auto milliseconds = [](double seconds) {
    return llvm::format("%.3f ms", seconds * 1e3);
  };
  if (result.isKept)
    llvm::outs() << kept << (kept == "both" ? " are" : " is")
                 << " kept, but nothing that keeps it takes at most "
                 << milliseconds(*options.targetSeconds)
                 << ": this is the fastest found\n";
  else
    llvm::outs() << "no program keeps " << kept
                 << ", so that none was measured for the target\n";
  if (result.integerSeconds && *result.integerSeconds > *options.targetSeconds)
    llvm::outs() << "all operators in integers take "
                 << milliseconds(*result.integerSeconds)
                 << ", as the mapping is\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  qbackend::reportFaults("qbackend-tune");
  qbackend::enterSandbox("qbackend-tune", argc, argv);
  qbackend::sandboxOption.addCategory(category);
  Program program{"qbackend-tune",
                  "finds a qconfig mapping that keeps an accuracy",
                  "MODULE --input=FILE --data=FILE --keep-sqnr=dB -o FILE.mlir "
                  "[options]"};
  if (auto code = readOptions(
          program, category,
          "Finds a qconfig mapping that keeps an accuracy.\n", argc, argv))
    return *code;
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  if (llvm::Error error = loadPlugins(registry))
    return fail(std::move(error));
  auto options = getOptions();
  if (!options)
    return fail(options.takeError());
  if (llvm::Error error = checkWeights(weightsFile))
    return fail(std::move(error));
  ToolContext context(registry);
  auto module = readModule(moduleFile, context, weightsFile);
  if (!module)
    return fail(module.takeError());
  std::signal(SIGINT, interrupt);
  watchInterrupt();
  // Each line is there when it is said, in a pipe, too.
  llvm::outs().SetUnbuffered();
  if (options->shards) {
    auto part = tuning::tuneInPart(**module, *options);
    ended = true;
    if (!part)
      return fail(part.takeError());
    if (llvm::Error error =
            calibration::writeText(printParts(*part), outputFile))
      return fail(std::move(error));
    return 0;
  }
  auto result = tuning::tune(**module, *options, llvm::outs());
  ended = true;
  if (!result)
    return fail(result.takeError());
  printResult(*result, *options);
  if (!result->isComplete)
    llvm::outs() << "stopped before the end; --resume goes on\n";
  // What is said to nobody is lost; the mapping is in its file.
  if (llvm::outs().error() == std::errc::bad_file_descriptor)
    llvm::outs().clear_error();
  if (interrupted)
    return 130;
  return result->isHeld ? 0 : 2;
}
