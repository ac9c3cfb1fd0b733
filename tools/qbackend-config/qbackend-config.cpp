// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists, shows and converts backend configurations.

#include "qbackend/Backends/Backends.h"
#include "qbackend/Backends/Json.h"
#include "qbackend/Pipelines/Passes.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace qbackend;
namespace cl = llvm::cl;

static cl::SubCommand listCommand("list", "names of the built-in backends");
static cl::SubCommand showCommand("show", "a configuration as MLIR");
static cl::SubCommand toJSONCommand("to-json",
                                    "a configuration in PyTorch's dict form");
static cl::SubCommand fromJSONCommand("from-json",
                                      "PyTorch's dict form as MLIR");

static cl::opt<std::string> backendName(cl::Positional, cl::Required,
                                        cl::desc("BACKEND|FILE"),
                                        cl::sub(showCommand),
                                        cl::sub(toJSONCommand));
static cl::opt<std::string> jsonFile(cl::Positional, cl::init("-"),
                                     cl::desc("FILE"),
                                     cl::sub(fromJSONCommand));
static cl::opt<std::string> outputFile("o", cl::init("-"), cl::desc("Output"),
                                       cl::value_desc("file"),
                                       cl::sub(cl::SubCommand::getAll()));

/// Writes `text` to the output, completely or not at all.
static LogicalResult writeOutput(StringRef text) {
  std::error_code error;
  llvm::ToolOutputFile file(outputFile, error,
                            llvm::sys::fs::OpenFlags::OF_None);
  if (!error) {
    file.os() << text;
    file.os().flush();
    error = file.os().error();
    file.os().clear_error();
  }
  if (error) {
    llvm::WithColor::error(llvm::errs(), "qbackend-config")
        << "cannot write '" << outputFile << "': " << error.message() << "\n";
    return failure();
  }
  file.keep();
  return success();
}

/// The backend that `name` means; "-" is a module on standard input.
static FailureOr<Backend> loadBackend(StringRef name, MLIRContext *context) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(
      NameLoc::get(StringAttr::get(context, "qbackend-config")));
  return resolveBackend(name, *module);
}

static LogicalResult list() {
  std::string text;
  for (StringRef name : getBuiltinBackends())
    text += name.str() + "\n";
  return writeOutput(text);
}

static LogicalResult show(MLIRContext *context) {
  if (std::optional<StringRef> text = getBuiltinBackendText(backendName))
    return writeOutput(*text);
  FailureOr<Backend> backend = loadBackend(backendName, context);
  if (failed(backend))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  backend->owner->print(stream);
  return writeOutput(text + "\n");
}

static LogicalResult convertToJSON(MLIRContext *context) {
  FailureOr<Backend> backend = loadBackend(backendName, context);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(backend) || failed(toJSON(backend->config, stream)))
    return failure();
  return writeOutput(text + "\n");
}

static LogicalResult convertFromJSON(MLIRContext *context) {
  auto input = llvm::MemoryBuffer::getFileOrSTDIN(jsonFile);
  if (!input) {
    llvm::WithColor::error(llvm::errs(), "qbackend-config")
        << "cannot read '" << jsonFile << "': " << input.getError().message()
        << "\n";
    return failure();
  }
  FailureOr<OwningOpRef<ModuleOp>> module =
      fromJSON((*input)->getBuffer(), context);
  if (failed(module))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream);
  return writeOutput(text + "\n");
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "backend configurations\n");
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  registerConfigurationAliases(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  LogicalResult result = failure();
  if (listCommand)
    result = list();
  else if (showCommand)
    result = show(&context);
  else if (toJSONCommand)
    result = convertToJSON(&context);
  else if (fromJSONCommand)
    result = convertFromJSON(&context);
  else
    cl::PrintHelpMessage(/*Hidden=*/false, /*Categorized=*/true);
  return failed(result);
}
