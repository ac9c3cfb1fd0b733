// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-translate with this project's dialects: modules to files of other
// programs.

#include "Faults.h"
#include "Sandbox.h"
#include "Threads.h"
#include "Version.h"

#include "qbackend/Execution/CodeGen/WriteC.h"
#include "qbackend/Interfaces/ONNX.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Support/FileFormat.h"
#include "qbackend/Support/OutputFile.h"
#include "qbackend/Support/ParseModule.h"
#include "qbackend/Support/ReadNetwork.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using qbackend::fail;
using qbackend::OutputFile;

namespace {
/// Where the arguments name files; 0: they don't.
struct Files {
  size_t input = 0, output = 0;
  /// The output, without the name of the option.
  std::string path;
};
} // namespace

static Files findFiles(ArrayRef<std::string> arguments) {
  Files files;
  for (size_t i = 1; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument.starts_with("--"))
      argument = argument.drop_front();
    if (argument == "-o" && i + 1 < arguments.size()) {
      files.output = ++i;
      files.path = arguments[i];
    } else if (argument.consume_front("-o=")) {
      files.output = i;
      files.path = argument.str();
    } else if (argument == "-" || !argument.starts_with("-")) {
      files.input = i;
    }
  }
  return files;
}

/// What is read from standard input can be read again.
static bool keepStandardInput(const MemoryBuffer &buffer) {
  int file = memfd_create("stdin", 0);
  if (file < 0)
    return false;
  raw_fd_ostream os(file, /*shouldClose=*/true);
  os << buffer.getBuffer();
  os.flush();
  return !os.has_error() && lseek(file, 0, SEEK_SET) == 0 &&
         dup2(file, STDIN_FILENO) == STDIN_FILENO;
}

/// Whether MLIR's parser can be given the input; if not, says why.
static bool checkInput(std::string &input) {
  auto read = qbackend::readNetwork(input);
  if (!read) {
    fail(read.takeError());
    return false;
  }
  mlir::DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  if (auto error = qbackend::checkSource(**read, registry)) {
    WithColor::error(errs() << (*read)->getBufferIdentifier() << ":"
                            << error->line << ":" << error->column << ": ")
        << error->message << "\n";
    return false;
  }
  // What is no file gives its bytes once; what was imported is in none.
  auto format = qbackend::getFormat(input);
  if (input != "-" && sys::fs::is_regular_file(input) &&
      format != qbackend::FileFormat::PT2 &&
      format != qbackend::FileFormat::ONNX)
    return true;
  if (!keepStandardInput(**read)) {
    fail("cannot keep what '" + input + "' has; give a file");
    return false;
  }
  input = "-";
  return true;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  qbackend::reportFaults("qbackend-translate");
  qbackend::enterSandbox("qbackend-translate", argc, argv);
  qbackend::limitThreads();
  qbackend::addVersionPrinter();
  qbackend::registerToONNXTranslation();
  qbackend::codegen::registerToCTranslation();

  std::vector<std::string> arguments(argv, argv + argc);
  // Static: an error that ends the program names the output.
  static Files files;
  files = findFiles(arguments);
  bool isRun = none_of(arguments, [](StringRef argument) {
    return argument.starts_with("-") && !argument.contains('=') &&
           (argument.contains("help") || argument.contains("version"));
  });
  std::string standardInput = "-";
  if (isRun &&
      !checkInput(files.input ? arguments[files.input] : standardInput))
    return EXIT_FAILURE;
  // Static: a wrong option ends the program in the middle of MLIR's function.
  static std::optional<OutputFile> output;
  auto failToWrite = [&](std::error_code error) {
    return fail("cannot write '" + files.path + "': " + error.message());
  };
  bool isC = is_contained(arguments, "--qbackend-to-c") ||
             is_contained(arguments, "-qbackend-to-c");
  if (isRun && files.output && !isC) {
    auto format =
        qbackend::chooseFormat(files.path, {qbackend::FileFormat::ONNX});
    if (!format)
      return fail(format.takeError());
  }
  if (files.output && files.path != "-") {
    output.emplace(files.path);
    if (output->error())
      return failToWrite(output->error());
    qbackend::nameOutput(files.path.c_str());
    std::string &argument = arguments[files.output];
    argument.resize(argument.size() - files.path.size());
    argument += output->name();
  }
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  if (failed(
          mlir::mlirTranslateMain(pointers.size(), pointers.data(),
                                  "Writes modules as files of other programs")))
    return EXIT_FAILURE;
  if (output)
    if (std::error_code error = output->commit())
      return failToWrite(error);
  return EXIT_SUCCESS;
}
