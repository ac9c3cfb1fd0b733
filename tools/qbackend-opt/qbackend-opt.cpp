// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimizer driver: mlir-opt with this project's dialects and passes, and
// `--apply-backend=BACKEND [key=value ...]`.

#include "Version.h"

#include "qbackend/Inspection/SourceHints.h"
#include "qbackend/Pipelines/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
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

/// Makes `-o FILE` write to a file beside it. Returns the two names; empty ones
/// if the output goes to stdout.
static std::pair<std::string, std::string>
redirectOutput(std::vector<std::string> &arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    bool separate = argument == "-o" || argument == "--o";
    std::string file;
    if (separate && i + 1 < arguments.size())
      file = arguments[i + 1];
    else if (argument.consume_front("-o=") || argument.consume_front("--o="))
      file = argument.str();
    // Devices and pipes are written as they are.
    if (file.empty() || file == "-" ||
        (llvm::sys::fs::exists(file) && !llvm::sys::fs::is_regular_file(file)))
      continue;
    std::string temporary =
        file + ".tmp" + std::to_string(llvm::sys::Process::getProcessId());
    arguments[separate ? i + 1 : i] = separate ? temporary : "-o=" + temporary;
    return {file, temporary};
  }
  return {};
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

/// Says of a file that may not be read for that, which converter or upgrade it
/// needs.
static void printHint(StringRef file) {
  // Standard input is used up.
  if (file == "-")
    return;
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return;
  if (auto hint = qbackend::findSourceHint((*buffer)->getBuffer()))
    llvm::WithColor::error(llvm::errs() << file << ":" << hint->line << ":"
                                        << hint->column << ": ")
        << hint->message << "\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  qbackend::addVersionPrinter();
  qbackend::registerAllPasses();
  registerTransformsPasses();
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);

  std::vector<std::string> arguments = rewriteArguments(argc, argv);
  auto [output, temporary] = redirectOutput(arguments);
  if (!printsModule(arguments))
    arguments.push_back("-o=/dev/null");
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  auto [input, written] = registerAndParseCLIOptions(
      pointers.size(), pointers.data(),
      "PyTorch's BackendConfig quantization for MLIR\n", registry);
  LogicalResult result =
      MlirOptMain(pointers.size(), pointers.data(), input, written, registry);
  if (failed(result))
    printHint(input);
  if (output.empty())
    return asMainReturnCode(result);
  if (failed(result)) {
    llvm::sys::fs::remove(temporary);
    return EXIT_FAILURE;
  }
  if (std::error_code error = llvm::sys::fs::rename(temporary, output)) {
    llvm::WithColor::error(llvm::errs(), "qbackend-opt")
        << "cannot write '" << output << "': " << error.message() << "\n";
    llvm::sys::fs::remove(temporary);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
