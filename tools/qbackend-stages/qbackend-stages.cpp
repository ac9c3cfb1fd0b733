// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows a network after each pass.

#include "Faults.h"
#include "Sandbox.h"
#include "Tool.h"

#include "qbackend/Backends/Backends.h"
#include "qbackend/Calibration/Table.h"
#include "qbackend/Insight/Explanation/ReadModule.h"
#include "qbackend/Insight/Stages/RecordStages.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Pipelines/ApplyBackendKeys.h"
#include "qbackend/Support/Arguments.h"
#include "qbackend/Support/FileFormat.h"
#include "qbackend/Support/OutputFile.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace qbackend;
namespace cl = llvm::cl;

static cl::OptionCategory category("qbackend-stages options");
static cl::opt<std::string> moduleFile(cl::Positional, cl::Required,
                                       cl::desc("MODULE"), cl::cat(category));
static cl::list<std::string> keys(cl::Positional, cl::ZeroOrMore,
                                  cl::desc("[key=value ...]"),
                                  cl::cat(category));
static cl::opt<std::string>
    backend("apply-backend", cl::init("qnnpack"), cl::value_desc("BACKEND"),
            cl::desc("backend; keys are those of qbackend-opt"),
            cl::cat(category));
static cl::opt<bool> html("html",
                          cl::desc("write a page for a browser; else "
                                   "the names of the stages"),
                          cl::cat(category));
static cl::opt<std::string> outputFile("o", cl::init("-"),
                                       cl::value_desc("FILE"),
                                       cl::desc("where to write"),
                                       cl::cat(category));

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  qbackend::reportFaults("qbackend-stages");
  qbackend::enterSandbox("qbackend-stages", argc, argv);
  qbackend::sandboxOption.addCategory(category);
  qbackend::registerAllPasses();
  Program program{"qbackend-stages", "shows a network after each pass",
                  "MODULE [key=value...] [options]"};
  program.keys = listApplyBackendKeys();
  // That one leaves the network as it is.
  llvm::erase_if(program.keys,
                 [](const Key &key) { return key.name == "explain"; });
  llvm::append_range(program.backends, getBuiltinBackends());
  if (auto code = readOptions(program, category,
                              "Shows a network after each pass.\n", argc, argv))
    return *code;
  std::vector<std::string> words(keys.begin(), keys.end());
  words.push_back("backend=" + backend);
  auto options = formatKeys(words, program.keys);
  if (!options)
    return fail(options.takeError());
  if (llvm::Error error = html ? checkOutput(outputFile, FileFormat::HTML)
                               : checkWritable(outputFile))
    return fail(std::move(error));
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  ToolContext context(registry);
  auto module = readModule(moduleFile, context);
  if (!module)
    return fail(module.takeError());
  std::string entry;
  for (StringRef key : keys)
    if (key.consume_front("entry="))
      entry = key.str();
  auto stages = qbackend::recordStages(**module, entry, *options);
  if (!stages)
    return fail(stages.takeError());
  std::string text;
  if (html)
    text = qbackend::makeStagesPage(llvm::sys::path::filename(moduleFile),
                                    *stages);
  else
    for (const qbackend::Stage &stage : *stages)
      text += stage.pass + ": " + stage.summary + " (" +
              std::to_string(stage.ops.size()) + " ops)\n";
  if (outputFile == "-") {
    llvm::outs() << text;
    return 0;
  }
  if (llvm::Error error = qbackend::calibration::writeText(text, outputFile))
    return fail(std::move(error));
  return 0;
}
