// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimizer driver: mlir-opt with this project's dialects and passes, and
// `--apply-backend=BACKEND [key=value ...]`.

#include "Faults.h"
#include "Version.h"

#include "qbackend/Files/OutputFile.h"
#include "qbackend/Inspection/SourceHints.h"
#include "qbackend/Parser/ParseModule.h"
#include "qbackend/Pipelines/Passes.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

static constexpr StringLiteral kApplyBackend = "apply-backend";

/// The value of `--apply-backend=...` as the pass wants it: the name of the
/// backend, which comes first, gets its key.
static std::string spellOptions(StringRef value) {
  auto [first, rest] = value.ltrim().split(' ');
  std::string options = first.contains('=') || first.empty()
                            ? first.str()
                            : ("backend=" + first).str();
  return rest.empty() ? options : options + " " + rest.str();
}

/// Rewrites the arguments: `--apply-backend=qnnpack data=x.npz in.mlir`, with
/// or without quotes, becomes one option of the pass; and remarks are on, in
/// whatever format.
static std::vector<std::string> rewriteArguments(int argc, char **argv) {
  std::vector<std::string> result;
  bool applies = false, filtered = false;
  for (int i = 0; i < argc; ++i) {
    StringRef argument = argv[i];
    StringRef name = argument.ltrim('-');
    filtered |= argument.starts_with("-") && name.starts_with("remarks-filter");
    if (!argument.starts_with("-") || !name.consume_front(kApplyBackend) ||
        !(name.empty() || name.starts_with("="))) {
      result.push_back(argument.str());
      continue;
    }
    applies = true;
    name.consume_front("=");
    std::string options = spellOptions(name);
    // What follows with a "=" in it is no file but a key.
    while (i + 1 < argc) {
      StringRef next = argv[i + 1];
      auto [key, value] = next.split('=');
      if (value.empty() || key.empty() || next.starts_with("-") ||
          !llvm::all_of(key, [](char c) { return c == '-' || isalpha(c); }))
        break;
      options += (options.empty() ? "" : " ") + next.str();
      ++i;
    }
    result.push_back("--" + kApplyBackend.str() + "=" + options);
  }
  if (applies && !filtered)
    result.push_back("--remarks-filter=qbackend.*");
  return result;
}

/// Whether the module is printed at the end: not after the graph of its
/// operators or observers, unless a file is named for it.
static bool printsModule(ArrayRef<std::string> arguments) {
  bool printsGraph = false;
  for (StringRef argument : arguments) {
    StringRef name = argument.ltrim('-').split('=').first;
    if (argument.starts_with("-") && name == "o")
      return true;
    printsGraph |= argument.starts_with("-") &&
                   (argument.contains("qbackend-print-operators") ||
                    argument.contains("qbackend-print-observers"));
  }
  return !printsGraph;
}

static LogicalResult fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "qbackend-opt") << message << "\n";
  return failure();
}

/// Says at a place of `file` what is wrong with it.
static LogicalResult failAt(StringRef file, unsigned line, unsigned column,
                            StringRef message) {
  llvm::WithColor::error(llvm::errs()
                         << file << ":" << line << ":" << column << ": ")
      << message << "\n";
  return failure();
}

/// What `MlirOptMain` does with its arguments, for a source that its parser
/// need not survive and an output that need not have room.
static LogicalResult runPasses(StringRef input, StringRef written,
                               DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(/*argc=*/0, nullptr, input, written, registry);
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &message);
  if (!buffer)
    return fail(message);
  qbackend::OutputFile output(written);
  auto failToWrite = [&](std::error_code error) {
    return fail("cannot write '" + written + "': " + error.message());
  };
  if (std::error_code error = output.error())
    return failToWrite(error);
  if (std::optional<qbackend::SourceError> error =
          qbackend::checkSource(*buffer, registry))
    return failAt(buffer->getBufferIdentifier(), error->line, error->column,
                  error->message);
  // Ours is still there when it has to be asked for a hint.
  LogicalResult result = MlirOptMain(
      output.os(), llvm::MemoryBuffer::getMemBuffer(*buffer), registry, config);
  if (failed(result)) {
    if (auto hint = qbackend::findSourceHint(buffer->getBuffer()))
      return failAt(buffer->getBufferIdentifier(), hint->line, hint->column,
                    hint->message);
    return failure();
  }
  if (std::error_code error = output.commit())
    return failToWrite(error);
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  qbackend::reportFaults("qbackend-opt");
  qbackend::addVersionPrinter();
  qbackend::registerAllPasses();
  registerTransformsPasses();
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);

  std::vector<std::string> arguments = rewriteArguments(argc, argv);
  if (!printsModule(arguments))
    arguments.push_back("-o=/dev/null");
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  auto [input, written] = registerAndParseCLIOptions(
      pointers.size(), pointers.data(),
      "PyTorch's BackendConfig quantization for MLIR\n", registry);
  return asMainReturnCode(runPasses(input, written, registry));
}
