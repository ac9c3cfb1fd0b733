// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs modules on arrays: predicts, calibrates, compares.

#include "qbackend/Backends/Backends.h"
#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Pipelines/Execution.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Runtime/Error.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using runtime::Array;
using runtime::ElementType;
using runtime::NamedArray;

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
               cl::desc("where to write the results (.npz), or the table of "
                        "--calibrate"),
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
static cl::opt<int64_t> samples("samples", cl::init(-1),
                                cl::desc("how many samples; default: all"),
                                cl::cat(category));
static cl::opt<unsigned> threads("num-threads", cl::init(0),
                                 cl::desc("threads; default: one each core"),
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
    shard("shard", cl::value_desc("I/N"),
          cl::desc("calibrate on part I (from 0) of N of the samples; "
                   "qbackend-calib merge joins the tables"),
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
static cl::opt<std::string>
    labelsFile("labels", cl::value_desc("FILE[:ARRAY]"),
               cl::desc("right classes, to print the accuracy"),
               cl::cat(category));

static int fail(llvm::Error error) {
  llvm::WithColor::error(llvm::errs(), "qbackend-run")
      << llvm::toString(std::move(error)) << "\n";
  return 1;
}

/// Parses a module; diagnostics go to stderr.
static llvm::Expected<OwningOpRef<ModuleOp>> readModule(StringRef path,
                                                        MLIRContext *context) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return makeError("cannot read '{0}': {1}", path,
                     buffer.getError().message());
  sources->AddNewSourceBuffer(std::move(*buffer), SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (!module)
    return makeError("'{0}' is not a valid module", path);
  return module;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// The results of a module for all samples, one array for each result.
static llvm::Expected<std::vector<NamedArray>> runModule(ModuleOp module,
                                                         StringRef label) {
  auto function = findEntry(module, entryName);
  if (!function)
    return function.takeError();
  SampleRun run;
  auto executable = compileModule(module, function->getName());
  if (!executable)
    return executable.takeError();
  run.executable = std::move(*executable);
  if (llvm::Error error = run.load(inputFile, inputScale, *function))
    return error;
  run.options.maxSamples = samples;
  run.options.threads = threads;
  std::vector<NamedArray> outputs;
  llvm::Error error = run.run(
      label, [&](int64_t, int64_t, ArrayRef<Array> results) -> llvm::Error {
        if (outputs.empty())
          for (auto [i, result] : llvm::enumerate(results)) {
            outputs.push_back(
                {"output" + std::to_string(i), Array{result.type, {}, {}}});
            outputs.back().array.shape = result.shape;
            if (result.shape.empty())
              outputs.back().array.shape.push_back(1);
            outputs.back().array.shape[0] = 0;
          }
        for (auto [output, result] : llvm::zip(outputs, results)) {
          output.array.shape[0] += result.shape.empty() ? 1 : result.shape[0];
          output.array.data.insert(output.array.data.end(), result.data.begin(),
                                   result.data.end());
        }
        return llvm::Error::success();
      });
  if (error)
    return error;
  return outputs;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// The index of the largest of each row's elements.
static std::vector<int64_t> getTop1(ArrayRef<float> values, int64_t rows) {
  std::vector<int64_t> result;
  int64_t columns = rows ? values.size() / rows : 0;
  for (int64_t row = 0; row < rows; ++row) {
    ArrayRef<float> scores = values.slice(row * columns, columns);
    result.push_back(std::max_element(scores.begin(), scores.end()) -
                     scores.begin());
  }
  return result;
}

static llvm::Expected<std::vector<int64_t>> readLabels(int64_t rows) {
  StringRef path = labelsFile;
  auto [file, name] = path.rsplit(':');
  auto arrays = runtime::readArrays(name.empty() ? path : file);
  if (!arrays)
    return arrays.takeError();
  for (NamedArray &array : *arrays) {
    if (!name.empty() ? array.name != name : arrays->size() != 1)
      continue;
    auto values = runtime::toFloat(array.array, array.name);
    if (!values)
      return values.takeError();
    if (int64_t(values->size()) < rows)
      return makeError("'{0}' has {1} labels for {2} samples", path,
                       values->size(), rows);
    return std::vector<int64_t>(values->begin(), values->begin() + rows);
  }
  return makeError("'{0}' has no such array; say FILE:ARRAY", path);
}

static double getAccuracy(ArrayRef<int64_t> classes, ArrayRef<int64_t> labels) {
  int64_t right = 0;
  for (auto [found, label] : llvm::zip(classes, labels))
    right += found == label;
  return classes.empty() ? 0.0 : double(right) / classes.size();
}

/// Prints how `other` differs from `base`, and both accuracies.
static llvm::Error compare(ArrayRef<NamedArray> base,
                           ArrayRef<NamedArray> other) {
  if (base.size() != other.size())
    return makeError("the modules have {0} and {1} results", base.size(),
                     other.size());
  for (auto [first, second] : llvm::zip(base, other)) {
    if (first.array.shape != second.array.shape)
      return makeError("{0} is {1} in one module, {2} in the other", first.name,
                       runtime::formatShape(first.array.shape),
                       runtime::formatShape(second.array.shape));
    auto a = runtime::toFloat(first.array, first.name);
    if (!a)
      return a.takeError();
    auto b = runtime::toFloat(second.array, second.name);
    if (!b)
      return b.takeError();
    // SQNR = 10 log10(sum a^2 / sum (a - b)^2).
    double signal = 0, noise = 0, largest = 0;
    int64_t different = 0;
    for (auto [x, y] : llvm::zip(*a, *b)) {
      double difference = double(x) - double(y);
      signal += double(x) * x;
      noise += difference * difference;
      largest = std::max(largest, std::abs(difference));
      different += x != y;
    }
    llvm::outs() << first.name << ": SQNR ";
    if (noise == 0)
      llvm::outs() << "inf";
    else
      llvm::outs() << llvm::format("%.2f", 10 * std::log10(signal / noise));
    llvm::outs() << " dB, max difference " << llvm::format("%.6g", largest)
                 << ", " << different << " of " << a->size()
                 << " elements differ";
    int64_t rows = first.array.shape[0];
    if (first.array.shape.size() == 2) {
      std::vector<int64_t> top = getTop1(*a, rows),
                           topOther = getTop1(*b, rows);
      llvm::outs() << ", top-1 agreement "
                   << llvm::format("%.4f", getAccuracy(top, topOther));
      if (!labelsFile.empty()) {
        auto labels = readLabels(rows);
        if (!labels)
          return labels.takeError();
        llvm::outs() << ", accuracy "
                     << llvm::format("%.4f", getAccuracy(top, *labels))
                     << " and "
                     << llvm::format("%.4f", getAccuracy(topOther, *labels));
      }
    }
    llvm::outs() << "\n";
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Calibration
//===----------------------------------------------------------------------===//

/// Brings a real-valued module to the observed stage.
static llvm::Error prepare(ModuleOp module) {
  bool observed = !module.getOps<ObserverOp>().empty();
  if (observed)
    return llvm::Error::success();
  PassManager pm(module.getContext());
  pm.addPass(createRaisePass());
  pm.addPass(createNormalizeLayoutPass());
  pm.addPass(createFusePass({backendName}));
  pm.addPass(createObservePass({backendName, qconfigName}));
  if (failed(pm.run(module)))
    return makeError("'{0}' can't be prepared for calibration", moduleFile);
  if (module.getOps<ObserverOp>().empty())
    return makeError("nothing of '{0}' can be quantized by backend '{1}', so "
                     "there is nothing to calibrate",
                     moduleFile, backendName);
  return llvm::Error::success();
}

static llvm::Error calibrateModule(ModuleOp module) {
  if (outputFile.empty())
    return makeError("--calibrate needs -o TABLE for the result");
  if (llvm::Error error = prepare(module))
    return error;
  CalibrateOptions options;
  options.data = inputFile;
  options.samples = samples;
  options.batchSize = batchSize;
  options.inputScale = inputScale;
  options.threads = threads;
  options.nonFinite = nonFinite;
  options.recordAll = true;
  options.source = sourceName;
  if (!shard.empty()) {
    auto [index, count] = StringRef(shard).split('/');
    if (index.getAsInteger(10, options.shard) ||
        count.getAsInteger(10, options.shards) || options.shards < 1)
      return makeError("shard is '{0}', expected I/N such as 0/4", shard);
  }
  options.checkpoint = outputFile + ".partial";
  options.saveSeconds = saveSeconds;
  options.resume = resume;
  auto table = collectStatistics(module, options);
  if (!table)
    return table.takeError();
  for (const calibration::TableEntry &entry : table->entries)
    if (entry.stats.nonFinite())
      llvm::WithColor::warning(llvm::errs(), "qbackend-run")
          << calibration::describeNonFinite(entry.name, entry.stats)
          << "; they are left out\n";
  if (llvm::Error error = calibration::writeTable(*table, outputFile))
    return error;
  llvm::sys::fs::remove(options.checkpoint);
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Runs modules on arrays: predicts, calibrates, compares.\n");
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  MLIRContext context(registry);
  if (inputFile.empty())
    return fail(makeError("no samples: pass --input=FILE.npz"));

  auto module = readModule(moduleFile, &context);
  if (!module)
    return fail(module.takeError());
  if (calibrateMode) {
    if (llvm::Error error = calibrateModule(**module))
      return fail(std::move(error));
    return 0;
  }
  auto outputs = runModule(**module, "running");
  if (!outputs)
    return fail(outputs.takeError());
  if (!compareFile.empty()) {
    auto other = readModule(compareFile, &context);
    if (!other)
      return fail(other.takeError());
    auto otherOutputs = runModule(**other, "running the other module");
    if (!otherOutputs)
      return fail(otherOutputs.takeError());
    if (llvm::Error error = compare(*outputs, *otherOutputs))
      return fail(std::move(error));
  } else if (outputFile.empty()) {
    return fail(makeError("nothing to do: pass -o FILE.npz, --calibrate or "
                          "--compare=MODULE"));
  }
  if (!outputFile.empty())
    if (llvm::Error error = runtime::writeNpz(outputFile, *outputs))
      return fail(std::move(error));
  return 0;
}
